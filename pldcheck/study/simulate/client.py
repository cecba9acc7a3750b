"""The client: holds a record, draws in private whether and when to check in, answers with a randomized gradient.

It never sees other clients, nor learns who else was asked.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from .gradient_randomizers import Randomizer
from .party_draws import Draws
from .record_populations import Population

# Numbers of a client's draws before its answer's, and the role of its stream.
COIN = 0
PLACE = 1
RECORD = 2
ROLE = 0


@dataclass(frozen=True)
class HonestClient:
    """Runs the client's side of the protocols as it is prescribed."""

    record: int
    population: Population
    randomizer: Randomizer
    draws: Draws

    def check_in(self, window: int, check_in_prob: float) -> int | None:
        """Return one slot of its window, or None to abstain: an (R, p0)-check-in (Definition 3.1)."""
        if self.draws.uniform(COIN) >= check_in_prob:
            return None
        return self.draws.below(PLACE, window)

    def answer(self, model: Array) -> Array:
        """Return A(gradient of its loss at the model)."""
        return self.randomizer.answer(self.population.gradient(self.record, model), self.draws)


def client(number: int, population: Population, randomizer: Randomizer, seed: int, run: int) -> HonestClient:
    """Return client ``number`` of a run, with its own record of a data set, or one drawn from the population."""
    draws = Draws.of(seed, run, ROLE, number)
    if population.held:
        return HonestClient(number, population, randomizer, draws)
    below = np.cumsum(population.weights)[:-1].tolist()
    return HonestClient(bisect_right(below, draws.uniform(RECORD)), population, randomizer, draws)
