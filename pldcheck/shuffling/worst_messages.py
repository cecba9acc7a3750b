"""Candidates for shuffled messages of the worst randomizers there are."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..core.directed import Ends
from ..core.interval import Interval
from ..hidden_slot.worst import worst_intervals
from ..hidden_slot.worst.slot_problem import Slot
from ..pld.curve_candidates import Candidate, Candidates
from . import one_client_fewer, one_message
from . import three_symbol_pair as pairs
from .message_candidates import START_DEVIATIONS, pair_candidate
from .shuffle_question import ADAPTIVE, Question, ShuffledCurves, candidate_of_one_message, candidates_of_one_client

# Clients up to which the hidden slot's adaptive policies are tried; with more clients they gain less than they cost.
MOST_POLICIES = 2048
# Name of the upper bound by a hidden slot.
ONE_FEWER = "the proven reduction to a hidden slot with n − 1 clients (pldcheck show one-client-fewer)"
# Relative width asked of the adaptive policies.
POLICY_WIDTH = 0.01


def messages_of_worst(question: Question) -> ShuffledCurves:
    """Return the candidates of the worst randomizers with the budget of ``question``."""
    n, eps0 = question.n, question.eps0
    upper, third = pairs.stronger_clones(n, eps0), pairs.response_third(n, eps0, 3)
    single = candidate_of_one_message(one_message.response(eps0), eps0)
    candidates = Candidates(
        [pair_candidate(upper), *one_client_fewer_candidates(n, eps0)], worst_others_alike(n, eps0), eps0, single
    )
    return ShuffledCurves(candidates, [(upper, None)], [(third, None), pairs.response_same(n, eps0, 2)])


def candidates_without_adaptation(n: int, eps0: float) -> Candidates:
    """Return the candidates of shuffling whose randomizers do not adapt within a slot: no adaptive policies."""
    single = candidate_of_one_message(one_message.response(eps0), eps0)
    candidates = Candidates(
        [pair_candidate(pairs.stronger_clones(n, eps0)), *one_client_fewer_candidates(n, eps0)],
        others_alike(n, eps0),
        eps0,
        single,
    )
    return candidates if n > 1 else candidates_of_one_client(candidates)


def one_client_fewer_candidates(n: int, eps0: float) -> list[Candidate]:
    """Return the hidden slot of one client fewer as a candidate, where it may improve the bound."""
    bound = one_client_fewer.Bound(n, eps0)
    if n < one_client_fewer.FEWEST_CLIENTS or eps0 > one_client_fewer.LARGEST_EPS0:
        return []
    start = START_DEVIATIONS * pairs.stronger_clones(n, eps0).deviation
    return [Candidate(ONE_FEWER, bound.delta, bound.epsilon, None, start, bound.curve)]


def worst_others_alike(n: int, eps0: float, most_policies: int = MOST_POLICIES) -> list[Candidate]:
    """Return lower candidates where all other records are equal: each is one hidden slot.

    They equal the record, its replacement, or a third value; up to ``most_policies`` clients, randomizers may adapt.
    """
    below = others_alike(n, eps0)
    if n <= most_policies:
        below.append(_hidden_slot(n, eps0))
    return below


def others_alike(n: int, eps0: float) -> list[Candidate]:
    """Return lower candidates where all other records are equal and the randomizers do not adapt."""
    selection = [pairs.response_third(n, eps0, 3), *pairs.response_same(n, eps0, 2), *pairs.response_same(n, eps0, 3)]
    return [pair_candidate(pair) for pair in selection]


def _hidden_slot(n: int, eps0: float) -> Candidate:
    """Return the lower candidate where all others are equal and randomizers adapt to the outputs so far."""
    slot = Slot(n, eps0, 1.0)

    @cache
    def at_epsilon(epsilon: float) -> Interval:
        return worst_intervals.delta(slot, "replace", epsilon, POLICY_WIDTH)

    @cache
    def at_delta(delta: float) -> Interval:
        return worst_intervals.epsilon(slot, "replace", delta, POLICY_WIDTH)

    def delta(epsilon: float) -> Ends:
        interval = at_epsilon(epsilon)
        return Ends(interval.lower, interval.upper, 0.0, 0.0)

    def epsilon(delta: float) -> tuple[float, float, Ends]:
        interval = at_delta(delta)
        return interval.lower, interval.upper, Ends(0.0, delta, 0.0, 0.0)

    def witness(quantity: str, argument: float) -> dict[str, Any]:
        return dict((at_delta if quantity == "epsilon" else at_epsilon)(argument).witness or {})

    return Candidate(ADAPTIVE, delta, epsilon, witness)
