"""The hidden-slot recursion over the laws of one randomizer, a law for each record that the slot may hold itself."""

from ._jit import kernel


@kernel
def potentials(old, new, scratch, origin, edge, lefts, rights, nodes, weights, counts):
    """Take steps of V_t(u) = max over laws of E V_(t-1)(u + s) on a grid; after an even number ``old`` has the values.

    ``nodes`` and ``weights`` [laws, nodes] say where a law moves a node, and with which probabilities; ``counts`` are
    the numbers of nodes of the laws.  ``old`` has V_0 in units of the grid step, with node 0 at the index ``origin``.
    After t steps the nodes from -lefts[t] to rights[t] are computed, non-decreasing both, and ``edge`` more at each
    side, as far as any move, are filled: V is convex and rises with a slope from 0 to 1, so that left of a window it is
    at most its value at the edge, and right of it at most that plus the distance.  ``scratch`` has the size of what is
    computed together: it stays in the fastest memory.
    """
    last = lefts.size - 1
    for t in range(1, last + 1):
        begin, end = origin - lefts[t], origin + rights[t] + 1
        for left in range(begin, end, scratch.size):
            size = min(scratch.size, end - left)
            best = new[left : left + size]
            best[:] = 0.0
            for law in range(counts.size):
                scratch[:size] = 0.0
                for k in range(counts[law]):
                    weight, start = weights[law, k], left + nodes[law, k]
                    values = old[start : start + size]
                    for i in range(size):
                        scratch[i] += weight * values[i]
                for i in range(size):
                    best[i] = max(best[i], scratch[i])
        following = min(t + 1, last)  # whose window may be wider
        left_value, right_value = new[begin], new[end - 1]
        for i in range(origin - lefts[following] - edge, begin):
            new[i] = left_value
        for i in range(end, origin + rights[following] + edge + 1):
            new[i] = right_value + (i - end + 1.0)
        old, new = new, old
