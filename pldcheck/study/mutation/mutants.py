"""Theorems with one thing changed: in the formula, in where it is claimed, in its relation or in its conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

from ...theorems import GIVEN, Condition, Theorem
from . import formula_edits

ARGUMENTS = "swap two arguments"
RELATION = "flip the relation"
CONDITION = "lose a condition"
AT = "change the at"
LIMIT = "change a condition"
STRICT = "exchange < and <="
KINDS = (
    formula_edits.TERM,
    formula_edits.TWICE,
    formula_edits.HALF,
    formula_edits.EXPONENT,
    formula_edits.SIGN,
    formula_edits.FACTOR,
    formula_edits.FUNCTION,
    ARGUMENTS,
    RELATION,
    CONDITION,
    LIMIT,
    STRICT,
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
    # The theorem as it is, but that it tells ``seen`` whenever it comes to the place that is changed.
    watched: Callable[[Callable[[Any], Any]], Theorem] | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "kind": self.kind,
            "place": self.place,
            "before": self.before,
            "after": self.after,
        }


def mutants(theorem: Theorem) -> Iterator[Mutant]:
    """Yield all of them, in a fixed order."""
    for edit, formula in formula_edits.edits(theorem.formula):
        changed = replace(theorem, formula=formula)
        watched = partial(_watched, theorem, "formula", edit)
        yield Mutant(theorem.id, edit.kind, edit.place, edit.before, edit.after, changed, edit.within, watched)
    for one, other, formula in _swaps(theorem, theorem.formula):
        yield Mutant(theorem.id, ARGUMENTS, "formula", one, other, replace(theorem, formula=formula))
    for relation in FLIPPED[theorem.relation]:
        changed = replace(theorem, relation=relation)
        yield Mutant(theorem.id, RELATION, "theorem", theorem.relation, relation, changed)
    for number, condition in enumerate(theorem.conditions):
        kept = (*theorem.conditions[:number], *theorem.conditions[number + 1 :])
        # Beyond a condition a sum may have no end.
        changed = replace(theorem, conditions=kept, formula=formula_edits.counted(theorem.formula))
        yield Mutant(theorem.id, CONDITION, "theorem", condition.text, "", changed)
    yield from _limits(theorem)
    yield from _ats(theorem)


def _watched(theorem: Theorem, part: str, edit: formula_edits.Edit, seen: Callable[[Any], Any]) -> Theorem:
    changed: dict[str, Any] = {part: formula_edits.watched(getattr(theorem, part), edit, seen)}
    return replace(theorem, **changed)


def _limits(theorem: Theorem) -> Iterator[Mutant]:
    """Return each condition with another limit, or with its limit on the other side."""
    formula = formula_edits.counted(theorem.formula)
    for number, condition in enumerate(theorem.conditions):

        def changed(other: Condition, number: int = number) -> Theorem:
            conditions = (*theorem.conditions[:number], other, *theorem.conditions[number + 1 :])
            return replace(theorem, conditions=conditions, formula=formula)

        for edit, excess in formula_edits.condition_edits(condition.excess):
            mutant = changed(replace(condition, excess=excess))
            yield Mutant(theorem.id, LIMIT, condition.text, edit.before, edit.after, mutant, edit.within)
        signs = ("<", "<=") if condition.strict else ("<=", "<")
        other = changed(replace(condition, strict=not condition.strict))
        yield Mutant(theorem.id, STRICT, condition.text, *signs, other)


def _ats(theorem: Theorem) -> Iterator[Mutant]:
    """Where the quantity is claimed, changed; of what the formula calls too, the formula is not."""
    given = GIVEN[theorem.quantity]
    if theorem.at is None:
        for times in ELSEWHERE:
            changed = replace(theorem, at=_times(given, times))
            yield Mutant(theorem.id, AT, "theorem", given, f"{times:g} {given}", changed)
        return
    for edit, at in formula_edits.edits(theorem.at):
        changed = replace(theorem, at=at)
        watched = partial(_watched, theorem, "at", edit)
        yield Mutant(theorem.id, AT, edit.place, edit.before, edit.after, changed, edit.within, watched)
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
