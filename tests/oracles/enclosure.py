"""Two-sided enclosures of what oracles compute: exact fractions, and decimal digits that are rounded outward."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isfinite

from flint import arb, ctx

# Significant digits of an end: twice as many as a double has, so that no comparison with a double is lost in between.
DIGITS = 32
# A fraction whose text is longer than this is stored as an enclosure.
LONGEST = 48
# More bits than any ball here has: its ends are rounded to what is asked for when they are taken.
BITS = 2000
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]\d+)?")
FRACTION = re.compile(r"-?\d+(/[1-9]\d*)?")


@dataclass(frozen=True)
class Enclosure:
    """An interval of fractions that contains the value; both ends are the value where it is known exactly."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self):
        if self.lower > self.upper:
            raise ValueError(f"lower end {float(self.lower)} is above upper end {float(self.upper)}")

    @property
    def width(self) -> Fraction:
        """Return the width over the larger of the ends' sizes; 0 of an exact value."""
        if self.lower == self.upper:
            return Fraction(0)
        return (self.upper - self.lower) / max(abs(self.lower), abs(self.upper))

    def meets(self, other: Enclosure) -> bool:
        """Return whether both may contain one value."""
        return self.lower <= other.upper and other.lower <= self.upper


def exactly(value: Fraction) -> Enclosure:
    """Return the enclosure of a number that is known exactly."""
    return Enclosure(value, value)


def of_ball(ball: arb) -> Enclosure:
    """Return the exact ends of a ball."""
    if not ball.is_finite():
        raise ValueError(f"a ball without ends: {ball}")
    with ctx.workprec(BITS):
        ends = (end.man_exp() for end in (ball.lower(), ball.upper()))
        return Enclosure(*(Fraction(int(m)) * Fraction(2) ** int(e) for m, e in ends))


def of_estimate(value: float, error: float) -> Enclosure:
    """Return what an oracle in floating point believes to be within its own error; probable, not certain."""
    if not (isfinite(value) and isfinite(error) and error >= 0.0):
        raise ValueError(f"no estimate: {value}, give or take {error}")
    return Enclosure(Fraction(value) - Fraction(error), Fraction(value) + Fraction(error))


def texts(enclosure: Enclosure) -> dict[str, str]:
    """Return ``value`` as an exact fraction if that is short, else ``lower`` and ``upper`` in outward digits."""
    if enclosure.lower == enclosure.upper and len(str(enclosure.lower)) <= LONGEST:
        return {"value": str(enclosure.lower)}
    return {"lower": _digits(enclosure.lower, ROUND_FLOOR), "upper": _digits(enclosure.upper, ROUND_CEILING)}


def _digits(end: Fraction, rounding: str) -> str:
    context = Context(prec=DIGITS, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return f"{context.divide(Decimal(end.numerator), Decimal(end.denominator)):.{DIGITS - 1}e}"


def parse(entries: dict[str, object]) -> Enclosure:
    """Return the enclosure of what ``texts`` returns; raise ValueError where it has another shape."""
    forms = {("value",): FRACTION, ("lower", "upper"): NUMBER}
    form = forms.get(tuple(entries))
    if form is None:
        raise ValueError(f"entries {list(entries)} must be ['value'] or ['lower', 'upper']")
    for name, text in entries.items():
        if not (isinstance(text, str) and form.fullmatch(text)):
            raise ValueError(f"{name} {text!r} must be a text of the form {form.pattern}")
    if "value" in entries:
        return exactly(Fraction(entries["value"]))
    return Enclosure(Fraction(entries["lower"]), Fraction(entries["upper"]))
