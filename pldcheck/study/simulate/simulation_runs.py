"""Runs of an algorithm with projected stochastic gradient descent, many of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.errors import ParameterError
from ...core.parameters import Parameter
from . import stated_values
from .algorithms import Algorithm
from .gradient_randomizers import Randomizer
from .placement import ABSENT, check_ins, places
from .record_populations import Population

Counts = NDArray[np.int64]
Progress = Callable[[int, int], None]
REPEAT = Parameter("repeat", "number of runs", 1, 10**7, integer=True)
# Numbers on the command line are doubles, and beyond 2^53 not every whole number is one.
SEED = Parameter("seed", "what all random numbers follow from", 0, 2**53, integer=True)
# Clients and slots of all runs that are held in memory at once.
MOST_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class Learner:
    """Projected stochastic gradient descent from the model 0: records, their randomizer, and the rate of each slot."""

    population: Population
    randomizer: Randomizer
    rates: Array

    def __post_init__(self) -> None:
        rates = np.array(self.rates, dtype=float)
        if rates.ndim != 1 or not (np.isfinite(rates).all() and (rates >= 0.0).all()):
            raise ParameterError("rates", "finite numbers of at least 0, one for each slot", np.shape(self.rates))
        object.__setattr__(self, "rates", rates)

    def answers(self, models: Array, clients: Counts, draw: Generator) -> Array:
        """Return the randomized gradient of each client, at a model of its own; each client answers once in a run."""
        return self.randomizer.answers(self.population.gradients(self.population.records(clients, draw), models), draw)

    def step(self, slot: int, models: Array, totals: Array) -> Array:
        """Return models after a step, projected to the ball."""
        models = models - self.rates[slot] * totals
        lengths = np.linalg.norm(models, axis=1, keepdims=True)
        return models * (self.population.radius / np.maximum(lengths, self.population.radius))


def default_learner(algorithm: Algorithm, population: Population, randomizer: Randomizer) -> Learner:
    """Return the learner with the step sizes of Theorem 3.5 or, where slots are averaged, of Theorem 4.2.

    The step size of Theorem 3.5 has 2 e^{-n p0/m}, which is above 1 where most slots are empty and leaves no step.
    Here the exact probability that a slot is empty stands in its place.
    """
    error = stated_values.gradient_error(
        algorithm, randomizer.noise_square(population.dimension), min(randomizer.clip, population.lipschitz)
    )
    none = 0.0 if algorithm.averages else stated_values.empty_probability(algorithm)
    return Learner(
        population, randomizer, stated_values.step_sizes(algorithm.slots, none, error, 2.0 * population.radius)
    )


@dataclass(frozen=True, eq=False)
class Run:
    """One run: for each slot the number of its clients, the answers to the server, and the model after it.

    ``check_ins``, the number of clients that checked in, is unknown to the server.
    """

    algorithm: Algorithm
    loads: Counts
    answers: tuple[Array, ...]
    models: Array
    check_ins: int


@dataclass(frozen=True, eq=False)
class Runs:
    """Many runs of an algorithm; each array has an entry for each run.

    Parameters
    ----------
    last, mean
        The last model, and the average of all models.
    check_ins
        The number of clients that checked in, of those that may abstain.
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
    empty: Counts
    squares: Counts

    def __len__(self) -> int:
        return len(self.last)


def run(algorithm: Algorithm, learner: Learner, seed: int = 0) -> Run:
    """Return one run with all that the server receives.

    Raises
    ------
    ParameterError
        If the learner has another number of step sizes than the algorithm has slots, or the seed is out of its range.

    """
    _require_fit(algorithm, learner)
    draw = np.random.default_rng(int(SEED.parse(seed)))
    slots = places(algorithm, 1, draw)
    rounds = list(_rounds(algorithm, learner, slots, draw))
    loads, answers, models = zip(*rounds, strict=True)
    return Run(algorithm, np.concatenate(loads), answers, np.concatenate(models), int(check_ins(algorithm, slots)[0]))


def repeat(
    algorithm: Algorithm, learner: Learner, repeats: int, seed: int = 0, progress: Progress | None = None
) -> Runs:
    """Return many independent runs.

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
    total, start = int(REPEAT.parse(repeats)), int(SEED.parse(seed))
    block = max(1, min(total, MOST_NUMBERS // (algorithm.clients + algorithm.slots)))
    parts = []
    for first in range(0, total, block):
        count, draw = min(block, total - first), np.random.default_rng((start, first))
        slots = places(algorithm, count, draw)
        mean, empty, squares = np.zeros((count, learner.population.dimension)), np.zeros(count), np.zeros(count)
        for loads, _, models in _rounds(algorithm, learner, slots, draw):
            mean += models / algorithm.slots
            empty += loads == 0
            squares += loads**2
        tallies = (each.astype(np.int64) for each in (check_ins(algorithm, slots), empty, squares))
        parts.append((models, mean, *tallies))
        if progress:
            progress(min(first + block, total), total)
    return Runs(algorithm, learner, start, *(np.concatenate(part) for part in zip(*parts, strict=True)))


def _rounds(
    algorithm: Algorithm, learner: Learner, slots: Counts, draw: Generator
) -> Iterator[tuple[Counts, Array, Array]]:
    """Yield for each slot the number of clients in each run, all their answers, and the models of all runs after it.

    A server that averages asks all clients of a slot at one model, and skips an empty slot; any other asks one of
    them, and takes a dummy update of its own where there is none.
    """
    runs, size = len(slots), learner.population.dimension
    run, client = np.nonzero(slots != ABSENT)
    group = slots[run, client] * runs + run
    order = np.argsort(group + draw.random(group.size))  # within a slot of a run in random order
    loads = np.bincount(group, minlength=algorithm.slots * runs).reshape(algorithm.slots, runs)
    if not algorithm.averages:
        order = order[np.unique(group[order], return_index=True)[1]]
    ends = np.searchsorted(group[order], runs * np.arange(algorithm.slots + 1))
    run, client = run[order], client[order]
    models = np.zeros((runs, size))
    for slot, load in enumerate(loads):
        here = slice(ends[slot], ends[slot + 1])
        answers = learner.answers(models[run[here]], client[here], draw)
        totals = np.zeros((runs, size))
        np.add.at(totals, run[here], answers)
        if algorithm.averages:
            totals /= np.maximum(load, 1)[:, None]
        else:
            totals[load == 0] = learner.randomizer.dummies(int(np.sum(load == 0)), size, draw)
        models = learner.step(slot, models, totals)
        yield load, answers, models


def _require_fit(algorithm: Algorithm, learner: Learner) -> None:
    if len(learner.rates) != algorithm.slots:
        raise ParameterError("rates", f"{algorithm.slots} numbers, one for each released slot", len(learner.rates))
    records = len(learner.population.features)
    if learner.population.held and algorithm.clients > records:
        raise ParameterError("clients", f"at most {records}, the records of the data set", algorithm.clients)
