"""Witness files: the mechanism behind a violated row or a lower end, in exact numbers.

A file is one JSON object, which a program of :mod:`pldcheck.checkers` verifies without the rest of this package::

    {"pldcheck_witness": 1,
     "of": {"theorem": "krr-merged", "params": {"clients": 2, "eps0": 1.0, "categories": 3}},
     "claim": {"quantity": "delta", "relation": "<=", "epsilon": "0.8000...", "delta": "0.02724...",
               "params": {"clients": 2, "eps0": 1.0, "categories": 3}, "adjacency": "replace"},
     "mechanism": {"kind": "shuffle", "record": ["2/3", ...], "replacement": [...], "reference": [...], "sizes": [...]},
     "delta_attained_at_least": "0.0601651962"}

* ``pldcheck_witness`` is 1 for one randomizer (:mod:`pldcheck.checkers.lower_single`), 2 for a composition
  (:mod:`pldcheck.checkers.lower_composed`), 3 for an adaptive policy (:mod:`pldcheck.checkers.lower_adaptive`).
* ``of`` names the theorem or the protocol with its parameters.  The program does not check that the theorem makes the
  claim, or that the protocol reduces to the class; :func:`pldcheck.witness.examine` does.
* ``claim`` states that every mechanism of the class in ``params``, or in ``parts``, is (epsilon, delta)-DP.  Epsilon or
  delta, whichever the theorem computes, is raised by the error granted to its formula.
* ``mechanism`` is one of that class for which the claim is false: the output probabilities of the record, of its
  replacement and of all others.  In K-ary randomized response, output j stands for ``sizes[j]`` answers.
* ``delta_attained_at_least`` is a delta that the mechanism attains, above that of the claim.

Numbers are JSON numbers, which stand for the double nearest to them, or texts, which are exact decimals or ratios.
The rows are exactly eps0-DP: their likelihood ratios are powers of a rational number below e^eps0, or the rows are
mixed with a small share of their mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import singledispatch
from math import expm1, inf, log1p
from typing import Any

from ..checkers import lower_single
from ..checkers.programs import WITNESSES
from ..core.errors import PldcheckError, UnknownNameError, Unsupported
from ..core.outward_decimals import down
from ..protocols import Averaged, CheckIn, Composition, HiddenSlot, OwnMechanism, Protocol, Shuffle, SlidingWindow, Swap
from ..protocols.capabilities import NOISE_HAS_NO_TABLE
from ..randomizers import Worst
from ..theorems import REGISTRY, Theorem
from ..verification import FORMULA_SLACK, Row, Verdict, problem_of_bound
from . import attaining_parts, single_witness
from .composition_witness import ComposedWitness
from .single_witness import Single

# The relative distances of epsilon below a lower end, tried in this order, at which a mechanism must certainly attain
# more than delta: rounding in the file and in its checker costs some of them.
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
# The relative distance up to which a file needs no note that its epsilon is below the lower end.
NEAR = 1e-6
# The epsilon of a file whose mechanism attains delta at every epsilon: the largest exponent of the checkers.
LARGE = 100.0
# The relative round-off granted to the weight of a check-in: a few roundings.
FEW = 1e-12

Candidate = Single | ComposedWitness


def of_row(row: Row, theorem: Theorem | None = None) -> dict[str, Any]:
    """Return the content of the witness file of a violated row.

    Parameters
    ----------
    row : Row
        A row whose verdict is VIOLATED.
    theorem : Theorem, optional
        The row's theorem; it is needed only if the theorem is not registered.

    Raises
    ------
    PldcheckError
        If there is no witness file: the claim is not violated, no mechanism can refute it, or the mechanism is of a
        kind that cannot be written.

    """
    if row.verdict is not Verdict.VIOLATED or row.analytic is None or not row.theorem:
        raise PldcheckError(f"the verdict on {row.subject} is {row.verdict} there, so there is nothing to refute")
    if theorem is None:
        if row.theorem not in REGISTRY:
            raise UnknownNameError("theorem", row.theorem, REGISTRY)
        theorem = REGISTRY[row.theorem]
    bound = theorem(**row.params)
    if theorem.relation == ">=" or bound.quantity not in ("epsilon", "delta"):
        raise PldcheckError(f"{theorem.id} claims {theorem.claim}, which one mechanism cannot refute")
    if row.upper is not None and row.analytic > row.upper:
        raise PldcheckError(f"{theorem.id} claims more than the upper end, which one mechanism cannot refute")
    instance = problem_of_bound(theorem, bound).protocol
    claim = _text(Fraction(row.analytic) * (1 + Fraction(FORMULA_SLACK)), ROUND_CEILING, 20)
    point = format(Decimal(float(bound.at)), "f")
    epsilon, delta = (claim, point) if bound.quantity == "epsilon" else (point, claim)
    words = {name: value for name, value in row.params.items() if name not in ("epsilon", "delta")}
    facts = _facts({"theorem": theorem.id, "params": dict(row.params)}, bound.quantity, epsilon, delta)
    for candidate in _candidates(instance, float(epsilon), float(delta), row.witness, words):
        content = _complete(facts, candidate)
        if content:
            return content
    raise PldcheckError(f"{theorem.id}: no mechanism that can be written to a file attains more than the claim")


def of_question(protocol: Protocol, delta: float) -> dict[str, Any]:
    """Return the content of a witness file for the lower end of ``protocol.epsilon(delta)``, or for one near it.

    If its epsilon is below the lower end, the key ``note`` says by how much, and what attains the lower end.

    Parameters
    ----------
    protocol : Protocol
        The protocol with its parameters.
    delta : float
        The delta at which epsilon is bounded from below.

    Raises
    ------
    PldcheckError
        If the lower end is 0, or the mechanism is of a kind that cannot be written.

    Examples
    --------
    >>> import pldcheck
    >>> facts = of_question(pldcheck.HiddenSlot(20, 1.0), 1e-3)
    >>> facts["pldcheck_witness"], facts["claim"]["relation"]
    (3, '<=')

    """
    instance, at = protocol.reduced, float(delta)
    _check_writable(instance)
    if isinstance(protocol, Composition):
        for entry in protocol.mechanism:
            if not isinstance(entry, str):
                raise PldcheckError(f"a witness file lists mechanisms as texts, and {entry} has none")
    answer = protocol.epsilon(at)
    if answer.lower <= 0.0:
        raise PldcheckError(
            f"{protocol.name}: the lower end of epsilon is 0 at delta = {at!r}, so nothing can be shown"
        )
    lower = min(answer.lower, LARGE)
    candidates = list(_candidates(instance, lower, at, answer.witness, None))
    named = instance if isinstance(protocol, OwnMechanism) else protocol
    of = {"protocol": named.name, "params": {name: _written(value) for name, value in named.params().items()}}
    for behind in BEHIND:
        epsilon = format(Decimal(lower * (1.0 - behind) if answer.lower < inf else LARGE), "f")
        facts = _facts(of, "epsilon", epsilon, format(Decimal(at), "f"))
        for candidate in candidates:
            content = _complete(facts, candidate) if candidate.behind <= behind else None
            if content:
                return content | ({"note": _note(answer, candidate, behind)} if behind > NEAR else {})
    raise PldcheckError(f"{protocol.name}: no mechanism that can be written to a file comes near the lower end")


def dumps(facts: Mapping[str, Any]) -> bytes:
    """Return the bytes of a witness file."""
    return (json.dumps(facts, allow_nan=False, indent=1) + "\n").encode()


def _written(value: Any) -> Any:
    """Return a parameter as JSON can hold it: fractions of a table as texts."""
    return [str(one) if isinstance(one, Fraction) else one for one in value] if isinstance(value, tuple) else value


def _note(answer: Any, candidate: Candidate, behind: float) -> str:
    """Return a note on the distance of the file's epsilon from the lower end, and on what attains that end."""
    note = f"epsilon is {behind:g} (relatively) below the lower end {down(answer.lower, 9)}"
    if candidate.number == 3:
        return f"{note}: the policy in this file knows sums of rounded scores only"
    if (answer.witness or {}).get("kind") == "policy":
        return (
            f"{note}: an adaptive policy attains that end, but it is too long for a file, or has too many sums of "
            "scores for a checker"
        )
    return f"{note}: {answer.sources[0]}" if answer.sources else note


def _text(value: Fraction, rounding: str, digits: int) -> str:
    context = Context(prec=digits, rounding=rounding)
    return format(context.divide(Decimal(value.numerator), Decimal(value.denominator)), "f")


def _facts(of: Mapping[str, Any], quantity: str, epsilon: str, delta: str) -> dict[str, Any]:
    """Return the content of a file without its mechanism."""
    return {"of": of, "claim": {"quantity": quantity, "relation": "<=", "epsilon": epsilon, "delta": delta}}


def has_maker(kind: type[Protocol]) -> bool:
    """Return whether witness files can be written for a protocol, except for some of its randomizers."""
    return attaining_parts.has_responses(kind) or reduction.dispatch(kind) is not reduction.dispatch(object)


def _check_writable(instance: Protocol) -> None:
    """Raise Unsupported if no mechanism of the protocol can be written to a file."""
    randomizer = vars(instance).get("randomizer", Worst())
    if not randomizer.finite:
        raise Unsupported(f"randomizer {randomizer}", "witness files", NOISE_HAS_NO_TABLE)
    if not has_maker(type(instance)):
        raise Unsupported(instance.name, "witness files", instance.unwritten or "no maker is registered for it")


@singledispatch
def reduction(instance: Protocol) -> HiddenSlot | Shuffle:
    """Return the hidden slot or the shuffle that a protocol becomes if all other records are equal.

    Raise Unsupported if it becomes neither.
    """
    raise Unsupported(instance.name, "witness files", instance.unwritten or "no maker is registered for it")


@reduction.register(HiddenSlot)
@reduction.register(Shuffle)
def _(instance: HiddenSlot | Shuffle) -> HiddenSlot | Shuffle:
    return instance


@reduction.register
def _(instance: CheckIn) -> HiddenSlot:
    steps, clients, share = instance.steps, instance.clients or 1, instance.check_in_prob / instance.steps
    # The weight is the probability to check in and to be drawn among those who chose the same slot.
    someone = -expm1(clients * log1p(-share)) if share < 1.0 else 1.0
    weight = someone * steps / clients * (1.0 - FEW)
    return HiddenSlot(steps, instance.eps0, weight, epochs=instance.epochs, delta0=instance.delta0)


@reduction.register
def _(instance: SlidingWindow) -> HiddenSlot:
    return instance.slots[0]


@reduction.register
def _(instance: Averaged) -> Shuffle:
    return Shuffle(instance.clients, instance.eps0)


@reduction.register
def _(instance: Swap) -> HiddenSlot:
    return HiddenSlot(instance.clients, instance.eps0)


def _candidates(
    instance: Protocol, epsilon: float, delta: float, witness: Mapping[str, Any] | None, words: Mapping[str, Any] | None
) -> Iterator[Candidate]:
    """Yield candidates, with the engine's witness first; ``words`` holds the theorem's own parameters."""
    _check_writable(instance)
    if attaining_parts.has_responses(type(instance)):
        responses = attaining_parts.of_responses(instance)
        yield from (ComposedWitness(parts, adjacency, epsilon, delta) for parts, adjacency in responses)
        return
    plain = reduction(instance)
    # A witness that may reveal the record holds the mechanism of the other case under "otherwise".
    witness = (witness or {}).get("otherwise", witness)
    once = plain.rounds == 1 if isinstance(plain, Shuffle) else plain.epochs == 1 and plain.delta0 == 0.0
    if once:
        names = {*lower_single.KINDS[single_witness.KINDS[type(plain)]], "eps0"}
        yield from single_witness.of_slots(plain, witness, words if words and words.keys() <= names else None)
        if not {"categories", "tv"}.isdisjoint(single_witness.params(plain, witness)):
            return
    slots = attaining_parts.of_slots(plain, delta, witness)
    yield from (ComposedWitness(parts, adjacency, epsilon, delta) for parts, adjacency in slots)


def check(facts: Mapping[str, Any]) -> Fraction:
    """Return a delta that a file's mechanism certainly attains and that is above the claimed one.

    Raise an error (usually ValueError) if the file does not show that.
    """
    return WITNESSES[facts["pldcheck_witness"]].check(facts)


def _complete(facts: Mapping[str, Any], candidate: Candidate) -> dict[str, Any] | None:
    """Return the content with this mechanism, or None if its checker does not accept it."""
    claim = {**facts["claim"], **candidate.claim}
    delta = Fraction(claim["delta"])
    if not candidate.attains(Fraction(claim["epsilon"]), delta):
        return None
    content = {"pldcheck_witness": candidate.number, **facts, "claim": claim, "mechanism": candidate.mechanism}
    try:
        # Until the attained delta is known, the file states the least number above delta.
        least = _text(delta * (1 + Fraction(1, 10**15)), ROUND_CEILING, 20)
        attained_delta = check({**content, "delta_attained_at_least": least})
    except ValueError:
        return None
    below = (_text(attained_delta, ROUND_FLOOR, digits) for digits in (9, 20, 60))
    return {**content, "delta_attained_at_least": next(text for text in below if Fraction(text) > delta)}
