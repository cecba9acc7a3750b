"""Mutants: theorems with one change of the formula, of the point of the claim, of the relation or of a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

from ...theorems import GIVEN, Condition, Theorem
from . import formula_edits, syntax_changes

# Two parameters that may be mistaken for each other are exchanged.
ARGUMENTS = "swap two arguments"
# The relation between quantity and bound is another.
RELATION = "flip the relation"
# A condition is missing.
CONDITION = "drop a condition"
# The bound is claimed at another delta, epsilon or order.
AT = "change the point of the claim"
# A number in a condition is another.
LIMIT = "change a condition"
# The limit of a condition lies on its other side.
STRICT = "exchange < and <="
# All kinds of changes.
KINDS = (
    syntax_changes.TERM,
    syntax_changes.TWICE,
    syntax_changes.HALF,
    syntax_changes.EXPONENT,
    syntax_changes.SIGN,
    syntax_changes.FACTOR,
    syntax_changes.FUNCTION,
    ARGUMENTS,
    RELATION,
    CONDITION,
    LIMIT,
    STRICT,
    AT,
)
# Parameters that may be mistaken for each other.
ALIKE = (
    {"delta", "delta0", "delta0_last", "delta1", "delta2", "beta"},
    {"steps", "window", "clients", "dimension", "bin_norm"},
    {"eps0", "eps0_last", "epsilon"},
    {"weight", "check_in_prob", "rate", "tv", "decay", "heads_p", "heads_q"},
)
# The relations that may stand in place of each relation.
OTHER_RELATIONS = {"<=": (">=",), ">=": ("<=",), "=": ("<=", ">=")}
# Factors of the point of the claim, for theorems that claim their bound at the delta, epsilon or order of the caller.
ELSEWHERE = (0.5, 2.0)


@dataclass(frozen=True)
class Mutant:
    """A theorem with one change: of ``before`` to ``after`` in the function ``place``, or in the theorem itself.

    ``changed_theorem`` is the theorem with the change, ``within`` the kind of statement in which the change is made.
    """

    theorem: str
    kind: str
    place: str
    before: str
    after: str
    changed_theorem: Theorem = field(repr=False, compare=False)
    within: str = ""
    # Returns the theorem without the change; it passes each value at the place of the change through a function.
    watch: Callable[[Callable[[Any], Any]], Theorem] | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain values, ready for JSON."""
        return {
            "theorem": self.theorem,
            "kind": self.kind,
            "place": self.place,
            "before": self.before,
            "after": self.after,
        }


def mutants(theorem: Theorem) -> Iterator[Mutant]:
    """Yield all mutants of a theorem, in a fixed order."""
    for edit, formula in formula_edits.edits(theorem.formula):
        mutant_theorem = replace(theorem, formula=formula)
        watch = partial(_watch, theorem, "formula", edit)
        yield Mutant(theorem.id, edit.kind, edit.place, edit.before, edit.after, mutant_theorem, edit.within, watch)
    for one, other, formula in _swaps(theorem, theorem.formula):
        yield Mutant(theorem.id, ARGUMENTS, "formula", one, other, replace(theorem, formula=formula))
    for relation in OTHER_RELATIONS[theorem.relation]:
        mutant_theorem = replace(theorem, relation=relation)
        yield Mutant(theorem.id, RELATION, "theorem", theorem.relation, relation, mutant_theorem)
    for number, condition in enumerate(theorem.conditions):
        others = (*theorem.conditions[:number], *theorem.conditions[number + 1 :])
        # Beyond a condition a sum may not end, so that its turns are counted.
        mutant_theorem = replace(theorem, conditions=others, formula=formula_edits.with_counted_loops(theorem.formula))
        yield Mutant(theorem.id, CONDITION, "theorem", condition.text, "", mutant_theorem)
    yield from _limits(theorem)
    yield from _claim_points(theorem)


def _watch(theorem: Theorem, part: str, edit: formula_edits.Edit, record: Callable[[Any], Any]) -> Theorem:
    parts: dict[str, Any] = {part: formula_edits.watch(getattr(theorem, part), edit, record)}
    return replace(theorem, **parts)


def _limits(theorem: Theorem) -> Iterator[Mutant]:
    """Yield the mutants of each condition: with another limit, and with its limit on the other side."""
    formula = formula_edits.with_counted_loops(theorem.formula)
    for number, condition in enumerate(theorem.conditions):

        def with_condition(other: Condition, number: int = number) -> Theorem:
            conditions = (*theorem.conditions[:number], other, *theorem.conditions[number + 1 :])
            return replace(theorem, conditions=conditions, formula=formula)

        for edit, excess in formula_edits.condition_edits(condition.excess):
            mutant = with_condition(replace(condition, excess=excess))
            yield Mutant(theorem.id, LIMIT, condition.text, edit.before, edit.after, mutant, edit.within)
        signs = ("<", "<=") if condition.strict else ("<=", "<")
        other = with_condition(replace(condition, strict=not condition.strict))
        yield Mutant(theorem.id, STRICT, condition.text, *signs, other)


def _claim_points(theorem: Theorem) -> Iterator[Mutant]:
    """Yield the mutants of the point of the claim; a helper that the formula shares is changed for the point only."""
    point = GIVEN[theorem.quantity]
    if theorem.at is None:
        for times in ELSEWHERE:
            mutant_theorem = replace(theorem, at=_times(point, times))
            yield Mutant(theorem.id, AT, "theorem", point, f"{times:g} {point}", mutant_theorem)
        return
    for edit, at in formula_edits.edits(theorem.at):
        mutant_theorem = replace(theorem, at=at)
        watch = partial(_watch, theorem, "at", edit)
        yield Mutant(theorem.id, AT, edit.place, edit.before, edit.after, mutant_theorem, edit.within, watch)
    for one, other, at in _swaps(theorem, theorem.at):
        yield Mutant(theorem.id, AT, "at", one, other, replace(theorem, at=at))


def _times(point: str, times: float) -> Callable[..., float]:
    return lambda **params: times * params[point]


def _swaps(theorem: Theorem, function: Callable[..., float]) -> Iterator[tuple[str, str, Callable[..., float]]]:
    for one, other in combinations(theorem.parameters, 2):
        if any({one, other} <= group for group in ALIKE):
            yield one, other, _swap(function, one, other)


def _swap(function: Callable[..., float], one: str, other: str) -> Callable[..., float]:
    return lambda **params: function(**{**params, one: params[other], other: params[one]})
