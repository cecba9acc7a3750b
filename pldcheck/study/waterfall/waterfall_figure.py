"""The figure of a waterfall: one epsilon at each level of a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.figure import Figure

from ...core.outward_decimals import up
from ...report.figure_style import MARKS, STYLE, figure_files

if TYPE_CHECKING:
    from .waterfall import Waterfall

# The colour of the true value.
BLUE = MARKS[0][0]
# The colour of the loss of a step.
VERMILION = MARKS[1][0]


def figure(fall: Waterfall) -> Figure:
    """Return a figure with a bar for each level, and the factor that each step of the proof loses."""
    uppers = [level.interval.upper for level in fall.levels]
    picture = Figure(figsize=(6.8, 1.5 + 0.62 * len(uppers)), layout="constrained")
    axes = picture.subplots()
    least = 0.5 * uppers[-1]
    for row, (level, upper) in enumerate(zip(fall.levels, uppers, strict=True)):
        last = row == len(uppers) - 1
        axes.barh(-row, upper - least, left=least, height=0.55, color=BLUE if last else "0.8")
        following = uppers[row + 1] if not last else upper
        axes.barh(-row, upper - following, left=following, height=0.55, color=VERMILION, alpha=0.75)
        loss_text = "" if last else f"   lost: × {upper / following:.4g}" if following > 0.0 else "   lost: all"
        axes.text(upper * 1.03, -row, f"≤ {up(upper, 4)}{loss_text}", va="center", fontsize=8.5)
        if last and level.interval.lower > 0.0:
            axes.plot([level.interval.lower] * 2, [-row - 0.3, -row + 0.3], color="black", linewidth=1.0)
    axes.set_yticks(range(0, -len(uppers), -1), [f"{level.name}  {level.title}" for level in fall.levels])
    axes.set(xscale="log", xlim=(least, uppers[0] * 4.0), xlabel="ε")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(lambda value, place: f"{value:g}")
    axes.spines[["top", "right", "left"]].set_visible(False)
    at = ", ".join(f"{name} = {value:g}" for name, value in fall.params.items())
    picture.suptitle(f"Where {fall.theorem} loses\n{at}")
    return picture


def render(fall: Waterfall) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    with rc_context(STYLE):
        return figure_files(figure(fall), f"waterfall-{fall.theorem}")
