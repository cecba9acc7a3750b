"""The figures of comparisons: bounds as lines with their names at the end, certified intervals as bands."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib import rc_context
from matplotlib.figure import Figure

from ...drawing.figure_style import STYLE
from ...drawing.styled_axes import drawn_files
from .check_in_panels import approximate, population
from .comparison import Comparison
from .exponent_panels import table_1
from .sampling_panels import allocation, crossing, samplings
from .shuffling_panels import figure_2, krr, rounds

FIGURES: dict[str, Callable[[Comparison], Figure]] = {
    "figure-2": figure_2,
    "table-1": table_1,
    "rounds": rounds,
    "krr": krr,
    "approximate": approximate,
    "population": population,
    "allocation": allocation,
    "samplings": samplings,
    "crossing": crossing,
}


def picture(comparison: Comparison) -> Figure:
    """Return the figure of a comparison, in the common style: what a notebook shows as the value of a cell."""
    with rc_context(STYLE):
        return FIGURES[comparison.name](comparison)


def render(comparison: Comparison, stem: str | None = None) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    return drawn_files(lambda: FIGURES[comparison.name](comparison), stem or comparison.name)
