"""Points: one protocol at one delta or epsilon, with the mechanisms it consists of, in the form that peers take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.errors import MissingError, ParameterError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS
from ...protocols import PROTOCOLS, Protocol
from ...protocols.capabilities import KINDS, Part

# The adjacency of a composition whose mechanisms are stated for different ones; no peer has answers for it.
MIXED_ADJACENCIES = "mixed"


@dataclass(frozen=True)
class Point:
    """A quantity of a protocol, ``"epsilon"`` or ``"delta"``, where the other one has the value ``at``."""

    protocol: str
    params: tuple[tuple[str, Any], ...]
    quantity: str
    at: float

    @property
    def instance(self) -> Protocol:
        """The protocol with its parameters."""
        return PROTOCOLS[self.protocol](**dict(self.params))

    @property
    def at_name(self) -> str:
        """The name of the parameter with the value ``at``: delta if the quantity is epsilon, else epsilon."""
        return "delta" if self.quantity == "epsilon" else "epsilon"

    @property
    def adjacency(self) -> str:
        """The adjacency of the protocol; if that is open, the one for which its mechanisms are stated."""
        adjacency = self.instance.reduced.adjacency
        if adjacency == "any":
            adjacencies = {KINDS[part.kind].adjacency for part in self.parts if part.kind in KINDS} - {"any"}
            return MIXED_ADJACENCIES if len(adjacencies) > 1 else next(iter(adjacencies), "any")
        return adjacency

    def interval(self, width: float | None = None) -> Interval:
        """Return the certified interval of the quantity, of relative width ``width`` if that is possible."""
        return self.instance.answer(self.quantity, self.at, width)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms of the protocol; one that is no composition is a single part with its own name."""
        return self.instance.parts

    def __str__(self) -> str:
        params = "".join(f" {name}={value}" for name, value in self.params if value is not None)
        return f"{self.protocol}{params} {self.at_name}={self.at!r}"


def point(protocol: Protocol, delta: float | None = None, epsilon: float | None = None) -> Point:
    """Return the point of a protocol at a delta or at an epsilon; raise ParameterError unless exactly one is given."""
    if (delta is None) == (epsilon is None):
        if delta is None:
            raise MissingError("delta", f"{PARAMETERS['delta'].domain}, or epsilon is to be there instead")
        raise ParameterError("delta", "left out where epsilon is there", delta)
    name, quantity = ("delta", "epsilon") if epsilon is None else ("epsilon", "delta")
    if type(protocol) not in PROTOCOLS.values() or not protocol.supports(quantity):
        raise ParameterError("protocol", f"a protocol of pldcheck that has {quantity}", protocol)
    at = PARAMETERS[name].parse(delta if epsilon is None else epsilon)
    return Point(protocol.name, tuple(protocol.params().items()), quantity, float(at))
