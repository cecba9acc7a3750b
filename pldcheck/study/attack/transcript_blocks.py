"""Transcripts in blocks: threads take them in any order, the bits are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.threads import pool

# Transcripts of a block: a second's work at most.
BLOCK = 2**12
# Slots drawn one by one at most, some 1 to 3 ns each; beyond, the counts of outputs are, where they tell as much.
MOST_DRAWS = 4 * 10**9
WHOLE = 2**64


def over(count: int, fill: Callable[[int, int], None]) -> None:
    """``fill(first, last)`` for every block of the ``count`` transcripts."""
    edges = [*range(0, count, BLOCK), count]
    with pool() as threads:
        for future in [threads.submit(fill, first, last) for first, last in zip(edges, edges[1:], strict=False)]:
            future.result()


def key(seed: int, stream: int) -> int:
    """Where the numbers of one stream start."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)[0])


def limit(probability: float) -> int:
    """Of 2^64 numbers those below it: to 2^-64, and never all of them."""
    return min(int(probability * WHOLE), WHOLE - 1)


def limits(masses: Array, size: int) -> NDArray[np.uint64]:
    """Return cumulative, but for the last; filled up to ``size``."""
    found = [limit(float(total)) for total in np.cumsum(masses)[:-1]]
    return np.array([*found, *[WHOLE - 1] * (size - len(found))], dtype=np.uint64)


def aliases(masses: Array, bits: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return Walker's table of 2^bits columns: how much of a column is its own output, and whose the rest is."""
    size = 2**bits
    left = np.zeros(size)
    left[: masses.size] = masses / masses.sum() * size
    own, other = np.full(size, WHOLE - 1, dtype=np.uint64), np.arange(size)
    small, large = list(np.flatnonzero(left < 1.0)), list(np.flatnonzero(left >= 1.0))
    while small and large:
        column, giver = small.pop(), large[-1]
        own[column], other[column] = limit(float(left[column])), giver
        left[giver] -= 1.0 - left[column]
        if left[giver] < 1.0:
            small.append(large.pop())
    # What is left over is full up to round-off.
    return own, other


def multinomials(masses: Array, trials: int, gains: Array, key: int, found: Array) -> None:
    """Sums of ``gains`` from the counts of the outputs, block by block with numbers of their own."""

    def fill(first: int, last: int) -> None:
        numbers = _generator(key, first)
        found[first:last] = numbers.multinomial(trials, masses / masses.sum(), size=last - first) @ gains

    over(found.shape[0], fill)


def hidden_outputs(masses: Array, key: int, count: int) -> NDArray[np.int64]:
    """Return one output each from a law."""
    numbers = _generator(key, WHOLE - 1)
    return np.asarray(np.searchsorted(np.cumsum(masses)[:-1], numbers.random(count), side="right"), dtype=np.int64)


def _generator(key: int, block: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([key, block], dtype=np.uint64)))
