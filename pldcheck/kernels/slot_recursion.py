"""The hidden-slot recursion on a grid: an upper bound of V_t(u) = max over laws of E V_{t-1}(u + increment)."""

import numpy as np

from ._jit import kernel

# The relative error of `potential` per step, in units: weights 4, products and sums 8, the one-step excess 4.
ROUNDINGS_PER_STEP = 16
# The vertices of A, B, C, E, F that each law mixes.
BE = np.array([1, 3])
CF = np.array([2, 4])
ACE = np.array([0, 2, 3])
for _vertices in (BE, CF, ACE):  # constants of kernels are read-only: one signature serves calls from Python too
    _vertices.setflags(write=False)


def excess_of_one_step(first, size, vertices, shifts, fractions, probabilities):
    """Return E(j + Y)_+ - j_+ at ``size`` nodes j from ``first``; Y = shift + fraction of one of the vertices.

    The unit is the grid step.  All terms of the sum are non-negative, so that both tails keep their relative precision.
    At the far right, the mean of Y remains, which rounding made slightly positive.

    Once a block, numpy is as quick as a kernel, which takes half a second to compile.
    """
    moves = shifts[vertices] + fractions[vertices]
    drift = sum(float(term) for term in probabilities * moves)
    spread = sum(float(term) for term in probabilities * np.abs(moves))
    drift = max(drift, 0.0) + 2.0**-50 * spread  # the sum cancels, so a bound of its rounding is added
    nodes = np.arange(first, first + size)
    left = nodes < 0
    excess = np.where(left, 0.0, drift)
    for vertex, probability in zip(vertices, probabilities, strict=True):
        places = (nodes + shifts[vertex]) + fractions[vertex]
        excess += probability * np.maximum(np.where(left, places, -places), 0.0)
    return excess


@kernel
def _mixture(old, i, vertices, shifts, fractions, probabilities):
    """Return the mean of ``old`` after one step from index i (for speed, the sweep has these sums written out)."""
    total = 0.0
    for k in range(vertices.size):
        v = vertices[k]
        j = i + shifts[v]
        total += probabilities[k] * ((1.0 - fractions[v]) * old[j] + fractions[v] * old[j + 1])
    return total


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
def _fill(array, begin, end, value):
    """Write a value to the indices begin..end-1: numba compiles this loop in less time than a slice."""
    for i in range(begin, end):
        array[i] = value


@kernel
def _advance(
    old, new, one_be, one_cf, one_ace, origin, pad, shifts, fractions, p_be, p_cf, p_ace, lows, highs,
    slice_times, slice_firsts, slice_stride, laws,
):  # fmt: skip
    """Take all steps of :func:`potential`, write the laws, and return the largest clamped values at both sides."""
    steps = lows.size - 1
    left_clamp, right_clamp = 0.0, 0.0
    piece = 0
    for t in range(1, steps + 1):
        begin, end = origin + lows[t], origin + highs[t] + 1
        _sweep(old, new, begin, end, shifts, fractions, p_be, p_cf, p_ace, one_be, one_cf, one_ace)
        if piece < slice_times.size and slice_times[piece] == t:
            for n in range(laws.shape[1]):
                i = min(max(origin + slice_firsts[piece] + n * slice_stride, begin), end - 1)
                of_be = _mixture(old, i, BE, shifts, fractions, p_be) + one_be[i]
                of_cf = _mixture(old, i, CF, shifts, fractions, p_cf) + one_cf[i]
                of_ace = _mixture(old, i, ACE, shifts, fractions, p_ace) + one_ace[i]
                law = 1 if of_cf > of_be else 0
                laws[piece, n] = 2 if of_ace > max(of_be, of_cf) else law
            piece += 1
        at_begin, at_end = new[begin], new[end - 1]
        left_clamp, right_clamp = max(left_clamp, at_begin), max(right_clamp, at_end)
        reach_low, reach_high = begin - pad, end + pad
        if t < steps:  # the window may grow by more than the pad: fill all that the next step reads
            reach_low = min(reach_low, origin + lows[t + 1] - pad)
            reach_high = max(reach_high, origin + highs[t + 1] + pad + 1)
        _fill(new, reach_low, begin, at_begin)
        _fill(new, end, reach_high, at_end)
        old, new = new, old
    return left_clamp, right_clamp


def potential(shifts, fractions, p_be, p_cf, p_ace, lows, highs, slice_times, slice_firsts, slice_size, slice_stride):
    """Return G = V_b - u_+ on the grid, in units of the grid step; b = lows.size - 1 steps.

    ``shifts`` and ``fractions`` say where the vertices A, B, C, E, F move a node: to node + shift + fraction, fraction
    in [0, 1].  Linear interpolation of the convex V between nodes is an upper bound; as zero is a node, it applies to
    G. ``lows`` and ``highs`` are the window after t steps, lows < 0 < highs, non-increasing and non-decreasing.  Left
    of it V is replaced by its value at the edge (V increases), right of it G is (G decreases for u > 0): both are
    upward. ``slice_times`` are numbers of steps, increasing, after which the best law is recorded at ``slice_size``
    nodes, ``slice_stride`` apart from slice_firsts[k] upwards.

    The arrays are allocated here: in a kernel each kind of allocation takes a tenth of a second to compile.

    Returns (G from lows[b] to highs[b], largest clamped value at the left, at the right, laws [slices, nodes]).
    """
    steps, low, high = lows.size - 1, int(lows[-1]), int(highs[-1])
    pad = max(2, int(np.abs(shifts).max()) + 2)
    size = high - low + 1 + 2 * pad
    arrays = np.zeros((2, size))
    excesses = [
        excess_of_one_step(low - pad, size, vertices, shifts, fractions, probabilities)
        for vertices, probabilities in ((BE, p_be), (CF, p_cf), (ACE, p_ace))
    ]
    laws = np.zeros((slice_times.size, slice_size), np.int64)
    left_clamp, right_clamp = _advance(
        *arrays, *excesses, pad - low, pad, shifts, fractions, p_be, p_cf, p_ace, lows, highs,
        slice_times, slice_firsts, slice_stride, laws,
    )  # fmt: skip
    last = arrays[steps % 2]  # they change places at every step
    return last[pad : last.size - pad].copy(), left_clamp, right_clamp, laws
