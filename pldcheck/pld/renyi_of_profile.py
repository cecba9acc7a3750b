r"""Upper end of a Renyi divergence, from a privacy profile that can be asked at any epsilon.

Let every pair (P, Q) of a protocol, and its reverse, have a privacy profile of at most :math:`\delta`.  With
:math:`\kappa = e^\epsilon`, by :math:`x^\alpha = 1 + \alpha (x - 1) + \alpha (\alpha - 1) [\int_1^\infty
\kappa^{\alpha - 2} (x - \kappa)_+ d\kappa + \int_0^1 \kappa^{\alpha - 2} (\kappa - x)_+ d\kappa]` at
:math:`x = dP/dQ`, and with :math:`E_Q (\kappa - x)_+ = \kappa\, \delta_{QP}(-\log\kappa)` in the second integral,

.. math:: E_Q \Big(\frac{dP}{dQ}\Big)^\alpha \le 1 + \alpha (\alpha - 1) \int_1^\infty
          \big(\kappa^{\alpha - 2} + \kappa^{-\alpha - 1}\big)\, \delta(\log\kappa)\, d\kappa .

The integral grows with the profile.  A polygon through certified points lies above the profile, which is convex in
:math:`\kappa`, and is the profile of a discrete pair, whose moment is a sum.  Points are added where they lower the
integral most.

**Losses without a largest value.**  Let :math:`D_\beta(P\|Q) \le \rho \beta` for all orders, as for Gaussian noise.
The polygon ends at K = e^k, and its last side goes on to zero.  What the profile has beyond K adds at most twice
:math:`E_Q[(dP/dQ)^\alpha; dP/dQ > K] \le K^{\alpha - \beta} e^{\rho \beta (\beta - 1)}` to the moment, for any
:math:`\beta \ge \alpha`; twice, as :math:`\kappa^{-\alpha - 1} \le \kappa^{\alpha - 2}` there.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, isfinite, log, sqrt

from ..core import threads
from ..core.directed import UNIT, enlarge
from . import hull_of_points
from .distribution import PrivacyLossDistribution
from .law_bounds import LawBounds
from .pair_cells import SMALLEST
from .step_losses import Atoms

# The first points, in deviations of a normal loss that has the lower end as its divergence.
FIRST_POINTS = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)
# Intervals that are halved before the next choice, a multiple of the usual number of threads.
TOGETHER = 4
# Largest number of points.
MOST_POINTS = 160
# The ratio of an interval's ends from which on its middle is that of their logarithms.
LONG = 4.0
# A half's expected part of what the whole gained by its middle: chords err like the third power of their length.
HALF = 1.0 / 8.0
# What is still to be gained, all halves of halves included, as a multiple of what the next halves gain: 4/3 for smooth
# profiles, and more where there are kinks.
SERIES = 2.5
# Share of the integral below which a point has no better bound computed, and an interval, of the tolerance, no middle.
UNIMPORTANT = 1e-4
# Share of the width that is given to what lies beyond the last point.
TAIL_SHARE = 0.01
# Beyond this epsilon no points are taken: e^epsilon overflows.
FARTHEST = 690.0
# Log of a delta below which profiles are not resolved.
LOG_LEAST = -660.0

Profile = Callable[[float], float]


def upper_end(
    profile: Profile,
    order: float,
    width: float,
    lower: float,
    largest: float = inf,
    rho: float = inf,
    finer: Callable[[list[float]], list[float]] | None = None,
) -> float:
    """Return an upper end of the Renyi divergence; infinite where the points that decide cannot be computed.

    Parameters
    ----------
    profile : function of epsilon
        An upper bound of delta, of both directions.
    order : float
        The order, above 1.
    width : float
        Relative width that the choice of points may add, about.
    lower : float
        A lower end of the divergence, which guides the choice of points.
    largest : float
        The largest loss.
    rho : float
        A number with D_beta <= rho beta for every order; needed where there is no largest loss.
    finer : function of epsilons, optional
        Upper bounds of delta that cost more: they are asked once, at the chosen points that matter.

    """
    last = largest if isfinite(largest) else _last_point(order, width, lower, rho)
    if not last < FARTHEST:
        return inf
    values = {last: 0.0} if isfinite(largest) else {}
    points = _Points(profile, order, values)
    points.evaluate([0.0])
    # A normal loss of mean s^2/2 and deviation s has a delta(0) of about s/sqrt(2 pi).
    deviation = sqrt(2.0 * lower / order) if lower > 0.0 else 2.5 * points.values[0.0]
    start = [min(place * deviation, last) for place in FIRST_POINTS] + [last]
    points.evaluate(sorted(set(start) - points.values.keys()))
    points.refine(width * max((order - 1.0) * lower, 1.0))
    if finer is not None:
        places = points.important
        for place, value in zip(places, finer(places), strict=True):
            points.values[place] = min(points.values[place], value)
    deltas = points.values
    if isfinite(largest):
        law: Atoms | None = hull_of_points.from_points(list(deltas), list(deltas.values()), symmetric=True)
    else:
        law = hull_of_points.from_points_to_zero(list(deltas), list(deltas.values()))
    if law is None:
        return inf
    polygon = PrivacyLossDistribution("polygon", ((LawBounds.exact(law), 1),)).renyi(order).upper
    if isfinite(largest) or polygon == inf:
        return polygon
    last_corner = min(deltas, key=lambda place: (deltas[place], place))
    return _with_tail(polygon, last_corner, order, rho)


class _Points:
    """Points of a profile, and what each interval between them is expected to gain by its middle."""

    def __init__(self, profile: Profile, order: float, values: dict[float, float]) -> None:
        self.profile, self.order, self.values = profile, order, values
        self.gains: dict[tuple[float, float], float] = {}

    def evaluate(self, epsilons: list[float]) -> None:
        """Add points, several at a time."""
        with threads.pool() as pool:
            self.values.update(zip(epsilons, (min(one, 1.0) for one in pool.map(self.profile, epsilons)), strict=True))

    def refine(self, tolerance: float) -> None:
        """Divide intervals into halves until what can be gained is this share of the integral."""
        places = sorted(self.values)
        self.gains = dict.fromkeys(zip(places, places[1:], strict=False), inf)
        # Beyond the deviations of the first points a profile may take long to evaluate, for hardly any gain.
        far = places[-2], places[-1]
        if self._most_gain(*far) < UNIMPORTANT * tolerance * self._integral():
            self.gains[far] = 0.0
        while len(self.values) < MOST_POINTS:
            if SERIES * sum(self.gains.values()) <= tolerance * self._integral():
                return
            chosen = sorted(self.gains, key=lambda one: -self.gains[one])[:TOGETHER]
            chosen = [one for one in chosen if self.gains[one] > 0.0 and one[0] < _middle(*one) < one[1]]
            if not chosen:
                return
            self.evaluate([_middle(a, b) for a, b in chosen])
            for a, b in chosen:
                middle, gain = _middle(a, b), self._gain(a, b)
                del self.gains[a, b]
                self.gains[a, middle] = self.gains[middle, b] = HALF * gain

    @property
    def important(self) -> list[float]:
        """The points that have a share in the integral."""
        least = UNIMPORTANT * self._integral()
        places = sorted(self.values)
        lengths = [b - a for a, b in zip([places[0], *places], [*places[1:], places[-1]], strict=False)]
        return [
            place
            for place, length in zip(places, lengths, strict=True)
            if self._weighted(place, self.values[place]) * length > least
        ]

    def _most_gain(self, a: float, b: float) -> float:
        """Return about the largest part of the integral that an interval can have."""
        middle = _middle(a, b)
        heights = self._weighted(a, self.values[a]), self._weighted(middle, self._chord(a, b))
        return max(heights) * (b - a)

    def _chord(self, a: float, b: float) -> float:
        """Return the height of the polygon in the middle of an interval."""
        share = expm1(_middle(a, b) - a) / expm1(b - a)
        return (1.0 - share) * self.values[a] + share * self.values[b]

    def _gain(self, a: float, b: float) -> float:
        """Return about what the middle of an interval, whose value is known, takes off the integral."""
        middle = _middle(a, b)
        drop = max(self._chord(a, b) - self.values[middle], 0.0)
        return self._weighted(middle, drop) * 0.5 * (b - a)

    def _integral(self) -> float:
        """Return about the integral over epsilon, by trapezoids."""
        places = sorted(self.values)
        heights = [self._weighted(place, self.values[place]) for place in places]
        return sum(
            0.5 * (y + z) * (b - a) for a, b, y, z in zip(places, places[1:], heights, heights[1:], strict=False)
        )

    def _weighted(self, epsilon: float, height: float) -> float:
        """Return a height times the weight of its place, in units of the largest such product of all points."""
        if height <= 0.0:
            return 0.0
        unit = max((self.order - 1.0) * at + log(value) for at, value in self.values.items() if value > 0.0)
        logs = (self.order - 1.0) * epsilon, -self.order * epsilon
        return sum(exp(min(one + log(height) - unit, FARTHEST)) for one in logs)


def _middle(a: float, b: float) -> float:
    """Return the middle of an interval; of one that is long beside its place, in the logarithm.

    Far beyond all that counts a profile may take long to evaluate.
    """
    return sqrt(a * b) if b > LONG * a > 0.0 else 0.5 * (a + b)


def _last_point(order: float, width: float, lower: float, rho: float) -> float:
    """Return the epsilon from which on the bound of what lies beyond is small beside the moment's excess over 1.

    It is infinite where deltas there are not resolved.
    """
    log_moment = (order - 1.0) * lower
    if log_moment <= 0.0:
        return inf
    goal = log(TAIL_SHARE * width) + (log_moment if log_moment > 1.0 else log(log_moment)) - log(2.0)
    last = rho * (2.0 * order - 1.0) + 2.0 * sqrt(rho * max(rho * order * (order - 1.0) - goal, 0.0))
    # Gaussian noise has a delta of about e^-((last - rho)^2/(4 rho)) there.
    return last if (last - rho) ** 2 < -4.0 * rho * LOG_LEAST else inf


def _with_tail(polygon: float, last: float, order: float, rho: float) -> float:
    """Return the divergence of a polygon, to whose moment is added what the profile beyond a point has, rounded up.

    log(e^x + t) <= x + t e^-x, with x the log of the polygon's moment.
    """
    theta = order - 1.0
    size = _log_beyond(last, order, rho) - theta * polygon
    # Both terms of the exponent are known to a few units of their sizes.
    size += 8.0 * UNIT * (abs(size) + 2.0 * theta * polygon + 1.0)
    if size > FARTHEST:
        return inf
    return enlarge(polygon + enlarge(exp(size) + SMALLEST, 8) / theta, 8)


def _log_beyond(last: float, order: float, rho: float) -> float:
    """Return the log of a bound of what the profile beyond a point adds to the moment, rounded up."""
    beta = max(0.5 * (last / rho + 1.0), order)
    rise, fall = rho * beta * (beta - 1.0), (beta - order) * last
    # Four roundings of each term, one of their difference, and log 2.
    return log(2.0) + rise - fall + 8.0 * UNIT * (rise + fall + 1.0)
