"""delta(epsilon) and epsilon(delta) of a sum of losses: the choice of contours, and the search on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import exp, expm1, inf, isfinite

import numpy as np

from ..core.directed import Ends, Side, enlarge, roundoff, shrink
from ..core.interval import UNDERFLOW
from ..core.roots import TRIALS, cross
from .closed_form_curves import Curve
from .enumerated_sums import EnumeratedSum, enumerated_sum
from .largest_loss import certain_delta, certain_epsilon
from .loss_inversion import Contour, contour
from .loss_total import Total
from .paired_sum import PairedSum, paired_sum
from .saddle_tilt import steepest, tail
from .step_losses import Array
from .tilted_total import least_tilted, tilt

# An upper end above this multiple of the lower one is compared with bounds that need no inversion.
WIDE = 1.01
# Steps of a search for a target up to TINIEST: every one of them costs a contour, and there is little to gain.
FEW_TRIALS = 20
# A contour serves epsilons at which the tilted density is down by at most about e^-REACH^2/2.
REACH = 2.0
# Bounds from the largest sum alone that are this close, relatively, are the answer.
NARROW = 1e-13
# The most values of losses that one search visits, at some 40 ns each; then the best bound so far is the answer.
MOST_VISITS = 1.5e8
# Visits counted for the search of a tilt.
VISITS_OF_TILT = 60
# Further visits that each node of a new contour costs.
VISITS_OF_NODE = 16
# Visits that each node costs where a contour is evaluated again.
VISITS_OF_LOOK = 1
# Targets up to this one are not distinguished from zero.
TINIEST = 1e-290
# Above this epsilon it is checked whether delta is negligible.
VERY_FAR = 1e6
# Deviations below the mean at which delta is nearly 1.
FAR_BELOW = 6.0
# delta(0) is computed first where the search would start within so many e-foldings of delta from epsilon = 0.
NEAR_ZERO = 3.0


def delta(total: Total, epsilons: Array, tolerance: float, *, include_cuts: bool = False) -> list[Ends]:
    """Return both ends at every epsilon; neighbouring ones share a contour.

    With ``include_cuts`` the upper ends include what underflow and the cuts of the laws leave out; without it, the
    caller must add that.
    """
    all_ends = _deltas(total, epsilons, tolerance)
    if not include_cuts or total.closed_form is not None:
        return all_ends
    pairs = zip(all_ends, epsilons.tolist(), strict=True)
    return [
        ends if epsilon >= total.largest else _with_trivial_end(total, epsilon, _include_cuts(total, ends))
        for ends, epsilon in pairs
    ]


def _include_cuts(total: Total, ends: Ends) -> Ends:
    """Return the ends, with what underflows and what was cut off from the laws added to the upper one.

    Both are lost in units of delta, in which the inversion multiplies last.
    """
    return replace(ends, upper=min(ends.upper + enlarge(UNDERFLOW + total.cut, 4), 1.0))


def _trivial(total: Total, epsilon: float) -> float:
    r"""Return an upper bound of delta from the largest finite sum or, with a Gaussian part, from that of the others.

    A loss l gains :math:`1 - e^{\epsilon - l}`, which grows with l.
    """
    finite = 1.0
    if isfinite(total.largest):
        finite = enlarge(-expm1(min(epsilon - total.largest, 0.0)), 8) + UNDERFLOW + total.cut
    elif total.gaussian_part is not None and epsilon > total.gaussian_part[0]:
        beyond = shrink(epsilon - total.gaussian_part[0], 4)
        finite = total.gaussian_part[1].delta(beyond)[1] + UNDERFLOW + total.cut
    return min(finite + total.infinity_ends[1], 1.0)


def _with_trivial_end(total: Total, epsilon: float, ends: Ends) -> Ends:
    """Return the ends, with the trivial upper end where that is smaller; it is tried for wide answers only."""
    if ends.upper <= WIDE * ends.lower:
        return ends
    upper = min(ends.upper, _trivial(total, epsilon))
    if upper < ends.lower:
        raise ArithmeticError(f"delta at epsilon = {epsilon!r} is at least {ends.lower!r} and at most {upper!r}")
    return ends if upper == ends.upper else Ends(ends.lower, upper, ends.truncation, ends.rounding)


def _deltas(total: Total, epsilons: Array, tolerance: float) -> list[Ends]:
    if total.infinity == 1.0:
        return [_ends_beyond_largest(total) for _ in epsilons]
    if total.closed_form is not None:
        return [_closed_form_ends(total.closed_form, float(epsilon)) for epsilon in epsilons]
    direct = _without_inversion(total)
    if direct is not None:
        largest = total.largest
        values = [float(epsilon) for epsilon in epsilons]
        return [_ends_beyond_largest(total) if value >= largest else direct.ends(value) for value in values]
    ends_by_index: dict[int, Ends] = {}
    order = [int(i) for i in np.argsort(epsilons, kind="stable")]
    largest = total.largest
    while order:
        first = float(epsilons[order[0]])
        if first >= largest:
            ends_by_index |= {i: _ends_beyond_largest(total) for i in order}
            break
        if _very_far(total, first) < first:
            far = _one(total, _very_far(total, first), tolerance)
            ends_by_index |= {i: replace(far, lower=total.infinity_ends[0]) for i in order}
            break
        theta = steepest(total, first)
        serving_contour = _contour_from(total, theta, first, [float(epsilons[i]) for i in order], tolerance)
        while order and float(epsilons[order[0]]) <= serving_contour.high:
            index = order.pop(0)
            point = float(epsilons[index])
            ends_by_index[index] = (
                _ends_beyond_largest(total)
                if point >= largest
                else _with_certain_end(total, point, serving_contour.ends(point))
            )
    return [ends_by_index[i] for i in range(len(epsilons))]


def is_inverted(total: Total) -> bool:
    """Return whether delta of the sum takes an inversion."""
    return total.closed_form is None and _without_inversion(total) is None


def _without_inversion(total: Total) -> EnumeratedSum | PairedSum | None:
    """Return the sum as what needs no inversion, if it has few values or is one of two losses."""
    return enumerated_sum(total) or paired_sum(total)


def _one(total: Total, epsilon: float, tolerance: float) -> Ends:
    return contour(total, steepest(total, epsilon), epsilon, epsilon, tolerance).ends(epsilon)


def _contour_from(total: Total, theta: float, first: float, epsilons: list[float], tolerance: float) -> Contour:
    reach = REACH * (tilt(total, theta).variance + 1.0 / (theta * (theta + 1.0))) ** 0.5
    return contour(total, theta, first, max(e for e in epsilons if e <= first + reach), tolerance)


def _with_certain_end(total: Total, epsilon: float, ends: Ends) -> Ends:
    r"""Return the ends, with the lower one raised by the largest sum alone, or by the concentration of the sum.

    Concentration serves where epsilon is far below the mean: for t > 0,
    :math:`\delta(\epsilon) \ge P(S > \epsilon + t)(1 - e^{-t})`, with Chernoff's bound for the rest.
    """
    if ends.upper > WIDE * ends.lower:
        ends = _raise_lower_end(total, epsilon, ends, shrink(total.infinity_ends[0] + certain_delta(total, epsilon), 4))
    plain = least_tilted(total)
    below = plain.mean - epsilon
    if not below > FAR_BELOW * plain.variance**0.5 or total.laplace.size:
        return ends
    theta = min(0.5 * below / plain.variance, 0.5) if plain.variance > 0.0 else 0.5
    opposite_tilt = tilt(total, -theta)
    exponent = theta * (epsilon + 0.5 * below)
    rounding = roundoff(4, abs(opposite_tilt.cumulant) + abs(total.log_finite) + abs(exponent) + theta * plain.mean)
    miss = enlarge(
        exp(min(opposite_tilt.cumulant - total.log_finite + opposite_tilt.error + exponent + rounding, 0.0)), 8
    )
    least = (
        shrink((1.0 - total.infinity) * max(exp(total.log_mass_share) - miss, 0.0) * -expm1(-0.5 * below), 64)
        + total.infinity
    )
    return _raise_lower_end(total, epsilon, ends, shrink(least, 64))


def _raise_lower_end(total: Total, epsilon: float, ends: Ends, least: float) -> Ends:
    """Return the ends with the lower one at least ``least``; raise ArithmeticError where the upper one forbids it."""
    # The upper end does not yet include what underflows and what was cut off from the laws.
    if least > ends.upper + 2.0 * (UNDERFLOW + total.cut):
        raise ArithmeticError(f"delta at epsilon = {epsilon!r} is at least {least!r} and at most {ends.upper!r}")
    return replace(ends, lower=min(max(ends.lower, least), ends.upper))


def _very_far(total: Total, epsilon: float) -> float:
    """Return ``epsilon``, or a smaller one from which on delta is negligible and the search for a tilt overflows."""
    return min(epsilon, tail(total, TINIEST)[0]) if epsilon > VERY_FAR else epsilon


def _ends_beyond_largest(total: Total) -> Ends:
    """Return the ends of delta from the largest sum on: P(infinite), plus what was cut off from the laws."""
    down, up = total.infinity_ends
    up = enlarge(min(up + enlarge(total.cut, 4), 1.0), 4) if total.cut > 0.0 else up
    return Ends(down, up, 0.0, up - down)


def _closed_form_ends(curve: Curve, epsilon: float) -> Ends:
    down, up = curve.delta(epsilon)
    return Ends(down, up, 0.0, up - down)


class Search:
    """A search for the epsilon at which delta crosses a target; it keeps the contours that it has computed."""

    def __init__(self, total: Total, target: float, tolerance: float, like: Search | None = None) -> None:
        """Start a search; ``like`` is a search whose answer is nearly the same."""
        self._total, self._target, self._tolerance = total, target, tolerance
        self._direct, self._infinity = _without_inversion(total), _ends_beyond_largest(total)
        self._contours: list[Contour] = []
        self._ends_by_epsilon: dict[float, Ends] = {}
        self._visits = 0.0
        if self._infinity.lower > target:
            self._guess, self._slope = inf, 1.0
        elif total.closed_form is not None:
            self._guess, self._slope = self._closed_form[1], 1.0
        elif like is not None and isfinite(like._guess):
            self._guess, self._slope = like._guess, like._slope
        elif isinstance(self._direct, EnumeratedSum):
            self._guess, self._slope = self._direct.crossing(target)
        else:
            self._guess, self._slope = tail(total, max(target - total.infinity, 1e-3 * target))
        self.start = max(self._guess, 0.0)

    @cached_property
    def _closed_form(self) -> tuple[float, float]:
        """Both ends of epsilon, of a curve in closed form."""
        assert self._total.closed_form is not None
        return self._total.closed_form.epsilon(self._target)

    @cached_property
    def _zero(self) -> Ends | None:
        """Both ends of delta(0), if the answer is so near."""
        return self.at(0.0) if self.start * self._slope <= NEAR_ZERO else None

    def upper(self) -> tuple[float, Ends]:
        """Return an epsilon at which delta is at most the target, and the ends of delta there."""
        target, infinity, largest = self._target, self._infinity, self._total.largest
        if infinity.lower > target:
            return inf, infinity
        if self._total.closed_form is not None:
            return self._closed_form[1], self.at(self._closed_form[1])
        if self._zero and self._zero.upper <= target:
            return 0.0, self._zero
        if infinity.upper > target:  # it may be that no epsilon has so small a delta
            return inf, infinity
        if infinity.upper == target or (target <= TINIEST and isfinite(largest)):
            return largest, infinity
        if target <= TINIEST:
            if self._total.gaussian_part is None:
                return inf, infinity
            # The loss is at most the Gaussian part plus the largest sum of the others.
            most, curve = self._total.gaussian_part
            high = enlarge(most + curve.epsilon(shrink(target - infinity.upper, 4))[1], 4)
            return high, Ends(0.0, target, 0.0, target)
        least, most = self._certain
        if self._is_certain:
            return most, Ends(0.0, target, 0.0, 0.0)
        high = self._cross(lambda e: self.at(e).upper, self.start, least, min(largest, most), side=Side.UPPER)
        return high, self.at(high)

    def lower(self, near: float) -> float:
        """Return an epsilon at which delta is above the target, or 0; the search starts at ``near`` if it can."""
        target, largest = self._target, self._total.largest
        if self._infinity.lower > target:
            return inf
        if self._total.closed_form is not None:
            return self._closed_form[0]
        if self._zero and self._zero.lower <= target:
            return 0.0
        least, most = self._certain
        if self._is_certain:
            return least
        start = near if near < largest else self.start
        trials = TRIALS if target > TINIEST else FEW_TRIALS
        return self._cross(lambda e: self.at(e).lower, start, least, min(largest, most), side=Side.LOWER, trials=trials)

    def _cross(
        self, value: Callable[[float], float], start: float, least: float, most: float, *, side: Side, trials=TRIALS
    ) -> float:
        visit_limit = self._visits + MOST_VISITS
        return cross(
            value,
            self._target,
            start,
            self._slope,
            most,
            side=side,
            trials=trials,
            least=least,
            spent=lambda epsilon: self._visits > visit_limit and not self._needs_no_contour(epsilon),
        )

    def _needs_no_contour(self, epsilon: float) -> bool:
        """Return whether delta there takes no new contour."""
        return epsilon in self._ends_by_epsilon or any(one.low <= epsilon <= one.high for one in self._contours)

    @cached_property
    def _certain(self) -> tuple[float, float]:
        """Bounds of the answer from the largest sum alone."""
        return certain_epsilon(self._total, self._target)

    @property
    def _is_certain(self) -> bool:
        least, most = self._certain
        return isfinite(most) and most - least <= NARROW * most

    def at(self, epsilon: float) -> Ends:
        """Return both ends of delta(epsilon)."""
        if epsilon not in self._ends_by_epsilon:
            self._ends_by_epsilon[epsilon] = self._compute_ends(epsilon)
        return self._ends_by_epsilon[epsilon]

    def _compute_ends(self, epsilon: float) -> Ends:
        total = self._total
        if total.closed_form is not None:
            return _closed_form_ends(total.closed_form, epsilon)
        if epsilon >= total.largest:
            return _ends_beyond_largest(total)
        if self._direct is not None:
            return _include_cuts(total, self._direct.ends(epsilon))
        for one in self._contours:
            if one.low <= epsilon <= one.high:
                self._visits += VISITS_OF_LOOK * one.nodes.size
                return _include_cuts(total, _with_certain_end(total, epsilon, one.ends(epsilon)))
        near = abs(epsilon - self._guess) * self._slope <= 1.0
        theta = self._slope if near and not self._contours else steepest(total, epsilon)
        reach = 0.5 / theta
        self._contours.append(contour(total, theta, max(epsilon - reach, 0.0), epsilon + reach, self._tolerance))
        newest = self._contours[-1]
        self._visits += newest.visits + VISITS_OF_TILT * total.size + VISITS_OF_NODE * newest.nodes.size
        return _include_cuts(total, _with_certain_end(total, epsilon, newest.ends(epsilon)))
