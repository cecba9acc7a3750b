"""Upper and lower candidates for shuffled messages, for each kind of randomizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import cache, lru_cache, singledispatch
from math import inf, log
from typing import Any

from ..core.directed import UNIT, Ends
from ..core.errors import ParameterError
from ..core.interval import UNDERFLOW, Interval
from ..hidden_slot.known import bounded_ratio_epochs, bounded_ratio_laws, laplace_groups
from ..hidden_slot.known.bounded_ratio_laws import RandomizerLaws
from ..hidden_slot.worst import worst_intervals
from ..hidden_slot.worst.slot_problem import Slot
from ..kernels.two_coin_sums import worst_split
from ..pld import PrivacyLossDistribution
from ..pld.curve_candidates import Candidate, Candidates
from ..pld.gain_stoploss import TOLERANCE
from ..pld.step_losses import Array
from ..randomizers import Finite, Gaussian, Laplace, Narrow, Randomizer, Response, Worst
from ..randomizers.finite import budget
from ..randomizers.gaussian import LEAST_SIGMA_IN_SHUFFLES
from ..randomizers.randomizer_text import IN_SHUFFLES, forms
from . import known_client_fewer, known_slot_bounds, message_randomizers, one_client_fewer, split_cover
from . import one_message as message_curves
from . import three_symbol_pair as pairs
from .known_slot_bounds import Upper
from .message_candidates import START_DEVIATIONS, estimate, lower_candidate, pair_candidate, upper_candidate
from .message_randomizers import CertifiedPairs
from .three_symbol_pair import Pair

# Clients up to which the hidden slot's adaptive policies are tried; with more clients they gain less than they cost.
MOST_POLICIES = 2048
# Names of upper bounds.
ONE_FEWER = "the proven reduction to a hidden slot with n − 1 clients (pldcheck show one-client-fewer)"
ONE_MESSAGE = "the record's message alone, without the others to hide it"
# Name of the lower bound whose randomizers adapt.
ADAPTIVE = "all other records alike, with adaptive randomizers"
# Relative width asked of the adaptive policies.
POLICY_WIDTH = 0.01
# Deltas this much larger than those that need not be accurate are seen in a composition.
SEEN = 1e3
# Clients up to which binary randomized response is computed for all numbers of others on either value, O(n^1.5).
MOST_SPLIT = 10_000


@dataclass(frozen=True)
class ShuffledCurves:
    """The candidates, and the pairs among them whose losses can be composed, each with its reverse.

    ``attained`` returns losses of one round, each of which some data attain; their upper sides say nothing of other
    data.
    """

    candidates: Candidates
    above: Sequence[tuple[Pair, Pair | None]]
    below: Sequence[tuple[Pair, Pair | None]]
    attained: Callable[[], Sequence[PrivacyLossDistribution]] | None = None


@dataclass(frozen=True)
class Question:
    """A question: n messages of eps0-DP randomizers.

    ``width``: the relative width asked of inversions.  Deltas far below ``least`` need not be accurate.
    """

    n: int
    eps0: float
    width: float = TOLERANCE
    least: float = 1e-15


def all_curves(
    n: int, eps0: float, randomizer: Randomizer, width: float = TOLERANCE, least: float = 1e-15
) -> ShuffledCurves:
    """Return all candidates and composable pairs for n shuffled messages of a randomizer.

    ``width`` is the relative width asked of inversions; deltas far below ``least`` need not be accurate.
    """
    curves = messages_of(randomizer, Question(n, eps0, width, least))
    return curves if n > 1 else replace(curves, candidates=_single(curves.candidates))


@singledispatch
def messages_of(randomizer: Randomizer, question: Question) -> ShuffledCurves:
    """Return the candidates of one kind of randomizer; raise ParameterError where there are none."""
    raise ParameterError("randomizer", forms(IN_SHUFFLES), str(randomizer))


def _single(candidates: Candidates) -> Candidates:
    """Return the candidates of one client in closed form; the witness is the pair that reveals most."""
    single = candidates.alone
    assert single is not None
    pairs_of_laws = [one for one in candidates.below if one.name != ADAPTIVE]

    def witness(quantity: str, argument: float) -> dict[str, Any]:
        best = max(pairs_of_laws, key=lambda one: one.delta(argument if quantity == "delta" else 0.0).lower)
        return best.witness(quantity, argument) if best.witness else {}

    return replace(candidates, above=[single], below=[replace(single, witness=witness)])


def one_message(curve: message_curves.Curve, largest: float, deviation: float = 0.1) -> Candidate:
    """Return the curve of one message as a candidate; ``deviation`` of its loss is used if it has no largest value."""

    def deltas(epsilons: Array) -> list[float]:
        return [curve(epsilon).upper for epsilon in epsilons.tolist()]

    start = START_DEVIATIONS * deviation if largest == inf else 0.5 * min(largest, 1.0)
    return Candidate(ONE_MESSAGE, curve, start=start, curve=deltas)


@messages_of.register(Worst)
def _worst(_: Worst, question: Question) -> ShuffledCurves:
    n, eps0 = question.n, question.eps0
    upper, third = pairs.stronger_clones(n, eps0), pairs.response_third(n, eps0, 3)
    single = one_message(message_curves.response(eps0), eps0)
    candidates = Candidates(
        [pair_candidate(upper), *_one_client_fewer(n, eps0)], worst_others_alike(n, eps0), eps0, single
    )
    return ShuffledCurves(candidates, [(upper, None)], [(third, None), pairs.response_same(n, eps0, 2)])


def candidates_without_adaptation(n: int, eps0: float) -> Candidates:
    """Return the candidates of shuffling whose randomizers do not adapt within a slot: no adaptive policies."""
    single = one_message(message_curves.response(eps0), eps0)
    candidates = Candidates(
        [pair_candidate(pairs.stronger_clones(n, eps0)), *_one_client_fewer(n, eps0)],
        others_alike(n, eps0),
        eps0,
        single,
    )
    return candidates if n > 1 else _single(candidates)


def _one_client_fewer(n: int, eps0: float) -> list[Candidate]:
    """Return the hidden slot of one client fewer as a candidate, where it may improve the bound."""
    bound = one_client_fewer.Bound(n, eps0)
    if n < one_client_fewer.FEWEST_CLIENTS or eps0 > one_client_fewer.LARGEST_EPS0:
        return []
    start = START_DEVIATIONS * pairs.stronger_clones(n, eps0).deviation
    return [Candidate(ONE_FEWER, bound.delta, bound.epsilon, None, start, bound.curve)]


def worst_others_alike(n: int, eps0: float) -> list[Candidate]:
    """Return lower candidates where all other records are equal: each is one hidden slot.

    They equal the record, its replacement, or a third value; randomizers may adapt.
    """
    below = others_alike(n, eps0)
    if n <= MOST_POLICIES:
        below.append(_hidden_slot(n, eps0))
    return below


def others_alike(n: int, eps0: float) -> list[Candidate]:
    """Return lower candidates where all other records are equal and the randomizers do not adapt."""
    selection = [pairs.response_third(n, eps0, 3), *pairs.response_same(n, eps0, 2), *pairs.response_same(n, eps0, 3)]
    return [pair_candidate(pair) for pair in selection]


@messages_of.register(Response)
def _response(randomizer: Response, question: Question) -> ShuffledCurves:
    n, eps0, width = question.n, question.eps0, question.width
    k = randomizer.categories
    upper, certified_pairs = pairs.stronger_clones(n, eps0), message_randomizers.response(eps0, k)
    one, back = pairs.response_same(n, eps0, k)
    third = [pairs.response_third(n, eps0, k)] if k > 2 else []
    below = [
        *(pair_candidate(pair) for pair in (*third, one, back)),
        *(lower_candidate(messages, n, width, eps0) for messages in certified_pairs.below),
    ]
    above = [upper_candidate(certified_pairs, n, width, eps0)]
    if k == 2:
        start = START_DEVIATIONS * upper.deviation
        exact = [_binary(n, eps0) if n <= MOST_SPLIT else split_cover.candidate(n, eps0, start)]
        above, below = [*exact, *_one_client_fewer(n, eps0)], [*exact, *below]
    single = one_message(message_curves.response(eps0, k), eps0)
    candidates = Candidates([pair_candidate(upper), *above], below, eps0, single)
    return ShuffledCurves(candidates, [(upper, None)], [*((pair, None) for pair in third), (one, back)])


def _binary(n: int, eps0: float) -> Candidate:
    """Return binary randomized response exactly, for every split of the others between the two values.

    Of the others t hold the record's value and the rest its replacement's; every t is tried.  This covers both
    directions, too: with the values exchanged t becomes n - 1 - t.
    """
    with localcontext() as context:
        context.prec = message_randomizers.DIGITS
        x = Decimal(eps0).exp()
        unlikely, likely, difference = (float(value / (1 + x)) for value in (Decimal(1), x, x - 1))

    @lru_cache(maxsize=128)
    def delta(epsilon: float) -> Ends:
        with localcontext() as context:
            context.prec = message_randomizers.DIGITS
            kappa = Decimal(epsilon).exp()
            if kappa >= x:
                return Ends(0.0, 0.0, 0.0, 0.0)
            # P(up) - e^epsilon Q(up), and the rest
            gain, cost = float((x - kappa) / (1 + x)), float(kappa - 1)
        low, high, _ = worst_split(n, unlikely, likely, difference, gain, cost, 1.0 + cost / gain)
        return Ends(low * (1.0 - 4 * UNIT), min(high * (1.0 + 4 * UNIT) + UNDERFLOW, 1.0), 0.0, high - low)

    return Candidate(split_cover.NAME, delta, start=0.5 * eps0)


@messages_of.register(Finite)
def _table(randomizer: Finite, question: Question) -> ShuffledCurves:
    rows = randomizer.rows()
    certified_pairs = message_randomizers.table(rows, question.eps0, str(randomizer))
    # The budget of the table itself may exceed the parameter by round-off, or be much smaller.
    own = replace(question, eps0=budget(rows))
    curves = _curves_of_pairs(own, certified_pairs, _one_message_alone(certified_pairs, question.width, own.eps0).delta)
    if any(chance < bounded_ratio_laws.LEAST_PROBABILITY for row in rows for chance in row):
        return curves  # the hidden slot does not serve such tables
    laws = bounded_ratio_laws.laws_of(randomizer, None, 1.0, "replace")
    assert laws is not None
    if question.n < known_client_fewer.FEWEST_CLIENTS:
        return curves
    curves = replace(curves, attained=_attained(laws, own))
    kinds, others = [kind.dominating for kind in laws.neighbours], question.n - 1
    slots = known_slot_bounds.upper(kinds, others)
    quick = known_slot_bounds.upper(kinds, others, known_slot_bounds.QUICK_WORK)
    correction = known_client_fewer.correction_of_rows(question.n, rows)
    return _with_own_slot(curves, own, certified_pairs, correction, slots, quick)


@messages_of.register(Narrow)
def _narrow(randomizer: Narrow, question: Question) -> ShuffledCurves:
    certified_pairs = message_randomizers.narrow(question.eps0, randomizer.tv)
    return _curves_of_pairs(question, certified_pairs, message_curves.narrow(question.eps0, randomizer.tv))


@messages_of.register(Laplace)
def _laplace(randomizer: Laplace, question: Question) -> ShuffledCurves:
    certified_pairs = message_randomizers.laplace(question.eps0, question.n)
    curves = _curves_of_pairs(question, certified_pairs, message_curves.laplace(question.eps0))
    laws = bounded_ratio_laws.laws_of(randomizer, question.eps0, 1.0, "replace")
    assert laws is not None
    if question.eps0 > known_client_fewer.LARGEST_LAPLACE_EPS0 or question.n < known_client_fewer.FEWEST_CLIENTS:
        return curves
    curves = replace(curves, attained=_attained(laws, question))
    groups, others = laplace_groups.groups(question.eps0), question.n - 1
    slots = known_slot_bounds.upper_of_groups(groups, others)
    quick = known_slot_bounds.upper_of_groups(groups, others, known_slot_bounds.QUICK)
    correction = known_client_fewer.correction_of_laplace(question.n, question.eps0)
    return _with_own_slot(curves, question, certified_pairs, correction, slots, quick)


@messages_of.register(Gaussian)
def _gaussian(randomizer: Gaussian, question: Question) -> ShuffledCurves:
    sigma = randomizer.sigma
    if sigma < LEAST_SIGMA_IN_SHUFFLES:
        raise ParameterError("randomizer", f"gaussian:S with S at least {LEAST_SIGMA_IN_SHUFFLES:g}", str(randomizer))
    certified_pairs = message_randomizers.gaussian(sigma, question.n, question.least)
    below = [lower_candidate(one, question.n, question.width, inf) for one in certified_pairs.below]
    above, single = (
        [upper_candidate(certified_pairs, question.n, question.width, inf)],
        one_message(message_curves.gaussian(sigma), inf, 1.0 / sigma),
    )
    return ShuffledCurves(Candidates(above, below, inf, single), [], _merged_pairs(question.n, inf, certified_pairs))


def _curves_of_pairs(
    question: Question, certified_pairs: CertifiedPairs, curve: message_curves.Curve
) -> ShuffledCurves:
    n, eps0, width = question.n, question.eps0, question.width
    upper = pairs.stronger_clones(n, eps0)
    below = [lower_candidate(one, n, width, eps0) for one in certified_pairs.below]
    above = [pair_candidate(upper), upper_candidate(certified_pairs, n, width, eps0)]
    candidates = Candidates(above, below, eps0, one_message(curve, eps0))
    return ShuffledCurves(candidates, [(upper, None)], _merged_pairs(n, eps0, certified_pairs))


def _with_own_slot(
    curves: ShuffledCurves,
    question: Question,
    certified_pairs: CertifiedPairs,
    correction: one_client_fewer.Bound,
    slots: Upper,
    quick_slots: Upper,
) -> ShuffledCurves:
    """Return the candidates, and the hidden slot of the same randomizer with one client fewer."""
    n, eps0 = question.n, question.eps0
    bound = known_client_fewer.KnownBound(
        correction, slots, quick_slots, lambda delta: estimate(certified_pairs.below, n, eps0, delta)
    )
    candidates = curves.candidates
    candidate = bound.candidate(max(one.start for one in candidates.below))
    return replace(curves, candidates=replace(candidates, above=[*candidates.above, candidate]))


def _attained(laws: RandomizerLaws, question: Question) -> Callable[[], Sequence[PrivacyLossDistribution]]:
    """Return the losses where all other records are alike: n clients are n slots with that own record."""

    def losses() -> Sequence[PrivacyLossDistribution]:
        return bounded_ratio_epochs.attained_losses(laws, question.n, 1.0, SEEN * question.least)

    return losses


def _one_message_alone(certified_pairs: CertifiedPairs, width: float, largest: float) -> Candidate:
    """Return the curve of the record's message alone; it is seldom the best, so that no epsilon is searched for."""
    return replace(
        upper_candidate(certified_pairs, 1, width, largest),
        name=ONE_MESSAGE,
        curve=None,
        epsilon=None,
    )


def _merged_pairs(n: int, eps0: float, certified_pairs: CertifiedPairs) -> list[tuple[Pair, Pair | None]]:
    """Return the attained pair with its outputs merged to three, for compositions."""
    if certified_pairs.merged_pair is None:
        return []
    largest = min(log(certified_pairs.merged_pair.p / certified_pairs.merged_pair.q), eps0)
    if not largest > 0.0:  # the masses do not differ by more than their errors
        return []
    return [(pairs.symmetric(certified_pairs.merged_pair, n, largest), None)]


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
