"""Transcripts in blocks, with the same bits in whatever order threads fill them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.threads import pool

# Transcripts of a block, which take at most about a second.
BLOCK = 2**12
# Most slots that are drawn one by one, at 1 to 3 ns each; beyond this, counts of outputs are drawn.
MOST_DRAWS = 4 * 10**9
# The number of values of a random word.
WHOLE = 2**64


def over(count: int, fill: Callable[[int, int], None]) -> None:
    """Call ``fill(first, last)`` for every block of the ``count`` transcripts."""
    edges = [*range(0, count, BLOCK), count]
    with pool() as threads:
        for future in [threads.submit(fill, first, last) for first, last in zip(edges, edges[1:], strict=False)]:
            future.result()


def key(seed: int, stream: int) -> int:
    """Return the key of one stream of random numbers."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)[0])


def limit(probability: float) -> int:
    """Return a probability as a threshold for words of 64 bits, at most 2^64 - 1."""
    return min(int(probability * WHOLE), WHOLE - 1)


def limits(masses: Array, size: int) -> NDArray[np.uint64]:
    """Return the thresholds of all cumulative masses but the last, extended to ``size`` entries."""
    thresholds = [limit(float(total)) for total in np.cumsum(masses)[:-1]]
    return np.array([*thresholds, *[WHOLE - 1] * (size - len(thresholds))], dtype=np.uint64)


def aliases(masses: Array, bits: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return Walker's table of 2^bits columns: the own share of each column, and the output that has the rest."""
    size = 2**bits
    remaining = np.zeros(size)
    remaining[: masses.size] = masses / masses.sum() * size
    own, other = np.full(size, WHOLE - 1, dtype=np.uint64), np.arange(size)
    small, large = list(np.flatnonzero(remaining < 1.0)), list(np.flatnonzero(remaining >= 1.0))
    while small and large:
        column, giver = small.pop(), large[-1]
        own[column], other[column] = limit(float(remaining[column])), giver
        remaining[giver] -= 1.0 - remaining[column]
        if remaining[giver] < 1.0:
            small.append(large.pop())
    # Columns that remain are full up to round-off.
    return own, other


def multinomials(masses: Array, trials: int, gains: Array, key: int, sums: Array) -> None:
    """Fill an array with sums of ``gains`` from counts of outputs; each block has random numbers of its own."""

    def fill(first: int, last: int) -> None:
        numbers = _generator(key, first)
        sums[first:last] = numbers.multinomial(trials, masses / masses.sum(), size=last - first) @ gains

    over(sums.shape[0], fill)


def hidden_outputs(masses: Array, key: int, count: int) -> NDArray[np.int64]:
    """Return ``count`` outputs drawn from a law."""
    numbers = _generator(key, WHOLE - 1)
    return np.asarray(np.searchsorted(np.cumsum(masses)[:-1], numbers.random(count), side="right"), dtype=np.int64)


def _generator(key: int, block: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([key, block], dtype=np.uint64)))
