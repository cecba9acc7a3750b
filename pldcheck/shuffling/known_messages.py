"""Upper and lower candidates for shuffled messages of known randomizers, for each kind of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import lru_cache, singledispatch
from math import inf, log

from ..core.directed import UNIT, Ends
from ..core.errors import ParameterError
from ..core.interval import UNDERFLOW
from ..hidden_slot.known import bounded_ratio_epochs, bounded_ratio_laws, laplace_groups
from ..hidden_slot.known.bounded_ratio_laws import RandomizerLaws
from ..kernels.two_coin_sums import worst_split
from ..pld.curve_candidates import Candidate, Candidates
from ..pld.loss_sides import Attained
from ..randomizers import Finite, Gaussian, Laplace, Narrow, Randomizer, Response
from ..randomizers.finite import budget
from ..randomizers.gaussian import LEAST_SIGMA_IN_SHUFFLES
from ..randomizers.randomizer_text import IN_SHUFFLES, forms
from . import (
    known_client_fewer,
    known_slot_bounds,
    message_randomizers,
    noise_client_fewer,
    one_client_fewer,
    one_gaussian_message,
    one_message,
    split_cover,
)
from . import three_symbol_pair as pairs
from .known_slot_bounds import Upper
from .message_candidates import START_DEVIATIONS, estimate, lower_candidate, pair_candidate, upper_candidate
from .message_randomizers import CertifiedPairs
from .one_message import Curve
from .shuffle_question import ONE_MESSAGE, Question, ShuffledCurves, candidate_of_one_message
from .three_symbol_pair import Pair
from .worst_messages import one_client_fewer_candidates

# Deltas this much larger than those that need not be accurate are seen in a composition.
SEEN = 1e3
# Deltas are this much larger than those that need not be accurate.
OUT_OF_SIGHT_TAILS = 1e-6
# Clients up to which binary randomized response is computed for all numbers of others on either value, O(n^1.5).
MOST_SPLIT = 10_000


@singledispatch
def messages_of(randomizer: Randomizer, question: Question) -> ShuffledCurves:
    """Return the candidates of one kind of randomizer; raise ParameterError where there are none."""
    raise ParameterError("randomizer", forms(IN_SHUFFLES), str(randomizer))


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
        above, below = [*exact, *one_client_fewer_candidates(n, eps0)], [*exact, *below]
    single = candidate_of_one_message(one_message.response(eps0, k), eps0)
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
    curves = replace(curves, attained=_attained(laws, own))
    if question.n < known_client_fewer.FEWEST_CLIENTS:
        return curves
    kinds, others = [kind.dominating for kind in laws.neighbours], question.n - 1
    slots = known_slot_bounds.upper(kinds, others)
    quick = known_slot_bounds.upper(kinds, others, known_slot_bounds.QUICK_WORK)
    correction = known_client_fewer.correction_of_rows(question.n, rows)
    return _with_own_slot(curves, own, certified_pairs, correction, slots, quick)


@messages_of.register(Narrow)
def _narrow(randomizer: Narrow, question: Question) -> ShuffledCurves:
    certified_pairs = message_randomizers.narrow(question.eps0, randomizer.tv)
    return _curves_of_pairs(question, certified_pairs, one_message.narrow(question.eps0, randomizer.tv))


@messages_of.register(Laplace)
def _laplace(randomizer: Laplace, question: Question) -> ShuffledCurves:
    certified_pairs = message_randomizers.laplace(question.eps0, question.n)
    curves = _curves_of_pairs(question, certified_pairs, one_message.laplace(question.eps0))
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
    n = question.n
    certified_pairs = message_randomizers.gaussian(sigma, n, question.least)
    # Lower ends with tails merged as well: rare large gains cost an inversion its precision.
    merged = message_randomizers.gaussian(sigma, n, question.least / OUT_OF_SIGHT_TAILS).below
    below = [lower_candidate(one, n, question.width, inf) for one in (*merged, *certified_pairs.below)]
    above, single = (
        [upper_candidate(certified_pairs, n, question.width, inf)],
        candidate_of_one_message(one_gaussian_message.gaussian(sigma), inf, 1.0 / sigma),
    )
    if n >= noise_client_fewer.FEWEST_CLIENTS:
        bound = noise_client_fewer.of_gaussian(n, sigma, certified_pairs.below)
        above.append(bound.candidate(max(one.start for one in below)))
    return ShuffledCurves(Candidates(above, below, inf, single), [], _merged_pairs(n, inf, certified_pairs))


def _curves_of_pairs(question: Question, certified_pairs: CertifiedPairs, curve: Curve) -> ShuffledCurves:
    n, eps0, width = question.n, question.eps0, question.width
    upper = pairs.stronger_clones(n, eps0)
    below = [lower_candidate(one, n, width, eps0) for one in certified_pairs.below]
    above = [pair_candidate(upper), upper_candidate(certified_pairs, n, width, eps0)]
    candidates = Candidates(above, below, eps0, candidate_of_one_message(curve, eps0))
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


def _attained(laws: RandomizerLaws, question: Question) -> Callable[[], Sequence[Attained]]:
    """Return the losses where all other records are alike: n clients are n slots with that own record."""

    def losses() -> Sequence[Attained]:
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
