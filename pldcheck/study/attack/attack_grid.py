"""Attacks on a grid of hidden slots: they come near the certified intervals and never exceed them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

from ...protocols import HiddenSlot
from .run_attack import attack

# Numbers of slots of the grid.
STEPS = (10, 100, 1_000, 10_000)
# Budgets of the grid.
EPS0 = (0.5, 1.0, 3.0)
# Values of delta of the grid.
DELTAS = (1e-3, 1e-6, 1e-9)
# The title of the stored result.
TITLE = "Attacks on a hidden slot (empirical) against the certified intervals"


@dataclass(frozen=True)
class AttackRow:
    """One attack of the grid: the certified ends of epsilon, and the empirical limits of the attack."""

    steps: int
    eps0: float
    delta: float
    certified_lower: float
    certified_upper: float
    epsilon_lower: float
    attained_lower: float
    attained_upper: float
    by_events: float
    randomizer: str
    verdict: str
    seconds: float = field(default=0.0, compare=False)

    @property
    def agrees(self) -> bool:
        """Whether the range that the attack reaches and the certified interval have a point in common."""
        return self.attained_lower <= self.certified_upper and self.certified_lower <= self.attained_upper


@dataclass(frozen=True)
class Agreement:
    """All attacks of a grid; all numbers but the certified ends are empirical."""

    params: Mapping[str, Any] = field(hash=False)
    rows: tuple[AttackRow, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the attacks as plain values, ready for JSON, without the times, which differ from run to run."""
        rows = [asdict(row) | {"agrees": row.agrees} for row in self.rows]
        for row in rows:
            del row["seconds"]
        return {"attack": "agreement", "title": TITLE, "empirical": True, "params": dict(self.params), "rows": rows}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Agreement:
        """Return the answer that :meth:`to_dict` has stored; raises TypeError for rows of another kind."""
        rows = ({key: value for key, value in row.items() if key != "agrees"} for row in values["rows"])
        return cls(dict(values["params"]), tuple(AttackRow(**row) for row in rows))


def agreement(
    *,
    steps: Sequence[int] = STEPS,
    eps0: Sequence[float] = EPS0,
    deltas: Sequence[float] = DELTAS,
    transcripts: int = 10**5,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Agreement:
    """Return the attacks at all points of a grid.  Raises ParameterError for a value that is not allowed."""
    points, rows = list(product(steps, eps0, deltas)), []
    for m, budget, delta in points:
        result = attack(HiddenSlot(m, budget), delta=delta, transcripts=transcripts, seed=seed)
        rows.append(
            AttackRow(
                *(m, budget, delta, result.certified.lower, result.certified.upper),
                *(result.epsilon_lower, result.attained.lower, result.attained.upper, result.by_events),
                *(result.randomizer, result.verdict, result.seconds),
            )
        )
        if progress:
            progress(len(rows), len(points))
    grid = {"steps": list(steps), "eps0": list(eps0), "deltas": list(deltas)}
    return Agreement({**grid, "transcripts": transcripts, "seed": seed}, tuple(rows))
