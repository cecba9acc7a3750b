"""Counter-based random numbers: the i-th draw of a stream is a function of the stream and of i, and of nothing else.

SplitMix64 (Steele, Lea, Flood 2014), started at a point that is itself hashed from what the stream is for: a run gives
the same bits in any order, on any number of threads.
"""

import math

import numpy as np

from ._jit import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
# Bits of shifts, as numbers of the type that is shifted.
S30 = np.uint64(30)
S27 = np.uint64(27)
S31 = np.uint64(31)
S12 = np.uint64(12)
ONE = np.uint64(1)
# Distance of neighbouring draws.
SPACING = 2.0**-52


@kernel
def draw(stream, i):
    """Return 64 bits: output i (from 0) of SplitMix64 started at ``stream``."""
    z = np.uint64(stream) + (np.uint64(i) + ONE) * GOLDEN
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@kernel
def stream(seed, run, role, number):
    """Where the stream of one party of one run starts."""
    return draw(draw(draw(seed, run), role), number)


@kernel
def uniform(stream, i):
    """In (0, 1), on the odd multiples of 2^-53, all of which are doubles: never 0 or 1."""
    return (float(draw(stream, i) >> S12) + 0.5) * SPACING


@kernel
def below(stream, i, size):
    """Return one of 0, ..., size - 1; uniform up to size/2^52 in total variation."""
    return min(int(uniform(stream, i) * size), size - 1)


@kernel
def normals(stream, first, out):
    """Standard normals from the draws ``first``, ``first + 1``, ..., a pair of them for a pair (Box, Muller 1958)."""
    for k in range(0, out.size, 2):
        radius = math.sqrt(-2.0 * math.log(uniform(stream, first + k)))
        angle = 2.0 * math.pi * uniform(stream, first + k + 1)
        out[k] = radius * math.cos(angle)
        if k + 1 < out.size:
            out[k + 1] = radius * math.sin(angle)
