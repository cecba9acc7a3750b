"""What a theorem or a cell asks of the numerics: a quantity of a protocol."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..errors import ConditionError, ParameterError, PldcheckError, UnknownNameError
from ..interval import Interval
from ..protocols import PROTOCOLS, CheckIn, HiddenSlot, SlidingWindow
from ..suites import Asked
from ..theorems import GIVEN, Bound, Theorem


@dataclass(frozen=True)
class Problem:
    """What a certified answer depends on: ``quantity`` of a protocol, ``at`` a delta, an epsilon or an order."""

    protocol: Any
    quantity: str
    at: float

    @property
    def slow(self) -> bool:
        """Whether narrow answers cost much more than wide ones."""
        return isinstance(self.protocol, HiddenSlot)

    def answer(self, width: float) -> Interval:
        """The interval, of about this relative width."""
        return getattr(self.protocol, self.quantity)(self.at, width)


def bounded(theorem: Theorem, bound: Bound) -> Problem:
    """The problem whose answer ``bound``, what the theorem says somewhere, bounds; parameters go over by name.

    Raises PldcheckError where there is no protocol with certified answers for it.
    """
    if theorem.protocol not in PROTOCOLS:
        raise UnknownNameError("protocol with certified answers", theorem.protocol, PROTOCOLS)
    protocol: Any = PROTOCOLS[theorem.protocol]
    wanted = {entry.name for entry in fields(protocol)}
    values: dict[str, Any] = dict(bound.params)
    if protocol is SlidingWindow and "clients" not in values:
        # Theorems on a window hold for any number of clients: enough that some see all of it released.
        values["clients"] = 2 * values["window"]
    if protocol is CheckIn and "clients" in values:  # one expected check-in, by repetition: Corollary 3.3
        clients = values.pop("clients")
        values["check_in_prob"] = values["steps"] / clients
        values["epochs"] = clients // values["steps"]
    if "delta0" in values and "delta0" not in wanted:
        raise PldcheckError(f"{theorem.id} has delta0, {protocol.name} is computed for eps0-DP randomizers")
    # Theorems on one kind of randomizer.
    if "categories" in values:
        values["randomizer"] = f"krr:{values['categories']}"
    if "tv" in values:
        values["randomizer"] = f"tv:{values['tv']!r}"
    adjacency = "replace" if theorem.adjacency == "replacement" else theorem.adjacency
    if "adjacency" in wanted:
        values["adjacency"] = adjacency
    # What is not a parameter of the protocol is where it is asked, or was used above.
    instance = protocol(**{name: value for name, value in values.items() if name in wanted}).reduced
    if adjacency not in ("any", instance.adjacency):
        found = f"{protocol.name} is computed for {instance.adjacency}"
        raise PldcheckError(f"{theorem.id} is stated for {adjacency}, {found}")
    return Problem(instance, bound.quantity, bound.at)


def asked_for(asked: Asked, bound: Bound | None) -> Problem:
    """The problem of a cell; ``bound``: what its theorem says there.  Raises one of :mod:`pldcheck.errors`."""
    if asked.theorem and bound:
        return bounded(asked.theorem, bound)
    values = dict(asked.params)
    at = values.pop(GIVEN[asked.quantity])
    kind = PROTOCOLS[str(asked.protocol)]
    try:
        return Problem(kind(**values).reduced, asked.quantity, at)
    except ParameterError as error:  # each may be allowed, but not all of them together
        raise ConditionError(kind.name, f"{error.name} {error.allowed}", f"got {error.value!r}") from None
