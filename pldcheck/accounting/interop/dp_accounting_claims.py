"""Privacy loss distributions of dp_accounting, read as claims.

dp_accounting gives no public access to its masses; its private names are used in ``_read`` and ``_directions`` only.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, log

import numpy as np
from dp_accounting.pld import pld_pmf
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution as Theirs

from ...core.directed import UNIT, enlarge
from ...core.errors import ParameterError
from ...pld.distribution import PrivacyLossDistribution
from ...pld.law_bounds import EVERYTHING, NOTHING, LawBounds, Parts
from ...pld.step_losses import Array, Atoms

# The error of all masses together up to which a distribution is read: the round-off of FFTs is below 1e-9.
MASS_SLACK = 1e-6
# The distance of the total mass from 1 that counts as round-off of the masses and goes to their error.
ROUND_OFF = 16 * UNIT


def from_dp_accounting(theirs: Theirs, optimistic: Theirs | None = None) -> PrivacyLossDistribution:
    """Return a claim of dp_accounting as a loss that can be composed and evaluated; it certifies nothing.

    The masses are taken as they are, so the answers are certified for these masses only.  A pessimistic distribution
    claims an upper side (the lower ends are then 0), an optimistic one a lower side (the upper ends of epsilon are then
    infinite); with both, the answers lie between them.  REMOVE becomes the forward direction, ADD the backward one.

    Masses that are no distribution are moved to the safe side, and the ``name`` of the result says how much was:

    * negative: 0 if pessimistic, else taken from the masses above;
    * missing, m in all: to infinity if pessimistic, else to the loss log m -- no event of probability m has less, on
      average, as its probability under Q is at most 1;
    * too much: the lowest are cut off if pessimistic (every privacy curve below the claimed one is below the rest,
      which is the convex hull of that and (0, 1)), else all are scaled.

    Parameters
    ----------
    theirs : PrivacyLossDistribution of dp_accounting
        A pessimistic or an optimistic distribution; it must be pessimistic if ``optimistic`` is given.
    optimistic : PrivacyLossDistribution of dp_accounting, optional
        An optimistic distribution of the same mechanism.

    Raises
    ------
    ParameterError
        If masses are not finite or are off by more than 1e-6 in all, if an infinity mass is outside [0, 1), or if both
        distributions are of the same kind; the error names the field.

    """
    sources = [theirs] if optimistic is None else [theirs, optimistic]
    claims = [_claim(one) for one in sources]
    if optimistic is not None:
        for claim, pessimistic, name in zip(claims, (True, False), ("theirs", "optimistic"), strict=True):
            if claim.pessimistic is not pessimistic:
                raise ParameterError(name, "pessimistic" if pessimistic else "optimistic", _kind(claim.pessimistic))
    ways: list[Parts] = []
    for i in range(max(len(claim.laws) for claim in claims)):
        laws = {claim.pessimistic: claim.laws[min(i, len(claim.laws) - 1)] for claim in claims}
        ways.append(((LawBounds(laws.get(True, EVERYTHING), laws.get(False, NOTHING)), 1),))
    moved_mass = max(claim.moved_mass for claim in claims)
    suffix = f", {moved_mass:.2g} of mass moved" if moved_mass > ROUND_OFF else ""
    kinds = " and ".join(_kind(claim.pessimistic) for claim in claims)
    return PrivacyLossDistribution(f"claimed by dp_accounting, {kinds}{suffix}", *ways)


@dataclass(frozen=True, eq=False)
class _Claim:
    """One law, or those for REMOVE and ADD; ``moved_mass`` is the mass that was moved to the safe side."""

    laws: tuple[Atoms, ...]
    pessimistic: bool
    moved_mass: float


@dataclass(frozen=True, eq=False)
class _Masses:
    """The masses of a distribution of dp_accounting, with ``losses`` in increasing order."""

    losses: Array
    probs: Array
    infinity: float
    pessimistic: bool


def _kind(pessimistic: bool) -> str:
    return "pessimistic" if pessimistic else "optimistic"


def _directions(theirs: Theirs) -> dict[str, pld_pmf.PLDPmf]:
    if not isinstance(theirs, Theirs):
        raise ParameterError("theirs", "a PrivacyLossDistribution of dp_accounting", theirs)
    pmfs = {"pmf_remove": theirs._pmf_remove}
    return pmfs if theirs._symmetric else {**pmfs, "pmf_add": theirs._pmf_add}


def _read(pmf: pld_pmf.PLDPmf) -> _Masses:
    if isinstance(pmf, pld_pmf.SparsePLDPmf):  # to_dense_pmf would allocate all gaps
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
    laws = [_law(name, one) for name, one in read.items()]
    return _Claim(tuple(law for law, _ in laws), kinds.pop(), max(moved_mass for _, moved_mass in laws))


def _law(name: str, source: _Masses) -> tuple[Atoms, float]:
    """Return the law, and the mass that was moved to the safe side."""
    losses, probs, infinity = source.losses, source.probs, source.infinity
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
    moved_mass = negative + abs(total - 1.0)
    losses, probs, infinity = (_upwards if source.pessimistic else _downwards)(losses, probs, infinity)
    if not (infinity < 1.0 and np.any(probs > 0.0)):
        raise ParameterError(f"{name}.probs", "positive somewhere", "all zero")
    error = UNIT * float(np.max(np.abs(losses)))
    return Atoms.of(losses, probs, infinity, mass_error=2.0 * ROUND_OFF, loss_error=error), moved_mass


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
        probs, debt = _nonnegative(probs)
        infinity = max(infinity - debt, 0.0)
    missing = 1.0 - fsum([*probs, infinity])
    if missing > ROUND_OFF:
        return np.append(log(missing), losses), np.append(missing, probs), infinity
    if missing < -ROUND_OFF:
        return losses, probs / (1.0 - missing), infinity / (1.0 - missing)
    return losses, probs, infinity


def _nonnegative(probs: Array) -> tuple[Array, float]:
    """Return the masses after the masses above have paid for negative ones, rounded down, and the debt that is left."""
    masses, debt = np.zeros(probs.size), 0.0
    for i, mass in enumerate(probs.tolist()):
        rest = mass - debt
        masses[i] = max(rest, 0.0)
        debt = enlarge(-rest, 4) if rest < 0.0 else 0.0
    return masses, debt
