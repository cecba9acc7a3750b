"""The facts that a page needs on a kind of stored result that is not a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawing:
    """A figure that is drawn when ``draw`` is called: its caption, and in ``alt`` what is to be seen."""

    caption: str
    alt: str
    draw: Callable[[], Figure | None]


@dataclass(frozen=True)
class StoredKind:
    """A kind of stored result: files whose ``kind`` is ``name``, shown under ``heading``.

    ``read`` rebuilds a result from its stored values and raises where they are not of this kind; ``drawing`` says how
    such a result is drawn.  A kind without ``read`` is known, and is not shown on the page.
    """

    name: str
    plural: str = ""
    heading: str = ""
    read: Callable[[Mapping[str, Any]], Any] | None = None
    drawing: Callable[[Any], Drawing] | None = None

    @property
    def is_on_the_page(self) -> bool:
        """Whether results of this kind are shown."""
        return self.read is not None
