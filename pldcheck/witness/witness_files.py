"""Witness files: the mechanism behind a violated row or a lower end, written out in exact numbers.

One JSON object, which a program of under 130 lines verifies without the rest of this package::

    {"pldcheck_witness": 1,
     "of": {"theorem": "krr-merged", "params": {"clients": 2, "eps0": 1.0, "categories": 3}},
     "claim": {"quantity": "delta", "relation": "<=", "epsilon": "0.8000...", "delta": "0.02724...",
               "params": {"clients": 2, "eps0": 1.0, "categories": 3}, "adjacency": "replace"},
     "mechanism": {"kind": "shuffle", "record": ["2/3", ...], "replacement": [...], "reference": [...], "sizes": [...]},
     "delta_attained_at_least": "0.0601651962"}

``pldcheck_witness`` is 1 for one randomizer (:mod:`pldcheck.witness.checker`), 2 for what is composed
(:mod:`pldcheck.witness.composed_checker`), 3 for an adaptive policy (:mod:`pldcheck.witness.adaptive`).  Numbers are
JSON numbers, which stand for the double nearest to them, or texts: decimals or ratios, exact.  ``claim`` says that
every mechanism of the class in ``params``, or in ``parts``, is (epsilon, delta)-DP; epsilon or delta, whichever the
theorem computes, is raised by the error granted to its formula.  ``mechanism`` is one of that class that is not: the
output probabilities of the record, of its replacement and of all others.  In K-ary randomized response output j stands
for ``sizes[j]`` answers.  ``delta_attained_at_least`` is above delta.  ``of`` tells what the class was asked for, as
the rest of the package names it: that a protocol reduces to the class is its word, not the program's.

The rows are exactly eps0-DP: their x is a rational below e^eps0, or they are mixed with their mean a little.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import singledispatch
from math import expm1, inf, log1p
from typing import Any

from ..core.errors import PldcheckError, UnknownNameError, Unsupported
from ..core.outward_decimals import down
from ..protocols import Averaged, CheckIn, HiddenSlot, Protocol, Shuffle, SlidingWindow, Swap
from ..protocols.capabilities import NOISE_HAS_NO_TABLE
from ..randomizers import Worst
from ..theorems import REGISTRY, Theorem
from ..verification import FORMULA_SLACK, Row, Verdict, bounded
from . import attaining_parts, checker, single_witness
from .checker_programs import check
from .composition_witness import Composed
from .single_witness import Single

# By how much epsilon falls behind a lower end, relatively, for its mechanism to be seen to attain more than delta.
BEHIND = (
    1e-12,
    1e-9,
    1e-7,
    1e-5,
    1e-4,
    3e-4,
    6e-4,
    1e-3,
    0.002,
    0.004,
    0.007,
    0.01,
    0.015,
    0.02,
    0.03,
    0.05,
    0.1,
    0.2,
    0.3,
)
# Behind by no more than this, a file is said to attain the lower end.
NEAR = 1e-6
# The epsilon written where delta is attained at every one.
LARGE = 100.0
# Relative round-off of a weight computed here.
FEW = 1e-12

Candidate = Single | Composed


def of_row(row: Row, theorem: Theorem | None = None) -> dict[str, Any]:
    """Return the witness file of a violated row; ``theorem``: where it is none of the registry.

    Raises
    ------
    PldcheckError
        With the reason why there is none: it is not violated, or its mechanism is of a kind that cannot be written.

    """
    if row.verdict is not Verdict.VIOLATED or row.analytic is None or not row.theorem:
        raise PldcheckError(f"{row.subject} is {row.verdict} there: nothing to be refuted")
    if theorem is None:
        if row.theorem not in REGISTRY:
            raise UnknownNameError("theorem", row.theorem, REGISTRY)
        theorem = REGISTRY[row.theorem]
    bound = theorem(**row.params)
    if theorem.relation == ">=" or bound.quantity not in ("epsilon", "delta"):
        raise PldcheckError(f"{theorem.id} claims {theorem.claim}: a mechanism cannot refute it")
    if row.upper is not None and row.analytic > row.upper:
        raise PldcheckError(f"{theorem.id} claims more than the upper end: a mechanism cannot refute it")
    instance = bounded(theorem, bound).protocol
    raised = _text(Fraction(row.analytic) * (1 + Fraction(FORMULA_SLACK)), ROUND_CEILING, 20)
    given = format(Decimal(float(bound.at)), "f")
    epsilon, delta = (raised, given) if bound.quantity == "epsilon" else (given, raised)
    words = {name: value for name, value in row.params.items() if name not in ("epsilon", "delta")}
    facts = _facts({"theorem": theorem.id, "params": dict(row.params)}, bound.quantity, epsilon, delta)
    for candidate in _candidates(instance, float(epsilon), float(delta), row.witness, words):
        made = _completed(facts, candidate)
        if made:
            return made
    raise PldcheckError(f"{theorem.id}: no mechanism that can be written out attains more than is claimed")


def of_question(protocol: Protocol, delta: float) -> dict[str, Any]:
    """Return the witness file of the lower end of ``protocol.epsilon(delta)``, or of what comes near it.

    Under ``note`` it says so if more is attained by what is not written out.

    Raises
    ------
    PldcheckError
        As :func:`of_row`; the lower end may be 0.

    """
    instance, at = protocol.reduced, float(delta)
    _supported(instance)
    found = protocol.epsilon(at)
    if found.lower <= 0.0:
        raise PldcheckError(f"{protocol.name}: epsilon may be 0 at delta = {at!r}, nothing to be shown")
    lower = min(found.lower, LARGE)
    candidates = list(_candidates(instance, lower, at, found.witness, None))
    of = {"protocol": protocol.name, "params": protocol.params()}
    for behind in BEHIND:
        epsilon = format(Decimal(lower * (1.0 - behind) if found.lower < inf else LARGE), "f")
        facts = _facts(of, "epsilon", epsilon, format(Decimal(at), "f"))
        for candidate in candidates:
            made = _completed(facts, candidate) if candidate.behind <= behind else None
            if made:
                return made | ({"note": _note(found, candidate, behind)} if behind > NEAR else {})
    raise PldcheckError(f"{protocol.name}: no mechanism that can be written out comes near the lower end")


def dumps(facts: Mapping[str, Any]) -> bytes:
    """Return the file's content."""
    return (json.dumps(facts, allow_nan=False, indent=1) + "\n").encode()


def _note(found: Any, candidate: Candidate, behind: float) -> str:
    """Return what attains more."""
    said = f"{behind:g} below the lower end, epsilon = {down(found.lower, 9)}"
    if candidate.number == 3:
        return f"{said}: its policy sees sums of rounded scores here"
    if (found.witness or {}).get("kind") == "policy":
        return f"{said}: an adaptive policy attains it, too long for a file or with too many sums of scores for a check"
    return f"{said}: {found.sources[0]}" if found.sources else said


def _text(value: Fraction, rounding: str, digits: int) -> str:
    context = Context(prec=digits, rounding=rounding)
    return format(context.divide(Decimal(value.numerator), Decimal(value.denominator)), "f")


def _facts(of: Mapping[str, Any], quantity: str, epsilon: str, delta: str) -> dict[str, Any]:
    """Return the file without its mechanism."""
    return {"of": of, "claim": {"quantity": quantity, "relation": "<=", "epsilon": epsilon, "delta": delta}}


def has_maker(kind: type[Protocol]) -> bool:
    """Return whether witness files can be made of a protocol, some of its randomizers apart."""
    return attaining_parts.has_responses(kind) or _plain.dispatch(kind) is not _plain.dispatch(object)


def _supported(instance: Protocol) -> None:
    """Raises where no mechanism can be written."""
    randomizer = vars(instance).get("randomizer", Worst())
    if not randomizer.finite:
        raise Unsupported(f"randomizer {randomizer}", "witness files", NOISE_HAS_NO_TABLE)
    if not has_maker(type(instance)):
        raise Unsupported(instance.name, "witness files", instance.unwritten or "no maker is registered for it")


@singledispatch
def _plain(instance: Protocol) -> HiddenSlot | Shuffle:
    """The slots or messages that it is where all other records are alike; raises Unsupported where it is none."""
    raise Unsupported(instance.name, "witness files", instance.unwritten or "no maker is registered for it")


@_plain.register(HiddenSlot)
@_plain.register(Shuffle)
def _(instance: HiddenSlot | Shuffle) -> HiddenSlot | Shuffle:
    return instance


@_plain.register
def _(instance: CheckIn) -> HiddenSlot:
    steps, clients, share = instance.steps, instance.clients or 1, instance.check_in_prob / instance.steps
    # The probability to check in and to be drawn: p/(1 + how many others there are).
    some = -expm1(clients * log1p(-share)) if share < 1.0 else 1.0
    weight = some * steps / clients * (1.0 - FEW)
    return HiddenSlot(steps, instance.eps0, weight, epochs=instance.epochs, delta0=instance.delta0)


@_plain.register
def _(instance: SlidingWindow) -> HiddenSlot:
    return instance.slots[0]


@_plain.register
def _(instance: Averaged) -> Shuffle:
    return Shuffle(instance.clients, instance.eps0)


@_plain.register
def _(instance: Swap) -> HiddenSlot:
    return HiddenSlot(instance.clients, instance.eps0)


def _candidates(
    instance: Protocol, epsilon: float, delta: float, witness: Mapping[str, Any] | None, words: Mapping[str, Any] | None
) -> Iterator[Candidate]:
    """Mechanisms that may do, what the engine found first; ``words``: a theorem's own parameters."""
    _supported(instance)
    if attaining_parts.has_responses(type(instance)):
        yield from (Composed(found, way, epsilon, delta) for found, way in attaining_parts.of_responses(instance))
        return
    plain = _plain(instance)
    # What is there if the record is not revealed.
    witness = (witness or {}).get("otherwise", witness)
    once = plain.rounds == 1 if isinstance(plain, Shuffle) else plain.epochs == 1 and plain.delta0 == 0.0
    if once:
        known = {*checker.KINDS[single_witness.KINDS[type(plain)]], "eps0"}
        yield from single_witness.of_slots(plain, witness, words if words and words.keys() <= known else None)
        if not {"categories", "tv"}.isdisjoint(single_witness.params(plain, witness)):
            return
    yield from (Composed(found, way, epsilon, delta) for found, way in attaining_parts.of_slots(plain, delta, witness))


def _completed(facts: Mapping[str, Any], candidate: Candidate) -> dict[str, Any] | None:
    """Return the file with this mechanism, if its program accepts it."""
    claim = {**facts["claim"], **candidate.claim}
    delta = Fraction(claim["delta"])
    if not candidate.attains(Fraction(claim["epsilon"]), delta):
        return None
    made = {"pldcheck_witness": candidate.number, **facts, "claim": claim, "mechanism": candidate.mechanism}
    try:
        # Any number above delta will do until the delta attained is known.
        least = _text(delta * (1 + Fraction(1, 10**15)), ROUND_CEILING, 20)
        found = check({**made, "delta_attained_at_least": least})
    except ValueError:
        return None
    below = (_text(found, ROUND_FLOOR, digits) for digits in (9, 20, 60))
    return {**made, "delta_attained_at_least": next(text for text in below if Fraction(text) > delta)}
