"""One-run audits of Steinke, Nasr and Jagielski: the formula typed again, its conditions, and small mechanisms."""

import doctest
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REMARKS
from pldcheck.theorems.steinke23 import one_run_tail as module
from pldcheck.theorems.steinke23.one_run_tail import ACCURACY, LEFT_OUT, one_run_tail


def typed_again(m, r, v, epsilon, delta):
    """Return the bound at 60 digits, with the maximum over all i up to m, as the theorem has it."""
    with mpmath.workdps(60):
        q = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))

        law = [mpmath.binomial(r, k) * q**k * (1 - q) ** (r - k) for k in range(r + 1)]

        def f(least):
            return mpmath.fsum(law[max(least, 0) :])

        largest = max((f(v - i) - f(v)) / i for i in range(1, m + 1))
        return min(mpmath.mpf(1), f(v) + 2 * m * delta * largest)


def draws(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        r = int(rng.integers(0, 40))
        yield r + int(rng.integers(1, 30)), r, int(rng.integers(0, r + 1)), 6 * rng.random(), 10.0 ** -rng.uniform(0, 9)


def test_the_formula_agrees_with_its_text_typed_again():
    for m, r, v, epsilon, delta in [*draws(60, 1), (5, 5, 5, 0.0, 0.0), (7, 3, 0, 1.0, 0.5), (9, 4, 4, 12.0, 1e-3)]:
        value = one_run_tail(canaries=m, guesses=r, correct=v, epsilon=epsilon, delta=delta)
        truth = typed_again(m, r, v, epsilon, delta)
        assert abs(value - truth) <= ACCURACY * truth + LEFT_OUT, (m, r, v, epsilon, delta)


@pytest.mark.nightly
def test_many_guesses_agree_with_incomplete_beta_functions():
    rng = np.random.default_rng(2)
    for r in (1_000, 30_000, 100_000):
        for _ in range(4):
            epsilon = 3 * rng.random()
            with ctx.workprec(200):
                q = 1 / (1 + (-arb(epsilon)).exp())
                v = min(int(r * float(q) + rng.uniform(-3, 8) * (r * float(q * (1 - q))) ** 0.5), r)
                truth = float(q.beta_lower(arb(v), arb(r - v + 1), regularized=True))
            value = one_run_tail(canaries=r, guesses=r, correct=v, epsilon=epsilon, delta=0.0)
            assert abs(value - truth) <= ACCURACY * truth + LEFT_OUT, (r, v, epsilon)


def test_each_condition_is_refused_beyond_its_edge_only():
    good = {"canaries": 5, "guesses": 4, "correct": 4, "epsilon": 1.0, "delta": 0.0}
    assert one_run_tail(**good) < 1.0
    assert one_run_tail(**{**good, "canaries": 4}) < 1.0
    for change, text in (
        ({"correct": 5}, "correct <= guesses"),
        ({"canaries": 3}, "guesses <= canaries"),
        ({"canaries": 10**6, "guesses": module.MOST_GUESSES + 1}, "guesses <= 100000"),
    ):
        with pytest.raises(ConditionError, match=f"snj-one-run requires {text}"):
            one_run_tail(**{**good, **change})
    most = {"canaries": 10**6, "guesses": module.MOST_GUESSES, "correct": 10**5, "epsilon": 1.0, "delta": 0.0}
    assert one_run_tail(**most) < 1e-300


def right_guesses(reveal_one, reveal_all, q, m):
    """Return the law of the number of right guesses of all coins, in fractions, by enumeration.

    With probability ``reveal_all`` every coin is told, else each by itself with probability ``reveal_one``; a coin that
    is not told is guessed right with probability q.
    """
    each = reveal_one + (1 - reveal_one) * q
    law = [(1 - reveal_all) * comb(m, k) * each**k * (1 - each) ** (m - k) for k in range(m + 1)]
    law[m] += reveal_all
    return law


@pytest.mark.nightly
@pytest.mark.parametrize("m", [1, 2, 5, 9])
@pytest.mark.parametrize("odds", [Fraction(1), Fraction(2), Fraction(20)])
def test_mechanisms_of_few_canaries_are_below_the_bound(m, odds):
    # Both are (log odds, delta)-DP in each coin: told with probability delta, by itself or with all others.
    q, epsilon = odds / (1 + odds), float(mpmath.log(odds.numerator) - mpmath.log(odds.denominator))
    for delta in (Fraction(0), Fraction(1, 100), Fraction(1, 4)):
        for law in (right_guesses(delta, 0, q, m), right_guesses(0, delta, q, m)):
            for v in range(m + 1):
                bound = one_run_tail(canaries=m, guesses=m, correct=v, epsilon=epsilon, delta=float(delta))
                tail = sum(law[v:])
                assert tail <= bound * (1 + 1e-9), (v, delta)
                # Without delta it is attained.
                assert delta or tail >= bound * (1 - 1e-9)


@pytest.mark.nightly
def test_guesses_that_depend_on_each_other_are_below_the_bound():
    # Every function of the output of randomized response on three coins that guesses two of them, in fractions.
    q = Fraction(3, 4)
    epsilon = float(mpmath.log(3))
    bounds = [one_run_tail(canaries=3, guesses=2, correct=v, epsilon=epsilon, delta=0.0) for v in range(3)]
    signs = list(product((1, -1), repeat=3))
    choices = [guess for guess in product((1, 0, -1), repeat=3) if sum(map(abs, guess)) == 2]
    best = [Fraction(0)] * 3
    for output in signs:
        # The best guess for a number v, given the output: the probability is a sum over outputs, each 1/8.
        chance = {
            coins: q ** sum(a == b for a, b in zip(coins, output, strict=True))
            * (1 - q) ** sum(a != b for a, b in zip(coins, output, strict=True))
            for coins in signs
        }
        for v in range(3):
            best[v] += max(
                sum(
                    p
                    for coins, p in chance.items()
                    if sum(max(0, s * g) for s, g in zip(coins, guess, strict=True)) >= v
                )
                for guess in choices
            ) / Fraction(8)
    assert all(tail <= bound * (1 + 1e-12) for tail, bound in zip(best, bounds, strict=True))
    assert best[2] == q**2


@pytest.mark.nightly
def test_the_remark_marks_what_is_recalled():
    remark = REMARKS["snj-one-run"]
    assert "recalled" in remark.source.where and "recalled, not read" in remark.notes
    assert doctest.testmod(module, raise_on_error=True).attempted == 1
