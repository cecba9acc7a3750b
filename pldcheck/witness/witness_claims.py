"""The claim of a witness file, rebuilt from what the file is said to be of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ..core.errors import PldcheckError
from ..core.outward_decimals import safe, up
from ..protocols import PROTOCOLS, Protocol, Shuffle
from ..theorems import GIVEN, REGISTRY
from ..verification import bounded
from . import attaining_parts, checker, single_witness, witness_files

# Numbers of a claim.
NAMES = ("epsilon", "delta")


def rebuilt(facts: Mapping[str, Any]) -> str:
    """Return what the file claims, in a sentence, from the registry's own formula and protocols.

    Parameters
    ----------
    facts : mapping
        The content of a file that its program accepts.

    Raises
    ------
    ValueError
        Where the file's numbers or its class of mechanisms are not those of what it is said to be of.

    """
    of, claim = facts.get("of"), facts["claim"]
    if not isinstance(of, Mapping) or not isinstance(of.get("params"), Mapping) or len(of) != 2:
        raise ValueError("it does not say what it is of")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in of["params"].items()}
    name = of.get("theorem", of.get("protocol"))
    if not isinstance(name, str):
        raise ValueError("it does not say what it is of")
    if "theorem" in of and name not in REGISTRY:
        return f"of a theorem that is not known here, {safe(repr(name))}: that the claim is its own is the file's word"
    try:
        if "theorem" in of:
            theorem = REGISTRY[name]
            bound = theorem(**given)
            instance = bounded(theorem, bound).protocol
            words = {key: value for key, value in given.items() if key not in NAMES}
        else:
            instance, words = PROTOCOLS[name](**given).reduced, None
        classes = [_plain(one) for one in _classes(instance, words)]
    except (PldcheckError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        raise ValueError("its claim cannot be rebuilt from what it is said to be of") from None
    if not any(_is(claim, one) for one in classes):
        raise ValueError(f"the mechanisms of its claim are not those of {name}")
    numbers = {key: Fraction(claim[key]) for key in NAMES}
    if "theorem" not in of:
        return f"{name} is not ({up(float(numbers['epsilon']))}, {up(float(numbers['delta']))})-DP at {_told(given)}"
    at = GIVEN[bound.quantity]
    if claim.get("quantity") != bound.quantity or theorem.relation == ">=":
        raise ValueError(f"its quantity is not that of {name}")
    if numbers[bound.quantity] < Fraction(bound.value) or numbers[at] < Fraction(float(bound.at)):
        raise ValueError(f"its numbers are not those of {name}, which claims more there")
    said = f"{name} claims {bound.quantity} {theorem.relation} {up(bound.value)} at {at}={float(bound.at)!r}"
    return f"{said}, {_told(given)}"


def _classes(instance: Protocol, words: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield the claims, without their numbers, that a file on this protocol may have."""
    if attaining_parts.has_responses(type(instance)):
        for found, way in attaining_parts.of_responses(instance):
            yield {"parts": [part.to_dict() for part in found], "adjacency": way}
        return
    plain = witness_files._plain(instance)
    adjacency = {"adjacency": plain.adjacency}
    known = {*checker.KINDS[single_witness.KINDS[type(plain)]], "eps0"}
    if words is not None and words.keys() <= known:
        yield {"params": dict(words), **adjacency}
    if isinstance(plain, Shuffle):
        yield {"params": single_witness.params(plain, None), **adjacency}
        part = {"times": plain.rounds, "draws": plain.clients, "weight": 1.0, "delta0": 0.0}
    else:
        yield {"params": {"steps": plain.steps, "weight": plain.weight, "eps0": plain.eps0}, **adjacency}
        part = {"times": plain.epochs, "draws": plain.steps, "weight": plain.weight, "delta0": plain.delta0}
    yield {"parts": [{**part, "eps0": plain.eps0}], **adjacency}


def _is(claim: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a claim is about this class; a budget that the protocol leaves to its randomizer is the file's word."""
    claimed = _plain({name: claim.get(name) for name in wanted})
    for one in (claimed.get("params"), *(claimed.get("parts") or ())):
        if isinstance(one, dict):
            for asked in (wanted.get("params"), *(wanted.get("parts") or ())):
                if isinstance(asked, dict) and asked.get("eps0", 0) is None and "eps0" in one:
                    one["eps0"] = None
    return claimed == wanted


def _plain(values: Any) -> Any:
    return json.loads(json.dumps(values))


def _told(params: Mapping[str, Any]) -> str:
    return safe(", ".join(f"{name}={value!r}" for name, value in params.items() if name not in NAMES))
