"""The hidden-slot recursion on a grid: an upper bound of V_t(u) = max over laws of E V_{t-1}(u + increment)."""

import numpy as np

from ._jit import kernel

# The relative error of `potential` per step, in units: weights 4, products and sums 8, the one-step excess 4.
ROUNDINGS_PER_STEP = 16
# The vertices of A, B, C, E, F that each law mixes.
BE = np.array([1, 3])
CF = np.array([2, 4])
ACE = np.array([0, 2, 3])


@kernel
def excess_of_one_step(out, first, vertices, shifts, fractions, probabilities):
    """Write E(j + Y)_+ - j_+ to ``out`` for the nodes j from ``first``; Y = shift + fraction of one of the vertices.

    The unit is the grid step.  All terms of the sum are non-negative, so that both tails keep their relative precision.
    At the far right, the mean of Y remains, which rounding made slightly positive.

    The array is filled in place: numba takes seconds to compile the assignment of an array to a slice.
    """
    drift = 0.0
    size = 0.0
    for k in range(vertices.size):
        v = vertices[k]
        drift += probabilities[k] * (shifts[v] + fractions[v])
        size += probabilities[k] * abs(shifts[v] + fractions[v])
    drift = max(drift, 0.0) + 2.0**-50 * size  # the sum cancels, so a bound of its rounding is added
    for i in range(out.size):
        j = first + i
        total = drift if j >= 0 else 0.0
        for k in range(vertices.size):
            where = (j + shifts[vertices[k]]) + fractions[vertices[k]]
            if j < 0 and where > 0.0:
                total += probabilities[k] * where
            elif j >= 0 and where < 0.0:
                total -= probabilities[k] * where
        out[i] = total


@kernel
def _step_law(old, i, law, shifts, fractions, p_be, p_cf, p_ace, one_be, one_cf, one_ace):
    """Return one step of one law at array index i (for speed, the sweep below has the same sums written out)."""
    k, f = shifts, fractions
    if law == 0:
        at_b = (1.0 - f[1]) * old[i + k[1]] + f[1] * old[i + k[1] + 1]
        at_e = (1.0 - f[3]) * old[i + k[3]] + f[3] * old[i + k[3] + 1]
        return p_be[0] * at_b + p_be[1] * at_e + one_be[i]
    at_c = (1.0 - f[2]) * old[i + k[2]] + f[2] * old[i + k[2] + 1]
    if law == 1:
        at_f = (1.0 - f[4]) * old[i + k[4]] + f[4] * old[i + k[4] + 1]
        return p_cf[0] * at_c + p_cf[1] * at_f + one_cf[i]
    at_a = (1.0 - f[0]) * old[i + k[0]] + f[0] * old[i + k[0] + 1]
    at_e = (1.0 - f[3]) * old[i + k[3]] + f[3] * old[i + k[3] + 1]
    return p_ace[0] * at_a + p_ace[1] * at_c + p_ace[2] * at_e + one_ace[i]


@kernel
def _sweep(old, new, begin, end, shifts, fractions, p_be, p_cf, p_ace, one_be, one_cf, one_ace):
    """Write one step at the indices begin..end-1 to ``new``.

    The indices are unsigned: without the wrap-around of negative ones the loop runs on vector registers (1.1 against
    5.6 ns a node).
    """
    ka, kb, kc, ke, kf = shifts
    fa, fb, fc, fe, ff = fractions
    ga, gb, gc, ge, gf = 1.0 - fa, 1.0 - fb, 1.0 - fc, 1.0 - fe, 1.0 - ff
    p_b, p_e = p_be
    p_c, p_f = p_cf
    q_a, q_c, q_e = p_ace
    for i in range(begin, end):
        at_c = gc * old[np.uintp(i + kc)] + fc * old[np.uintp(i + kc + 1)]
        at_e = ge * old[np.uintp(i + ke)] + fe * old[np.uintp(i + ke + 1)]
        at_b = gb * old[np.uintp(i + kb)] + fb * old[np.uintp(i + kb + 1)]
        best = p_b * at_b + p_e * at_e + one_be[np.uintp(i)]
        at_f = gf * old[np.uintp(i + kf)] + ff * old[np.uintp(i + kf + 1)]
        other = p_c * at_c + p_f * at_f + one_cf[np.uintp(i)]
        best = best if best > other else other
        at_a = ga * old[np.uintp(i + ka)] + fa * old[np.uintp(i + ka + 1)]
        other = q_a * at_a + q_c * at_c + q_e * at_e + one_ace[np.uintp(i)]
        new[np.uintp(i)] = best if best > other else other


@kernel
def potential(shifts, fractions, p_be, p_cf, p_ace, lows, highs, slice_times, slice_firsts, slice_size, slice_stride):
    """Return G = V_b - u_+ on the grid, in units of the grid step; b = lows.size - 1 steps.

    ``shifts`` and ``fractions`` say where the vertices A, B, C, E, F move a node: to node + shift + fraction, fraction
    in [0, 1].  Linear interpolation of the convex V between nodes is an upper bound; as zero is a node, it applies to
    G. ``lows`` and ``highs`` are the window after t steps, lows < 0 < highs, non-increasing and non-decreasing.  Left
    of it V is replaced by its value at the edge (V increases), right of it G is (G decreases for u > 0): both are
    upward. ``slice_times`` are numbers of steps, increasing, after which the best law is recorded at ``slice_size``
    nodes, ``slice_stride`` apart from slice_firsts[k] upwards.

    Returns (G from lows[b] to highs[b], largest clamped value at the left, at the right, laws [slices, nodes]).
    """
    steps = lows.size - 1
    low, high = lows[steps], highs[steps]
    pad = 2
    for v in range(5):
        pad = max(pad, abs(shifts[v]) + 2)
    origin = pad - low
    size = high - low + 1 + 2 * pad
    old, new = np.zeros(size), np.zeros(size)
    one_be, one_cf, one_ace = np.zeros(size), np.zeros(size), np.zeros(size)
    excess_of_one_step(one_be, low - pad, BE, shifts, fractions, p_be)
    excess_of_one_step(one_cf, low - pad, CF, shifts, fractions, p_cf)
    excess_of_one_step(one_ace, low - pad, ACE, shifts, fractions, p_ace)
    left_clamp = 0.0
    right_clamp = 0.0
    laws = np.zeros((slice_times.size, slice_size), np.int64)
    piece = 0
    for t in range(1, steps + 1):
        begin, end = origin + lows[t], origin + highs[t] + 1
        _sweep(old, new, begin, end, shifts, fractions, p_be, p_cf, p_ace, one_be, one_cf, one_ace)
        if piece < slice_times.size and slice_times[piece] == t:
            for n in range(slice_size):
                i = min(max(origin + slice_firsts[piece] + n * slice_stride, begin), end - 1)
                best = -1.0
                for law in range(3):
                    value = _step_law(old, i, law, shifts, fractions, p_be, p_cf, p_ace, one_be, one_cf, one_ace)
                    if value > best:
                        best = value
                        laws[piece, n] = law
            piece += 1
        new[begin - pad : begin] = new[begin]
        new[end : end + pad] = new[end - 1]
        left_clamp = max(left_clamp, new[begin])
        right_clamp = max(right_clamp, new[end - 1])
        if t < steps:  # the window may have grown by more than the pad: fill all that the next step reads
            reach_low, reach_high = origin + lows[t + 1] - pad, origin + highs[t + 1] + pad + 1
            new[reach_low : begin - pad] = new[begin]
            new[end + pad : reach_high] = new[end - 1]
        old, new = new, old
    return old[pad : size - pad].copy(), left_clamp, right_clamp, laws
