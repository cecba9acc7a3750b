"""Runs of an algorithm: one, message by message, or many, at speed; run ``number`` is the same in both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.errors import ParameterError
from ...core.threads import pool
from ...kernels import gradient_descent as kernels
from .algorithms import PLACEMENTS, Algorithm
from .client import HonestClient, client
from .gradient_randomizers import GaussianAnswer
from .learner import Learner
from .party_draws import Draws
from .placement import CHANNEL, came, places, queues
from .record_populations import LOSSES
from .server import DUMMY, SERVER, AllOfThem, Descent, OneOfThem, Server
from .wire import Wire

Counts = NDArray[np.int64]
Progress = Callable[[int, int], None]
# Runs that one call of the kernel makes if they are short.
BLOCK = 16
# Clients and slots in all runs of one call if they are long.
LONG = 200_000


@dataclass(frozen=True, eq=False)
class Run:
    """One run: the released ``models``, one row a slot, and the ``wire`` with all its messages.

    ``came``: how many clients checked in, which they know and the server does not.
    """

    algorithm: Algorithm
    models: Array
    wire: Wire
    came: int


@dataclass(frozen=True, eq=False)
class Runs:
    """Many runs, one row each.

    ``last``, ``mean``: the last model and the average of all; ``came``: clients that checked in; ``used``: that were
    asked; ``empty``: released slots where nobody stood; ``squares``: sum of the squared loads of released slots.
    """

    algorithm: Algorithm
    learner: Learner
    seed: int
    last: Array
    mean: Array
    came: Counts
    used: Counts
    empty: Counts
    squares: Counts

    def __len__(self) -> int:
        return len(self.last)


def run(algorithm: Algorithm, learner: Learner, seed: int = 0, number: int = 0) -> Run:
    """Return one run as clients, a channel and a server that exchange messages."""
    _fitting(algorithm, learner)
    seed = _seed(seed)
    people = [client(j, learner.population, learner.randomizer, seed, number) for j in range(algorithm.clients)]
    return meet(algorithm, people, server(algorithm, learner, seed, number), Draws.of(seed, number, CHANNEL))


def server(algorithm: Algorithm, learner: Learner, seed: int, number: int) -> Server:
    """Return the server of a run; of the population it is told the ball of models, of the clients nothing."""
    size = learner.population.dimension
    descent = Descent(learner.rates, learner.population.radius, size, learner.batch)
    if algorithm.averages:
        return AllOfThem(descent)
    noise = learner.randomizer if learner.dummies == "noise" else None
    return OneOfThem(descent, noise, Draws.of(seed, number, SERVER), Draws.family(seed, number, DUMMY))


def meet(algorithm: Algorithm, people: Sequence[HonestClient], served: Server, channel: Draws) -> Run:
    """Return a run of these clients with this server."""
    stood = places(algorithm, people, channel)
    wire = Wire(queues(algorithm.slots, stood, people))
    return Run(algorithm, served.serve(wire), wire, came(algorithm, stood))


def repeat(
    algorithm: Algorithm, learner: Learner, repeats: int, seed: int = 0, progress: Progress | None = None
) -> Runs:
    """Runs 0, ..., ``repeats`` - 1; the same bits on any number of threads.

    ``progress`` is called with the number of runs made and of all.
    """
    _fitting(algorithm, learner)
    seed = _seed(seed)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 10**7:
        raise ParameterError("repeat", "an integer from 1 to 1e7", repeats)
    size = learner.population.dimension
    last, mean = np.zeros((repeats, size)), np.zeros((repeats, size))
    came, used, empty, squares = (np.zeros(repeats, np.int64) for _ in range(4))
    filled = (last, mean, came, used, empty, squares)
    fixed = _channel(algorithm), _descent(algorithm, learner), _records(algorithm, learner), _randomizer(learner)
    block = max(1, min(BLOCK, -(-repeats // 4), LONG // (algorithm.clients + algorithm.slots)))

    def make(first: int) -> int:
        rows = slice(first, first + block)
        kernels.simulate(np.uint64(seed), first, *fixed, kernels.Outcomes(*(found[rows] for found in filled)))
        return min(block, repeats - first)

    done, threads = 0, pool()
    try:
        for made in threads.map(make, range(0, repeats, block)):
            done += made
            if progress:
                progress(done, repeats)
    finally:  # an interrupt must not wait for runs that have not begun
        threads.shutdown(wait=False, cancel_futures=True)
    return Runs(algorithm, learner, seed, last, mean, came, used, empty, squares)


def _channel(algorithm: Algorithm) -> kernels.Channel:
    return kernels.Channel(
        PLACEMENTS.index(algorithm.placement),
        algorithm.window,
        algorithm.check_in_prob,
        np.array(algorithm.sizes, np.int64),
        algorithm.clients,
    )


def _descent(algorithm: Algorithm, learner: Learner) -> kernels.Descent:
    dummies = learner.dummies == "noise" and not algorithm.averages
    return kernels.Descent(algorithm.averages, dummies, learner.batch, learner.rates, learner.population.radius)


def _records(algorithm: Algorithm, learner: Learner) -> kernels.Records:
    population = learner.population
    return kernels.Records(
        LOSSES.index(population.loss),
        np.ascontiguousarray(population.features),
        population.labels,
        np.cumsum(population.weights),
        np.arange(algorithm.clients if population.held else 0),
    )


def _randomizer(learner: Learner) -> kernels.Randomizer:
    used = learner.randomizer
    if isinstance(used, GaussianAnswer):
        nothing = np.ones((1, 1)), np.zeros(1), np.ones(1)
        return kernels.Randomizer(kernels.GAUSSIAN, used.clip, used.deviation, *nothing)
    table, reference = np.cumsum(used.table, axis=1), np.cumsum(used.reference)
    return kernels.Randomizer(kernels.TABLE, used.clip, 0.0, table, used.values, reference)


def _fitting(algorithm: Algorithm, learner: Learner) -> None:
    if len(learner.rates) != algorithm.slots:
        raise ParameterError("rates", f"{algorithm.slots} numbers, one a released slot", len(learner.rates))
    records = len(learner.population.features)
    if learner.population.held and algorithm.clients > records:
        raise ParameterError("clients", f"at most {records}, the records of the data set", algorithm.clients)


def _seed(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ParameterError("seed", "an integer from 0 to 2^64 - 1", seed)
    return seed
