"""The hidden-slot recursion over the laws of one randomizer, a law for each record that the slot may hold itself."""

from ._jit import kernel


@kernel
def potentials(old, new, origin, edge, lefts, rights, shifts, fractions, masses):
    """Take steps of V_t(u) = max over laws of E V_(t-1)(u + s) on a grid; after an even number ``old`` has the values.

    ``shifts`` and ``fractions`` [laws, outputs] say where an output moves a node: to node + shift + fraction, fraction
    in [0, 1].  ``masses`` are its probabilities; an output of probability 0 fills the row of a law that has fewer.
    ``old`` has V_0 in units of the grid step, with node 0 at the index ``origin``.  After t steps the nodes from
    -lefts[t] to rights[t] are computed, non-decreasing both, and ``edge`` more at each side, as far as any move, are
    filled: V is convex and rises with a slope from 0 to 1, so that between nodes it is at most its interpolation, left
    of a window at most its value at the edge, and right of it at most that plus the distance.
    """
    laws, outputs = shifts.shape
    last = lefts.size - 1
    for t in range(1, last + 1):
        begin, end = origin - lefts[t], origin + rights[t] + 1
        for i in range(begin, end):
            best = 0.0
            for law in range(laws):
                total = 0.0
                for k in range(outputs):
                    j = i + shifts[law, k]
                    total += masses[law, k] * ((1.0 - fractions[law, k]) * old[j] + fractions[law, k] * old[j + 1])
                best = max(best, total)
            new[i] = best
        following = min(t + 1, last)  # whose window may be wider
        left, right = new[begin], new[end - 1]
        for i in range(origin - lefts[following] - edge, begin):
            new[i] = left
        for i in range(end, origin + rights[following] + edge + 1):
            new[i] = right + (i - end + 1.0)
        old, new = new, old
