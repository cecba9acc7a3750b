"""The hidden slot of one client fewer: its theorem on random mechanisms, tau against sums over everything."""

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
import shuffle_twins as twins
from flint import arb

import pldcheck
from pldcheck.hidden_slot.worst import worst_intervals
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.shuffling import one_client_fewer, pair_excess, three_symbol_pair
from pldcheck.shuffling.binomial_cells import binomial_cells
from pldcheck.shuffling.one_client_fewer import Bound
from pldcheck.shuffling.pair_excess import excess_at_counts
from tests.oracles.stored_values import the_one

NAME = "the proven reduction to a hidden slot with n − 1 clients (pldcheck show one-client-fewer)"
OMEGA = Fraction(pair_excess.OMEGA)
UNIT = 2.0**-53


# --- twins: the sums of step 4 as they are written there --------------------------------------------------------------


def half(c, k):
    """Return P(Bin(c, 1/2) = k)."""
    return Fraction(math.comb(c, k), 2**c) if 0 <= k <= c else Fraction(0)


def kinds(c1, c2, x, share):
    """Return laws of the number of Q1 under u and v, x_2 and q_2; ``share`` = 1 - 1/N.

    From the clients' own chances of their labels, not from the formulas of step 4: client 1 has Q1 with x/(x + 1)
    under u, and so on.
    """
    often, seldom = x / (x + 1), 1 / (x + 1)

    def law(c, *clients):
        """Return the law of the number of Q labels among c fair messages and clients with these chances."""
        masses = [half(c, k) + 0 * x for k in range(c + 1)]
        for p in clients:
            masses = [a * (1 - p) + b * p for a, b in zip([*masses, 0], [0, *masses], strict=True)]
        return masses

    u, v = law(c1, often), law(c1, seldom)
    both, first, second = law(c2, often, seldom), law(c2, often, often), law(c2, seldom, seldom)
    gains = [share * (t - (a + b) / 2) for t, a, b in zip(both, first, second, strict=True)]
    return u, v, gains, both


def positive_parts(u, v, gains, both, kappa, zeta, kept=0):
    """Sum over k and l."""
    pairs = itertools.product(zip(u, v, strict=True), zip(gains, both, strict=True))
    return sum(max((a - kappa * b) * (gain + kept * (q - gain)) - zeta * b * q, 0) for (a, b), (gain, q) in pairs)


def double_sum(c1, c2, x, kappa, zeta, share, kept=0):
    """Return the same at C1 = c1, C2 = c2."""
    return positive_parts(*kinds(c1, c2, x, share), kappa, zeta, kept)


def tau(n, x, kappa, zeta, kept=0):
    """Return its mean over C1 and C2."""
    one = x / x
    others_left, first, second, total = n - 3, 2 * OMEGA * one / (x + 1), (1 - OMEGA) * one / x, 0 * one
    for c1 in range(others_left + 1):
        for c2 in range(others_left + 1 - c1):
            mass = math.comb(others_left, c1) * math.comb(others_left - c1, c2) * first**c1 * second**c2
            mass *= (1 - first - second) ** (others_left - c1 - c2)
            total += mass * double_sum(c1, c2, x, kappa, zeta, 1 - one / (n - 1), kept)
    return total


def as_given(x, kappa, zeta):
    """Return what the rounded logarithm of x and the rounded others stand for, to 60 digits."""
    mpmath.mp.dps = 60
    return mpmath.exp(mpmath.mpf(math.log(x))), mpmath.mpf(float(kappa)), mpmath.mpf(float(zeta))


# --- tau --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 5, 8, 12])
@pytest.mark.parametrize("x", [Fraction(21, 20), Fraction(2), Fraction(6), Fraction(50)])
def test_tau_is_above_the_quadruple_sum(n, x):
    for kappa in (Fraction(1), 1 + (x - 1) / 20, 1 + (x - 1) / 3) if n < 12 else (1 + (x - 1) / 20,):
        for zeta in (Fraction(0), (x - 1) / 200, (x - 1) / 20, (x - 1) / 5)[n == 12 :]:
            for kept in (0.0, 0.125) if n < 12 else (0.0625,):
                bound = Bound(n, math.log(x), kept=kept).tau(float(kappa), float(zeta))
                exact = tau(n, *as_given(x, kappa, zeta), mpmath.mpf(kept))
                assert exact <= bound <= 1.8 * exact + (1e-15 if kept else 1e-200)


@pytest.mark.parametrize(("n", "eps0"), [(64, 0.3), (1000, 1.0), (10**4, 3.0), (10**6, 1.0)])
def test_mass_that_is_put_aside_adds_no_more_than_itself(n, eps0):
    kappa = 1 + 4 * three_symbol_pair.stronger_clones(n, eps0).deviation
    for zeta in (1e-4, 1e-2, 0.2):
        zeta *= kappa - 1
        exact = Bound(n, eps0).tau(kappa, zeta)
        for aside in (1e-2 * exact, exact, 1e3 * exact):
            # Two bounds of one number: neither is the truth.
            assert exact * (1 - 1e-9) <= Bound(n, eps0).tau(kappa, zeta, aside) <= exact * (1 + 1e-9) + aside


@pytest.mark.parametrize(("n", "eps0"), [(64, 0.3), (1000, 1.0), (10**4, 3.0), (10**6, 1.0)])
@pytest.mark.parametrize("target", [1e-3, 1e-8, 1e-40])
def test_zeta_is_enough_and_hardly_more(n, eps0, target):
    bound, kappa = Bound(n, eps0), 1 + 4 * three_symbol_pair.stronger_clones(n, eps0).deviation
    most = math.expm1(eps0) - (kappa - 1)
    zeta = bound.zeta(kappa, target, most)
    if zeta == math.inf:
        assert bound.tau(kappa, most) > target
        return
    assert bound.tau(kappa, zeta) <= target
    assert zeta <= one_client_fewer.LEAST_ZETA * (kappa - 1) or bound.tau(kappa, zeta / 1.1) > target
    assert bound.zeta(kappa, target, 0.5 * zeta) == math.inf or zeta <= one_client_fewer.LEAST_ZETA * (kappa - 1)


def test_the_formulas_of_step_4_hold():
    x, kappa, share = Fraction(7, 3), Fraction(6, 5), Fraction(4, 5)
    for c in range(7):
        u, v, gains, both = kinds(c, c, x, share)
        for k in range(c + 2):
            assert u[k] - kappa * v[k] == ((x - kappa) * half(c, k - 1) + (1 - x * kappa) * half(c, k)) / (x + 1)
            assert v[k] == (half(c, k - 1) + x * half(c, k)) / (x + 1)
        for k in range(c + 3):
            one, two = half(c, k - 1), (half(c, k - 2) + half(c, k)) / 2
            assert gains[k] == share * ((x - 1) / (x + 1)) ** 2 * (one - two)
            assert both[k] == ((x * x + 1) * one + 2 * x * two) / (x + 1) ** 2


def test_the_double_sum_falls_with_more_messages_of_either_kind():
    draw = random.Random(1)
    for _ in range(60):
        x = 1 + Fraction(draw.randrange(1, 200), 40)
        kappa, zeta = 1 + (x - 1) * draw.randrange(9) / 10, (x - 1) * draw.randrange(16) / 40
        c1, c2 = draw.randrange(6), draw.randrange(6)
        kept = Fraction(draw.randrange(3), 8)
        value = double_sum(c1, c2, x, kappa, zeta, Fraction(1), kept)
        assert double_sum(c1 + 1, c2, x, kappa, zeta, Fraction(1), kept) <= value
        assert double_sum(c1, c2 + 1, x, kappa, zeta, Fraction(1), kept) <= value


SMALL = [0, 1, 2, 3, 4, 7, 20]


@pytest.mark.parametrize("x", [Fraction(1001, 1000), Fraction(5, 3), Fraction(20)])
@pytest.mark.parametrize("c1", SMALL)
def test_one_double_sum_is_above_its_value_in_rationals(c1, x):
    n = 30
    for c2 in SMALL:
        for kappa, zeta in (
            (Fraction(1), Fraction(0)),
            (1 + (x - 1) / 9, (x - 1) / 50),
            (1 + (x - 1) / 2, (x - 1) / 9),
        ):
            for kept in (0.0, 0.03125, 0.5):
                bound = excess_at_counts(c1, c2, n, math.log(x), float(kappa), float(zeta), kept=kept)
                share = 1 - mpmath.mpf(1) / (n - 1)
                exact = double_sum(c1, c2, *as_given(x, kappa, zeta), share, mpmath.mpf(kept))
                # Where nu is not 0, sums that are 0 have the round-off of their terms.
                assert exact <= bound <= exact * (1 + 1e-9) + (1e-16 if kept else 1e-200)


def masses(c, *padding):
    """Return b and its shifts, each rounded once."""
    return [
        np.array([math.comb(c, k - shift) / 2**c if 0 <= k - shift <= c else 0.0 for k in range(c + 3)])
        for shift in padding
    ]


# Windows begin beyond 0 from c = 1100 or so.
@pytest.mark.parametrize(
    ("c1", "c2"), [(0, 900), (900, 0), (1, 700), (300, 301), (1000, 1029), (1200, 40), (700, 1600)]
)
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
def test_one_double_sum_of_many_messages_is_above_its_value(c1, c2, eps0):
    x, n = math.exp(eps0), 5000
    before, masses_there = masses(c1, 1, 0)
    two = np.array(
        [
            (2 * top(c2, k - 1) - top(c2, k - 2) - top(c2, k)) / 2 ** (c2 + 1)  # rounded once
            for k in range(c2 + 3)
        ]
    )
    one, aside, above = masses(c2, 1, 2, 0)
    gains = (1 - 1 / (n - 1)) * ((x - 1) / (x + 1)) ** 2 * two
    q2 = ((x * x + 1) * one + x * (aside + above)) / (x + 1) ** 2
    for share, zeta in ((0.0, 0.0), (0.02, 1e-5 * (x - 1)), (0.1, 1e-3 * (x - 1)), (0.3, 0.02 * (x - 1))):
        kappa = 1 + share * (x - 1)
        x1, q1 = (
            ((x - kappa) * before + (1 - x * kappa) * masses_there) / (x + 1),
            (before + x * masses_there) / (x + 1),
        )
        # Absolute errors, e^eps0 and each factor within 2 round-offs; x - kappa, 1 - x kappa and x - 1 cancel.
        round_off = 16 * UNIT * (x * before + (1 + x * kappa) * masses_there) / (x + 1)
        steep = 16 * UNIT * x / (x - 1)
        exact = least = 0.0
        for a, b, doubt in zip(x1, q1, round_off, strict=True):
            value = a * gains - zeta * b * q2
            error = np.abs(gains) * (doubt + (steep + 16 * UNIT) * abs(a)) + 40 * UNIT * zeta * b * q2
            exact += np.maximum(value, 0.0).sum()
            least += np.maximum(value - error, 0.0).sum() * (1 - 40 * UNIT)
        bound = excess_at_counts(c1, c2, n, eps0, kappa, zeta)
        # Far out the terms cancel, in the twin as well.
        doubt = 1e-9 if exact > 1e-20 else 1e-6
        assert least <= bound <= exact * (1 + doubt) + 1e-200
        assert least >= exact * (1 - 0.01 * doubt)
        for reach in (1.0, 4.0, 9.0):
            rough = excess_at_counts(c1, c2, n, eps0, kappa, zeta, reach)
            assert least <= rough <= exact * (1 + doubt) + 80 * x * x * math.exp(-(reach**2) / 2)


def top(c, k):
    """Return binomial coefficients, and 0 beside them."""
    return math.comb(c, k) if 0 <= k <= c else 0


@pytest.mark.parametrize("eps0", [1e-6, 1e-4, 0.01, 20.0])
def test_one_double_sum_is_above_its_value_where_x_minus_1_cancels(eps0):
    with mpmath.workdps(60):
        x, share = mpmath.exp(mpmath.mpf(eps0)), 1 - mpmath.mpf(1) / 63
        for c1, c2 in ((0, 0), (1, 3), (5, 2)):
            u, v, gains, both = kinds(c1, c2, x, share)
            for part in (0.0, 0.1, 0.5):
                kappa = 1.0 + part * math.expm1(eps0)
                for zeta in (0.0, 1e-3 * math.expm1(eps0), 1e-3 * min(math.expm1(eps0), 1.0) ** 3):
                    total = positive_parts(u, v, gains, both, kappa, zeta)
                    bound = excess_at_counts(c1, c2, 64, eps0, kappa, zeta)
                    # Ratios near x are moved by 64 round-offs of it, which e^20 makes large.
                    assert total <= bound <= total * (1 + 1e-5) + 1e-200


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40, 300])
@pytest.mark.parametrize("p", [1e-12, 0.01, 0.25, 0.75, 0.999, 1 - 1e-9])
def test_cells_cover_with_enough_probability(n, p):
    chances = [twins.chance(n, k, Fraction(p)) for k in range(n + 1)]
    cells = binomial_cells(n, p)
    assert cells[0][0] == 0 and cells[-1][1] == n + 1
    assert all(here[1] == after[0] for here, after in zip(cells, cells[1:], strict=False))
    for low, high, chance in cells:
        exact = sum(chances[low:high])
        # A cell next to a tail of nearly 1 has the round-off of that tail: exp and its logarithm, 16 units.
        assert exact <= chance <= exact * (1 + Fraction(1, 10**9)) + Fraction(16, 2**53)


# --- the proof's steps and the theorem, on random mechanisms ----------------------------------------------------------


class OneTableAPlace:
    """One table a place, whatever came before."""

    def __init__(self, draw, inputs, outputs, x, places):
        self.outputs = outputs
        self._rows = [twins.random_rows(draw, inputs, outputs, x) for _ in range(places)]

    def __call__(self, prefix):
        return self._rows[len(prefix)]


class Responses(twins.Adaptive):
    """For every prefix another map of inputs to outputs, responded to at random: the extreme tables."""

    def __init__(self, draw, inputs, outputs, x):
        super().__init__(draw, inputs, outputs, x)
        self._draw, self._inputs, self._often = draw, inputs, x / (x + outputs - 1)

    def __call__(self, prefix):
        if prefix not in self._known:
            seldom = (1 - self._often) / (self.outputs - 1)
            likely = [self._draw.randrange(self.outputs) for _ in range(self._inputs)]
            self._known[prefix] = [[self._often if y == j else seldom for y in range(self.outputs)] for j in likely]
        return self._known[prefix]


class ShuffledOutputs:
    """Densities of all output sequences, by enumeration: relative errors below 200 round-offs.

    Factors are dyadic, and exactly within x; they are multiplied four times, up to 120 orders are added.
    """

    def __init__(self, randomizer, n, x):
        sequences = list(itertools.product(range(randomizer.outputs), repeat=n))
        self._n = n

        @cache
        def rows(prefix):
            return [[float(r) for r in row] for row in twins.dyadic(randomizer(prefix), math.log(x), Fraction(x))]

        self._known = np.array([[[row[s[j]] for row in rows(s[:j])] for j in range(n)] for s in sequences])

    @cache  # noqa: B019
    def __call__(self, *data):
        orders = set(itertools.permutations(data))
        return sum(np.prod([self._known[:, j, i] for j, i in enumerate(o)], axis=0) for o in orders) / len(orders)


def excess(density):
    return float(np.maximum(density, 0.0).sum())


@cache
def known_tau(n, x, kappa, zeta, kept):
    return tau(n, Fraction(x), Fraction(kappa), Fraction(zeta), Fraction(kept))


@cache
def hidden_slot_delta(m, x, kappa):
    return pldcheck.HiddenSlot(m, math.log(x)).delta(math.log(kappa)).upper


def mechanisms(seed, n):
    draw = random.Random(seed)
    outputs = 2 if n == 5 else draw.choice([2, 3])
    x = draw.choice([1.25, 2.0, 4.0, 16.0])
    make = draw.choice([twins.Adaptive, Responses, lambda *arguments: OneTableAPlace(*arguments, n)])
    return draw, ShuffledOutputs(make(draw, n + 1, outputs, x), n, x), x


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("seed", range(16))
def test_every_step_of_the_proof_and_the_theorem_hold(seed, n):
    draw, sh, x = mechanisms(f"{seed} {n}", n)
    kappa = 1.0 + (x - 1.0) * draw.choice([0.0, 0.0625, 0.25, 0.5])
    others = tuple(range(2, n + 1)) if seed % 3 else tuple(draw.randrange(n + 1) for _ in range(n - 1))
    count = len(others)

    def theta(*rest):
        return sh(0, *sorted(rest)) - kappa * sh(1, *sorted(rest))

    # Of a hockey-stick divergence: densities, and the rounded logarithms of kappa and kappa + zeta.
    doubt = 400 * UNIT * (1 + x)
    # Step 1: the outputs of an adversary of the hidden slot.
    replacements = [(*others[:k], others[j], *others[k + 1 :]) for k, j in itertools.product(range(count), repeat=2)]
    adversary = sum(theta(*rest) for rest in replacements) / count**2
    assert excess(adversary) - doubt <= hidden_slot_delta(n - 1, x, kappa)
    # Step 2.
    gains, share = [], 1 - 1 / count
    for a, b in itertools.combinations(range(count), 2):
        rest = [other for i, other in enumerate(others) if i not in (a, b)]
        one, two = others[a], others[b]
        gains.append(theta(*rest, one, two) - (theta(*rest, one, one) + theta(*rest, two, two)) / 2)
    mean = sum(gains) / len(gains)
    assert np.abs(theta(*others) - adversary - share * mean).max() < 1e-14 * x
    for part in (0.0, 0.00390625, 0.03125, 0.125):
        zeta, v = part * (x - 1.0), sh(1, *sorted(others))
        whole = excess(theta(*others) - zeta * v)
        for kept in (0.0, 0.0625, 0.5):
            bound = known_tau(n, x, kappa, zeta, kept)
            # Step 3.
            f, g = share * mean - zeta * v, theta(*others) - zeta * v
            assert np.all(np.maximum(g, 0) <= np.maximum(g - f, 0) + np.maximum(f + kept * (g - f), 0) + 1e-15 * x)
            # Step 4, and the theorem.
            for gain in gains:
                kept_gain = (1 - kept) * share * gain + kept * theta(*others)
                assert excess(kept_gain - zeta * v) - 2 * doubt <= bound
            assert whole - doubt <= hidden_slot_delta(n - 1, x, kappa) + float(bound)
        assert Bound(n, math.log(x)).delta(math.log(kappa + zeta)).upper >= whole - doubt


@pytest.mark.parametrize("others", [(2, 3), (2, 2), (0, 2), (2, 2, 3), (2, 2, 2)])
@pytest.mark.parametrize("x", [1.5, 4.0])
def test_the_bound_is_above_the_worst_of_all_mechanisms(others, x):
    n = len(others) + 1
    for kappa in (1.0 + (x - 1.0) / 16, 1.0 + (x - 1.0) / 4):
        for zeta in (0.0, (x - 1.0) / 32, (x - 1.0) / 4)[: 3 if n == 3 else 1]:
            name = " ".join(map(str, others))
            truth = the_one("worst_adaptive_shuffles", others=name, x=x, kappa=kappa, zeta=zeta)
            assert truth.lower <= hidden_slot_delta(n - 1, x, kappa) + float(known_tau(n, x, kappa, zeta, 0.0625))
            assert truth.lower <= Bound(n, math.log(x)).delta(math.log(kappa + zeta)).upper
            if zeta == 0.0:
                assert truth.lower >= 0.59 * hidden_slot_delta(n - 1, x, kappa)  # not far below
            if len(set(others)) == 1 and others[0] == 2:  # one hidden slot of n
                middle = float(truth.lower + truth.upper) / 2
                assert middle == pytest.approx(hidden_slot_delta(n, x, kappa + zeta), rel=1e-7)


@pytest.mark.parametrize("n", [8, 20, 60])
@pytest.mark.parametrize("eps0", [0.5, 1.0, 3.0])
def test_the_bound_is_above_binary_responses_with_others_of_both_kinds(n, eps0):
    x = arb(eps0).exp()
    often, seldom = [x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]
    for share in (0.05, 0.3):
        epsilon = share * eps0
        upper = Bound(n, eps0).delta(epsilon).upper
        for count in {0, 1, n // 4, n // 2, n - 1}:
            others = [often] * count + [seldom] * (n - 1 - count)
            truth = twins.direct_delta(often, seldom, others, arb(epsilon).exp())
            assert twins.ends(truth)[0] <= upper


# --- the bound --------------------------------------------------------------------------------------------------------


def reachable_pairs(n, eps0):
    return [
        three_symbol_pair.response_third(n, eps0, 3),
        *three_symbol_pair.response_same(n, eps0, 2),
        *three_symbol_pair.response_same(n, eps0, 3),
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("n", [64, 10**4, 10**6])
@pytest.mark.parametrize("eps0", [1e-6, 0.1, 1.0, 3.0])
def test_the_bound_is_above_all_known_pairs(n, eps0):
    for delta in (1e-6, 1e-20) if n > 10**4 else (0.3, 1e-6, 1e-100):
        least, upper = max(one.epsilon(delta)[0] for one in reachable_pairs(n, eps0)), Bound(n, eps0).epsilon(delta)[1]
        assert least <= upper <= eps0
        if n >= 10**4 and 0.1 <= eps0 <= 1.0 and delta == 1e-6:
            assert upper <= 1.02 * least


def test_the_numbers_at_ten_thousand_clients_are_reproduced():
    # Sheet 4, table 5.1, for the lower end; for the upper one a prototype of this theorem by another hand, whose
    # hidden slot was 0.5 % wide: 0.038296.
    assert three_symbol_pair.response_third(10**4, 1.0, 3).epsilon(1e-6)[0] == pytest.approx(0.037998, abs=5e-7)
    assert 0.038 < Bound(10**4, 1.0).epsilon(1e-6)[1] < 0.038296


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "eps0"), [(64, 0.1), (300, 1.0), (10**4, 2.0)])
def test_delta_and_curve_are_above_what_is_attained(n, eps0):
    bound, spread = Bound(n, eps0), three_symbol_pair.stronger_clones(n, eps0).deviation
    epsilons = np.array([z * spread for z in (0.0, 2.0, 5.0, 12.0)] + [0.999 * eps0, eps0, 2 * eps0])
    curve = bound.curve(epsilons)
    for epsilon, rough in zip(epsilons.tolist(), curve, strict=True):
        least = max(one.delta(epsilon).lower for one in reachable_pairs(n, eps0))
        assert least <= bound.delta(epsilon).upper <= 1.0
        assert least <= rough <= 1.0


@pytest.mark.nightly
def test_delta_at_its_own_epsilon():
    for n, eps0, delta in ((500, 0.2, 1e-4), (10**4, 1.0, 1e-6), (10**5, 1.0, 1e-30), (10**6, 2.0, 1e-30)):
        epsilon = Bound(n, eps0).epsilon(delta)[1]
        assert Bound(n, eps0).delta(epsilon).upper <= 1.2 * delta


@pytest.mark.parametrize(("eps0", "delta"), [(0.2, 1e-6), (1.0, 1e-12), (2.0, 1e-6)])
def test_more_clients_gain(eps0, delta):
    chain = [Bound(n, eps0).epsilon(delta)[1] for n in (64, 65, 100, 400, 2000, 2001, 10**4, 10**6)]
    assert all(after <= before * 1.005 for before, after in zip(chain, chain[1:], strict=False))


# zeta/1e-300 overflowed, a warning.
@pytest.mark.parametrize(("n", "delta"), [(10**9, 0.5), (10**12, 1e-20), (64, 1e-6)])
def test_a_budget_of_20_is_answered(n, delta):
    upper = Bound(n, 20.0).epsilon(delta)[1]
    assert max(one.epsilon(delta)[0] for one in reachable_pairs(n, 20.0)) <= upper <= 20.0
    assert 0.0 <= Bound(n, 20.0).delta(20.0 * (1 - 1e-9)).upper <= 1.0
    assert Bound(n, 20.0).delta(20.0).upper == 0.0


def test_shuffle_names_this_bound_as_its_source():
    interval = pldcheck.Shuffle(10**4, 1.0).epsilon(1e-6)
    assert interval.sources[1] == NAME
    assert interval.upper == Bound(10**4, 1.0).epsilon(1e-6)[1] <= 1.01 * interval.lower
    assert interval.upper < three_symbol_pair.stronger_clones(10**4, 1.0).epsilon(1e-6)[0]
    back = pldcheck.Shuffle(10**4, 1.0).delta(interval.upper)
    assert back.sources[1] == NAME
    assert back.lower <= 1e-6 and 0.98e-6 <= back.upper <= 1.001e-6
    assert pldcheck.Shuffle(one_client_fewer.FEWEST_CLIENTS - 1, 1.0).epsilon(1e-3).sources[1] != NAME


def test_the_hidden_slot_has_one_client_fewer():
    """The bound is never below the hidden slot it starts from, and soon not far above."""
    for n, gap in ((1000, 1.06), (10**5, 1.01)):
        slot = worst_intervals.epsilon(Slot(n - 1, 1.0, 1.0), "replace", 1e-6, one_client_fewer.WIDTH)
        assert slot.lower <= Bound(n, 1.0).epsilon(1e-6)[1] <= gap * slot.upper


def test_the_curve_is_small_where_the_hidden_slot_is_nearly_nothing():
    # delta is some 1e-300 there: 1/aside overflowed.
    curve = Bound(10**6, 2.5).curve(np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) * 2.5)
    clones = [three_symbol_pair.stronger_clones(10**6, 2.5).delta(epsilon).upper for epsilon in (0.025, 0.25)]
    assert all(0.0 <= delta <= 1.0 for delta in curve)
    assert curve[0] <= clones[0] and curve[1] <= 1e-100


@pytest.mark.parametrize("aside", [5e-324, 1e-310, 1e-300])
def test_hardly_anything_put_aside_is_as_nothing(aside):
    exact = Bound(1000, 1.0).tau(1.1, 1e-3)
    assert exact * (1 - 1e-9) <= Bound(1000, 1.0).tau(1.1, 1e-3, aside) <= exact * (1 + 1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize("delta", [5e-324, 1e-310, 1e-261])
def test_the_least_deltas_get_the_trivial_bound(delta):
    low, high, _ = Bound(20000, 1.0).epsilon(delta)
    assert (low, high) == (0.0, 1.0)
    interval = pldcheck.Shuffle(20000, 1.0, "rr").epsilon(delta)
    assert 0.0 < interval.lower <= interval.upper <= 1.0


@pytest.mark.nightly
def test_far_in_the_tail_it_is_nearer_than_at_nu_0_and_than_stronger_clones():
    nearest, delta = Bound(10**5, 2.0).epsilon(1e-30)[1], 1e-30
    assert nearest < 0.99 * Bound(10**5, 2.0, likely=0.0).epsilon(delta)[1]
    assert nearest < 0.96 * float(three_symbol_pair.stronger_clones(10**5, 2.0).epsilon(delta)[1])


@pytest.mark.parametrize(
    ("n", "eps0", "delta"),
    [
        (3000, 1.0, 1e-3),
        (1000, 3.0, 1e-2),
        *(
            pytest.param(n, eps0, delta, marks=pytest.mark.nightly)
            for n in (64, 1000, 10**5)
            for eps0 in (0.1, 1.0, 4.0)
            for delta in (1e-2, 1e-4, 1e-10, 1e-30)
        ),
    ],
)
def test_the_zeta_of_the_best_nu_is_enough_and_no_more_than_at_nu_0(n, eps0, delta):
    clones = three_symbol_pair.stronger_clones(n, eps0)
    kappa = 1 + min(max(math.expm1(clones.epsilon(delta)[1]), clones.deviation), 0.5 * math.expm1(eps0))
    for share in (*one_client_fewer.DELTA_SHARES, 0.15, 0.5):
        bound, zeta = Bound(n, eps0).sparing(kappa, share * delta, 0.5 * (kappa - 1))
        at_0 = Bound(n, eps0).zeta(kappa, share * delta, 0.5 * (kappa - 1))
        near_0 = one_client_fewer.LEAST_ZETA * (kappa - 1)
        assert zeta <= max(one_client_fewer.ZETA_PRECISION * at_0, near_0)
        assert zeta == math.inf or bound.tau(kappa, zeta) <= share * delta
        if bound.kept > 0.0 and zeta > near_0:
            assert zeta < at_0


@pytest.mark.parametrize(("c1", "c2", "kept"), [(200, 150, 0.03125), (150, 210, 2.0**-40)])
def test_one_double_sum_far_in_the_tail_is_above_its_value_and_near(c1, c2, kept):
    x, kappa, zeta = as_given(Fraction(3), Fraction(5, 2), Fraction(1, 2))
    exact = double_sum(c1, c2, x, kappa, zeta, 1 - mpmath.mpf(1) / 999, mpmath.mpf(kept))
    assert 0 < exact < 1e-20
    assert exact <= excess_at_counts(c1, c2, 1000, math.log(3), 2.5, 0.5, kept=kept) <= exact * (1 + 1e-8)


@pytest.mark.nightly
def test_a_curve_has_the_better_of_no_nu_and_a_likely_one():
    # Far in the tail most of tau without nu is that of few messages of the second kind.
    bound, epsilons = Bound(654, 0.6541), np.array([0.01, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18])
    curve, without = bound.curve(epsilons), replace(bound, likely=0.0).curve(epsilons)
    assert all(one <= other for one, other in zip(curve, without, strict=True))
    assert curve[4] < 0.9 * without[4] and curve[6] < 0.5 * without[6]
    attained = [pldcheck.Shuffle(654, 0.6541).delta(epsilon).lower for epsilon in epsilons.tolist()]
    assert all(one <= other for one, other in zip(attained, curve, strict=True))


@pytest.mark.filterwarnings("error")
def test_a_delta_that_underflows_leaves_no_target_for_tau():
    # A share of the least positive number is 0, and its logarithm was taken.
    assert pldcheck.Shuffle(10001, 1.2421638294307556e-12, "laplace").delta(1.1091475913957586e-12).upper <= 5e-324
