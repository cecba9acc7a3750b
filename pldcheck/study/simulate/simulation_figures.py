"""Figures of simulations: excess risks beside stated rates, the cost of dummies, A_fix beside A_avg, and runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from ...core.arrays import Array
from ...drawing.figure_style import MARKS, STYLE, figure_files
from ...drawing.line_panels import bare
from .simulation_runs import Counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .dummy_costs import Treatment
    from .equal_epsilon import AlgorithmComparison
    from .excess_risk import Sweep

(BLUE, ROUND), (VERMILION, SQUARE), (GREEN, UP), (PINK, DIAMOND) = MARKS[:4]
# The labels of the axes.
NAMES = {
    "steps": "steps m",
    "error": "error of a gradient, root of its expected square",
    "emptiness": "1/(1 − 2 exp(−n p₀/m))",
}


def utility(sweeps: Sequence[Sweep], dummies: Sequence[Treatment], comparison: Sequence[AlgorithmComparison]) -> Figure:
    """Return a figure with a panel for each sweep, for the cost of dummies if there is one, and for the comparison."""
    panels = len(sweeps) + bool(dummies) + bool(comparison)
    across = min(panels, 3)
    down = -(-panels // across)
    figure = Figure(figsize=(3.9 * across, 0.8 + 3.1 * down), layout="constrained")
    places = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, sweep in zip(places, sweeps, strict=False):
        _sweep(axes, sweep)
    if dummies:
        _dummies(places[len(sweeps)], dummies)
    if comparison:
        _comparison(places[panels - 1], comparison)
    for axes in places[panels:]:
        axes.set_visible(False)
    figure.suptitle("Excess population risk, empirical, beside what is stated")
    return figure


def _sweep(axes: Axes, sweep: Sweep) -> None:
    x = np.array(sweep.axis_values)
    excess = [place.excess for place in sweep.places]
    _draw_intervals(axes, x, excess, BLUE, ROUND, f"empirical, exponent {sweep.slope.value:.2f}")
    axes.plot(x, [place.bound for place in sweep.places], "--", color=VERMILION, label=sweep.statement)
    rate = excess[len(excess) // 2].value * (x / x[len(excess) // 2]) ** sweep.exponent
    axes.plot(x, rate, ":", color="0.35", label=f"exponent {sweep.exponent:g}")
    axes.set(xscale="log", yscale="log", xlabel=NAMES[sweep.axis], ylabel="excess risk")
    suffix = f", {sweep.moved} varied" if sweep.moved != sweep.axis else ""
    axes.set_title(f"{sweep.title}, {sweep.population}{suffix}")
    _finish(axes, x)


def _dummies(axes: Axes, dummies: Sequence[Treatment]) -> None:
    x = np.array([each.load for each in dummies])
    _draw_intervals(axes, x, [each.noise for each in dummies], BLUE, ROUND, "dummies as noise, empirical")
    _draw_intervals(axes, x, [each.zero for each in dummies], GREEN, UP, "dummies as 0, empirical")
    axes.plot(x, [each.noise_form for each in dummies], ":", color="0.35", label="balance")
    axes.plot(x, [each.zero_form for each in dummies], ":", color="0.35")
    axes.plot(x, [each.sharp_form for each in dummies], "-.", color=PINK, label="1/(1 − q)")
    axes.plot(x, [each.proof_form for each in dummies], "--", color=VERMILION, label="1/(1 − 2 exp(−n p₀/m))")
    top = 1.5 * max(each.sharp_form for each in dummies)
    axes.set(xscale="log", xlabel="clients a slot, n p₀/m", ylabel="risk over that of full slots", ylim=(0.6, top))
    axes.set_title("what empty slots cost")
    _finish(axes, x)


def _comparison(axes: Axes, comparison: Sequence[AlgorithmComparison]) -> None:
    rows = [each for each in comparison if each.population == "median"]
    loud = max(each.inverse_epsilon for each in rows)
    rows = [each for each in rows if each.inverse_epsilon == loud]
    x = np.array([each.steps for each in rows])
    _draw_intervals(axes, x, [each.fixed for each in rows], BLUE, ROUND, "A_fix, empirical")
    _draw_intervals(axes, x, [each.averaged for each in rows], VERMILION, SQUARE, "A_avg, empirical")
    axes.plot(x, [each.fixed_rate for each in rows], ":", color=BLUE, label="A_fix, rate")
    axes.plot(x, [each.averaged_rate for each in rows], ":", color=VERMILION, label="A_avg, rate")
    axes.set(xscale="log", yscale="log", xlabel="steps m", ylabel="excess risk")
    axes.set_title(f"at one ε, s = {loud:.3g}, n = {rows[0].clients}, median")
    _finish(axes, x)


def _draw_intervals(axes: Axes, x: Array, intervals: Sequence[Any], colour: str, marker: str, label: str) -> None:
    values = [each.value for each in intervals]
    arms = [[each.value - each.lower for each in intervals], [each.upper - each.value for each in intervals]]
    axes.errorbar(x, values, arms, color=colour, marker=marker, markersize=4, capsize=2, linewidth=1.2, label=label)


def _finish(axes: Axes, places: Array) -> None:
    """Set ticks at the measured places, with plain numbers, and add the legend."""
    in_order = np.sort(places)
    # A label needs about a tenth of the axis.
    least = (in_order[-1] / in_order[0]) ** 0.08
    apart = [place for i, place in enumerate(in_order) if i == 0 or place > least * in_order[i - 1]]
    axes.set_xticks(apart, [f"{place:.0f}" if place >= 100 else f"{place:.3g}" for place in apart])
    axes.xaxis.set_minor_locator(NullLocator())
    if axes.get_yscale() == "log":
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(lambda value, place: f"{value:g}")
    bare(axes)
    axes.legend(frameon=False, fontsize=7.5)


def runs(name: str, excess: Array, empty: Counts, mean: float) -> Figure:
    """Return a figure with the histograms of excess risk and of empty slots over many runs."""
    figure = Figure(figsize=(7.6, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.hist(excess, bins=min(40, max(5, len(excess) // 5)), color=BLUE, alpha=0.8)
    left.set(xlabel="excess risk of the last model", ylabel="runs")
    # Each bar stands for one number of empty slots or, beyond 40 bars, for several.
    low, high = int(empty.min()), int(empty.max())
    wide = max(1, -(-(high - low + 1) // 40))
    right.hist(empty, bins=np.arange(low, high + wide + 1, wide) - 0.5, color=BLUE, alpha=0.8, label="empirical")
    right.axvline(mean, color=VERMILION, linestyle="--", label=f"expected, {mean:.4g}")
    right.set(xlabel="empty slots", ylabel="runs")
    for axes in (left, right):
        bare(axes)
    right.legend(frameon=False)
    figure.suptitle(f"{name}: {len(excess)} runs, empirical")
    return figure


def render(draw: Callable[[], Figure]) -> dict[str, bytes]:
    """Return the files of the figure that ``draw`` returns, by format."""
    with rc_context(STYLE):
        return {name.partition(".")[2]: content for name, content in figure_files(draw(), "figure").items()}
