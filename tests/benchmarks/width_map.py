"""The map of widths: a line for each group of questions, a tile for each size, with the largest width in percent."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from pldcheck.drawing.figure_style import COLOURS, RED, STYLE, figure_files
from pldcheck.drawing.line_panels import power

# Widths below this have the colour of this one.
NARROWEST = 1e-4
# Widths above this have the colour of this one.
WIDEST = 1.0
LINE = 0.27


def is_as_wanted(row: dict[str, Any]) -> bool:
    """Return whether an answer is as narrow and as fast as wanted."""
    return not row["status"] and width(row) <= row["aim"] and row["seconds"] <= row["aim_seconds"]


def width(row: dict[str, Any]) -> float:
    """Return the relative width of a row; infinite where there is no answer, or no lower end."""
    return inf if row["status"] or row["width"] is None else row["width"]


def render(rows: Sequence[dict[str, Any]], machine: str) -> dict[str, bytes]:
    """Return the map in all formats, by file name."""
    from matplotlib import rc_context
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    groups = list(dict.fromkeys(row["group"] for row in rows))
    sizes = sorted({row["size"] for row in rows})
    norm = LogNorm(NARROWEST, WIDEST, clip=True)
    with rc_context(STYLE):
        figure = Figure(figsize=(10.5, 1.6 + LINE * len(groups)), layout="constrained")
        axes = figure.subplots()
        for y, group in enumerate(groups):
            for x, size in enumerate(sizes):
                tile = [row for row in rows if row["group"] == group and row["size"] == size]
                if tile:
                    _draw_tile(axes, x, -y, tile, norm)
        axes.set(xlim=(-0.5, len(sizes) - 0.5), ylim=(-len(groups) + 0.5, 0.5))
        axes.set_xticks(range(len(sizes)), [power(size) for size in sizes], fontsize=8)
        axes.set_yticks([-y for y in range(len(groups))], groups, fontsize=8)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("slots or clients")
        bar = figure.colorbar(ScalarMappable(norm, COLOURS), ax=axes, label="largest relative width of ε", shrink=0.6)
        bar.ax.yaxis.set_major_formatter(lambda value, place: percent(value))
        figure.suptitle(f"Widths of ε in percent; framed where wider or slower than wanted\n{machine}")
        return figure_files(figure, "widths")


def _draw_tile(axes: Any, x: int, y: int, tile: Sequence[dict[str, Any]], norm: Any) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    worst = max(map(width, tile))
    colour = colormaps[COLOURS](norm(min(worst, WIDEST)))
    # Rec. 709 luminance decides whether black or white is read better.
    light = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2] > 0.45
    axes.add_patch(Rectangle((x - 0.48, y - 0.45), 0.96, 0.9, facecolor=colour, linewidth=0))
    if not all(map(is_as_wanted, tile)):
        axes.add_patch(Rectangle((x - 0.46, y - 0.42), 0.92, 0.84, fill=False, edgecolor=RED, linewidth=1.3))
    text = "none" if worst == inf else percent(worst)
    axes.text(x, y, text, ha="center", va="center", fontsize=6.5, color="black" if light else "white")


def percent(value: float) -> str:
    """Return a share in percent, in two digits."""
    return f"{100.0 * value:.2g}" if value < 10.0 else f"{100.0 * value:.0f}"
