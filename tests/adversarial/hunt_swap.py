"""Hunts for random swapping: what responses attain, and one message, about every answer."""

import math
import random

from flint import arb, ctx

from pldcheck.protocols.shuffle import Shuffle
from pldcheck.protocols.swap import Averaged, Swap

from .cells import Cell, ends, log_uniform
from .hunt_shuffle import _close, counts_law

BITS = 300


def lower_divergence(n: int, eps0: float, epsilon: float) -> tuple:
    """Return ends of delta: the worst of binary response with all others alike and ternary response on a third value,
    and one message.

    With all others alike a swap is a shuffle: the record is at a uniform place.
    """
    ctx.prec = BITS
    x, kappa = arb(eps0).exp(), arb(epsilon).exp()
    two, three = 1 / (x + 1), 1 / (x + 2)
    low = arb(0)
    for p, q, w in (
        ([x * two, two], [two, x * two], [two, x * two]),
        ([x * two, two], [two, x * two], [x * two, two]),
        ([x * three, three, three], [three, x * three, three], [three, three, x * three]),
    ):
        one, other = counts_law([p, *[w] * (n - 1)]), counts_law([q, *[w] * (n - 1)])
        low = low.max(sum(((mass - kappa * other[key]).max(arb(0)) for key, mass in one.items()), arb(0)))
    return ends(low)[0], ends((x - kappa) / (x + 1))[1]


def swap(draw: random.Random) -> Cell:
    """Return a cell: delta of few clients: next to the largest loss, at zero, anywhere."""
    n = draw.choice([1, 2, 3, 3, 4, 7])
    eps0 = log_uniform(draw, 1e-14, 15.0)
    epsilon = _close(draw, eps0)

    def truth():
        low, high = lower_divergence(n, eps0, epsilon)
        return (low, high) if n > 2 else (low, high if n == 1 else low_of_two(eps0, epsilon))

    return Cell(f"Swap({n}, {eps0!r}).delta({epsilon!r})", lambda: Swap(n, eps0).delta(epsilon), truth)


def low_of_two(eps0: float, epsilon: float):
    """Return two clients of binary response, from above."""
    ctx.prec = BITS
    x, kappa = arb(eps0).exp(), arb(epsilon).exp()
    p, q = [x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]
    one, other = counts_law([p, q]), counts_law([q, q])
    back = counts_law([p, p]), counts_law([q, p])
    values = [
        sum(((mass - kappa * second[key]).max(arb(0)) for key, mass in first.items()), arb(0))
        for first, second in ((one, other), back)
    ]
    return max(ends(value)[1] for value in values)


def inverse(draw: random.Random) -> Cell:
    """Return a cell: epsilon(delta): below the upper end delta of one message is larger, or what is attained is at most
    delta.
    """
    n = draw.choice([1, 3, 4])
    eps0 = log_uniform(draw, 1e-12, 10.0)
    low, high = lower_divergence(n, eps0, _close(draw, eps0))
    delta = float(low) * math.exp(draw.uniform(-0.5, 0.5)) if low > 0 else float(high)
    if not 1e-290 < delta < 1.0:
        return inverse(draw)

    def ask():
        interval = Swap(n, eps0).epsilon(delta)
        assert 0.0 <= interval.lower <= interval.upper <= eps0, interval
        assert lower_divergence(n, eps0, interval.upper)[0] <= delta, "what is attained at the upper end is larger"
        assert interval.lower == 0.0 or lower_divergence(n, eps0, interval.lower)[1] >= delta, (
            "one message is less at the lower end"
        )
        return interval

    return Cell(f"Swap({n}, {eps0!r}).epsilon({delta!r})", ask, lambda: (0.0, eps0))


def shuffled_within(draw: random.Random) -> Cell:
    """Return a cell: averages are post-processed shuffling: the lower end of the one is at most the upper end of the
    other.
    """
    n = draw.choice([2, 3, 10, 64, 500])
    eps0 = log_uniform(draw, 1e-12, 10.0)
    epsilon = _close(draw, min(eps0, 6.0 * eps0 / math.sqrt(n)))
    wide = Shuffle(n, eps0).delta(epsilon)
    return Cell(
        f"Averaged({n}, 3, {eps0!r}).delta({epsilon!r}) within shuffling",
        lambda: Averaged(n, 3, eps0).delta(epsilon),
        lambda: (0.0, wide.upper),
    )


HUNTS = {
    "swap: few clients": swap,
    "swap: epsilon": inverse,
    "swap: averages within shuffling": shuffled_within,
}
