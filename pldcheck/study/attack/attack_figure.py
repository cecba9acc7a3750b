"""The figure of a grid of attacks: empirical lower bounds against certified intervals."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from ...drawing.figure_style import MARKS
from ...drawing.line_panels import power
from ...drawing.styled_axes import drawn_files
from .attack_grid import Agreement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Lowest ratio on the axis; smaller ones are drawn at the edge.
LOWEST = 0.9


def figure(answer: Agreement) -> Figure:
    """Return two panels: epsilon of the attack against certified epsilon, and both over the certified lower end."""
    picture = Figure(figsize=(9.6, 4.2), layout="constrained")
    plain, close = picture.subplots(1, 2, gridspec_kw={"width_ratios": (1.0, 1.5)})
    _scatter(plain, answer)
    _ratios(close, answer)
    params = answer.params
    picture.suptitle(
        "The best attack on a hidden slot stays below the certificate, and reaches it "
        f"({params['transcripts']:.0e} transcripts, empirical)".replace("e+0", "e")
    )
    return picture


def _scatter(axes: Axes, answer: Agreement) -> None:
    rows = [row for row in answer.rows if row.certified_upper > 0.0]
    low = 0.7 * min(min(row.epsilon_lower or row.certified_lower, row.certified_upper) for row in rows)
    high = 1.4 * max(row.certified_upper for row in rows)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    axes.fill_between([low, high], [low, high], [high, high], color="0.93", linewidth=0)
    axes.plot([low, high], [low, high], color="0.5", linewidth=0.9)
    for eps0, (colour, mark) in zip(answer.params["eps0"], cycle(MARKS), strict=False):
        group = [row for row in rows if row.eps0 == eps0]
        places, heights = [row.certified_upper for row in group], [row.epsilon_lower for row in group]
        axes.plot(places, heights, mark, color=colour, markersize=4.5, alpha=0.8, label=f"ε₀ = {eps0:g}")
    axes.text(0.06, 0.94, "would exceed the certificate", transform=axes.transAxes, va="top", color="0.4")
    axes.set(xlabel="certified ε, upper end", ylabel="ε shown by the attack (empirical)")
    axes.legend(frameon=False, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)


def _ratios(axes: Axes, answer: Agreement) -> None:
    """Draw every point of the grid in its order, over the certified lower end."""
    colours = dict(zip(answer.params["eps0"], cycle(MARKS), strict=False))
    rows = [row for row in answer.rows if row.certified_lower > 0.0]
    for place, row in enumerate(rows):
        unit, (colour, mark) = row.certified_lower, colours[row.eps0]
        axes.plot([place, place], [1.0, row.certified_upper / unit], color="0.72", linewidth=6.0)
        ends = row.attained_lower / unit, row.attained_upper / unit
        axes.plot([place, place], ends, color=colour, linewidth=1.1)
        axes.plot(place, row.epsilon_lower / unit, mark, color=colour, markersize=4.0)
    starts = [place for place, row in enumerate(rows) if place == 0 or row.steps != rows[place - 1].steps]
    for start in starts[1:]:
        axes.axvline(start - 0.5, color="0.85", linewidth=0.8)
    for start in starts:
        axes.text(start, 0.0, f"m = {rows[start].steps:,}", transform=axes.get_xaxis_transform(), va="bottom")
    axes.axhline(1.0, color="0.5", linewidth=0.9)
    axes.set_xticks([])
    ratios = [(row.epsilon_lower, row.attained_upper, row.certified_lower) for row in rows]
    low, high = min(low / unit for low, _, unit in ratios), max(high / unit for _, high, unit in ratios)
    axes.set_ylim(max(1.0 - 1.5 * (1.0 - low), LOWEST), min(1.0 + 1.2 * (high - 1.0), 2.0 - LOWEST))
    deltas = ", ".join(power(delta) for delta in answer.params["deltas"])
    axes.set(xlabel=f"points of the grid: m, then ε₀, then δ = {deltas}", ylabel="ε over the certified lower end")
    axes.set_title("grey: certified; lines: what the attack reaches")
    axes.spines[["top", "right"]].set_visible(False)


def render(answer: Agreement) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    return drawn_files(lambda: figure(answer), "attack")
