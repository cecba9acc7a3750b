"""Axes in the common style, for answers that are plotted without axes of the caller's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from matplotlib import pyplot, rc_context

from .figure_style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
