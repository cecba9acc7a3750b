"""The attack on a grid of hidden slots: how near it comes to what is certified, and that it never comes beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

from ...protocols import HiddenSlot
from .run_attack import attack

STEPS = (10, 100, 1_000, 10_000)
EPS0 = (0.5, 1.0, 3.0)
DELTAS = (1e-3, 1e-6, 1e-9)
TITLE = "Attacks on a hidden slot (empirical) against the certified intervals"


@dataclass(frozen=True)
class Tried:
    """One attack: the certified ends of epsilon, and what was shown."""

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
        """Whether what the attack reaches and the certified interval have a point in common."""
        return self.attained_lower <= self.certified_upper and self.certified_lower <= self.attained_upper


@dataclass(frozen=True)
class Agreement:
    """All attacks of a grid, empirical but for the certified ends."""

    params: Mapping[str, Any] = field(hash=False)
    rows: tuple[Tried, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; without the times, which differ from run to run."""
        rows = [asdict(row) | {"agrees": row.agrees} for row in self.rows]
        for row in rows:
            del row["seconds"]
        return {"attack": "agreement", "title": TITLE, "empirical": True, "params": dict(self.params), "rows": rows}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Agreement:
        """Return the inverse of :meth:`to_dict`; raises TypeError for rows of another kind."""
        rows = ({key: value for key, value in row.items() if key != "agrees"} for row in values["rows"])
        return cls(dict(values["params"]), tuple(Tried(**row) for row in rows))


def agreement(
    *,
    steps: Sequence[int] = STEPS,
    eps0: Sequence[float] = EPS0,
    deltas: Sequence[float] = DELTAS,
    transcripts: int = 10**5,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Agreement:
    """Return the attack at every point.  Raises ParameterError for a value that is not allowed."""
    points, rows = list(product(steps, eps0, deltas)), []
    for m, budget, delta in points:
        found = attack(HiddenSlot(m, budget), delta=delta, transcripts=transcripts, seed=seed)
        assert found.attained is not None  # the protocol itself ran
        rows.append(
            Tried(
                m,
                budget,
                delta,
                found.certified.lower,
                found.certified.upper,
                found.epsilon_lower,
                found.attained.lower,
                found.attained.upper,
                found.by_events,
                found.randomizer,
                found.verdict,
                found.seconds,
            )
        )
        if progress:
            progress(len(rows), len(points))
    given = {"steps": list(steps), "eps0": list(eps0), "deltas": list(deltas)}
    return Agreement({**given, "transcripts": transcripts, "seed": seed}, tuple(rows))
