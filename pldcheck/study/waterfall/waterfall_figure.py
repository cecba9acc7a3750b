"""The figure of a waterfall: one epsilon at each level of a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from ...drawing.styled_axes import drawn_files

if TYPE_CHECKING:
    from .waterfall import Waterfall


def figure(fall: Waterfall) -> Figure:
    """Return a figure with a bar for each level, and the factor that each step of the proof loses."""
    picture = Figure(figsize=(6.8, 1.5 + 0.62 * len(fall.levels)), layout="constrained")
    fall.plot(picture.subplots())
    at = ", ".join(f"{name} = {value:g}" for name, value in fall.params.items())
    picture.suptitle(f"Where {fall.theorem} loses\n{at}")
    return picture


def render(fall: Waterfall) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    return drawn_files(lambda: figure(fall), f"waterfall-{fall.theorem}")
