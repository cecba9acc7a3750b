r"""Certified curves, written as privacy loss distributions of dp_accounting that bound them.

A curve is :math:`\delta(\kappa) = p_\infty + \sum_v p_v (1 - \kappa/\kappa_v)_+` at :math:`\kappa = e^\epsilon`, for
all real epsilon: composition preserves an inequality between two curves only if it holds everywhere.  A privacy curve
is convex, does not grow, is 1 at kappa = 0 and at least :math:`1 - \kappa`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, expm1, fsum, inf, isfinite, log, log1p

import numpy as np
from dp_accounting.pld import pld_pmf
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution as Theirs

from ...core.directed import roundoff
from ...core.errors import ParameterError
from ...core.parameters import number_text
from ...pld.distribution import PrivacyLossDistribution
from ...pld.law_bounds import LawBounds, Parts
from ...pld.step_losses import Array, Atoms, Law
from .curve_knots import Knots

# The largest number of lattice points of an export.
MOST_DOTS = 2**20
# The number of lattice points at which the curve of an export is evaluated first.
FIRST_DOTS = 65
# The distance of the two bounds of the curve between evaluated points, as a multiple of the width.  The chord is above
# the curve by a quarter of it where the curve is smooth.
CLOSE = 4.0
# The relative width of an export: in epsilon it is less than the distance of two dots, where delta falls by more than
# the factor e within an epsilon of 1/2.
EXPORT_WIDTH = 2e-4
# The largest number of pieces into which an interval is cut at once.
MOST_PIECES = 16


def to_dp_accounting(
    ours: PrivacyLossDistribution,
    discretization: float = 1e-4,
    pessimistic: bool = True,
    *,
    tail: float = 1e-15,
    width: float = EXPORT_WIDTH,
) -> Theirs:
    r"""Return the composed loss as a PrivacyLossDistribution of dp_accounting whose curve bounds the certified one.

    From the certified ends at some of the dots :math:`\kappa_i = e^{hi}`, h = ``discretization``, as many as fix the
    curve to about ``width``, relatively:

    * pessimistic: connect the dots :math:`(\kappa_i, \text{upper}_i)`.  The true curve is convex, so it lies below
      every chord through points above it; those through the lower convex hull are kept.
    * optimistic: between two dots the true curve is not below the lines through the two dots on either side.  Connect
      the dots by way of a third one next to where these lines meet, on the lower line there.  The convex hull is lower
      yet.  The first dot is at most :math:`1 - \kappa`, and so is then the segment to it from (0, 1).

    Beyond the last dot, where delta is within ``tail`` of its limit, all is infinity mass (pessimistic) or nothing.
    The bound holds for this object as it is; ``compose`` and ``self_compose`` of dp_accounting void it, as they add
    FFT round-off and, if optimistic, truncated mass to infinity: compose here, then export.

    Parameters
    ----------
    ours : PrivacyLossDistribution
        The composed loss.
    discretization : float
        The distance h of neighbouring losses.
    pessimistic : bool
        Whether the result bounds the certified curve from above or from below.
    tail : float
        The delta beyond which losses are merged into the infinity mass, or left out.
    width : float
        The relative width to which the curve is known between its dots.

    Raises
    ------
    ParameterError
        If ``discretization`` is so small that too many points would be needed, or if no upper bound is known.

    """
    if not isinstance(ours, PrivacyLossDistribution):
        raise ParameterError("ours", "a pldcheck PrivacyLossDistribution", ours)
    step, tail = _number_below("discretization", discretization, 10.0), _number_below("tail", tail, 1.0)
    ways = [ours.forward] if ours.backward is None else [ours.forward, ours.backward]
    return Theirs(*(_export(parts, step, bool(pessimistic), tail, width) for parts in ways))


def _export(parts: Parts, step: float, pessimistic: bool, tail: float, width: float) -> pld_pmf.DensePLDPmf:
    laws = [(sides.upper if pessimistic else sides.lower, count) for sides, count in parts]
    curve = _Curve.of(laws, width)
    low, high = -curve.reach(curve.mirror, 0.0, tail), curve.reach(curve.loss, curve.infinity, tail)
    first, last = ceil(low / step) - 2, ceil(high / step) + 1
    if last - first >= MOST_DOTS:
        raise ParameterError("discretization", f"at least {(high - low) / (MOST_DOTS - 8):.2g} here", step)
    indices = np.arange(first, last + 1)
    epsilons = indices * step  # the losses as dp_accounting computes them
    knots = _knots(curve, epsilons, CLOSE * width, tail)
    # Rounding of a mass is relative to slopes, 1/step times differences of delta; each dot that the hull leaves out
    # may lie 8 units below it, relatively.
    slack = roundoff(16, 1.0 / step + indices.size)
    if pessimistic:
        places, dots = knots.places, np.minimum(knots.high * (1.0 + slack), 1.0)
    else:
        places, dots = knots.dots_below()
        dots = dots * (1.0 - slack)
    hull, masses, infinity = _convex_hull(epsilons[places].tolist(), dots.tolist())
    probs = np.zeros(epsilons.size)
    probs[places[hull]] = masses
    start, end = places[hull[0]], places[hull[-1]] + 1
    return pld_pmf.DensePLDPmf(step, int(indices[start]), probs[start:end], infinity, pessimistic)


def _knots(curve: _Curve, epsilons: np.ndarray, tolerance: float, tail: float) -> Knots:
    """Return points of the lattice, and both ends of the curve there, that fix it to about ``tolerance`` everywhere.

    Points are added until the bounds between them differ by at most ``tolerance`` of the larger of ``tail`` and the
    part of delta above 1 - kappa.
    """
    places = np.unique(np.linspace(0, epsilons.size - 1, FIRST_DOTS).astype(np.int64))
    knots = Knots(epsilons, places, *curve.ends(epsilons[places]), curve.infinity)
    while True:
        between, lower = knots.corners()
        left, right = epsilons[places[:-1]], epsilons[places[1:]]
        share = np.expm1(epsilons[between] - left) / np.expm1(right - left)
        upper = (1.0 - share) * knots.high[:-1] + share * knots.high[1:]
        # Near delta = 1 the differences that lines are made of are round-off.
        noise = np.maximum(knots.high - knots.low, roundoff(16, knots.high))
        intrinsic = -np.expm1(np.minimum(epsilons[between], 0.0))
        allowed = tolerance * np.maximum(lower - intrinsic, tail) + 4.0 * np.maximum(noise[:-1], noise[1:])
        excess = np.where(np.diff(places) > 1, (upper - lower) / allowed, 0.0)
        wide = np.flatnonzero(excess > 1.0)
        if not wide.size:
            return knots
        # The gap is quadratic where the curve is smooth; many pieces are a waste where it has a kink.
        pieces = np.minimum(np.ceil(1.1 * np.sqrt(excess[wide])), MOST_PIECES).astype(np.int64) + 1
        cuts = [
            np.arange(1, n) * (places[k + 1] - places[k]) // n + places[k] for k, n in zip(wide, pieces, strict=True)
        ]
        more = np.setdiff1d(np.concatenate(cuts), places)
        if not more.size:
            more = np.setdiff1d((places[wide] + places[wide + 1]) // 2, places)
        low_there, high_there = curve.ends(epsilons[more])
        order = np.argsort(np.concatenate([places, more]), kind="stable")
        places = np.concatenate([places, more])[order]
        low, high = np.concatenate([knots.low, low_there])[order], np.concatenate([knots.high, high_there])[order]
        knots = Knots(epsilons, places, low, high, curve.infinity)


@dataclass(frozen=True, eq=False)
class _Curve:
    r"""The curve of composed laws at all real epsilons.

    At negative epsilons it follows from the mirrored laws, those of -L under Q restricted to finite L.  If q is the
    Q-mass of finite L, then

    .. math:: \delta(-e) = 1 - q e^{-e} (1 - \delta_{-L}(e)).

    This is the identity :math:`1 - e^{-e} + e^{-e} \delta_{Q\|P}(e)`, in terms of this direction's own law.
    """

    loss: PrivacyLossDistribution
    mirror: PrivacyLossDistribution
    infinity: float
    log_mass: float
    log_error: float
    width: float

    @classmethod
    def of(cls, laws: Sequence[tuple[Law, int]], width: float) -> _Curve:
        log_finite = fsum(count * log1p(-law.infinity) for law, count in laws if isinstance(law, Atoms))
        by_law = {id(law): (LawBounds.exact(law), *_mirror(law)) for law, _ in laws}
        entries = [(*by_law[id(law)], count) for law, count in laws]
        return cls(
            loss=PrivacyLossDistribution("loss", tuple((sides, n) for sides, _, _, _, n in entries)),
            mirror=PrivacyLossDistribution("mirrored loss", tuple((sides, n) for _, sides, _, _, n in entries)),
            infinity=-expm1(log_finite),
            log_mass=fsum(n * value for _, _, value, _, n in entries),
            log_error=fsum(n * error for _, _, _, error, n in entries),
            width=width,
        )

    def reach(self, loss: PrivacyLossDistribution, infinity: float, tail: float) -> float:
        """Return an epsilon at which the finite part of delta is below ``tail``."""
        delta = infinity * (1.0 + 1e-9) + tail
        if delta >= 1.0:
            raise ParameterError("ours", "of finite loss with a probability above 0 from this side", "infinite loss")
        with np.errstate(over="ignore"):  # within 1e-12 of the largest loss an upper end may be infinite, so no bound
            return loss.epsilon(delta, self.width).upper

    def ends(self, epsilons: np.ndarray) -> tuple[Array, Array]:
        """Return lower and upper ends at increasing epsilons."""
        below, above = epsilons[epsilons < 0.0], epsilons[epsilons >= 0.0]
        mirror_delta, direct = self.mirror.delta(-below[::-1], self.width), self.loss.delta(above, self.width)
        low, high = below + self.log_mass + self.log_error, below + self.log_mass - self.log_error
        lower = np.append(-np.expm1(low) + np.exp(low) * mirror_delta.lower[::-1], direct.lower)
        upper = np.append(-np.expm1(high) + np.exp(high) * mirror_delta.upper[::-1], direct.upper)
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)


def _mirror(law: Law) -> tuple[LawBounds, float, float]:
    """Return the law of -L under Q for finite L, the logarithm of the Q-mass of finite L, and its error.

    Gaussian and Laplace losses have the same law as their mirrored losses.
    """
    if not isinstance(law, Atoms):
        return LawBounds.exact(law), 0.0, 0.0
    weights = (1.0 - law.infinity) * law.masses * np.exp(-law.losses)
    error = law.mass_error + law.loss_error + roundoff(8, 1.0 + float(np.max(np.abs(law.losses))))
    mirror_law = Atoms.of(-law.losses, weights, mass_error=2.0 * error, loss_error=law.loss_error)
    return LawBounds.exact(mirror_law), log(fsum(weights)), error


def _convex_hull(epsilons: list[float], deltas: list[float]) -> tuple[list[int], list[float], float]:
    """Return the points on the lower convex hull of (0, 1) and all points (kappa, delta), their masses, and the rest.

    The rest is the mass at infinity.
    """
    hull: list[int] = []

    def mass(before: int | None, dot: int, after: int | None) -> float:
        """Return kappa times the change of slope; ``before`` None is (0, 1), ``after`` None a level line."""
        fall = (1.0 if before is None else deltas[before]) - deltas[dot]
        gap = inf if before is None else epsilons[dot] - epsilons[before]
        rest = 0.0
        if after is not None:
            further = epsilons[after] - epsilons[dot]
            rest = (deltas[dot] - deltas[after]) * exp(-further) / -expm1(-further)
        return fall / -expm1(-gap) - rest

    for dot, delta in enumerate(deltas):
        if hull and delta > deltas[hull[-1]]:
            continue  # delta does not grow
        while hull and mass(hull[-2] if len(hull) > 1 else None, hull[-1], dot) <= 0.0:
            hull.pop()
        hull.append(dot)
    chain: list[int | None] = [None, *hull, None]
    masses = [max(mass(chain[i], dot, chain[i + 2]), 0.0) for i, dot in enumerate(hull)]
    infinity = deltas[hull[-1]]
    # The lowest mass takes the round-off of the total: it counts below the first point only.
    masses[0] = max(1.0 - fsum([*masses[1:], infinity]), 0.0)
    return hull, masses, infinity


def _number_below(name: str, value: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < most:
        raise ParameterError(name, f"above 0 and below {number_text(most)}", value)
    assert isfinite(value)
    return float(value)
