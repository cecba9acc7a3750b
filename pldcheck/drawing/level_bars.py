"""A waterfall: a bar for each level of a value that falls step by step, and the factor by which each step lowers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.interval import Interval
from ..core.outward_decimals import up
from .figure_style import MARKS
from .parameter_labels import axis_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The colour of the true value.
BLUE = MARKS[0][0]
# The colour of the loss of a step.
VERMILION = MARKS[1][0]


def draw(axes: Axes, names: Sequence[str], intervals: Sequence[Interval]) -> None:
    """Draw a bar up to each upper end, from the first at the top to the last, which is the truth."""
    uppers = [interval.upper for interval in intervals]
    least = 0.5 * uppers[-1]
    for row, (interval, upper) in enumerate(zip(intervals, uppers, strict=True)):
        last = row == len(uppers) - 1
        axes.barh(-row, upper - least, left=least, height=0.55, color=BLUE if last else "0.8")
        following = uppers[row + 1] if not last else upper
        axes.barh(-row, upper - following, left=following, height=0.55, color=VERMILION, alpha=0.75)
        lost = "" if last else f"   lost: × {upper / following:.4g}" if following > 0.0 else "   lost: all"
        axes.text(upper * 1.03, -row, f"≤ {up(upper, 4)}{lost}", va="center", fontsize=8.5)
        if last and interval.lower > 0.0:
            axes.plot([interval.lower] * 2, [-row - 0.3, -row + 0.3], color="black", linewidth=1.0)
    axes.set_yticks(range(0, -len(uppers), -1), names)
    axes.set(xscale="log", xlim=(least, uppers[0] * 4.0), xlabel=axis_label(intervals[-1].quantity))
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(lambda value, place: f"{value:g}")
    axes.spines[["top", "right", "left"]].set_visible(False)
