"""A point: one protocol at one delta (or epsilon), and the mechanisms it consists of, as peers are asked about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.errors import ParameterError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS
from ...protocols import PROTOCOLS, Protocol
from ...protocols.capabilities import KINDS, Part

# Of a composition whose mechanisms are for different adjacencies; nobody states one.
MIXED = "mixed"


@dataclass(frozen=True)
class Point:
    """``quantity`` (``"epsilon"`` or ``"delta"``) of a protocol, given that the other one is ``at``."""

    protocol: str
    params: tuple[tuple[str, Any], ...]
    quantity: str
    at: float

    @property
    def instance(self) -> Protocol:
        """The protocol."""
        return PROTOCOLS[self.protocol](**dict(self.params))

    @property
    def given(self) -> str:
        """Return the name of the number that is given: delta where epsilon is asked for, else epsilon."""
        return "delta" if self.quantity == "epsilon" else "epsilon"

    @property
    def adjacency(self) -> str:
        """Return which data sets are neighbours: those of its mechanisms, where some are for one kind only."""
        stated = self.instance.reduced.adjacency
        if stated == "any":
            found = {KINDS[part.kind].adjacency for part in self.parts if part.kind in KINDS} - {"any"}
            return MIXED if len(found) > 1 else next(iter(found), "any")
        return "add-remove" if stated == "both" else stated  # the worse of adding and removing

    def interval(self, width: float | None = None) -> Interval:
        """Return the certified interval of the quantity, of relative width ``width`` where that can be had."""
        return self.instance.answer(self.quantity, self.at, width)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The mechanisms; a protocol that is no composition is a single part of its own name."""
        return self.instance.parts

    def __str__(self) -> str:
        params = "".join(f" {name}={value}" for name, value in self.params if value is not None)
        return f"{self.protocol}{params} {self.given}={self.at!r}"


def point(protocol: Protocol, delta: float | None = None, epsilon: float | None = None) -> Point:
    """Return the point of a protocol at a delta or at an epsilon; raises ParameterError unless one of them is given."""
    if (delta is None) == (epsilon is None):
        raise ParameterError("delta", "given, or epsilon instead of it", f"{'neither' if delta is None else 'both'}")
    given, quantity = ("delta", "epsilon") if epsilon is None else ("epsilon", "delta")
    if type(protocol) not in PROTOCOLS.values() or not protocol.supports(quantity):
        raise ParameterError("protocol", f"a protocol of pldcheck that has {quantity}", protocol)
    at = PARAMETERS[given].parse(delta if epsilon is None else epsilon)
    return Point(protocol.name, tuple(protocol.params().items()), quantity, float(at))
