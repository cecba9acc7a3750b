"""The part of a run that fits on a page: one theorem at one delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.errors import PldcheckError
from ..verification import Report, Row
from ..verification.suites import Point

# The most tiles of a heat map.
TILES = 400
# The most tiles side by side.
ACROSS = 40


@dataclass(frozen=True)
class Slice:
    """One theorem's rows at one delta, by point."""

    suite: str
    theorem: str
    delta: float
    rows: dict[Point, Row]

    @property
    def finite_count(self) -> int:
        """The number of rows with a finite tightness."""
        return sum(row.tightness_upper is not None for row in self.rows.values())

    @property
    def fits(self) -> bool:
        """Whether it can be drawn: few enough tiles, and positive values for logarithmic axes."""
        weights, steps, eps0 = (len(self.values(name)) for name in ("weight", "steps", "eps0"))
        positive = all(point.steps > 0 and point.eps0 > 0.0 and point.delta > 0.0 for point in self.rows)
        return positive and weights * steps <= ACROSS and weights * steps * eps0 <= TILES

    def values(self, name: str) -> list[Any]:
        """Return the different values of one of the point's numbers, ascending."""
        return sorted({getattr(point, name) for point in self.rows})

    def line(self, weight: float, eps0: float) -> list[tuple[int, Row]]:
        """Return steps and rows at one weight and eps0, the steps ascending."""
        at = (weight, eps0)
        entries = [(point.steps, row) for point, row in self.rows.items() if (point.weight, point.eps0) == at]
        return sorted(entries, key=lambda pair: pair[0])


def select_slice(report: Report) -> Slice:
    """Return the first theorem with the most computed cells at one delta, at the middle one of such deltas."""
    rows: dict[tuple[str, float], dict[Point, Row]] = {}
    for row in report.rows:
        point = Point.of(row.params)
        rows.setdefault((row.subject, point.delta), {})[point] = row
    slices = [Slice(report.suite, *key, rows[key]) for key in sorted(rows, key=lambda key: key[1])]
    if not slices:
        raise PldcheckError("a run without rows has no figures")
    most = max(part.finite_count for part in slices)
    theorem = next(id for id in report.theorems if any(s.finite_count == most for s in slices if s.theorem == id))
    best = [part for part in slices if part.theorem == theorem and part.finite_count == most]
    return best[len(best) // 2]
