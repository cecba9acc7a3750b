"""What is learnt and how: a population, a randomizer, step sizes."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...core.arrays import Array
from ...core.errors import ParameterError
from .algorithms import Algorithm
from .gradient_randomizers import Randomizer
from .paper_statements import none_expected, thm_3_5_scale, thm_4_2_scale
from .record_populations import Population

DUMMIES = ("noise", "zero")


@dataclass(frozen=True, eq=False)
class Learner:
    """Projected stochastic gradient descent from 0: step i has length ``rates[i]``, one step a ``batch`` of slots.

    ``dummies``: in an empty slot of a server that asks one client ``noise`` is applied, as in Algorithm 1, or
    ``zero``, as its proof of Theorem 3.5 has it.
    """

    population: Population
    randomizer: Randomizer
    rates: Array
    dummies: str = "noise"
    batch: int = 1

    def __post_init__(self) -> None:
        rates = np.array(self.rates, dtype=float)
        if rates.ndim != 1 or not (np.isfinite(rates).all() and (rates >= 0.0).all()):
            raise ParameterError("rates", "finite numbers of at least 0, one a slot", np.shape(self.rates))
        if self.dummies not in DUMMIES:
            raise ParameterError("dummies", f"one of {', '.join(DUMMIES)}", self.dummies)
        if not (isinstance(self.batch, int) and self.batch > 0):
            raise ParameterError("batch", "an integer of at least 1", self.batch)
        object.__setattr__(self, "rates", rates)


def decaying(scale: float, slots: int) -> Array:
    """Return scale/sqrt i, i = 1, ..., slots (Theorem 2 of Shamir and Zhang 2013)."""
    return scale / np.sqrt(np.arange(1, slots + 1))


def smoothed(smooth: float, kappa: float, diameter: float, slots: int) -> Array:
    """Return 1/(beta + kappa sqrt i/(sqrt 2 R)) (Theorem 6.3 of Bubeck 2015)."""
    return 1.0 / (smooth + kappa * np.sqrt(np.arange(1, slots + 1)) / (sqrt(2.0) * diameter))


def usual(algorithm: Algorithm, population: Population, randomizer: Randomizer) -> Learner:
    """With the step sizes of Theorem 3.5 or, where slots are averaged, of Theorem 4.2.

    In that of Theorem 3.5 the probability that a slot is empty is taken as it is, not as 2 e^{-n p0/m}: that is above 1
    where most slots are empty, and leaves no step.
    """
    noise, clip = randomizer.noise_square(population.dimension), min(randomizer.clip, population.lipschitz)
    diameter = 2.0 * population.radius
    if algorithm.averages:
        scale = thm_4_2_scale(algorithm.slots, algorithm.clients, noise, clip, diameter)
    else:
        scale = thm_3_5_scale(none_expected(algorithm), noise, clip, diameter)
    return Learner(population, randomizer, decaying(scale, algorithm.slots))
