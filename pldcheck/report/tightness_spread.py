"""A figure with one line for each theorem: the ratio of claim and truth in every cell."""

from __future__ import annotations

from math import log10

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..theorems import REGISTRY
from ..verification import Report, Row, Verdict
from .figure_style import plain

# Claims this many times the truth are drawn at the edge.
MOST = 1e4
# The most lines of the figure.
LINES = 60
# The most dots of a line that are drawn one by one.
DOTS = 600
# The number of places in a decade to which more dots than that are rounded.
HAIR = 40
SHAPES = {
    "<=": ("o", "#0072b2", "upper bound"),
    "=": ("D", "#009e73", "exact value"),
    ">=": ("s", "#cc79a7", "lower bound"),
}
FALSE = "#b2182b"


def spread(report: Report) -> Figure:
    """Return claim over certified upper end on a log axis, a line a theorem, marked by what the theorem claims."""
    rows: dict[str, list[Row]] = {}
    for row in report.rows:
        rows.setdefault(row.subject, []).append(row)
    names = list(rows)[:LINES][::-1]
    figure = Figure(figsize=(6.8, 1.4 + 0.26 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1.0, color="0.45", linewidth=0.9, linestyle=":")
    used = set()
    for height, name in enumerate(names):
        relation = REGISTRY[name].relation if name in REGISTRY else "<="
        used.add(relation)
        shape, colour, _ = SHAPES[relation]
        for false in (False, True):
            places = _places(rows[name], false)
            ink = FALSE if false else colour
            if places:
                axes.plot(places, [height] * len(places), shape, color=ink, alpha=0.55, markersize=4.5)
        if not any(row.tightness_lower for row in rows[name]):
            nothing = "no claim" if not rows[name][0].theorem else "no cell inside its conditions"
            axes.text(1.1, height, nothing, va="center", color="0.4", fontsize=7.5)
    axes.set(xscale="log", ylim=(-0.7, len(names) - 0.3), xlabel="claim / certified upper end")
    axes.set_yticks(range(len(names)), map(plain, names))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="0.92", linewidth=0.6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    handles = [
        Line2D([], [], color=colour, marker=shape, linestyle="", label=label)
        for relation, (shape, colour, label) in SHAPES.items()
        if relation in used
    ]
    if report.counts[Verdict.VIOLATED]:
        handles.append(Line2D([], [], color=FALSE, marker="o", linestyle="", label="violated"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(f"How tight each theorem is  (suite {plain(report.suite)})")
    return figure


def _places(rows: list[Row], false: bool) -> list[float]:
    """Return the places of the violated cells, or of all others; of very many, those within a hair's breadth merge."""
    ratios = [row.tightness_lower for row in rows if (row.verdict is Verdict.VIOLATED) is false]
    places = [min(max(ratio, 1.0 / MOST), MOST) for ratio in ratios if ratio is not None]
    return places if len(places) <= DOTS else sorted({10.0 ** (round(HAIR * log10(place)) / HAIR) for place in places})
