"""A hidden slot of binary randomized response, against recursions over all adaptive choices of own records."""

import random
from fractions import Fraction
from functools import cache

import pytest
from flint import arb, ctx

from pldcheck.hidden_slot.known.bounded_ratio_slot import ADAPTIVE_BLOCKS
from pldcheck.protocols import HiddenSlot

BITS = 300


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, BITS
    yield
    ctx.prec = before


def _profile(slots: int, x, kappa, weight) -> object:
    """Return the largest delta: with each slot's own record 0 or 1, chosen by the number of each output so far.

    The record is 1, its replacement 0.  A slot that holds 1 gives 1 with ratios (1, 1/x) and 0 with (1, x); one that
    holds 0 gives 1 with (x, 1) and 0 with (1/x, 1).  Numbers are fractions or balls.
    """
    one = x / x
    likely, unlikely = x / (1 + x), 1 / (1 + x)
    gains = (weight * gain for gain in (one - kappa / x, one - kappa * x, x - kappa, one / x - kappa))
    one_one, one_zero, zero_one, zero_zero = gains  # by what a slot holds, and by what it gives
    absent = (1 - weight) * (1 - kappa)

    @cache
    def value(left: int, ones: int, zeros: int, other_ones: int, other_zeros: int):
        if left == 0:
            total = ones * one_one + zeros * one_zero + other_ones * zero_one + other_zeros * zero_zero + slots * absent
            return total.max(arb(0)) if isinstance(total, arb) else max(total, Fraction(0))
        state = (ones, zeros, other_ones, other_zeros)
        at = [value(left - 1, *(count + (kind == place) for place, count in enumerate(state))) for kind in range(4)]
        holds_one, holds_zero = likely * at[0] + unlikely * at[1], unlikely * at[2] + likely * at[3]
        return holds_one.max(holds_zero) if isinstance(holds_one, arb) else max(holds_one, holds_zero)

    return value(slots, 0, 0, 0, 0) / slots


def _contains(slots: int, eps0: float, epsilon: float, weight: float) -> tuple[float, arb, float]:
    truth = _profile(slots, arb(eps0).exp(), arb(epsilon).exp(), arb(weight))
    answer = HiddenSlot(slots, eps0, weight, randomizer="rr").delta(epsilon)
    assert truth >= answer.lower and truth <= answer.upper, (slots, eps0, epsilon, weight)
    return answer.lower, truth, answer.upper


@pytest.mark.parametrize("seed", range(20))
def test_delta_is_that_of_the_best_adaptive_choice(seed):
    rng = random.Random(seed)
    for _ in range(4):
        eps0, weight = rng.choice([rng.uniform(0.05, 4.0), 10 ** rng.uniform(-6, 0.8)]), rng.choice([1.0, rng.random()])
        share = rng.choice([0.0, rng.random() * 0.8, 1.0 - 10 ** rng.uniform(-6, 0)])
        lower, _, upper = _contains(rng.randint(2, 9), eps0, share * eps0, weight)
        assert upper <= lower * (1.0 + 1e-9) + 1e-12


@pytest.mark.nightly
@pytest.mark.parametrize(("slots", "eps0", "epsilon"), [(64, 1.0, 0.3), (64, 3.0, 1.5), (70, 0.3, 0.02)])
def test_delta_of_more_slots_contains_the_exact_recursion(slots, eps0, epsilon):
    lower, _, upper = _contains(slots, eps0, epsilon, 1.0)
    assert upper <= lower * 1.01


def test_the_recursion_in_balls_is_that_in_fractions():
    x, kappa = Fraction(3), Fraction(5, 4)
    exact = _profile(4, x, kappa, Fraction(1, 2))
    ball = _profile(4, arb(3), arb(5) / 4, arb(1) / 2)
    assert ball.contains(arb(exact.numerator) / exact.denominator)


@pytest.mark.nightly
@pytest.mark.parametrize("eps0", [0.1, 0.5, 2.0, 5.0])
@pytest.mark.parametrize("slots", [2, 10, 100, 1000, 10**5, 10**6])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_epsilon_is_narrow(slots, eps0, delta):
    answer = HiddenSlot(slots, eps0, randomizer="rr").epsilon(delta)
    widest = 0.03 if eps0 == 5.0 and slots > 1000 else 0.006
    assert 0.0 <= answer.lower <= answer.upper <= (1.0 + widest) * answer.lower + 1e-12


@pytest.mark.nightly
def test_the_choice_of_own_records_matters():
    """One own record in all slots gives less than the best choice: a law is missing where answers agree."""
    answer = HiddenSlot(10**6, 2.0, randomizer="rr").epsilon(1e-6)
    worst = HiddenSlot(10**6, 2.0).epsilon(1e-6)
    assert answer.upper < 0.8 * worst.lower
    assert "own records" in answer.sources[0] and "own records" in answer.sources[1]


@pytest.mark.long
def test_epochs_are_those_of_this_randomizer():
    answer, worst = (HiddenSlot(10**4, 2.0, epochs=10, randomizer=name).epsilon(1e-6) for name in ("rr", "worst"))
    assert answer.upper < 0.85 * worst.upper
    assert answer.lower < answer.upper < 1.05 * answer.lower


@pytest.mark.nightly
def test_other_randomizers_have_no_lower_end_of_the_worst_case():
    """Laplace noise and ternary response have ends of their own, or upper ends of the worst case."""
    for randomizer, eps0 in (("laplace", 0.5), ("krr:3", 2.0)):
        answer, worst = (HiddenSlot(1000, eps0, randomizer=name).epsilon(1e-6) for name in (randomizer, "worst"))
        assert answer.lower < worst.lower and answer.upper <= worst.upper
        assert answer.sources[1] in ("the worst randomizer of the same eps0", ADAPTIVE_BLOCKS)
