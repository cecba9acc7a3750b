"""Panels of check-ins: of randomizers that are only approximately private, and with a known number of clients."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...drawing.figure_style import BLUE, GREEN, GREY, PURPLE, VERMILION
from ...drawing.line_panels import Line, band, bare, draw, ends, label, mark_digits, power, side_by_side
from .comparison import Comparison

CLIPPING_LINES = (
    Line("thm_3_2_approx", "Balle et al. 2020, Thm 3.2", VERMILION),
    Line("main", "with δ₀ for δ₁ (dashed)", VERMILION, "--"),
    Line("improved", "one slot at a time, closed form", PURPLE, "--"),
    Line("square", "each against the reference", GREEN),
)


def approximate(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each size: epsilon against eps0, with logarithmic axes."""
    sizes = sorted({row.steps for row in comparison.rows})
    picture, panels = side_by_side(len(sizes), 2.6, 4.2)
    epsilons = [value for row in comparison.rows for value in (row.lower, row.eps0, row.thm_3_2_approx) if value]
    for axes, m in zip(panels, sizes, strict=True):
        rows = [row for row in comparison.rows if row.steps == m]
        budgets = [row.eps0 for row in rows]
        axes.set(xscale="log", yscale="log", ylim=(min(epsilons) / 1.5, max(epsilons) * 1.5), xlabel="local budget ε₀")
        mark_digits(axes, (1.0,))
        axes.set_title(f"m = {power(m)}")
        axes.xaxis.set_major_formatter(lambda value, place: power(value))
        # Above this line a bound is vacuous.
        axes.plot(budgets, budgets, color="0.75", linewidth=4.0, solid_capstyle="butt", zorder=0)
        draw(axes, budgets, rows, CLIPPING_LINES)
    panels[0].set_ylabel("ε after check-ins")
    last = [row for row in comparison.rows if row.steps == sizes[-1]][-1]
    # A line that leaves the figure is named at the place where it does.
    high = [
        (panels[-1].get_ylim()[1], line.name, line.colour)
        for line in CLIPPING_LINES
        if getattr(last, line.field) is None
    ]
    label(panels[-1], [*ends(last, CLIPPING_LINES), *high, (last.eps0, "no amplification, ε = ε₀", "0.55")])
    params = comparison.params
    picture.suptitle(
        f"ε of check-ins with (ε₀, δ₀)-DP randomizers  (δ₀ = {power(params['delta0'])}, δ = {power(params['delta'])})"
    )
    return picture


def population(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each ratio n/m: epsilon against p0, and below it the share of dummy updates."""
    kinds = sorted({(row.steps, row.clients) for row in comparison.rows})
    picture = Figure(figsize=(1.2 + 2.7 * len(kinds), 4.9), layout="constrained")
    panels = picture.subplots(2, len(kinds), sharex="col", sharey="row", squeeze=False, height_ratios=(3.2, 1.0))
    for (axes, below), (m, n) in zip(panels.T, kinds, strict=True):
        rows = [row for row in comparison.rows if (row.steps, row.clients) == (m, n)]
        places = [row.check_in_prob for row in rows]
        axes.set(xscale="log", yscale="log")
        axes.set_title(f"m = {power(m)}, n = {power(n)}")
        axes.xaxis.set_major_formatter(lambda value, place: power(value))
        mark_digits(axes, (1.0,))
        axes.plot(places, [row.thm_3_2 for row in rows], color=VERMILION, linewidth=1.4)
        axes.plot(places, [row.alone_upper for row in rows], color=GREEN, linewidth=1.4)
        band(axes, places, rows, BLUE)
        below.plot(places, [row.dummies for row in rows], ".-", color=GREY, linewidth=1.2)
        below.set(xlabel="check-in probability p₀", ylim=(-0.05, 1.05))
        for each in (axes, below):
            bare(each)
            each.axvline(m / n, color="0.75", linewidth=1.0, linestyle=":", zorder=0)
    panels[0, 0].set_ylabel("ε of one run")
    panels[1, 0].set_ylabel("share of\ndummies")
    picture.legend(
        handles=[
            Line2D([], [], color=VERMILION, linewidth=1.4, label="Theorem 3.2, any n"),
            Line2D([], [], color=GREEN, linewidth=1.4, label="certified, any n"),
            Line2D([], [], color=BLUE, linewidth=4.5, alpha=0.45, label="certified, n known"),
            Line2D([], [], color="0.75", linestyle=":", label="p₀ = m/n"),
        ],
        loc="outside lower center",
        ncols=2 if len(kinds) == 1 else 4,
        frameon=False,
    )
    params = comparison.params
    picture.suptitle(f"Random check-ins  (ε₀ = {params['eps0']:g}, δ = {power(params['delta'])})")
    return picture
