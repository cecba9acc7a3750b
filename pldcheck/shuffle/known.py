"""What is certified of shuffled messages: upper and lower candidates for each kind of randomizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from math import exp, expm1, inf, log, sqrt
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..interval import UNDERFLOW, Interval
from ..kernels.two_kinds import worst_split
from ..minimax import bracket
from ..minimax.slot import Slot
from ..parameters import PARAMETERS
from ..pld.candidates import Candidate, Candidates
from ..pld.contour import Ends
from ..pld.losses import Array
from ..pld.solve import cross
from ..pld.stoploss import TOLERANCE, excess
from . import guess, randomizers
from . import pair as pairs
from .near import near
from .pair import Pair
from .randomizers import Known, Messages

# Clients up to which the hidden slot's adaptive policies are tried: beyond, they gain less than they cost.
MOST_POLICIES = 2048
# Relative width asked of them.
POLICY_WIDTH = 0.01
# Clients up to which binary randomized response is computed for all numbers of others on either value, O(n^1.5).
MOST_SPLIT = 10_000
# Relative errors of what goes into it.
SPLIT_ERROR = 1e-11
# Deviations of the loss at which the search for epsilon starts.
START = 4.0


@dataclass(frozen=True)
class Shuffled:
    """The candidates, and those of them that are pairs whose losses can be composed, with their reverses."""

    candidates: Candidates
    above: Sequence[tuple[Pair, Pair | None]]
    below: Sequence[tuple[Pair, Pair | None]]


@dataclass(frozen=True)
class Asked:
    """n messages of eps0-DP randomizers; ``width`` asked of inversions; deltas far below ``least`` do not matter."""

    n: int
    eps0: float
    text: str
    width: float = TOLERANCE
    least: float = 1e-15


def shuffled(n: int, eps0: float, randomizer: str, width: float = TOLERANCE, least: float = 1e-15) -> Shuffled:
    """Everything known of n shuffled messages; ``randomizer``: a key of ``KINDS``, with its argument after a colon."""
    kind, _, text = randomizer.partition(":")
    return KINDS[kind](Asked(n, eps0, text, width, least))


def _worst(asked: Asked) -> Shuffled:
    n, eps0 = asked.n, asked.eps0
    upper, third = pairs.stronger_clones(n, eps0), pairs.response_third(n, eps0, 3)
    candidates = Candidates([_of_pair(upper), *_guessed(n, eps0)], worst_others_alike(n, eps0), eps0)
    return Shuffled(candidates, [(upper, None)], [(third, None), pairs.response_same(n, eps0, 2)])


def averaged(n: int, eps0: float) -> Candidates:
    """Shuffling whose randomizers do not adapt within a slot: the hidden slot's policies are not to be had."""
    return Candidates([_of_pair(pairs.stronger_clones(n, eps0)), *_guessed(n, eps0)], alike(n, eps0), eps0)


def _guessed(n: int, eps0: float) -> list[Candidate]:
    """The hidden slot of one client fewer, where that may gain something."""
    bound = guess.Bound(n, eps0)
    if n < guess.FEWEST or eps0 > guess.LARGEST:
        return []
    start = START * pairs.stronger_clones(n, eps0).deviation
    return [Candidate("hidden slot of one client fewer", bound.delta, bound.epsilon, None, start, bound.curve)]


def worst_others_alike(n: int, eps0: float) -> list[Candidate]:
    """All other records equal, on the record's value, its replacement's or a third one: one hidden slot."""
    below = alike(n, eps0)
    if n <= MOST_POLICIES:
        below.append(_hidden_slot(n, eps0))
    return below


def alike(n: int, eps0: float) -> list[Candidate]:
    """The same without randomizers that adapt."""
    found = [pairs.response_third(n, eps0, 3), *pairs.response_same(n, eps0, 2), *pairs.response_same(n, eps0, 3)]
    return [_of_pair(pair) for pair in found]


def _response(asked: Asked) -> Shuffled:
    n, eps0, width = asked.n, asked.eps0, asked.width
    k = PARAMETERS["categories"].parse(asked.text or 2)
    upper, known = pairs.stronger_clones(n, eps0), randomizers.response(eps0, int(k))
    one, back = pairs.response_same(n, eps0, int(k))
    third = [pairs.response_third(n, eps0, int(k))] if k > 2 else []
    below = [*(_of_pair(pair) for pair in (*third, one, back)), *(_below(some, n, width, eps0) for some in known.below)]
    above = [_above(known, n, width, eps0)]
    if k == 2:
        exact = [_binary(n, eps0)] if n <= MOST_SPLIT else []
        above, below = [*exact, *_guessed(n, eps0)], [*exact, *below]
    candidates = Candidates([_of_pair(upper), *above], below, eps0)
    return Shuffled(candidates, [(upper, None)], [*((pair, None) for pair in third), (one, back)])


def _binary(n: int, eps0: float) -> Candidate:
    """Binary randomized response exactly: t of the others on the record's value, the rest on its replacement's.

    For every t; that is both directions, too: with the values exchanged t of them become n - 1 - t.
    """
    often, seldom = 1.0 / (1.0 + exp(-eps0)), 1.0 / (1.0 + exp(eps0))

    @lru_cache(maxsize=128)
    def delta(epsilon: float) -> Ends:
        # P(up) - e^epsilon Q(up), without cancellation
        gain, cost = seldom * exp(epsilon) * expm1(eps0 - epsilon), expm1(epsilon)
        low, high, _ = worst_split(n, seldom, often, gain, cost, 1.0 + cost / gain)
        return Ends(low * (1.0 - SPLIT_ERROR), min(high * (1.0 + SPLIT_ERROR) + UNDERFLOW, 1.0), 0.0, high - low)

    return Candidate("2-ary randomized response, the others in the worst numbers", delta, start=0.5 * eps0)


def _table(asked: Asked) -> Shuffled:
    rows = randomizers.read_table(asked.text)
    return _any(
        replace(asked, eps0=asked.eps0 * (1.0 + randomizers.HAIR)), randomizers.table(rows, asked.eps0, asked.text)
    )


def _narrow(asked: Asked) -> Shuffled:
    return _any(asked, randomizers.narrow(asked.eps0, float(PARAMETERS["tv"].parse(asked.text))))


def _laplace(asked: Asked) -> Shuffled:
    return _any(asked, randomizers.laplace(asked.eps0, asked.n))


def _gaussian(asked: Asked) -> Shuffled:
    sigma = PARAMETERS["sigma"].parse(asked.text)
    if sigma < LEAST_SIGMA:
        raise ParameterError("randomizer", f"gaussian:S with S at least {LEAST_SIGMA:g}", f"gaussian:{asked.text}")
    known = randomizers.gaussian(float(sigma), asked.n, asked.least)
    below = [_below(one, asked.n, asked.width, inf) for one in known.below]
    above = [_above(known, asked.n, asked.width, inf), _alone(known, asked.width, inf)]
    return Shuffled(Candidates(above, below, inf), [], _merged(asked.n, inf, known))


def _any(asked: Asked, known: Known) -> Shuffled:
    n, eps0, width = asked.n, asked.eps0, asked.width
    upper = pairs.stronger_clones(n, eps0)
    below = [_below(one, n, width, eps0) for one in known.below]
    above = [_of_pair(upper), _above(known, n, width, eps0), _alone(known, width, eps0)]
    candidates = Candidates(above, below, eps0)
    return Shuffled(candidates, [(upper, None)], _merged(n, eps0, known))


def _alone(known: Known, width: float, largest: float) -> Candidate:
    """What one message reveals: the others' hide it.  Seldom of use, so that it is not searched for unasked."""
    return replace(_above(known, 1, width, largest), name="one message", curve=None, epsilon=None)


def _merged(n: int, eps0: float, known: Known) -> list[tuple[Pair, Pair | None]]:
    """The attained pair with its outputs merged to three, for compositions."""
    if known.merged is None:
        return []
    name, p, q, w = known.merged
    return [(pairs.symmetric(name, n, min(log(p / q), eps0), (p, q), w), None)]


# Noise below this makes the gains' tails too heavy to be inverted.
LEAST_SIGMA = 1.0
KINDS: dict[str, Callable[[Asked], Shuffled]] = {
    "worst": _worst,
    "rr": _response,
    "krr": _response,
    "tv": _narrow,
    "table": _table,
    "laplace": _laplace,
    "gaussian": _gaussian,
}


def _of_pair(pair: Pair) -> Candidate:
    return Candidate(pair.name, pair.delta, pair.epsilon, partial(_witness, pair.name, pair.n, pair.rows))


def _hidden_slot(n: int, eps0: float) -> Candidate:
    """All others alike, and randomizers that adapt to the outputs so far."""
    slot = Slot(n, eps0, 1.0)

    @cache
    def at_epsilon(epsilon: float) -> Interval:
        return bracket.delta(slot, "replace", epsilon, POLICY_WIDTH)

    @cache
    def at_delta(delta: float) -> Interval:
        return bracket.epsilon(slot, "replace", delta, POLICY_WIDTH)

    def delta(epsilon: float) -> Ends:
        found = at_epsilon(epsilon)
        return Ends(found.lower, found.upper, 0.0, 0.0)

    def epsilon(delta: float) -> tuple[float, float, Ends]:
        found = at_delta(delta)
        return found.lower, found.upper, Ends(0.0, delta, 0.0, 0.0)

    def witness(quantity: str, at: float) -> dict[str, Any]:
        return dict((at_delta if quantity == "epsilon" else at_epsilon)(at).witness or {})

    return Candidate("hidden slot, adaptive randomizers", delta, epsilon, witness)


def _above(known: Known, n: int, width: float, largest: float) -> Candidate:
    """The blanket: the largest over all pairs of inputs."""

    @cache
    def delta(epsilon: float) -> Ends:
        found = [_excess(one, one.dispersed(epsilon), n, width) for one in known.above]
        return max(found, key=lambda ends: ends.upper)

    def epsilon(delta_: float) -> tuple[float, float, Ends]:
        start, slope = max(_near(one, n, largest, delta_) for one in known.above)
        if start == 0.0:
            if delta(0.0).upper <= delta_:
                return 0.0, 0.0, delta(0.0)
            start = 1.0 / slope
        high = cross(lambda e: delta(e).upper, delta_, start, slope, largest, above=True)
        return 0.0, high, delta(high) if high < largest else Ends(0.0, 0.0, 0.0, 0.0)

    def curve(epsilons: Array) -> list[float]:
        return [delta(epsilon).upper for epsilon in epsilons.tolist()]

    start = START * max(_deviation(one, n) for one in known.above)
    return Candidate(known.above[0].name.partition(",")[0], delta, epsilon, None, start, curve)


def _below(messages: Messages, n: int, width: float, largest: float) -> Candidate:
    """One choice of neighbouring data."""
    rows = messages.p.tolist(), messages.q.tolist(), messages.w.tolist()

    @cache
    def delta(epsilon: float) -> Ends:
        return _excess(messages, messages.merged(epsilon), n, width)

    def epsilon(delta_: float) -> tuple[float, float, Ends]:
        start, slope = _near(messages, n, largest, delta_)
        if start == 0.0:
            if not delta(0.0).lower > delta_:
                return 0.0, largest, delta(0.0)
            start = 1.0 / slope
        low = cross(lambda e: delta(e).lower, delta_, start, slope, largest, above=False)
        return low, largest, Ends(0.0, delta_, 0.0, 0.0)

    start = START * _deviation(messages, n)
    return Candidate(messages.name, delta, epsilon, partial(_witness, messages.name, n, rows), start)


def _near(messages: Messages, n: int, largest: float, delta: float) -> tuple[float, float]:
    """About the epsilon of ``delta``, and -d log delta / d epsilon there."""
    p, q, w = messages.p, messages.q, messages.w
    if messages.rest > 0.0:
        p, q, w = np.append(p, 0.0), np.append(q, 0.0), np.append(w, messages.rest)
    seen = w > 0.0
    return near(p[seen], q[seen], w[seen], n, largest, delta)


def _witness(
    name: str, n: int, rows: tuple[list[float], list[float], list[float]], quantity: str, at: float
) -> dict[str, Any]:
    """A randomizer's output probabilities for the record, its replacement, and the input of all others."""
    record, replacement, others = rows
    return {
        "kind": "shuffle",
        "summary": name,
        "clients": n,
        "event": "likelihood ratio of record to replacement above e^epsilon, from the counts of the outputs",
        "record": record,
        "replacement": replacement,
        "others": others,
    }


def _deviation(messages: Messages, n: int) -> float:
    """That of the loss, where it is small."""
    return sqrt(float(np.sum((messages.p - messages.q) ** 2 / messages.w)) / n)


def _excess(messages: Messages, gains: Any, n: int, width: float) -> Ends:
    values, masses = gains
    if not (values > 0.0).any():
        return Ends(0.0, min(messages.left, 1.0), messages.left, 0.0)
    # Cells are not worth a finer inversion.
    found = excess([(values, masses, n)], messages.error, max(width, messages.width))
    return Ends(
        found.lower / n * (1.0 - messages.error),
        min(found.upper / n * (1.0 + messages.error) + messages.left, 1.0),
        min(found.truncation / n + messages.left, 1.0),
        found.rounding / n,
    )
