"""The numeric problem of a theorem or a cell: a quantity of a protocol at a delta, an epsilon or an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..core.errors import ConditionError, ParameterError, PldcheckError
from ..core.interval import Interval
from ..protocols import JUDGEABLE, PROTOCOLS, Protocol
from ..theorems import GIVEN, REGISTRY, Bound, Theorem
from .suites import Cell

# Parameters that no protocol has: the points at which quantities are evaluated (delta, epsilon, order), and the slacks
# that a proof grants.
SLACKS = frozenset({*GIVEN.values(), "beta", "delta1", "delta2", "bin_norm"})


@dataclass(frozen=True)
class Problem:
    """One numeric problem, on which a certified answer depends.

    Parameters
    ----------
    protocol : Protocol
        The protocol with its parameters.
    quantity : str
        ``"epsilon"``, ``"delta"``, ``"renyi"`` or ``"error"``.
    at : float
        The point at which the quantity is evaluated: a delta, an epsilon or an order.

    """

    protocol: Protocol
    quantity: str
    at: float

    @property
    def slow(self) -> bool:
        """Whether narrow answers cost much more than wide ones."""
        return self.protocol.slow

    def answer(self, width: float) -> Interval:
        """Return a certified interval whose relative width is about ``width``."""
        return self.protocol.answer(self.quantity, self.at, width)


def why_unjudgeable(theorem: Theorem) -> str:
    """Return why no protocol here is what a theorem is about; no text where one is."""
    if theorem.protocol not in JUDGEABLE:
        return f"{theorem.id} is about a {theorem.protocol}, of which there are no certified answers"
    names = {*_fields(JUDGEABLE[theorem.protocol]), *SLACKS}
    if theorem.subject is not None or names.issuperset(theorem.parameters):
        return ""
    if "delta0" in theorem.parameters and "delta0" not in names:
        return f"{theorem.id} has delta0, but {theorem.protocol} is computed for eps0-DP randomizers only"
    other = next(name for name in theorem.parameters if name not in names)
    return f"{theorem.id} has {other}, which is no field of {theorem.protocol}; subject= must map it to the fields"


def unjudgeable() -> dict[str, str]:
    """Return the registered theorems that are about no protocol here, each with the reason."""
    reasons = {name: why_unjudgeable(theorem) for name, theorem in REGISTRY.items()}
    return {name: reason for name, reason in reasons.items() if reason}


def subject(theorem: Theorem, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the protocol that a theorem is about at these parameters.

    They come from the theorem's ``subject``; without one, fields and parameters of one name are the same.  Raise
    PldcheckError if a parameter is neither a field nor a slack of a proof: the theorem might be about something else.
    """
    if reason := why_unjudgeable(theorem):
        raise PldcheckError(reason)
    names = _fields(JUDGEABLE[theorem.protocol])
    values = dict(theorem.subject(**params) if theorem.subject else params)
    return {name: value for name, value in values.items() if name in names}


def _fields(protocol: type[Protocol]) -> set[str]:
    return {entry.name for entry in fields(protocol)}


def problem_of_bound(theorem: Theorem, bound: Bound) -> Problem:
    """Return the problem whose answer a theorem's ``bound`` is a claim about.

    Raise PldcheckError if no protocol gives certified answers for it.
    """
    values = subject(theorem, bound.params)
    protocol = JUDGEABLE[theorem.protocol]
    adjacency = theorem.adjacency
    if "adjacency" in _fields(protocol):
        values["adjacency"] = adjacency
    instance = protocol(**values).reduced
    if adjacency not in ("any", instance.adjacency):
        raise PldcheckError(
            f"{theorem.id} is stated for {adjacency}, but {protocol.name} is computed for {instance.adjacency}"
        )
    return Problem(instance, bound.quantity, bound.at)


def problem_of(cell: Cell, bound: Bound | None) -> Problem:
    """Return the problem of a cell; ``bound`` is the claim of its theorem, if it has one.

    Raise one of :mod:`pldcheck.core.errors` if the parameters are not allowed.
    """
    if cell.theorem and bound:
        return problem_of_bound(cell.theorem, bound)
    values = dict(cell.params)
    at = values.pop(GIVEN[cell.quantity])
    kind = PROTOCOLS[str(cell.protocol)]
    try:
        return Problem(kind(**values).reduced, cell.quantity, at)
    except ParameterError as error:  # each value may be allowed, but not all of them together
        raise ConditionError(kind.name, f"{error.name} {error.domain}", f"got {error.value!r}") from None
