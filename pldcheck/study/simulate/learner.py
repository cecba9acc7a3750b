"""The learner: a population of records, a randomizer of gradients, and step sizes."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...core.arrays import Array
from ...core.errors import ParameterError
from .algorithms import Algorithm
from .gradient_randomizers import Randomizer
from .paper_statements import empty_probability, thm_3_5_scale, thm_4_2_scale
from .record_populations import Population

# The updates that may stand for an empty slot.
DUMMIES = ("noise", "zero")


@dataclass(frozen=True, eq=False)
class Learner:
    """Projected stochastic gradient descent from the model 0.

    Parameters
    ----------
    population, randomizer
        The records with their loss, and the randomizer of gradients.
    rates
        The step size of each slot.
    dummies
        The update for an empty slot of a server that asks one client: ``noise``, as in Algorithm 1, or ``zero``, as in
        the proof of Theorem 3.5.
    batch
        The number of slots that are averaged for one step.

    Raises
    ------
    ParameterError
        If a rate is negative or not finite, or another parameter is outside its range.

    """

    population: Population
    randomizer: Randomizer
    rates: Array
    dummies: str = "noise"
    batch: int = 1

    def __post_init__(self) -> None:
        rates = np.array(self.rates, dtype=float)
        if rates.ndim != 1 or not (np.isfinite(rates).all() and (rates >= 0.0).all()):
            raise ParameterError("rates", "finite numbers of at least 0, one for each slot", np.shape(self.rates))
        if self.dummies not in DUMMIES:
            raise ParameterError("dummies", f"one of {', '.join(DUMMIES)}", self.dummies)
        if not (isinstance(self.batch, int) and self.batch > 0):
            raise ParameterError("batch", "an integer of at least 1", self.batch)
        object.__setattr__(self, "rates", rates)


def decaying_rates(scale: float, slots: int) -> Array:
    """Return the step sizes scale/sqrt i, i = 1, ..., slots (Theorem 2 of Shamir and Zhang 2013)."""
    return scale / np.sqrt(np.arange(1, slots + 1))


def smooth_rates(smooth: float, kappa: float, diameter: float, slots: int) -> Array:
    """Return the step sizes 1/(beta + kappa sqrt i/(sqrt 2 R)) for smooth losses (Theorem 6.3 of Bubeck 2015)."""
    return 1.0 / (smooth + kappa * np.sqrt(np.arange(1, slots + 1)) / (sqrt(2.0) * diameter))


def default_learner(algorithm: Algorithm, population: Population, randomizer: Randomizer) -> Learner:
    """Return the learner with the step sizes of Theorem 3.5 or, where slots are averaged, of Theorem 4.2.

    The step size of Theorem 3.5 has 2 e^{-n p0/m}, which is above 1 where most slots are empty and leaves no step.
    Here the exact probability that a slot is empty stands in its place.
    """
    noise, clip = randomizer.noise_square(population.dimension), min(randomizer.clip, population.lipschitz)
    diameter = 2.0 * population.radius
    if algorithm.averages:
        scale = thm_4_2_scale(algorithm.slots, algorithm.clients, noise, clip, diameter)
    else:
        scale = thm_3_5_scale(empty_probability(algorithm), noise, clip, diameter)
    return Learner(population, randomizer, decaying_rates(scale, algorithm.slots))
