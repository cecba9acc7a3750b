"""The excess tau of a shuffle over one hidden slot of one client fewer: step 4 of the proof.

:mod:`pldcheck.shuffling.one_client_fewer` has the theorem, its proof, and the symbols that are used here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, expm1, log, sqrt, tanh

import numpy as np

from ..core.directed import UNIT, enlarge, roundoff, shrink
from ..kernels.binomial_tails import log_pmf_range
from ..kernels.one_client_fewer_sum import positive_parts
from ..pld.step_losses import Array
from .binomial_cells import EDGES, binomial_cells

# Share of the blanket given to the record's densities.
OMEGA = 0.4
# Messages of one kind beyond which no more are counted.
MOST_MESSAGES = 4 * 10**7
# Deviations of the messages that are summed at most.
REACH = 32.0
# z^2 - 1 in the estimate of nu is this times -log(target), by trial,
LOGARITHM = 0.8
# less this much.
LOGARITHM_LESS = 3.0
# The largest nu that is tried.
MOST_KEPT = 0.5
# Round-offs of x + kappa by which rho_1 is moved away from zero.  It has 10 itself; with the 45 of rho_2 and a few of
# zeta/rho_1 no place whose terms are positive is missed where none is taken.
SLIP = 64
# Cells of less chance count in full; underflow is far below.
LEAST_CHANCE = 1e-260


@dataclass(frozen=True)
class Pairs:
    """Numbers of the steps 3 and 4 that hold for some pairs of the others.

    ``part`` takes the place of 1/x in step 4, rounded down, and ``share`` that of 1 - 1/N in x_2, rounded up.
    ``contrast`` takes the place of eps0 in q_2, and ``record_contrast``, if it is given, in x_1 and q_1.
    ``record_part``, if it is given, takes the place of ``part`` for messages of the first kind, whose share of the
    blanket is ``omega``.
    """

    part: float
    share: float
    contrast: float
    record_contrast: float | None = None
    record_part: float | None = None
    omega: float = OMEGA


def pair_excess(
    n: int, eps0: float, kappa: float, zeta: float, negligible: float, pairs: Pairs, kept: float = 0.0
) -> float:
    """Return an upper bound of tau for n clients, of one kind of pairs, at nu = ``kept``.

    Terms that add no more than ``negligible`` in total are bounded coarsely.
    """
    x, total = exp(eps0), 0.0
    others = n - 3
    first = pairs.omega * (pairs.part if pairs.record_part is None else pairs.record_part)
    second = (1.0 - pairs.omega) * pairs.part
    # Half of it is for the cells, half for the mass beyond the places that are summed.
    negligible_chance = max(0.5 * negligible / (x * (len(EDGES) + 1.0) ** 2), LEAST_CHANCE)
    reach = REACH
    if negligible > 0.0:  # in logs: 1/negligible may overflow
        reach = min(float(ceil(sqrt(2.0 * max(log(160.0) + 2.0 * eps0 - log(negligible), 1.0)))), REACH)
    sums: dict[tuple[int, int], float] = {}
    for low, high, chance in binomial_cells(others, first):
        if chance <= negligible_chance:  # the sum is at most x
            total += chance * x
            continue
        # There are at most high - 1 messages of the first kind, so that the second kind is not rarer than this.
        for least, _, conditional_chance in binomial_cells(
            max(others - (high - 1), 0), shrink(second / (1.0 - first), 8)
        ):
            if chance * conditional_chance <= negligible_chance:
                total += chance * conditional_chance * x
                continue
            counts = min(low, MOST_MESSAGES), min(least, MOST_MESSAGES)
            if counts not in sums:
                sums[counts] = excess_at_counts(*counts, n, eps0, kappa, zeta, reach, pairs, kept)
            total += chance * conditional_chance * sums[counts]
    # At most (len(EDGES) + 1)^2 < 300 terms of three products each, added one after another.
    return enlarge(total, 512) + LEAST_CHANCE


def excess_at_counts(
    c1: int,
    c2: int,
    n: int,
    eps0: float,
    kappa: float,
    zeta: float,
    reach: float = REACH,
    pairs: Pairs | None = None,
    kept: float = 0.0,
) -> float:
    """Return an upper bound of the double sum at C1 = c1, C2 = c2, with nu = ``kept``."""
    x = exp(eps0)
    record = pairs.record_contrast if pairs else None
    masses, ratios, error = _first_kind(c1, x if record is None else exp(record), reach)
    share, contrast = (pairs.share, pairs.contrast) if pairs else (1.0 - 1.0 / (n - 1.0), eps0)
    second = _second_kind(c2, eps0, share, reach, contrast)
    total = positive_parts(
        masses, ratios, kappa, roundoff(SLIP, x + kappa), zeta, kept,
        second.rho, second.x_in, second.q_in, second.x_out, second.q_out, second.error,
    )  # fmt: skip
    return total * (1.0 + error) + 4.0 * x * x * _tail_bound(reach)


def likely_kept(n: int, eps0: float, target: float, pairs: Pairs) -> float:
    """Return a nu at which tau may be about ``target``; any from 0 on, below 1, is as certain.

    Where |2 l - c - 2| is z deviations, x_2/q_2 is about -2 (z^2 - 1)/C2 times its factors: nu makes up for that.
    """
    messages = n * (1.0 - pairs.omega) * pairs.part
    contrast = tanh(0.5 * eps0) ** 2 * pairs.share
    squares = max(LOGARITHM * -log(target) - LOGARITHM_LESS, 1.0)
    return min(2.0 * contrast * squares / messages, MOST_KEPT)


@dataclass(frozen=True, eq=False)
class _Second:
    """The ratio rho_2 = x_2/q_2 by distance from the centre, and sums of x_2 and q_2 up to a place and from it on."""

    rho: Array
    x_in: Array
    q_in: Array
    x_out: Array
    q_out: Array
    error: float


def _tail_bound(reach: float) -> float:
    """Return ten times Hoeffding's bound 2 e^(-reach^2/2) on the mass beyond ``reach`` deviations on both sides."""
    return 20.0 * exp(-0.5 * reach * reach)


def _halves(c: int, reach: float) -> tuple[int, Array, float]:
    """Return the masses of Bin(c, 1/2) around its mean: the first place, the masses, and their relative error."""
    radius = 0.5 * reach * sqrt(c) + 2.0
    first, last = max(int(0.5 * c - radius), 0), min(int(0.5 * c + radius) + 1, c)
    logs, error = log_pmf_range(c, first, last - first + 1, 0.5, 0.5)
    # e^(L + d) is e^L (1 + expm1(d)); 8 round-offs for the exponential itself.
    return first, np.exp(logs), expm1(error) + roundoff(8)


@lru_cache(maxsize=64)
def _first_kind(c: int, x: float, reach: float) -> tuple[Array, Array, float]:
    """Return q_1 at every k, rho_1 + kappa, and the relative error of the first.

    rho_1 = x_1/q_1 = (x r + 1)/(r + x) - kappa with r = b(k-1)/b(k) = k/(c + 1 - k).
    """
    first, b, error = _halves(c, reach)
    before, here = np.append(0.0, b), np.append(b, 0.0)
    if first > 0:  # the law goes on before the first and after the last place
        before, here = b[:-1], b[1:]
    k = np.arange(first, first + b.size + 1, dtype=np.float64) if first == 0 else np.arange(first + 1.0, first + b.size)
    ratios = (x * k + (c + 1.0 - k)) / (k + x * (c + 1.0 - k))
    return (before + x * here) / (x + 1.0), ratios, error + b.size * UNIT


@lru_cache(maxsize=256)
def _second_kind(c: int, eps0: float, share: float, reach: float, contrast: float) -> _Second:
    """Return the data of the second kind by t = |2 l - c - 2|, from the centre outwards; the two sides are equal.

    x_2 is formed with e^eps0, and q_2 with e^contrast.
    """
    x, x_1, y = exp(eps0), expm1(eps0), exp(contrast)
    first, b, error = _halves(c, reach)
    places = np.arange(first, first + b.size)
    # one(l) = b(l - 1): t = |2 (l - 1) - c|; and the place beyond the last, where only two is not zero.
    t = np.abs(2.0 * places - c)
    order = np.argsort(t, kind="stable")
    t, one = t[order], b[order]
    # two/one - 1 = 2 (t^2 - c - 2)/((c + 2)^2 - t^2)
    excess = 2.0 * (t * t - c - 2.0) / ((c + 2.0) ** 2 - t * t)
    q = one * ((y + 1.0) ** 2 + 2.0 * y * excess)
    x_2 = -one * excess * share * x_1 * x_1
    if first == 0:  # the whole law is tabulated, and l = 0 and l = c + 2 belong to it
        half = 0.5 * b[0]
        q, x_2 = np.append(q, [2.0 * y * half] * 2), np.append(x_2, [-half * share * x_1 * x_1] * 2)
    q, x_2 = q / (y + 1.0) ** 2, x_2 / (x + 1.0) ** 2
    zero = np.zeros(1)
    return _Second(
        rho=x_2 / q,
        x_in=np.append(zero, np.cumsum(x_2)),
        q_in=np.append(zero, np.cumsum(q)),
        x_out=np.append(np.cumsum(x_2[::-1])[::-1], zero),
        q_out=np.append(np.cumsum(q[::-1])[::-1], zero),
        error=4.0 * (error + (b.size + 16.0) * UNIT),
    )
