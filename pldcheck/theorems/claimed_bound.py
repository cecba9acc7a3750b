"""The value of a theorem at some parameters: the quantity that it bounds, and the point at which it is claimed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

# The quantities that theorems bound, each with the parameter at which it is claimed.
GIVEN = MappingProxyType({"epsilon": "delta", "delta": "epsilon", "renyi": "order", "error": "epsilon"})


@dataclass(frozen=True, repr=False)
class Bound:
    """The value of a theorem at some parameters: it bounds ``quantity`` by ``value``, at ``at``.

    For the quantity epsilon ``at`` is a delta, for delta and error an epsilon, for renyi an order.  ``conditions`` are
    the texts of all conditions that hold, domains included.
    """

    theorem: str
    params: Mapping[str, float] = field(hash=False)
    quantity: str
    value: float
    at: float
    conditions: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))

    @property
    def epsilon(self) -> float:
        """The epsilon that is bounded, or at which the claim is made; for renyi, that of Rényi DP of order ``at``."""
        return self.value if self.quantity in ("epsilon", "renyi") else self.at

    @property
    def delta_total(self) -> float | None:
        """The delta, whether the theorem bounds it or is claimed at it; None where there is none."""
        return {"epsilon": self.at, "delta": self.value}.get(self.quantity)

    def __float__(self) -> float:
        return self.value

    def __reduce__(self):
        # A mapping proxy cannot be pickled; __post_init__ makes it again.
        return type(self), (self.theorem, dict(self.params), self.quantity, self.value, self.at, self.conditions)

    def __repr__(self) -> str:
        place = "delta_total" if self.quantity == "epsilon" else GIVEN[self.quantity]
        return f"Bound({self.theorem!r}, {self.quantity}={self.value:.6g}, {place}={self.at:.6g})"

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain numbers, strings and lists that JSON can store."""
        order = {"order": self.at} if self.quantity == "renyi" else {}
        return {
            "theorem": self.theorem,
            "params": dict(self.params),
            "quantity": self.quantity,
            "value": self.value,
            "at": self.at,
            "epsilon": self.epsilon,
            "delta_total": self.delta_total,
            **order,
            "conditions": list(self.conditions),
        }
