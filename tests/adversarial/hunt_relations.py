"""Relations that need no oracle, of every protocol: who assumes more gets no larger end; curves fall and are convex.

An upper end of what assumes more may exceed that of what assumes less by the width that was asked for, or by that to
which the other one is known; where the protocol itself states the relation, and at the switches of its methods, by
nothing.  Lower ends are below all upper ends of what assumes less, by nothing.
"""

import math
import random
from collections.abc import Callable
from dataclasses import replace

from pldcheck.core.errors import ParameterError
from pldcheck.protocols import (
    Averaged,
    BallsInBins,
    CheckIn,
    DecayingBudgets,
    Gaussian,
    HiddenSlot,
    Laplace,
    Protocol,
    RandomAllocation,
    RandomizedResponse,
    Shuffle,
    SlidingWindow,
    SubsampledGaussian,
    SubsampledRandomizedResponse,
    Swap,
)
from pldcheck.randomizers import Worst

from .cells import Cell, log_uniform

ADJACENCIES = ("replace", "zero-out")


def count(draw: random.Random, most: float, *switches: int) -> int:
    """Return a number from 1 to ``most``, often one at which a method switches."""
    if switches and draw.random() < 0.4:
        return max(draw.choice(switches) + draw.choice((-1, 0, 1)), 1)
    return round(log_uniform(draw, 1.0, most))


def budget(draw: random.Random) -> float:
    return draw.choice([log_uniform(draw, 0.1, 5.0), log_uniform(draw, 1e-6, 1.0), 1.0])


def share(draw: random.Random) -> float:
    return draw.choice([1.0, log_uniform(draw, 1e-3, 1.0), 1.0 - 10.0 ** -draw.randint(1, 12)])


def little(draw: random.Random) -> float:
    return draw.choice([0.0, log_uniform(draw, 1e-300, 1e-12), log_uniform(draw, 1e-12, 1e-2)])


def window(draw: random.Random) -> SlidingWindow:
    slots = count(draw, 300, 60)
    return SlidingWindow(slots, slots * count(draw, 20), budget(draw), little(draw))


# A protocol of each kind; epochs and rounds where they take no long time.
DRAWS: tuple[Callable[[random.Random], Protocol], ...] = (
    lambda d: HiddenSlot(count(d, 3000, 60, 2048), budget(d), share(d), d.choice(ADJACENCIES)),
    lambda d: HiddenSlot(count(d, 2000, 60), budget(d), share(d), d.choice(ADJACENCIES), delta0=little(d)),
    lambda d: HiddenSlot(count(d, 60), budget(d), share(d), epochs=count(d, 5), delta0=little(d)),
    lambda d: HiddenSlot(count(d, 100, 8, 20), budget(d), share(d), d.choice(ADJACENCIES), randomizer="rr"),
    lambda d: HiddenSlot(count(d, 100, 8, 20), budget(d), share(d), d.choice(ADJACENCIES), randomizer="krr:4"),
    lambda d: CheckIn(count(d, 70, 10, 12, 64), budget(d), share(d), clients=count(d, 3000, 10, 201, 20001)),
    lambda d: CheckIn(count(d, 30), budget(d), share(d), clients=count(d, 300), delta0=little(d)),
    lambda d: CheckIn(count(d, 30), budget(d), share(d), clients=count(d, 300, 201), randomizer="rr"),
    lambda d: Shuffle(count(d, 3000, 2, 60) + 1, budget(d), d.choice(("worst", "krr:3", "krr:20", "tv:1e-7"))),
    lambda d: Shuffle(count(d, 12000, 60, 10000) + 1, budget(d), "rr"),
    lambda d: Shuffle(count(d, 40, 2) + 1, 1.0, f"gaussian:{log_uniform(d, 1.0, 4.0)!r}"),
    lambda d: Swap(count(d, 3000, 64) + 1, budget(d)),
    lambda d: Averaged(count(d, 1000) + 1, count(d, 10), budget(d)),
    lambda d: SubsampledGaussian(log_uniform(d, 0.6, 6.0), share(d), count(d, 2000, 8, 40, 1000)),
    lambda d: SubsampledRandomizedResponse(budget(d), share(d), little(d), count(d, 2000, 8, 17, 1000)),
    lambda d: RandomizedResponse(count(d, 2000, 8, 17, 1000), budget(d), delta0=little(d)),
    lambda d: DecayingBudgets(count(d, 40, 17), budget(d), d.uniform(0.1, 0.95)),
    lambda d: Gaussian(log_uniform(d, 0.3, 30.0), count(d, 2000)),
    lambda d: Laplace(log_uniform(d, 0.5, 30.0), count(d, 2000, 8, 40, 1000)),
    lambda d: RandomAllocation(count(d, 1000, 8, 20), log_uniform(d, 0.6, 5.0)),
    lambda d: BallsInBins(count(d, 200) + 1, log_uniform(d, 0.6, 5.0)),
    window,
)


def any_protocol(draw: random.Random) -> Protocol:
    """Return a protocol; parameters that do not go together are drawn again."""
    while True:
        try:
            return draw.choice(DRAWS)(draw)
        except ParameterError:
            continue


def question(draw: random.Random, protocol: Protocol) -> tuple[str, float]:
    """Return the name of a quantity, and where it is asked."""
    delta = log_uniform(draw, draw.choice((1e-100, 1e-12)), 0.3)
    if draw.random() < 0.5:
        return "epsilon", delta
    places = (0.0, log_uniform(draw, 1e-9, 1e-3), protocol.epsilon(max(delta, 1e-30), 0.1).upper)
    epsilon = draw.choice(places)
    return "delta", epsilon if epsilon < 700.0 else 0.0


def relation(more: Protocol, less: Protocol, asked: tuple[str, float], *, certain: bool) -> Cell:
    """Return a cell: what assumes more has no larger ends; ``certain``: and not by any width either."""
    quantity, at = asked

    def answer() -> tuple[float, float]:
        one, other = (getattr(protocol, quantity)(at) for protocol in (more, less))
        slack = 0.0 if certain else max(more.default_width, other.relative_width)
        holds = one.lower <= other.upper and (slack == math.inf or one.upper <= other.upper * (1.0 + slack))
        return one.lower, math.inf if holds else -math.inf

    return Cell(f"{more} within {less}: {quantity}({at!r})", answer, lambda: (0.0, math.inf), refusable=True)


def monotone(draw: random.Random) -> Cell:
    """Return a cell: a parameter moved in the direction that is declared for it, by one or by a little."""
    while True:
        protocol = any_protocol(draw)
        name = draw.choice(list(protocol.directions))
        direction, value = protocol.directions[name], getattr(protocol, name)
        if value is None or (direction.unproved_with and getattr(protocol, direction.unproved_with) is not None):
            continue
        if direction.unproved_at and str(getattr(protocol, direction.unproved_at[0])) == direction.unproved_at[1]:
            continue
        larger = (
            value + draw.choice((1, 1, value))
            if isinstance(value, int)
            else value * (1.0 + log_uniform(draw, 1e-9, 1.0))
        )
        try:
            other = replace(protocol, **{name: larger})
        except ParameterError:
            continue
        more, less = (protocol, other) if direction.rises else (other, protocol)
        return relation(more, less, question(draw, less), certain=False)


def stated(draw: random.Random) -> Cell:
    """Return a cell: a relation that the protocol states itself, wherever it stands; or the number after a switch."""
    while True:
        protocol = any_protocol(draw)
        for name, numbers in protocol.switches.items():
            if numbers and draw.random() < 0.7:
                protocol = replace(protocol, **{name: draw.choice(numbers) + 1})
        quantity, at = question(draw, protocol)
        answer = getattr(protocol, quantity)(at)
        others = [one.other for one in protocol.relations(answer.relative_width, protocol.default_width)]
        if others:
            return relation(protocol, draw.choice(others), (quantity, at), certain=True)


def assumptions(draw: random.Random) -> Cell:
    """Return a cell: replaced or zeroed, with a delta0 or not, many clients or any number, a randomizer or any."""
    while True:
        protocol = any_protocol(draw)
        others: list[Protocol] = []
        if isinstance(protocol, HiddenSlot):
            others += [replace(protocol, adjacency="replace")] if protocol.adjacency == "zero-out" else []
            is_pure = protocol.delta0 == 0.0 and not protocol.randomizer.known
            others += [replace(protocol, delta0=max(little(draw), 1e-300))] if is_pure else []
        if isinstance(protocol, CheckIn):
            others += [protocol.alone]
        if isinstance(protocol, HiddenSlot | CheckIn | Shuffle) and protocol.randomizer.needs_eps0:
            others += [replace(protocol, randomizer=Worst())] if protocol.randomizer.known else []
        if isinstance(protocol, RandomAllocation):
            others += [Gaussian(protocol.sigma)]
        if isinstance(protocol, SubsampledGaussian):
            others += [Gaussian(protocol.sigma, protocol.steps)]
        try:
            return relation(protocol, draw.choice(others), question(draw, protocol), certain=False)
        except (IndexError, ParameterError):
            continue


def next_to_zero(draw: random.Random) -> Cell:
    """Return a cell: delta falls, and no faster than e^epsilon rises, also between its upper ends next to 0."""
    protocol, epsilon = any_protocol(draw), log_uniform(draw, 1e-12, 1e-3)

    def answer() -> tuple[float, float]:
        zero, there = protocol.delta(0.0), protocol.delta(epsilon)
        slack = max(protocol.default_width, there.relative_width)
        most = there.upper + math.expm1(epsilon) * (1.0 + 1e-15)
        holds = zero.lower <= most and there.lower <= zero.upper
        holds = holds and (slack == math.inf or zero.upper <= most * (1.0 + slack))
        return zero.lower, math.inf if holds else -math.inf

    return Cell(f"{protocol}: delta(0) beside delta({epsilon!r})", answer, lambda: (0.0, math.inf), refusable=True)


def there_and_back(draw: random.Random) -> Cell:
    """Return a cell: epsilon(delta(epsilon)) and delta(epsilon(delta)) contain what they began with."""
    protocol = any_protocol(draw)
    delta = log_uniform(draw, 1e-12, 0.3)

    def answer() -> tuple[float, float]:
        there = protocol.epsilon(delta)
        if there.upper > 700.0:
            return 0.0, math.inf
        holds = protocol.delta(there.upper).lower <= delta
        if there.lower > 0.0:  # a little below it delta is exceeded
            holds = holds and protocol.delta(there.lower * (1.0 - 1e-15)).upper >= delta
        return there.lower, math.inf if holds else -math.inf

    return Cell(f"{protocol}: delta(epsilon({delta!r}))", answer, lambda: (0.0, math.inf), refusable=True)


def convex(draw: random.Random) -> Cell:
    """Return a cell: delta lies below the chord between two others, as a function of e^epsilon."""
    protocol, delta = any_protocol(draw), log_uniform(draw, 1e-12, 1e-2)
    shares, between = sorted(draw.random() for _ in range(2)), draw.random()

    def answer() -> tuple[float, float]:
        last = min(protocol.epsilon(delta, 0.1).upper, 300.0)
        left, right = (last * one for one in shares)
        middle = left + (right - left) * between
        if not left < middle < right:
            return 0.0, math.inf
        part = min(math.expm1(middle - left) / math.expm1(right - left) * (1.0 - 1e-12), 1.0)
        ends = protocol.delta(left), protocol.delta(middle), protocol.delta(right)
        chord = ends[0].upper * (1.0 - part) * (1.0 + 1e-15) + ends[2].upper * part * (1.0 + 1e-11)
        holds = ends[1].lower <= chord and ends[2].lower <= ends[1].upper and ends[1].lower <= ends[0].upper
        return ends[1].lower, math.inf if holds else -math.inf

    return Cell(
        f"{protocol}: a chord up to delta {delta!r}, {shares}, {between!r}",
        answer,
        lambda: (0.0, math.inf),
        refusable=True,
    )


HUNTS = {
    "all relations: a parameter moved": monotone,
    "all relations: stated by the protocol": stated,
    "all relations: fewer assumptions": assumptions,
    "all relations: next to 0": next_to_zero,
    "all relations: there and back": there_and_back,
    "all relations: chords": convex,
}
