"""The figure of posterior trajectories: quantiles of the posterior, and the envelope that a proof has in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.figure import Figure

from ...drawing.figure_style import STYLE, figure_files

if TYPE_CHECKING:
    from . import Trajectory

# The name of each configuration.
NAMES = {
    "random-replacement": "one random replacement",
    "random-swap": "one random swap, all other records equal",
}


def figure(trajectory: Trajectory) -> Figure:
    """Return the figure: quantiles of m q_i against i/m as bands, the envelope dashed and the improved one dotted."""
    picture = Figure(figsize=(6.4, 4.2), layout="constrained")
    legend = trajectory.plot(picture.subplots()).get_legend()
    assert legend is not None
    legend.remove()
    picture.legend(loc="outside lower center", ncols=4, frameon=False)
    picture.suptitle(_title(trajectory))
    return picture


def _title(trajectory: Trajectory) -> str:
    params, name, letter = trajectory.params, NAMES[trajectory.protocol], trajectory.letter
    weight = f", w = {params['weight']:g}" if "weight" in params else ""
    slots = f"{letter} = {trajectory.slots:,}".replace(",", "\u2009")
    budget = f"ε₀ = {params['eps0']:g}{weight}"
    return f"Posterior of the hidden slot, {name}\n{slots}, {budget}, law {params['law']} under {params['record']}"


def render(trajectory: Trajectory) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    with rc_context(STYLE):
        return figure_files(figure(trajectory), f"{trajectory.protocol}-{trajectory.params['law']}")
