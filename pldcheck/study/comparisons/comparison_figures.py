"""The figures of comparisons: bounds as lines with their names at the end, what is certified as bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from ...report.figure_style import MARKS, RED, STYLE, saved
from ...report.line_panels import Line, band, bare, draw, ends, label, mark_digits, power, side_by_side
from . import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION, GREEN, PURPLE = (colour for colour, _ in MARKS)
GREY = "0.35"

AMPLIFIED = (
    Line("efmrtt_7", "Erlingsson et al. 2019, Thm 7", GREY, ":"),
    Line("thm_5_1", "Balle et al. 2020, Thm 5.1", VERMILION),
    Line("fmt21_3_1", "clones, closed form", GREEN, "--"),
    Line("fmt22_closed", "stronger clones, closed form", PURPLE, "--"),
    Line("fmt21_upper", "clones", GREEN),
    Line("fmt22_upper", "stronger clones", PURPLE),
)
COMPOSED = (
    Line("fmt21_kov", "clones, closed form,\nadvanced composition", GREEN, "--"),
    Line("girgis_ub1", "Girgis et al., Rényi upper bound", VERMILION),
    Line("fmt21_upper", "clones, loss distribution", GREEN),
    Line("fmt22_upper", "stronger clones, loss distribution", PURPLE),
    Line("rdp_binary", "Girgis et al., Rényi “lower bound”", GREY, ":"),
)

CLIPPED = (
    Line("thm_3_2_approx", "Balle et al. 2020, Thm 3.2", VERMILION),
    Line("main", "with δ₀ for δ₁ (dashed)", VERMILION, "--"),
    Line("improved", "one slot at a time, closed form", PURPLE, "--"),
    Line("square", "each against the reference", GREEN),
)


def figure_2(found: Comparison) -> Figure:
    """Return a panel a size: epsilon against eps0, on a log axis."""
    sizes = sorted({row.clients for row in found.rows})
    drawn, panels = side_by_side(len(sizes), 2.6, 4.4)
    known = [value for row in found.rows for value in (row.lower, row.efmrtt_7) if value]
    for axes, n in zip(panels, sizes, strict=True):
        rows = [row for row in found.rows if row.clients == n]
        axes.set(yscale="log", ylim=(min(known) / 1.5, max(known) * 1.5), xlabel="local budget ε₀")
        mark_digits(axes, (1.0,))
        axes.set_title(f"n = {power(n)}")
        budgets = [row.eps0 for row in rows]
        # Above this line a bound is vacuous.
        axes.plot(budgets, budgets, color="0.75", linewidth=4.0, solid_capstyle="butt", zorder=0)
        draw(axes, budgets, rows, AMPLIFIED)
    panels[0].set_ylabel("ε after shuffling")
    last = [row for row in found.rows if row.clients == sizes[-1]][-1]
    label(panels[-1], [*ends(last, AMPLIFIED), (last.eps0, "no amplification, ε = ε₀", "0.55")])
    drawn.suptitle(f"ε after one shuffle of ε₀-DP randomizers  (δ = {power(found.params['delta'])})")
    return drawn


def rounds(found: Comparison) -> Figure:
    """Return a panel a size: epsilon against the rounds, both axes logarithmic."""
    sizes = sorted({row.clients for row in found.rows})
    drawn, panels = side_by_side(len(sizes), 3.4, 4.2)
    known = [value for row in found.rows for value in (row.lower, row.rdp_binary, row.fmt21_kov, row.girgis_ub1)]
    for axes, n in zip(panels, sizes, strict=True):
        rows = [row for row in found.rows if row.clients == n]
        axes.set(xscale="log", yscale="log", ylim=(min(known) / 1.5, max(known) * 1.5), xlabel="rounds T")
        mark_digits(axes, (1.0,))
        axes.set_title(f"n = {power(n)}")
        axes.xaxis.set_major_formatter(lambda value, place: power(value))
        draw(axes, [row.rounds for row in rows], rows, COMPOSED)
    panels[0].set_ylabel("ε after T rounds")
    label(panels[-1], ends(found.rows[-1], COMPOSED))
    told = found.params
    drawn.suptitle(f"ε after T rounds of shuffling  (ε₀ = {told['eps0']:g}, δ = {power(told['delta'])})")
    return drawn


def krr(found: Comparison) -> Figure:
    """Return a panel a size and an eps0: epsilon against K; and by how much the false bound falls short."""
    sizes, budgets = (sorted({getattr(row, name) for row in found.rows}) for name in ("clients", "eps0"))
    drawn = Figure(figsize=(1.9 + 2.8 * (len(budgets) + 1), 1.5 + 2.2 * len(sizes)), layout="constrained")
    grid = drawn.add_gridspec(len(sizes), len(budgets) + 1)
    for across, eps0 in enumerate(budgets):
        for down, n in enumerate(sizes):
            axes = drawn.add_subplot(grid[down, across])
            _plain(axes, found.params["categories"])
            axes.set_title(f"n = {power(n)}, ε₀ = {eps0:g}")
            _responses(axes, [row for row in found.rows if (row.eps0, row.clients) == (eps0, n)])
            axes.set_xlabel("K" if down == len(sizes) - 1 else "")
            axes.set_ylabel("" if across else "ε after shuffling")
    short = drawn.add_subplot(grid[:, -1])
    _plain(short, found.params["categories"])
    short.set(ylabel="1 − claimed δ / true δ, at least", xlabel="K")
    short.set_title("how far krr-merged is false")
    entries = []
    for n, colour in zip(sizes, cycle((BLUE, VERMILION, GREEN, PURPLE)), strict=False):
        for eps0, (style, mark) in zip(budgets, cycle((("-", "o"), ("--", "s"), (":", "^"))), strict=False):
            rows = [row for row in found.rows if (row.eps0, row.clients) == (eps0, n) and row.merged_false]
            gaps = [1.0 - row.merged for row in rows]
            places = [row.categories for row in rows]
            short.plot(places, gaps, style, marker=mark, markersize=3.5, color=colour, linewidth=1.2)
            entries += [(gap, f"n = {power(n)}, ε₀ = {eps0:g}", colour) for gap in gaps[-1:]]
    mark_digits(short, (1.0,))
    label(short, entries)
    drawn.suptitle(f"Shuffled K-ary randomized response  (δ = {power(found.params['delta'])}; solid: certified)")
    return drawn


def _responses(axes: Axes, rows: Sequence[Any]) -> None:
    """What is certified of one size and budget, below the bounds that hold for any randomizer."""
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


def approximate(found: Comparison) -> Figure:
    """Return a panel a size: epsilon against eps0, both axes logarithmic."""
    sizes = sorted({row.steps for row in found.rows})
    drawn, panels = side_by_side(len(sizes), 2.6, 4.2)
    known = [value for row in found.rows for value in (row.lower, row.eps0, row.thm_3_2_approx) if value]
    for axes, m in zip(panels, sizes, strict=True):
        rows = [row for row in found.rows if row.steps == m]
        budgets = [row.eps0 for row in rows]
        axes.set(xscale="log", yscale="log", ylim=(min(known) / 1.5, max(known) * 1.5), xlabel="local budget ε₀")
        mark_digits(axes, (1.0,))
        axes.set_title(f"m = {power(m)}")
        axes.xaxis.set_major_formatter(lambda value, place: power(value))
        # Above this line a bound is vacuous.
        axes.plot(budgets, budgets, color="0.75", linewidth=4.0, solid_capstyle="butt", zorder=0)
        draw(axes, budgets, rows, CLIPPED)
    panels[0].set_ylabel("ε after check-ins")
    last = [row for row in found.rows if row.steps == sizes[-1]][-1]
    # Those that leave the figure are named where they do.
    high = [(panels[-1].get_ylim()[1], line.name, line.colour) for line in CLIPPED if getattr(last, line.field) is None]
    label(panels[-1], [*ends(last, CLIPPED), *high, (last.eps0, "no amplification, ε = ε₀", "0.55")])
    told = found.params
    drawn.suptitle(
        f"ε of check-ins with (ε₀, δ₀)-DP randomizers  (δ₀ = {power(told['delta0'])}, δ = {power(told['delta'])})"
    )
    return drawn


def table_1(found: Comparison) -> Figure:
    """Return a line a bound: the fitted exponents as dots or bars, those of the table as rings."""
    names = list(dict.fromkeys(row.bound for row in found.rows))
    drawn, panels = side_by_side(3, 2.4, 0.9 + 0.34 * len(names))
    kinds = (
        ("ε₀ > 1: exponent of exp ε₀", "growth", ("eps0 > 1",)),
        ("ε₀ ≤ 1: exponent of ε₀", "growth", ("eps0 <= 1",)),
        ("exponent of n: ε₀ ≤ 1 above ε₀ > 1", "power", ("eps0 <= 1", "eps0 > 1")),
    )
    for axes, (title, kind, regimes) in zip(panels, kinds, strict=True):
        axes.set_title(title)
        for regime in regimes:
            shift = 0.0 if len(regimes) == 1 else 0.17 if regime == "eps0 <= 1" else -0.17
            for row in found.rows:
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
    drawn.legend(handles=_marks(), loc="outside lower center", ncols=4, frameon=False)
    drawn.suptitle(f"How ε grows with ε₀ and shrinks with n, fitted  (δ = {power(found.params['delta'])})")
    return drawn


def population(found: Comparison) -> Figure:
    """Return a panel a ratio n/m: epsilon against p0, both axes logarithmic; below it the share of dummy updates."""
    kinds = sorted({(row.steps, row.clients) for row in found.rows})
    drawn = Figure(figsize=(1.2 + 2.7 * len(kinds), 4.9), layout="constrained")
    panels = drawn.subplots(2, len(kinds), sharex="col", sharey="row", squeeze=False, height_ratios=(3.2, 1.0))
    for (axes, below), (m, n) in zip(panels.T, kinds, strict=True):
        rows = [row for row in found.rows if (row.steps, row.clients) == (m, n)]
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
    drawn.legend(
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
    told = found.params
    drawn.suptitle(f"Random check-ins  (ε₀ = {told['eps0']:g}, δ = {power(told['delta'])})")
    return drawn


def allocation(found: Comparison) -> Figure:
    """A panel a number of steps: epsilon against the epochs, a colour a sigma; below it the share of Poisson's."""
    sizes, noises = (sorted({getattr(row, name) for row in found.rows}) for name in ("steps", "sigma"))
    drawn = Figure(figsize=(2.0 + 2.4 * len(sizes), 5.2), layout="constrained")
    panels = drawn.subplots(2, len(sizes), sharex="col", sharey="row", squeeze=False, height_ratios=(2.6, 1.0))
    for (axes, below), m in zip(panels.T, sizes, strict=True):
        _plain(axes, found.params["epochs"])
        mark_digits(axes, (1.0,))
        axes.set_title(f"m = {power(m)}")
        axes.xaxis.set_major_formatter(lambda value, place: power(value))
        below.axhline(1.0, color="0.55", linewidth=1.0, linestyle="--")
        below.set(xlabel="epochs E")
        bare(below)
        entries = []
        for sigma, (colour, mark) in zip(noises, cycle(MARKS), strict=False):
            rows = [row for row in found.rows if (row.sigma, row.steps) == (sigma, m)]
            places = [row.epochs for row in rows]
            band(axes, places, rows, colour)
            axes.plot(places, [row.upper for row in rows], mark, markersize=3.5, color=colour)
            axes.plot(places, [row.poisson_upper for row in rows], "--", color=colour, linewidth=1.4)
            _shares(below, [row for row in rows if row.ratio_upper is not None], colour, mark)
            entries += [(row.upper, f"σ = {sigma:g}", colour) for row in rows[-1:]]
    label(panels[0, -1], entries)
    panels[0, 0].set_ylabel("ε of all epochs")
    panels[1, 0].set_ylabel("allocation\nover Poisson")
    drawn.legend(
        handles=[
            Line2D([], [], color=GREY, linewidth=1.4, label="random allocation, one of m steps an epoch"),
            Line2D([], [], color=GREY, linestyle="--", linewidth=1.4, label="Poisson sampling, rate 1/m"),
        ],
        loc="outside lower center",
        ncols=1 if len(sizes) == 1 else 2,
        frameon=False,
    )
    drawn.suptitle(f"Random allocation and Poisson sampling  (δ = {power(found.params['delta'])})")
    return drawn


def _shares(axes: Axes, rows: Sequence[Any], colour: str, mark: str) -> None:
    """Certified ranges as bars, joined."""
    places = [row.epochs for row in rows]
    axes.vlines(places, [row.ratio_lower for row in rows], [row.ratio_upper for row in rows], color=colour)
    axes.plot(places, [row.ratio_upper for row in rows], marker=mark, markersize=3.5, color=colour, linewidth=1.0)


def _exponent(axes: Axes, row: Any, kind: str, height: float) -> None:
    lower, upper, table = (getattr(row, f"{kind}_{end}") for end in ("lower", "upper", "table"))
    if table is not None:
        axes.plot(table, height, "o", markersize=8.0, markerfacecolor="none", markeredgecolor="0.5")
    if lower is None:
        return
    certified = row.bound.endswith("truth")
    if certified:
        axes.plot([lower, upper], [height, height], color=BLUE, linewidth=4.5, solid_capstyle="butt")
    axes.plot((lower + upper) / 2, height, "|" if certified else "o", markersize=4.5, color=BLUE if certified else RED)


def _marks() -> list[Any]:
    return [
        Line2D([], [], color=RED, marker="o", linestyle="", markersize=4.5, label="of the formula, fitted"),
        Line2D([], [], color=BLUE, linewidth=4.5, label="of the truth, fitted to certified ends"),
        Line2D([], [], marker="o", markersize=8.0, markerfacecolor="none", markeredgecolor="0.5", linestyle="",
               label="claimed in the table"),
    ]  # fmt: skip


def _plain(axes: Axes, values: Sequence[int]) -> None:
    """Both axes logarithmic, the places of ``values`` marked on one."""
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
}


def render(found: Comparison, stem: str | None = None) -> dict[str, bytes]:
    """Return the figure in all formats, by file name; nothing is written."""
    with rc_context(STYLE):
        return saved(FIGURES[found.name](found), stem or found.name)
