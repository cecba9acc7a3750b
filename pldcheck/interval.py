"""The answer: an interval that contains the truth, what its width is made of, and a witness for its lower end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

# Added to every upper end of a probability: floating point underflows to zero, probabilities do not.
UNDERFLOW = 1e-300


@dataclass(frozen=True)
class ErrorBudget:
    """What separates the two ends, in units of delta, at the epsilon where they were computed.

    ``truncation`` and ``rounding`` bound what finite windows and floating point can have added.
    ``discretisation`` is all the rest of the width: grid, block join, and the restriction of the lower end to the
    policies tried; of a composition, the smoothing of the payoff, cells, and tails trimmed (at most 1e-6 of delta).
    Their sum is at least upper minus lower.
    """

    discretisation: float
    truncation: float
    rounding: float

    def __post_init__(self) -> None:
        for name, value in self.to_dict().items():
            object.__setattr__(self, name, float(value))

    def to_dict(self) -> dict[str, float]:
        """The three entries by name."""
        return {
            "discretisation": self.discretisation,
            "truncation": self.truncation,
            "rounding": self.rounding,
        }


@dataclass(frozen=True)
class Interval:
    """``lower <= truth <= upper``, floating-point error included; unpacks as ``lower, upper``.

    ``witness`` describes a randomizer that attains the lower end (see :mod:`pldcheck.minimax.witness`).  ``sources``:
    what the lower and the upper end are from, where several candidates were tried.
    """

    lower: float
    upper: float
    quantity: str = "epsilon"
    budget: ErrorBudget | None = field(default=None, repr=False)
    witness: Mapping[str, Any] | None = field(default=None, repr=False, compare=False, hash=False)
    sources: tuple[str, str] | None = field(default=None, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", float(self.lower))  # plain floats, whatever numpy made of them
        object.__setattr__(self, "upper", float(self.upper))
        if not self.lower <= self.upper:
            raise ArithmeticError(f"empty enclosure of {self.quantity}: [{self.lower!r}, {self.upper!r}]")

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    @property
    def width(self) -> float:
        """``upper - lower``."""
        return self.upper - self.lower

    @property
    def relative_width(self) -> float:
        """``upper / lower - 1``; infinite when only the lower end is zero, 0 for [0, 0]."""
        if self.upper == 0.0:
            return 0.0
        return self.upper / self.lower - 1.0 if self.lower > 0.0 else float("inf")

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and mappings, ready for JSON."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "budget": self.budget.to_dict() if self.budget else None,
            "witness": dict(self.witness) if self.witness else None,
        } | ({"lower_from": self.sources[0], "upper_from": self.sources[1]} if self.sources else {})

    def _repr_html_(self) -> str:
        rows = [("lower", f"{self.lower:.10g}"), ("upper", f"{self.upper:.10g}")]
        if self.budget:
            rows += [(f"budget: {name}", f"{value:.3g}") for name, value in self.budget.to_dict().items()]
        if self.witness:
            rows.append(("witness", str(self.witness.get("summary", self.witness.get("kind", "")))))
        if self.sources:
            rows += [("lower end from", self.sources[0]), ("upper end from", self.sources[1])]
        body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
        return f"<table><caption>certified {escape(self.quantity)}</caption>{body}</table>"
