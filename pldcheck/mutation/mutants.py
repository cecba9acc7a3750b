"""Theorems with one thing changed: in the formula, in where it is claimed, in its relation or in its conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from ..theorems import GIVEN, Theorem
from . import source

ARGUMENTS, RELATION, CONDITION, AT = "swap two arguments", "flip the relation", "lose a condition", "change the at"
KINDS = (
    source.TERM,
    source.TWICE,
    source.HALF,
    source.EXPONENT,
    source.SIGN,
    source.FACTOR,
    source.FUNCTION,
    ARGUMENTS,
    RELATION,
    CONDITION,
    AT,
)
# Parameters that may be mistaken for each other.
ALIKE = (
    {"delta", "delta0", "delta1", "delta2", "beta"},
    {"steps", "window", "clients", "dimension", "bin_norm"},
    {"eps0", "eps0_last", "epsilon"},
    {"weight", "check_in_prob", "rate", "tv", "decay", "heads_p", "heads_q"},
)
FLIPPED = {"<=": (">=",), ">=": ("<=",), "=": ("<=", ">=")}
# By how much a theorem that is claimed at what is given is claimed elsewhere.
ELSEWHERE = (0.5, 2.0)


@dataclass(frozen=True)
class Mutant:
    """A theorem with one change: of ``before`` to ``after`` in the function ``place``, or in the theorem itself."""

    theorem: str
    kind: str
    place: str
    before: str
    after: str
    changed: Theorem = field(repr=False, compare=False)
    within: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "kind": self.kind,
            "place": self.place,
            "before": self.before,
            "after": self.after,
        }


def mutants(theorem: Theorem) -> Iterator[Mutant]:
    """All of them, in a fixed order."""
    for edit, formula in source.edits(theorem.formula):
        changed = replace(theorem, formula=formula)
        yield Mutant(theorem.id, edit.kind, edit.place, edit.before, edit.after, changed, edit.within)
    for one, other, formula in _swaps(theorem, theorem.formula):
        yield Mutant(theorem.id, ARGUMENTS, "formula", one, other, replace(theorem, formula=formula))
    for relation in FLIPPED[theorem.relation]:
        changed = replace(theorem, relation=relation)
        yield Mutant(theorem.id, RELATION, "theorem", theorem.relation, relation, changed)
    for number, condition in enumerate(theorem.conditions):
        kept = (*theorem.conditions[:number], *theorem.conditions[number + 1 :])
        # Beyond a condition a sum may have no end.
        changed = replace(theorem, conditions=kept, formula=source.counted(theorem.formula))
        yield Mutant(theorem.id, CONDITION, "theorem", condition.text, "", changed)
    yield from _ats(theorem)


def _ats(theorem: Theorem) -> Iterator[Mutant]:
    """Where the quantity is claimed, changed; of what the formula calls too, the formula is not."""
    given = GIVEN[theorem.quantity]
    if theorem.at is None:
        for times in ELSEWHERE:
            changed = replace(theorem, at=_times(given, times))
            yield Mutant(theorem.id, AT, "theorem", given, f"{times:g} {given}", changed)
        return
    for edit, at in source.edits(theorem.at):
        changed = replace(theorem, at=at)
        yield Mutant(theorem.id, AT, edit.place, edit.before, edit.after, changed, edit.within)
    for one, other, at in _swaps(theorem, theorem.at):
        yield Mutant(theorem.id, AT, "at", one, other, replace(theorem, at=at))


def _times(given: str, times: float) -> Callable[..., float]:
    return lambda **params: times * params[given]


def _swaps(theorem: Theorem, function: Callable[..., float]) -> Iterator[tuple[str, str, Callable[..., float]]]:
    for one, other in combinations(theorem.parameters, 2):
        if any({one, other} <= group for group in ALIKE):
            yield one, other, _swapped(function, one, other)


def _swapped(function: Callable[..., float], one: str, other: str) -> Callable[..., float]:
    return lambda **params: function(**{**params, one: params[other], other: params[one]})
