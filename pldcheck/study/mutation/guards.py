"""The guards against a wrong formula: each returns what it notices of one mutant, or None."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ...core.interval import Interval
from ...theorems import REGISTRY, Theorem
from ...verification import Row, Verdict, judge, suites, verify
from ...verification.runs import results_tree, run_store
from .comparison_points import OUTSIDE, VALUE, Outcome, Outcomes, Params, close, outcome, same
from .mutants import Mutant
from .proof_formulas import NEAR, formula_sides

# The guard of certified intervals.
SOUNDNESS = "soundness"
# The guard of stored runs.
GOLDENS = "goldens"
# The guard of pinned points.
POINTS = "points"
# The guard of audited proofs.
AUDIT = "audit"
# All guards; each is a function of this module.
GUARDS = (SOUNDNESS, GOLDENS, POINTS, AUDIT)
# The guards that do not depend on values of the formula: the certified truth, and the formula in an audited proof.
INDEPENDENT = (SOUNDNESS, AUDIT)
# Relative difference above which a value differs from a stored one, beyond the rounding of another machine.
GOLDEN = 1e-12
# Relative width above which a certified interval is left out: it would hardly decide about a mutant.
NARROW = 0.5


@dataclass(frozen=True)
class Evidence:
    """The facts about a theorem that guards use: rows of stored runs, and pinned points with their outcomes."""

    rows: tuple[Row, ...] = field(repr=False)
    points: tuple[tuple[Params, Outcome], ...] = field(repr=False)
    wide: int = 0

    @property
    def intervals(self) -> tuple[Row, ...]:
        """The rows with a certified interval that is narrow enough to judge a mutant by."""
        return tuple(row for row in self.rows if row.lower is not None and not _wide(row))


def evidence(theorem: Theorem, folder: str | Path, points: Iterable[tuple[Params, Outcome]]) -> Evidence:
    """Return the rows of the runs in a folder, with the pinned points; a suite without a run there is run."""
    rows = tuple(row for name in suites.NAMES for row in _rows(name, theorem, Path(folder)))
    return Evidence(rows, tuple(points), sum(map(_wide, rows)))


def _rows(name: str, theorem: Theorem, folder: Path) -> tuple[Row, ...]:
    job = suites.find(name)
    if theorem not in job.theorems:
        return ()
    path = results_tree.locate_run(folder, name)
    rows = _read(path) if path.is_file() else verify(job, [theorem.id]).rows
    return tuple(row for row in rows if row.theorem == theorem.id)


@lru_cache(maxsize=8)
def _read(path: Path) -> tuple[Row, ...]:
    return tuple(run_store.read(path).rows)


def _wide(row: Row) -> bool:
    return row.lower is not None and row.upper is not None and row.upper - row.lower > NARROW * row.upper > 1e-290


def soundness(mutant: Mutant, facts: Evidence, outcomes: Outcomes) -> str | None:
    """Return where the certified truth contradicts the changed claim, or agrees with that of a false theorem."""
    theorem, original = mutant.changed_theorem, REGISTRY[mutant.theorem]
    for row in facts.intervals:
        kind, value, at = outcomes.at(row.params)
        if kind != VALUE or row.lower is None or row.upper is None or at != outcome(original, row.params)[2]:
            continue  # the claim is made elsewhere, where the true value differs
        verdict = judge(value, Interval(row.lower, row.upper, theorem.quantity), theorem.relation)
        flips = row.verdict is Verdict.VIOLATED and verdict is Verdict.HOLDS
        unsure = verdict is Verdict.UNDECIDED and theorem.relation != original.relation
        if flips or unsure or (verdict is Verdict.VIOLATED and row.verdict is not verdict):
            return f"{verdict} at {_point_words(row.params)}"
    return None


def goldens(mutant: Mutant, facts: Evidence, outcomes: Outcomes) -> str | None:
    """Return where a stored run has another value of the formula, or another judgement of its conditions."""
    for row in facts.rows:
        kind, value, _ = outcomes.at(row.params)
        if row.analytic is None:
            if row.verdict is Verdict.OUT_OF_CONDITIONS and kind != OUTSIDE:
                return f"inside its conditions at {_point_words(row.params)}, where the theorem is outside"
        elif kind != VALUE:
            return f"no value at {_point_words(row.params)}"
        elif not close(value, row.analytic, GOLDEN):
            return f"{value:.6g} in place of {row.analytic:.6g} at {_point_words(row.params)}"
    return None


def points(mutant: Mutant, facts: Evidence, outcomes: Outcomes) -> str | None:
    """Return how the relation, or the outcome at a point, differs from the one that mutation.json pins."""
    relation = REGISTRY[mutant.theorem].relation
    if mutant.changed_theorem.relation != relation:
        return f"{mutant.changed_theorem.relation} in place of {relation}"
    for params, stored_outcome in facts.points:
        actual = outcomes.at(params)
        if not same(actual, stored_outcome, GOLDEN):
            return f"{_outcome_words(actual)} in place of {_outcome_words(stored_outcome)} at {_point_words(params)}"
    return None


def audit(mutant: Mutant, facts: Evidence, outcomes: Outcomes) -> str | None:
    """Return where a line of the audited proof, which equals the formula, differs from the changed one."""
    for step, part, values in formula_sides(mutant.theorem):
        for params, side in values:
            kind, value, at = outcomes.at(params)
            if kind != VALUE:
                return f"no value at {_point_words(params)}, where {step} has one"
            actual = value if part == VALUE else at
            if not close(actual, side, NEAR):
                return f"{actual:.6g} at {_point_words(params)}, where {step} is {side:.6g}"
    return None


def _outcome_words(result: Outcome) -> str:
    return f"{result[1]:.6g} at {result[2]:.6g}" if result[0] == VALUE else result[0]


def _point_words(params: Params) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in params.items())
