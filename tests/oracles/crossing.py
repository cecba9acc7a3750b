"""The epsilon at which a falling delta crosses a number, enclosed from both sides."""

from collections.abc import Callable
from fractions import Fraction
from math import log, log1p

from .enclosure import Enclosure

# Points of the search are multiples of 2^-GRAIN.
GRAIN = 120
# Stands for the logarithm of 0, beyond those of all numbers here.
NOTHING = -1e9
# Looks after which a search is given up; it takes some ten.
LOOKS = 400


def crossing(delta_at: Callable[[Fraction], Enclosure], target: float, near: float, width: Fraction) -> Enclosure:
    """Return an interval about ``width`` wide, relatively, with delta above the target at its begin, below at its end.

    It is wider where delta is not known well enough; ``near`` is where the search starts.  The regula falsi in the
    logarithm of delta, with Illinois steps, ends where delta cannot be told from the target, or when it is near enough.
    """
    goal = Fraction(target)

    def excess(point: Fraction) -> float:
        """Return the logarithm of delta over the target; ``NOTHING`` where delta is 0; 0 where both may be equal."""
        value = delta_at(point)
        if value.lower <= goal <= value.upper:
            return 0.0
        ratio = (value.lower if value.lower > goal else value.upper) / goal
        if ratio <= 0:
            return NOTHING
        return log1p(float(ratio - 1)) if 0.5 < ratio < 2 else log(ratio.numerator) - log(ratio.denominator)

    if delta_at(Fraction(0)).upper <= goal:
        return Enclosure(Fraction(0), Fraction(0))
    low, high = Fraction(near) * 63 / 64, Fraction(near) * 65 / 64
    while (above := excess(low)) <= 0.0:
        low -= (high - low) if 2 * low > high else low / 2
    while (below := excess(high)) >= 0.0:
        high += high - low
    side, point = 0, low
    for _ in range(LOOKS):
        share = Fraction(above / (above - below)) if below > NOTHING else Fraction(1, 2)
        before, point = point, Fraction(round((low + (high - low) * share) * 2**GRAIN), 2**GRAIN)
        height = excess(point)
        if height == 0.0 or abs(point - before) < width * point / 8 or high - low < width * point:
            break
        if height > 0.0:
            low, above, below = point, height, below / 2 if side == 1 and below > NOTHING else below
            side = 1
        else:
            high, below, above = point, height, above / 2 if side == -1 else above
            side = -1
    else:
        raise ArithmeticError(f"delta {target} is not met near {near}")
    begin = end = width * point / 4
    while excess(point - begin) <= 0.0:
        begin *= 2
    while excess(point + end) >= 0.0:
        end *= 2
    return Enclosure(point - begin, point + end)
