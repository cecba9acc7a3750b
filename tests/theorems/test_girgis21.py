"""Rényi bounds on shuffling, typed again at many digits and compared with shuffled randomized response."""

import itertools
import math

import mpmath
import pytest
import shuffled_laws

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.girgis21 import renyi_of_shuffling

UPPER = "girgis-ub1"
MANY = "girgis-ub2"
LOWER = "girgis-lb"


def relative_error(value, exact):
    return abs(value / exact - 1)


def test_the_file_declares_the_known_theorems():
    assert [(theorem.id, theorem.relation) for theorem in renyi_of_shuffling.THEOREMS] == [
        (UPPER, "<="),
        (MANY, "<="),
        (LOWER, ">="),
    ]
    for theorem in renyi_of_shuffling.THEOREMS:
        assert (theorem.quantity, theorem.protocol) == ("renyi", "shuffle")
        assert "The statement is recalled" in theorem.notes


# --- the right-hand sides, in many digits ----------------------------------------------------------------------


def first(n, eps0, order):
    p = mpmath.exp(mpmath.mpf(eps0))
    blanket = mpmath.floor((n - 1) / (2 * p)) + 1
    total = 1 + mpmath.binomial(order, 2) * (p - 1) ** 2 / (blanket * p)
    for i in range(3, order + 1):
        size = ((p**2 - 1) ** 2 / (2 * p**2 * blanket)) ** (mpmath.mpf(i) / 2)
        total += mpmath.binomial(order, i) * i * mpmath.gamma(mpmath.mpf(i) / 2) * size
    total += mpmath.exp(mpmath.mpf(eps0) * order - (n - 1) / (8 * p))
    return mpmath.log(total) / (order - 1)


def lower(n, eps0, order):
    """Return the binomial expectation itself, by its distribution."""
    p = mpmath.exp(mpmath.mpf(eps0))
    q = 1 / (p + 1)
    total = mpmath.mpf(0)
    for k in range(n + 1):
        x = (p - 1 / p) * (k - n * q) / n
        total += math.comb(n, k) * q**k * (1 - q) ** (n - k) * (1 + x) ** order
    return mpmath.log(total) / (order - 1)


def lower_expanded(n, eps0, order):
    """Return the bound as the statement has it, with central moments from Stirling numbers."""
    p = mpmath.exp(mpmath.mpf(eps0))
    q = 1 / (p + 1)
    raw = []
    stirling = [mpmath.mpf(1)]
    for _ in range(order + 1):
        falling, moment = mpmath.mpf(1), mpmath.mpf(0)
        for j, coefficient in enumerate(stirling):
            moment += coefficient * falling * q**j
            falling *= n - j
        raw.append(moment)
        stirling = [
            (j * stirling[j] if j < len(stirling) else 0) + (stirling[j - 1] if j else 0)
            for j in range(len(stirling) + 1)
        ]
    total = 1 + mpmath.binomial(order, 2) * (p - 1) ** 2 / (n * p)
    for i in range(3, order + 1):
        central = sum(mpmath.binomial(i, j) * raw[j] * (-n * q) ** (i - j) for j in range(i + 1))
        total += mpmath.binomial(order, i) * ((p**2 - 1) / (n * p)) ** i * central
    return mpmath.log(total) / (order - 1)


EPS0 = (1e-6, 0.1, 1.0, 3.0, 8.0, 20.0)


@pytest.mark.nightly
def test_the_first_upper_bound_agrees_with_its_formula():
    worst = 0
    with mpmath.workdps(120):
        for n, eps0, order in itertools.product((1, 2, 100, 10**6, 10**9, 10**15), EPS0, (2, 3, 4, 5, 30, 400)):
            claim = REGISTRY[UPPER](clients=n, eps0=eps0, order=order)
            worst = max(worst, relative_error(claim.value, first(n, eps0, order)))
            assert claim.at == order
    assert worst < 2e-13


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "eps0", "order"), [(10**6, 3.0, 5000), (10, 20.0, 3000), (10**15, 1.0, 5000)])
def test_the_first_upper_bound_agrees_with_its_formula_at_large_orders(n, eps0, order):
    with mpmath.workdps(60):
        assert relative_error(REGISTRY[UPPER](clients=n, eps0=eps0, order=order).value, first(n, eps0, order)) < 2e-13


@pytest.mark.nightly
def test_the_largest_order_is_answered():
    assert REGISTRY[UPPER](clients=10, eps0=20, order=1e6).value > 20


def test_the_second_upper_bound_agrees_with_its_formula():
    trials = 0
    with mpmath.workdps(60):
        for n, eps0, order in itertools.product((10**4, 10**9, 10**15), EPS0, (2, 3, 5, 100, 1000)):
            if REGISTRY[MANY].failed_conditions(clients=n, eps0=eps0, order=order):
                continue
            spread = 4 * (mpmath.exp(mpmath.mpf(eps0)) - 1) ** 2 / n
            exact = mpmath.log(1 + mpmath.binomial(order, 2) * spread) / (order - 1)
            assert relative_error(REGISTRY[MANY](clients=n, eps0=eps0, order=order).value, exact) < 1e-14
            trials += 1
    assert trials > 20


def test_the_lower_bound_agrees_with_its_formula():
    worst = 0
    with mpmath.workdps(60):
        for n, eps0, order in itertools.product((1, 2, 3, 40, 100), EPS0, (2, 3, 4, 5, 30, 200)):
            worst = max(
                worst, relative_error(REGISTRY[LOWER](clients=n, eps0=eps0, order=order).value, lower(n, eps0, order))
            )
    assert worst < 2e-13


@pytest.mark.parametrize("n", [2, 1000, 10**9, 10**15])
def test_the_lower_bound_agrees_with_its_expansion(n):
    with mpmath.workdps(400):
        for eps0, order in itertools.product(EPS0, (2, 3, 8, 20)):
            exact = lower_expanded(n, eps0, order)
            assert relative_error(REGISTRY[LOWER](clients=n, eps0=eps0, order=order).value, exact) < 2e-13


@pytest.mark.nightly
def test_the_lower_bound_is_answered_at_its_largest_order():
    with mpmath.workdps(60):
        for n, eps0 in ((30, 20.0), (300, 1.0)):
            assert relative_error(REGISTRY[LOWER](clients=n, eps0=eps0, order=1000).value, lower(n, eps0, 1000)) < 2e-13


# --- what they say ---------------------------------------------------------------------------------------------------


def convert(name, n, eps0, rounds, delta, order):
    """Return epsilon by the conversion of Canonne, Kamath and Steinke."""
    budget = rounds * REGISTRY[name](clients=n, eps0=eps0, order=order).value
    return budget + (math.log(1 / delta) + (order - 1) * math.log1p(-1 / order) - math.log(order)) / (order - 1)


# The sheet of known values: eps0 = 3, delta = 1e-8; epsilon, and the order it was found at.
TABLE = [
    (10**6, 10**2, "4.0681", 7, "0.2148", 123),
    (10**6, 10**3, "9.4755", 4, "0.7146", 41),
    (10**6, 10**4, "24.3168", 2, "2.4091", 14),
    (10**6, 10**5, "89.8580", 2, "8.5133", 5),
    (10**7, 10**2, "1.2494", 19, "0.0647", 368),
    (10**7, 10**3, "2.9160", 9, "0.2149", 123),
    (10**7, 10**4, "7.3532", 5, "0.7147", 41),
    (10**7, 10**5, "22.2248", 3, "2.4093", 14),
    (10**7, 10**6, "89.8831", 2, "8.5135", 5),
]


@pytest.mark.parametrize(("n", "rounds", "above", "order_above", "below", "order_below"), TABLE)
def test_compositions_converted_to_epsilon_are_reproduced(n, rounds, above, order_above, below, order_below):
    epsilons = {order: convert(UPPER, n, 3.0, rounds, 1e-8, order) for order in range(2, 40)}
    assert min(epsilons, key=epsilons.get) == order_above
    assert f"{epsilons[order_above]:.4f}" == above
    assert f"{convert(LOWER, n, 3.0, rounds, 1e-8, order_below):.4f}" == below


@pytest.mark.parametrize("n", [1, 2, 6, 25])
@pytest.mark.parametrize("eps0", [0.2, 1.0, 2.5])
def test_the_lower_bound_is_binary_response_exactly(n, eps0):
    """One record differs by definition from otherwise equal ones, in the direction of the equal ones."""
    with mpmath.workdps(30):
        rows = shuffled_laws.response(2, mpmath.exp(mpmath.mpf(eps0)))
        for order in (2, 3, 10):
            exact = shuffled_laws.renyi(rows[::-1], rows[0], n, order)
            assert relative_error(REGISTRY[LOWER](clients=n, eps0=eps0, order=order).value, exact) < 1e-13


@pytest.mark.parametrize("n", [1, 2, 6])
@pytest.mark.parametrize("eps0", [0.2, 1.0, 2.5])
def test_the_first_upper_bound_holds_for_ternary_response(n, eps0):
    with mpmath.workdps(30):
        rows = shuffled_laws.response(3, mpmath.exp(mpmath.mpf(eps0)))
        for order, others in itertools.product((2, 3, 10), rows):
            exact = shuffled_laws.renyi(rows[:2], others, n, order)
            assert exact < REGISTRY[UPPER](clients=n, eps0=eps0, order=order).value


def test_the_three_bounds_are_in_order():
    trials = 0
    for n, eps0, order in itertools.product((10**4, 10**6, 10**9, 10**12), (0.1, 0.5, 1.0, 3.0), (2, 3, 7, 40)):
        at = {"clients": n, "eps0": eps0, "order": order}
        below, above = REGISTRY[LOWER](**at).value, REGISTRY[UPPER](**at).value
        assert below < above
        # Its leading term alone is what other papers quote for it.
        leading = math.log1p(math.comb(order, 2) * math.expm1(eps0) ** 2 / (n * math.exp(eps0))) / (order - 1)
        assert below >= leading * (1 - 1e-13)
        if not REGISTRY[MANY].failed_conditions(**at):
            assert below < REGISTRY[MANY](**at).value
            trials += 1
    assert trials > 10


# --- conditions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [UPPER, MANY, LOWER])
def test_orders_are_integers(name):
    at = {"clients": 10**9, "eps0": 0.5}
    assert REGISTRY[name](**at, order=2).value > 0
    with pytest.raises(ConditionError, match=r"requires order is an integer; order = 2\.5 exceeds it by 0\.5"):
        REGISTRY[name](**at, order=2.5)
    with pytest.raises(ConditionError, match="order is an integer"):
        REGISTRY[name](**at, order=math.nextafter(3, 2))


def test_the_bound_for_many_clients_requires_many_clients():
    # 16 e^2.5 9 = 1754.28...
    assert REGISTRY[MANY](clients=1755, eps0=0.5, order=2).value > 0
    with pytest.raises(ConditionError, match=r"requires order\^4 e\^\(5 eps0\) < clients / 9"):
        REGISTRY[MANY](clients=1754, eps0=0.5, order=2)
    # It needs 4.7e8 clients at eps0 = 3 even for order 2.
    assert REGISTRY[MANY].failed_conditions(clients=int(4.7e8), eps0=3, order=2)
    assert not REGISTRY[MANY].failed_conditions(clients=int(4.8e8), eps0=3, order=2)


def test_the_lower_bound_has_a_largest_order():
    with pytest.raises(ConditionError, match="requires order <= 1000, up to which it is evaluated; order = 1001.0"):
        REGISTRY[LOWER](clients=1000, eps0=1, order=1001)
