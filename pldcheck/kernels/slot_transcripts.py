r"""Transcripts of a hidden slot, every slot drawn, from random numbers that are counted and not carried along.

Transcript t owns the draws from t (steps + 2) on: one for each slot, one for the place of the record, one for whether
it is used there.  Any split of the transcripts over threads gives the same bits.

An array of ``limits`` holds the cumulative probabilities of a law's outputs times 2^64, but for the last: output j is
drawn where the number is at or above exactly j of them.  ``hidden``: those of the slot that the record is in.
``used``: the probability that it is used there, times 2^64; 0 if there is none.
"""

import numpy as np

from ._jit import kernel
from .counter_random import below, draw

_ONE = np.uint64(1)
_TWO = np.uint64(2)


@kernel
def hiding_place(key, base, steps, used):
    """Return the slot the record is used in, or -1; ``base``: the first draw of the transcript."""
    after = base + np.uint64(steps)
    if draw(key, after + _ONE) >= used:
        return -1
    return below(key, after, steps)


@kernel
def few_sums(key, first, steps, limits, hidden, used, gains, found):
    """Sums of ``gains`` over the slots of each transcript, for laws of at most four outputs.

    ``limits``, ``hidden``: uint64[3], the largest number where there are fewer; ``gains``: float64[4, 2].
    ``found``: float64[n, 2], the transcripts from number ``first`` on.
    """
    one, two, three = limits[0], limits[1], limits[2]
    for t in range(found.shape[0]):
        base = np.uint64(first + t) * (np.uint64(steps) + _TWO)
        slot = hiding_place(key, base, steps, used)
        above_one = above_two = above_three = 0
        for i in range(steps):
            u = draw(key, base + np.uint64(i))
            above_one += u >= one
            above_two += u >= two
            above_three += u >= three
        if slot >= 0:
            u = draw(key, base + np.uint64(slot))
            above_one += int(u >= hidden[0]) - int(u >= one)
            above_two += int(u >= hidden[1]) - int(u >= two)
            above_three += int(u >= hidden[2]) - int(u >= three)
        for j in range(2):
            found[t, j] = (
                (steps - above_one) * gains[0, j]
                + (above_one - above_two) * gains[1, j]
                + (above_two - above_three) * gains[2, j]
                + above_three * gains[3, j]
            )


@kernel
def many_sums(key, first, steps, bits, cuts, others, hidden, used, gains, found):
    """The same for laws of up to 2^``bits`` outputs, by the alias method (Walker 1977).

    The leading bits pick a column, the rest decides between it and ``others[column]``: below ``cuts[column]``, uint64,
    it is the column itself.  ``hidden``: uint64, cumulative, searched.
    """
    down, up = np.uint64(64 - bits), np.uint64(bits)
    for t in range(found.shape[0]):
        base = np.uint64(first + t) * (np.uint64(steps) + _TWO)
        slot = hiding_place(key, base, steps, used)
        one = two = 0.0
        for i in range(steps):
            u = draw(key, base + np.uint64(i))
            if i == slot:
                output = np.searchsorted(hidden, u, side="right")
            else:
                output = np.int64(u >> down)
                if (u << up) >= cuts[output]:
                    output = others[output]
            one += gains[output, 0]
            two += gains[output, 1]
        found[t, 0] = one
        found[t, 1] = two


@kernel
def policy_counts(key, first, steps, start, moves, limits, hidden, used, policy, counts, uses):
    """Counts of the vertices A, B, C, E, F in each transcript under a threshold policy, and how often each law served.

    ``limits``, ``hidden``: uint64[3, 2], of BE, CF and ACE; ``moves``: of the vertices, added to ``start``.  The policy
    as in :func:`pldcheck.kernels.merged_walk.merged_walk`.  ``counts``: int64[n, 5]; ``uses``: int64[n, 3].
    """
    times, starts, thresholds, laws = policy.times, policy.starts, policy.thresholds, policy.laws
    vertices = np.array([[1, 3, 3], [2, 4, 4], [0, 2, 3]])
    for t in range(counts.shape[0]):
        base = np.uint64(first + t) * (np.uint64(steps) + _TWO)
        slot = hiding_place(key, base, steps, used)
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
                output = int(u >= hidden[law, 0]) + int(u >= hidden[law, 1])
            else:
                output = int(u >= limits[law, 0]) + int(u >= limits[law, 1])
            vertex = vertices[law, output]
            place += moves[vertex]
            counts[t, vertex] += 1
            uses[t, law] += 1
