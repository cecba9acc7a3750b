"""The facts that a page needs on a kind of stored result that is not a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .page_table import Table


@dataclass(frozen=True)
class Drawing:
    """A figure that is drawn when ``draw`` is called: its caption, and in ``alt`` what is to be seen."""

    caption: str
    alt: str
    draw: Callable[[], Figure | None]


@dataclass(frozen=True)
class StoredKind:
    """A kind of stored result: files whose ``kind`` is ``name``, shown under ``heading``.

    ``one`` and ``many`` are the words for it in sentences.  ``read`` rebuilds a result from its stored values and
    raises where they are not of this kind; ``drawing`` says how such a result is drawn, and ``tables`` gives its
    tables, whose names begin with the text that it is called with.  ``column`` is the head of a column beside the
    verdicts on theorems, and ``of_theorems`` gives its texts by theorem.  ``of_lines`` says that such a file is JSON
    lines, which ``read`` finds under the key ``lines``.
    """

    name: str
    one: str
    many: str
    heading: str
    read: Callable[[Mapping[str, Any]], Any]
    drawing: Callable[[Any], Drawing] | None = None
    tables: Callable[[str, Any], Iterable[Table | None]] | None = None
    column: str = ""
    of_theorems: Callable[[Any], Mapping[str, str]] | None = None
    of_lines: bool = False
