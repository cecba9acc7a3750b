"""Panels of lines with their names at the end, and certified ranges as bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from .figure_style import BLUE, SUPERSCRIPTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRUTH = "certified truth"
# Least distance between names at the end of lines, in inches.
LINE = 0.155

# A height, the name there, and its colour.
Entry = tuple[float, str, str]


@dataclass(frozen=True)
class Line:
    """A field of the rows with its name, colour and line style in the figure."""

    field: str
    name: str
    colour: str
    style: Any = "-"


def side_by_side(count: int, width: float, height: float) -> tuple[Figure, Any]:
    """Return a figure and its panels side by side, with room for names to the right of the last."""
    figure = Figure(figsize=(2.4 + width * count, height), layout="constrained")
    panels = figure.subplots(1, count, sharey=True, squeeze=False)[0]
    for axes in panels:
        bare(axes)
    return figure, panels


def bare(axes: Axes) -> None:
    """Leave two spines of a panel, and put a grid behind its lines."""
    axes.set_axisbelow(True)
    axes.grid(color="0.92", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def draw(axes: Axes, places: Sequence[float], rows: Sequence[Any], lines: Sequence[Line]) -> None:
    """Plot the known fields of the rows as lines, and the certified band."""
    for line in lines:
        values = [(x, getattr(row, line.field)) for x, row in zip(places, rows, strict=True)]
        points = [(x, y) for x, y in values if y is not None]
        if points:
            axes.plot(*zip(*points, strict=True), line.style, color=line.colour, linewidth=1.4)
    band(axes, places, rows, BLUE)


def band(axes: Axes, places: Sequence[float], rows: Sequence[Any], colour: str) -> None:
    """Fill the band between ``lower`` and ``upper`` of the rows."""
    lower, upper = [row.lower for row in rows], [row.upper for row in rows]
    axes.fill_between(places, lower, upper, color=colour, alpha=0.45, linewidth=0)
    axes.plot(places, lower, color=colour, linewidth=1.0)
    axes.plot(places, upper, color=colour, linewidth=1.0)


def ends(row: Any, lines: Sequence[Line]) -> list[Entry]:
    """Return what stands at the end of lines: their last values, names and colours."""
    values = [(getattr(row, line.field), line.name, line.colour) for line in lines]
    return [*(entry for entry in values if entry[0] is not None), (row.upper, TRUTH, BLUE)]


def label(axes: Axes, entries: Sequence[Entry]) -> None:
    """Write names to the right of a panel at the heights of their values, moved apart where they would overlap."""
    entries = sorted(entries)
    low, high = (log10(end) for end in axes.get_ylim())
    # The panel is about 0.78 of the figure high.
    inch = 1.0 / (0.78 * axes.get_figure().get_figheight())  # type: ignore[union-attr]
    heights = [(log10(value) - low) / (high - low) for value, _, _ in entries]
    gaps = [LINE * inch * (1 + text.count("\n")) for _, text, _ in entries]
    for height, place, (_, text, colour) in zip(heights, apart(heights, gaps), entries, strict=True):
        axes.annotate(
            text,
            (1.0, height),
            (1.06, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            color=colour,
            fontsize=8.5,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "shrinkA": 1,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
            annotation_clip=False,
        )


def apart(heights: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Return rising heights moved as little as need be: groups that would overlap are spread around their mean."""
    groups: list[tuple[float, list[float]]] = []  # mean height, sizes
    for height, size in zip(heights, sizes, strict=True):
        middle, members = height, [size]
        while groups and groups[-1][0] + sum(groups[-1][1]) / 2 > middle - sum(members) / 2:
            other, before = groups.pop()
            middle = (other * len(before) + middle * len(members)) / (len(before) + len(members))
            members = before + members
        groups.append((middle, members))
    places = []
    for middle, members in groups:
        edge = middle - sum(members) / 2
        for size in members:
            places.append(edge + size / 2)
            edge += size
    return places


def mark_digits(axes: Axes, digits: Sequence[float]) -> None:
    """Mark these multiples of powers of ten on the vertical axis."""
    axes.yaxis.set_major_locator(LogLocator(subs=digits))
    axes.yaxis.set_major_formatter(lambda value, place: power(value))
    axes.yaxis.set_minor_formatter(lambda value, place: "")


def logarithmic(axes: Axes, values: Sequence[int]) -> None:
    """Set both axes to logarithmic scales, with ticks at ``values`` on one of them."""
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_locator(FixedLocator(sorted(values)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, place: f"{value:g}")
    mark_digits(axes, (1.0, 2.0, 5.0))
    bare(axes)


def power(value: float) -> str:
    """Return a power of ten as 10⁻⁶, and any other number plainly."""
    if value <= 0.0:
        return f"{value:g}"
    exponent = round(log10(value))
    if abs(value / 10.0**exponent - 1.0) > 1e-9:
        return f"{value:g}"
    return f"{value:g}" if -1 <= exponent <= 1 else "10" + str(exponent).translate(SUPERSCRIPTS)
