"""Renyi divergences of shuffled messages, in one round or in several.

From above the divergence of a dominating pair, or the moment of the privacy profile that all bounds together give
(:mod:`pldcheck.pld.renyi_of_profile`); from below the divergences of attained pairs.  Divergences of rounds add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from .. import pld
from ..core.directed import enlarge, shrink
from ..core.interval import Interval
from ..pld import renyi_of_profile
from ..pld.curve_candidates import Candidate, Candidates
from . import known_client_fewer, noise_client_fewer, worst_messages
from .shuffle_question import ONE_MESSAGE, ShuffledCurves
from .shuffling_rounds import other_records, pair_loss

# Relative width that the choice of points may add: little beside what most bounds are apart.
POINTS_WIDTH = 0.005
# Relative width that is asked of each point: no costlier bound is tried within it.
WIDTH_OF_POINT = 0.05
# The deltas for which curves are computed, the later ones for noise whose loss has no largest value.
LEAST_DELTAS = 1e-15, 1e-25, 1e-40, 1e-60
# The name of the lower bound 0, of tables with probabilities that slots do not serve.
NOTHING = "no data whose divergence is computed"
# The name of the upper bound by the profile.
PROFILE = "the moment of the privacy profile that all bounds give"


def renyi(
    curves_for: Callable[[float], ShuffledCurves], rounds: int, order: float, width: float, rho: float
) -> Interval:
    """Return the Renyi divergence of an order.

    Parameters
    ----------
    curves_for : function
        The bounds of one round, for deltas of about its argument.
    rounds : int
        The number of rounds.
    order : float
        The order, above 1.
    width : float
        Relative width that is enough: the profile is not asked where pairs alone reach it.
    rho : float
        A number with D_beta <= rho beta for one message; infinite where its loss has a largest value.

    """
    curves = curves_for(LEAST_DELTAS[0])
    below = [(pair.name, pair_loss(pair, reverse).renyi(order).lower) for pair, reverse in curves.below]
    if curves.attained is not None:
        below += [(other_records(one.name), one.lower(lambda loss: loss.renyi(order))) for one in curves.attained()]
    source, lower = max(below, key=lambda one: one[1], default=(NOTHING, 0.0))
    above = [(pair.name, pair_loss(pair, reverse).renyi(order).upper) for pair, reverse in curves.above]
    largest = curves.candidates.largest
    if largest < inf:
        above.append((ONE_MESSAGE, pld.randomized_response(largest).renyi(order).upper))
    if rho < inf:
        above.append((ONE_MESSAGE, enlarge(rho * order, 2)))
    if min(upper for _, upper in above) > lower * (1.0 + width):
        above.append(
            (
                PROFILE,
                renyi_of_profile.upper_end(
                    _profile(curves_for, LEAST_DELTAS[: 1 if rho == inf else None]),
                    order,
                    POINTS_WIDTH,
                    lower,
                    largest,
                    rho,
                    _finer(curves.candidates),
                ),
            )
        )
    reason, upper = min(above, key=lambda one: one[1])
    low, high = shrink(rounds * lower, 2), enlarge(rounds * upper, 2)
    return Interval(low, high, "renyi", None, None, (source, reason))


def _profile(curves_for: Callable[[float], ShuffledCurves], leasts: tuple[float, ...]) -> Callable[[float], float]:
    """Return upper bounds of delta; where one is as small as what its curves leave out, finer ones are asked."""
    levels: dict[float, Candidates] = {}

    def at(epsilon: float) -> float:
        best = 1.0
        for least in leasts:
            if least not in levels:
                candidates = curves_for(least).candidates
                levels[least] = replace(candidates, above=[one for one in candidates.above if not _costs_much(one)])
            best = min(best, levels[least].delta(epsilon, WIDTH_OF_POINT).upper)
            if best > least:
                break
        return best

    return at


def _finer(candidates: Candidates) -> Callable[[list[float]], list[float]] | None:
    """Return the bounds that cost much, at many epsilons together; None where there are none."""
    curves = [one.curve for one in candidates.above if _costs_much(one) and one.curve is not None]
    if not curves:
        return None
    return lambda epsilons: np.min([curve(np.array(epsilons)) for curve in curves], axis=0).tolist()


def _costs_much(one: Candidate) -> bool:
    return one.name in {worst_messages.ONE_FEWER, known_client_fewer.NAME, noise_client_fewer.NAME}
