"""Candidate bounds, upper and lower, of shuffled messages of known laws, and of pairs with three symbols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.directed import Ends, Side, enlarge
from ..core.roots import cross
from ..pld.curve_candidates import Candidate
from ..pld.gain_stoploss import TOLERANCE, excess
from ..pld.step_losses import Array
from .message_gains import Gains, Messages
from .saddle_start import estimate_epsilon
from .three_symbol_pair import Pair

if TYPE_CHECKING:
    from .message_randomizers import CertifiedPairs

# Messages of three outputs up to which their sum is formed term by term.
MOST_TERM_BY_TERM = 60
# Relative error of a pair's rows, in round-offs.
ROW_UNITS = 24.0
# Deviations of the loss at which the search for epsilon starts.
START_DEVIATIONS = 4.0


def pair_candidate(pair: Pair) -> Candidate:
    """Return a pair with three symbols as a candidate.

    Few messages are summed term by term, without the cancellation next to the largest loss.
    """
    witness = partial(_witness, pair.name, pair.n, pair.rows)
    if pair.n > MOST_TERM_BY_TERM:
        return Candidate(pair.name, pair.delta, pair.epsilon, witness)
    p, q, w = (np.array(row) for row in pair.rows)
    possible = (p > 0.0) | (q > 0.0)
    losses = np.array([pair.largest, -pair.largest, 0.0])[possible]
    rest = 0.0 if possible[2] else pair.none
    message = Messages(pair.name, p[possible], q[possible], w[possible], losses, units=ROW_UNITS, rest=rest)
    term_by_term = lower_candidate(message, pair.n, TOLERANCE, pair.largest)

    def delta(epsilon: float) -> Ends:
        ends = term_by_term.delta(epsilon)
        return ends if epsilon < pair.largest else Ends(0.0, 0.0, 0.0, 0.0)

    return Candidate(pair.name, delta, None, witness, START_DEVIATIONS * pair.deviation)


def upper_candidate(certified_pairs: CertifiedPairs, n: int, width: float, largest: float) -> Candidate:
    """Return the upper candidate of the privacy blanket: the largest divergence over all pairs of inputs."""

    @cache
    def delta(epsilon: float) -> Ends:
        all_ends = [_excess(one, one.dispersed_gains(epsilon), n, width) for one in certified_pairs.above]
        return max(all_ends, key=lambda ends: ends.upper)

    def epsilon(delta_: float) -> tuple[float, float, Ends]:
        if max(one.outside for one in certified_pairs.above) >= delta_:  # no epsilon is large enough
            return 0.0, largest, Ends(0.0, 0.0, 0.0, 0.0)
        start, slope = max(_epsilon_and_slope(one, n, largest, delta_) for one in certified_pairs.above)
        if start == 0.0:
            if delta(0.0).upper <= delta_:
                return 0.0, 0.0, delta(0.0)
            start = 1.0 / slope
        high = cross(lambda e: delta(e).upper, delta_, start, slope, largest, side=Side.UPPER)
        return 0.0, high, delta(high) if high < largest else Ends(0.0, 0.0, 0.0, 0.0)

    def curve(epsilons: Array) -> list[float]:
        return [delta(epsilon).upper for epsilon in epsilons.tolist()]

    start = START_DEVIATIONS * max(_deviation(one, n) for one in certified_pairs.above)
    return Candidate(certified_pairs.above[0].name.partition(",")[0], delta, epsilon, None, start, curve)


def lower_candidate(messages: Messages, n: int, width: float, largest: float) -> Candidate:
    """Return the lower candidate of one choice of neighbouring data."""
    rows = messages.p.tolist(), messages.q.tolist(), messages.w.tolist()

    @cache
    def delta(epsilon: float) -> Ends:
        return _excess(messages, messages.merged_gains(epsilon), n, width)

    def epsilon(delta_: float) -> tuple[float, float, Ends]:
        start, slope = _epsilon_and_slope(messages, n, largest, delta_)
        if start == 0.0:
            if not delta(0.0).lower > delta_:
                return 0.0, largest, delta(0.0)
            start = 1.0 / slope
        low = cross(lambda e: delta(e).lower, delta_, start, slope, largest, side=Side.LOWER)
        return low, largest, Ends(0.0, delta_, 0.0, 0.0)

    start = START_DEVIATIONS * _deviation(messages, n)
    return Candidate(messages.name, delta, epsilon, partial(_witness, messages.name, n, rows), start)


def estimate(pairs: Sequence[Messages], n: int, largest: float, delta: float) -> tuple[float, float]:
    """Return an estimate of the largest epsilon of ``delta`` of several pairs, and of -d log delta / d epsilon."""
    return max(_epsilon_and_slope(one, n, largest, delta) for one in pairs)


def _epsilon_and_slope(messages: Messages, n: int, largest: float, delta: float) -> tuple[float, float]:
    """Return an estimate of the epsilon of ``delta``, and of -d log delta / d epsilon there."""
    p, q, w = messages.p, messages.q, messages.w
    if messages.rest > 0.0:
        p, q, w = np.append(p, 0.0), np.append(q, 0.0), np.append(w, messages.rest)
    possible = w > 0.0
    return estimate_epsilon(p[possible], q[possible], w[possible], n, largest, delta)


def _witness(
    name: str, n: int, rows: tuple[list[float], list[float], list[float]], quantity: str, argument: float
) -> dict[str, Any]:
    """Return a randomizer's output probabilities for the record, its replacement, and the input of all others."""
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
    """Return the standard deviation of the privacy loss in its approximation for small losses."""
    return sqrt(float(np.sum((messages.p - messages.q) ** 2 / messages.w)) / n)


def _excess(messages: Messages, gains: Gains, n: int, width: float) -> Ends:
    values, masses, doubt = gains
    # The cells do not justify a finer inversion.
    ends = excess([(values, masses, n, doubt)], messages.mass_error, max(width, messages.width)).times(1.0 / n, 4)
    upper = min(enlarge(ends.upper + messages.outside, 2), 1.0)
    return Ends(ends.lower, upper, min(ends.truncation + messages.outside, 1.0), ends.rounding)
