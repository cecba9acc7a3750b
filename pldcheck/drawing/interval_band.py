"""Certified intervals over a parameter: a band from lower to upper ends, and other curves as dashed lines beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter

from .figure_style import MARKS, plain
from .line_panels import band, bare, power
from .parameter_labels import axis_label, has_place

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# An axis is logarithmic where its largest value is so many times the least or more.
LOGARITHMIC = 20.0
# The room beyond the largest and the least value on a logarithmic axis, as a factor.
ROOM = 1.6
# Up to so many different places have each a mark of their own on a logarithmic axis.
MARKED = 7
# The most entries of a legend inside the axes; a longer one would hide lines, and stands beside them.
INSIDE = 3
# Parameters that are exponents themselves, which always have a linear axis.
LINEAR = ("epsilon",)
# Quantities that have a linear axis, as both ends of their range matter.
RATES = ("false negative rate", "true positive rate")
# An infinite end is drawn here, far outside any picture.
OUTSIDE = 1e100
# The name of bands and of lines in matplotlib, by which a later call finds what stands on the axes.
BAND = "pldcheck interval band"
LINE = "pldcheck bound"
# Styles of lines, which tell them apart in grey print.
STYLES = ("--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)))
# The label of the band where other lines stand beside it.
CERTIFIED = "certified, lower to upper end"
# Colours of lines after those of the bands.
OTHERS = ("#d55e00", "#009e73", "#cc79a7", "#e69f00", "black", "0.45")


class Ends(Protocol):
    """An object with certified ends."""

    @property
    def lower(self) -> float:
        """The lower end."""

    @property
    def upper(self) -> float:
        """The upper end."""


class _FiniteEnds:
    """The ends that are drawn: those of an interval, but an infinite upper end becomes one far outside."""

    def __init__(self, ends: Ends) -> None:
        self.lower, self.upper = min(ends.lower, OUTSIDE), min(ends.upper, OUTSIDE)


def draw(
    axes: Axes,
    parameter: str,
    quantity: str,
    places: Sequence[float],
    intervals: Sequence[Ends],
    label: str = "",
    lines: Mapping[str, Sequence[float | None]] | None = None,
) -> None:
    """Draw intervals as a band, and lines beside it, in the next free colours of these axes.

    Parameters
    ----------
    axes : matplotlib Axes
        The axes, which may hold other bands already.
    parameter, quantity : str
        The names of what is on the horizontal and on the vertical axis.
    places : sequence of float
        The values of the parameter.
    intervals : sequence
        An interval at each place.  A lower end of 0 on a logarithmic axis, and an infinite upper end, lead out of the
        picture.
    label : str
        The name of the band in the legend.
    lines : mapping, optional
        Other values at each place, by the name of a line; None leaves a gap.

    """
    bands = sum(line.get_gid() == BAND for line in axes.lines)
    colour, marker = MARKS[bands % len(MARKS)]
    order = sorted(range(len(places)), key=places.__getitem__)
    across = [places[index] for index in order]
    finite_ends = [_FiniteEnds(intervals[index]) for index in order]
    band(axes, across, finite_ends, colour)
    uppers = [ends.upper for ends in finite_ends]
    name = label or (CERTIFIED if lines else "")
    (marks,) = axes.plot(across, uppers, marker, color=colour, markersize=4.0, gid=BAND)
    if name:
        marks.set(label=name, linestyle="-", linewidth=1.0)
    for place, (text, values) in enumerate((lines or {}).items(), bands):
        _line(axes, text, place, across, [values[index] for index in order])
    _scale(axes, parameter not in LINEAR, quantity not in RATES)
    bare(axes)
    axes.set_xlabel(axis_label(parameter))
    axes.set_ylabel(axis_label(quantity))
    handles, texts = axes.get_legend_handles_labels()
    if texts:
        beside: Any = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if len(texts) > INSIDE else {}
        axes.legend(handles, texts, frameon=False, fontsize=8.5, **beside)


def _line(axes: Axes, text: str, count: int, places: Sequence[float], values: Sequence[float | None]) -> None:
    """Draw a line in the style of that number."""
    heights = [float("nan") if value is None or not isfinite(value) else value for value in values]
    colour, style = OTHERS[count % len(OTHERS)], STYLES[count % len(STYLES)]
    axes.plot(places, heights, color=colour, linestyle=style, linewidth=1.3, label=plain(text), gid=LINE)


def _scale(axes: Axes, logarithmic: bool, also_heights: bool) -> None:
    """Make axes logarithmic, where allowed, if values differ by orders of magnitude; leave out what is infinite."""
    data = [line for line in axes.lines if line.get_transform() == axes.transData]
    across = [value for line in data for value in _numbers(line.get_xdata())]
    heights = [value for line in data for value in _numbers(line.get_ydata()) if value < OUTSIDE]
    if logarithmic and _spans(across) and min(across) > 0.0:
        axes.set_xscale("log")
        if len(set(across)) <= MARKED:
            axes.xaxis.set_major_locator(FixedLocator(sorted(set(across))))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(lambda value, place: power(float(f"{value:.6g}")))
    positive = [value for value in heights if value > 0.0]
    if also_heights and _spans(positive):
        axes.set_yscale("log")
        axes.set_ylim(min(positive) / ROOM, max(positive) * ROOM)
        if max(positive) / min(positive) < 1e3:
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.yaxis.set_minor_formatter(NullFormatter())
            axes.yaxis.set_major_formatter(lambda value, place: f"{value:g}")
        else:
            axes.yaxis.set_major_formatter(lambda value, place: power(float(f"{value:.6g}")))
    elif heights:
        room = 0.06 * (max(heights) - min(heights)) or 0.5 * abs(max(heights)) or 1.0
        axes.set_ylim(min(heights) - room, max(heights) + room)


def _numbers(data: Any) -> list[float]:
    return np.asarray(data, float).tolist()


def _spans(values: Sequence[float]) -> bool:
    """Return whether values span orders of magnitude."""
    positive = [value for value in values if has_place(value)]
    return bool(positive) and max(positive, default=-inf) >= LOGARITHMIC * min(positive, default=inf)
