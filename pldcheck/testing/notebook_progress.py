"""The progress of a run in a notebook: one line below the cell, from two seconds on, which goes when the run ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from ..verification import Row

# Seconds after which the line is shown, and between two changes of it.
PATIENCE = 2.0
SECONDS = 0.5

Step = Callable[[Row, int], None]


@contextmanager
def notebook_progress() -> Iterator[Step | None]:
    """Yield a function to call with each finished row and the number of all rows; None outside a notebook.

    Examples
    --------
    >>> with notebook_progress() as step:
    ...     print(step)
    None

    """
    if not _is_notebook():
        yield None
        return
    start, last, count, shown = perf_counter(), 0.0, 0, None

    def step(row: Row, total: int) -> None:
        nonlocal last, count, shown
        count += 1
        now = perf_counter()
        if now - start < PATIENCE or now - last < SECONDS:
            return
        last, text = now, f"{count:,} of {total:,} cells after {now - start:.0f} s"
        if shown is None:
            shown = _display(text)
        else:
            shown.update(_Line(text))

    try:
        yield step
    finally:
        if shown is not None:
            shown.update(_Line(""))


class _Line:
    """A text that is shown without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _is_notebook() -> bool:
    """Return whether a kernel runs this process, and not a shell or a script."""
    module: Any = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return getattr(shell, "kernel", None) is not None


def _display(text: str) -> Any:
    """Show a text below the running cell, and return the handle that changes it."""
    from IPython.display import display

    return display(_Line(text), display_id=True)
