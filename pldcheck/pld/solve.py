"""delta(epsilon) and epsilon(delta) of a total: which contour to build, and where to look on it."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log

import numpy as np

from ..interval import UNDERFLOW
from .contour import Contour, Ends, contour, steepest, tail
from .enumerate import enumerated
from .losses import UNIT, Array, Atoms
from .total import Total, tilt

# Newton steps in one search; two to four are usual.
TRIALS = 60
# A contour serves epsilons at which the tilted density is down by at most about e^-REACH^2/2.
REACH = 2.0
# An end is taken when it is this close to the root, relatively in delta.
CLOSE = 1e-12
# delta(0) is computed first where the search would start within so many e-foldings of delta from epsilon = 0.
NEAR_ZERO = 3.0


def delta(total: Total, epsilons: Array, tolerance: float) -> list[Ends]:
    """Both ends at every epsilon; neighbouring ones share a contour."""
    single = enumerated(total)
    if single is not None:
        return [_direct(single, float(epsilon)) for epsilon in epsilons]
    found: dict[int, Ends] = {}
    order = [int(i) for i in np.argsort(epsilons, kind="stable")]
    largest = total.largest
    while order:
        first = float(epsilons[order[0]])
        if first >= largest:
            found |= {i: _beyond(total) for i in order}
            break
        theta = steepest(total, first)
        serving = _serving(total, theta, first, [float(epsilons[i]) for i in order], tolerance)
        while order and float(epsilons[order[0]]) <= serving.high:
            index = order.pop(0)
            found[index] = _capped(serving.ends(float(epsilons[index])), total, float(epsilons[index]))
    return [found[i] for i in range(len(epsilons))]


def _serving(total: Total, theta: float, first: float, epsilons: list[float], tolerance: float) -> Contour:
    reach = REACH * (tilt(total, theta).variance + 1.0 / (theta * (theta + 1.0))) ** 0.5
    return contour(total, theta, first, max(e for e in epsilons if e <= first + reach), tolerance)


def _capped(ends: Ends, total: Total, epsilon: float) -> Ends:
    """No more than what is infinite, where all finite losses lie below epsilon."""
    return _beyond(total) if epsilon >= total.largest else ends


def _beyond(total: Total) -> Ends:
    error = total.infinity * 64 * UNIT
    return Ends(max(total.infinity - error, 0.0), total.infinity + error, 0.0, 2.0 * error)


def _direct(law: Atoms, epsilon: float) -> Ends:
    """A law written out: the sum itself."""
    gain = -np.expm1(np.minimum(epsilon - law.losses, 0.0))
    terms = (1.0 - law.infinity) * law.masses * gain
    # A loss off by e changes 1 - e^(epsilon - l) by at most e; the atoms just below epsilon may come in.
    shift = law.loss_error + 2 * UNIT * (abs(epsilon) + float(np.max(np.abs(law.losses))))
    inside = float(np.sum(law.masses[law.losses > epsilon - shift]))
    error = float(np.sum(terms)) * (law.mass_error + 64 * UNIT) + inside * shift + law.infinity * 4 * UNIT
    value = float(np.sum(terms)) + law.infinity
    return Ends(max(value - error, 0.0), min(value + error, 1.0), 0.0, 2.0 * error)


def epsilon(total: Total, target: float, tolerance: float) -> tuple[float, float, Ends]:
    """(lower, upper) such that lower <= epsilon(target) <= upper, and the ends of delta at the upper one."""
    infinity = _beyond(total)
    if infinity.lower > target:
        return inf, inf, infinity
    search = _Search(total, target, tolerance)
    at, start, slope = search.at, search.start, search.slope
    zero = at(0.0) if start * slope <= NEAR_ZERO else None
    if zero and zero.upper <= target:
        return 0.0, 0.0, zero
    if infinity.upper >= target:
        high, at_high = inf, infinity
    else:
        high = _cross(lambda e: at(e).upper, target - UNDERFLOW, start, slope, total.largest, above=True)
        at_high = at(high)
    if zero and zero.lower <= target:
        return 0.0, high, at_high
    low = _cross(lambda e: at(e).lower, target, min(start, high), slope, min(total.largest, high), above=False)
    return min(low, high), high, at_high


class _Search:
    """delta at one epsilon after another near epsilon(target); contours are kept while it lasts."""

    def __init__(self, total: Total, target: float, tolerance: float) -> None:
        self._total, self._tolerance, self._single = total, tolerance, enumerated(total)
        self._contours: list[Contour] = []
        if self._single is not None:
            self._guess, self.slope = 0.0, 1.0
        else:
            self._guess, self.slope = tail(total, max(target - total.infinity, 1e-3 * target))
        self.start = max(self._guess, 0.0)

    def at(self, epsilon: float) -> Ends:
        """Both ends of delta(epsilon)."""
        total = self._total
        if self._single is not None:
            return _direct(self._single, epsilon)
        if epsilon >= total.largest:
            return _beyond(total)
        for known in self._contours:
            if known.low <= epsilon <= known.high:
                return known.ends(epsilon)
        near = abs(epsilon - self._guess) * self.slope <= 1.0
        theta = self.slope if near and not self._contours else steepest(total, epsilon)
        reach = 0.5 / theta
        self._contours.append(contour(total, theta, max(epsilon - reach, 0.0), epsilon + reach, self._tolerance))
        return self._contours[-1].ends(epsilon)


def _cross(
    value: Callable[[float], float], target: float, start: float, slope: float, largest: float, *, above: bool
) -> float:
    """Where a decreasing function crosses the target; on the side ``above`` (value <= target) or below (> target).

    Bracketed secant steps on log(value/target).
    """
    low, high = 0.0, largest
    x, at_x = start, _log_ratio(value(start), target)
    other, at_other = None, 0.0
    best: float | None = None
    for _ in range(TRIALS):
        good = at_x <= 0.0 if above else at_x > 0.0
        if good and (best is None or (x < best) == above):
            best = x
        if good and abs(at_x) <= CLOSE:
            break
        if at_x > 0.0:
            low = x
        else:
            high = x
        if high < inf and high - low <= 4 * UNIT * high:
            break
        if other is not None and at_other != at_x and np.isfinite(at_x - at_other):
            step = -at_x * (x - other) / (at_x - at_other)
        else:
            step = at_x / slope
        # Aim a little inside the wanted side.
        step += (0.5 if above else -0.5) * CLOSE / slope
        moved = x + step
        if not (low < moved < high):
            moved = 0.5 * (low + high) if np.isfinite(high) else 2.0 * x + 1.0
        other, at_other = x, at_x
        x = moved
        at_x = _log_ratio(value(x), target)
    if best is None:
        return largest if above else 0.0
    return best


def _log_ratio(value: float, target: float) -> float:
    return log(value / target) if value > 0.0 else -inf
