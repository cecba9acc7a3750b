"""One line a theorem: how many times the truth it claims, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..theorems import REGISTRY
from ..verify import Report, Row, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Claims this many times the truth are drawn at the edge.
MOST = 1e4
SHAPES = {
    "<=": ("o", "#0072b2", "upper bound"),
    "=": ("D", "#009e73", "exact value"),
    ">=": ("s", "#cc79a7", "lower bound"),
}
FALSE = "#b2182b"


def spread(report: Report) -> Figure:
    """Claim over certified upper end on a log axis, a line a theorem, marked by what the theorem claims."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    names = report.theorems[::-1]
    figure = Figure(figsize=(6.8, 1.4 + 0.26 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1.0, color="0.45", linewidth=0.9, linestyle=":")
    used = set()
    for height, name in enumerate(names):
        rows = [row for row in report.rows if row.theorem == name]
        relation = REGISTRY[name].relation if name in REGISTRY else "<="
        used.add(relation)
        shape, colour, _ = SHAPES[relation]
        for row in rows:
            if row.tightness_lower is not None:
                false = row.verdict is Verdict.VIOLATED
                axes.plot(_clipped(row), height, shape, color=FALSE if false else colour, alpha=0.55, markersize=4.5)
        if not any(row.tightness_lower for row in rows):
            axes.text(1.1, height, "no cell inside its conditions", va="center", color="0.4", fontsize=7.5)
    axes.set(xscale="log", ylim=(-0.7, len(names) - 0.3), xlabel="claim / certified upper end")
    axes.set_yticks(range(len(names)), names)
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
    figure.suptitle(f"How tight each theorem is  (suite {report.suite})")
    return figure


def _clipped(row: Row) -> float:
    assert row.tightness_lower is not None
    return min(max(row.tightness_lower, 1.0 / MOST), MOST)
