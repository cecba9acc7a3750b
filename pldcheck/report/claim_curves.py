"""Claims and certified ends as curves: against a size, or against the privacy parameter, a panel a theorem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from ..drawing.figure_style import MARKS, RED, plain
from ..drawing.line_panels import band, bare, power
from ..drawing.parameter_labels import NAMES, SIZES, SYMBOLS, has_place
from ..theorems import REGISTRY
from ..verification import Report, Row, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE = MARKS[0][0]
VERMILION = MARKS[1][0]
# Parameters for the horizontal axis: the first of these that varies is taken.
AXES = {
    "size": SIZES,
    "privacy": ("delta", "epsilon", "order"),
}
# The fewest points with which a curve is drawn.
FEWEST = 3
# The most points of a curve.
MOST = 40
# The most panels of a figure.
PANELS = 12


@dataclass(frozen=True)
class Curve:
    """Rows of one theorem, or of one protocol, that differ in one parameter only, in its order."""

    subject: str
    quantity: str
    axis: str
    others: Mapping[str, Any]
    rows: tuple[Row, ...]


def quantity(row: Row) -> str:
    """Return the quantity that the interval of a row encloses."""
    return REGISTRY[row.theorem].quantity if row.theorem and row.theorem in REGISTRY else row.quantity


def subjects(report: Report) -> dict[tuple[str, str, tuple[str, ...]], list[Row]]:
    """Return the rows by theorem or protocol, by quantity, and by the names of their parameters."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[Row]] = {}
    for row in report.rows:
        groups.setdefault((row.subject, quantity(row), tuple(row.params)), []).append(row)
    return groups


def select_curves(report: Report, kind: str) -> Iterator[Curve]:
    """Yield a curve a theorem, of those with the most points the one in the middle; none for one with too few points.

    Points count whose interval tells something.
    """
    for (subject, quantity_name, names), rows in subjects(report).items():
        for axis in (name for name in AXES[kind] if name in names):
            lines = _lines(rows, names, axis)
            counts = {key: sum(_tells(row, quantity_name) for row in line.values()) for key, line in lines.items()}
            most = max(counts.values(), default=0)
            longest = [key for key in lines if counts[key] == most]
            if longest:
                line = lines[longest[len(longest) // 2]]
                places = sorted(line)
                line_rows = tuple(line[place] for place in places[:: -(-len(places) // MOST)])
                others = {name: value for name, value in line_rows[0].params.items() if name != axis}
                yield Curve(subject, quantity_name, axis, others, line_rows)
                break


def _tells(row: Row, quantity_name: str) -> bool:
    """Return whether the interval says more than that a quantity is at least 0 or a probability near 1."""
    return has_place(row.lower) and not (quantity_name == "delta" and row.lower is not None and row.lower > 0.9)


def _lines(rows: list[Row], names: tuple[str, ...], axis: str) -> dict[tuple[Any, ...], dict[float, Row]]:
    """Return rows by their place on the axis, for each choice of the other parameters with points enough."""
    at = names.index(axis)
    lines: dict[tuple[Any, ...], dict[float, Row]] = {}
    for row in rows:
        values: list[Any] = list(row.params.values())
        place = values[at]
        if has_place(place) and row.upper and row.upper < inf:
            values[at] = None
            lines.setdefault(tuple(values), {})[place] = row
    return {key: line for key, line in lines.items() if len(line) >= FEWEST}


def curves(report: Report, kind: str) -> Figure | None:
    """Return the figure of the first of these curves, or None."""
    selection = list(islice(select_curves(report, kind), PANELS))
    if not selection:
        return None
    figure, panels = panel_grid(len(selection), 2.55, 1.45, 0.55)
    for axes, curve in zip(panels, selection, strict=True):
        _panel(axes, curve)
    kinds = [Line2D([], [], color=BLUE, linewidth=4.5, alpha=0.45, label="certified, lower to upper end")]
    if any(row.analytic is not None for curve in selection for row in curve.rows):
        kinds.append(Line2D([], [], color=VERMILION, linestyle="--", marker="o", markersize=3.0, label="theorem"))
    if any(row.verdict is Verdict.VIOLATED for curve in selection for row in curve.rows):
        kinds.append(Line2D([], [], color=RED, linestyle="", marker="X", markersize=6.0, label="violated"))
    figure.legend(handles=kinds, loc="lower center", ncols=3, frameon=False)
    against = "the size" if kind == "size" else "the privacy parameter"
    figure.suptitle(f"Claimed and certified values against {against}  (suite {plain(report.suite)})")
    return figure


def panel_grid(count: int, width: float, height: float, below: float, right: float = 0.15) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels of that size in inches, three in a line, and room for titles and labels.

    matplotlib's own layout draws every panel twice to find that room.
    """
    across, down = min(count, 3), -(-count // 3)
    left, gap, top, line = 0.75, 0.85, 0.85, 1.0
    whole = left + across * width + (across - 1) * gap + right
    # A narrow figure still has to hold its title.
    size = (max(whole, 5.6), top + down * height + (down - 1) * line + 0.5 + below)
    figure = Figure(figsize=size)
    panels = []
    for number in range(count):
        x = left + (number % 3) * (width + gap) + (size[0] - whole) / 2
        y = size[1] - top - height - (number // 3) * (height + line)
        panels.append(figure.add_axes((x / size[0], y / size[1], width / size[0], height / size[1])))
    return figure, panels


def _panel(axes: Axes, curve: Curve) -> None:
    places = [row.params[curve.axis] for row in curve.rows]
    claims = [
        (x, row.analytic) for x, row in zip(places, curve.rows, strict=True) if row.analytic and has_place(row.analytic)
    ]
    lowest = min([row.lower or row.upper or 1.0 for row in curve.rows] + [claim for _, claim in claims])
    highest = max(value for row in curve.rows for value in (row.upper, row.analytic) if value and has_place(value))
    # Far claims need not be seen in full, and far down, as delta goes, nothing is left to compare.
    low, high = max(lowest, 1e-30 * highest) / 1.6, highest * 1.6
    if high / low > 1e12 and curve.quantity != "delta":
        high = max(row.upper or 0.0 for row in curve.rows) * 1e4
    axes.set(xscale="log", yscale="log", ylim=(low, high))
    band(axes, places, curve.rows, BLUE)
    if claims:
        axes.plot(*zip(*claims, strict=True), "--o", color=VERMILION, linewidth=1.3, markersize=3.0)
    false = [
        (x, row.analytic)
        for x, row in zip(places, curve.rows, strict=True)
        if row.verdict is Verdict.VIOLATED and has_place(row.analytic)
    ]
    if false:
        axes.plot(*zip(*false, strict=True), "X", color=RED, markersize=6.0)
    name = NAMES.get(curve.axis)
    axes.set_xlabel(f"{curve.axis} {name}" if name else plain(curve.axis))
    axes.set_ylabel(SYMBOLS.get(curve.quantity, plain(curve.quantity)))
    axes.set_title(f"{plain(curve.subject)}\n{parameter_line(curve.others)}", fontsize=8.5)
    _few_marks(axes, places)
    bare(axes)


def _few_marks(axes: Axes, places: list[float]) -> None:
    axes.xaxis.set_minor_locator(NullLocator())
    if len(places) <= 6:
        axes.xaxis.set_major_locator(FixedLocator(places))
    else:
        axes.xaxis.set_major_locator(LogLocator(numticks=6))
    axes.xaxis.set_major_formatter(lambda value, place: power(float(f"{value:.6g}")))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    low, high = axes.get_ylim()
    if high / low < 30.0:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
    axes.yaxis.set_major_formatter(lambda value, place: power(float(f"{value:.6g}")))


def parameter_line(params: Mapping[str, Any]) -> str:
    """Return the other parameters, in a line that fits above a panel."""
    text = ", ".join(
        f"{NAMES.get(name, name)} = {_value(value)}" for name, value in params.items() if value is not None
    )
    return plain(text if len(text) <= 62 else f"{text[:60]}…")


def _value(value: Any) -> str:
    return power(float(f"{value:.6g}")) if has_place(value) else str(value)
