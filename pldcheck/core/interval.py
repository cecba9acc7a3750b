"""The answer: an interval that contains the truth, what its width is made of, and a witness for its lower end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from math import fsum, inf, isnan, nextafter
from sys import float_info
from typing import Any

from .outward_decimals import between, ends, safe, up

# Added to every upper end of a probability: floating point underflows to zero, probabilities do not.
UNDERFLOW = 1e-300
# The least number with all its digits; smaller ones are rounded by more than a unit.
LEAST = float_info.min
# Quantities that are never negative; other intervals hold values of formulas.
ASKED = ("epsilon", "delta", "renyi", "error")


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

    The relative width asked of an answer applies to epsilon or, next to 0 where no relative accuracy is possible, to
    delta.  An answer that could not be had so narrow is wider, and still certified.

    Attributes
    ----------
    lower, upper : float
        The certified ends.
    quantity : str
        Of what they are the ends: ``epsilon``, ``delta``, ``renyi`` or ``error``.
    budget : ErrorBudget, optional
        What the width is made of.
    witness : mapping, optional
        A randomizer that attains the lower end, as a table, and for an adaptive one the thresholds at which it changes
        (see :mod:`pldcheck.hidden_slot.worst.worst_witness`).
    sources : pair of str, optional
        What the lower and the upper end are from, where several candidates were tried.

    """

    lower: float
    upper: float
    quantity: str = "epsilon"
    budget: ErrorBudget | None = field(default=None, repr=False)
    witness: Mapping[str, Any] | None = field(default=None, repr=False, compare=False, hash=False)
    sources: tuple[str, str] | None = field(default=None, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", float(self.lower) + 0.0)  # plain floats, whatever numpy made of them
        object.__setattr__(self, "upper", float(self.upper) + 0.0)
        shown = f"[{self.lower!r}, {self.upper!r}]"
        if isnan(self.lower) or isnan(self.upper):
            raise ArithmeticError(f"an end of {self.quantity} is not a number: {shown}")
        if not self.lower <= self.upper:
            raise ArithmeticError(f"empty enclosure of {self.quantity}: {shown}")
        # Of what is asked of a protocol nothing is negative, and no probability above 1; a formula's value may be.
        if self.quantity in ASKED and (self.lower < 0.0 or (self.quantity == "delta" and self.upper > 1.0)):
            raise ArithmeticError(f"an end that no {self.quantity} can have: {shown}")

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    def __format__(self, spec: str) -> str:
        """``[lower, upper]`` in decimals that enclose the interval, at any precision.

        ``spec`` is empty, for as many digits as hardly widen it, or such as ``.4g`` (significant digits), ``.4e`` or
        ``.4f``; the lower end is rounded down, the upper one up.
        """
        return between(self.lower, self.upper, spec)

    def __str__(self) -> str:
        return f"{self.quantity} in {self:}"

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
        rows = list(zip(("lower", "upper"), ends(self.lower, self.upper), strict=True))
        if self.budget:
            rows += [(f"budget: {name}", up(value, 3)) for name, value in self.budget.to_dict().items()]
        if self.witness:
            rows.append(("witness", str(self.witness.get("summary", self.witness.get("kind", "")))))
        if self.sources:
            rows += [("lower bound from", self.sources[0]), ("upper bound from", self.sources[1])]
        body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(safe(text))}</td></tr>" for name, text in rows)
        return f"<table><caption>certified {escape(self.quantity)}</caption>{body}</table>"


def gated(found: Interval, cap: tuple[float, float] = (inf, inf)) -> Interval:
    """The interval as it leaves a protocol: its ends held against a number that the truth certainly does not exceed.

    Parameters
    ----------
    found : Interval
    cap : (float, float)
        What is certain of the truth by itself (the sum of all eps0; one slot's delta), rounded down and rounded up.

    Returns
    -------
    Interval
        Upper end at most the cap rounded up, lower end at most the cap rounded down (a smaller lower end is still
        one); of numbers with fewer digits than others the lower is 0 and the upper ``LEAST``.

    Raises
    ------
    ArithmeticError
        If the lower end is above the cap rounded up: one of the two is wrong, and must not be hidden.

    """
    down, up = float(cap[0]), float(cap[1])
    if not 0.0 <= down <= up:
        raise ArithmeticError(f"not an enclosure of a cap: [{down!r}, {up!r}]")
    if found.lower > up:
        raise ArithmeticError(f"a lower end above what is certain of {found.quantity}: {found.lower!r} > {up!r}")
    lower, upper = found.lower, found.upper
    if 0.0 < lower < LEAST:
        lower = 0.0
    if 0.0 < upper < LEAST:
        upper = LEAST
    lower, upper = min(lower, down), min(upper, up)
    return found if (lower, upper) == (found.lower, found.upper) else replace(found, lower=lower, upper=upper)


def certain_sum(terms: Iterable[float]) -> tuple[float, float]:
    """A sum of numbers that are not negative, rounded down and rounded up; the number itself where it has one term.

    For the cap of :func:`gated`: a pure mechanism's epsilon is at most the sum of its eps0.
    """
    given = list(terms)
    if any(isnan(term) or term < 0.0 for term in given):
        raise ArithmeticError(f"not numbers from 0 on: {given!r}")
    if inf in given:
        return inf, inf
    try:
        total = fsum(given)
    except OverflowError:
        return float_info.max, inf
    exact = len([term for term in given if term > 0.0]) <= 1
    return (total, total) if exact else (nextafter(total, 0.0), nextafter(total, inf))
