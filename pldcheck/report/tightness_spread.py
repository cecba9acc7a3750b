"""A figure with one line for each theorem: the ratio of claim and truth in every cell."""

from __future__ import annotations

from matplotlib.figure import Figure

from ..drawing import ratio_dots
from ..drawing.figure_style import plain
from ..verification import Report


def spread(report: Report) -> Figure:
    """Return claim over certified upper end on a log axis, a line a theorem, marked by what the theorem claims."""
    lines = report.ratio_lines[: ratio_dots.LINES]
    figure = Figure(figsize=(6.8, 1.4 + 0.26 * len(lines)), layout="constrained")
    entries = ratio_dots.draw(figure.subplots(), lines)
    figure.legend(handles=entries, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(f"How tight each theorem is  (suite {plain(report.suite)})")
    return figure
