"""Points of hidden slots, read from the different parameter names of theorems and protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# The names of the number of slots.
_STEPS = ("steps", "window")
# The names of the probability that the record is used.
_WEIGHT = ("weight", "check_in_prob")


@dataclass(frozen=True)
class Point:
    """The parameters of a hidden slot, and the delta at which epsilon is evaluated."""

    steps: int
    eps0: float
    weight: float
    delta: float

    @staticmethod
    def has(params: Mapping[str, float]) -> bool:
        """Return whether parameters are those of such a point."""
        return {"eps0", "delta"} <= set(params) <= {"eps0", "delta", *_STEPS, *_WEIGHT}

    @classmethod
    def of(cls, params: Mapping[str, float]) -> Point:
        """Return the point with these parameters."""
        steps = next(params[name] for name in _STEPS if name in params)
        weight = next((params[name] for name in _WEIGHT if name in params), 1.0)
        return cls(int(steps), params["eps0"], weight, params["delta"])
