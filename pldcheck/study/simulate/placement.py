"""The slot of each client, by its own check-in or by the order that a trusted channel gives, in many runs at once."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .algorithms import Algorithm

# The slot of a client that has none.
ABSENT = -1


def places(algorithm: Algorithm, runs: int, draw: Generator) -> NDArray[np.int64]:
    """Return the released slot of each client, ``ABSENT`` for none, with a row for each run."""
    n, slots = algorithm.clients, algorithm.slots
    if algorithm.placement in ("fixed", "sliding"):
        return _own_slots(algorithm, runs, draw)
    order = np.broadcast_to(np.arange(n), (runs, n)).copy()
    if algorithm.placement == "ordered":
        return np.broadcast_to(np.repeat(np.arange(slots), algorithm.sizes), (runs, n))
    if algorithm.placement == "shuffled":
        return draw.permuted(order, axis=1)
    every = np.arange(runs)
    if algorithm.placement == "swapped":
        other = draw.integers(n, size=runs)
        order[every, other], order[:, 0] = 0, other
        return order
    # In the placement "replaced" the others stand one in each slot, and client 0 takes the place of one of them.
    used = draw.random(runs) < algorithm.check_in_prob
    order -= 1
    order[:, 0] = np.where(used, draw.integers(slots, size=runs), ABSENT)
    order[every[used], order[used, 0] + 1] = ABSENT
    return order


def _own_slots(algorithm: Algorithm, runs: int, draw: Generator) -> NDArray[np.int64]:
    """Return slots of a window that each client draws, or none with the probability that it does not check in."""
    shape = runs, algorithm.clients
    slots = draw.integers(algorithm.window, size=shape)
    if algorithm.check_in_prob < 1.0:
        slots[draw.random(shape) >= algorithm.check_in_prob] = ABSENT
    if algorithm.placement == "sliding":
        # The window of client j begins j slots after that of client 0, and releases begin at slot window - 1.
        slots += np.arange(algorithm.clients) - algorithm.window + 1
        slots[(slots < 0) | (slots >= algorithm.slots)] = ABSENT
    return slots


def check_ins(algorithm: Algorithm, slots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many of the clients that may abstain have checked in, in each run.

    In a sliding window all clients check in, some to slots without a release; of replaced records only the first may
    abstain.
    """
    if algorithm.placement == "fixed":
        return np.sum(slots != ABSENT, axis=1)
    if algorithm.placement == "replaced":
        return (slots[:, 0] != ABSENT).astype(np.int64)
    return np.full(len(slots), algorithm.clients)
