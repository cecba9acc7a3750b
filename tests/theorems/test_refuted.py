"""The false bounds: their values at many digits, and the randomizers that violate them, by enumeration."""

import itertools
import math

import mpmath
import pytest
import shuffled_laws

from pldcheck.core.errors import ConditionError, PldcheckError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.wang24 import variation_ratio


def relative_error(value, exact):
    return abs(value / exact - 1)


def merging_bound(n, eps0, categories, epsilon):
    return REGISTRY["krr-merged"](clients=n, eps0=eps0, categories=categories, epsilon=epsilon).value


def ratio(n, eps0, tv, epsilon):
    return REGISTRY["vr-wang"](clients=n, eps0=eps0, tv=tv, epsilon=epsilon).value


def test_the_file_declares_the_known_theorems():
    assert [(theorem.id, theorem.quantity) for theorem in variation_ratio.THEOREMS] == [
        ("vr-wang", "delta"),
        ("krr-merged", "delta"),
    ]
    assert all("false" in theorem.title and theorem.protocol == "shuffle" for theorem in variation_ratio.THEOREMS)


# --- the claimed numbers ---------------------------------------------------------------------------------------------


def pair(n, alpha, eps0, epsilon):
    """Return delta by definition: user 1 has masses x alpha, alpha and the rest, the others alpha, alpha and
    the rest.
    """
    x = mpmath.exp(mpmath.mpf(eps0))
    rest = 1 - (x + 1) * alpha
    return shuffled_laws.delta(
        [(x * alpha, alpha, rest), (alpha, x * alpha, rest)], (alpha, alpha, 1 - 2 * alpha), n, epsilon
    )


def pair_by_tails(n, alpha, eps0, epsilon):
    """Return the same from heights and tails of Bin(c, 1/2), swept over c by recurrences in many digits."""
    x, kappa = mpmath.exp(mpmath.mpf(eps0)), mpmath.exp(mpmath.mpf(epsilon))
    rest, scarce = (1 - (x + 1) * alpha) / (1 - 2 * alpha), 2 * alpha
    g0, g1, g2 = x - kappa, 1 - x * kappa, -(kappa - 1) * rest

    def least_count(c):
        return int(mpmath.floor(-(g1 * c + g2 * (n - c)) / (g0 - g1))) + 1

    spread = math.sqrt(n * float(scarce * (1 - scarce)))
    start = max(1, int(n * scarce - 40 * spread - 40))
    while least_count(start) > start:
        start += 1
    end = min(n, int(n * scarce + 40 * spread + 40))
    c, k = start, least_count(start)
    mass = math.comb(n, c) * scarce**c * (1 - scarce) ** (n - c)
    height = mpmath.mpf(math.comb(c, k)) / mpmath.mpf(2) ** c
    tail, term, a = mpmath.mpf(0), height, k
    while a <= c:
        tail += term
        term *= mpmath.mpf(c - a) / (a + 1)
        a += 1
    total = mpmath.mpf(0)
    while True:
        # sum over a >= k of P(Bin(c, 1/2) = a) a is (c tail + k height) / 2
        total += mass * ((g0 - g1) * (c * tail + k * height) / 2 + (g1 * c + g2 * (n - c)) * tail)
        if c == end:
            return total / n
        # c + 1 at the same k: half of the mass at k - 1 crosses into the tail.
        tail += height * k / (mpmath.mpf(c - k + 1)) / 2
        height *= mpmath.mpf(c + 1) / (2 * (c + 1 - k))
        mass *= mpmath.mpf(n - c) / (c + 1) * scarce / (1 - scarce)
        c += 1
        if least_count(c) > k:
            tail -= height
            height *= mpmath.mpf(c - k) / (k + 1)
            k += 1


@pytest.mark.nightly
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0, 12.0])
def test_few_clients_agree_with_enumeration(n, eps0):
    with mpmath.workdps(40):
        x = mpmath.exp(mpmath.mpf(eps0))
        for share in (0.0, 0.1, 0.5, 0.9, 0.999):
            epsilon = share * eps0
            for categories in (2, 3, 10, 10**6):
                exact = pair(n, 1 / (x + categories - 1), eps0, epsilon)
                if exact > 1e-200:
                    assert relative_error(merging_bound(n, eps0, categories, epsilon), exact) < 1e-13, (
                        share,
                        categories,
                    )
            for tv in (1e-9, 0.04):
                exact = pair(n, mpmath.mpf(tv) / (x - 1), eps0, epsilon)
                if exact > 1e-200:
                    assert relative_error(ratio(n, eps0, tv, epsilon), exact) < 1e-13, (share, tv)


@pytest.mark.parametrize("n", [6, 19])
def test_the_two_ways_of_the_twin_agree(n):
    with mpmath.workdps(40):
        for categories, eps0, epsilon in itertools.product((2, 3, 6), (0.5, 2.0), (0.1, 0.4)):
            alpha = 1 / (mpmath.exp(mpmath.mpf(eps0)) + categories - 1)
            assert relative_error(pair_by_tails(n, alpha, eps0, epsilon), pair(n, alpha, eps0, epsilon)) < 1e-30


@pytest.mark.parametrize(
    ("n", "eps0", "categories", "epsilons"),
    [
        (500, 1.0, 2, (0.0, 0.05, 0.2, 0.6)),
        (500, 4.0, 3, (0.5, 2.0, 3.5)),
        (4000, 1.0, 3, (0.0, 0.01, 0.08, 0.3)),
        (4000, 3.0, 10, (0.01, 0.4, 1.0)),
        (4000, 0.1, 2, (1e-4, 0.01)),
    ],
)
def test_more_clients_agree_with_the_twin(n, eps0, categories, epsilons):
    with mpmath.workdps(320):
        alpha = 1 / (mpmath.exp(mpmath.mpf(eps0)) + categories - 1)
        for epsilon in epsilons:
            exact = pair_by_tails(n, alpha, eps0, epsilon)
            if exact > 1e-200:
                assert relative_error(merging_bound(n, eps0, categories, epsilon), exact) < 1e-13, epsilon


@pytest.mark.nightly
@pytest.mark.parametrize(("eps0", "categories", "epsilon"), [(1.0, 2, 0.0124), (3.0, 4, 0.1)])
def test_the_largest_number_of_clients_agrees_with_the_twin(eps0, categories, epsilon):
    with mpmath.workdps(60):
        alpha = 1 / (mpmath.exp(mpmath.mpf(eps0)) + categories - 1)
        exact = pair_by_tails(100_000, alpha, eps0, epsilon)
        assert 1e-15 < exact < 1e-4
        assert relative_error(merging_bound(100_000, eps0, categories, epsilon), exact) < 1e-13


def test_randomized_response_is_a_case_of_the_variation_ratio():
    for n, eps0, categories, epsilon in itertools.product((10, 500), (0.5, 2.0), (2, 3, 8), (0.05, 0.3)):
        tv = math.expm1(eps0) / (math.exp(eps0) + categories - 1)
        assert ratio(n, eps0, tv, epsilon) == pytest.approx(merging_bound(n, eps0, categories, epsilon), rel=1e-11)


# The sheet of known values: epsilon at delta = 1e-6 of the stronger clones, to which both reduce at two categories.
@pytest.mark.parametrize(
    ("n", "eps0", "epsilon"),
    [(1000, 0.2, 0.021630), (1000, 1.0, 0.148671), (10_000, 0.6, 0.022627), (10_000, 1.0, 0.043206)],
)
def test_stronger_clones_have_their_published_epsilon(n, eps0, epsilon):
    assert merging_bound(n, eps0, 2, epsilon - 6e-7) > 1e-6 > merging_bound(n, eps0, 2, epsilon + 6e-7)
    largest = math.tanh(eps0 / 2)
    assert ratio(n, eps0, largest, epsilon) == pytest.approx(merging_bound(n, eps0, 2, epsilon), rel=1e-11)


# --- the counterexamples ---------------------------------------------------------------------------------------------


def responses(n, eps0, categories, epsilon, others):
    """Return two users of K-ary randomized response whose companions all hold the input ``others``."""
    with mpmath.workdps(30):
        rows = shuffled_laws.response(categories, mpmath.exp(mpmath.mpf(eps0)))
        return float(shuffled_laws.delta(rows[:2], rows[others], n, epsilon))


@pytest.mark.parametrize(
    ("n", "eps0", "categories", "epsilon", "others", "claim", "exact"),
    [
        (2, 1.0, 3, 0.8, 0, 0.027248, 0.060165),
        (5, 1.0, 5, 0.8, 0, 0.00044684, 0.0019657),
        (3, 1.0, 4, 0.8, 2, 0.0091237, 0.010408),
    ],
)
def test_randomized_response_violates_the_merged_bound(n, eps0, categories, epsilon, others, claim, exact):
    assert merging_bound(n, eps0, categories, epsilon) == pytest.approx(claim, rel=5e-5)
    assert responses(n, eps0, categories, epsilon, others) == pytest.approx(exact, rel=5e-5)
    assert claim < exact


@pytest.mark.parametrize(("n", "eps0", "epsilon", "exact"), [(100, 4.0, 3.82314, 4.4e-3), (30, 2.0, 1.80238, 1.5e-4)])
def test_ternary_response_violates_it_at_a_delta_in_use(n, eps0, epsilon, exact):
    """The companions hold the first user's input."""
    assert merging_bound(n, eps0, 3, epsilon) == pytest.approx(1e-6, rel=1e-3)
    assert responses(n, eps0, 3, epsilon, 0) == pytest.approx(exact, rel=0.02)


def test_the_first_counterexample_in_closed_form():
    alpha = 1 / (math.e + 2)
    assert responses(2, 1.0, 3, 0.8, 0) == pytest.approx(math.e * alpha**2 * (math.e - math.exp(0.8)), rel=1e-12)


def test_four_symbols_violate_the_variation_ratio():
    """x0 = (xa, a, w1, w2) and x1 = (a, xa, w1, w2) among others that answer (a, a, w1/x, x w2)."""
    eps0, n, epsilon = 2.0, 6, 1.0
    with mpmath.workdps(30):
        x = mpmath.exp(mpmath.mpf(eps0))
        a = mpmath.mpf("0.2") / (x + 2)
        stay, other = 1 - (x + 1) * a, 1 - 2 * a
        # w1 + w2 = kept and w1/x + x w2 = other
        w2 = (other - stay / x) / (x - 1 / x)
        w1 = stay - w2
        assert w1 > 0 and w2 > 0
        rows = [(x * a, a, w1, w2), (a, x * a, w1, w2), (a, a, w1 / x, x * w2)]
        for first, second in itertools.permutations(rows, 2):
            assert all(p <= x * q * (1 + mpmath.mpf(1e-25)) for p, q in zip(first, second, strict=True))
        exact = float(shuffled_laws.delta(rows[:2], rows[2], n, epsilon))
        tv = float((x - 1) * a)
    claim = ratio(n, eps0, tv, epsilon)
    assert (claim, exact) == (pytest.approx(0.003562, rel=2e-4), pytest.approx(0.04113, rel=2e-4))


@pytest.mark.parametrize("categories", [2, 3, 4])
@pytest.mark.parametrize("n", [2, 4, 7])
def test_stronger_clones_hold_where_the_merged_bound_fails(n, categories):
    for eps0, share, others in itertools.product((0.5, 1.0, 2.0), (0.1, 0.5, 0.8), range(categories)):
        exact = responses(n, eps0, categories, share * eps0, others)
        assert exact <= merging_bound(n, eps0, 2, share * eps0) * (1 + 1e-12)


@pytest.mark.parametrize("n", [1, 4, 12])
def test_three_categories_among_the_third_are_exact(n):
    for eps0, share in itertools.product((0.5, 2.0), (0.1, 0.5, 0.8)):
        exact = responses(n, eps0, 3, share * eps0, 2)
        assert merging_bound(n, eps0, 3, share * eps0) == pytest.approx(exact, rel=1e-12)


# --- conditions and limits -------------------------------------------------------------------------------------------


def test_there_is_no_loss_beyond_the_local_budget():
    for epsilon in (1.0, 1.5, 1e300):
        assert merging_bound(1000, 1.0, 3, epsilon) == 0
        assert ratio(1000, 1.0, 0.2, epsilon) == 0
    assert merging_bound(10, 1.0, 3, math.nextafter(1, 0)) > 0


def test_deltas_too_small_for_the_sums_are_refused():
    # exp(-n KL) is far below 1e-250 here.
    with pytest.raises(PldcheckError, match="krr-merged is outside the range"):
        merging_bound(100_000, 1.0, 2, 0.9)
    # Of 100,000 answers about two are among 0 and 1; thousands are needed.
    with pytest.raises(PldcheckError, match="krr-merged is outside the range"):
        merging_bound(100_000, 1.0, 10**6, 0.1)


@pytest.mark.nightly
def test_small_deltas_are_right_or_refused():
    trials = refusals = 0
    with mpmath.workdps(700):
        for epsilon in (0.6, 0.72, 0.75, 0.77, 0.78, 0.79, 0.8, 0.99):
            exact = pair_by_tails(3000, 1 / (mpmath.e + 1), 1.0, epsilon)
            try:
                value = merging_bound(3000, 1.0, 2, epsilon)
            except PldcheckError:
                assert exact < 1e-200
                refusals += 1
            else:
                assert relative_error(value, exact) < 1e-13
                trials += 1
    assert trials > 1 and refusals > 1


def test_the_number_of_clients_is_limited():
    for name, more in (("krr-merged", {"categories": 3}), ("vr-wang", {"tv": 0.2})):
        with pytest.raises(ConditionError, match="requires clients <= 100000, up to which it is evaluated"):
            REGISTRY[name](clients=100_001, eps0=1, epsilon=0.5, **more)


def test_the_total_variation_is_limited_by_the_budget():
    edge = math.tanh(0.5)
    assert ratio(10, 1.0, edge, 0.5) > 0
    with pytest.raises(ConditionError, match=r"vr-wang requires tv <= \(e\^eps0 - 1\) / \(e\^eps0 \+ 1\); tv = "):
        ratio(10, 1.0, math.nextafter(edge, 1), 0.5)
    with pytest.raises(ConditionError):
        ratio(10, 1.0, 0.9, 0.5)
