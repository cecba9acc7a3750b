"""Panels of fitted exponents beside those of a published table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...drawing.figure_style import BLUE, RED
from ...drawing.line_panels import power, side_by_side
from .comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def table_1(comparison: Comparison) -> Figure:
    """Return a figure with a line for each bound: fitted exponents as dots or bars, those of the table as rings."""
    names = list(dict.fromkeys(row.bound for row in comparison.rows))
    picture, panels = side_by_side(3, 2.4, 0.9 + 0.34 * len(names))
    kinds = (
        ("ε₀ > 1: exponent of exp ε₀", "growth", ("eps0 > 1",)),
        ("ε₀ ≤ 1: exponent of ε₀", "growth", ("eps0 <= 1",)),
        ("exponent of n: ε₀ ≤ 1 above ε₀ > 1", "power", ("eps0 <= 1", "eps0 > 1")),
    )
    for axes, (title, kind, regimes) in zip(panels, kinds, strict=True):
        axes.set_title(title)
        for regime in regimes:
            shift = 0.0 if len(regimes) == 1 else 0.17 if regime == "eps0 <= 1" else -0.17
            for row in comparison.rows:
                if row.regime == regime:
                    _exponent(axes, row, kind, shift - names.index(row.bound))
        axes.set_ylim(0.6 - len(names), 0.6)
        axes.grid(axis="x", color="0.92", linewidth=0.6)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(0, -len(names), -1), names)
    panels[0].set_xlim(left=0.0)
    panels[1].margins(x=0.12)
    panels[2].margins(x=0.12)
    picture.legend(handles=_marks(), loc="outside lower center", ncols=4, frameon=False)
    picture.suptitle(f"How ε grows with ε₀ and shrinks with n, fitted  (δ = {power(comparison.params['delta'])})")
    return picture


def _exponent(axes: Axes, row: Any, kind: str, height: float) -> None:
    lower, upper, table = (getattr(row, f"{kind}_{end}") for end in ("lower", "upper", "table"))
    if table is not None:
        axes.plot(table, height, "o", markersize=8.0, markerfacecolor="none", markeredgecolor="0.5")
    if lower is None:
        return
    is_certified = row.bound.endswith("truth")
    if is_certified:
        axes.plot([lower, upper], [height, height], color=BLUE, linewidth=4.5, solid_capstyle="butt")
    axes.plot(
        (lower + upper) / 2, height, "|" if is_certified else "o", markersize=4.5, color=BLUE if is_certified else RED
    )


def _marks() -> list[Any]:
    return [
        Line2D([], [], color=RED, marker="o", linestyle="", markersize=4.5, label="of the formula, fitted"),
        Line2D([], [], color=BLUE, linewidth=4.5, label="of the truth, fitted to certified ends"),
        Line2D([], [], marker="o", markersize=8.0, markerfacecolor="none", markeredgecolor="0.5", linestyle="",
               label="claimed in the table"),
    ]  # fmt: skip
