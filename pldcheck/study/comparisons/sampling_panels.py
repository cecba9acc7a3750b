"""Panels of one training run under several samplings, and of random allocation beside Poisson sampling."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, NullLocator

from ...drawing.figure_style import BLUE, GREEN, GREY, MARKS, PURPLE, VERMILION
from ...drawing.line_panels import Line, band, bare, draw, label, logarithmic, mark_digits, power, side_by_side
from .comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLING_LINES = (
    Line("unamplified_upper", "no sampling", GREY),
    Line("bins_upper", "balls in bins", GREEN),
    Line("fixed_size_upper", "fixed size, replaced", PURPLE, "--"),
    Line("poisson_replaced_upper", "Poisson, replaced", VERMILION, "--"),
    Line("allocation_upper", "random allocation", PURPLE, ":"),
    Line("poisson_upper", "Poisson", VERMILION),
)


def allocation(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each number of steps: epsilon against epochs, and the ratio to Poisson."""
    sizes, noises = (sorted({getattr(row, name) for row in comparison.rows}) for name in ("steps", "sigma"))
    picture = Figure(figsize=(2.0 + 2.4 * len(sizes), 5.2), layout="constrained")
    panels = picture.subplots(2, len(sizes), sharex="col", sharey="row", squeeze=False, height_ratios=(2.6, 1.0))
    for (axes, below), m in zip(panels.T, sizes, strict=True):
        logarithmic(axes, comparison.params["epochs"])
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


def crossing(comparison: Comparison) -> Figure:
    """Return a figure with a panel for each number of steps: a tile for each sigma and epsilon, by the order."""
    sizes = sorted({row.steps for row in comparison.rows})
    noises, points = (list(comparison.params[name]) for name in ("sigma", "epsilon"))
    colours = {"worse": VERMILION, "better": GREEN, "open": "0.75", None: "0.95"}
    picture, panels = side_by_side(len(sizes), 2.7, 4.4)
    for axes, m in zip(panels, sizes, strict=True):
        for row in comparison.rows:
            if row.steps == m:
                corner = (noises.index(row.sigma) - 0.5, points.index(row.epsilon) - 0.5)
                axes.add_patch(Rectangle(corner, 1, 1, facecolor=colours[row.order], edgecolor="white", linewidth=0.8))
        axes.set(xlim=(-0.5, len(noises) - 0.5), ylim=(-0.5, len(points) - 0.5), xlabel="noise multiplier σ")
        axes.set_xticks(range(len(noises)), [f"{sigma:g}" for sigma in noises])
        axes.set_yticks(range(len(points)), [f"{epsilon:g}" for epsilon in points])
        axes.set_title(f"m = {power(m)}")
    panels[0].set_ylabel("ε")
    words = {
        "worse": "allocation has the larger δ",
        "better": "Poisson sampling has the larger δ",
        "open": "not decided",
        None: "δ below 10⁻¹²",
    }
    picture.legend(
        handles=[Rectangle((0, 0), 1, 1, facecolor=colours[order], label=text) for order, text in words.items()],
        loc="outside lower center",
        ncols=2 if len(sizes) == 1 else 4,
        frameon=False,
    )
    picture.suptitle("Random allocation and Poisson sampling: where the profiles cross")
    return picture


def _shares(axes: Axes, rows: Sequence[Any], colour: str, mark: str) -> None:
    """Draw certified intervals as bars, joined by a line."""
    places = [row.epochs for row in rows]
    axes.vlines(places, [row.ratio_lower for row in rows], [row.ratio_upper for row in rows], color=colour)
    axes.plot(places, [row.ratio_upper for row in rows], marker=mark, markersize=3.5, color=colour, linewidth=1.0)
