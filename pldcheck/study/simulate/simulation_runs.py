"""Runs of an algorithm: one by messages, or many by a fast kernel; run ``number`` is the same in both."""

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
from .placement import CHANNEL, check_ins, places, queues
from .record_populations import LOSSES
from .server import DUMMY, SERVER, AllOfThem, Descent, OneOfThem, Server
from .wire import Wire

Counts = NDArray[np.int64]
Progress = Callable[[int, int], None]
# Runs in one call of the kernel if they are short: few enough to share the work between threads.
BLOCK = 16
# Clients and slots in all runs of one call if they are long, so that progress is reported often.
LONG = 200_000


@dataclass(frozen=True, eq=False)
class Run:
    """One run of an algorithm.

    Parameters
    ----------
    models
        The released models, a row for each slot.
    wire
        The channel, with all messages in their order.
    check_ins
        The number of clients that checked in, which the server does not know.

    """

    algorithm: Algorithm
    models: Array
    wire: Wire
    check_ins: int


@dataclass(frozen=True, eq=False)
class Runs:
    """Many runs of an algorithm; each array has an entry for each run.

    Parameters
    ----------
    last, mean
        The last model, and the average of all models.
    check_ins
        The number of clients that checked in.
    answers
        The number of clients that the server asked.
    empty
        The number of released slots without a client.
    squares
        The sum of the squared loads of released slots.

    """

    algorithm: Algorithm
    learner: Learner
    seed: int
    last: Array
    mean: Array
    check_ins: Counts
    answers: Counts
    empty: Counts
    squares: Counts

    def __len__(self) -> int:
        return len(self.last)


def run(algorithm: Algorithm, learner: Learner, seed: int = 0, number: int = 0) -> Run:
    """Return one run, in which clients, a channel and a server exchange messages.

    Parameters
    ----------
    algorithm, learner
        Which client answers when, and what is learnt from the answers.
    seed, number
        The seed of all random numbers, and the number of the run; :func:`repeat` has the same run at speed.

    Returns
    -------
    Run
        The released models and all messages.

    Raises
    ------
    ParameterError
        If the learner has another number of step sizes than the algorithm has slots, or the seed is not in [0, 2^64).

    """
    _require_fit(algorithm, learner)
    seed = _seed(seed)
    people = [client(j, learner.population, learner.randomizer, seed, number) for j in range(algorithm.clients)]
    return meet(algorithm, people, server(algorithm, learner, seed, number), Draws.of(seed, number, CHANNEL))


def server(algorithm: Algorithm, learner: Learner, seed: int, number: int) -> Server:
    """Return the server of a run; it knows the ball of models and nothing about the clients."""
    size = learner.population.dimension
    descent = Descent(learner.rates, learner.population.radius, size, learner.batch)
    if algorithm.averages:
        return AllOfThem(descent)
    noise = learner.randomizer if learner.dummies == "noise" else None
    return OneOfThem(descent, noise, Draws.of(seed, number, SERVER), Draws.family(seed, number, DUMMY))


def meet(algorithm: Algorithm, people: Sequence[HonestClient], host: Server, channel: Draws) -> Run:
    """Return the run of these clients with this server."""
    slots = places(algorithm, people, channel)
    wire = Wire(queues(algorithm.slots, slots, people))
    return Run(algorithm, host.serve(wire), wire, check_ins(algorithm, slots))


def repeat(
    algorithm: Algorithm, learner: Learner, repeats: int, seed: int = 0, progress: Progress | None = None
) -> Runs:
    """Return the runs 0, ..., ``repeats`` - 1, with the same bits on any number of threads.

    Parameters
    ----------
    algorithm, learner
        Which client answers when, and what is learnt from the answers.
    repeats, seed
        The number of runs, at most 1e7, and the seed of all random numbers.
    progress
        A function that is called with the number of finished runs and the number of all runs.

    Raises
    ------
    ParameterError
        If ``repeats`` or ``seed`` is outside its range, or the learner does not fit the algorithm.

    """
    _require_fit(algorithm, learner)
    seed = _seed(seed)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 10**7:
        raise ParameterError("repeat", "an integer from 1 to 1e7", repeats)
    size = learner.population.dimension
    last, mean = np.zeros((repeats, size)), np.zeros((repeats, size))
    check_ins, answers, empty, squares = (np.zeros(repeats, np.int64) for _ in range(4))
    arrays = (last, mean, check_ins, answers, empty, squares)
    arguments = _channel(algorithm), _descent(algorithm, learner), _records(algorithm, learner), _randomizer(learner)
    block = max(1, min(BLOCK, -(-repeats // 4), LONG // (algorithm.clients + algorithm.slots)))

    def run_block(first: int) -> int:
        rows = slice(first, first + block)
        kernels.simulate(np.uint64(seed), first, *arguments, kernels.Outcomes(*(array[rows] for array in arrays)))
        return min(block, repeats - first)

    total, threads = 0, pool()
    try:
        for count in threads.map(run_block, range(0, repeats, block)):
            total += count
            if progress:
                progress(total, repeats)
    finally:  # an interrupt must not wait for runs that have not started
        threads.shutdown(wait=False, cancel_futures=True)
    return Runs(algorithm, learner, seed, last, mean, check_ins, answers, empty, squares)


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
    answer = learner.randomizer
    if isinstance(answer, GaussianAnswer):
        nothing = np.ones((1, 1)), np.zeros(1), np.ones(1)
        return kernels.Randomizer(kernels.GAUSSIAN, answer.clip, answer.deviation, *nothing)
    table, reference = np.cumsum(answer.table, axis=1), np.cumsum(answer.reference)
    return kernels.Randomizer(kernels.TABLE, answer.clip, 0.0, table, answer.values, reference)


def _require_fit(algorithm: Algorithm, learner: Learner) -> None:
    if len(learner.rates) != algorithm.slots:
        raise ParameterError("rates", f"{algorithm.slots} numbers, one for each released slot", len(learner.rates))
    records = len(learner.population.features)
    if learner.population.held and algorithm.clients > records:
        raise ParameterError("clients", f"at most {records}, the records of the data set", algorithm.clients)


def _seed(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ParameterError("seed", "an integer from 0 to 2^64 - 1", seed)
    return seed
