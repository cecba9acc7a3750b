r"""The Gaussian mechanism on Poisson samples of which at most so many records are used.

Each record is in the sample with probability q; of a sample of more than B records a random part of B is used, and one
record is there or not, besides n others.  Vectors have length at most 1, and the noise is N(0, sigma^2).

**From above**, reveal whether B or more of the others are in the sample: if not, which ones, and if so, a random part
of B of them; all this has the same law whether the record is there or not.  Below B the record only adds itself with
probability q, as in a Poisson sample.  From B on it is used with some probability r, and then takes the place of a
random one of that part, which moves the sum by at most 2: curves are convex in the first law, so that this is at most a
Poisson sample of the rate r at half the noise.  With N others in the sample the record is used with probability
q B/(N + 1), so that r is the second term below over P(N >= B).  So the loss is that of the one with probability
P(N < B), and else of the other.  This holds given all earlier outputs, so that losses add up.

**From below**, let all others add nothing.  Then the record is used with the probability

.. math:: q\,P(\mathrm{Bin}(n, q) < B) + \frac{B}{n+1}\,P(\mathrm{Bin}(n+1, q) > B),

and that is a Poisson sample of this rate: for N >= B the terms of q B/(N + 1) are those of one trial more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..core.directed import Ends, enlarge, roundoff, shrink
from ..core.errors import ParameterError
from ..core.parameters import parse
from ..kernels.binomial_tails import upper_tail
from .distribution import PrivacyLossDistribution
from .law_bounds import CutBounds, LawBounds
from .pair_cells import Cells
from .sampled_mechanisms import LARGEST_MU, sampled_gaussian_cells, subsampled_gaussian
from .step_losses import Atoms

# A pair that is cut into so many cells, or into the finest ones.
Cut = Callable[[int | None], Cells]
# The least probability of a cut that is computed with: a smaller one is raised to it.
NEGLIGIBLE = 1e-280
# The largest rate of samples that are cut: next to 1 nothing of the probability of no cut would be known.
LARGEST_RATE = 0.999
# The share of records times rate that a largest batch must have: their product is rounded.
LIMIT_SLACK = 1.0 - 1e-9
# Masses below all numbers that are lost in products.
LOST = 1e-300
# The round-offs of the chance to be used, of products, quotients and sums of a few numbers.
CHANCE_UNITS = 16.0


def truncated_gaussian(sigma: float, rate: float, records: int, largest_batch: int) -> PrivacyLossDistribution:
    """Return what is known of the Gaussian mechanism on a cut Poisson sample, for a record that is added or removed.

    Parameters
    ----------
    sigma : float
        The standard deviation of the noise over the largest length of what one record adds; at least 0.05.
    rate : float
    records : int
        The number of records besides the one that is there or not.
    largest_batch : int
        The most records of a sample that are used; at least ``records`` times ``rate``.

    Raises
    ------
    ParameterError
        If a number is out of its range.

    """
    values = parse(sigma=sigma, rate=rate, records=records, largest_batch=largest_batch)
    sigma, rate = float(values["sigma"]), float(values["rate"])
    records, largest_batch = int(values["records"]), int(values["largest_batch"])
    plain = subsampled_gaussian(sigma, rate)  # refuses what has no cells
    if largest_batch > records:  # no sample is cut
        return plain
    if not records * rate * LIMIT_SLACK <= largest_batch:
        raise ParameterError("largest_batch", f"at least records * rate = {records * rate:g}", largest_batch)
    if sigma < 2.0 / LARGEST_MU:
        raise ParameterError("sigma", f"at least {2.0 / LARGEST_MU:g} on samples that are cut", sigma)
    if rate > LARGEST_RATE:
        raise ParameterError("rate", f"at most {LARGEST_RATE:g} for samples that are cut", rate)
    cut, used = _tail(records, rate, largest_batch), _used_chance(records, rate, largest_batch)
    rate_in_cut = min(enlarge(_used_in_cut(records, rate, largest_batch).upper / max(cut.lower, LOST), 4), rate)
    pairs = (
        partial(sampled_gaussian_cells, sigma, rate),
        partial(sampled_gaussian_cells, 0.5 * sigma, rate_in_cut),  # halving is exact
        partial(sampled_gaussian_cells, sigma, used),
    )
    name = f"Gaussian ({sigma:g}) sampled at {rate:g}, at most {largest_batch} of {records} records"
    bounds = [CutBounds(partial(_bounds, pairs, cut, backward)) for backward in (False, True)]
    return PrivacyLossDistribution(name, ((bounds[0], 1),), ((bounds[1], 1),))


def _used_chance(records: int, rate: float, largest_batch: int) -> float:
    """Return a lower bound of the probability that the record is used."""
    in_full = rate * max(1.0 - _tail(records, rate, largest_batch).upper, 0.0)
    return shrink(in_full + _used_in_cut(records, rate, largest_batch).lower, CHANCE_UNITS)


def _used_in_cut(records: int, rate: float, largest_batch: int) -> Ends:
    """Return bounds of the probability that a sample is cut and the record is used."""
    share, tail = largest_batch / (records + 1.0), _tail(records + 1, rate, largest_batch + 1)
    return Ends(shrink(share * tail.lower, 4), enlarge(share * tail.upper, 4), 0.0, 0.0)


def _tail(trials: int, rate: float, least: int) -> Ends:
    """Return bounds of P(Bin(trials, rate) >= least)."""
    tail, _, relative, rest = upper_tail(trials, rate, 1.0 - rate, rate / (1.0 - rate), float(least))
    low, high = tail * (1.0 - relative), tail * (1.0 + relative) + rest
    return Ends(shrink(low, 4), min(enlarge(high, 4), 1.0), 0.0, 0.0)


def _bounds(pairs: tuple[Cut, Cut, Cut], cut: Ends, backward: bool, count: int | None) -> LawBounds:
    """Return the mixture of the first two pairs from above, and the third one from below."""
    cells = [make(count).reversed if backward else make(count) for make in pairs]
    plain, rate_in_cut, used = (one.law_bounds() for one in cells)
    assert isinstance(plain.upper, Atoms) and isinstance(rate_in_cut.upper, Atoms)
    return LawBounds(_mixture(plain.upper, rate_in_cut.upper, cut), used.lower)


def _mixture(plain: Atoms, other: Atoms, cut: Ends) -> Atoms:
    """Return the law that is ``other`` with a probability in ``cut``, else ``plain``."""
    # Weights within their relative error; where a cut is unlikely, its weight is raised, and nothing is taken away.
    weight, rest = max(cut.upper, NEGLIGIBLE), 1.0 - cut.upper
    doubt = max(cut.upper / cut.lower - 1.0, (cut.upper - cut.lower) / rest) if cut.upper >= NEGLIGIBLE else 0.0
    losses = np.concatenate([plain.losses, other.losses])
    masses = np.concatenate([rest * plain.masses, weight * other.masses])
    order = np.argsort(losses, kind="stable")
    return Atoms.of(
        losses[order],
        masses[order],
        mass_error=max(plain.mass_error, other.mass_error) + enlarge(doubt, 8) + roundoff(8),
        loss_error=max(plain.loss_error, other.loss_error),
        largest_order=min(plain.largest_order, other.largest_order),
        cut=plain.cut + other.cut + LOST,
    )
