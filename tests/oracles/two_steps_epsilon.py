"""Gaussian random allocation in two steps: where delta, an integral in balls, crosses a number."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from flint import arb, ctx

from ..slot_oracles import BITS
from .crossing import crossing
from .enclosure import Enclosure, of_ball
from .oracle import Oracle
from .two_steps import DIRECTIONS, two_steps_delta

NOISES = (
    *((0.3, 1.0), (0.5, 1.0), (0.5, 0.1), (1.0, 1.0), (1.0, 0.3)),
    *((2.0, 1.0), (4.0, 1.0), (4.0, 0.01), (20.0, 1.0)),
)


def _questions() -> Iterator[dict]:
    for direction in DIRECTIONS:
        for (sigma, prob), delta in product(NOISES, (1e-3, 1e-12, 1e-30)):
            yield {"direction": direction, "sigma": sigma, "prob": prob, "delta": delta}
        yield {"direction": direction, "sigma": 1.0, "prob": 1.0, "delta": 1e-8}


def _answer(direction: str, sigma: float, prob: float, delta: float) -> Enclosure:
    def delta_at(epsilon: Fraction) -> Enclosure:
        with ctx.workprec(BITS):
            exact_epsilon = arb(epsilon.numerator) / epsilon.denominator
            return of_ball(two_steps_delta(direction, sigma, "exact", prob, exact_epsilon))

    return crossing(delta_at, delta, 1.0, Fraction(1, 10**19))


ORACLE = Oracle(
    "epsilon(delta) of Gaussian random allocation in two steps, of which a record joins one with a probability.",
    1e-16,
    _questions,
    _answer,
)
