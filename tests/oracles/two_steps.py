"""Gaussian random allocation in two steps: one integral in balls, with its tails and its end."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from flint import arb, ctx

from ..slot_oracles import BITS, exact
from .enclosure import Enclosure, of_ball
from .oracle import Oracle

DIRECTIONS = ("remove", "add", "replace")


def _questions() -> Iterator[dict]:
    """Yield the questions of tests of the protocol, and of those of its two sides, where 1/sigma is rounded."""

    def question(direction, sigma, scale, prob, epsilon):
        return {"direction": direction, "sigma": sigma, "scale": scale, "prob": prob, "epsilon": epsilon}

    for direction in DIRECTIONS:
        for (sigma, prob), epsilon in product(((0.5, 1.0), (1.0, 0.5), (3.0, 1.0)), (0.0, 0.1, 1.0, 4.0)):
            yield question(direction, sigma, "exact", prob, epsilon)
        for epsilon in np.linspace(0.1, 3.0, 15).tolist() if direction != "replace" else ():
            if epsilon != 0.1:  # asked below
                yield question(direction, 1.0, "exact", 1.0, epsilon)
        for (sigma, epsilon), prob in product(((0.5, 3.0), (1.0, 0.5), (1.0, 3.0), (3.0, 0.2)), (1.0, 0.3)):
            for share in (0.97, 1.0, 1.002, 1.03, 1.1):
                yield question(direction, sigma, "rounded", prob, share * epsilon)
    for direction in DIRECTIONS[:2]:
        yield question(direction, 1.0, "exact", 1.0, 0.1)


def two_steps_delta(direction: str, sigma: float, scale: str, prob: float, epsilon) -> arb:
    """Return delta(epsilon); ``scale``: the sensitivity over the deviation is 1/sigma, or that as a double."""
    with ctx.workprec(BITS):
        return exact(direction, 2, arb(sigma) if scale == "exact" else 1 / arb(1.0 / sigma), epsilon, prob)


def _answer(**question) -> Enclosure:
    return of_ball(two_steps_delta(**question))


ORACLE = Oracle(
    "delta(epsilon) of Gaussian random allocation in two steps, of which a record joins one with a probability.",
    1e-17,
    _questions,
    _answer,
)
