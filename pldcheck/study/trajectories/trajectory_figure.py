"""The figure of posterior trajectories: quantiles of the posterior, and the envelope that a proof has in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from ...drawing.figure_style import MARKS, STYLE, saved

if TYPE_CHECKING:
    from . import Trajectory

# The hue of the quantiles, with the median darkest.
BLUES = "Blues"
# The colour of the envelope of the paper, which is dashed as well.
VERMILION = MARKS[1][0]
# The colour of the improved envelope, which is dotted as well.
GREEN = MARKS[2][0]
# The name of each configuration, and the letter of its number of slots.
NAMES = {
    "random-replacement": ("one random replacement", "m"),
    "random-swap": ("one random swap, all other records equal", "n"),
}


def figure(trajectory: Trajectory) -> Figure:
    """Return the figure: quantiles of m q_i against i/m as bands, the envelope dashed and the improved one dotted."""
    with rc_context(STYLE):
        return _figure(trajectory)


def _figure(trajectory: Trajectory) -> Figure:
    slots, letter = trajectory.slots, NAMES[trajectory.protocol][1]
    places = trajectory.indices / slots
    picture = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = picture.subplots()
    order = np.argsort(trajectory.levels)
    lines = slots * trajectory.quantile_upper[order]
    shades = colormaps[BLUES](np.linspace(0.95, 0.45, len(order)))
    for i, (level, line) in enumerate(zip(trajectory.levels[order], lines, strict=True)):
        if i > 0:
            axes.fill_between(places, lines[i - 1], line, color=shades[i], alpha=0.35, linewidth=0)
        axes.plot(places, line, "-", color=shades[i], linewidth=1.3, label=_label(float(level)))
    axes.plot(places, slots * trajectory.envelope, "--", color=VERMILION, linewidth=1.5, label="envelope (paper)")
    improved = slots * trajectory.envelope_improved
    axes.plot(places, improved, ":", color=GREEN, linewidth=2.0, label="envelope (improved)")
    top = 1.1 * slots * float(trajectory.envelope.max())
    axes.set(xlabel=f"i / {letter}", ylabel=f"{letter} qᵢ", xlim=(0.0, 1.0), yscale="log")
    axes.set_ylim(0.93 * min(1.0, float(lines.min())), top)
    _ticks(axes, top)
    axes.grid(color="0.92", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    picture.legend(loc="outside lower center", ncols=4, frameon=False)
    picture.suptitle(_title(trajectory))
    return picture


def _ticks(axes: Any, top: float) -> None:
    """Set ticks at simple numbers in each decade, few enough to be read."""
    digits = (1.0, 1.1, 1.2, 1.5, 2.0, 2.5) if top < 4 else (1.0, 2.0, 5.0) if top < 1e4 else (1.0,)
    places = [digit * 10.0**power for power in range(10) for digit in digits if digit * 10.0**power <= top]
    axes.yaxis.set_major_locator(FixedLocator(places))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda value, place: f"{value:g}")


def _label(level: float) -> str:
    if level == 0.5:
        return "median"
    return f"quantile {level:g}" if level <= 0.9999 else f"quantile 1 − {1 - level:.3g}"


def _title(trajectory: Trajectory) -> str:
    params, (name, letter) = trajectory.params, NAMES[trajectory.protocol]
    weight = f", w = {params['weight']:g}" if "weight" in params else ""
    slots = f"{letter} = {trajectory.slots:,}".replace(",", "\u2009")
    budget = f"ε₀ = {params['eps0']:g}{weight}"
    return f"Posterior of the hidden slot, {name}\n{slots}, {budget}, law {params['law']} under {params['record']}"


def render(trajectory: Trajectory) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    with rc_context(STYLE):
        return saved(figure(trajectory), f"{trajectory.protocol}-{trajectory.params['law']}")
