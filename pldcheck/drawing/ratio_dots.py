"""A line for each theorem on a logarithmic axis, with a dot for the ratio of claim and truth in every cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from .dot_places import clip
from .figure_style import RED, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The most lines of the figure; all published bounds are fewer.
LINES = 100
# By the relation of a theorem to the truth: the marker, its colour, and words for the legend.
SHAPES = {
    "<=": ("o", "#0072b2", "upper bound"),
    "=": ("D", "#009e73", "exact value"),
    ">=": ("s", "#cc79a7", "lower bound"),
}


@dataclass(frozen=True)
class RatioLine:
    """One theorem: its relation to the truth, the ratios where it holds and where it is violated, and a remark.

    Ratios are few, or the places of :class:`~pldcheck.drawing.dot_places.DotPlaces`, to which many are rounded.
    The remark stands in place of dots where there are none.
    """

    name: str
    relation: str
    ratios: tuple[float, ...]
    violated: tuple[float, ...]
    remark: str


def draw(axes: Axes, lines: Sequence[RatioLine]) -> list[Line2D]:
    """Draw the lines, the first at the top, and return the entries of a legend."""
    lines = lines[:LINES][::-1]
    axes.axvline(1.0, color="0.45", linewidth=0.9, linestyle=":")
    for height, line in enumerate(lines):
        shape, colour, _ = SHAPES[line.relation]
        for ratios, ink in ((line.ratios, colour), (line.violated, RED)):
            for mark, places in _places(ratios, shape):
                axes.plot(places, [height] * len(places), mark, color=ink, alpha=0.55, markersize=4.5)
        if not (line.ratios or line.violated):
            axes.text(1.1, height, line.remark, va="center", color="0.4", fontsize=7.5)
    axes.set(xscale="log", ylim=(-0.7, len(lines) - 0.3), xlabel="claim / certified upper end")
    axes.set_yticks(range(len(lines)), [plain(line.name) for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="0.92", linewidth=0.6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    used = {line.relation for line in lines}
    entries = [
        Line2D([], [], color=colour, marker=shape, linestyle="", label=label)
        for relation, (shape, colour, label) in SHAPES.items()
        if relation in used
    ]
    if any(line.violated for line in lines):
        entries.append(Line2D([], [], color=RED, marker="o", linestyle="", label="violated"))
    if any(clip(ratio) != ratio for line in lines for ratio in line.ratios + line.violated):
        entries.append(Line2D([], [], color="0.35", marker=">", linestyle="", label="beyond the axis"))
    return entries


def _places(ratios: Sequence[float], shape: str) -> Iterator[tuple[str, list[float]]]:
    """Yield marks with their places: those beyond the axis are arrows at its edge."""
    marks: dict[str, list[float]] = {"<": [], shape: [], ">": []}
    for ratio in ratios:
        place = clip(ratio)
        marks["<" if place > ratio else ">" if place < ratio else shape].append(place)
    yield from ((mark, places) for mark, places in marks.items() if places)
