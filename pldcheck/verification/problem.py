"""What a theorem or a cell asks of the numerics: a quantity of a protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..core.errors import ConditionError, ParameterError, PldcheckError, UnknownNameError
from ..core.interval import Interval
from ..protocols import PROTOCOLS, Protocol
from ..theorems import GIVEN, Bound, Theorem
from .suites import Asked

# Parameters of claims and of proofs, which no protocol has: where a quantity is asked, and what a proof grants.
SLACKS = frozenset({*GIVEN.values(), "beta", "delta1", "delta2", "bin_norm"})


@dataclass(frozen=True)
class Problem:
    """What a certified answer depends on: ``quantity`` of a protocol, ``at`` a delta, an epsilon or an order."""

    protocol: Protocol
    quantity: str
    at: float

    @property
    def slow(self) -> bool:
        """Whether narrow answers cost much more than wide ones."""
        return self.protocol.slow

    def answer(self, width: float) -> Interval:
        """Return the interval, of about this relative width."""
        return self.protocol.answer(self.quantity, self.at, width)


def subject(theorem: Theorem, params: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the protocol that a theorem is about at these parameters: what it declares, else those by name.

    Raises PldcheckError where a parameter would be left aside that is no slack of a proof: the theorem might be about
    something else.
    """
    protocol = PROTOCOLS[theorem.protocol]
    wanted = _fields(protocol)
    if "delta0" in params and "delta0" not in wanted:
        raise PldcheckError(f"{theorem.id} has delta0, {protocol.name} is computed for eps0-DP randomizers")
    values = dict(theorem.subject(**params) if theorem.subject else params)
    left = [name for name in values if name not in wanted and name not in SLACKS]
    if left and not theorem.subject:
        raise PldcheckError(f"{theorem.id} has {left[0]}, which {protocol.name} has not; subject= tells what it is")
    return {name: value for name, value in values.items() if name in wanted}


def _fields(protocol: type[Protocol]) -> set[str]:
    return {entry.name for entry in fields(protocol)}


def bounded(theorem: Theorem, bound: Bound) -> Problem:
    """Return the problem whose answer ``bound``, what the theorem says somewhere, bounds.

    Raises PldcheckError where there is no protocol with certified answers for it.
    """
    if theorem.protocol not in PROTOCOLS:
        raise UnknownNameError("protocol with certified answers", theorem.protocol, PROTOCOLS)
    protocol = PROTOCOLS[theorem.protocol]
    adjacency = "replace" if theorem.adjacency == "replacement" else theorem.adjacency
    values = subject(theorem, bound.params)
    if "adjacency" in _fields(protocol):
        values["adjacency"] = adjacency
    instance = protocol(**values).reduced
    if adjacency not in ("any", instance.adjacency):
        found = f"{protocol.name} is computed for {instance.adjacency}"
        raise PldcheckError(f"{theorem.id} is stated for {adjacency}, {found}")
    return Problem(instance, bound.quantity, bound.at)


def asked_for(asked: Asked, bound: Bound | None) -> Problem:
    """The problem of a cell; ``bound``: what its theorem says there.  Raises one of :mod:`pldcheck.core.errors`."""
    if asked.theorem and bound:
        return bounded(asked.theorem, bound)
    values = dict(asked.params)
    at = values.pop(GIVEN[asked.quantity])
    kind = PROTOCOLS[str(asked.protocol)]
    try:
        return Problem(kind(**values).reduced, asked.quantity, at)
    except ParameterError as error:  # each may be allowed, but not all of them together
        raise ConditionError(kind.name, f"{error.name} {error.allowed}", f"got {error.value!r}") from None
