"""The exact recursion on multisets of vertices: C(m+4, 4) states at the last step, swept in place."""

import numpy as np

from ._jit import kernel

# The index of the law on the vertices B and E, everywhere in the kernels.
BE = 0
# The index of the law on the vertices C and F.
CF = 1
# The index of the law on the vertices A, C and E.
ACE = 2

# A later law is only chosen if it is better by this factor: far from the kink all laws agree, and exact ties must not
# decide.  The value that is stored is that of the chosen law.
PREFER = 1.0 + 1e-13


@kernel
def _simplex(order, size):
    """Return C(i + order - 1, order) for i = 0..size: the number of multisets that precede total i."""
    ranks = np.zeros(size + 1, np.int64)
    for i in range(1, size + 1):
        value = 1
        for j in range(order):
            value = value * (i + order - 1 - j) // (j + 1)
        ranks[i] = value
    return ranks


@kernel
def backward(steps, start, increments, p_be, p_cf, p_ace, choices):
    """Return the value of the best adaptive policy from ``start``; V_0(u) = max(u, 0).

    ``increments`` are those of the vertices A, B, C, E, F, and ``p_*`` are the probabilities of a law's vertices in
    that order.  ``choices`` is int8, with one entry a state and step (or empty): the best law, step by step, for
    ``reachable_states``. A state after t steps is (a, b, c, e) with f = t - a - b - c - e; states are ordered by s =
    a+b+c+e, r = b+c+e, k = c+e, e, so that the innermost loop runs over consecutive memory and can update in place.
    """
    rank4, rank3, rank2 = _simplex(4, steps + 1), _simplex(3, steps + 1), _simplex(2, steps + 1)
    value = np.empty(rank4[steps + 1])
    inc_a, inc_b, inc_c, inc_e, inc_f = increments
    p_b, p_e = p_be
    p_c, p_f = p_cf
    q_a, q_c, q_e = p_ace
    for s in range(steps + 1):
        for r in range(s + 1):
            for k in range(r + 1):
                base = rank4[s] + rank3[r] + rank2[k]
                for e in range(k + 1):
                    u = start + ((s - r) * inc_a + (r - k) * inc_b + (k - e) * inc_c + e * inc_e + (steps - s) * inc_f)
                    value[base + e] = u if u > 0.0 else 0.0
    offset = choices.size
    for t in range(steps - 1, -1, -1):
        if choices.size > 0:
            offset -= rank4[t + 1]
        for s in range(t + 1):
            for r in range(s + 1):
                for k in range(r + 1):
                    here = rank4[s] + rank3[r] + rank2[k]
                    at_a = rank4[s + 1] + rank3[r] + rank2[k]
                    at_b = rank4[s + 1] + rank3[r + 1] + rank2[k]
                    at_ce = rank4[s + 1] + rank3[r + 1] + rank2[k + 1]
                    if choices.size == 0:
                        # With unsigned indices and no branches this loop runs on vector registers.
                        for e in range(k + 1):
                            to_c, to_e = value[np.uintp(at_ce + e)], value[np.uintp(at_ce + e + 1)]
                            best = p_b * value[np.uintp(at_b + e)] + p_e * to_e
                            other = p_c * to_c + p_f * value[np.uintp(here + e)]
                            best = best if best > other else other
                            other = q_a * value[np.uintp(at_a + e)] + q_c * to_c + q_e * to_e
                            value[np.uintp(here + e)] = best if best > other else other
                        continue
                    for e in range(k + 1):  # this loop also stores the chosen law
                        to_c, to_e = value[at_ce + e], value[at_ce + e + 1]
                        best = p_b * value[at_b + e] + p_e * to_e
                        law = 0
                        other = p_c * to_c + p_f * value[here + e]
                        if other > best * PREFER:
                            best = other
                            law = 1
                        other = q_a * value[at_a + e] + q_c * to_c + q_e * to_e
                        if other > best * PREFER:
                            best = other
                            law = 2
                        value[here + e] = best
                        choices[offset + here + e] = law
    return value[0]


@kernel
def _by_law(value, law, at_a, at_b, at_ce, here, p_be, p_cf, p_ace):
    """Return the expectation under one law of the values after it; the state after E is next to that after C."""
    if law == BE:
        return p_be[0] * value[at_b] + p_be[1] * value[at_ce + 1]
    if law == CF:
        return p_cf[0] * value[at_ce] + p_cf[1] * value[here]
    return p_ace[0] * value[at_a] + p_ace[1] * value[at_ce] + p_ace[2] * value[at_ce + 1]


@kernel
def policy_value(steps, leaves, p_be, p_cf, p_ace, start, increments, doubt, starts, thresholds, laws):
    """Return the value of a policy by thresholds on u; ``leaves`` are the contributions of the vertices to the payoff.

    With n steps to go, law i applies from ``thresholds[i]`` upwards, i in [starts[n - 1], starts[n]).  u is ``start``
    plus ``increments`` and is known up to ``doubt`` times the sum of the sizes of its terms: of the laws that may
    apply, the one with the least value counts.
    """
    rank4, rank3, rank2 = _simplex(4, steps + 1), _simplex(3, steps + 1), _simplex(2, steps + 1)
    value = np.empty(rank4[steps + 1])
    for s in range(steps + 1):
        for r in range(s + 1):
            for k in range(r + 1):
                base = rank4[s] + rank3[r] + rank2[k]
                for e in range(k + 1):
                    u = (s - r) * leaves[0] + (r - k) * leaves[1] + (k - e) * leaves[2] + e * leaves[3]
                    u += (steps - s) * leaves[4]
                    value[base + e] = u if u > 0.0 else 0.0
    for t in range(steps - 1, -1, -1):
        first, last = starts[steps - t - 1], starts[steps - t] - 1
        for s in range(t + 1):
            for r in range(s + 1):
                for k in range(r + 1):
                    base = rank4[s] + rank3[r] + rank2[k]
                    high = last
                    for e in range(k + 1):
                        rise = (s - r) * increments[0] + (r - k) * increments[1] + (k - e) * increments[2]
                        fall = start + e * increments[3] + (t - s) * increments[4]
                        u, slack = rise + fall, doubt * (rise - fall)
                        # u falls as e rises
                        while high < last and thresholds[high + 1] <= u + slack:
                            high += 1
                        while high > first and thresholds[high] > u + slack:
                            high -= 1
                        at_a = rank4[s + 1] + rank3[r] + rank2[k] + e
                        at_b = rank4[s + 1] + rank3[r + 1] + rank2[k] + e
                        at_ce = rank4[s + 1] + rank3[r + 1] + rank2[k + 1] + e
                        least = _by_law(value, laws[high], at_a, at_b, at_ce, base + e, p_be, p_cf, p_ace)
                        low = high
                        while low > first and thresholds[low] > u - slack:
                            low -= 1
                            other = _by_law(value, laws[low], at_a, at_b, at_ce, base + e, p_be, p_cf, p_ace)
                            least = other if other < least else least
                        value[base + e] = least
    return value[0]


@kernel
def reachable_states(steps, start, increments, choices, out_step, out_u, out_law):
    """Write (step, u, law) of the states that the policy in ``choices`` can reach; return their number.

    The function stops to write when the output arrays are full, and goes on to count.
    """
    rank4, rank3, rank2 = _simplex(4, steps + 1), _simplex(3, steps + 1), _simplex(2, steps + 1)
    inc_a, inc_b, inc_c, inc_e, inc_f = increments
    reachable = np.zeros(rank4[steps + 1], np.bool_)
    reachable[0] = True
    count = 0
    offset = 0
    for t in range(steps):
        next_reachable = np.zeros(rank4[steps + 1], np.bool_)
        for s in range(t + 1):
            for r in range(s + 1):
                for k in range(r + 1):
                    here = rank4[s] + rank3[r] + rank2[k]
                    at_a = rank4[s + 1] + rank3[r] + rank2[k]
                    at_b = rank4[s + 1] + rank3[r + 1] + rank2[k]
                    at_ce = rank4[s + 1] + rank3[r + 1] + rank2[k + 1]
                    for e in range(k + 1):
                        if not reachable[here + e]:
                            continue
                        law = choices[offset + here + e]
                        if count < out_step.size:
                            out_step[count] = t
                            out_u[count] = start + (
                                (s - r) * inc_a + (r - k) * inc_b + (k - e) * inc_c + e * inc_e + (t - s) * inc_f
                            )
                            out_law[count] = law
                        count += 1
                        if law == 0:
                            next_reachable[at_b + e] = True
                            next_reachable[at_ce + e + 1] = True
                        elif law == 1:
                            next_reachable[at_ce + e] = True
                            next_reachable[here + e] = True
                        else:
                            next_reachable[at_a + e] = True
                            next_reachable[at_ce + e] = True
                            next_reachable[at_ce + e + 1] = True
        offset += rank4[t + 1]
        reachable = next_reachable
    return count
