"""A heat map in one panel: tightness over two parameters, in digits and as shades, with marks where it is below 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle

from .dot_places import MOST
from .figure_style import COLOURS, RED, plain, times
from .line_panels import power
from .parameter_labels import name_and_symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Tiles along an axis; more values than tiles are put together.
TILES = 8
# The mark of a tile with a violated cell.
FALSE = "false"
# The mark of a tile with an undecided cell.
OPEN = "?"
# The label of a colour bar.
LABEL = "claimed / certified upper end, median"


@dataclass(frozen=True)
class TileMap:
    """Median tightness in each tile (x, y), and what is wrong there: FALSE or OPEN where any cell is."""

    subject: str
    axes: tuple[str, str]
    ticks: tuple[tuple[str, ...], tuple[str, ...]]
    tiles: Mapping[tuple[int, int], float]
    marks: Mapping[tuple[int, int], str]


def tiles_of(values: set[float]) -> tuple[dict[float, int], tuple[str, ...]]:
    """Return the tile of every value, and the texts under the tiles; neighbours share one where they are too many."""
    ordered = sorted(values)
    count = min(len(ordered), TILES)
    place = {value: number * count // len(ordered) for number, value in enumerate(ordered)}
    first = [ordered[-(-tile * len(ordered) // count)] for tile in range(count)]
    more = "…" if len(ordered) > TILES else ""
    return place, tuple(power(float(f"{value:.3g}")) + more for value in first)


def norm_of(maps: Sequence[TileMap]) -> LogNorm:
    """Return the scale of colours that several maps share; ratios beyond ``MOST`` have the colours of its ends."""
    ratios = [ratio for part in maps for ratio in part.tiles.values()]
    return LogNorm(max(min([1.0, *ratios]), 1.0 / MOST), min(max([10.0, *ratios]), MOST))


def colour_bar(axes: Axes, norm: Any, **place: Any) -> None:
    """Draw the colour bar of a scale; ``place`` says where, as ``cax`` or ``ax`` of ``Figure.colorbar``."""
    # For a ratio beyond the scale the digits show how far it is.
    bar = axes.figure.colorbar(ScalarMappable(norm, COLOURS), label=LABEL, **place)
    bar.ax.yaxis.set_major_formatter(lambda value, place: power(value))
    bar.ax.yaxis.set_minor_formatter(lambda value, place: "")


def draw(axes: Axes, part: TileMap, norm: Any) -> None:
    """Draw a map on axes, with the colours of a scale."""
    (width, height), colours = map(len, part.ticks), colormaps[COLOURS]
    for x in range(width):
        for y in range(height):
            ratio, text, ink = part.tiles.get((x, y)), "", "0.35"
            style: dict[str, Any] = {"facecolor": "0.95", "hatch": "///"}
            if ratio is not None:
                colour = colours(norm(ratio))
                style, text = {"facecolor": colour}, times(ratio)
                # Rec. 709 luminance decides whether black or white is read better.
                light = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2] > 0.45
                ink = "black" if light else "white"
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, edgecolor="white", linewidth=0.8, **style))
            mark = part.marks.get((x, y))
            if mark:
                text = f"{text}\n{mark}" if text else mark
                frame: dict[str, Any] = {"fill": False, "edgecolor": RED, "linewidth": 1.6}
                axes.add_patch(Rectangle((x - 0.44, y - 0.44), 0.88, 0.88, **frame))
            axes.text(x, y, text, ha="center", va="center", color=ink, fontsize=7.5 if width < 7 else 6.5)
    axes.set(xlim=(-0.5, width - 0.5), ylim=(-0.5, height - 0.5))
    axes.set_xticks(range(width), part.ticks[0], fontsize=8 if width < 7 else 7)
    axes.set_yticks(range(height), part.ticks[1], fontsize=8)
    axes.tick_params(length=0)
    axes.minorticks_off()
    axes.spines[:].set_visible(False)
    axes.set_title(plain(part.subject))
    axes.set_xlabel(name_and_symbol(part.axes[0]))
    axes.set_ylabel(name_and_symbol(part.axes[1]))
