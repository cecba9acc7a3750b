"""Randomized responses whose budgets are multiples of 2^-9, composed: products of polynomials in balls."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

from flint import arb, arb_poly, ctx

from .crossing import crossing
from .enclosure import Enclosure, of_ball
from .oracle import Oracle

BITS = 300
STEP = 2.0**-9
# How many responses there are, and how many different budgets.
SIZES = ((30, 400), (100, 200), (600, 40), (3000, 12))
# By how much more or less than delta the ends of an epsilon may have.
WIDTH = 1e-5


def multiples(count: int, largest: int) -> list[int]:
    """Return so many budgets over the step."""
    return [1 + (i * i * 7 + 3 * i) % largest for i in range(count)]


@cache
def _masses(count: int, largest: int) -> tuple[arb, ...]:
    """Return the probabilities of all sums of losses, from the least on, two steps apart."""
    with ctx.workprec(BITS):
        factors = []
        for n in multiples(count, largest):
            p = 1 / (1 + (-n * arb(STEP)).exp())
            factors.append(arb_poly([1 - p] + [0] * (n - 1) + [p]))
        while len(factors) > 1:
            factors = [a * b for a, b in zip(factors[::2], factors[1::2], strict=False)] + factors[
                len(factors) - len(factors) % 2 :
            ]
        return tuple(factors[0].coeffs())


def _delta(count: int, largest: int, epsilon: Fraction) -> Enclosure:
    with ctx.workprec(BITS):
        masses, low = _masses(count, largest), -sum(multiples(count, largest))
        total = weight = arb(0)
        for j in reversed(range(len(masses))):  # losses low + 2 j, in steps, that are above epsilon
            loss = Fraction(STEP) * (low + 2 * j)
            if loss <= epsilon:
                break
            total += masses[j]
            weight += masses[j] * (-arb(loss.numerator) / loss.denominator).exp()
        return of_ball(total - (arb(epsilon.numerator) / epsilon.denominator).exp() * weight)


def _questions() -> Iterator[dict]:
    for (count, largest), delta, share in product(SIZES, (1e-2, 1e-6, 1e-15), (1.0, 1.0 + WIDTH, 1.0 - WIDTH)):
        yield {"count": count, "largest": largest, "delta": delta, "share": share}


def _answer(count: int, largest: int, delta: float, share: float) -> Enclosure:
    spread = sum(n * n for n in multiples(count, largest)) ** 0.5 * STEP
    return crossing(lambda epsilon: _delta(count, largest, epsilon), delta * share, 4 * spread, Fraction(1, 10**30))


ORACLE = Oracle(
    "epsilon at share * delta of so many randomized responses, their budgets multiples of 2^-9.",
    1e-28,
    _questions,
    _answer,
    is_quick=lambda question: question["count"] <= 100,
)
