"""Pairs of mass functions: tiny and subnormal masses, sums that are off, nearly equal rows; by enumeration in balls."""

import itertools
import random
from fractions import Fraction

from flint import arb, ctx

from pldcheck import pld

from .cells import Cell, ends, log_uniform

BITS = 600


def _masses(draw: random.Random, size: int, least: float) -> list[float]:
    weights = [draw.choice([0.0, log_uniform(draw, least, 1.0), draw.random()]) for _ in range(size - 1)]
    total = sum(weights)
    if total > 0.9:
        weights = [w * 0.9 / total for w in weights]
    weights = [0.0 if 0.0 < w < least else w for w in weights]
    weights.append(1.0 - sum(weights))
    offset = draw.choice([0.0, log_uniform(draw, 1e-16, 0.9e-9), -log_uniform(draw, 1e-16, 0.9e-9)])
    return [w if 0.0 < w < 2 * least else w * (1.0 + offset) for w in weights]


def _pair(draw: random.Random, least: float) -> tuple[list[float], list[float]]:
    p = _masses(draw, draw.choice([1, 2, 2, 3, 4]), least)
    if draw.random() < 0.4:  # nearly equal
        q = [w * (1.0 + draw.choice([0.0, 1.0, -1.0]) * 2.0 ** -draw.randint(10, 52)) if w > 1e-290 else w for w in p]
        q[-1] = max(q[-1] + 1.0 - sum(q), 0.0)
        return p, q
    return p, _masses(draw, len(p), least)


def _delta(p: list[float], q: list[float], count: int, epsilon: float, rate: float) -> arb:
    """Return delta in the worse of both directions; the masses are exact and divided by their exact sums."""
    one = [arb(w) / sum(map(arb, p), arb(0)) for w in p]
    other = [arb(w) / sum(map(arb, q), arb(0)) for w in q]
    one = [arb(rate) * a + (1 - arb(rate)) * b for a, b in zip(one, other, strict=False)] if rate < 1.0 else one
    kappa, worst = arb(epsilon).exp(), arb(0)
    for first, second in ((one, other), (other, one)):
        total = arb(0)
        for outcome in itertools.product(range(len(p)), repeat=count):
            a = b = arb(1)
            for i in outcome:
                a, b = a * first[i], b * second[i]
            total += (a - kappa * b).max(arb(0))
        worst = worst.max(total)
    return worst


def _epsilons(draw: random.Random, p: list[float], q: list[float], count: int) -> float:
    import math

    ratios = [abs(math.log(a) - math.log(b)) for a, b in zip(p, q, strict=False) if a > 0.0 and b > 0.0] or [1.0]
    at = count * draw.choice(ratios)
    below = at * (1.0 - log_uniform(draw, 1e-16, 1.0))
    return draw.choice([0.0, at, below, at * (1.0 + 1e-15), log_uniform(draw, 1e-12, 10.0)])


def plain(draw: random.Random) -> Cell:
    p, q = _pair(draw, draw.choice([1e-300, 1e-300, 1e-12]))
    count, rate = draw.choice([1, 1, 2, 3]), draw.choice([1.0, 1.0, log_uniform(draw, 1e-12, 1.0), 1 - 2.0**-50])
    epsilon = _epsilons(draw, p, q, count)

    def answer():
        one = pld.from_pmf(p, q) if rate == 1.0 else pld.subsampled_pmf(p, q, rate)
        return one.compose(count).delta(epsilon)

    def truth():
        with ctx.workprec(3000):
            return ends(_delta(p, q, count, epsilon, rate))

    name = f"from_pmf({p!r}, {q!r})" if rate == 1.0 else f"subsampled_pmf({p!r}, {q!r}, {rate!r})"
    return Cell(f"pld.{name}.compose({count}).delta({epsilon!r})", answer, truth, refusable=min(*p, *q) < 0)


def epsilon_of_a_pair(draw: random.Random) -> Cell:
    p, q = _pair(draw, 1e-300)
    delta = draw.choice([log_uniform(draw, 1e-30, 1.0), log_uniform(draw, 1e-320, 1e-300), 1 - 2.0**-50])
    delta = min(max(delta, 5e-324), 1 - 2.0**-53)

    def answer():
        return pld.from_pmf(p, q).epsilon(delta)

    def truth():
        import math

        lower, upper = answer()
        with ctx.workprec(3000):
            holds = lower == 0.0 or (
                not _delta(p, q, 1, lower, 1.0) < delta if lower < math.inf else not _delta(p, q, 1, 1e4, 1.0) <= delta
            )
            holds = holds and (upper == math.inf or not _delta(p, q, 1, upper, 1.0) > delta)
        return (lower, upper) if holds else (-2, -1)

    return Cell(f"pld.from_pmf({p!r}, {q!r}).epsilon({delta!r})", answer, truth)


def subnormal(draw: random.Random) -> Cell:
    """Return a cell: masses below the floor are refused in one line, or answered right."""
    p, q = _pair(draw, 1e-300)
    if len(p) > 1:
        p[0] = log_uniform(draw, 1e-322, 1e-300)
    epsilon = log_uniform(draw, 1e-3, 10.0)

    def truth():
        with ctx.workprec(3000):
            return ends(_delta(p, q, 1, epsilon, 1.0))

    return Cell(
        f"pld.from_pmf({p!r}, {q!r}).delta({epsilon!r})",
        lambda: pld.from_pmf(p, q).delta(epsilon),
        truth,
        refusable=True,
    )


def equal_after_their_sums(draw: random.Random) -> Cell:
    """Return a cell: weights that are equal once divided by their sums have loss 0, and others have not: exact in
    fractions.
    """
    p = [draw.randint(1, 1000) / 1024 for _ in range(3)]
    total = sum(p)
    p = [w / total for w in p]
    q = [w * (1.0 + 2.0 ** -draw.randint(31, 52)) for w in p]
    count, epsilon = draw.choice([1, 10**6, 10**12]), 0.0

    def truth():
        a, b = [Fraction(w) / sum(map(Fraction, p)) for w in p], [Fraction(w) / sum(map(Fraction, q)) for w in q]
        once = sum(max(x - y, 0) for x, y in zip(a, b, strict=False))
        return once, min(count * once, Fraction(1))

    return Cell(
        f"pld.from_pmf({p!r}, {q!r}).compose({count}).delta({epsilon!r})",
        lambda: pld.from_pmf(p, q).compose(count).delta(epsilon),
        truth,
    )


HUNTS = {
    "pmf: delta": plain,
    "pmf: epsilon": epsilon_of_a_pair,
    "pmf: masses below the floor": subnormal,
    "pmf: equal after their sums": equal_after_their_sums,
}
