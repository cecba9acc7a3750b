"""Counter-based random numbers: draw i of a stream is a function of the stream and of i only.

The generator is SplitMix64 (Steele, Lea, Flood 2014); the start of a stream is a hash of its purpose, so that a run has
the same bits in any order and on any number of threads.
"""

import numpy as np

from ._jit import kernel

# The increment of SplitMix64: 2^64 over the golden ratio, odd.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# The first multiplier of SplitMix64.
FIRST = np.uint64(0xBF58476D1CE4E5B9)
# The second multiplier of SplitMix64.
SECOND = np.uint64(0x94D049BB133111EB)
# The shifts of SplitMix64, in the type of the shifted numbers.
S30 = np.uint64(30)
S27 = np.uint64(27)
S31 = np.uint64(31)
S12 = np.uint64(12)
ONE = np.uint64(1)
# The distance of neighbouring values of a uniform draw.
SPACING = 2.0**-52


@kernel
def draw(stream, i):
    """Return 64 random bits: output i (from 0) of SplitMix64 started at ``stream``."""
    z = np.uint64(stream) + (np.uint64(i) + ONE) * GOLDEN
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@kernel
def uniform(stream, i):
    """Return a number in (0, 1) on the odd multiples of 2^-53, all of which are doubles: it is never 0 or 1."""
    return (float(draw(stream, i) >> S12) + 0.5) * SPACING


@kernel
def below(stream, i, size):
    """Return an integer from 0 to size - 1, uniform up to size/2^52 in total variation."""
    return min(int(uniform(stream, i) * size), size - 1)
