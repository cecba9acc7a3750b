"""Upper and lower candidates for shuffled messages, for each kind of randomizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import cache, lru_cache, singledispatch
from math import inf, log
from typing import Any

from ..core.directed import UNIT, Ends
from ..core.errors import ParameterError
from ..core.interval import UNDERFLOW, Interval
from ..hidden_slot.worst import worst_intervals
from ..hidden_slot.worst.slot_problem import Slot
from ..kernels.two_coin_sums import worst_split
from ..pld.curve_candidates import Candidate, Candidates
from ..pld.gain_stoploss import TOLERANCE
from ..pld.step_losses import Array
from ..randomizers import Finite, Gaussian, Laplace, Narrow, Randomizer, Response, Worst
from ..randomizers.finite import budget
from ..randomizers.gaussian import LEAST_SHUFFLED
from ..randomizers.randomizer_text import IN_SHUFFLES, forms
from . import message_randomizers, one_client_fewer
from . import one_message as alone
from . import three_symbol_pair as pairs
from .message_candidates import START, lower_candidate, pair_candidate, upper_candidate
from .message_randomizers import Known
from .three_symbol_pair import Pair

# Clients up to which the hidden slot's adaptive policies are tried; with more clients they gain less than they cost.
MOST_POLICIES = 2048
# Names of upper bounds.
ONE_FEWER = "reduction to a hidden slot with n − 1 clients"
ONE_MESSAGE = "the record's message alone, without the others to hide it"
# Name of the lower bound whose randomizers adapt.
ADAPTIVE = "all other records alike, with adaptive randomizers"
# Relative width asked of the adaptive policies.
POLICY_WIDTH = 0.01
# Clients up to which binary randomized response is computed for all numbers of others on either value, O(n^1.5).
MOST_SPLIT = 10_000


@dataclass(frozen=True)
class Shuffled:
    """The candidates, and the pairs among them whose losses can be composed, each with its reverse."""

    candidates: Candidates
    above: Sequence[tuple[Pair, Pair | None]]
    below: Sequence[tuple[Pair, Pair | None]]


@dataclass(frozen=True)
class Asked:
    """A question: n messages of eps0-DP randomizers.

    ``width``: the relative width asked of inversions.  Deltas far below ``least`` need not be accurate.
    """

    n: int
    eps0: float
    width: float = TOLERANCE
    least: float = 1e-15


def shuffled(n: int, eps0: float, randomizer: Randomizer, width: float = TOLERANCE, least: float = 1e-15) -> Shuffled:
    """Return all candidates and composable pairs for n shuffled messages of a randomizer.

    ``width`` is the relative width asked of inversions; deltas far below ``least`` need not be accurate.
    """
    found = messages_of(randomizer, Asked(n, eps0, width, least))
    return found if n > 1 else replace(found, candidates=_single(found.candidates))


@singledispatch
def messages_of(randomizer: Randomizer, asked: Asked) -> Shuffled:
    """Return the candidates of one kind of randomizer; raise ParameterError where there are none."""
    raise ParameterError("randomizer", forms(IN_SHUFFLES), str(randomizer))


def _single(candidates: Candidates) -> Candidates:
    """Return the candidates of one client in closed form; the witness is the pair that reveals most."""
    single = candidates.alone
    assert single is not None
    pairs_of_laws = [one for one in candidates.below if one.name != ADAPTIVE]

    def witness(quantity: str, at: float) -> dict[str, Any]:
        best = max(pairs_of_laws, key=lambda one: one.delta(at if quantity == "delta" else 0.0).lower)
        return best.witness(quantity, at) if best.witness else {}

    return replace(candidates, above=[single], below=[replace(single, witness=witness)])


def one_message(curve: alone.Curve, largest: float, deviation: float = 0.1) -> Candidate:
    """Return the curve of one message as a candidate; ``deviation`` of its loss is used if it has no largest value."""

    def many(epsilons: Array) -> list[float]:
        return [curve(epsilon).upper for epsilon in epsilons.tolist()]

    start = START * deviation if largest == inf else 0.5 * min(largest, 1.0)
    return Candidate(ONE_MESSAGE, curve, start=start, curve=many)


@messages_of.register(Worst)
def _worst(_: Worst, asked: Asked) -> Shuffled:
    n, eps0 = asked.n, asked.eps0
    upper, third = pairs.stronger_clones(n, eps0), pairs.response_third(n, eps0, 3)
    single = one_message(alone.response(eps0), eps0)
    candidates = Candidates([pair_candidate(upper), *_guessed(n, eps0)], worst_others_alike(n, eps0), eps0, single)
    return Shuffled(candidates, [(upper, None)], [(third, None), pairs.response_same(n, eps0, 2)])


def averaged(n: int, eps0: float) -> Candidates:
    """Return the candidates of shuffling whose randomizers do not adapt within a slot: no adaptive policies."""
    single = one_message(alone.response(eps0), eps0)
    found = Candidates(
        [pair_candidate(pairs.stronger_clones(n, eps0)), *_guessed(n, eps0)], alike(n, eps0), eps0, single
    )
    return found if n > 1 else _single(found)


def _guessed(n: int, eps0: float) -> list[Candidate]:
    """Return the hidden slot of one client fewer as a candidate, where it may improve the bound."""
    bound = one_client_fewer.Bound(n, eps0)
    if n < one_client_fewer.FEWEST or eps0 > one_client_fewer.LARGEST:
        return []
    start = START * pairs.stronger_clones(n, eps0).deviation
    return [Candidate(ONE_FEWER, bound.delta, bound.epsilon, None, start, bound.curve)]


def worst_others_alike(n: int, eps0: float) -> list[Candidate]:
    """Return lower candidates where all other records are equal: each is one hidden slot.

    They equal the record, its replacement, or a third value; randomizers may adapt.
    """
    below = alike(n, eps0)
    if n <= MOST_POLICIES:
        below.append(_hidden_slot(n, eps0))
    return below


def alike(n: int, eps0: float) -> list[Candidate]:
    """Return lower candidates where all other records are equal and the randomizers do not adapt."""
    found = [pairs.response_third(n, eps0, 3), *pairs.response_same(n, eps0, 2), *pairs.response_same(n, eps0, 3)]
    return [pair_candidate(pair) for pair in found]


@messages_of.register(Response)
def _response(randomizer: Response, asked: Asked) -> Shuffled:
    n, eps0, width = asked.n, asked.eps0, asked.width
    k = randomizer.categories
    upper, known = pairs.stronger_clones(n, eps0), message_randomizers.response(eps0, k)
    one, back = pairs.response_same(n, eps0, k)
    third = [pairs.response_third(n, eps0, k)] if k > 2 else []
    below = [
        *(pair_candidate(pair) for pair in (*third, one, back)),
        *(lower_candidate(some, n, width, eps0) for some in known.below),
    ]
    above = [upper_candidate(known, n, width, eps0)]
    if k == 2:
        exact = [_binary(n, eps0)] if n <= MOST_SPLIT else []
        above, below = [*exact, *_guessed(n, eps0)], [*exact, *below]
    single = one_message(alone.response(eps0, k), eps0)
    candidates = Candidates([pair_candidate(upper), *above], below, eps0, single)
    return Shuffled(candidates, [(upper, None)], [*((pair, None) for pair in third), (one, back)])


def _binary(n: int, eps0: float) -> Candidate:
    """Return binary randomized response exactly, for every split of the others between the two values.

    Of the others t hold the record's value and the rest its replacement's; every t is tried.  This covers both
    directions, too: with the values exchanged t becomes n - 1 - t.
    """
    with localcontext() as context:
        context.prec = message_randomizers.DIGITS
        x = Decimal(eps0).exp()
        seldom, often, apart = (float(value / (1 + x)) for value in (Decimal(1), x, x - 1))

    @lru_cache(maxsize=128)
    def delta(epsilon: float) -> Ends:
        with localcontext() as context:
            context.prec = message_randomizers.DIGITS
            kappa = Decimal(epsilon).exp()
            if kappa >= x:
                return Ends(0.0, 0.0, 0.0, 0.0)
            # P(up) - e^epsilon Q(up), and the rest
            gain, cost = float((x - kappa) / (1 + x)), float(kappa - 1)
        low, high, _ = worst_split(n, seldom, often, apart, gain, cost, 1.0 + cost / gain)
        return Ends(low * (1.0 - 4 * UNIT), min(high * (1.0 + 4 * UNIT) + UNDERFLOW, 1.0), 0.0, high - low)

    return Candidate("2-ary randomized response, the other records split in the worst way", delta, start=0.5 * eps0)


@messages_of.register(Finite)
def _table(randomizer: Finite, asked: Asked) -> Shuffled:
    rows = randomizer.rows()
    known = message_randomizers.table(rows, asked.eps0, str(randomizer))
    # The budget of the table itself may exceed the parameter by round-off, or be much smaller.
    own = replace(asked, eps0=budget(rows))
    return _any(own, known, _alone(known, asked.width, own.eps0).delta)


@messages_of.register(Narrow)
def _narrow(randomizer: Narrow, asked: Asked) -> Shuffled:
    found = message_randomizers.narrow(asked.eps0, randomizer.tv)
    return _any(asked, found, alone.narrow(asked.eps0, randomizer.tv))


@messages_of.register(Laplace)
def _laplace(_: Laplace, asked: Asked) -> Shuffled:
    return _any(asked, message_randomizers.laplace(asked.eps0, asked.n), alone.laplace(asked.eps0))


@messages_of.register(Gaussian)
def _gaussian(randomizer: Gaussian, asked: Asked) -> Shuffled:
    sigma = randomizer.sigma
    if sigma < LEAST_SHUFFLED:
        raise ParameterError("randomizer", f"gaussian:S with S at least {LEAST_SHUFFLED:g}", str(randomizer))
    known = message_randomizers.gaussian(sigma, asked.n, asked.least)
    below = [lower_candidate(one, asked.n, asked.width, inf) for one in known.below]
    above, single = (
        [upper_candidate(known, asked.n, asked.width, inf)],
        one_message(alone.gaussian(sigma), inf, 1.0 / sigma),
    )
    return Shuffled(Candidates(above, below, inf, single), [], _merged(asked.n, inf, known))


def _any(asked: Asked, known: Known, curve: alone.Curve) -> Shuffled:
    n, eps0, width = asked.n, asked.eps0, asked.width
    upper = pairs.stronger_clones(n, eps0)
    below = [lower_candidate(one, n, width, eps0) for one in known.below]
    above = [pair_candidate(upper), upper_candidate(known, n, width, eps0)]
    candidates = Candidates(above, below, eps0, one_message(curve, eps0))
    return Shuffled(candidates, [(upper, None)], _merged(n, eps0, known))


def _alone(known: Known, width: float, largest: float) -> Candidate:
    """Return the curve of the record's message alone; it is seldom the best, so that no epsilon is searched for."""
    return replace(
        upper_candidate(known, 1, width, largest),
        name=ONE_MESSAGE,
        curve=None,
        epsilon=None,
    )


def _merged(n: int, eps0: float, known: Known) -> list[tuple[Pair, Pair | None]]:
    """Return the attained pair with its outputs merged to three, for compositions."""
    if known.merged is None:
        return []
    largest = min(log(known.merged.p / known.merged.q), eps0)
    if not largest > 0.0:  # the masses tell no more than their errors
        return []
    return [(pairs.symmetric(known.merged, n, largest), None)]


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
        found = at_epsilon(epsilon)
        return Ends(found.lower, found.upper, 0.0, 0.0)

    def epsilon(delta: float) -> tuple[float, float, Ends]:
        found = at_delta(delta)
        return found.lower, found.upper, Ends(0.0, delta, 0.0, 0.0)

    def witness(quantity: str, at: float) -> dict[str, Any]:
        return dict((at_delta if quantity == "epsilon" else at_epsilon)(at).witness or {})

    return Candidate(ADAPTIVE, delta, epsilon, witness)
