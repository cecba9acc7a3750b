"""Named certified intervals as horizontal bars: solid up to the lower end, light up to the upper one."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from ..core.interval import Interval
from ..core.outward_decimals import down, up
from .figure_style import BLUE
from .parameter_labels import axis_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Significant digits of the ends beside a bar.
DIGITS = 3
# The relative width from which both ends are printed; a narrower interval shows its upper end alone.
BOTH = 0.02


def draw(axes: Axes, names: Sequence[str], intervals: Sequence[Interval]) -> None:
    """Draw a bar for each interval, the first at the top: solid up to its lower end, light up to its upper one."""
    largest = max((one.upper for one in intervals if isfinite(one.upper)), default=1.0)
    for row, one in enumerate(intervals):
        right = min(one.upper, 1.2 * largest)
        axes.barh(-row, one.lower, height=0.6, color=BLUE)
        axes.barh(-row, right - one.lower, left=one.lower, height=0.6, color=BLUE, alpha=0.25)
        wide = one.upper > (1.0 + BOTH) * one.lower
        text = f"{down(one.lower, DIGITS)} to {up(one.upper, DIGITS)}" if wide else f"≤ {up(one.upper, DIGITS)}"
        axes.text(right + 0.015 * largest, -row, text, va="center", fontsize=9)
    axes.set_yticks(range(0, -len(names), -1), names)
    axes.set(
        xlim=(0.0, 1.35 * largest),
        xlabel=f"{axis_label(intervals[0].quantity)}  (solid: attained, light: not excluded)",
    )
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    axes.spines[["top", "right", "left"]].set_visible(False)
