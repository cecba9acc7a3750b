"""Events of all kinds, alone, composed and in trees, beside the protocols that are the same mechanisms.

What an event's loss says by the accountant, and what it hands to dp_accounting on each side, must meet the protocol's
answer: losses that dominate have no lower end of their own, and exports are on their sides.
"""

import math
import random
from collections.abc import Callable

import attr
import dp_accounting as dpa
from dp_accounting import NeighboringRelation

from pldcheck.accounting import Accountant, interop
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import (
    CheckIn,
    FixedBatches,
    Gaussian,
    Laplace,
    Protocol,
    RandomAllocation,
    RandomizedResponse,
    Shuffle,
    SubsampledGaussian,
    SubsampledRandomizedResponse,
    TruncatedPoisson,
)

from .cells import Cell, log_uniform

ADD_REMOVE, REPLACE = NeighboringRelation.ADD_OR_REMOVE_ONE, NeighboringRelation.REPLACE_ONE
# The least delta at which exports are asked, far above the tail of 1e-15 that each of them gives up.
LEAST_EXPORTED = 1e-9


@attr.s(frozen=True, slots=True, auto_attribs=True)
class EpsilonDeltaDpEvent(dpa.DpEvent):
    """The event of later versions of dp_accounting: events are known by the names of their classes."""

    epsilon: float
    delta: float


def whole(draw: random.Random, most: float) -> int:
    return round(log_uniform(draw, 1.0, most))


def noise(draw: random.Random) -> float:
    return draw.choice([1.0, log_uniform(draw, 0.4, 8.0), 1.0 / 3.0])


def share(draw: random.Random) -> float:
    return draw.choice([1.0, 0.5, log_uniform(draw, 1e-4, 1.0)])


def little(draw: random.Random) -> float:
    return draw.choice([0.0, 0.0, log_uniform(draw, 1e-20, 1e-3)])


def gaussian(draw):
    sigma, steps = noise(draw), whole(draw, 300)
    return dpa.GaussianDpEvent(sigma), steps, Gaussian(sigma, steps), ADD_REMOVE


def laplace(draw):
    scale, steps = noise(draw), whole(draw, 300)
    return dpa.LaplaceDpEvent(scale), steps, Laplace(scale, steps), ADD_REMOVE


def budgets(draw):
    eps0, delta0, steps = log_uniform(draw, 1e-3, 3.0), little(draw), whole(draw, 300)
    return (
        EpsilonDeltaDpEvent(eps0, delta0),
        steps,
        RandomizedResponse(steps, eps0, delta0=delta0),
        ADD_REMOVE,
    )


def sampled_budgets(draw):
    eps0, rate, delta0, steps = log_uniform(draw, 1e-3, 3.0), share(draw), little(draw), whole(draw, 300)
    event = dpa.PoissonSampledDpEvent(rate, EpsilonDeltaDpEvent(eps0, delta0))
    return event, steps, SubsampledRandomizedResponse(eps0, rate, delta0, steps), ADD_REMOVE


def sampled_gaussian(draw):
    sigma, rate, steps = noise(draw), share(draw), whole(draw, 1000)
    event = dpa.PoissonSampledDpEvent(rate, dpa.GaussianDpEvent(sigma))
    return event, steps, SubsampledGaussian(sigma, rate, steps), ADD_REMOVE


def allocation(draw):
    steps, sigma, epochs = whole(draw, 200), noise(draw), draw.choice([1, 1, 2, 5])
    selected = draw.choice([1, 1, min(2, steps), whole(draw, steps)])
    event = interop.RandomAllocationDpEvent(steps, selected, dpa.GaussianDpEvent(sigma))
    return event, epochs, RandomAllocation(steps, sigma, selected, epochs), ADD_REMOVE


def check_in(draw):
    steps, eps0, prob, epochs = whole(draw, 200), log_uniform(draw, 0.01, 4.0), share(draw), draw.choice([1, 1, 3])
    return interop.RandomCheckInDpEvent(steps, eps0, prob), epochs, CheckIn(steps, eps0, prob, epochs), REPLACE


def shuffle(draw):
    clients, eps0, rounds = whole(draw, 3000) + 1, log_uniform(draw, 0.01, 3.0), draw.choice([1, 1, 3])
    return interop.ShuffleDpEvent(clients, eps0), rounds, Shuffle(clients, eps0, rounds=rounds), REPLACE


def shuffled_noise(draw):
    clients, sigma = whole(draw, 40) + 1, log_uniform(draw, 1.0, 4.0)
    event = interop.ShuffleDpEvent(clients, dpa.GaussianDpEvent(sigma))
    return event, 1, Shuffle(clients, 1.0, f"gaussian:{sigma!r}"), REPLACE


def fixed_batches(draw):
    records, steps, sigma = whole(draw, 5000) + 1, whole(draw, 100), noise(draw)
    batch, repeats = whole(draw, records - 1), draw.random() < 0.5
    kind = dpa.SampledWithReplacementDpEvent if repeats else dpa.SampledWithoutReplacementDpEvent
    sampling = "with-replacement" if repeats else "without-replacement"
    # Noise is over the length of a vector in dp_accounting; a record and its replacement may be twice as far apart.
    # The protocol counts the other records.
    event = kind(records, batch, dpa.GaussianDpEvent(sigma))
    return event, steps, FixedBatches(0.5 * sigma, records - 1, batch, steps, sampling=sampling), REPLACE


def truncated(draw):
    records, rate, steps, sigma = whole(draw, 5000) + 1, log_uniform(draw, 1e-3, 0.5), whole(draw, 100), noise(draw)
    most = max(round(records * rate * draw.uniform(0.8, 1.6)), 1)
    event = dpa.dp_event.TruncatedSubsampledGaussianDpEvent(records + 1, rate, most, sigma)
    return event, steps, TruncatedPoisson(sigma, rate, records, most, steps), ADD_REMOVE


Drawn = tuple[dpa.DpEvent, int, Protocol, NeighboringRelation]
DRAWS: dict[str, Callable[[random.Random], Drawn]] = {
    "Gaussian": gaussian,
    "Laplace": laplace,
    "budgets": budgets,
    "sampled budgets": sampled_budgets,
    "sampled Gaussian": sampled_gaussian,
    "allocation": allocation,
    "check-in": check_in,
    "shuffle": shuffle,
    "shuffled noise": shuffled_noise,
    "fixed batches": fixed_batches,
    "truncated": truncated,
}


def composed(draw: random.Random, event: dpa.DpEvent, count: int) -> dpa.DpEvent:
    """Return so many of an event, in a tree of one shape or another."""
    shape = draw.choice(["self", "list", "nested"])
    if shape == "self" or count == 1:
        return dpa.SelfComposedDpEvent(event, count) if count > 1 or draw.random() < 0.5 else event
    first = draw.randint(1, count - 1)
    parts = [dpa.SelfComposedDpEvent(event, first), dpa.SelfComposedDpEvent(event, count - first)]
    if shape == "nested":
        parts = [dpa.ComposedDpEvent([parts[0], dpa.NoOpDpEvent()]), parts[1]]
    return dpa.ComposedDpEvent(parts)


def beside(draw: random.Random, kind: str) -> Cell:
    """Return a cell: an event of this kind, asked for epsilon, beside its protocol."""
    while True:
        try:
            event, count, protocol, relation = DRAWS[kind](draw)
            break
        except ParameterError:
            continue
    tree = composed(draw, event, count)
    delta = log_uniform(draw, draw.choice([1e-60, 1e-12]), 0.1)
    if exports := draw.random() < 0.2:
        delta = max(delta, LEAST_EXPORTED)

    def answer() -> tuple[float, float]:
        accountant = Accountant(neighboring_relation=relation)
        interval = accountant.compose(tree).epsilon(delta)
        lower, upper = interval.lower, interval.upper
        if exports:
            loss = interop.from_event(tree, relation=relation)
            least, most = (
                interop.to_dp_accounting(loss, pessimistic=side).get_epsilon_for_delta(delta) for side in (False, True)
            )
            lower, upper = max(lower, least), min(upper, most)
        # Ends that have crossed are outside of anything.
        return (lower, upper) if lower <= upper else (math.nan, math.nan)

    def truth() -> tuple[float, float]:
        interval = protocol.epsilon(delta)
        return interval.lower, interval.upper

    ending = " and its exports" if exports else ""
    return Cell(f"{tree!r}{ending} beside {protocol}: epsilon({delta!r})", answer, truth, refusable=True)


HUNTS = {f"events: {kind}": lambda draw, kind=kind: beside(draw, kind) for kind in DRAWS}
