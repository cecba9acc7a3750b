"""What stands between a wrong formula and a release: each guard, held against one mutant, tells how it notices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ...core.interval import Interval
from ...theorems import REGISTRY, Theorem
from ...verification import Row, Verdict, judge, suites, verify
from ...verification.runs import results_tree, run_store
from .comparison_points import OUTSIDE, VALUE, Outcome, Params, Said, close, outcome, same
from .mutants import Mutant
from .proof_formulas import NEAR, written

SOUNDNESS = "soundness"
GOLDENS = "goldens"
POINTS = "points"
AUDIT = "audit"
GUARDS = (SOUNDNESS, GOLDENS, POINTS, AUDIT)
# Those that know more than what the formula itself said before: the certified truth, and the formula in other hands.
INDEPENDENT = (SOUNDNESS, AUDIT)
# Relative difference at which a stored value of a formula is another one.
GOLDEN = 1e-12
# An interval contains the truth whatever code found it; wider than this, relatively, it decides next to nothing.
NARROW = 0.5


@dataclass(frozen=True)
class Evidence:
    """What the guards know of a theorem: rows of runs, and points with what it says there."""

    rows: tuple[Row, ...] = field(repr=False)
    points: tuple[tuple[Params, Outcome], ...] = field(repr=False)
    wide: int = 0

    @property
    def intervals(self) -> tuple[Row, ...]:
        """The rows whose intervals are narrow enough to judge by."""
        return tuple(row for row in self.rows if row.lower is not None and not _wide(row))


def evidence(theorem: Theorem, folder: str | Path, points: Iterable[tuple[Params, Outcome]]) -> Evidence:
    """Return rows stored in a folder, or made by ``verify`` where a suite has no run there; the points as they are."""
    rows = tuple(row for name in suites.NAMES for row in _rows(name, theorem, Path(folder)))
    return Evidence(rows, tuple(points), sum(map(_wide, rows)))


def _rows(name: str, theorem: Theorem, folder: Path) -> tuple[Row, ...]:
    job = suites.find(name)
    if theorem not in job.theorems:
        return ()
    path = results_tree.locate(folder, f"{name}.jsonl")
    rows = _read(path) if path.is_file() else verify(job, [theorem.id]).rows
    return tuple(row for row in rows if row.theorem == theorem.id)


@lru_cache(maxsize=8)
def _read(path: Path) -> tuple[Row, ...]:
    return run_store.read(path).rows


def _wide(row: Row) -> bool:
    return row.lower is not None and row.upper is not None and row.upper - row.lower > NARROW * row.upper > 1e-290


def soundness(mutant: Mutant, known: Evidence, said: Said) -> str | None:
    """Return the certified truth contradicts the claim, or no longer contradicts that of a false theorem."""
    theorem, original = mutant.changed, REGISTRY[mutant.theorem]
    for row in known.intervals:
        kind, value, at = said.at(row.params)
        if kind != VALUE or row.lower is None or row.upper is None or at != outcome(original, row.params)[2]:
            continue  # elsewhere the truth is another
        verdict = judge(value, Interval(row.lower, row.upper, theorem.quantity), theorem.relation)
        turned = row.verdict is Verdict.VIOLATED and verdict is Verdict.HOLDS
        unsure = verdict is Verdict.UNDECIDED and theorem.relation != original.relation
        if turned or unsure or (verdict is Verdict.VIOLATED and row.verdict is not verdict):
            return f"{verdict} at {_shown(row.params)}"
    return None


def goldens(mutant: Mutant, known: Evidence, said: Said) -> str | None:
    """Return a stored run has another value of the formula, or none."""
    for row in known.rows:
        kind, value, _ = said.at(row.params)
        if row.analytic is None:
            if row.verdict is Verdict.OUT_OF_CONDITIONS and kind != OUTSIDE:
                return f"no longer outside its conditions at {_shown(row.params)}"
        elif kind != VALUE:
            return f"no value at {_shown(row.params)}"
        elif not close(value, row.analytic, GOLDEN):
            return f"{value:.6g} in place of {row.analytic:.6g} at {_shown(row.params)}"
    return None


def points(mutant: Mutant, known: Evidence, said: Said) -> str | None:
    """What is pinned in results/mutation.json is another: the relation, or what is said at a point, and where."""
    relation = REGISTRY[mutant.theorem].relation
    if mutant.changed.relation != relation:
        return f"{mutant.changed.relation} in place of {relation}"
    for params, wanted in known.points:
        found = said.at(params)
        if not same(found, wanted, GOLDEN):
            return f"{_shortly(found)} in place of {_shortly(wanted)} at {_shown(params)}"
    return None


def audit(mutant: Mutant, known: Evidence, said: Said) -> str | None:
    """Return a line of the proof, as the audit has it, is the formula no longer."""
    for step, part, values in written(mutant.theorem):
        for params, wanted in values:
            kind, value, at = said.at(params)
            if kind != VALUE:
                return f"no value, {step} has one at {_shown(params)}"
            found = value if part == VALUE else at
            if not close(found, wanted, NEAR):
                return f"{found:.6g}, {step} is {wanted:.6g} at {_shown(params)}"
    return None


def _shortly(found: Outcome) -> str:
    return f"{found[1]:.6g} at {found[2]:.6g}" if found[0] == VALUE else found[0]


def _shown(params: Params) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in params.items())
