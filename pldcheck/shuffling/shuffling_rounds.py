"""Rounds of shuffling: losses of the dominating and of the attained pairs, composed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from math import inf
from operator import itemgetter

import numpy as np

from .. import pld
from ..core.interval import Interval
from ..pld import PrivacyLossDistribution
from ..pld.curve_candidates import Candidate
from .message_candidates import START_DEVIATIONS
from .shuffle_question import ShuffledCurves
from .shuffled_losses import losses
from .three_symbol_pair import Pair

# Name of the upper bound by the largest loss of one message in each round.
MESSAGES_ALONE = "the record's message of each round alone"
# The words for the record that all slots hold: "the slot's own record at 0", "the slot's own input 0".
OWN = re.compile("the slot's own( record at)?")
# The words for it in a shuffle.
OTHERS = "all other records at"
# Points of a privacy curve that is not that of a pair with three symbols, in deviations: dense where a composition
# looks, and up to where nothing is left.
POINTS = np.concatenate([np.arange(0.0, 3.0, 0.1), np.arange(3.0, 7.0, 0.25), np.arange(7.0, 15.0, 1.0)])


@lru_cache(maxsize=16)
def pair_loss(pair: Pair, reverse: Pair | None) -> PrivacyLossDistribution:
    """Return the loss of a pair of one round."""
    return losses(pair, reverse)


def other_records(name: str) -> str:
    """Return the name of data of slots in the words of shuffles."""
    return OWN.sub(OTHERS, name)


def answer(
    curves: ShuffledCurves,
    rounds: int,
    ask: Callable[[PrivacyLossDistribution], Interval],
    single_round: Interval,
) -> Interval:
    """Return the epsilon or delta of composed rounds.

    ``single_round`` is the interval of one round; more rounds have no less.
    """
    above = [(pair.name, ask(pair_loss(pair, reverse).compose(rounds))) for pair, reverse in curves.above]
    largest = curves.candidates.largest
    above += [(one.name, ask(_curve(one, largest).compose(rounds))) for one in curves.candidates.above if one.curve]
    if largest < inf:  # the bound by one message in each round
        above.append((MESSAGES_ALONE, ask(pld.randomized_response(largest).compose(rounds))))
    below = [(pair.name, ask(pair_loss(pair, reverse).compose(rounds)).lower) for pair, reverse in curves.below]
    if curves.attained is not None:
        attained = [(other_records(one.name), one) for one in curves.attained()]
        below += [(name, one.lower(lambda loss: ask(loss.compose(rounds)))) for name, one in attained]
    # Its lower end is zero beyond the largest loss, and has no source.
    name = f"{single_round.sources[0]}, in a single round" if single_round.sources else "a single round"
    below.append((name, single_round.lower))
    (upper_source, high), (lower_source, low) = (
        min(above, key=lambda one: one[1].upper),
        max(below, key=itemgetter(1)),
    )
    return Interval(low, high.upper, high.quantity, high.budget, None, (lower_source, upper_source))


def _curve(one: Candidate, largest: float) -> PrivacyLossDistribution:
    """Return a loss that dominates a candidate's privacy profile, formed from points on it."""
    assert one.curve is not None
    epsilons = one.start / START_DEVIATIONS * POINTS
    if epsilons[-1] >= largest:  # delta is zero beyond it
        epsilons = np.append(largest * POINTS[:-1] / POINTS[-1], largest)
    return pld.from_curve(epsilons, [min(delta, 1.0) for delta in one.curve(epsilons)], symmetric=True)
