"""A forward walk under a threshold policy, with states merged to their mean: a lower bound of second order."""

import numpy as np

from ._jit import kernel

# The relative error of a mass per step, in units: probability 4, product 1, sum 3, division and moment 4.
ROUNDINGS_PER_STEP = 12


@kernel
def merged_walk(start, moves, p_be, p_cf, p_ace, lows, highs, policy):
    """Return (E(U)_+, P(U > 0)) of the merged walk after lows.size - 1 steps; positions are in units of the cell.

    All mass that falls into one cell at one time is moved to its mean, which lowers it in convex order; mass that
    leaves the window [lows[t], highs[t]] is dropped.  ``moves`` are those of the vertices A, B, C, E, F.  The policy:
    with n steps to go, take the first slice k with times[k] >= n; in it, laws[i] applies from thresholds[i] upwards,
    for i in [starts[k], starts[k+1]).  The automaton (cell, time) -> law is a policy of the real walk, whose
    conditional mean is the merged position: by Jensen's inequality the value is a lower bound.
    """
    times, starts, thresholds, laws = policy.times, policy.starts, policy.thresholds, policy.laws
    steps = lows.size - 1
    base = lows.min()
    size = highs.max() - base + 1
    mass = np.zeros(size)
    moment = np.zeros(size)
    next_mass = np.zeros(size)
    next_moment = np.zeros(size)
    whole = np.floor(moves).astype(np.int64)
    part = moves - whole
    vertices = np.array([[1, 3, -1], [2, 4, -1], [0, 2, 3]])
    chances = np.zeros((3, 3))
    for v in range(2):  # numba takes seconds to compile the assignment of an array to a slice
        chances[0, v] = p_be[v]
        chances[1, v] = p_cf[v]
    for v in range(3):
        chances[2, v] = p_ace[v]
    cell = int(np.floor(start))
    mass[cell - base] = 1.0
    moment[cell - base] = start - cell
    piece = times.size - 1
    for t in range(steps):
        to_go = steps - t
        while piece > 0 and times[piece - 1] >= to_go:
            piece -= 1
        entry, stop = starts[piece], starts[piece + 1]
        next_low, next_high = lows[t + 1], highs[t + 1]
        for j in range(lows[t] - base, highs[t] - base + 1):
            m = mass[j]
            if m == 0.0:
                continue
            offset = moment[j] / m
            mass[j] = 0.0
            moment[j] = 0.0
            place = j + base + offset
            while entry + 1 < stop and thresholds[entry + 1] <= place:
                entry += 1
            law = laws[entry]
            for v in range(3 if law == 2 else 2):
                vertex = vertices[law, v]
                fraction = offset + part[vertex]
                carry = 1 if fraction >= 1.0 else 0
                target = j + base + whole[vertex] + carry
                if target < next_low or target > next_high:
                    continue
                share = m * chances[law, v]
                next_mass[target - base] += share
                next_moment[target - base] += share * (fraction - carry)
        mass, next_mass = next_mass, mass
        moment, next_moment = next_moment, moment
    value = 0.0
    positive = 0.0
    for j in range(size):
        m = mass[j]
        if m > 0.0:
            place = j + base + moment[j] / m
            if place > 0.0:
                value += m * place
                positive += m
    return value, positive
