"""Heat maps of any theorem's tightness over its two most informative parameters, with medians over the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ..drawing import tile_panel
from ..drawing.figure_style import plain
from ..theorems import REGISTRY
from ..verification import Report, Row
from ..verification.tightness_map import tile_map
from .claim_curves import panel_grid, subjects

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The most panels of a figure.
PANELS = 12


def maps(report: Report) -> Figure | None:
    """Return the maps of the first theorems that have one, None if none has."""
    # Exact values are once the truth everywhere.
    groups: Iterable[tuple[str, Sequence[Row]]]
    if report.is_large:
        groups = ((name, report.rows_of(name)) for name in report.theorems)
    else:
        groups = ((name, rows) for (name, _, _), rows in subjects(report).items())
    every = (tile_map(name, rows) for name, rows in groups if rows[0].theorem and not _exact(name))
    selection = list(islice((part for part in every if part), PANELS))
    if not selection:
        return None
    norm = tile_panel.norm_of(selection)
    figure, panels = panel_grid(len(selection), 2.65, 1.75, 0.05, right=1.1)
    for axes, part in zip(panels, selection, strict=True):
        tile_panel.draw(axes, part, norm)
    ends = [axes.get_position() for axes in panels]
    low, right = min(box.y0 for box in ends), max(box.x1 for box in ends)
    inch = 1.0 / figure.get_figwidth()
    high = max(box.y1 for box in ends)
    low = max(low, high - 4.5 / figure.get_figheight())
    place = figure.add_axes((right + 0.2 * inch, low, 0.14 * inch, high - low))
    tile_panel.colour_bar(panels[0], norm, cax=place)
    figure.suptitle(f"How many times the truth each theorem claims  (suite {plain(report.suite)})")
    return figure


def _exact(theorem: str) -> bool:
    return theorem in REGISTRY and REGISTRY[theorem].relation == "="
