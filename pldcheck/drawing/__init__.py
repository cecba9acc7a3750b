"""Pictures of intervals and ratios on axes of matplotlib, for every room whose answers have ``plot``.

Read :mod:`~pldcheck.drawing.figure_style` first (the common style), then :mod:`~pldcheck.drawing.interval_band`
(intervals over a parameter), :mod:`~pldcheck.drawing.interval_bars` (named intervals),
:mod:`~pldcheck.drawing.tile_panel` (tightness over two parameters), :mod:`~pldcheck.drawing.ratio_dots` (tightness of
many theorems), :mod:`~pldcheck.drawing.level_bars` (a waterfall) and :mod:`~pldcheck.drawing.quantile_fan`
(posteriors).
Nothing in this room computes: it draws the numbers that it is given.  matplotlib is loaded when something is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_parts

__all__ = [
    "dot_places",
    "figure_style",
    "interval_band",
    "interval_bars",
    "level_bars",
    "line_panels",
    "parameter_labels",
    "quantile_fan",
    "ratio_dots",
    "styled_axes",
    "tile_panel",
]

if TYPE_CHECKING:
    from . import dot_places as dot_places
    from . import figure_style as figure_style
    from . import interval_band as interval_band
    from . import interval_bars as interval_bars
    from . import level_bars as level_bars
    from . import line_panels as line_panels
    from . import parameter_labels as parameter_labels
    from . import quantile_fan as quantile_fan
    from . import ratio_dots as ratio_dots
    from . import styled_axes as styled_axes
    from . import tile_panel as tile_panel
else:
    __getattr__, __dir__ = lazy_parts(__name__, dict.fromkeys(__all__, ()), __all__)
