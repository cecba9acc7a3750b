r"""The divergence of binary randomized response among others with known records: the largest n(k) of a contour.

The notation is that of :mod:`pldcheck.shuffling.two_coin_contour`.  The sign of i(k) says on which side of the largest
n(k) a place is.  With 10^12 coins some places near it may be too close to tell; n differs by next to nothing there, and
that much is added to the upper end.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import exp, sqrt

from ..core.directed import Ends, enlarge, roundoff
from ..core.interval import UNDERFLOW
from .two_coin_contour import DIGITS, Contour, Kernel, Response, Sum, TiltedCoins

# The tilt that bounds the aliases of l > 0 is steeper by so many inverse deviations.
STEEPER = 4.0
# Exponents of the rule's height below which a divergence is not a normal number.
LEAST_EXPONENT = -690.0
# Steps of the search for the largest n(k), and how much it looks further each time that signs are uncertain.
SEARCH_STEPS = 8
WIDER = 4
MOST_UNCERTAIN = 4**12


def divergence(response: Response, a: int, b: int) -> Ends:
    """Return both ends of the largest n(k): the divergence of a record 1 from its replacement 0.

    Parameters
    ----------
    response : Response
        The randomizer, at an epsilon below eps0.
    a, b : int
        The numbers of other clients whose records are 1 and 0; both together are at most 1e12.

    """
    with localcontext() as context:
        context.prec = DIGITS
        contour, k = _contour(response, a, b)
        first, last, excess = _largest_between(contour, k, a + b)
        if excess is None:
            return Ends(0.0, 1.0, 1.0, 0.0)
        net = contour.sum(contour.net(), min(max(k, first), last))
        scale = float(contour.height.exp())
    value, error = scale * net.value, scale * (net.error + excess) + roundoff(8, scale * abs(net.value))
    lower = max(value - error, 0.0) if contour.height > LEAST_EXPONENT else 0.0
    upper = min(max(value + error, 0.0) + UNDERFLOW, 1.0)
    return Ends(lower, upper, 2.0 * net.truncation * scale, 2.0 * (error - net.truncation * scale))


def _contour(response: Response, a: int, b: int) -> tuple[Contour, int]:
    """Return the contour, and about the largest place: there P(S = k - 1)/P(S = k) = c/g, nearly the tilt's e^theta."""
    tilt = response.cost / response.gain
    coins = TiltedCoins.of(response, a, b, tilt)
    k = min(int(coins.mean + Decimal(0.5)) + 1, a + b + 1)
    deviation = Decimal(sqrt(coins.variance) + 1.0)
    if coins.log_tilt * deviation < 1:  # the tail needs a tilt of about one inverse deviation
        tilt *= (1 / deviation).exp()
        coins = TiltedCoins.of(response, a, b, tilt)
    steeper = TiltedCoins.of(response, a, b, tilt * (Decimal(STEEPER) / Decimal(sqrt(coins.variance) + 1.0)).exp())
    contour = Contour(coins, steeper, k)
    return contour, _largest_place(contour, k, a + b + 1)


def _largest_place(contour: Contour, k: int, last: int) -> int:
    """Return about the largest place up to a last one, from one near it, by the signs of i and steps of its slope."""
    increment, mass = contour.increment(), contour.mass()
    most = sqrt(contour.coins.variance) + 1.0
    for _ in range(SEARCH_STEPS):
        rise, size = (contour.sum(kernel, k) for kernel in (increment, mass))
        if not size.value > 2.0 * size.error:
            break
        slope = float(contour.coins.response.cost) * size.value / contour.coins.variance
        step = round(max(min(-rise.value / slope, most), -most))
        if step == 0:
            break
        k = min(max(k + step, 0), last)
    for _ in range(SEARCH_STEPS):
        here, before = (contour.sum(increment, place) for place in (k, k - 1))
        if k < last and here.is_below_zero:
            k += 1
        elif k > 0 and before.is_at_least_zero:
            k -= 1
        else:
            break
    return k


def _largest_between(contour: Contour, k: int, count: int) -> tuple[int, int, float | None]:
    r"""Return two places between which n is largest, and a bound of what n differs there; None if it is unknown.

    Where :math:`i(f - 1) < 0 \le i(l)` the largest n is between f and l.  The ratio of neighbouring masses rises,
    so that :math:`|i(y)|/P(S = y)` is between f and l at most what it is at f - 1 or at l, say e.  Neighbouring masses
    then have a ratio of at most g/(c - e), and n differs by at most the sum of e P(S = y).
    """
    increment, mass = contour.increment(), contour.mass()
    reach = 0
    while reach <= MOST_UNCERTAIN:
        first, last = max(k - reach, 0), min(k + reach, count + 1)
        before, after = contour.sum(increment, first - 1), contour.sum(increment, last)
        rises = first == 0 or before.is_below_zero
        falls = last == count + 1 or after.is_at_least_zero
        if rises and falls:
            return first, last, _difference(contour, first, last, mass, before, after) if last > first else 0.0
        reach = WIDER * reach + 1
    return k, k, None


def _difference(contour: Contour, first: int, last: int, mass: Kernel, before: Sum, after: Sum) -> float | None:
    """Return a bound of what n differs between two places on both sides of the largest one."""
    steep, place_mass = 0.0, 0.0
    for place, change in ((first - 1, before), (last, after)):
        size = contour.sum(mass, place)
        if not size.value > 2.0 * size.error:
            return None
        steep = max(steep, (abs(change.value) + change.error) / (size.value - size.error))
        place_mass = max(place_mass, size.value + size.error)
    cost, gain = float(contour.coins.response.cost), float(contour.coins.response.gain)
    growth = (last - first + 1) * 2.0 * steep / gain
    if not (2.0 * steep < gain and cost >= gain * (1.0 - 1e-9) and growth < 1.0):
        return None
    return enlarge((last - first) * steep * place_mass * exp(growth), 1e6)
