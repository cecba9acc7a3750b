"""Transcripts of a hidden slot: every slot is drawn, from counter-based random numbers.

Transcript t owns the draws from t (steps + 2) on: one for each slot, one for the place of the record, one for whether
it is used there.  Any split of the transcripts over threads gives the same bits.

An array of ``limits`` holds the cumulative probabilities of a law's outputs times 2^64, without the last: output j is
drawn where the number is at or above exactly j of them.  ``record_limits`` are those of the slot with the record.
``use_limit`` is the probability that the record is used there, times 2^64; 0 if there is no record.
"""

import numpy as np

from ._jit import kernel
from .counter_random import below, draw

# The number 1, in the type of the draws.
_ONE = np.uint64(1)
# The number 2, in the type of the draws.
_TWO = np.uint64(2)


@kernel
def hiding_place(key, base, steps, use_limit):
    """Return the slot in which the record is used, or -1; ``base`` is the first draw of the transcript."""
    after = base + np.uint64(steps)
    if draw(key, after + _ONE) >= use_limit:
        return -1
    return below(key, after, steps)


@kernel
def policy_counts(key, first, steps, start, moves, limits, record_limits, use_limit, policy, counts, uses):
    """Write the counts of the vertices A, B, C, E, F in each transcript of a threshold policy, and of the laws in use.

    ``limits`` and ``record_limits`` are uint64[3, 2], for BE, CF and ACE; ``moves`` are those of the vertices, added to
    ``start``. The policy is that of :func:`pldcheck.kernels.merged_walk.merged_walk`.  ``counts`` is int64[n, 5],
    ``uses`` is int64[n, 3].
    """
    times, starts, thresholds, laws = policy.times, policy.starts, policy.thresholds, policy.laws
    vertices = np.array([[1, 3, 3], [2, 4, 4], [0, 2, 3]])
    for t in range(counts.shape[0]):
        base = np.uint64(first + t) * (np.uint64(steps) + _TWO)
        slot = hiding_place(key, base, steps, use_limit)
        counts[t] = 0
        uses[t] = 0
        place = start
        piece = times.size - 1
        for i in range(steps):
            while piece > 0 and times[piece - 1] >= steps - i:
                piece -= 1
            entry, stop = starts[piece], starts[piece + 1]
            while entry + 1 < stop and thresholds[entry + 1] <= place:
                entry += 1
            law = laws[entry]
            u = draw(key, base + np.uint64(i))
            if i == slot:
                output = int(u >= record_limits[law, 0]) + int(u >= record_limits[law, 1])
            else:
                output = int(u >= limits[law, 0]) + int(u >= limits[law, 1])
            vertex = vertices[law, output]
            place += moves[vertex]
            counts[t, vertex] += 1
            uses[t, law] += 1
