r"""dp_accounting's privacy loss distributions: read as claims, written as envelopes of certified curves.

A curve is :math:`\delta(\kappa) = p_\infty + \sum_v p_v (1 - \kappa/\kappa_v)_+` at :math:`\kappa = e^\epsilon`, for
all real epsilon: composition preserves an inequality between two curves only if it holds everywhere.  A privacy curve
is convex, does not grow, is 1 at kappa = 0 and at least :math:`1 - \kappa`.

dp_accounting has no public access to its masses: all use of its private names is in ``_read`` and ``_directions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, expm1, fsum, inf, isfinite, log, log1p

import numpy as np
from dp_accounting.pld import pld_pmf
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution as Theirs

from ...core.directed import UNIT, enlarge, roundoff
from ...core.errors import ParameterError
from ...core.parameters import typed
from ...pld.distribution import WIDTH, Parts, PrivacyLossDistribution, Sided
from ...pld.step_losses import Array, Atoms, Law

# Masses may be off by as much in all: what FFTs leave behind is below 1e-9.
MASS_SLACK = 1e-6
# A total this far from 1 is round-off of the masses and goes to their error.
ROUND_OFF = 16 * UNIT
# Lattice points of an export at most.
MOST_DOTS = 2**20
# Lattice points at which the curve of an export is evaluated first.
FIRST_DOTS = 65
# Between evaluated dots the curve is known to this multiple of the width.
CLOSE = 2.0
# An interval is cut into at most so many pieces at once.
MOST_PIECES = 16

_NOTHING = Atoms(np.zeros(1), np.ones(1))
# Infinite loss.  The engine takes log(1 - infinity); of this, its outward rounding makes delta <= 1, epsilon <= inf.
_EVERYTHING = Atoms(np.zeros(1), np.ones(1), 1.0 - UNIT)


def from_dp_accounting(theirs: Theirs, optimistic: Theirs | None = None) -> PrivacyLossDistribution:
    """A claim of dp_accounting as a loss that can be composed and evaluated here; it certifies nothing.

    Their masses are taken as they are; the answers are exact for these, and as good as these.  A pessimistic
    distribution claims the upper side alone (lower ends are 0), an optimistic one the lower side (upper epsilons are
    infinite); with both, the pessimistic one first, the answers lie between them.  REMOVE is forward, ADD backward.

    Masses that are no distribution are moved to the safe side, and ``name`` says how much was:

    * negative: 0 if pessimistic, else taken from the masses above;
    * missing, m in all: to infinity if pessimistic, else to the loss log m -- no event of probability m has less, on
      average, as its probability under Q is at most 1;
    * too much: the lowest are cut off if pessimistic (every privacy curve below the claimed one is below the rest,
      which is the convex hull of that and (0, 1)), else all are scaled.

    Raises
    ------
    ParameterError
        Naming the field: masses that are not finite or off by more than 1e-6 in all, an infinity mass outside [0, 1),
        two distributions of the same kind.

    """
    given = [theirs] if optimistic is None else [theirs, optimistic]
    claims = [_claim(one) for one in given]
    if optimistic is not None:
        for claim, wanted, name in zip(claims, (True, False), ("theirs", "optimistic"), strict=True):
            if claim.pessimistic is not wanted:
                raise ParameterError(name, "pessimistic" if wanted else "optimistic", _kind(claim.pessimistic))
    ways: list[Parts] = []
    for i in range(max(len(claim.laws) for claim in claims)):
        laws = {claim.pessimistic: claim.laws[min(i, len(claim.laws) - 1)] for claim in claims}
        ways.append(((Sided(laws.get(True, _EVERYTHING), laws.get(False, _NOTHING)), 1),))
    moved = max(claim.moved for claim in claims)
    suffix = f", {moved:.2g} of mass moved" if moved > ROUND_OFF else ""
    kinds = " and ".join(_kind(claim.pessimistic) for claim in claims)
    return PrivacyLossDistribution(f"claimed by dp_accounting, {kinds}{suffix}", *ways)


def to_dp_accounting(
    ours: PrivacyLossDistribution,
    discretization: float = 1e-4,
    pessimistic: bool = True,
    *,
    tail: float = 1e-15,
    width: float = WIDTH,
) -> Theirs:
    r"""The composed loss as a PrivacyLossDistribution of dp_accounting whose curve bounds the certified one.

    From the certified ends at the dots :math:`\kappa_i = e^{hi}`, h = ``discretization`` (known to about 2 ``width``,
    relatively; evaluated where convexity does not give them):

    * pessimistic: connect the dots :math:`(\kappa_i, \text{upper}_i)`.  The true curve is convex, so it lies below
      every chord through points above it; those through the lower convex hull are kept.
    * optimistic: connect :math:`(\kappa_i, \text{lower}_{i+1})`.  Between two dots that is at most its left value,
      :math:`\text{lower}_{i+1} \le \delta(\kappa_{i+1})`, and the true curve does not grow; the convex hull is lower
      yet.  The first dot is at most :math:`1 - \kappa`, and so is then the segment to it from (0, 1).

    Beyond the last dot, where delta is within ``tail`` of its limit, all is infinity mass (pessimistic) or nothing.
    The bound holds for this object as it is; ``compose`` and ``self_compose`` of dp_accounting void it, as they add
    FFT round-off and, if optimistic, truncated mass to infinity: compose here, then export.

    Raises
    ------
    ParameterError
        If so many dots would be needed that ``discretization`` must be larger, or if no upper bound is known.

    """
    if not isinstance(ours, PrivacyLossDistribution):
        raise ParameterError("ours", "a pldcheck PrivacyLossDistribution", ours)
    step, tail = _open("discretization", discretization, 10.0), _open("tail", tail, 1.0)
    ways = [ours.forward] if ours.backward is None else [ours.forward, ours.backward]
    return Theirs(*(_exported(parts, step, bool(pessimistic), tail, width) for parts in ways))


# Reading


@dataclass(frozen=True, eq=False)
class _Claim:
    """One law, or those for REMOVE and ADD; ``moved`` is the mass that was not where it should be."""

    laws: tuple[Atoms, ...]
    pessimistic: bool
    moved: float


@dataclass(frozen=True, eq=False)
class _Masses:
    """A pmf of theirs: ``losses`` in increasing order."""

    losses: Array
    probs: Array
    infinity: float
    pessimistic: bool


def _kind(pessimistic: bool) -> str:
    return "pessimistic" if pessimistic else "optimistic"


def _directions(theirs: Theirs) -> dict[str, pld_pmf.PLDPmf]:
    if not isinstance(theirs, Theirs):
        raise ParameterError("theirs", "a PrivacyLossDistribution of dp_accounting", theirs)
    found = {"pmf_remove": theirs._pmf_remove}
    return found if theirs._symmetric else {**found, "pmf_add": theirs._pmf_add}


def _read(pmf: pld_pmf.PLDPmf) -> _Masses:
    if isinstance(pmf, pld_pmf.SparsePLDPmf):  # to_dense_pmf would fill all gaps
        indices = np.array(sorted(pmf._loss_probs), dtype=np.int64)
        probs = np.array([pmf._loss_probs[index] for index in indices.tolist()], dtype=np.float64)
    else:
        dense = pmf.to_dense_pmf()
        probs = np.array(dense._probs, dtype=np.float64)
        indices = int(dense._lower_loss) + np.arange(probs.size)
    return _Masses(indices * pmf._discretization, probs, float(pmf._infinity_mass), bool(pmf._pessimistic_estimate))


def _claim(theirs: Theirs) -> _Claim:
    read = {name: _read(pmf) for name, pmf in _directions(theirs).items()}
    kinds = {one.pessimistic for one in read.values()}
    if len(kinds) > 1:
        raise ParameterError("pmf_add", "of the same kind as pmf_remove", "pessimistic and optimistic")
    found = [_law(name, one) for name, one in read.items()]
    return _Claim(tuple(law for law, _ in found), kinds.pop(), max(moved for _, moved in found))


def _law(name: str, given: _Masses) -> tuple[Atoms, float]:
    """The law and how much mass was moved."""
    losses, probs, infinity = given.losses, given.probs, given.infinity
    if not (probs.size and np.all(np.isfinite(probs))):
        bad = float(probs[~np.isfinite(probs)][0]) if probs.size else "none"
        raise ParameterError(f"{name}.probs", "at least one finite number", bad)
    if not np.all(np.isfinite(losses)):
        raise ParameterError(f"{name}.discretization", "finite", float(losses[~np.isfinite(losses)][0]))
    if not 0.0 <= infinity < 1.0:
        raise ParameterError(f"{name}.infinity_mass", "at least 0 and below 1", infinity)
    negative = -fsum(probs[probs < 0.0])
    if negative > MASS_SLACK:
        raise ParameterError(f"{name}.probs", f"non-negative (to {MASS_SLACK:g} in all)", float(np.min(probs)))
    total = fsum([*probs, infinity])
    if abs(total - 1.0) > MASS_SLACK:
        raise ParameterError(f"{name}.probs", f"of sum 1 with infinity_mass (to {MASS_SLACK:g})", total)
    moved = negative + abs(total - 1.0)
    losses, probs, infinity = (_upwards if given.pessimistic else _downwards)(losses, probs, infinity)
    if not (infinity < 1.0 and np.any(probs > 0.0)):
        raise ParameterError(f"{name}.probs", "positive somewhere", "all zero")
    error = UNIT * float(np.max(np.abs(losses)))
    return Atoms.of(losses, probs, infinity, mass_error=2.0 * ROUND_OFF, loss_error=error), moved


def _upwards(losses: Array, probs: Array, infinity: float) -> tuple[Array, Array, float]:
    probs = np.maximum(probs, 0.0)
    missing = 1.0 - fsum([*probs, infinity])
    if missing > ROUND_OFF:
        return losses, probs, infinity + missing
    if missing < -ROUND_OFF:
        probs = np.minimum(probs, np.maximum(np.cumsum(probs) + missing, 0.0))
    return losses, probs, infinity


def _downwards(losses: Array, probs: Array, infinity: float) -> tuple[Array, Array, float]:
    if np.any(probs < 0.0):
        probs, debt = _paid(probs)
        infinity = max(infinity - debt, 0.0)
    missing = 1.0 - fsum([*probs, infinity])
    if missing > ROUND_OFF:
        return np.append(log(missing), losses), np.append(missing, probs), infinity
    if missing < -ROUND_OFF:
        return losses, probs / (1.0 - missing), infinity / (1.0 - missing)
    return losses, probs, infinity


def _paid(probs: Array) -> tuple[Array, float]:
    """Negative masses made up by those above them, rounded down; and what these could not pay."""
    paid, debt = np.zeros(probs.size), 0.0
    for i, mass in enumerate(probs.tolist()):
        left = mass - debt
        paid[i] = max(left, 0.0)
        debt = enlarge(-left, 4) if left < 0.0 else 0.0
    return paid, debt


# Writing


def _exported(parts: Parts, step: float, pessimistic: bool, tail: float, width: float) -> pld_pmf.DensePLDPmf:
    laws = [(sided.upper if pessimistic else sided.lower, count) for sided, count in parts]
    curve = _Curve.of(laws, width)
    low, high = -curve.reach(curve.mirrored, 0.0, tail), curve.reach(curve.loss, curve.infinity, tail)
    first, last = ceil(low / step) - 2, ceil(high / step) + 1
    if last - first >= MOST_DOTS:
        raise ParameterError("discretization", f"at least {(high - low) / (MOST_DOTS - 8):.2g} here", step)
    indices = np.arange(first, last + 1)
    epsilons = indices * step  # the losses as dp_accounting computes them
    lower, upper = _filled(curve, epsilons, CLOSE * width, tail)
    # Rounding of a mass is relative to slopes, 1/step times differences of delta; each dot that the hull leaves out
    # may lie 8 units below it, relatively.
    slack = roundoff(16, 1.0 / step + indices.size)
    if pessimistic:
        dots = np.minimum(upper * (1.0 + slack), 1.0)
    else:
        dots = lower[1:] * (1.0 - slack)
        epsilons = epsilons[:-1]
        dots[0] = min(dots[0], -expm1(min(epsilons[0], 0.0)))
    kept, masses, infinity = _connected(epsilons.tolist(), dots.tolist())
    probs = np.zeros(epsilons.size)
    probs[kept] = masses
    start, end = kept[0], kept[-1] + 1
    return pld_pmf.DensePLDPmf(step, int(indices[start]), probs[start:end], infinity, pessimistic)


def _filled(curve: _Curve, epsilons: np.ndarray, tolerance: float, tail: float) -> tuple[Array, Array]:
    """Both ends on the whole lattice, evaluated only where convexity does not give them from other dots.

    From above: the chord; from below: what lies beyond two dots is above the line through them, and delta does not
    grow.  Refined until these are apart by no more than ``tolerance`` of what delta has above 1 - kappa and ``tail``.
    """
    known = np.unique(np.linspace(0, epsilons.size - 1, FIRST_DOTS).astype(np.int64))
    low, high = curve.ends(epsilons[known])
    every = np.arange(epsilons.size)
    intrinsic = -np.expm1(np.minimum(epsilons, 0.0))
    while True:
        left = np.minimum(np.searchsorted(known, every, "right") - 1, known.size - 2)
        right = left + 1
        i, j = known[left], known[right]
        share = np.expm1(epsilons - epsilons[i]) / np.expm1(epsilons[j] - epsilons[i])
        upper = (1.0 - share) * high[left] + share * high[right] + roundoff(8, high[left])
        lower = low[right].copy()
        for far, near, has in ((left - 1, left, left > 0), (right + 1, right, right < known.size - 1)):
            a, b, e = epsilons[known[far[has]]], epsilons[known[near[has]]], epsilons[has]
            change = (low[near[has]] - high[far[has]]) * np.expm1(e - b) / -np.expm1(a - b)
            rounding = roundoff(8, low[near[has]] + np.abs(change))
            lower[has] = np.maximum(lower[has], low[near[has]] + change - rounding)
        lower[known], upper[known] = low, high
        noise = np.maximum((high - low)[left], (high - low)[right])
        ratio = (upper - lower) / (tolerance * np.maximum(lower - intrinsic, tail) + 4.0 * noise)
        ratio[known] = 0.0
        worst = np.maximum.reduceat(ratio, known[:-1])
        wide = np.flatnonzero(worst > 1.0)
        if not wide.size:
            return np.maximum(lower, 0.0), np.minimum(upper, 1.0)
        # The gap is quadratic where the curve is smooth; many pieces are a waste where it has a kink.
        pieces = np.minimum(np.ceil(1.2 * np.sqrt(worst[wide])), MOST_PIECES).astype(np.int64) + 1
        cuts = [np.arange(1, n) * (known[k + 1] - known[k]) // n + known[k] for k, n in zip(wide, pieces, strict=True)]
        more = np.setdiff1d(np.concatenate(cuts), known)
        low_there, high_there = curve.ends(epsilons[more])
        order = np.argsort(np.concatenate([known, more]), kind="stable")
        known = np.concatenate([known, more])[order]
        low, high = np.concatenate([low, low_there])[order], np.concatenate([high, high_there])[order]


@dataclass(frozen=True, eq=False)
class _Curve:
    r"""The curve of composed laws on the whole line.

    At negative epsilons from the mirrored laws, -L under Q restricted to where L is finite: with Q's mass there q,

    .. math:: \delta(-e) = 1 - q e^{-e} (1 - \delta_{-L}(e)).

    That is the identity :math:`1 - e^{-e} + e^{-e} \delta_{Q\|P}(e)`, but of this direction's own law.
    """

    loss: PrivacyLossDistribution
    mirrored: PrivacyLossDistribution
    infinity: float
    log_mass: float
    log_error: float
    width: float

    @classmethod
    def of(cls, laws: Sequence[tuple[Law, int]], width: float) -> _Curve:
        log_finite = fsum(count * log1p(-law.infinity) for law, count in laws if isinstance(law, Atoms))
        seen = {id(law): (Sided.exact(law), *_mirrored(law)) for law, _ in laws}
        found = [(*seen[id(law)], count) for law, count in laws]
        return cls(
            loss=PrivacyLossDistribution("loss", tuple((sided, n) for sided, _, _, _, n in found)),
            mirrored=PrivacyLossDistribution("mirrored loss", tuple((sided, n) for _, sided, _, _, n in found)),
            infinity=-expm1(log_finite),
            log_mass=fsum(n * value for _, _, value, _, n in found),
            log_error=fsum(n * error for _, _, _, error, n in found),
            width=width,
        )

    def reach(self, loss: PrivacyLossDistribution, infinity: float, tail: float) -> float:
        """Where the finite part of delta falls below ``tail``."""
        delta = infinity * (1.0 + 1e-9) + tail
        if delta >= 1.0:
            raise ParameterError("ours", "of finite loss with a probability above 0 from this side", "infinite loss")
        with np.errstate(over="ignore"):  # within 1e-12 of the largest loss an upper end may be infinite, so no bound
            return loss.epsilon(delta, self.width).upper

    def ends(self, epsilons: np.ndarray) -> tuple[Array, Array]:
        """Lower and upper ends at increasing epsilons."""
        below, above = epsilons[epsilons < 0.0], epsilons[epsilons >= 0.0]
        mirrored, found = self.mirrored.delta(-below[::-1], self.width), self.loss.delta(above, self.width)
        low, high = below + self.log_mass + self.log_error, below + self.log_mass - self.log_error
        lower = np.append(-np.expm1(low) + np.exp(low) * mirrored.lower[::-1], found.lower)
        upper = np.append(-np.expm1(high) + np.exp(high) * mirrored.upper[::-1], found.upper)
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)


def _mirrored(law: Law) -> tuple[Sided, float, float]:
    """-L under Q where L is finite, log of Q's mass there, and its error; Gaussian and Laplace losses are alike."""
    if not isinstance(law, Atoms):
        return Sided.exact(law), 0.0, 0.0
    weights = (1.0 - law.infinity) * law.masses * np.exp(-law.losses)
    error = law.mass_error + law.loss_error + roundoff(8, 1.0 + float(np.max(np.abs(law.losses))))
    mirrored = Atoms.of(-law.losses, weights, mass_error=2.0 * error, loss_error=law.loss_error)
    return Sided.exact(mirrored), log(fsum(weights)), error


def _connected(epsilons: list[float], deltas: list[float]) -> tuple[list[int], list[float], float]:
    """Dots on the lower convex hull, with (kappa, delta) = (0, 1) before them; their masses, and that at infinity."""
    kept: list[int] = []

    def mass(before: int | None, dot: int, after: int | None) -> float:
        """Kappa times the change of slope; ``before`` None is (0, 1), ``after`` None is level."""
        fall = (1.0 if before is None else deltas[before]) - deltas[dot]
        gap = inf if before is None else epsilons[dot] - epsilons[before]
        rest = 0.0
        if after is not None:
            further = epsilons[after] - epsilons[dot]
            rest = (deltas[dot] - deltas[after]) * exp(-further) / -expm1(-further)
        return fall / -expm1(-gap) - rest

    for dot, delta in enumerate(deltas):
        if kept and delta > deltas[kept[-1]]:
            continue  # delta does not grow
        while kept and mass(kept[-2] if len(kept) > 1 else None, kept[-1], dot) <= 0.0:
            kept.pop()
        kept.append(dot)
    chain: list[int | None] = [None, *kept, None]
    masses = [max(mass(chain[i], dot, chain[i + 2]), 0.0) for i, dot in enumerate(kept)]
    infinity = deltas[kept[-1]]
    # Where the total is not 1 by round-off, the lowest mass is: it counts below the first dot only.
    masses[0] = max(1.0 - fsum([*masses[1:], infinity]), 0.0)
    return kept, masses, infinity


def _open(name: str, value: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < most:
        raise ParameterError(name, f"above 0 and below {typed(most)}", value)
    assert isfinite(value)
    return float(value)
