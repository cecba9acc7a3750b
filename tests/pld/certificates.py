"""Certificates that the tests share: what it means that an answer is right, and that it is narrow."""

from math import inf

from flint import arb

# Near the largest loss delta falls to nothing within a few spacings of double precision: narrow is also this, relative
# to epsilon.
RESOLUTION = 1e-10


def contains(interval, truth: arb) -> bool:
    """Return whether a ball around the exact number is not outside of the interval."""
    return not truth < interval.lower and not truth > interval.upper


def right_epsilon(interval, delta: float, exact_delta) -> bool:
    """Return whether delta(lower) >= delta >= delta(upper): the root lies between, whatever it is."""
    above = interval.upper == inf or not exact_delta(interval.upper) > delta
    below = interval.lower == 0.0 or interval.lower == inf or not exact_delta(interval.lower) < delta
    return above and below


def narrow_epsilon(interval, delta: float, exact_delta, width: float) -> bool:
    """Return whether both ends change delta by no more than ``width``, relatively, or are neighbours in double
    precision.
    """
    if interval.upper - interval.lower <= RESOLUTION * interval.upper or interval.lower == interval.upper:
        return True
    low = (
        exact_delta(interval.lower) <= delta * (1 + width)
        if interval.lower > 0
        else exact_delta(0.0) <= delta * (1 + width)
    )
    return bool(low and exact_delta(interval.upper) >= delta * (1 - width))
