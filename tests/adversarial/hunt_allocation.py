"""Random allocation of Gaussian noise, against balls and against itself.

One step sampled and two steps are integrals in balls; known slots are one Gaussian mechanism; of more steps there are
relations: more steps, more noise, fewer epochs, rarer participation and one direction never have more.
"""

import math
import random
from functools import cache

from flint import arb, ctx

from pldcheck.protocols import RandomAllocation

from .. import slot_oracles as oracles
from .cells import Cell, ends, log_uniform

# Of each a difference of tails loses some 110: sigma up to 1e4 and probabilities from 1e-15 on, twice.
BITS = 400
# A tail beyond so many deviations is below e^-5000 and is only bounded by LEAST.
FARTHEST = 100
# It is above e^-5000: exact ends of balls that are smaller are integers of millions of digits.
LEAST = arb(2) ** -7000
# Doublings of a bracket of epsilon: at 2^40 every curve of these hunts is 0.
DOUBLINGS = 40
ADJACENCIES = ("remove", "add", "add-remove", "replace")
# Steps at which the way of computing switches, and their neighbours.
SWITCHES = (2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1000, 9999, 10000, 10001, 10**6)


def _noise(draw: random.Random) -> float:
    return draw.choice([0.1, 0.5, 1.0, 1 / 1.4, 1 / 1.5, log_uniform(draw, 0.1, 10.0), log_uniform(draw, 0.1, 1e4)])


def _delta(draw: random.Random) -> float:
    return draw.choice([log_uniform(draw, 1e-12, 0.3), log_uniform(draw, 1e-60, 0.3), log_uniform(draw, 1e-300, 1e-2)])


def _prob(draw: random.Random) -> float:
    return draw.choice([1.0, 0.5, 1.0 - log_uniform(draw, 1e-15, 1e-3), log_uniform(draw, 1e-12, 1.0)])


# --- truths in balls --------------------------------------------------------------------------------------------------


def _tail(x):
    if x > FARTHEST:
        return arb(0).union(LEAST)
    return (x / type(x)(2).sqrt()).erfc() / 2


def _gaussian(mu, epsilon):
    """Return E(A - e^epsilon)_+ of the likelihood ratio of N(mu, 1) to N(0, 1), epsilon of any sign."""
    x = epsilon / mu - mu / 2
    if x > FARTHEST:  # the first tail is a bound
        return _tail(x)
    if x < -FARTHEST and x + mu > 1:  # both that of -x and kappa Q(x + mu) <= phi(x)/(x + mu) are as small
        return 1 - arb(0).union(2 * LEAST)
    # the second's factor may be large: its own size is kept
    return _tail(x) - epsilon.exp() * ((x + mu) / arb(2).sqrt()).erfc() / 2


def _one_step_delta(sigma, p, adjacency, epsilon):
    """Return delta of one step that the record takes part in with probability p."""
    s, c, p = 1 / arb(sigma), arb(epsilon).exp(), arb(p)
    answers = []
    if adjacency in ("remove", "add-remove"):
        answers.append(p * _gaussian(s, (1 + (c - 1) / p).log()))
    if adjacency in ("add", "add-remove"):
        k = ((-arb(epsilon)).exp() - (1 - p)) / p
        answers.append(_add_direction(s, k, c * p))
    if adjacency == "replace":
        # A - cB exceeds t = (1 - p)(c - 1)/p from z on
        t = (1 - p) * (c - 1) / p
        high = t * (s * s / 2).exp()
        z = ((high + (high * high + 4 * c).sqrt()) / 2).log() / s
        beyond = z - s > FARTHEST  # the first tail is a bound
        answers.append(p * (_tail(z - s) if beyond else _tail(z - s) - c * _tail(z + s) - t * _tail(z)))
    low = max(ends(one)[0] for one in answers)
    return low, max(ends(one)[1] for one in answers)


def _add_direction(s, k, factor):
    """Return factor E(k - A)_+."""
    if k <= 0:
        return arb(0)
    if not k > 0:
        return arb(0).union((factor * k).abs_upper())
    d = k.log() / s
    if -d - s / 2 > FARTHEST:
        return arb(0).union((factor * k).abs_upper() * LEAST)
    return factor * (k * _tail(-d - s / 2) - _tail(-d + s / 2))


def _two_steps_delta(sigma, p, adjacency, epsilon):
    """Return delta of two steps by one integral, of tests/slot_oracles.py."""
    directions = ("remove", "add") if adjacency == "add-remove" else (adjacency,)
    answers = [ends(oracles.exact(direction, 2, sigma, epsilon, p)) for direction in directions]
    return max(low for low, _ in answers), max(high for _, high in answers)


def _inverse(delta_at, target):
    """Return the floats between which epsilon(delta) lies, by halving: the deltas are enclosed."""
    low, high = 0.0, 1.0
    if delta_at(0.0)[1] <= target:
        return 0.0, 0.0
    for _ in range(DOUBLINGS):
        if delta_at(high)[1] <= target:
            break
        low, high = (high if delta_at(high)[0] > target else low), 2.0 * high
    else:
        return low, math.inf
    least, most = low, high
    for _ in range(70):
        middle = 0.5 * (least + high)
        if not least < middle < high:
            break
        (least, high) = (middle, high) if delta_at(middle)[0] > target else (least, middle)
        if delta_at(middle)[1] <= target:
            most = min(most, middle)
    return least, most


# --- hunts ------------------------------------------------------------------------------------------------------------


def _ask_width(draw, protocol, delta_at, width, refusable=False):
    if draw.random() < 0.5:
        delta = _delta(draw)
        return Cell(f"{protocol}.epsilon({delta!r})", lambda: protocol.epsilon(delta),
                    lambda: _evaluate(lambda: _inverse(delta_at, delta)), width)  # fmt: skip
    epsilon = draw.choice([0.0, log_uniform(draw, 1e-12, 1.0), draw.uniform(0.0, 5.0) / min(protocol.sigma, 1.0)])
    return Cell(f"{protocol}.delta({epsilon!r})", lambda: protocol.delta(epsilon),
                lambda: _evaluate(lambda: delta_at(epsilon)))  # fmt: skip


def _evaluate(truth):
    with ctx.workprec(BITS):
        return truth()


def one_step(draw: random.Random) -> Cell:
    """Return a cell: a record that takes part in one step with some probability."""
    sigma, p, adjacency = _noise(draw), _prob(draw), draw.choice(ADJACENCIES)
    protocol = RandomAllocation(1, sigma, check_in_prob=p, adjacency=adjacency)
    return _ask_width(draw, protocol, lambda epsilon: _one_step_delta(sigma, p, adjacency, epsilon), math.inf)


def two_steps(draw: random.Random) -> Cell:
    """Return a cell: delta of two steps, against one integral in balls, at the width asked for."""
    sigma, adjacency, p = draw.choice([0.5, 1.0, log_uniform(draw, 0.3, 1e4)]), draw.choice(ADJACENCIES), _prob(draw)
    protocol = RandomAllocation(2, sigma, check_in_prob=p, adjacency=adjacency)
    epsilon = draw.choice([log_uniform(draw, 1e-3, 1.0), draw.uniform(0.0, 5.0)]) / sigma
    return Cell(
        f"{protocol}.delta({epsilon!r})",
        lambda: protocol.delta(epsilon),
        lambda: _two_steps_delta(sigma, p, adjacency, epsilon),
    )


def known_slots(draw: random.Random) -> Cell:
    """Return a cell: every step has the record: one Gaussian mechanism."""
    steps, epochs = draw.choice([1, 1, 2, 7, 1000, 10**6]), draw.choice([1, 1, 3, 100])
    sigma, adjacency = _noise(draw), draw.choice(ADJACENCIES)
    protocol = RandomAllocation(steps, sigma, selected=steps, epochs=epochs, adjacency=adjacency)

    def delta_at(epsilon):
        mu = (arb(steps) * epochs).sqrt() * (2 if adjacency == "replace" else 1) / arb(sigma)
        return ends(_gaussian(mu, arb(epsilon)))

    return _ask_width(draw, protocol, delta_at, 1e-9)


@cache
def _answer(protocol, quantity, at):
    interval = getattr(protocol, quantity)(at)
    return interval.lower, interval.upper


def _no_more_than(draw, less, more):
    """Return a cell: the one has no more than the other: its lower end is at most the other's upper end."""
    quantity = draw.choice(("epsilon", "delta"))
    at = log_uniform(draw, 1e-12, 0.1) if quantity == "epsilon" else log_uniform(draw, 1e-3, 3.0) / min(less.sigma, 1.0)
    return Cell(f"{less}.{quantity}({at!r}) within {more}", lambda: _answer(less, quantity, at),
                lambda: (0.0, _answer(more, quantity, at)[1]))  # fmt: skip


def _steps(draw):
    steps = max(draw.choice(SWITCHES) + draw.choice([-1, 0, 1]), 1)
    return steps, steps + draw.choice([1, steps, 10 * steps])


def more_steps(draw: random.Random) -> Cell:
    """Return a cell: more steps have no more."""
    steps, more = _steps(draw)
    sigma, adjacency, p = log_uniform(draw, 0.75, 100.0), draw.choice(ADJACENCIES), _prob(draw)
    return _no_more_than(
        draw,
        RandomAllocation(more, sigma, check_in_prob=p, adjacency=adjacency),
        RandomAllocation(steps, sigma, check_in_prob=p, adjacency=adjacency),
    )


def more_noise(draw: random.Random) -> Cell:
    """Return a cell: more noise has no more, nor has one direction than both, nor a rarer record than one that is
    there.
    """
    steps, sigma, p = _steps(draw)[0], log_uniform(draw, 0.75, 100.0), _prob(draw)
    kind = draw.randrange(4)
    adjacency = draw.choice(ADJACENCIES)
    more = RandomAllocation(steps, sigma, check_in_prob=p, adjacency=adjacency)
    if kind == 0:
        factor = draw.choice([1.0 + log_uniform(draw, 1e-9, 1.0), 2.0])
        less = RandomAllocation(steps, sigma * factor, check_in_prob=p, adjacency=adjacency)
    elif kind == 1:
        less = RandomAllocation(
            steps, sigma, check_in_prob=p * (1.0 - log_uniform(draw, 1e-9, 0.9)), adjacency=adjacency
        )
    else:
        more = RandomAllocation(steps, sigma, check_in_prob=p, adjacency=("add-remove", "replace")[kind - 2])
        less = RandomAllocation(steps, sigma, check_in_prob=p, adjacency=draw.choice(("remove", "add")))
    return _no_more_than(draw, less, more)


def some_of_many(draw: random.Random) -> Cell:
    """Return a cell: k of m steps have no more than k plain ones, strictly: the answer's upper end against the
    truth.
    """
    steps = draw.choice([3, 4, 10, 100])
    selection = draw.randrange(2, min(steps, 6))
    # little noise and replacement double uneven grids: seconds an answer
    sigma, adjacency = log_uniform(draw, 0.75, 20.0), draw.choice(ADJACENCIES)
    delta = log_uniform(draw, 1e-10, 0.1)
    less = RandomAllocation(steps, sigma, selected=selection, adjacency=adjacency)

    def plain(at):
        mu = arb(selection).sqrt() * (2 if adjacency == "replace" else 1) / arb(sigma)
        return ends(_gaussian(mu, arb(at)))

    def answer():
        # the upper end, to be at most that of as many plain steps
        upper = less.epsilon(delta).upper
        return upper, upper

    return Cell(f"upper end of {less}.epsilon({delta!r}) within {selection} plain steps", answer,
                lambda: (0.0, _evaluate(lambda: _inverse(plain, delta))[1] * (1.0 + 1e-9)))  # fmt: skip


HUNTS = {
    "allocation: one step, sampled": one_step,
    "allocation: two steps": two_steps,
    "allocation: known slots": known_slots,
    "allocation: more steps": more_steps,
    "allocation: more noise, rarer, one direction": more_noise,
    "allocation: k of m within k": some_of_many,
}
