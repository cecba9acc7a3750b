"""Checks of the measured steps of the proofs of Steinke (2022): both sides at a point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial

from flint import arb, ctx

from ....core.interval import Interval
from ..spans import exactly
from .exact_protocols import BITS, Check, enclose

Weights = tuple[Fraction, ...]
# Values of the variables of Lemma 27; the largest is Delta.
VALUES = (Fraction(-1), Fraction(-1, 2), Fraction(0), Fraction(1, 2), Fraction(1))


def _pair(outputs: int) -> tuple[Weights, Weights]:
    """Return two laws on so many outputs, whose likelihood ratios differ in no simple order."""
    first = [1 + place * place % 7 for place in range(outputs)]
    second = [2 + 3 * place % 5 for place in range(outputs)]
    return tuple(Fraction(one, sum(first)) for one in first), tuple(Fraction(one, sum(second)) for one in second)


# --- tests -------------------------------------------------------------------------------------------------------


def _threshold_tests(p: Weights, q: Weights) -> list[tuple[Fraction, Fraction]]:
    ratios = [one / other for one, other in zip(p, q, strict=True)]
    levels = [Fraction(0), *ratios, 1 + max(ratios)]
    return [
        (
            sum((one for one, ratio in zip(p, ratios, strict=True) if ratio >= level), Fraction(0)),
            sum((one for one, ratio in zip(q, ratios, strict=True) if ratio <= level), Fraction(0)),
        )
        for level in levels
    ]


def _tests(p: Weights, q: Weights) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield P(T = P) and Q(T = Q) of tests that say P with probability 0, 1/2 or 1 at each output."""
    for says in product((Fraction(0), Fraction(1, 2), Fraction(1)), repeat=len(p)):
        yield (
            sum((say * one for say, one in zip(says, p, strict=True)), Fraction(0)),
            sum(((1 - say) * one for say, one in zip(says, q, strict=True)), Fraction(0)),
        )


def _worst_test(outputs: float) -> tuple[Interval, Interval]:
    p, q = _pair(int(outputs))
    thresholds = _threshold_tests(p, q)
    worst = max(
        min(max(power - over, level - under) for over, under in thresholds) for power, level in set(_tests(p, q))
    )
    return enclose(worst, "probability"), enclose(0, "probability")


# --- approximate pairs -------------------------------------------------------------------------------------------


def _multiplier(p: Weights, q: Weights, kept: Fraction) -> Fraction:
    """Return the least x for which the sum of min(p, x q) is ``kept``: a piecewise linear equation."""
    x = Fraction(0)
    for ratio in sorted({one / other for one, other in zip(p, q, strict=True)}):
        slope = sum((other for one, other in zip(p, q, strict=True) if one / other >= ratio), Fraction(0))
        total = sum((min(one, x * other) for one, other in zip(p, q, strict=True)), Fraction(0))
        if total + (ratio - x) * slope >= kept:
            return x + (kept - total) / slope
        x = ratio
    return x


def _pure_part(outputs: float, ratio: float) -> tuple[Interval, Interval]:
    p, q = _pair(int(outputs))
    kappa = Fraction(ratio)
    delta = max(
        sum((max(one - kappa * other, Fraction(0)) for one, other in zip(first, second, strict=True)), Fraction(0))
        for first, second in ((p, q), (q, p))
    )
    there, back = _multiplier(p, q, 1 - delta), _multiplier(q, p, 1 - delta)
    # Both parts have the mass 1 - delta and leave something that is not negative.
    pure_p = [min(one, there * other) / (1 - delta) for one, other in zip(p, q, strict=True)]
    pure_q = [min(other, back * one) / (1 - delta) for one, other in zip(p, q, strict=True)]
    for pure, law in ((pure_p, p), (pure_q, q)):
        if sum(pure) != 1 or any(one < (1 - delta) * part for one, part in zip(law, pure, strict=True)):
            raise ArithmeticError("the pure parts are no laws")
    worst = max(max(one / other, other / one) for one, other in zip(pure_p, pure_q, strict=True))
    return enclose(worst, "ratio"), enclose(kappa, "ratio")


# --- divergences -------------------------------------------------------------------------------------------------


def _moment(p: Sequence[arb], q: Sequence[arb], order: arb) -> arb:
    return sum((one**order * other ** (1 - order) for one, other in zip(p, q, strict=True)), arb(0))


def _adaptive_coins(order: float, heads_p: float, heads_q: float) -> tuple[Interval, Interval]:
    with ctx.workprec(BITS):
        a, p, q = exactly(order), exactly(heads_p), exactly(heads_q)
        coin_p, coin_q = (p, 1 - p), (q, 1 - q)
        # After heads the pair is (P, Q), after tails (Q, P).
        law = [coin_p[0] * one for one in coin_p] + [coin_p[1] * one for one in coin_q]
        other = [coin_q[0] * one for one in coin_q] + [coin_q[1] * one for one in coin_p]
        there, back = _moment(coin_p, coin_q, a).log(), _moment(coin_q, coin_p, a).log()
        whole = _moment(law, other, a).log() / (a - 1)
        return enclose(whole, "divergence"), enclose((there + there.max(back)) / (a - 1), "divergence")


# --- expected values ---------------------------------------------------------------------------------------------


def _beta(ones: int, zeros: int) -> Fraction:
    """Return the integral of p^ones (1-p)^zeros over [0, 1]."""
    return Fraction(factorial(ones) * factorial(zeros), factorial(ones + zeros + 1))


def _least_sum(clients: float) -> tuple[Interval, Interval]:
    """Return 1 and 12 times the least mean of (f - P)^2 + f sum(X_i - P): a parabola in f for each number of ones."""
    n, least = int(clients), Fraction(0)
    for ones in range(n + 1):
        mass, mean, square = (_beta(ones + power, n - ones) for power in range(3))
        # f^2 mass + f (ones mass - n mean - 2 mean) + square, where the mean of the sum is taken at f.
        slope = ones * mass - (n + 2) * mean
        f = min(max(-slope / (2 * mass), Fraction(0)), Fraction(1))
        least += comb(n, ones) * (f * f * mass + f * slope + square)
    return enclose(1, "error"), enclose(12 * least, "error")


def _largest_mean(law: Weights, kappa: Fraction, delta: Fraction) -> Fraction:
    """Return the largest mean of a law whose events are within kappa and delta of another's, in both directions.

    By tails: the means of both are sums of tails, and those of the largest law are as large as all tails allow.
    """
    total = VALUES[0]
    for place in range(1, len(VALUES)):
        tail = sum(law[place:], Fraction(0))
        largest = min(kappa * tail + delta, 1 - (1 - tail - delta) / kappa, Fraction(1))
        total += (VALUES[place] - VALUES[place - 1]) * largest
    return total


def _expected_values(ratio: float, delta: float) -> tuple[Interval, Interval]:
    kappa, slack = Fraction(ratio), Fraction(delta)
    worst, right_of_worst = Fraction(-10), Fraction(0)
    for cuts in combinations(range(1, 10), len(VALUES) - 1):
        law = tuple(Fraction(high - low, 10) for low, high in zip((0, *cuts), (*cuts, 10), strict=True))
        mean = sum((one * value for one, value in zip(law, VALUES, strict=True)), Fraction(0))
        size = sum((one * abs(value) for one, value in zip(law, VALUES, strict=True)), Fraction(0))
        left = _largest_mean(law, kappa, slack) + 1
        right = mean + (kappa - 1) * size + 2 * slack * VALUES[-1] + 1
        if left - right > worst:
            worst, right_of_worst = left - right, right
    # Both sides are shifted by 1, so that neither is negative.
    return enclose(worst + right_of_worst, "mean plus 1"), enclose(right_of_worst, "mean plus 1")


CHECKS: Mapping[str, Check] = {
    "4/dominates": _worst_test,
    "23/pure": _pure_part,
    "26/claim": _least_sum,
    "27/claim": _expected_values,
    "31/adaptive": _adaptive_coins,
}
