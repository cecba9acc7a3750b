"""Sums of gains by ``pld.gain_stoploss.excess``, down to 1e-307 of the largest gain, against all outcomes in balls.

Every oracle adds positive terms only: binomial or multinomial probabilities times what the sum exceeds 0 by.
"""

import math
import random
from collections.abc import Sequence

import numpy as np
from flint import arb, ctx

from pldcheck.pld.gain_stoploss import excess

from .cells import Cell, ends, log_uniform

# Relative width asked where the answer is above FAR, and FAR of the largest gain; below, the truth is inside, no more.
WIDTH = 1e-4
FAR = 1e-290
# Binary digits of the oracle: places of values whose exponents differ by hundreds, and the cancellation of their sums.
DIGITS = 1000


def _power_of_ten(draw: random.Random) -> float:
    """Return the scale of the gains: one, or far from it."""
    return draw.choice([1.0, 1.0, log_uniform(draw, 1e-250, 1e250)])


def _jumps(draw: random.Random, count: int, chance: float) -> int:
    """Return a number of successes whose probability is about 10^-U, U between 0 and 307."""
    target = draw.uniform(0.0, 307.0) * math.log(10.0)
    low = min(int(count * chance) + 1, count)
    for jumps in range(low, count):
        share = jumps / count
        distance = share * math.log(share / chance) + (1.0 - share) * math.log((1.0 - share) / (1.0 - chance))
        if count * distance > target:
            return jumps
    return count


def _cell(parts: Sequence[tuple], truth: Sequence[tuple], largest: float, any_width: bool, mass_error: float) -> Cell:
    """Return a cell; ``truth`` has the parts that are meant, within the errors of ``parts``."""

    def answer() -> tuple[float, float]:
        arrays = [(np.array(values), np.array(masses), count, error) for values, masses, count, error in parts]
        found = excess(arrays, mass_error)
        return found.lower, found.upper

    def exact():
        before, ctx.prec = ctx.prec, DIGITS
        try:
            return ends(_mean_above(truth))
        finally:
            ctx.prec = before

    near = not any_width and float(exact()[1]) > FAR * max(largest, 1.0)
    return Cell(f"excess({parts!r}, {mass_error!r})", answer, exact, WIDTH if near else math.inf)


def _mean_above(parts: Sequence[tuple]) -> arb:
    """Return E(sum)_+, by all multisets of each part."""
    sums = [(arb(0), arb(1))]
    for values, masses, count in parts:
        total = sum(masses, arb(0))
        more = _multisets([arb(v) for v in values], [m / total for m in masses], count)
        sums = [(place + after, mass * chance) for place, mass in sums for after, chance in more]
    return sum((place * mass for place, mass in sums if place > 0), arb(0))


def _multisets(values: list, masses: list, count: int) -> list:
    """Return every sum of ``count`` copies, and its probability."""
    if len(values) == 1:
        return [(count * values[0], masses[0] ** count)]
    if len(values) == 2:
        chance, odds, outcomes = masses[1] ** count, masses[0] / masses[1], []
        for k in range(count + 1):
            outcomes.append((k * values[0] + (count - k) * values[1], chance))
            chance *= odds * (count - k) / (k + 1)
        return outcomes
    outcomes, ways = [], arb(1)
    for k in range(count + 1):
        rest = _multisets(values[1:], masses[1:], count - k)
        outcomes += [(k * values[0] + place, ways * chance) for place, chance in rest]
        ways *= masses[0] * (count - k) / (k + 1)
    return outcomes


def binary(draw: random.Random) -> Cell:
    """One gain of two values: written out, or by the inversion."""
    count, chance = draw.choice([1, 2, draw.randint(3, 1998), draw.randint(1999, 4000)]), log_uniform(draw, 1e-6, 0.5)
    jumps = _jumps(draw, count, chance)
    up = _power_of_ten(draw)
    net = jumps - draw.random() * draw.choice([1.0, 1e-3, 1e-9])
    down = up * net / max(count - net, 1e-9)
    values, masses = [up, -down], [chance, 1.0 - chance]
    return _cell([(values, masses, count, 0.0)], [(values, [arb(m) for m in masses], count)], up, False, 2e-15)


def several(draw: random.Random) -> Cell:
    """One gain of three or four values."""
    size = draw.choice([3, 4])
    count = draw.randint(40, 90) if size == 3 else draw.randint(15, 26)
    up, rare = _power_of_ten(draw), log_uniform(draw, 1e-9, 0.3)
    share = draw.random()
    values = [up, up * draw.uniform(-1.0, 1.0), *(-up * share / (1.0 - share) * draw.random() for _ in range(size - 2))]
    masses = [rare, *(draw.random() for _ in range(size - 1))]
    # The mean is moved below 0, so far that the largest sum is still above it.
    low = sum(v * m for v, m in zip(values, masses, strict=True)) / sum(masses)
    shift = low + (up - low) * draw.random() ** 2
    values = [value - shift for value in values]
    parts = [(values, masses, count, 0.0)]
    return _cell(parts, [(values, [arb(m) for m in masses], count)], up, False, 2e-15)


def two_kinds(draw: random.Random) -> Cell:
    """A start that nothing but jumps of two sizes makes up for."""
    counts = draw.choice([(50, 60), (3, 2500), (20, 300)])
    chances = [log_uniform(draw, 1e-4, 0.5) for _ in counts]
    up = _power_of_ten(draw)
    sizes = [up, up * log_uniform(draw, 1e-4, 1.0)]
    most = sum(count * size for count, size in zip(counts, sizes, strict=True))
    mean = sum(count * size * p for count, size, p in zip(counts, sizes, chances, strict=True))
    start = -(mean + (most - mean) * draw.random())
    parts = [([start], [1.0], 1, 0.0)]
    parts += [([s, 0.0], [p, 1.0 - p], n, 0.0) for s, p, n in zip(sizes, chances, counts, strict=True)]
    return _cell(parts, [(v, [arb(m) for m in w], n) for v, w, n, _ in parts], up, False, 2e-15)


def within_errors(draw: random.Random) -> Cell:
    """Values and masses that are off by up to what is stated."""
    count, chance = draw.choice([1, 2, draw.randint(3, 400), draw.randint(1999, 2600)]), log_uniform(draw, 1e-4, 0.4)
    net = _jumps(draw, count, chance) - draw.random()
    up = _power_of_ten(draw)
    down = up * net / max(count - net, 1e-9)
    error, mass_error = log_uniform(draw, 1e-13, 1e-6), log_uniform(draw, 1e-14, 1e-6)
    error, side = error * up, draw.choice([-1, 1])
    masses = [chance, 1.0 - chance]
    moved = [chance * (1 + side * arb(0.49 * mass_error)), 1 - chance * (1 + side * arb(0.49 * mass_error))]
    values = [arb(up) + side * arb(error), -arb(down) + side * arb(error)]
    return _cell([([up, -down], masses, count, error)], [(values, moved, count)], up, True, mass_error)


def rare_masses(draw: random.Random) -> Cell:
    """A gain whose probability is subnormal or nearly so, beside one that is not."""
    count = draw.choice([1, 2, 7, 20, 20, 63])
    up, rare = _power_of_ten(draw), draw.choice([5e-324, log_uniform(draw, 1e-320, 1e-290)])
    values, masses = [up, -up * log_uniform(draw, 1e-6, 1e3)], [rare, 1.0]
    if draw.random() < 0.5 and count < 100:
        values, masses = [*values, up * draw.random()], [rare, 1.0, log_uniform(draw, 1e-300, 1e-100)]
    # Next to a law that is one value but for 1e-100, the inversion of many copies has an upper end alone.
    many = count > 20
    return _cell([(values, masses, count, 0.0)], [(values, [arb(m) for m in masses], count)], up, many, 2e-15)


HUNTS = {
    "gains: two values": binary,
    "gains: three and four values": several,
    "gains: two kinds and a start": two_kinds,
    "gains: within their errors": within_errors,
    "gains: rare ones": rare_masses,
}
