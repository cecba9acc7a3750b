"""The figure of posterior trajectories: quantiles of the posterior, and the envelope that a proof has in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from ...drawing.styled_axes import drawn_files

if TYPE_CHECKING:
    from . import Trajectory


def figure(trajectory: Trajectory) -> Figure:
    """Return the figure: quantiles of m q_i against i/m as bands, the envelope dashed and the improved one dotted."""
    picture = Figure(figsize=(6.4, 4.2), layout="constrained")
    legend = trajectory.plot(picture.subplots()).get_legend()
    assert legend is not None
    legend.remove()
    picture.legend(loc="outside lower center", ncols=4, frameon=False)
    params = trajectory.params
    slots = f"m = {trajectory.slots:,}".replace(",", "\u2009")
    budget = f"ε₀ = {params['eps0']:g}, w = {params['weight']:g}"
    at = f"{slots}, {budget}, law {params['law']} under {params['record']}"
    picture.suptitle(f"Posterior of the hidden slot, one random replacement\n{at}")
    return picture


def render(trajectory: Trajectory) -> dict[str, bytes]:
    """Return the files of the figure in all formats, by file name."""
    return drawn_files(lambda: figure(trajectory), f"{trajectory.protocol}-{trajectory.params['law']}")
