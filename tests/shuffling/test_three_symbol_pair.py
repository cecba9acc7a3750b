import math
import random
from fractions import Fraction

import numpy as np
import pytest
import shuffle_twins as twins
from flint import arb, ctx

from pldcheck.shuffling import three_symbol_pair as pairs
from pldcheck.shuffling.saddle_start import estimate_epsilon

MAKE = {"clones": pairs.clones, "stronger": pairs.stronger_clones}
MAKE |= {f"third:{k}": lambda n, e, k=k: pairs.response_third(n, e, k) for k in (3, 4, 7)}
MAKE |= {f"sameQ:{k}": lambda n, e, k=k: pairs.response_same(n, e, k)[0] for k in (2, 3, 5)}
MAKE |= {f"sameP:{k}": lambda n, e, k=k: pairs.response_same(n, e, k)[1] for k in (2, 3, 5)}
SHARES = (0.0, 0.01, 0.05, 0.2, 0.5, 0.9, 0.999)


@pytest.fixture(autouse=True)
def _many_digits():
    with ctx.workprec(twins.BITS):
        yield


def contains(interval, truth):
    return not truth < interval.lower and not truth > interval.upper


def narrow(interval, truth):
    """Return whether an interval is narrow to about 1e-10 of epsilon: delta falls with about 2 log(1/delta) times its
    rate.
    """
    return interval.upper - interval.lower <= 3e-10 * truth * (1.0 - math.log(float(truth)))


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_pairs_agree_with_all_multisets_in_rationals(kind, n):
    # x and e^epsilon rational for the identity, and balls around e to the rounded logarithms for the answers.
    for x in (Fraction(11, 10), Fraction(5, 2), Fraction(40)):
        pair = MAKE[kind](n, math.log(x))
        p, q, w = twins.pair_rows(kind, x)
        assert sum(p) == sum(q) == sum(w) == 1
        for kappa in (Fraction(1), 1 + (x - 1) / 9, 1 + (x - 1) * 3 / 4):
            exact = twins.identity_delta(p, q, w, n, kappa)
            interval = pair.delta(math.log(kappa))
            rows = twins.pair_rows(kind, arb(math.log(x)).exp())
            low, high = twins.ends(twins.identity_delta(*rows, n, arb(math.log(kappa)).exp()))
            assert interval.lower <= high and low <= interval.upper
            assert abs(exact - high) <= high / 10**9
            if n <= 5:  # the identity itself: the laws of the multisets, one message at a time
                assert twins.direct_delta(p, q, [w] * (n - 1), kappa) == exact


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 60, 500])
@pytest.mark.parametrize("eps0", [0.01, 0.3, 1.0, 3.0, 8.0, 20.0])
def test_the_interval_contains_the_double_sum_in_balls(kind, n, eps0):
    pair, rows = MAKE[kind](n, eps0), twins.pair_rows(kind, arb(eps0).exp())
    for share in SHARES:
        epsilon = eps0 * share
        interval, truth = pair.delta(epsilon), twins.pair_delta(n, rows, arb(epsilon).exp())
        assert contains(interval, truth), (epsilon, interval, truth)
        # Near eps0 thresholds are differences of near numbers.
        if share <= 0.5 and eps0 <= 3 and truth > 1e-200:
            assert narrow(interval, truth), (epsilon, interval, truth)


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize(("eps0", "share"), [(0.3, 0.05), (1.0, 0.01), (1.0, 0.2), (4.0, 0.05)])
def test_the_interval_contains_the_double_sum_of_4000_messages(kind, eps0, share):
    interval = MAKE[kind](4000, eps0).delta(share * eps0)
    truth = twins.pair_delta(4000, twins.pair_rows(kind, arb(eps0).exp()), arb(share * eps0).exp())
    assert contains(interval, truth)
    assert narrow(interval, truth)


@pytest.mark.nightly
@pytest.mark.parametrize("n", [10**7, 10**8])
def test_the_interval_contains_a_window_of_many_messages(n):
    # c within 9 deviations; outside lies at most e^-38 (Chernoff), times the largest gain e - 1: 1.1e-16 in all.
    with ctx.workprec(twins.BITS):
        rows = twins.pair_rows("clones", arb(1).exp())
        epsilon = 5 * pairs.clones(n, 1.0).deviation
        first, last = twins.window(n, math.exp(-1), 9.0 if n == 10**7 else 3.0)
        truth = twins.pair_delta(n, rows, arb(epsilon).exp(), first, last)
        interval = pairs.clones(n, 1.0).delta(epsilon)
    assert interval.upper >= truth
    if n == 10**7:
        assert interval.lower <= truth + arb(1.1e-16) and interval.upper <= float(truth) * (1 + 1e-9)


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 60, 500])
@pytest.mark.parametrize("eps0", [0.01, 0.3, 3.0, 8.0, 15.0])
def test_an_epsilon_next_to_eps0_is_enclosed(kind, n, eps0):
    # Rounded thresholds passed the last count, and delta came out as 0; or the window's logarithm was negative.
    pair, rows = MAKE[kind](n, eps0), twins.pair_rows(kind, arb(eps0).exp())
    for share in (1e-6, 1e-9, 1e-12, 1e-15):
        epsilon = eps0 * (1 - share)
        interval, truth = pair.delta(epsilon), twins.pair_delta(n, rows, arb(epsilon).exp())
        assert contains(interval, truth), (share, interval, truth)
    assert pair.delta(eps0).upper == 0.0
    assert pair.delta(2 * eps0 + 1).upper == 0.0


def test_a_window_that_begins_where_probabilities_underflow_is_enclosed():
    # The upper end was 1.87e-107.
    pair, rows = pairs.stronger_clones(500, 0.3), twins.pair_rows("stronger", arb(0.3).exp())
    for epsilon in (0.25, 0.26, 0.27, 0.28, 0.29):
        interval, truth = pair.delta(epsilon), twins.pair_delta(500, rows, arb(epsilon).exp())
        assert contains(interval, truth), (epsilon, interval, truth)


@pytest.mark.parametrize("kind", ["sameQ:3", "sameQ:5"])
def test_nearly_certain_responses_are_enclosed(kind):
    # P(c = window's begin) underflowed: delta was in [0, 1.1e-11] by these, the truth is 0.9999998.
    rows = twins.pair_rows(kind, arb(20).exp())
    for n in (60, 500, 4000):
        for epsilon in (0.2, 1.0, 10.0):
            interval, truth = MAKE[kind](n, 20.0).delta(epsilon), twins.pair_delta(n, rows, arb(epsilon).exp())
            assert contains(interval, truth), (n, epsilon, interval, truth)


@pytest.mark.parametrize("eps0", [12.0, 16.0, 20.0])
@pytest.mark.parametrize("n", [3, 10, 40])
def test_thresholds_on_an_integer_are_enclosed(n, eps0):
    # tau within a few spacings of 1, 2, 3: which side it is on decides over the first term.
    pair, rows = pairs.response_same(n, eps0, 2)[0], twins.pair_rows("sameQ:2", arb(eps0).exp())
    for target in (1, 2, 3):
        epsilon = math.log1p((target - pair.up * n) / (n * pair.intercept))
        if epsilon >= eps0:
            continue
        for steps in range(-4, 5):
            near = epsilon + steps * math.ulp(epsilon)
            assert contains(pair.delta(near), twins.pair_delta(n, rows, arb(near).exp()))


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("seed", range(3))
def test_epsilon_has_delta_on_the_right_sides(kind, seed):
    draw = random.Random(f"{kind} {seed}")
    n, eps0 = draw.choice([1, 2, 7, 40, 300]), draw.choice([0.01, 0.2, 1.0, 2.5, 6.0])
    delta = 10.0 ** -draw.uniform(0.5, 40)
    pair, rows = MAKE[kind](n, eps0), twins.pair_rows(kind, arb(eps0).exp())
    low, high, _ = pair.epsilon(delta)
    assert 0.0 <= low <= high <= eps0
    assert high == eps0 or not twins.pair_delta(n, rows, arb(high).exp()) > delta
    assert low == 0.0 or not twins.pair_delta(n, rows, arb(low).exp()) < delta


@pytest.mark.parametrize("kind", ["clones", "stronger", "third:3", "third:7", "sameQ:2", "sameP:3"])
@pytest.mark.parametrize("n", [10, 100, 10**4, 10**6, 10**9])
@pytest.mark.parametrize("eps0", [0.01, 0.3, 1.0, 3.0, 10.0])
def test_epsilon_is_narrow(kind, n, eps0):
    check_narrow(MAKE[kind](n, eps0), (1e-2, 1e-6, 1e-20, 1e-100))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["stronger", "third:3"])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 6.0])
def test_epsilon_is_narrow_for_a_trillion_messages(kind, eps0):
    check_narrow(MAKE[kind](10**12, eps0), (1e-8, 1e-50))


def check_narrow(pair, deltas):
    for delta in deltas:
        low, high, ends = pair.epsilon(delta)
        if high == 0.0:
            assert pair.delta(0.0).lower <= delta
            continue
        assert ends.upper <= delta
        # Steep or flat: what double precision resolves of delta near eps0 and near epsilon = 0 is the rest.
        width = 1e-7 if pair.largest >= 10 else 1e-8
        assert high - low <= width * high or pair.delta(0.0).lower <= delta * (1 + 1e-8), (delta, low, high)


@pytest.mark.parametrize(("n", "eps0"), [(1000, 0.1), (10**4, 3.0), (4000, 3.0)])
@pytest.mark.parametrize("kind", ["stronger", "third:3", "clones"])
def test_tiny_deltas_are_answered(kind, n, eps0):
    # At n = 10^4, eps0 = 3 the upper end for 1e-100 was 0.163, where delta is 5.5e-5: windows for 1e-100 began where
    # probabilities underflow, and empty sums passed for a small delta.
    pair, rows = MAKE[kind](n, eps0), twins.pair_rows(kind, arb(eps0).exp())
    for delta in (1e-40, 1e-80, 1e-100):
        low, high, _ = pair.epsilon(delta)
        assert low <= high
        assert high == eps0 or not twins.pair_delta(n, rows, arb(high).exp()) > delta
        assert low == 0.0 or not twins.pair_delta(n, rows, arb(low).exp()) < delta


@pytest.mark.parametrize("kind", ["clones", "stronger"])
def test_epsilon_is_monotone_in_clients_budget_and_delta(kind):
    make = MAKE[kind]
    for delta in (1e-3, 1e-9):
        chains = [[make(n, 1.5).epsilon(delta) for n in (1, 2, 3, 10, 50, 400, 10**4, 10**7)]]
        chains.append([make(300, eps0).epsilon(delta) for eps0 in (6.0, 3.0, 1.0, 0.5, 0.1)])
        for chain in chains:
            assert all(after[0] <= before[1] for before, after in zip(chain, chain[1:], strict=False))
    chain = [make(300, 1.0).epsilon(10.0**-power) for power in range(1, 30)]
    assert all(before[0] <= after[1] for before, after in zip(chain, chain[1:], strict=False))


def test_one_message_is_randomized_response():
    for name, make in MAKE.items():
        for eps0 in (0.1, 1.0, 5.0):
            pair, x = make(1, eps0), arb(eps0).exp()
            for share in (0.0, 0.3, 0.8):
                (p, q, _), kappa = twins.pair_rows(name, x), arb(eps0 * share).exp()
                truth = sum(((a - kappa * b).max(arb(0)) for a, b in zip(p, q, strict=True)), arb(0))
                assert contains(pair.delta(eps0 * share), truth)


def test_delta_beyond_delta_of_zero_gives_epsilon_zero():
    for make in MAKE.values():
        pair = make(50, 1.0)
        zero = pair.delta(0.0)
        assert pair.epsilon(min(zero.upper * (1 + 1e-9), 0.999))[:2] == (0.0, 0.0)
        low, high, _ = pair.epsilon(zero.lower * (1 - 1e-6))
        assert 0.0 < high and low <= high


# Sheet 4, table 5.1 (delta = 1e-6): n, eps0, FMT21 num, FMT22 num, LB 2-RR, LB 3-RR.
TABLE = """
1000 0.2 0.022772 0.021630 0.020700 0.017680
1000 0.4 0.052999 0.048101 0.044351 0.040081
1000 0.6 0.089646 0.078139 0.069803 0.066315
1000 0.8 0.132734 0.111638 0.097084 0.096423
1000 1.0 0.182412 0.148671 0.126614 0.130566
10000 0.2 0.006503 0.006172 0.005871 0.005031
10000 0.4 0.015291 0.013865 0.012628 0.011538
10000 0.6 0.025982 0.022627 0.019842 0.019198
10000 0.8 0.038552 0.032407 0.027504 0.028007
10000 1.0 0.053005 0.043206 0.035659 0.037998
100000 0.2 0.001816 0.001722 0.001633 0.001397
100000 0.4 0.004337 0.003927 0.003559 0.003258
100000 0.6 0.007428 0.006456 0.005622 0.005465
100000 0.8 0.011076 0.009291 0.007813 0.008016
100000 1.0 0.015282 0.012430 0.010142 0.010917
"""


@pytest.mark.parametrize("line", TABLE.strip().splitlines())
def test_the_table_of_the_theory_is_reproduced(line):
    n, eps0, *texts = line.split()
    n, eps0 = int(n), float(eps0)
    intervals = [make(n, eps0).epsilon(1e-6)[:2] for make in (pairs.clones, pairs.stronger_clones)]
    both = [pair.epsilon(1e-6)[:2] for pair in pairs.response_same(n, eps0, 2)]
    intervals += [max(both), pairs.response_third(n, eps0, 3).epsilon(1e-6)[:2]]
    for (low, high), text in zip(intervals, texts, strict=True):
        assert f"{low:.6f}" == f"{high:.6f}" == text


# Sheet 4, table 5.2: n, eps0, delta, FMT21's epsilon to the digits that its width allows.
PRECISE = [
    (10**3, 1, 1e-6, "0.18241234748"),
    (10**3, 3, 1e-8, "1.6822918390"),
    (10**4, 1, 1e-6, "0.05300531647"),
    (10**4, 1, 1e-8, "0.068880423781"),
    (10**4, 3, 1e-6, "0.320719716869"),
    (10**4, 3, 1e-8, "0.402275011792"),
    (10**5, 1, 1e-6, "0.015282062390"),
    (10**5, 1, 1e-8, "0.020593414807"),
    (10**5, 3, 1e-6, "0.092757538080"),
    (10**5, 3, 1e-8, "0.118916856896"),
]


@pytest.mark.parametrize(("n", "eps0", "delta", "digits"), PRECISE)
def test_the_precise_epsilons_of_the_theory_are_reproduced(n, eps0, delta, digits):
    low, high, _ = pairs.clones(n, float(eps0)).epsilon(delta)
    # its last digit is rounded, its own width 2.6e-11
    unit = 10.0 ** -len(digits.partition(".")[2])
    assert low - unit - 5e-11 * low <= float(digits) <= high + unit + 5e-11 * high
    assert high - low <= 1e-10 * high


# Sheet 4, end of 5.2: n = 1e8, eps0 = 1, delta = 1e-6.
@pytest.mark.parametrize(
    ("kind", "value_of_sheet", "relative"),
    [("clones", 3.19209418802e-4, 1e-10), ("stronger", 2.55214974447e-4, 1e-10), ("sameQ:2", 2.0366843e-4, 3e-8)],
)
def test_the_epsilon_of_a_hundred_million_messages_is_reproduced(kind, value_of_sheet, relative):
    low, high, _ = MAKE[kind](10**8, 1.0).epsilon(1e-6)
    if kind == "sameQ:2":
        other = MAKE["sameP:2"](10**8, 1.0).epsilon(1e-6)
        low, high = max(low, other[0]), max(high, other[1])
    assert abs(low / value_of_sheet - 1) < relative and abs(high / value_of_sheet - 1) < relative


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("n", [100, 10**4, 10**6])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
def test_the_search_starts_near(kind, n, eps0):
    pair = MAKE[kind](n, eps0)
    p, q, w = (np.array(row) for row in pair.rows)
    support = w > 0.0
    for delta in (1e-4, 1e-8, 1e-30):
        low, high, _ = pair.epsilon(delta)
        start, slope = estimate_epsilon(p[support], q[support], w[support], n, eps0, delta)
        assert slope > 0.0 and 0.0 <= start < eps0
        if 1e-3 * pair.deviation < low < 0.5 * eps0 and n * pair.some > 100.0:
            assert start == pytest.approx(high, rel=0.1)


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize(("n", "eps0", "delta"), [(401246450, 7.25e-17, 1.94e-49), (326482406, 5.67e-16, 6.38e-35)])
def test_the_search_at_tiny_budgets_starts_near_its_end(kind, n, eps0, delta, monkeypatch):
    # There P/W - 1 is 0 in doubles; a start at the largest loss took a minute of windows as wide as all messages.
    questions, own = [], pairs.Pair.delta

    def count_questions(pair, epsilon, about=0.0):
        questions.append(epsilon)
        return own(pair, epsilon, about)

    monkeypatch.setattr(pairs.Pair, "delta", count_questions)
    low, high, _ = MAKE[kind](n, eps0).epsilon(delta)
    # A pair of so many messages is close to normal: no look is far beyond the crossing.
    assert max(questions) <= 4 * high
    assert 0.0 < low <= high <= low * (1 + 1e-6)
