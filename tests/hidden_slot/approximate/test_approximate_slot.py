"""One hidden slot behind (eps0, delta0)-DP randomizers, against enumerations of all outputs."""

import itertools
from fractions import Fraction
from math import comb, exp, expm1, inf, log, log1p, prod

import mpmath
import numpy as np
import pytest
from flint import arb

from pldcheck.core.errors import ParameterError
from pldcheck.hidden_slot.approximate import near_pure
from pldcheck.hidden_slot.approximate.approximate_slot import one_slot_upper, pure_slot, square_upper
from pldcheck.hidden_slot.worst import worst_intervals
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.protocols import CheckIn, HiddenSlot, SlidingWindow

POWERS = {
    "BE": {(0, -1): 1, (0, 1): 0},
    "CF": {(1, 0): 0, (-1, 0): 1},
    "ACE": {(-1, -1): 1, (1, 0): 0, (0, 1): 0},
}


def law(name, x):
    """Return the rows of a pure randomizer on g, d, d'."""
    weights = {ratios: x**power for ratios, power in POWERS[name].items()}
    total = sum(weights.values())
    return [[weight / total * x ** (i and ratios[i - 1]) for ratios, weight in weights.items()] for i in range(3)]


def revealing_rows(rows, delta0):
    """Return the same rows, but with probability delta0 the output names d or d'."""
    return [
        [*rows[0], 0, 0],
        [*((1 - delta0) * mass for mass in rows[1]), delta0, 0],
        [*((1 - delta0) * mass for mass in rows[2]), 0, delta0],
    ]


def divergence(p, q, kappa):
    return sum(max(a - kappa * b, 0) for a, b in zip(p, q, strict=True))


def balls_divergence(p, q, kappa):
    return sum((arb.max(a - kappa * b, arb(0)) for a, b in zip(p, q, strict=True)), arb(0))


def slots(tables, w):
    """Return the laws of all outputs under d and under d', one table a slot."""
    m, laws = len(tables), []
    for party in (1, 2):
        law = []
        for outputs in itertools.product(*(range(len(table[0])) for table in tables)):
            without = [table[0][z] for table, z in zip(tables, outputs, strict=True)]
            mass = (1 - w) * prod(without)
            for i in range(m):
                mass = mass + w * prod(without[:i]) * tables[i][party][outputs[i]] * prod(without[i + 1 :]) / m
            law.append(mass)
        laws.append(law)
    return laws


# --- exact answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POWERS)
@pytest.mark.parametrize(("m", "w"), [(1, Fraction(1)), (2, Fraction(1, 3)), (3, Fraction(1))])
def test_revealing_randomizers_are_approximate_and_attain_the_lower_end(m, w, name):
    x, delta0 = Fraction(2), Fraction(1, 50)
    table = revealing_rows(law(name, x), delta0)
    assert max(divergence(p, q, x) for p, q in itertools.permutations(table, 2)) == delta0
    p, q = slots([table] * m, w)
    pure = slots([law(name, x)] * m, w * (1 - delta0) / (1 - w * delta0))
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(3, 2)):
        kappa = 1 + share * w * (x - 1)
        exact = divergence(p, q, kappa)
        assert exact == w * delta0 + (1 - w * delta0) * divergence(*pure, kappa)
        interval = HiddenSlot(m, log(2), float(w), delta0=float(delta0)).delta(log(kappa))
        # The same from the floats that are asked about, in balls.
        x_ball, weight, reveal = arb(log(2)).exp(), arb(float(w)), arb(float(delta0))
        revealing_table = revealing_rows(law(name, x_ball), reveal)
        truth = balls_divergence(*slots([revealing_table] * m, weight), arb(log(kappa)).exp())
        assert abs(float(truth) - float(exact)) < 1e-14
        assert truth.lower() <= arb(interval.upper)  # other laws may do better than this one
        assert interval.lower >= float(truth) * (1 - 1e-12)


def extreme_table(random, x, delta0):
    """Return a pure law moved towards something else as far as (eps0, delta0)-DP allows, in fractions, for x a
    fraction.
    """
    exact_x, x = x, float(x)
    exact_rows = law(random.choice(list(POWERS)), exact_x)
    rows = np.array(exact_rows, dtype=float)
    base = np.hstack([rows, np.zeros((3, 3))])
    n = base.shape[1]
    aim = np.eye(n)[random.integers(n, size=3)] if random.random() < 0.5 else random.dirichlet(np.full(n, 0.3), 3)
    extreme = random.random(3) < 0.3
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        table = np.where(extreme[:, None], base, (1 - middle) * base + middle * aim)
        is_close_enough = max(divergence(p, q, x) for p, q in itertools.permutations(table, 2)) <= delta0
        low, high = (middle, high) if is_close_enough else (low, middle)
    # What was found in floats is made exact, a little on this side.
    share, goal = Fraction(low) * (1 - Fraction(1, 10**12)), np.vectorize(Fraction)(aim)
    goal /= goal.sum(axis=1)[:, None]
    start = np.array([[*row, 0, 0, 0] for row in exact_rows], dtype=object)
    table = np.where(extreme[:, None], start, (1 - share) * start + share * goal)
    assert max(divergence(p, q, exact_x) for p, q in itertools.permutations(table, 2)) <= Fraction(delta0)
    return table


@pytest.mark.parametrize("delta0", [0.001, 0.02, 0.2])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 2.0])
def test_no_randomizer_is_above_any_upper_end(eps0, delta0):
    random, tightest = np.random.default_rng(17), 0.0
    for trial in range(16):
        m, w = trial % 3 + 1, (1.0, 0.7, 0.2)[trial % 3 - trial % 2]
        slot = Slot(m, eps0, w)
        # Just below e^eps0: what is approximately DP with it is so with eps0.
        x = Fraction(exp(eps0)) * (1 - Fraction(1, 10**15))
        one = extreme_table(random, x, delta0)
        tables = [one] * m if trial % 2 else [extreme_table(random, x, delta0) for _ in range(m)]
        p, q = slots(tables, Fraction(w))
        for share in (0.0, 1e-6, 0.05, 0.5, 0.95):
            epsilon = share * slot.cap
            kappa = Fraction(exp(epsilon)) * (1 + Fraction(1, 10**15))  # above e^epsilon: delta is no larger there
            divergence_reached = max(divergence(p, q, kappa), divergence(q, p, kappa))
            ends = (
                one_slot_upper(slot, delta0, epsilon),
                near_pure.delta_upper(slot, delta0, epsilon, worst_intervals.delta_above),
                square_upper(slot, delta0, epsilon),
            )
            assert divergence_reached <= min(ends)
            tightest = max(tightest, float(divergence_reached) / min(ends))
    assert tightest > 0.9


def test_one_slot_used_for_certain_is_the_dominating_pair():
    # Kairouz, Oh, Viswanath 2017: delta0 + (1 - delta0) (x - kappa)/(1 + x), attained by BE or CF with a reveal.
    for eps0, delta0, epsilon in itertools.product((0.1, 1.0, 4.0), (1e-12, 1e-3, 0.3), (0.3, 0.9)):
        interval = HiddenSlot(1, eps0, delta0=delta0).delta(epsilon * eps0)
        x, kappa = arb(eps0).exp(), arb(epsilon * eps0).exp()
        exact = arb(delta0) + (1 - arb(delta0)) * (x - kappa) / (1 + x)
        assert arb(interval.lower) <= exact.upper() and exact.lower() <= arb(interval.upper)
        assert interval.relative_width < delta0 + 1e-9


# --- widths -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.5, 0.9])
@pytest.mark.parametrize(
    ("m", "eps0", "w"),
    [
        (100, 1.0, 1.0),
        pytest.param(1000, 4.0, 1.0, marks=pytest.mark.nightly),
        (1000, 0.5, 0.1),
        (10**6, 1.0, 0.5),
    ],
)
def test_the_two_ends_are_close_however_much_of_delta_is_revealed(m, eps0, w, share):
    delta = 1e-7
    interval = HiddenSlot(m, eps0, w, delta0=share * delta / w).epsilon(delta)
    assert 0.0 < interval.relative_width < 0.01
    assert 0.0 <= interval.budget.discretisation <= delta
    # What is left for the pure randomizer.
    pure = HiddenSlot(m, eps0, w).epsilon((1 - share) * delta)
    assert interval.upper >= pure.lower * (1 - 1e-6) and interval.lower <= pure.upper


def test_with_no_delta0_it_is_the_pure_answer_and_with_next_to_none_nearly():
    for adjacency in ("replace", "zero-out"):
        pure = HiddenSlot(1000, 1.0, adjacency=adjacency)
        assert HiddenSlot(1000, 1.0, adjacency=adjacency, delta0=0.0).epsilon(1e-6) == pure.epsilon(1e-6)
        least = HiddenSlot(1000, 1.0, adjacency=adjacency, delta0=1e-300).epsilon(1e-6)
        assert least.lower == pytest.approx(pure.epsilon(1e-6).lower, rel=1e-8)
        assert least.upper == pytest.approx(pure.epsilon(1e-6).upper, rel=1e-4)


def test_epsilon_and_delta_agree():
    slot = HiddenSlot(200, 1.0, 0.8, delta0=2e-7)
    interval = slot.epsilon(1e-6)
    assert slot.delta(interval.upper).lower <= 1e-6 * (1 + 1e-9) and slot.delta(interval.lower).upper >= 1e-6 * (
        1 - 1e-9
    )


@pytest.mark.parametrize("delta0", [1e-300, 1e-8, 1e-5])
def test_delta_at_zero_is_as_narrow_as_next_to_it(delta0):
    slot = HiddenSlot(1000, 1.0, delta0=delta0)
    at_zero, beside = slot.delta(0.0), slot.delta(1e-6)
    assert beside.lower <= at_zero.upper and at_zero.lower <= beside.upper + 1.1e-6
    assert at_zero.relative_width < 0.005
    # From there on epsilon is 0; a little below delta(0) it is small, not as large as one slot's.
    assert slot.epsilon(at_zero.upper * 1.001).upper == 0.0
    assert slot.epsilon(at_zero.lower).upper < 4.0 * (delta0 + at_zero.width)


def test_what_kappa_is_moved_by_is_paid_for():
    for delta0, eps0, weight in itertools.product((1e-12, 1e-4), (0.3, 2.0), (1.0, 0.2)):
        slot = Slot(50, eps0, weight)
        near = near_pure.nearby_randomizers(slot, delta0)
        moved = near.kappa_1_of(near.least_kappa_hat_1)
        at_zero, there = (
            near_pure.delta_upper(slot, delta0, epsilon, worst_intervals.delta_above)
            for epsilon in (0.0, log1p(moved * (1 + 1e-6)))
        )
        assert at_zero >= there + 0.999 * moved


# --- where only delta0 is left ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("adjacency", ["replace", "zero-out"])
def test_beyond_the_largest_epsilon_delta_is_what_is_revealed(adjacency):
    slot = HiddenSlot(50, 1.0, 0.25, adjacency=adjacency, delta0=1e-5)
    largest = log(1 + 0.25 * (exp(1.0) - 1))
    for epsilon in (largest * (1 + 1e-12), 5.0, 800.0):
        interval = slot.delta(epsilon)
        assert 0.25 * 1e-5 in interval and interval.relative_width < 1e-13
    # 0.25 is exact, and so is the comparison with w delta0.
    assert slot.epsilon(0.25 * 1e-5 * (1 - 1e-15)).lower == inf
    at_least = slot.epsilon(0.25 * 1e-5)
    assert at_least.lower > 0.3 * largest and at_least.upper == pytest.approx(largest, rel=1e-13)


def test_more_than_one_half_of_delta0_may_be_revealed():
    interval = HiddenSlot(10, 1.0, delta0=0.9).delta(0.5)
    assert 0.9 < interval.lower < interval.upper <= 1.0
    assert HiddenSlot(10, 1.0, delta0=0.9).epsilon(0.95).upper <= 1.0
    assert HiddenSlot(10, 1.0, delta0=0.9).epsilon(0.5).lower == inf
    # In each of three epochs the record is revealed with probability w delta0; pure randomizers nearby have delta 0.
    nearly = HiddenSlot(2, 2.894182363639622e-11, 1e-12, epochs=3, delta0=0.9999999999).delta(8.681678836335406e-23)
    truth = 1 - (1 - Fraction(1e-12) * Fraction(0.9999999999)) ** 3
    assert truth * Fraction(0.9999999) < Fraction(nearly.lower) <= truth <= nearly.upper < truth * Fraction(1.000001)


# --- zero-out adjacency -----------------------------------------------------------------------------------------------


def trinomial(m, eps0, w, delta0, epsilon):
    """Return delta of the dominating pair in both directions, by the counts of its outputs."""
    x, kappa, w, delta0 = (mpmath.mpf(value) for value in (mpmath.exp(eps0), mpmath.exp(epsilon), w, delta0))
    high, low = (1 - delta0) / (1 + x), (1 - delta0) * x / (1 + x)
    removal = new = mpmath.mpf(0)
    for zeros in range(m + 1):
        for ups in range(m - zeros + 1):
            downs = m - zeros - ups
            chance = comb(m, zeros) * comb(m - zeros, ups) * delta0**zeros * high**ups * low**downs
            mean = (ups * x + downs / x) / m
            removal += chance * max(1 - kappa + w * (mean - 1), 0)
            new += chance * max(1 - kappa + kappa * w * (1 - mean), 0)
    return max(w * delta0 + removal, new)


@pytest.mark.parametrize("delta0", [1e-12, 1e-3, 0.3, 0.8])
@pytest.mark.parametrize(("m", "eps0", "w"), [(1, 1.0, 1.0), (4, 0.1, 0.3), (30, 3.0, 1.0), (30, 1.0, 0.05)])
def test_zero_out_is_exact(m, eps0, w, delta0):
    slot = HiddenSlot(m, eps0, w, adjacency="zero-out", delta0=delta0)
    with mpmath.workdps(40):
        for share in (0.0, 1e-6, 0.1, 0.7):
            epsilon = share * log(1 + w * (exp(eps0) - 1))
            exact, interval = trinomial(m, eps0, w, delta0, epsilon), slot.delta(epsilon)
            assert interval.lower <= exact <= interval.upper
            assert interval.relative_width < 1e-8
        epsilon = 0.1 * log(1 + w * (exp(eps0) - 1))
        exact = float(trinomial(m, eps0, w, delta0, epsilon))
        answer = slot.epsilon(exact)
        assert answer.lower <= epsilon * (1 + 1e-9) and epsilon * (1 - 1e-9) <= answer.upper
        # Else nothing is left to tell one epsilon from the next.
        if exact > w * delta0 * (1 + 1e-6):
            assert answer.relative_width < 1e-6


@pytest.mark.parametrize("delta0", [1e-300, 1e-25, 1e-12])
@pytest.mark.parametrize(("m", "weight"), [(20, 1.0), (60, 0.3)])
def test_zero_out_is_exact_where_little_more_than_delta0_is_left(m, weight, delta0):
    slot = HiddenSlot(m, 1.0, weight, adjacency="zero-out", delta0=delta0)
    largest = log(1 + weight * (exp(1.0) - 1))
    with mpmath.workdps(400):
        for share in (0.6, 0.9, 0.99):
            exact, interval = trinomial(m, 1.0, weight, delta0, share * largest), slot.delta(share * largest)
            assert interval.lower <= exact <= interval.upper
            assert interval.relative_width < 1e-11


def test_zero_out_is_no_more_than_replacement_far_in_the_tail():
    for delta0 in (1e-20, 1e-100):
        removal, other = (
            HiddenSlot(1000, 1.0, adjacency=adjacency, delta0=delta0).epsilon(1000 * delta0)
            for adjacency in ("zero-out", "replace")
        )
        assert removal.upper <= other.upper and removal.relative_width < 1e-9


@pytest.mark.parametrize("delta0", [1e-6, 1e-2])
def test_zero_out_by_inversion_is_the_same(delta0, monkeypatch):
    slot = HiddenSlot(2000, 1.0, 0.7, adjacency="zero-out", delta0=delta0)
    direct = [slot.delta(epsilon) for epsilon in (0.0, 0.003, 0.05)]
    monkeypatch.setattr("pldcheck.hidden_slot.approximate.zero_out_exact.MOST_WORK", 1.0)
    for epsilon, one_interval in zip((0.0, 0.003, 0.05), direct, strict=True):
        interval = slot.delta(epsilon)
        assert interval.lower <= one_interval.upper and one_interval.lower <= interval.upper
        assert interval.relative_width < 1e-4 and interval != one_interval


@pytest.mark.nightly
def test_removal_is_no_more_than_replacement():
    for delta0 in (1e-9, 1e-4):
        removal, other = (HiddenSlot(500, 1.0, delta0=delta0, adjacency=a).delta(0.1) for a in ("zero-out", "replace"))
        assert removal.lower <= other.upper


# --- epochs, losses, other protocols ----------------------------------------------------------------------------------


def epochs_divergence(m, eps0, w, delta0, epochs, epsilon):
    """Return delta of BE that reveals d', in every slot of every epoch, by enumeration."""
    table = revealing_rows(law("BE", exp(eps0)), delta0)
    p, q = (np.array(one) for one in slots([table] * m, w))
    best = 0.0
    for one, other in ((p, q), (q, p)):
        both = np.ones(1), np.ones(1)
        for _ in range(epochs):
            both = tuple(np.multiply.outer(row, new).ravel() for row, new in zip(both, (one, other), strict=True))
        best = max(best, float(np.maximum(both[0] - exp(epsilon) * both[1], 0).sum()))
    return best


@pytest.mark.parametrize("delta0", [1e-6, 0.01])
def test_epochs_contain_an_enumeration(delta0):
    for epsilon in (0.3, 1.0):
        interval = HiddenSlot(3, 1.0, delta0=delta0, epochs=2).delta(epsilon)
        divergence_reached = epochs_divergence(3, 1.0, 1.0, delta0, 2, epsilon)
        assert divergence_reached <= interval.upper and interval.lower >= divergence_reached * (1 - 1e-3)
        assert interval.relative_width < 0.45


def test_epochs_reveal_a_record_more_often():
    slot = HiddenSlot(40, 0.5, 0.5, delta0=1e-7, epochs=10)
    chance_of_reveal = -expm1(10 * log1p(-0.5e-7))
    assert slot.epsilon(chance_of_reveal * (1 - 1e-9)).lower == inf
    interval = slot.epsilon(2 * chance_of_reveal)
    assert interval.upper < inf and interval.relative_width < 0.1
    # With every epoch at the largest epsilon of one.
    assert chance_of_reveal in slot.delta(10 * log(1 + 0.5 * (exp(0.5) - 1)) + 0.1)


@pytest.mark.nightly
def test_losses_are_those_of_the_epochs():
    slot = HiddenSlot(40, 1.0, 0.5, delta0=1e-6)
    answers = [loss.compose(3).epsilon(1e-5) for loss in slot.losses(1e-9)]
    direct = HiddenSlot(40, 1.0, 0.5, delta0=1e-6, epochs=3).epsilon(1e-5)
    for answer in answers:
        assert answer.lower <= direct.upper and direct.lower <= answer.upper
        assert answer.upper == pytest.approx(direct.upper, rel=0.01)


def test_windows_and_check_ins_pass_delta0_on():
    assert SlidingWindow(100, 200, 1.0, 1e-9).reduced == HiddenSlot(100, 1.0, delta0=1e-9)
    assert CheckIn(100, 1.0, 0.5, delta0=1e-9).reduced == HiddenSlot(100, 1.0, 0.5, delta0=1e-9)


def test_the_witness_says_what_is_revealed_and_what_else():
    interval = HiddenSlot(20, 1.0, 0.5, delta0=1e-7).epsilon(1e-6)
    proof = interval.witness
    assert (proof["kind"], proof["delta0"], proof["weight"]) == ("revealing", 1e-7, 0.5)
    inner = proof["otherwise"]
    assert inner["weight"] == pytest.approx(pure_slot(Slot(20, 1.0, 0.5), 1e-7).weight, rel=1e-15)
    assert interval.sources[0].startswith("eps0-DP randomizers that reveal")


@pytest.mark.parametrize("value", [-1e-9, 1.0, "x", float("nan"), None])
def test_a_bad_delta0_is_refused(value):
    with pytest.raises(ParameterError, match=r"^delta0 must be at least 0 and below 1, got"):
        HiddenSlot(10, 1.0, delta0=value)


@pytest.mark.parametrize("delta0", [1.0 - 1e-15, 1.0 - 2.0**-53])
def test_at_the_largest_loss_delta_is_at_most_one(delta0):
    slot = HiddenSlot(9, 7.460269463614433, 1.0, "zero-out", delta0=delta0)
    low, high = slot.delta(7.460269463689036)
    assert low <= delta0 <= high <= 1.0
