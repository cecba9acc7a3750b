"""The hidden-slot recursion over the laws of one randomizer, a law for each record that the slot may hold itself."""

from ._jit import kernel

# A group of laws is left out where its cover's value is at most so much above another law's, relatively: covers are
# raised by their rounding.
MARGIN = 1e-10


@kernel
def potentials(old, new, scratch, origin, edge, lefts, rights, laws, covers, firsts):
    """Take steps of V_t(u) = max over laws of E V_(t-1)(u + s) on a grid; after an even number ``old`` has the values.

    ``laws`` are nodes and weights [laws, nodes], which say where a law moves a node and with which probabilities, and
    the numbers of nodes of the laws; ``covers`` likewise.  Laws from firsts[i] to firsts[i + 1] are tried where the
    value of cover i, at least theirs, exceeds the largest by more than ``MARGIN``; those before firsts[0] everywhere.
    ``old`` has V_0 in units of the grid step, with node 0 at the index ``origin``.
    After t steps the nodes from -lefts[t] to rights[t] are computed, non-decreasing both, and ``edge`` more at each
    side, as far as any move, are filled: V is convex and rises with a slope from 0 to 1, so that left of a window it is
    at most its value at the edge, and right of it at most that plus the distance.  ``scratch`` has the size of what is
    computed together: it stays in the fastest memory.
    """
    nodes, weights, counts = laws
    cover_nodes, cover_weights, cover_counts = covers
    last = lefts.size - 1
    for t in range(1, last + 1):
        begin, end = origin - lefts[t], origin + rights[t] + 1
        for left in range(begin, end, scratch.size):
            size = min(scratch.size, end - left)
            best = new[left : left + size]
            best[:] = 0.0
            for law in range(firsts[0]):
                _raise_to_means(best, scratch, old, left, 0, size, nodes[law, : counts[law]], weights[law])
            for group in range(firsts.size - 1):
                count = cover_counts[group]
                _add_up(scratch, old, left, 0, size, cover_nodes[group, :count], cover_weights[group])
                low, high = size, 0
                for i in range(size):
                    if scratch[i] > best[i] * (1.0 + MARGIN):
                        low, high = min(low, i), i + 1
                if low < high:
                    for law in range(firsts[group], firsts[group + 1]):
                        _raise_to_means(best, scratch, old, left, low, high, nodes[law, : counts[law]], weights[law])
        following = min(t + 1, last)  # whose window may be wider
        left_value, right_value = new[begin], new[end - 1]
        for i in range(origin - lefts[following] - edge, begin):
            new[i] = left_value
        for i in range(end, origin + rights[following] + edge + 1):
            new[i] = right_value + (i - end + 1.0)
        old, new = new, old


@kernel
def _add_up(scratch, old, left, low, high, nodes, weights):
    """Set ``scratch`` from ``low`` to ``high`` to the means of one law about the nodes from ``left`` on."""
    scratch[low:high] = 0.0
    size = high - low
    sums = scratch[low:high]
    for k in range(nodes.size):
        weight, start = weights[k], left + low + nodes[k]
        values = old[start : start + size]
        for i in range(size):
            sums[i] += weight * values[i]


@kernel
def _raise_to_means(best, scratch, old, left, low, high, nodes, weights):
    """Raise ``best`` to the means of one law where those are larger."""
    _add_up(scratch, old, left, low, high, nodes, weights)
    for i in range(low, high):
        best[i] = max(best[i], scratch[i])
