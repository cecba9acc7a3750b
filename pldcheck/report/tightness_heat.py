"""Heat maps of any theorem's tightness over its two most informative parameters, with medians over the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle

from ..theorems import REGISTRY
from ..verification import Report, Row, Verdict
from .claim_curves import AXES, NAMES, number, panel_grid, subjects
from .figure_style import COLOURS, RED, plain, times
from .line_panels import power
from .tightness_spread import MOST

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Tiles along an axis; more values than tiles are put together.
TILES = 8
# The most panels of a figure.
PANELS = 12
FALSE = "false"
OPEN = "?"


@dataclass(frozen=True)
class Map:
    """Median tightness in each tile (x, y), and what is wrong there: FALSE or OPEN where any cell is."""

    subject: str
    axes: tuple[str, str]
    ticks: tuple[tuple[str, ...], tuple[str, ...]]
    tiles: Mapping[tuple[int, int], float]
    marks: Mapping[tuple[int, int], str]


def tightness_map(subject: str, rows: Sequence[Row]) -> Map | None:
    """Return the map of one theorem; None if fewer than two of its parameters vary."""
    values: dict[str, set[float]] = {}
    for name in rows[0].params:
        values[name] = {row.params[name] for row in rows if number(row.params[name])}
    names = sorted((name for name in values if len(values[name]) > 1), key=lambda name: -len(values[name]))
    if len(names) < 2:
        return None
    x = next((name for name in AXES["size"] if name in names), names[0])
    y = "eps0" if "eps0" in names and x != "eps0" else next(name for name in names if name != x)
    (at_x, ticks_x), (at_y, ticks_y) = _assign_tiles(values[x]), _assign_tiles(values[y])
    tile_ratios: dict[tuple[int, int], list[float]] = {}
    marks: dict[tuple[int, int], str] = {}
    for row in rows:
        if not (number(row.params.get(x)) and number(row.params.get(y))):
            continue
        tile = at_x[row.params[x]], at_y[row.params[y]]
        if row.verdict is Verdict.VIOLATED:
            marks[tile] = FALSE
        elif row.verdict is Verdict.UNDECIDED:
            marks.setdefault(tile, OPEN)
        if row.tightness_lower and row.tightness_upper:
            tile_ratios.setdefault(tile, []).append(row.tightness_lower)
    if not tile_ratios:
        return None
    return Map(
        subject, (x, y), (ticks_x, ticks_y), {tile: median(ratios) for tile, ratios in tile_ratios.items()}, marks
    )


def _assign_tiles(values: set[float]) -> tuple[dict[float, int], tuple[str, ...]]:
    """Return the tile of every value, and the texts under the tiles; neighbours share one where they are too many."""
    in_order = sorted(values)
    count = min(len(in_order), TILES)
    place = {value: number * count // len(in_order) for number, value in enumerate(in_order)}
    first = [in_order[-(-tile * len(in_order) // count)] for tile in range(count)]
    more = "…" if len(in_order) > TILES else ""
    return place, tuple(power(float(f"{value:.3g}")) + more for value in first)


def maps(report: Report) -> Figure | None:
    """Return the maps of the first theorems that have one, None if none has."""
    # The ratio of a claimed exact value to the truth is 1 everywhere, so no map of it is drawn.
    groups = ((name, rows) for (name, _, _), rows in subjects(report).items() if rows[0].theorem and not _exact(name))
    every = (tightness_map(name, rows) for name, rows in groups)
    selection = list(islice((part for part in every if part), PANELS))
    if not selection:
        return None
    ratios = [ratio for part in selection for ratio in part.tiles.values()]
    norm = LogNorm(max(min([1.0, *ratios]), 1.0 / MOST), min(max([10.0, *ratios]), MOST))
    figure, panels = panel_grid(len(selection), 2.65, 1.75, 0.05, right=1.1)
    for axes, part in zip(panels, selection, strict=True):
        _panel(axes, part, norm)
    ends = [axes.get_position() for axes in panels]
    low, right = min(box.y0 for box in ends), max(box.x1 for box in ends)
    inch = 1.0 / figure.get_figwidth()
    high = max(box.y1 for box in ends)
    low = max(low, high - 4.5 / figure.get_figheight())
    place = figure.add_axes((right + 0.2 * inch, low, 0.14 * inch, high - low))
    # For a ratio beyond the scale the digits show how far it is.
    label = "claimed / certified upper end, median"
    bar = figure.colorbar(ScalarMappable(norm, COLOURS), cax=place, label=label)
    bar.ax.yaxis.set_major_formatter(lambda value, place: power(value))
    bar.ax.yaxis.set_minor_formatter(lambda value, place: "")
    figure.suptitle(f"How many times the truth each theorem claims  (suite {plain(report.suite)})")
    return figure


def _exact(theorem: str) -> bool:
    return theorem in REGISTRY and REGISTRY[theorem].relation == "="


def _panel(axes: Axes, part: Map, norm: Any) -> None:
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
    axes.set_xlabel(_label(part.axes[0]))
    axes.set_ylabel(_label(part.axes[1]))


def _label(name: str) -> str:
    return f"{plain(name)} {NAMES[name]}" if name in NAMES else plain(name)
