"""The picture of a training run under each sampling, as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import pyplot, rc_context

from .. import drawing
from ..core.parameters import number_text
from .training_run import Progress, Training

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_file(run: Training, delta: float, name: str, progress: Progress | None = None) -> bytes:
    """Return the content of a file with the picture of :meth:`Training.plot_samplings`.

    Parameters
    ----------
    run : Training
    delta : float in (0, 1)
    name : str
        The name of the file, which ends in ``.svg`` or ``.png``.
    progress : callable, optional
        A function that is called with the name of each sampling before it is asked.

    """
    text = f"{run.records:,} records, batch {run.batch:,}, {run.epochs:,} epochs, σ {number_text(run.sigma)}"
    more = f", and {len(run.later)} more" if run.later else ""
    with rc_context(drawing.figure_style.STYLE):
        axes = run.plot_samplings(delta, progress=progress)
        axes.set_title(f"{text}{more}, δ = {number_text(delta)}", fontsize=9, loc="left")
        figure: Figure = axes.figure  # type: ignore[assignment]
        content = drawing.figure_style.figure_files(figure, name.rpartition(".")[0])[name]
    pyplot.close(figure)
    return content
