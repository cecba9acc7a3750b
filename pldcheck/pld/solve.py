"""delta(epsilon) and epsilon(delta) of a total: which contour to build, and where to look on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import exp, expm1, inf, isfinite, log

import numpy as np

from ..interval import UNDERFLOW
from .contour import Contour, Ends, contour
from .enumerate import enumerated
from .losses import UNIT, Array, Atoms
from .saddle import steepest, tail
from .total import Total, tilt

# Steps in one search; two to four are usual.  After so many secants the bracket is halved.
TRIALS, SECANTS = 80, 14
# A secant that leads out of the bracket from a value so far off (in logs) goes half the way instead.
FAR_OFF = 1e-3
# A contour serves epsilons at which the tilted density is down by at most about e^-REACH^2/2.
REACH = 2.0
# An end is taken when it is this close to the root, relatively in delta.
CLOSE = 1e-12
# Deltas up to here are not told from zero.
TINIEST = 1e-290
# Epsilons beyond which it is checked whether delta is of any use; deviations below the mean at which delta is nearly 1.
VERY_FAR, FAR_BELOW = 1e6, 6.0
# delta(0) is computed first where the search would start within so many e-foldings of delta from epsilon = 0.
NEAR_ZERO = 3.0


def delta(total: Total, epsilons: Array, tolerance: float) -> list[Ends]:
    """Both ends at every epsilon; neighbouring ones share a contour."""
    if total.infinity == 1.0:
        return [_beyond(total) for _ in epsilons]
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
        if _very_far(total, first) < first:
            found |= {i: replace(_one(total, _very_far(total, first), tolerance), lower=total.infinity) for i in order}
            break
        theta = steepest(total, first)
        serving = _serving(total, theta, first, [float(epsilons[i]) for i in order], tolerance)
        while order and float(epsilons[order[0]]) <= serving.high:
            index = order.pop(0)
            point = float(epsilons[index])
            found[index] = _beyond(total) if point >= largest else _sure(total, point, serving.ends(point))
    return [found[i] for i in range(len(epsilons))]


def _one(total: Total, epsilon: float, tolerance: float) -> Ends:
    return contour(total, steepest(total, epsilon), epsilon, epsilon, tolerance).ends(epsilon)


def _serving(total: Total, theta: float, first: float, epsilons: list[float], tolerance: float) -> Contour:
    reach = REACH * (tilt(total, theta).variance + 1.0 / (theta * (theta + 1.0))) ** 0.5
    return contour(total, theta, first, max(e for e in epsilons if e <= first + reach), tolerance)


def _sure(total: Total, epsilon: float, ends: Ends) -> Ends:
    r"""At least what the sum's concentration says, where epsilon is far below its mean.

    For t > 0, :math:`\delta(\epsilon) \ge P(S > \epsilon + t)(1 - e^{-t})`, with Chernoff's bound for the rest.
    """
    plain = total.plain
    below = plain.mean - epsilon
    if not below > FAR_BELOW * plain.variance**0.5 or total.laplace.size:
        return ends
    theta = min(0.5 * below / plain.variance, 0.5) if plain.variance > 0.0 else 0.5
    away = tilt(total, -theta)
    missed = exp(min(away.cumulant - total.log_finite + away.error + theta * (epsilon + 0.5 * below), 0.0))
    least = (1.0 - total.infinity) * max(exp(total.log_kept) - missed, 0.0) * -expm1(-0.5 * below) * (
        1.0 - 64 * UNIT
    ) + total.infinity
    return replace(ends, lower=max(ends.lower, min(least * (1.0 - 64 * UNIT), ends.upper)))


def _very_far(total: Total, epsilon: float) -> float:
    """An epsilon no larger, beyond which delta is below any number of use: there the search for a tilt overflows."""
    return min(epsilon, tail(total, TINIEST)[0]) if epsilon > VERY_FAR else epsilon


def _beyond(total: Total) -> Ends:
    error = total.infinity * 64 * UNIT
    return Ends(max(total.infinity - error, 0.0), min(total.infinity + error, 1.0), 0.0, 2.0 * error)


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


def _between(law: Atoms, target: float) -> tuple[float, float]:
    """An epsilon between the two losses where delta crosses the target, and the slope of log delta there."""
    losses = np.unique(np.append(law.losses[law.losses > 0.0], 0.0))
    low, high = 0, losses.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _direct(law, float(losses[middle])).upper > target else (low, middle)
    left, right = float(losses[low]), float(losses[high])
    # Between them delta is linear in e^epsilon.
    above, below = _direct(law, left).upper, _direct(law, right).upper
    share = (target - below) / (above - below) if above > below else 0.5
    width = -expm1(left - right)
    rest = 1.0 - min(max(share, 0.0), 1.0) * width  # e^(epsilon - right)
    start = right + log(max(rest, 1e-300)) if right > left else left
    slope = max(above - below, 0.0) * rest / (width * target) if width * target > 0.0 else 1.0
    return min(max(start, left), right), max(slope, 1.0)


class Search:
    """Where delta crosses a target; what was computed for it is kept while it lasts."""

    def __init__(self, total: Total, target: float, tolerance: float, like: Search | None = None) -> None:
        """``like``: a search whose answer is nearly the same."""
        self._total, self._target, self._tolerance = total, target, tolerance
        self._single, self._infinity = enumerated(total), _beyond(total)
        self._contours: list[Contour] = []
        self._known: dict[float, Ends] = {}
        if self._infinity.lower > target:
            self._guess, self._slope = inf, 1.0
        elif like is not None and isfinite(like._guess):
            self._guess, self._slope = like._guess, like._slope
        elif self._single is not None:
            self._guess, self._slope = _between(self._single, target)
        else:
            self._guess, self._slope = tail(total, max(target - total.infinity, 1e-3 * target))
        self.start = max(self._guess, 0.0)

    @cached_property
    def _zero(self) -> Ends | None:
        """Both ends of delta(0), if the answer is so near."""
        return self.at(0.0) if self.start * self._slope <= NEAR_ZERO else None

    def upper(self) -> tuple[float, Ends]:
        """An epsilon at which delta is at most the target, and the ends of delta there."""
        target, infinity, largest = self._target, self._infinity, self._total.largest
        if infinity.lower > target:
            return inf, infinity
        if self._zero and self._zero.upper <= target:
            return 0.0, self._zero
        if infinity.upper >= target or target <= TINIEST:
            return (largest if infinity.upper == 0.0 else inf), infinity
        high = cross(lambda e: self.at(e).upper, target - UNDERFLOW, self.start, self._slope, largest, above=True)
        return high, self.at(high)

    def lower(self, near: float) -> float:
        """An epsilon at which delta is above the target, or 0; looked for from ``near``, if that is finite."""
        target, largest = self._target, self._total.largest
        if self._infinity.lower > target:
            return inf
        if self._zero and self._zero.lower <= target:
            return 0.0
        start = near if near < largest else self.start
        return cross(lambda e: self.at(e).lower, target, start, self._slope, largest, above=False)

    def at(self, epsilon: float) -> Ends:
        """Both ends of delta(epsilon)."""
        if epsilon not in self._known:
            self._known[epsilon] = self._at(epsilon)
        return self._known[epsilon]

    def _at(self, epsilon: float) -> Ends:
        total = self._total
        if self._single is not None:
            return _direct(self._single, epsilon)
        if epsilon >= total.largest:
            return _beyond(total)
        for known in self._contours:
            if known.low <= epsilon <= known.high:
                return _sure(total, epsilon, known.ends(epsilon))
        near = abs(epsilon - self._guess) * self._slope <= 1.0
        theta = self._slope if near and not self._contours else steepest(total, epsilon)
        reach = 0.5 / theta
        self._contours.append(contour(total, theta, max(epsilon - reach, 0.0), epsilon + reach, self._tolerance))
        return _sure(total, epsilon, self._contours[-1].ends(epsilon))


def cross(
    value: Callable[[float], float], target: float, start: float, slope: float, largest: float, *, above: bool
) -> float:
    """Where a decreasing function crosses the target; on the side ``above`` (value <= target) or below (> target).

    Secant steps on log(value/target) from a good start; where they fail, bisection of what they have bracketed.
    """
    low, high, best = 0.0, largest, largest if above else 0.0
    x, other, at_other = start, None, 0.0
    for trial in range(TRIALS):
        at_x = _log_ratio(value(x), target)
        good = at_x <= 0.0 if above else at_x > 0.0
        if good and (x < best) == above:
            best = x
        low, high = (x, high) if at_x > 0.0 else (low, x)
        if (good and abs(at_x) <= CLOSE) or high - low <= 4 * UNIT * low:
            break
        if other is not None and at_other != at_x and isfinite(at_x - at_other):
            step = -at_x * (x - other) / (at_x - at_other)
        else:
            step = at_x / slope
        # Aim a little inside the wanted side.
        moved = x + step + (0.5 if above else -0.5) * CLOSE / slope
        if not low < moved < high and abs(at_x) > FAR_OFF and isfinite(high):
            moved = 0.5 * (x + (high if at_x > 0.0 else low))
        if trial >= SECANTS or not low < moved < high:
            # Out to the wanted side from the start, in growing steps; once there is something to halve, halve it.
            found = best < largest if above else best > 0.0
            growing = start + (1.0 if above else -1.0) * 4 * UNIT * 4.0**trial * max(start, 1e-12)
            moved = growing if not found and low < growing < high else 0.5 * (low + min(high, 2.0 * low + 1.0))
        other, at_other, x = x, at_x, moved
    return best


def _log_ratio(value: float, target: float) -> float:
    return log(value) - log(target) if value > 0.0 else -inf
