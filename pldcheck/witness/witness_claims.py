"""The claim of a witness file, computed again from the theorem or the protocol that the file names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from ..checkers import lower_single
from ..core.errors import PldcheckError
from ..core.outward_decimals import PLAIN, safe, up
from ..core.parameters import number_text
from ..protocols import JUDGEABLE, Protocol, Shuffle
from ..theorems import GIVEN, REGISTRY
from ..verification import problem_of_bound
from . import attaining_parts, single_witness, witness_files

# The parameters that are numbers of a claim, and no part of its class of mechanisms.
NAMES = ("epsilon", "delta")
# The digits of numbers in a sentence, as many as in the files themselves.
DIGITS = 9


def rebuild(facts: Mapping[str, Any], attained_delta: Fraction) -> str:
    """Return what a file shows as a sentence, with the claim of its theorem or protocol computed again.

    No number in the sentence says more than the file proves: epsilon and the attained delta are rounded down.

    Parameters
    ----------
    facts : mapping
        The content of a file that its checker accepts.
    attained_delta : Fraction
        The delta that its checker proves the mechanism to attain at the epsilon of the claim.

    Raises
    ------
    ValueError
        If the numbers or the class of mechanisms in the file are not those of its theorem or protocol.

    """
    of, claim = facts.get("of"), facts["claim"]
    if not isinstance(of, Mapping) or not isinstance(of.get("params"), Mapping) or len(of) != 2:
        raise ValueError("it names no theorem or protocol with parameters")
    params = {name: tuple(value) if isinstance(value, list) else value for name, value in of["params"].items()}
    name = of.get("theorem", of.get("protocol"))
    if not isinstance(name, str):
        raise ValueError("it names no theorem or protocol with parameters")
    numbers = {key: Fraction(claim[key]) for key in NAMES}
    if "theorem" in of and name not in REGISTRY:
        shown = _attained(numbers["epsilon"], attained_delta, numbers["delta"])
        unknown = f"its theorem {safe(repr(name))} is not registered"
        return f"{shown}; {unknown}, so it was not checked that the theorem claims this"
    try:
        if "theorem" in of:
            theorem = REGISTRY[name]
            bound = theorem(**params)
            instance = problem_of_bound(theorem, bound).protocol
            words = {key: value for key, value in params.items() if key not in NAMES}
        else:
            instance, words = JUDGEABLE[name](**params).reduced, None
        classes = [_plain(one) for one in _classes(instance, words)]
    except (PldcheckError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        raise ValueError("its claim cannot be computed from the theorem or the protocol that it names") from None
    if not any(_is_about(claim, one) for one in classes):
        raise ValueError(f"the mechanisms of its claim are not those of {name}")
    if "theorem" not in of:
        epsilon, delta = _rounded_down(numbers["epsilon"]), number_text(float(numbers["delta"]))
        if Fraction(delta) >= attained_delta:
            delta = _rounded_down(numbers["delta"])
        shown = _attained(numbers["epsilon"], attained_delta, Fraction(delta))
        return f"{shown}, so {name} is not ({epsilon}, {delta})-DP at {_point(params)}"
    at = GIVEN[bound.quantity]
    if claim.get("quantity") != bound.quantity or theorem.relation == ">=":
        raise ValueError(f"its quantity is not that of {name}")
    if numbers[bound.quantity] < Fraction(bound.value) or numbers[at] < Fraction(float(bound.at)):
        raise ValueError(f"its numbers are not those of {name}, which claims more there")
    shown = _attained(numbers["epsilon"], attained_delta, numbers["delta"])
    sentence = f"{name} claims {bound.quantity} {theorem.relation} {up(bound.value)} at {at}={float(bound.at)!r}"
    return f"{shown}; {sentence}, {_point(params)}"


def _attained(epsilon: Fraction, attained_delta: Fraction, below: Fraction) -> str:
    """Return the delta of the mechanism as a phrase, with so many digits that it is above ``below``."""
    digits = DIGITS
    while Fraction(_rounded_down(attained_delta, digits)) <= below:
        digits *= 2
    return f"this mechanism has delta >= {_rounded_down(attained_delta, digits)} at epsilon = {_rounded_down(epsilon)}"


def _rounded_down(value: Fraction, digits: int = DIGITS) -> str:
    """Return a number of at most so many significant digits that is not above ``value``."""
    context = Context(prec=digits, rounding=ROUND_FLOOR)
    number = context.divide(*map(Decimal, value.as_integer_ratio())).normalize(context)
    return format(number, "f" if number.is_zero() or number.adjusted() in PLAIN else "e")


def _classes(instance: Protocol, words: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield the classes of mechanisms that the claim of a file on this protocol may have."""
    if attaining_parts.has_responses(type(instance)):
        for parts, adjacent in attaining_parts.of_responses(instance):
            yield {"parts": [part.to_dict() for part in parts], "adjacency": adjacent}
        return
    plain = witness_files.reduction(instance)
    adjacency = {"adjacency": plain.adjacency}
    names = {*lower_single.KINDS[single_witness.KINDS[type(plain)]], "eps0"}
    if words is not None and words.keys() <= names:
        yield {"params": dict(words), **adjacency}
    if isinstance(plain, Shuffle):
        yield {"params": single_witness.params(plain, None), **adjacency}
        part = {"times": plain.rounds, "draws": plain.clients, "weight": 1.0, "delta0": 0.0}
    else:
        yield {"params": {"steps": plain.steps, "weight": plain.weight, "eps0": plain.eps0}, **adjacency}
        part = {"times": plain.epochs, "draws": plain.steps, "weight": plain.weight, "delta0": plain.delta0}
    yield {"parts": [{**part, "eps0": plain.eps0}], **adjacency}


def _is_about(claim: Mapping[str, Any], kind: Mapping[str, Any]) -> bool:
    """Return whether a claim is about this class; a budget that the protocol leaves open is taken from the file."""
    own = _plain({name: claim.get(name) for name in kind})
    for one in (own.get("params"), *(own.get("parts") or ())):
        if isinstance(one, dict):
            for other in (kind.get("params"), *(kind.get("parts") or ())):
                if isinstance(other, dict) and other.get("eps0", 0) is None and "eps0" in one:
                    one["eps0"] = None
    return own == kind


def _plain(values: Any) -> Any:
    """Return values as JSON would read them back."""
    return json.loads(json.dumps(values))


def _point(params: Mapping[str, Any]) -> str:
    return safe(", ".join(f"{name}={value!r}" for name, value in params.items() if name not in NAMES))
