r"""Shuffled batches of a run whose last batch may be smaller, in one phase or in several.

**From above** the order of the records is revealed: in each epoch one batch has the record, and is released with
Gaussian noise.

**From below**, where all batches of a phase are full, :mod:`pldcheck.protocols.shuffled_batches` has the data.  Where
the last batch is smaller, it is not looked at, so that it may as well be dropped.  With probability c the record is in
a full batch in all epochs, :math:`c = \prod_i (b_i m_i / n)^{e_i}` with m_i full batches of b_i of the n records in
each of e_i epochs.  Let P_A and Q_A be the laws given that.  For the sets S below :math:`P(S) \ge c P_A(S)` and
:math:`Q(S) \le Q_A(S)`, so that

.. math:: P(S) - e^\epsilon Q(S) \ge c \big(P_A(S) - e^{\epsilon + \log(1/c)} Q_A(S)\big):

delta at epsilon is at least c times that of (P_A, Q_A) at :math:`\epsilon + \log(1/c)`.

* Others add nothing, or what the replacement adds: Q does not depend on where the record is, and S is any set.
* All others are opposite to the record, which becomes 0, and S depends on the largest output of each epoch.  Under Q an
  epoch whose record is in the last batch has a stochastically smaller largest output than one whose record is not, so
  :math:`Q(S) \le Q_A(S)` if S is increasing; and the best sets are.  For the likelihood ratio of the largest output of
  m normal variables, one of them larger by l deviations, increases in l: its density is
  :math:`G(x) \Phi(x - l) (r(x) + h(x - l))` with :math:`h = \varphi/\Phi`, :math:`G = \Phi^{m-1}` and r = (m-1) h.
  With y = x - l, the mixed derivative of its logarithm is, times (r + h)^2,

  .. math:: -h'(r + h)^2 + h^2 (1 + h') + r h \big((y + h)(x + h(x) - y - 2h) + 1\big),

  h and h' taken at y.  As :math:`h' = -h (y + h)` lies between -1 and 0, and t + h(t) increases with t, the last
  bracket is at least 1 + h', and all terms are positive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log1p
from sys import float_info

from .. import pld
from ..core.directed import enlarge, exp_upper, float_above, shrink
from ..core.interval import Interval
from ..pld import PrivacyLossDistribution
from ..protocols import RandomAllocation, ShuffledBatches
from ..protocols.shuffled_batches import LARGEST_OUTPUT, NO_SHUFFLING, OTHERS_NOTHING, OTHERS_OPPOSITE
from .training_phase import Phase, least_of_an_epoch


def answer(phases: Sequence[Phase], neighbours: str, quantity: str, at: float, width: float) -> Interval:
    """Return epsilon at a delta, or delta at an epsilon, of all phases.

    Parameters
    ----------
    phases : sequence of Phase
    neighbours : "add-remove" or "replace"
        With the first one the record's gradient is there or zero in its place.
    quantity : "epsilon" or "delta"
    at : float
        The delta, or the epsilon.
    width : float
        The relative width asked for where there is one phase of full batches.

    Returns
    -------
    Interval
        ``sources`` says which data the lower end is from.

    """
    replaced = neighbours == "replace"
    adjacency = "replace" if replaced else "zero-out"
    first = phases[0]
    if len(phases) == 1 and first.last_batch == first.batch:
        protocol = ShuffledBatches(first.batches, first.sigma, first.epochs, adjacency)
        return protocol.answer(quantity, at, width)
    noises = [(0.5 if replaced else 1.0) * phase.sigma for phase in phases]  # halving is exact
    for phase in phases:  # the noise that is too little for it is refused there
        ShuffledBatches(phase.full_batches, phase.sigma, phase.epochs, adjacency)
    known_order = pld.compose_all(
        pld.gaussian(noise).compose(phase.epochs) for noise, phase in zip(noises, phases, strict=True)
    )
    upper: Interval = getattr(known_order, quantity)(at)
    missing = _log_missing(phases)
    lowers = {
        source: _lower(loss, missing, quantity, at)
        for source, loss in _attained(phases, noises, replaced, at, quantity)
    }
    source = max(lowers, key=lowers.__getitem__)
    return replace(upper, lower=lowers[source], budget=None, sources=(source, NO_SHUFFLING))


def _attained(
    phases: Sequence[Phase], noises: Sequence[float], replaced: bool, at: float, quantity: str
) -> Iterator[tuple[str, PrivacyLossDistribution]]:
    """Yield the losses of data in full batches, one direction of each, with the names of the data."""
    least = least_of_an_epoch(at if quantity == "epsilon" else None, phases)
    runs = [
        RandomAllocation(phase.full_batches, noise, epochs=phase.epochs, adjacency="remove")
        for phase, noise in zip(phases, noises, strict=True)
    ]
    losses = pld.compose_all(run.losses(least)[0] for run in runs)
    yield OTHERS_OPPOSITE if replaced else OTHERS_NOTHING, losses if losses.is_one_way else losses.one_way
    if not replaced:
        largest = pld.largest_batch.largest_batch
        outputs = (largest(phase.full_batches, phase.sigma).compose(phase.epochs) for phase in phases)
        yield LARGEST_OUTPUT, pld.compose_all(outputs).one_way


def _log_missing(phases: Sequence[Phase]) -> float:
    """Return log(1/c) from above: of the probability that the record is in a full batch in all epochs."""
    total = 0.0
    for phase in phases:
        rest = float_above(Fraction(phase.records, phase.full_batches * phase.batch) - 1)
        total = enlarge(total + enlarge(phase.epochs * enlarge(log1p(rest), 8), 4), 4)
    return total


def _lower(loss: PrivacyLossDistribution, missing: float, quantity: str, at: float) -> float:
    """Return a lower end of the quantity, given that of the run in full batches and log(1/c)."""
    if quantity == "delta":
        found: float = loss.delta(enlarge(at + missing, 4)).lower
        share = shrink(found * exp(-missing), 16)
        return share if share >= float_info.min else 0.0  # smaller numbers are rounded by more than their last unit
    growth = exp_upper(missing, missing)
    delta = enlarge(at * growth, 4) if growth < inf else 1.0
    if delta >= 1.0:
        return 0.0
    below: float = loss.epsilon(delta).lower
    return max(shrink(below, 4) - enlarge(missing, 4), 0.0)
