"""Sums of losses of sampled Gaussians against laws on grids that enclose them in balls, down to delta = 1e-60."""

import math
import random
from fractions import Fraction
from functools import cache, lru_cache, reduce

from flint import arb

from pldcheck import pld

from ..sampled_sums import SampledSum, Step
from .cells import Cell, ends, log_uniform

# Numbers of steps: one and two, the most that are folded into two halves, one more, and powers.
STEPS = (1, 2, 3, 4, 7, 8, 9, 10, 16, 17, 60)
# Different objects up to which each has the finest cells, and from which on losses are nodes, with one more and one
# less.
OBJECTS = (8, 9, 133, 134)
# Of so many cells one has an oracle with a grid four times as fine, which is some sixteen times as narrow.
FINER = 16
# Refined until it is no wider than this, relatively, or twice.
NARROW = 5e-3
# No delta above is asked for, and none below.
LARGEST, LEAST = 1e-1, 1e-60

Parts = tuple[tuple[float, float, int], ...]  # sigma, rate, copies


def _noise_and_rate(draw: random.Random) -> tuple[float, float]:
    sigma = draw.choice([log_uniform(draw, 0.3, 50.0), log_uniform(draw, 0.3, 2.0), 1.0])
    near_one = 1.0 - log_uniform(draw, 1e-12, 0.5)
    rate = draw.choice([log_uniform(draw, 1e-6, 1.0), log_uniform(draw, 1e-3, 1.0), 0.5, near_one, near_one, 1.0])
    return sigma, rate


def _parts(draw: random.Random) -> Parts:
    """Return one kind of step, so often, or up to four kinds, nearly equal ones among them."""
    total, kinds = draw.choice(STEPS), draw.choice([1, 1, 2, 3, 4])
    parts = [_noise_and_rate(draw)]
    while len(parts) < min(kinds, total):
        sigma, rate = draw.choice(parts)
        near = (sigma * (1.0 + log_uniform(draw, 1e-12, 1e-2)), rate)
        parts.append(draw.choice([near, _noise_and_rate(draw), _noise_and_rate(draw)]))
    bounds = sorted(draw.sample(range(1, total), len(parts) - 1))
    counts = [after - before for before, after in zip([0, *bounds], [*bounds, total], strict=True)]
    return tuple((*part, count) for part, count in zip(parts, counts, strict=True))


def _steps(parts: Parts, removed: bool) -> list[Step]:
    return [Step(sigma, rate, removed) for sigma, rate, count in parts for _ in range(count)]


def _composed(losses: list[pld.PrivacyLossDistribution]) -> pld.PrivacyLossDistribution:
    return reduce(lambda one, other: one.compose(other), losses)


@lru_cache(maxsize=4)  # the sums of a cell, which may be asked for delta at two epsilons
def _sum(steps: tuple[Step, ...], near: float, fineness: int) -> SampledSum:
    """Return the oracle near this epsilon, refined where it is wide."""
    one = SampledSum(steps, near, fineness)
    low, high = one.delta(near)
    # The better direction may have a delta that is far below any that is asked for.
    enough = high - low <= NARROW * high or high < NARROW * LEAST or fineness >= 2
    return one if enough else _sum(steps, near, fineness + 2)


def _largest(steps: list[Step]) -> arb | None:
    """Return the largest loss of the sum, None where there is none."""
    return sum((step.end for step in steps), arb(0)) if all(step.has_largest for step in steps) else None


def _enclosure(ways: list[list[Step]], epsilon: float, near: float, fineness: int) -> tuple[Fraction, Fraction]:
    """Return the ends of delta, that of the worst direction; the oracle is one for an epsilon nearby."""
    low = high = Fraction(0)
    for steps in ways:
        largest = _largest(steps)
        if largest is None or not largest <= min(epsilon, near):
            below, above = _sum(tuple(steps), near, fineness).delta(epsilon)
            low, high = max(low, ends(below)[0]), max(high, ends(above)[1])
    return low, high


def _cell(draw: random.Random, text: str, loss: pld.PrivacyLossDistribution, ways: list[list[Step]]) -> Cell:
    """Return a cell: delta where it is 10^-k, near 0 or near the largest loss; or epsilon, by delta at its ends."""
    target, fineness = log_uniform(draw, LEAST, LARGEST), 2 * (draw.randrange(FINER) == 0)
    if draw.random() < 0.3:
        return _epsilon_cell(f"{text}.epsilon({target!r})", loss, ways, target, fineness)
    epsilon = loss.epsilon(target).upper * draw.choice([1.0, 1.0, 1.0 - log_uniform(draw, 1e-9, 1e-1)])
    caps = [cap for cap in map(_largest, ways) if cap is not None]
    if len(caps) == len(ways) and draw.random() < 0.5:
        epsilon = max(float(cap.lower()) for cap in caps) * (1.0 - log_uniform(draw, 1e-3, 1e-1))
        # The rarest losses of many steps may be too rare for a positive number.
        epsilon = min(epsilon, loss.epsilon(LEAST).lower)
    elif draw.random() < 0.15:
        epsilon = draw.choice([0.0, epsilon * log_uniform(draw, 1e-6, 0.1)])
    return Cell(
        f"{text}.delta({epsilon!r})",
        lambda: loss.delta(epsilon),
        lambda: _enclosure(ways, epsilon, epsilon, fineness),
    )


def _epsilon_cell(
    question: str, loss: pld.PrivacyLossDistribution, ways: list[list[Step]], delta: float, fineness: int
) -> Cell:
    """Return a cell: delta at the lower end is no less than asked for, and at the upper end no more."""

    @cache
    def answer() -> tuple[float, float]:
        lower, upper = loss.epsilon(delta)
        return lower, upper

    def truth() -> tuple[float, float]:
        lower, upper = answer()
        if lower > 0.0 and _enclosure(ways, lower, upper, fineness)[1] < delta:
            return 0.0, math.nextafter(lower, 0.0)
        if _enclosure(ways, upper, upper, fineness)[0] > delta:
            return math.nextafter(upper, math.inf), math.inf
        return lower, upper

    return Cell(question, answer, truth)


def _objects(parts: Parts, removed: bool | None) -> tuple[str, list[pld.PrivacyLossDistribution]]:
    """Return the losses as they are typed, and made; ``removed``: one direction, or both where it is None."""
    way = {None: "", True: ".one_way", False: ".reversed.one_way"}[removed]
    text = "".join(f", (pld.subsampled_gaussian({s!r}, {r!r}){way}, {count})" for s, r, count in parts)[2:]
    losses = []
    for sigma, rate, count in parts:
        loss = pld.subsampled_gaussian(sigma, rate)
        if removed is not None:
            loss = loss.one_way if removed else loss.reversed.one_way
        losses.append(loss.compose(count))
    return text, losses


def added_or_removed(draw: random.Random) -> Cell:
    """Return a cell: one list, in one direction or in both, of which the worse one counts."""
    parts, removed = _parts(draw), draw.choice([None, True, False])
    text, losses = _objects(parts, removed)
    ways = [_steps(parts, way) for way in ((True, False) if removed is None else (removed,))]
    return _cell(draw, f"composed({text})", _composed(losses), ways)


def added_and_removed(draw: random.Random) -> Cell:
    """Return a cell: some steps with the record removed, others with it added."""
    first, second = _parts(draw), _parts(draw)
    (one, losses), (other, more) = _objects(first, True), _objects(second, False)
    ways = [[*_steps(first, True), *_steps(second, False)]]
    return _cell(draw, f"composed({one}, {other})", _composed([*losses, *more]), ways)


def many_objects(draw: random.Random) -> Cell:
    """Return a cell: few kinds of steps as many objects: each of them counts as another mechanism."""
    total, removed = draw.choice(OBJECTS), draw.choice([True, False])
    kinds = [_noise_and_rate(draw) for _ in range(draw.choice([1, 2, 3]))]
    if total > 100:  # each is rare, or their sum is far beyond what is asked
        kinds = [(max(sigma, 1.0), min(rate, 0.5)) for sigma, rate in kinds]
    counts = [total // len(kinds)] * (len(kinds) - 1)
    parts = tuple((*kind, count) for kind, count in zip(kinds, [*counts, total - sum(counts)], strict=True))
    singles = tuple((sigma, rate, 1) for sigma, rate, count in parts for _ in range(count))
    text = f"every one its own object: {_objects(parts, removed)[0]}"
    return _cell(draw, f"composed({text})", _composed(_objects(singles, removed)[1]), [_steps(parts, removed)])


HUNTS = {
    "sampled sums: added or removed": added_or_removed,
    "sampled sums: added and removed": added_and_removed,
    "sampled sums: many objects": many_objects,
}
