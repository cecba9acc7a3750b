"""Figures with one line for each theorem: the ratio of claim and truth in every cell, of a run or of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from ..drawing import ratio_dots
from ..drawing.dot_places import clip
from ..drawing.figure_style import plain
from ..theorems import REGISTRY
from ..verification import Report
from .page_fold import standing

if TYPE_CHECKING:
    from ..drawing.ratio_dots import RatioLine

# The width of a figure in inches; with the papers beside the names there is need of more.
WIDTH, WIDTH_WITH_PAPERS = 6.8, 8.6
# The height of a line in inches, of which a report on all theorems has many.
LINE, CLOSE_LINE = 0.26, 0.17


def spread(report: Report) -> Figure:
    """Return claim over certified upper end on a log axis, a line a theorem, marked by what the theorem claims."""
    lines = report.ratio_lines[: ratio_dots.LINES]
    figure = Figure(figsize=(WIDTH, 1.4 + LINE * len(lines)), layout="constrained")
    _draw(figure, lines, f"How tight each theorem is  (suite {plain(report.suite)})")
    return figure


def spread_of_bounds(lines: Sequence[RatioLine], title: str) -> Figure:
    """Return the same for bounds of several runs, with the paper beside each name and a stroke at its median."""
    figure = Figure(figsize=(WIDTH_WITH_PAPERS, 1.4 + CLOSE_LINE * len(lines)), layout="constrained")
    named = [replace(line, name=_name_and_paper(line.name)) for line in lines]
    _draw(figure, named, title)
    (axes,) = figure.axes
    places = [clip(median(line.ratios + line.violated)) for line in lines]
    axes.plot(places, range(len(lines) - 1, -1, -1), "|", color="black", markersize=7.0)
    axes.tick_params(axis="y", labelsize=7.5)
    return figure


def sorted_bounds(runs: Iterable[Report], name: str) -> list[RatioLine]:
    """Return the lines of all bounds of a standing: those that are violated, then the others from tight to loose.

    A bound that several runs have is one line.  Exact values that agree with the truth are no bounds and left out.
    """
    lines: dict[str, RatioLine] = {}
    for line in (line for run in runs for line in run.ratio_lines):
        is_bound = line.ratios and line.relation != "="
        if standing(line.name) == name and (is_bound or line.violated):
            before = lines.get(line.name)
            lines[line.name] = (
                replace(line, ratios=before.ratios + line.ratios, violated=before.violated + line.violated)
                if before
                else line
            )
    return sorted(lines.values(), key=_looseness)[: ratio_dots.LINES]


def _looseness(line: RatioLine) -> tuple[bool, float]:
    """Return the key by which lines are sorted: a lower bound is the looser the further it is below the truth."""
    middle = median(line.ratios + line.violated)
    return not line.violated, 1.0 / middle if line.relation == ">=" else middle


def _name_and_paper(name: str) -> str:
    return f"{name} · {REGISTRY[name].source.citation}" if name in REGISTRY else name


def _draw(figure: Figure, lines: Sequence[RatioLine], title: str) -> None:
    entries = ratio_dots.draw(figure.subplots(), lines)
    figure.legend(handles=entries, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(title)
