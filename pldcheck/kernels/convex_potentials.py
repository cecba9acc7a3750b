"""Convex functions on uneven nodes: one step's transform, its composition with another function, and minorants."""

import math

import numpy as np

from ..core.directed import UNIT
from ._jit import kernel

# The normal law is erf of its argument times this.
ROOT_HALF = math.sqrt(0.5)
# The density of the standard normal law at 0.
DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
# Units by which the difference of two nodes is moved outward: it is rounded by one.
MOVE = 4.0 * UNIT
# Units of both ends' values that are taken off a minorant in each interval: its line is computed with 8 roundings.
LINE_ROUNDING = 32.0 * UNIT


@kernel
def mixture_transform(gain, up, down, masses, tau, points, error):
    """Return E(X' - k)_+ and P(X' > k) at the points k = -y of a mixture, each with a bound of its error.

    ``gain``: X' = up E - down, E lognormal of mean 1 and log-deviation ``tau``; otherwise X' = up - down E.  ``error``
    is the relative error of masses and of the values ``up`` and ``down``, and of a normal tail.  The value changes by
    at most that share of the terms' sizes; the probability moreover by its density times the shift of k.
    """
    size = points.size
    values, doubts, slopes, slope_doubts = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    for i in range(size):
        k = -points[i]
        for j in range(masses.size):
            strike = down[j] + k if gain else up[j] - k
            scale = up[j] if gain else down[j]
            other = down[j] if gain else up[j]
            if strike <= 0.0:
                if gain:
                    values[i] += masses[j] * (scale - strike)
                    doubts[i] += masses[j] * (scale + other + abs(k))
                    slopes[i] += masses[j]
                    slope_doubts[i] += masses[j]
                continue
            d = math.log(strike / scale) / tau
            if gain:
                first = 0.5 * math.erfc((d - 0.5 * tau) * ROOT_HALF)
                second = 0.5 * math.erfc((d + 0.5 * tau) * ROOT_HALF)
                value = scale * first - strike * second
                place = d + 0.5 * tau
            else:
                first = 0.5 * math.erfc(-(d - 0.5 * tau) * ROOT_HALF)
                second = 0.5 * math.erfc(-(d + 0.5 * tau) * ROOT_HALF)
                value = strike * second - scale * first
                place = d + 0.5 * tau
            whole = scale * first + (other + abs(k) + strike) * second
            if whole == 0.0:
                continue
            values[i] += masses[j] * max(value, 0.0)
            doubts[i] += masses[j] * whole
            slopes[i] += masses[j] * second
            shift = (other + abs(k) + strike) / (tau * strike)
            slope_doubts[i] += masses[j] * min(second + DENSITY * math.exp(-0.5 * place * place) * shift, 1e3)
        doubts[i] *= error
        slope_doubts[i] *= error
    return values, doubts, slopes, slope_doubts


@kernel
def _value(nodes, values, last, place, point):
    """Return the interpolated value at a point between node ``place`` and the next; slope ``last`` beyond the end."""
    if place < 0:
        return values[0]
    if place >= nodes.size - 1:
        return values[-1] + last * (point - nodes[-1])
    share = (point - nodes[place]) / (nodes[place + 1] - nodes[place])
    return values[place] + share * (values[place + 1] - values[place])


@kernel
def differences_above(points, starts, nodes, curves):
    """Return, for each curve, its values at points less starts, rounded up; curves have slope 1 beyond their end."""
    result = np.empty((curves.shape[0], points.size, starts.size))
    for i in range(points.size):
        place = nodes.size - 1
        for j in range(starts.size):
            point = points[i] - starts[j]
            point += MOVE * abs(point)
            while place >= 0 and nodes[place] > point:
                place -= 1
            for one in range(curves.shape[0]):
                result[one, i, j] = _value(nodes, curves[one], 1.0, place, point)
    return result


@kernel
def differences_below(points, starts, nodes, values, slopes):
    """Return values of a curve at points less starts, rounded down, and its slopes on the right and the left of them.

    Slopes on the right are those of a point that is rounded down, slopes on the left those of one that is rounded up.
    ``slopes`` are those between the nodes, the last one beyond their end; left of them the curve is 0.
    """
    shape = (points.size, starts.size)
    result, right, left = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for i in range(points.size):
        low = high = nodes.size - 1
        for j in range(starts.size):
            point = points[i] - starts[j]
            less, more = point - MOVE * abs(point), point + MOVE * abs(point)
            while low >= 0 and nodes[low] > less:
                low -= 1
            while high >= 0 and nodes[high] >= more:
                high -= 1
            if low >= 0:
                result[i, j] = values[low] + slopes[low] * (less - nodes[low])
                right[i, j] = slopes[low]
            if high >= 0:
                left[i, j] = slopes[high]
    return result, right, left


@kernel
def compose_above(points, starts, masses, nodes, values):
    """Return the sums over starts of mass times the curve at point less start; the curve has slope 1 beyond its end."""
    result = np.zeros(points.size)
    for i in range(points.size):
        place = nodes.size - 1
        for j in range(starts.size):
            point = points[i] - starts[j]
            point += MOVE * abs(point)
            while place >= 0 and nodes[place] > point:
                place -= 1
            result[i] += masses[j] * _value(nodes, values, 1.0, place, point)
    return result


@kernel
def compose_below(points, starts, masses, nodes, values, slopes):
    """Return the sums of mass times value, slope on the right, and slope on the left, as in differences_below."""
    result, right, left = np.zeros(points.size), np.zeros(points.size), np.zeros(points.size)
    for i in range(points.size):
        low = high = nodes.size - 1
        for j in range(starts.size):
            if masses[j] == 0.0:
                continue
            point = points[i] - starts[j]
            less, more = point - MOVE * abs(point), point + MOVE * abs(point)
            while low >= 0 and nodes[low] > less:
                low -= 1
            while high >= 0 and nodes[high] >= more:
                high -= 1
            if low >= 0:
                result[i] += masses[j] * (values[low] + slopes[low] * (less - nodes[low]))
                right[i] += masses[j] * slopes[low]
            if high >= 0:
                left[i] += masses[j] * slopes[high]
            elif low < 0:
                break
    return result, right, left


@kernel
def _dot(row, masses):
    # Four sums at a time, since their additions wait for one another.
    a = b = c = d = 0.0
    whole = masses.size - masses.size % 4
    for j in range(0, whole, 4):
        a += row[j] * masses[j]
        b += row[j + 1] * masses[j + 1]
        c += row[j + 2] * masses[j + 2]
        d += row[j + 3] * masses[j + 3]
    for j in range(whole, masses.size):
        a += row[j] * masses[j]
    return (a + b) + (c + d)


@kernel
def largest_sums(coarse, fine, groups, masses, best):
    """Return at each node the largest sum of mass times curve over all fine curves; ``best`` holds where it was.

    Each coarse curve is above the fine ones of its group, which need not be tried where it is below another sum.
    """
    size = masses.size
    result = np.empty(size)
    for i in range(size):
        largest = _dot(fine[best[i], i], masses)
        for group in range(coarse.shape[0]):
            if _dot(coarse[group, i], masses) <= largest:
                continue
            for one in range(groups[group], groups[group + 1]):
                total = _dot(fine[one, i], masses)
                if total > largest:
                    largest = total
                    best[i] = one
        result[i] = largest
    return result


@kernel
def hull_corners(nodes, values):
    """Return the places of the corners of the lower convex hull of points, from the first to the last."""
    size = nodes.size
    corners = np.zeros(size, np.int64)
    count = 1
    for i in range(1, size):
        while count > 1:
            one, two = corners[count - 2], corners[count - 1]
            first = (values[two] - values[one]) / (nodes[two] - nodes[one])
            if (values[i] - values[two]) / (nodes[i] - nodes[two]) > first:
                break
            count -= 1
        corners[count] = i
        count += 1
    return corners[:count]


@kernel
def minorant(nodes, values, right, left):
    r"""Return masses w with sum w (y - node)_+ at most a convex function that increases from 0.

    ``values`` are at most the function's at the nodes, ``right`` at most its slopes on the right there, ``left`` at
    least those on its left.  In each interval the function is at least both lines of those slopes through the values,
    and so at least any line through the point where they meet of a slope between theirs; where they do not meet inside,
    the chord is below one of them.  The line's slope is chosen so that the value of the flatter end loses less, since
    all values left of it must not be larger.  The lower convex hull of the values so lowered is interpolated.
    """
    size = nodes.size
    losses = np.zeros(size)
    for i in range(size - 1):
        width = nodes[i + 1] - nodes[i]
        low, high = right[i], left[i + 1]
        chord = (values[i + 1] - values[i]) / width
        rounding = LINE_ROUNDING * (values[i] + values[i + 1])
        at_left = at_right = rounding
        if low < chord < high:
            before = width * ((high - chord) / (high - low))
            after = width * ((chord - low) / (high - low))
            share = (values[i] / values[i + 1]) ** 3
            slope = (low * before + high * after * share) / (before + after * share) if before > 0.0 else high
            at_left += (slope - low) * before * (1.0 + LINE_ROUNDING)
            at_right += (high - slope) * after * (1.0 + LINE_ROUNDING)
        losses[i] = max(losses[i], at_left)
        losses[i + 1] = max(losses[i + 1], at_right)
    lowered = np.maximum(values - losses, 0.0)
    lowered[0] = 0.0
    corners = hull_corners(nodes, lowered)
    masses = np.zeros(size)
    before_slope = 0.0
    for corner in range(corners.size - 1):
        one, two = corners[corner], corners[corner + 1]
        # Beyond the last node the sum rises with the last slope, which must not exceed the function's there.
        slope = min((lowered[two] - lowered[one]) / (nodes[two] - nodes[one]), right[size - 1])
        masses[one] = max(slope - before_slope, 0.0) * (1.0 - (64.0 + 2.0 * size) * UNIT)
        before_slope = max(slope, before_slope)
    return masses
