"""Panels of what shuffling gains: bounds beside each other, rounds, and K-ary randomized response."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from ...drawing.figure_style import BLUE, GREEN, GREY, PURPLE, VERMILION
from ...drawing.line_panels import Line, band, draw, ends, label, logarithmic, mark_digits, power, side_by_side
from .comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AMPLIFICATION_LINES = (
    Line("efmrtt_7", "Erlingsson et al. 2019, Thm 7", GREY, ":"),
    Line("thm_5_1", "Balle et al. 2020, Thm 5.1", VERMILION),
    Line("fmt21_3_1", "clones, closed form", GREEN, "--"),
    Line("fmt22_closed", "stronger clones, closed form", PURPLE, "--"),
    Line("fmt21_upper", "clones", GREEN),
    Line("fmt22_upper", "stronger clones", PURPLE),
)
COMPOSITION_LINES = (
    Line("fmt21_kov", "clones, closed form,\nadvanced composition", GREEN, "--"),
    Line("girgis_ub1", "Girgis et al., Rényi upper bound", VERMILION),
    Line("fmt21_upper", "clones, loss distribution", GREEN),
    Line("fmt22_upper", "stronger clones, loss distribution", PURPLE),
    Line("rdp_binary", "Girgis et al., Rényi “lower bound”", GREY, ":"),
)


def figure_2(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each size: epsilon against eps0, on a logarithmic axis."""
    sizes = sorted({row.clients for row in comparison.rows})
    picture, panels = side_by_side(len(sizes), 2.6, 4.4)
    epsilons = [value for row in comparison.rows for value in (row.lower, row.efmrtt_7) if value]
    for axes, n in zip(panels, sizes, strict=True):
        rows = [row for row in comparison.rows if row.clients == n]
        axes.set(yscale="log", ylim=(min(epsilons) / 1.5, max(epsilons) * 1.5), xlabel="local budget ε₀")
        mark_digits(axes, (1.0,))
        axes.set_title(f"n = {power(n)}")
        budgets = [row.eps0 for row in rows]
        # Above this line a bound is vacuous.
        axes.plot(budgets, budgets, color="0.75", linewidth=4.0, solid_capstyle="butt", zorder=0)
        draw(axes, budgets, rows, AMPLIFICATION_LINES)
    panels[0].set_ylabel("ε after shuffling")
    last = [row for row in comparison.rows if row.clients == sizes[-1]][-1]
    label(panels[-1], [*ends(last, AMPLIFICATION_LINES), (last.eps0, "no amplification, ε = ε₀", "0.55")])
    picture.suptitle(f"ε after one shuffle of ε₀-DP randomizers  (δ = {power(comparison.params['delta'])})")
    return picture


def rounds(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each size: epsilon against the rounds, with logarithmic axes."""
    sizes = sorted({row.clients for row in comparison.rows})
    picture, panels = side_by_side(len(sizes), 3.4, 4.2)
    epsilons = [
        value for row in comparison.rows for value in (row.lower, row.rdp_binary, row.fmt21_kov, row.girgis_ub1)
    ]
    for axes, n in zip(panels, sizes, strict=True):
        rows = [row for row in comparison.rows if row.clients == n]
        axes.set(xscale="log", yscale="log", ylim=(min(epsilons) / 1.5, max(epsilons) * 1.5), xlabel="rounds T")
        mark_digits(axes, (1.0,))
        axes.set_title(f"n = {power(n)}")
        axes.xaxis.set_major_formatter(lambda value, place: power(value))
        draw(axes, [row.rounds for row in rows], rows, COMPOSITION_LINES)
    panels[0].set_ylabel("ε after T rounds")
    label(panels[-1], ends(comparison.rows[-1], COMPOSITION_LINES))
    params = comparison.params
    picture.suptitle(f"ε after T rounds of shuffling  (ε₀ = {params['eps0']:g}, δ = {power(params['delta'])})")
    return picture


def krr(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each size and eps0: epsilon against K, and the deficit of the false bound."""
    sizes, budgets = (sorted({getattr(row, name) for row in comparison.rows}) for name in ("clients", "eps0"))
    picture = Figure(figsize=(1.9 + 2.8 * (len(budgets) + 1), 1.5 + 2.2 * len(sizes)), layout="constrained")
    grid = picture.add_gridspec(len(sizes), len(budgets) + 1)
    for across, eps0 in enumerate(budgets):
        for down, n in enumerate(sizes):
            axes = picture.add_subplot(grid[down, across])
            logarithmic(axes, comparison.params["categories"])
            axes.set_title(f"n = {power(n)}, ε₀ = {eps0:g}")
            _responses(axes, [row for row in comparison.rows if (row.eps0, row.clients) == (eps0, n)])
            axes.set_xlabel("K" if down == len(sizes) - 1 else "")
            axes.set_ylabel("" if across else "ε after shuffling")
    short = picture.add_subplot(grid[:, -1])
    logarithmic(short, comparison.params["categories"])
    short.set(ylabel="1 − claimed δ / true δ, at least", xlabel="K")
    short.set_title("how far krr-merged is false")
    entries = []
    for n, colour in zip(sizes, cycle((BLUE, VERMILION, GREEN, PURPLE)), strict=False):
        for eps0, (style, mark) in zip(budgets, cycle((("-", "o"), ("--", "s"), (":", "^"))), strict=False):
            rows = [row for row in comparison.rows if (row.eps0, row.clients) == (eps0, n) and row.merged_false]
            gaps = [1.0 - row.merged for row in rows]
            places = [row.categories for row in rows]
            short.plot(places, gaps, style, marker=mark, markersize=3.5, color=colour, linewidth=1.2)
            entries += [(gap, f"n = {power(n)}, ε₀ = {eps0:g}", colour) for gap in gaps[-1:]]
    mark_digits(short, (1.0,))
    label(short, entries)
    picture.suptitle(f"Shuffled K-ary randomized response  (δ = {power(comparison.params['delta'])}; solid: certified)")
    return picture


def _responses(axes: Axes, rows: Sequence[Any]) -> None:
    """Draw the certified intervals of one size and budget, below the bounds that hold for any randomizer."""
    places = [row.categories for row in rows]
    axes.set_ylim(min(row.lower for row in rows) / 1.3, 1.7 * rows[0].fmt21_upper)
    band(axes, places, rows, BLUE)
    kinds = (("fmt21_upper", "clones", GREEN, 2, "bottom"), ("fmt22_upper", "stronger clones", PURPLE, -3, "top"))
    for field, name, colour, shift, side in kinds:
        height = getattr(rows[0], field)
        axes.plot([places[0], places[-1]], [height, height], "--", color=colour, linewidth=1.2)
        axes.annotate(
            name, (places[-1], height), (0, shift), textcoords="offset points", ha="right", va=side, color=colour,
            fontsize=8.5,
        )  # fmt: skip
