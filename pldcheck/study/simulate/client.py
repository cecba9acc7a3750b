"""The client: it holds a record, draws privately whether and when to check in, and answers with a randomized gradient.

It sees no other client, and does not learn which others the server asks.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from .gradient_randomizers import Randomizer
from .party_draws import Draws
from .record_populations import Population

# The number of the draw that decides whether a client checks in.
COIN = 0
# The number of the draw of the slot.
PLACE = 1
# The number of the draw of the record.
RECORD = 2
# The role of the random numbers of clients.
ROLE = 0


@dataclass(frozen=True)
class HonestClient:
    """A client that follows the protocol."""

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
        """Return the randomized gradient of its loss at the model."""
        return self.randomizer.answer(self.population.gradient(self.record, model), self.draws)


def client(number: int, population: Population, randomizer: Randomizer, seed: int, run: int) -> HonestClient:
    """Return client ``number`` of a run, with its own record of a data set, or one drawn from the population."""
    draws = Draws.of(seed, run, ROLE, number)
    if population.held:
        return HonestClient(number, population, randomizer, draws)
    below = np.cumsum(population.weights)[:-1].tolist()
    return HonestClient(bisect_right(below, draws.uniform(RECORD)), population, randomizer, draws)
