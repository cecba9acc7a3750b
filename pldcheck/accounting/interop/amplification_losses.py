"""Privacy loss distributions of check-ins, random allocations and shuffled messages, from parameters of events."""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p

import numpy as np

from ...core.directed import enlarge, shrink
from ...pld import from_curve
from ...pld.curve_candidates import Candidate
from ...pld.distribution import PrivacyLossDistribution
from ...pld.loss_sides import Attained, Dominating, between
from ...protocols import CheckIn, HiddenSlot, RandomAllocation, Shuffle
from ...protocols.shuffle import OUT_OF_SIGHT, WIDTH
from ...randomizers import Gaussian, Krr, Laplace, Randomizer
from ...shuffling.message_candidates import START_DEVIATIONS
from ...shuffling.shuffle_question import ShuffledCurves
from ...shuffling.shuffled_curves import all_curves as known_of
from ...shuffling.shuffled_losses import losses as of_pair
from ...shuffling.shuffling_rounds import POINTS


def check_in(steps: int, eps0: float, check_in_prob: float, delta: float) -> PrivacyLossDistribution:
    """Return the loss of one epoch of random check-ins, for any number of clients; the lower side is that of one."""
    protocol = CheckIn(steps, eps0, check_in_prob)
    return _best_lower(HiddenSlot(protocol.steps, protocol.eps0, protocol.check_in_prob).losses(delta), delta)


def allocation(steps: int, sigma: float, selected: int, delta: float) -> PrivacyLossDistribution:
    """Return the loss of one epoch of random allocation of the Gaussian mechanism."""
    return _best_lower(RandomAllocation(steps, sigma, selected).losses(delta), delta)


def shuffled(clients: int, eps0: float, randomizer: Randomizer, delta: float) -> PrivacyLossDistribution:
    """Return the loss of one round of shuffling of randomizers with exactly this eps0."""
    return _budget_range_loss(clients, eps0, eps0, randomizer, delta)


def shuffled_response(clients: int, noise: float, buckets: int, delta: float) -> PrivacyLossDistribution:
    """Return the loss of shuffled randomized response on k buckets.

    The true bucket has probability 1 - p + p/k and each other one p/k, where p = ``noise`` is below 1.
    """
    eps0 = log1p(buckets * (1.0 - noise) / noise)
    return _budget_range_loss(clients, _budget_lower(eps0), _budget_upper(eps0), Krr(buckets), delta)


def shuffled_laplace(clients: int, scale: float, delta: float) -> PrivacyLossDistribution:
    """Return the loss of shuffled messages with Laplace noise; ``scale`` is relative to the sensitivity."""
    return _budget_range_loss(clients, _budget_lower(1.0 / scale), _budget_upper(1.0 / scale), Laplace(), delta)


def shuffled_gaussian(clients: int, sigma: float, delta: float) -> PrivacyLossDistribution:
    """Return the loss of shuffled messages with Gaussian noise, which are eps0-DP for no eps0.

    ``sigma`` is relative to the sensitivity.
    """
    return _budget_range_loss(clients, 1.0, 1.0, Gaussian(sigma), delta)


def _budget_lower(eps0: float) -> float:
    """Return a lower bound of a rounded eps0; a smaller budget is a post-processing of a larger one."""
    return shrink(eps0, 16)


def _budget_upper(eps0: float) -> float:
    return enlarge(eps0, 16)


def _budget_range_loss(
    clients: int, low: float, high: float, randomizer: Randomizer, delta: float
) -> PrivacyLossDistribution:
    """Return a dominating loss for the larger budget, with the best attained one, at ``delta``, for the smaller."""
    below, above = (_curves(clients, eps0, randomizer, delta) for eps0 in (low, high))
    lower_loss = _best_lower([of_pair(pair, reverse) for pair, reverse in below.below], delta)
    return between(Attained(lower_loss), _dominating(above))


def _dominating(shuffled_curves: ShuffledCurves) -> Dominating:
    """Return a loss from the least of all upper curves at every point, or the first pair if there are pairs only."""
    candidates = shuffled_curves.candidates
    curves = [one for one in candidates.above if one.curve]
    if not curves:
        return Dominating(of_pair(*shuffled_curves.above[0]))
    epsilons = min(one.start for one in curves) / START_DEVIATIONS * POINTS

    def bounds(one: Candidate) -> list[float]:
        if one.curve:
            return one.curve(epsilons)
        return [one.delta(epsilon).upper if epsilon < candidates.largest else 0.0 for epsilon in epsilons.tolist()]

    least = np.min([bounds(one) for one in candidates.above], axis=0)
    return Dominating(from_curve(epsilons, np.minimum(least, 1.0), symmetric=True))


def _curves(clients: int, eps0: float, randomizer: Randomizer, delta: float) -> ShuffledCurves:
    protocol = Shuffle(clients, eps0, randomizer)
    return known_of(protocol.clients, protocol.eps0, protocol.randomizer, WIDTH, OUT_OF_SIGHT * delta)


def _best_lower(losses: Sequence[PrivacyLossDistribution], delta: float) -> PrivacyLossDistribution:
    return max(losses, key=lambda loss: loss.epsilon(delta).lower)
