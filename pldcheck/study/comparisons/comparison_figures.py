"""The figures of comparisons: bounds as lines with their names at the end, certified intervals as bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from ...drawing.figure_style import MARKS, RED, STYLE, figure_files
from ...drawing.line_panels import Line, band, bare, draw, ends, label, mark_digits, power, side_by_side
from . import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION, GREEN, PURPLE = (colour for colour, _ in MARKS)
GREY = "0.35"

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

CLIPPING_LINES = (
    Line("thm_3_2_approx", "Balle et al. 2020, Thm 3.2", VERMILION),
    Line("main", "with δ₀ for δ₁ (dashed)", VERMILION, "--"),
    Line("improved", "one slot at a time, closed form", PURPLE, "--"),
    Line("square", "each against the reference", GREEN),
)


SAMPLING_LINES = (
    Line("unamplified_upper", "no sampling", GREY),
    Line("bins_upper", "balls in bins", GREEN),
    Line("fixed_size_upper", "fixed size, replaced", PURPLE, "--"),
    Line("poisson_replaced_upper", "Poisson, replaced", VERMILION, "--"),
    Line("allocation_upper", "random allocation", PURPLE, ":"),
    Line("poisson_upper", "Poisson", VERMILION),
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
            _plain(axes, comparison.params["categories"])
            axes.set_title(f"n = {power(n)}, ε₀ = {eps0:g}")
            _responses(axes, [row for row in comparison.rows if (row.eps0, row.clients) == (eps0, n)])
            axes.set_xlabel("K" if down == len(sizes) - 1 else "")
            axes.set_ylabel("" if across else "ε after shuffling")
    short = picture.add_subplot(grid[:, -1])
    _plain(short, comparison.params["categories"])
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


def table_1(comparison: Comparison) -> Figure:
    """Return a figure with a line for each bound: fitted exponents as dots or bars, those of the table as rings."""
    names = list(dict.fromkeys(row.bound for row in comparison.rows))
    picture, panels = side_by_side(3, 2.4, 0.9 + 0.34 * len(names))
    kinds = (
        ("ε₀ > 1: exponent of exp ε₀", "growth", ("eps0 > 1",)),
        ("ε₀ ≤ 1: exponent of ε₀", "growth", ("eps0 <= 1",)),
        ("exponent of n: ε₀ ≤ 1 above ε₀ > 1", "power", ("eps0 <= 1", "eps0 > 1")),
    )
    for axes, (title, kind, regimes) in zip(panels, kinds, strict=True):
        axes.set_title(title)
        for regime in regimes:
            shift = 0.0 if len(regimes) == 1 else 0.17 if regime == "eps0 <= 1" else -0.17
            for row in comparison.rows:
                if row.regime == regime:
                    _exponent(axes, row, kind, shift - names.index(row.bound))
        axes.set_ylim(0.6 - len(names), 0.6)
        axes.grid(axis="x", color="0.92", linewidth=0.6)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(0, -len(names), -1), names)
    panels[0].set_xlim(left=0.0)
    panels[1].margins(x=0.12)
    panels[2].margins(x=0.12)
    picture.legend(handles=_marks(), loc="outside lower center", ncols=4, frameon=False)
    picture.suptitle(f"How ε grows with ε₀ and shrinks with n, fitted  (δ = {power(comparison.params['delta'])})")
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


def allocation(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each number of steps: epsilon against epochs, and the ratio to Poisson."""
    sizes, noises = (sorted({getattr(row, name) for row in comparison.rows}) for name in ("steps", "sigma"))
    picture = Figure(figsize=(2.0 + 2.4 * len(sizes), 5.2), layout="constrained")
    panels = picture.subplots(2, len(sizes), sharex="col", sharey="row", squeeze=False, height_ratios=(2.6, 1.0))
    for (axes, below), m in zip(panels.T, sizes, strict=True):
        _plain(axes, comparison.params["epochs"])
        mark_digits(axes, (1.0,))
        axes.set_title(f"m = {power(m)}")
        axes.xaxis.set_major_formatter(lambda value, place: power(value))
        below.axhline(1.0, color="0.55", linewidth=1.0, linestyle="--")
        below.set(xlabel="epochs E")
        bare(below)
        entries = []
        for sigma, (colour, mark) in zip(noises, cycle(MARKS), strict=False):
            rows = [row for row in comparison.rows if (row.sigma, row.steps) == (sigma, m)]
            places = [row.epochs for row in rows]
            band(axes, places, rows, colour)
            axes.plot(places, [row.upper for row in rows], mark, markersize=3.5, color=colour)
            axes.plot(places, [row.poisson_upper for row in rows], "--", color=colour, linewidth=1.4)
            _shares(below, [row for row in rows if row.ratio_upper is not None], colour, mark)
            entries += [(row.upper, f"σ = {sigma:g}", colour) for row in rows[-1:]]
    label(panels[0, -1], entries)
    panels[0, 0].set_ylabel("ε of all epochs")
    panels[1, 0].set_ylabel("allocation\nover Poisson")
    picture.legend(
        handles=[
            Line2D([], [], color=GREY, linewidth=1.4, label="random allocation, one of m steps an epoch"),
            Line2D([], [], color=GREY, linestyle="--", linewidth=1.4, label="Poisson sampling, rate 1/m"),
        ],
        loc="outside lower center",
        ncols=1 if len(sizes) == 1 else 2,
        frameon=False,
    )
    picture.suptitle(f"Random allocation and Poisson sampling  (δ = {power(comparison.params['delta'])})")
    return picture


def samplings(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each number of epochs: epsilon against sigma, shuffled batches as a band."""
    sizes = sorted({row.epochs for row in comparison.rows})
    picture, panels = side_by_side(len(sizes), 3.4, 4.8)
    for axes, epochs in zip(panels, sizes, strict=True):
        rows = [row for row in comparison.rows if row.epochs == epochs]
        places = [row.sigma for row in rows]
        axes.set(xscale="log", yscale="log", xlabel="noise multiplier σ")
        axes.xaxis.set_major_locator(FixedLocator([0.5, 1.0, 2.0, 4.0]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, place: f"{value:g}")
        mark_digits(axes, (1.0,))
        axes.set_title(f"{epochs} epoch{'s' if epochs > 1 else ''}")
        draw(axes, places, rows, SAMPLING_LINES)
    panels[0].set_ylabel("ε of the run")
    last = comparison.rows[-1]
    names = [(getattr(last, line.field), line.name, line.colour) for line in SAMPLING_LINES]
    label(panels[-1], [*names, ((last.lower * last.upper) ** 0.5, "shuffled batches,\ncertified", BLUE)])
    steps, delta = comparison.params["steps"], comparison.params["delta"]
    picture.suptitle(f"One run under seven samplings  ({steps:,} steps an epoch, δ = {power(delta)})")
    return picture


def _shares(axes: Axes, rows: Sequence[Any], colour: str, mark: str) -> None:
    """Draw certified intervals as bars, joined by a line."""
    places = [row.epochs for row in rows]
    axes.vlines(places, [row.ratio_lower for row in rows], [row.ratio_upper for row in rows], color=colour)
    axes.plot(places, [row.ratio_upper for row in rows], marker=mark, markersize=3.5, color=colour, linewidth=1.0)


def _exponent(axes: Axes, row: Any, kind: str, height: float) -> None:
    lower, upper, table = (getattr(row, f"{kind}_{end}") for end in ("lower", "upper", "table"))
    if table is not None:
        axes.plot(table, height, "o", markersize=8.0, markerfacecolor="none", markeredgecolor="0.5")
    if lower is None:
        return
    is_certified = row.bound.endswith("truth")
    if is_certified:
        axes.plot([lower, upper], [height, height], color=BLUE, linewidth=4.5, solid_capstyle="butt")
    axes.plot(
        (lower + upper) / 2, height, "|" if is_certified else "o", markersize=4.5, color=BLUE if is_certified else RED
    )


def _marks() -> list[Any]:
    return [
        Line2D([], [], color=RED, marker="o", linestyle="", markersize=4.5, label="of the formula, fitted"),
        Line2D([], [], color=BLUE, linewidth=4.5, label="of the truth, fitted to certified ends"),
        Line2D([], [], marker="o", markersize=8.0, markerfacecolor="none", markeredgecolor="0.5", linestyle="",
               label="claimed in the table"),
    ]  # fmt: skip


def _plain(axes: Axes, values: Sequence[int]) -> None:
    """Set both axes to logarithmic scales, with ticks at ``values`` on one of them."""
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_locator(FixedLocator(sorted(values)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, place: f"{value:g}")
    mark_digits(axes, (1.0, 2.0, 5.0))
    bare(axes)


FIGURES: dict[str, Callable[[Comparison], Figure]] = {
    "figure-2": figure_2,
    "table-1": table_1,
    "rounds": rounds,
    "krr": krr,
    "approximate": approximate,
    "population": population,
    "allocation": allocation,
    "samplings": samplings,
}


def picture(comparison: Comparison) -> Figure:
    """Return the figure of a comparison, in the common style: what a notebook shows as the value of a cell."""
    with rc_context(STYLE):
        return FIGURES[comparison.name](comparison)


def render(comparison: Comparison, stem: str | None = None) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    with rc_context(STYLE):
        return figure_files(FIGURES[comparison.name](comparison), stem or comparison.name)
