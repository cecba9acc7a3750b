"""The type of every answer: an interval that contains the truth, the parts of its width, and a witness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from math import fsum, inf, isnan, nextafter
from sys import float_info
from typing import TYPE_CHECKING, Any

from .errors import PldcheckError
from .outward_decimals import between, ends, safe, up

# This number is added to every upper end of a probability: floating point underflows to zero, probabilities do not.  It
# covers what is lost in units of the probability itself, such as the last product.  What is lost before, in the unit of
# a gain, a step, a cell or an exponential, is granted there, before it is multiplied or divided by anything.
UNDERFLOW = 1e-300
# The least normal number; the relative error of smaller numbers is larger than a unit.
LEAST = float_info.min
# Quantities that are never negative.  Intervals of other quantities hold values of formulas.
NON_NEGATIVE = ("epsilon", "delta", "renyi", "error")


class NotANumberError(PldcheckError, TypeError):
    """An interval stands where a number must; the message says how its ends are called."""


@dataclass(frozen=True)
class ErrorBudget:
    """The parts of an interval's width, in units of delta at the epsilon where its ends were computed.

    The sum of the three parts is at least upper minus lower.  Parts below the least normal number are raised to it,
    since readers of JSON refuse smaller ones.

    Attributes
    ----------
    discretisation : float
        The rest of the width: the grid, the join of blocks, and the restriction of the lower end to the policies that
        were tried; for a composition, the smoothing of the payoff, the cells, and the tails that were cut off (at most
        1e-6 of delta).
    truncation : float
        A bound of what finite windows of summation can have added.
    rounding : float
        A bound of what floating-point errors can have added.

    """

    discretisation: float
    truncation: float
    rounding: float

    def __post_init__(self) -> None:
        for name, value in self.to_dict().items():
            part = float(value)
            object.__setattr__(self, name, max(part, LEAST) if part > 0.0 else part)

    @classmethod
    def between(cls, lower: float, upper: float, truncation: float = 0.0, rounding: float = 0.0) -> ErrorBudget:
        """Return the parts of the distance of two ends of one delta; raise ArithmeticError if they are not in order.

        Where an epsilon was searched for the ends are those at its upper end, and a search may hide that they are not.
        """
        rest = upper - checked_lower(lower, upper) - truncation - rounding
        return cls(max(rest, 0.0), truncation, rounding)

    def to_dict(self) -> dict[str, float]:
        """Return the three parts by their names, as plain numbers that JSON can store."""
        return {
            "discretisation": self.discretisation,
            "truncation": self.truncation,
            "rounding": self.rounding,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, float | str]) -> ErrorBudget:
        """Return the budget that :meth:`to_dict` wrote; an infinite part may be a text, as JSON has it."""
        return cls(float(values["discretisation"]), float(values["truncation"]), float(values["rounding"]))


@dataclass(frozen=True)
class Interval:
    """A certified interval: ``lower <= truth <= upper``, floating-point error included.

    An interval unpacks as ``lower, upper``, and its text has decimals that enclose it.  The relative width asked of an
    answer applies to epsilon or, next to 0 where no relative accuracy is possible, to delta.  An answer that misses the
    width is wider, and still certified.

    Attributes
    ----------
    lower, upper : float
        The certified ends.
    quantity : str
        The name of what is enclosed, such as ``"epsilon"`` or ``"delta"``.
    budget : ErrorBudget, optional
        The parts of the width.
    witness : mapping, optional
        The description of a randomizer that attains the lower end (see
        :mod:`pldcheck.hidden_slot.worst.worst_witness`).
    sources : (str, str), optional
        The names of the bounds that the lower and the upper end come from, where several candidates were tried.

    Raises
    ------
    ArithmeticError
        If an end is not a number, the lower end is above the upper one, or no such quantity can have such an end.

    Examples
    --------
    >>> low, high = Interval(0.25, 0.5)
    >>> low, high
    (0.25, 0.5)
    >>> print(Interval(0.25, 0.5))
    epsilon in [0.25, 0.5]

    """

    lower: float
    upper: float
    quantity: str = "epsilon"
    budget: ErrorBudget | None = field(default=None, repr=False)
    witness: Mapping[str, Any] | None = field(default=None, repr=False, compare=False, hash=False)
    sources: tuple[str, str] | None = field(default=None, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        # The ends are plain floats, also where numpy computed them.
        object.__setattr__(self, "lower", float(self.lower) + 0.0)
        object.__setattr__(self, "upper", float(self.upper) + 0.0)
        text = f"[{self.lower!r}, {self.upper!r}]"
        if isnan(self.lower) or isnan(self.upper):
            raise ArithmeticError(f"an end of {self.quantity} is not a number: {text}")
        if not self.lower <= self.upper:
            raise ArithmeticError(
                f"internal error: empty enclosure of {self.quantity}: the lower end is above the upper one: {text}"
            )
        # No quantity of a protocol is negative, and no probability is above 1; the value of a formula may be either.
        if self.quantity in NON_NEGATIVE and (self.lower < 0.0 or (self.quantity == "delta" and self.upper > 1.0)):
            raise ArithmeticError(f"an end is outside the range of {self.quantity}: {text}")

    def meet(self, *others: Interval) -> Interval:
        """Return what this enclosure of a number and others of the same one have in common.

        Each end has its witness or its source with it; the budget is that of the narrowest enclosure that has one.

        Raises
        ------
        ArithmeticError
            If they have nothing in common: then one of them is wrong.  Ends contain their round-off, so that there is
            no slack.

        Examples
        --------
        >>> Interval(0.1, 0.3).meet(Interval(0.2, 0.4))
        Interval(lower=0.2, upper=0.3, quantity='epsilon')

        """
        enclosures = (self, *others)
        narrowest = min((one for one in enclosures if one.budget), key=lambda one: one.width, default=self)
        low = max(enclosures, key=lambda one: one.lower)
        return min(enclosures, key=lambda one: one.upper).with_lower(low, narrowest.budget)

    def with_lower(self, other: Interval, budget: ErrorBudget | None = None) -> Interval:
        """Return this upper end above the lower end of another answer, which says no more than this one.

        Raises
        ------
        ArithmeticError
            If that lower end is above the upper one.

        """
        sources = None
        if self.sources or other.sources:
            sources = (other.sources or ("", ""))[0], (self.sources or ("", ""))[1]
        return Interval(other.lower, self.upper, self.quantity, budget, other.witness, sources)

    @staticmethod
    def largest(intervals: Iterable[Interval]) -> Interval:
        """Return the enclosure of the largest of several numbers, with the budget of the one that has its upper end."""
        numbers = list(intervals)
        upper = max(numbers, key=lambda one: one.upper)
        return upper.with_lower(max(numbers, key=lambda one: one.lower), upper.budget)

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    def __format__(self, spec: str) -> str:
        """Return ``[lower, upper]`` in decimals that enclose the interval, at any precision.

        The lower end is rounded down, the upper end up.  ``spec`` is ``.4g`` (four significant digits), ``.4e`` or
        ``.4f``; an empty ``spec`` stands for as many digits as widen the interval by a fifth at most.
        """
        return between(self.lower, self.upper, spec)

    def __str__(self) -> str:
        return f"{self.quantity} in {self:}"

    def _refuse_as_number(self, *others: object) -> Any:
        raise NotANumberError(f"{self!s} is no number: use .upper, which the truth is at most, or .lower")

    if not TYPE_CHECKING:  # type checkers notice such uses by themselves
        __float__ = __round__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse_as_number
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse_as_number

        def __getattr__(self, name: str) -> Any:
            """Raise the error of an attribute that is not there, which names the two ends."""
            raise AttributeError(f"Interval has no {name}; its ends are .lower and .upper", name=name, obj=self)

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    @property
    def width(self) -> float:
        """The distance of the two ends, ``upper - lower``; rounded, so no certified bound of it."""
        return self.upper - self.lower

    @property
    def relative_width(self) -> float:
        """The relative distance of the two ends, ``upper / lower - 1``; it is 0 for [0, 0] and infinite for [0, b]."""
        if self.upper == 0.0:
            return 0.0
        return self.upper / self.lower - 1.0 if self.lower > 0.0 else float("inf")

    def to_dict(self) -> dict[str, Any]:
        """Return ends, quantity, budget, witness and sources as plain numbers and mappings that JSON can store.

        Returns
        -------
        dict
            ``quantity``, ``lower``, ``upper``, ``budget`` and ``witness`` (None where there is none); where the
            interval has sources, also ``lower_from`` and ``upper_from``.  The ends are the doubles themselves, which
            JSON stores with all their digits.

        """
        return {
            "quantity": self.quantity,
            "lower": self.lower,
            "upper": self.upper,
            "budget": self.budget.to_dict() if self.budget else None,
            "witness": dict(self.witness) if self.witness else None,
        } | ({"lower_from": self.sources[0], "upper_from": self.sources[1]} if self.sources else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Interval:
        """Return the interval that :meth:`to_dict` wrote, bit by bit; an infinite end may be the text "inf".

        Raises
        ------
        KeyError
            If an end or the quantity is missing.
        ArithmeticError
            If no such quantity can have such ends.

        Examples
        --------
        >>> Interval.from_dict(Interval(0.1, 0.2, "delta").to_dict())
        Interval(lower=0.1, upper=0.2, quantity='delta')

        """
        budget, sources = values.get("budget"), (values.get("lower_from"), values.get("upper_from"))
        return cls(
            float(values["lower"]),
            float(values["upper"]),
            values["quantity"],
            None if budget is None else ErrorBudget.from_dict(budget),
            values.get("witness"),
            None if None in sources else (str(sources[0]), str(sources[1])),
        )

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


def apply_cap(interval: Interval, cap: tuple[float, float] = (inf, inf)) -> Interval:
    """Return an interval with its ends lowered to a number that the truth certainly does not exceed.

    Every answer of a protocol passes through this function.

    Parameters
    ----------
    interval : Interval
        The ends as they were computed.
    cap : (float, float)
        A number that is never below the truth (the sum of all eps0, or the delta of one slot), rounded down and
        rounded up.

    Returns
    -------
    Interval
        The upper end is at most the cap rounded up, the lower end at most the cap rounded down.  A subnormal lower end
        becomes 0, a subnormal upper end ``LEAST``.

    Raises
    ------
    ArithmeticError
        If the lower end is above the cap rounded up: one of the two is wrong, which must not be hidden.

    """
    down, up = float(cap[0]), float(cap[1])
    if not 0.0 <= down <= up:
        raise ArithmeticError(f"the ends of a cap are not in order: [{down!r}, {up!r}]")
    if interval.lower > up:
        quantity, least = interval.quantity, interval.lower
        raise ArithmeticError(f"the lower end of {quantity} is above what is certain: {least!r} > {up!r}")
    lower, upper = interval.lower, interval.upper
    if 0.0 < lower < LEAST:
        lower = 0.0
    if 0.0 < upper < LEAST:
        upper = LEAST
    lower, upper = min(lower, down), min(upper, up)
    same = (lower, upper) == (interval.lower, interval.upper)
    return interval if same else replace(interval, lower=lower, upper=upper)


def checked_lower(low: float, high: float) -> float:
    """Return the lower end; raise ArithmeticError if it is above the upper end, as then one of them is wrong."""
    if not low <= high:
        raise ArithmeticError(f"internal error: the lower bound {low!r} is above the upper bound {high!r}")
    return low


def certain_sum(terms: Iterable[float]) -> tuple[float, float]:
    """Return a sum of non-negative numbers, rounded down and rounded up; a single term is exact.

    The sum serves as the cap of :func:`apply_cap`: a pure mechanism's epsilon is at most the sum of its eps0.
    """
    numbers = list(terms)
    if any(isnan(number) or number < 0.0 for number in numbers):
        raise ArithmeticError(f"the terms of a sum are not numbers from 0 on: {numbers!r}")
    if inf in numbers:
        return inf, inf
    try:
        total = fsum(numbers)
    except OverflowError:
        return float_info.max, inf
    exact = len([number for number in numbers if number > 0.0]) <= 1
    return (total, total) if exact else (nextafter(total, 0.0), nextafter(total, inf))
