"""The common style around what is drawn: axes for answers without axes of the caller's own, and files of figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from matplotlib import pyplot, rc_context

from .figure_style import STYLE, figure_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@contextmanager
def axes_or_new(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Yield the given axes or, in the common style, those of a new pyplot figure of that size in inches."""
    if ax is not None:
        yield ax
        return
    with rc_context(STYLE):
        _, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
        # Ticks are made when the figure is drawn, in whatever style holds then.
        axes.tick_params(labelsize=STYLE["font.size"])
        yield axes


def drawn_files(draw: Callable[[], Figure], stem: str) -> dict[str, bytes]:
    """Return the figure that ``draw`` returns, drawn in the common style, in all formats by file name."""
    with rc_context(STYLE):
        return figure_files(draw(), stem)
