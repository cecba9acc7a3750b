"""The two figures of a run: how loose a theorem is, and its epsilon against the truth as the steps grow."""

from __future__ import annotations

from itertools import cycle
from math import isclose, log10
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from ..drawing.figure_style import (
    COLOURS,
    MARKS,
    RED,
    STYLE,
    SUPERSCRIPTS,
    figure_files,
    legend_columns,
    plain,
    times,
)
from ..verification import Report, Row, Verdict
from ..verification.suites import Point
from ..verification.verdict import NOTABLE, OPEN
from .page_slices import Slice, select_slice
from .tightness_spread import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
# The least width of a map in inches, and the rows beside which the label of its colours has room.
LEAST_WIDTH, ROWS_BESIDE_LABEL = 3.2, 6


def tightness(part: Slice) -> Figure:
    """Return heat maps over steps and eps0, one a weight: how many times the truth the theorem's epsilon is."""
    weights, steps, eps0 = part.values("weight"), part.values("steps"), part.values("eps0")
    ratios = [row.tightness_lower for row in part.rows.values() if row.tightness_lower]
    norm = LogNorm(1.0, max([10.0, *ratios]))
    size = (max(1.6 + (0.56 * len(steps) + 0.25) * len(weights), LEAST_WIDTH), 1.8 + 0.46 * len(eps0))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(1, len(weights), sharey=True, squeeze=False)[0]
    for axes, weight in zip(panels, weights, strict=True):
        for y, value in enumerate(eps0):
            for step, row in part.line(weight, value):
                _tile(axes, steps.index(step), y, row, norm)
        axes.set(xlim=(-0.5, len(steps) - 0.5), ylim=(-0.5, len(eps0) - 0.5), aspect="equal")
        axes.set_title(f"w = {weight:g}")
        axes.set_xticks(range(len(steps)), [_power(step) for step in steps])
        axes.set_yticks(range(len(eps0)), [f"{value:g}" for value in eps0])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("steps m")
    panels[0].set_ylabel("local budget ε₀")
    label = "claimed ε / certified upper end of ε" if len(eps0) >= ROWS_BESIDE_LABEL else ""
    bar = figure.colorbar(_scale(norm), ax=panels, pad=0.01, aspect=18, label=label)
    bar.ax.yaxis.set_major_formatter(lambda value, place: _power(value))
    figure.suptitle(_title(part, "how many times the certified upper end of ε it claims"))
    return figure


def _scale(norm: Any) -> Any:
    return ScalarMappable(norm, COLOURS)


def _tile(axes: Axes, x: int, y: int, row: Row, norm: Any) -> None:
    value, text, ink = row.tightness_lower, "", "0.25"
    style: dict[str, Any] = {"facecolor": "0.95", "hatch": "///"}
    if row.verdict is Verdict.OUT_OF_CONDITIONS:
        text = "n/a"
    elif row.upper == 0.0:
        text = "ε = 0"
    elif value is not None and row.verdict not in OPEN:
        colour = _scale(norm).to_rgba(value)
        text, style = times(value), {"facecolor": colour}
        # Rec. 709 luminance decides whether black or white is read better.
        ink = "black" if 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2] > 0.45 else "white"
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, edgecolor="white", linewidth=1.2, **style))
    if row.verdict in NOTABLE:
        text = f"{text}\nfalse" if row.verdict is Verdict.VIOLATED else "?"
        axes.add_patch(Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fill=False, edgecolor=RED, linewidth=1.8))
    axes.text(x, y, text, ha="center", va="center", color=ink, fontsize=8)


def _power(value: float) -> str:
    exponent = round(log10(value))
    return "10" + str(exponent).translate(SUPERSCRIPTS) if isclose(value, 10.0**exponent) else f"{value:g}"


def _title(part: Slice, what: str) -> str:
    return f"{plain(part.theorem)}: {what}  (δ = {_power(part.delta)}, suite {plain(part.suite)})"


def epsilon(part: Slice) -> Figure:
    """Return epsilon against the steps, a panel an eps0: the theorem, and the band between the certified ends."""
    weights, budgets = part.values("weight"), part.values("eps0")
    columns = min(len(budgets), 3)
    rows = -(-len(budgets) // columns)
    figure = Figure(figsize=(1.2 + 3.0 * columns, 1.5 + 2.5 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    lowest = min([row.lower for row in part.rows.values() if row.lower], default=1e-3)
    for axes, eps0 in zip(panels.flat, budgets, strict=False):
        # Claims far above eps0, which every slot gives by itself, need not be seen in full.
        axes.set(xscale="log", yscale="log", ylim=(lowest / 3, 5 * max(budgets)))
        axes.set_title(f"ε₀ = {eps0:g}")
        axes.axhline(eps0, color="0.45", linewidth=0.9, linestyle=":")
        for weight, mark in zip(weights[::-1], cycle(MARKS), strict=False):
            _curve(axes, part.line(weight, eps0), *mark)
        axes.xaxis.set_major_formatter(lambda value, place: _power(value))
        axes.yaxis.set_major_formatter(lambda value, place: _power(value))
        axes.grid(color="0.92", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels.flat[len(budgets) :]:
        axes.set_visible(False)
    for axes in panels[-1]:
        axes.set_xlabel("steps m")
    for axes in panels[:, 0]:
        axes.set_ylabel("ε")
    handles = _legend(weights[::-1], any(row.upper == 0.0 for row in part.rows.values()))
    figure.legend(handles=handles, loc="outside lower center", ncols=legend_columns(figure), frameon=False)
    figure.suptitle(_title(part, "claimed and certified ε"))
    return figure


def _curve(axes: Axes, line: list[tuple[int, Row]], colour: str, marker: str) -> None:
    claims = [(step, row.analytic) for step, row in line if row.analytic is not None]
    axes.plot(*_columns(claims, 2), "--", color=colour, linewidth=1.2)
    ends = [(step, row.lower, row.upper, row.analytic) for step, row in line if row.lower]
    steps, lower, upper, analytic = _columns(ends, 4)
    axes.fill_between(steps, upper, analytic, color=colour, alpha=0.1, linewidth=0)
    axes.fill_between(steps, lower, upper, color=colour, alpha=0.5, linewidth=0)
    axes.plot(steps, lower, "-", color=colour, linewidth=1.2)
    axes.plot(steps, upper, "-", color=colour, linewidth=1.2, marker=marker, markersize=3.5)
    for step in [step for step, row in line if row.upper == 0.0]:
        axes.plot(step, 0, "v", color=colour, transform=axes.get_xaxis_transform(), clip_on=False)


def _columns(rows: list[tuple[Any, ...]], width: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def _legend(weights: list[float], zeros: bool) -> list[Any]:
    series = [
        Line2D([], [], color=colour, marker=marker, markersize=3.5, label=f"w = {weight:g}")
        for weight, (colour, marker) in zip(weights, cycle(MARKS), strict=False)
    ]
    kinds = [
        Line2D([], [], color="0.3", linestyle="--", linewidth=1.2, label="theorem"),
        Line2D([], [], color="0.3", linewidth=1.8, label="certified, lower to upper"),
        Line2D([], [], color="0.45", linestyle=":", linewidth=0.9, label="no amplification"),
    ]
    if zeros:
        kinds.append(Line2D([], [], color="0.3", linestyle="", marker="v", label="true ε is 0"))
    return series + kinds


def render(report: Report) -> dict[str, bytes]:
    """Return the figures of a run in all formats, by file name; nothing is written.

    Two of one theorem where all rows are hidden slots, few enough for a page; else one of all theorems.
    """
    with rc_context(STYLE):
        slots = not report.is_large and all(Point.has(row.params) for row in report.rows)
        part = select_slice(report) if slots else None
        if part is None or not part.fits:
            return figure_files(spread(report), f"{report.suite}-tightness")
        files = figure_files(tightness(part), f"{report.suite}-tightness")
        return {**files, **figure_files(epsilon(part), f"{report.suite}-epsilon")}
