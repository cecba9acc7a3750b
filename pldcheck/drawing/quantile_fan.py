"""Quantiles of a quantity along a run as bands, and the envelopes that a proof has in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.ticker import FixedLocator, NullLocator

from ..core.arrays import Array
from .figure_style import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The hue of the quantiles, with the median darkest.
BLUES = "Blues"
# The colours, dashes and widths of envelopes, in their order.
ENVELOPES = ((MARKS[1][0], "--", 1.5), (MARKS[2][0], ":", 2.0))


def draw(axes: Axes, places: Array, levels: Array, quantiles: Array, envelopes: Mapping[str, Array]) -> None:
    """Draw bands between quantiles, a row for each level, and the envelopes by name; the first one is the highest."""
    order = np.argsort(levels)
    lines = quantiles[order]
    shades = colormaps[BLUES](np.linspace(0.95, 0.45, len(order)))
    for i, (level, line) in enumerate(zip(levels[order], lines, strict=True)):
        if i > 0:
            axes.fill_between(places, lines[i - 1], line, color=shades[i], alpha=0.35, linewidth=0)
        axes.plot(places, line, "-", color=shades[i], linewidth=1.3, label=_label(float(level)))
    for (name, envelope), (colour, dashes, width) in zip(envelopes.items(), ENVELOPES, strict=True):
        axes.plot(places, envelope, dashes, color=colour, linewidth=width, label=name)
    top = 1.1 * float(next(iter(envelopes.values())).max())
    axes.set(xlim=(0.0, 1.0), yscale="log", ylim=(0.93 * min(1.0, float(lines.min())), top))
    _ticks(axes, top)
    axes.grid(color="0.92", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


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
