"""The statements of the field on shuffles and batches with replacement: typed again at 60 digits, and conditions."""

import math
import random

import mpmath
import pytest
from mpmath import mp, mpf

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle18 import drawn_with_replacement

PRECISION = 2e-12
POINTS = 4
SEED = 20261128


def phi(z):
    return mpmath.erfc(-z / mpmath.sqrt(2)) / 2


def gauss(mu, epsilon):
    return phi(-epsilon / mu + mu / 2) - mpmath.exp(epsilon) * phi(-epsilon / mu - mu / 2)


def choose(n, k):
    return mpf(math.comb(int(n), int(k)))


def clones(clients, eps0, delta):
    x = mpmath.exp(eps0)
    bracket = 8 * mpmath.sqrt(x * mpmath.log(4 / delta)) / mpmath.sqrt(clients) + 8 * x / clients
    return mpmath.log(1 + (x - 1) / (x + 1) * bracket)


def stronger(clients, eps0, delta):
    x = mpmath.exp(eps0)
    root = 4 * mpmath.sqrt(2 * mpmath.log(4 / delta)) / mpmath.sqrt((x + 1) * clients)
    return mpmath.log(1 + (x - 1) * (root + 4 / clients))


def total(epsilon, clients, sigma, eps0, delta):
    return delta + (mpmath.exp(epsilon) + 1) * (1 + mpmath.exp(-eps0) / 2) * clients * gauss(1 / sigma, eps0)


def pair(clients, eps0, order, share):
    """Return the divergence by the counts of clones that answer like the record, A, and of client 1's own answer."""
    n, true, moment = int(clients), mpmath.exp(eps0) / (mpmath.exp(eps0) + 1), mpf(0)
    for c in range(n):
        weight = choose(n - 1, c) * share**c * (1 - share) ** (n - 1 - c)
        coin = [choose(c, a) / mpf(2) ** c for a in range(c + 1)]
        for k in range(c + 2):
            before, same = (coin[k - 1] if k else mpf(0)), (coin[k] if k <= c else mpf(0))
            p, q = true * before + (1 - true) * same, (1 - true) * before + true * same
            moment += weight * p**order * q ** (1 - order)
    return mpmath.log(moment) / (order - 1)


def drawn(records, batch):
    return 1 - (1 - 1 / (records + 1)) ** batch


def presence(eps0, records, batch, epsilon):
    n, m = records + 1, int(batch)
    once = max(0, mpmath.exp(eps0) - mpmath.exp(epsilon)) / (mpmath.exp(eps0) + 1)
    return mpmath.fsum(choose(m, k) * n**-k * (1 - 1 / n) ** (m - k) * once for k in range(1, m + 1))


def one_bin(clients, eps0, categories, epsilon):
    n, x = int(clients), mpmath.exp(eps0)
    p = 1 / (x + categories - 1)
    total_mass = mpf(0)
    for v in range(n + 1):
        others = [choose(n - 1, j) * p**j * (1 - p) ** (n - 1 - j) if 0 <= j < n else mpf(0) for j in (v - 1, v)]
        with_it = x * p * others[0] + (1 - x * p) * others[1]
        total_mass += max(0, with_it - mpmath.exp(epsilon) * choose(n, v) * p**v * (1 - p) ** (n - v))
    return total_mass


def personal(clients, eps0, eps0_last, delta0, epsilon):
    n = int(clients)
    budgets = [eps0 + (eps0_last - eps0) * i / (n - 1) for i in range(n)]
    parts = [(1 - delta0) / (1 + mpmath.exp(budget)) for budget in budgets]
    return gauss(mpmath.sqrt(2 / (mpmath.fsum(parts) - max(parts))), epsilon)


def sampled_upper(clients, batch, eps0, order):
    x, rate = mpmath.exp(eps0), batch / clients
    blanket = mpmath.floor((batch - 1) / (2 * x)) + 1
    g = (x**2 - 1) / x
    inside = 1 + 4 * choose(order, 2) * rate**2 * (x - 1) ** 2 / (blanket * x)
    for j in range(3, int(order) + 1):
        power = (2 * (x**2 - 1) ** 2 / (blanket * x**2)) ** (mpf(j) / 2)
        inside += choose(order, j) * rate**j * j * mpmath.gamma(mpf(j) / 2) * power
    inside += ((1 + rate * g) ** order - 1 - order * rate * g) * mpmath.exp(-(batch - 1) / (8 * x))
    return mpmath.log(inside) / (order - 1)


def sampled_lower(clients, batch, eps0, order):
    """Return it by the central moments of a binomial, as the statement has them."""
    x, rate, k = mpmath.exp(eps0), batch / clients, int(batch)
    q = 1 / (x + 1)
    masses = [choose(k, m) * q**m * (1 - q) ** (k - m) for m in range(k + 1)]
    inside = 1 + choose(order, 2) * rate**2 * (x - 1) ** 2 / (batch * x)
    for j in range(3, int(order) + 1):
        central = mpmath.fsum(mass * (m - batch * q) ** j for m, mass in enumerate(masses))
        inside += choose(order, j) * rate**j * ((x**2 - 1) / (batch * x)) ** j * central
    return mpmath.log(inside) / (order - 1)


FORMULAS = {
    "fmt21-3.8": lambda clients, sigma, eps0, delta: clones(clients, eps0, delta),
    "fmt22-approximate": lambda clients, sigma, eps0, delta: stronger(clients, eps0, delta),
    "fmt21-renyi": lambda clients, eps0, order: pair(clients, eps0, order, mpmath.exp(-eps0)),
    "fmt22-renyi": lambda clients, eps0, categories, order: pair(clients, eps0, order, 2 / (mpmath.exp(eps0) + 1)),
    "bbg18-10": presence,
    "bbg18-10-single": lambda sigma, records, batch, epsilon: drawn(records, batch) * gauss(1 / sigma, epsilon),
    "biswas23-one-value": one_bin,
    "ccg24-personal": lambda clients, eps0, eps0_last, epsilon: personal(clients, eps0, eps0_last, 0, epsilon),
    "ccg24-personal-approximate": personal,
    "gdd21-upper": sampled_upper,
    "gdd21-lower": sampled_lower,
    "gdd21-exact": sampled_lower,
}
PLACES = {
    "fmt21-3.8": lambda clients, sigma, eps0, delta: total(clones(clients, eps0, delta), clients, sigma, eps0, delta),
    "fmt22-approximate": lambda clients, sigma, eps0, delta: total(
        stronger(clients, eps0, delta), clients, sigma, eps0, delta
    ),
    "bbg18-10": lambda eps0, records, batch, epsilon: mpmath.log(1 + drawn(records, batch) * (mpmath.exp(epsilon) - 1)),
    "bbg18-10-single": lambda sigma, records, batch, epsilon: mpmath.log(
        1 + drawn(records, batch) * (mpmath.exp(epsilon) - 1)
    ),
}
RANGES = {
    "clients": (2, 60), "sigma": (1, 8), "eps0": (0.05, 3), "eps0_last": (0.05, 3), "delta": (1e-12, 0.1),
    "delta0": (1e-9, 0.1), "epsilon": (0.02, 2), "order": (2, 30), "categories": (3, 30), "records": (3, 2000),
    "batch": (1, 100),
}  # fmt: skip
OTHERS = {
    "fmt21-3.8": {"clients": (10**4, 10**7), "sigma": (4, 20), "eps0": (2, 4)},
    "fmt22-approximate": {"clients": (10**4, 10**7), "sigma": (4, 20), "eps0": (2, 4)},
    "biswas23-one-value": {"eps0": (1, 3), "epsilon": (0.02, 0.9)},
    "ccg24-personal": {"epsilon": (0.02, 0.5)},
    "ccg24-personal-approximate": {"epsilon": (0.02, 0.5)},
    "gdd21-upper": {"clients": (60, 200), "batch": (1, 60)},
    "gdd21-lower": {"clients": (60, 200), "batch": (1, 60)},
    "gdd21-exact": {"clients": (100, 200), "batch": (1, 20)},
}
WHOLE = ("clients", "records", "batch", "categories")
# Real orders, too, have a divergence.
REAL_ORDERS = ("fmt21-renyi", "fmt22-renyi")


def point(choice, theorem):
    """Return random parameters, spread over the orders of magnitude."""
    params = {}
    for name in theorem.parameters:
        low, high = OTHERS.get(theorem.id, {}).get(name, RANGES[name])
        value = math.exp(choice.uniform(math.log(low), math.log(high)))
        whole = name in WHOLE or (name == "order" and theorem.id not in REAL_ORDERS)
        params[name] = float(round(value)) if whole else value
    return params


def compare(name, count):
    """Compare a theorem with its twin at random points inside its conditions."""
    theorem, choice, values = REGISTRY[name], random.Random(f"{SEED} {name}"), 0
    with mp.workdps(60):
        for _ in range(50 * count):
            params = point(choice, theorem)
            if theorem.failed_conditions(**params):
                continue
            bound, exact = theorem(**params), {key: mpf(value) for key, value in params.items()}
            twin = FORMULAS[name](**exact)
            assert abs(mpf(bound.value) - twin) <= PRECISION * twin, params
            if name in PLACES:
                assert abs(mpf(bound.at) / PLACES[name](**exact) - 1) < PRECISION, params
            values += 1
            if values == count:
                return
    raise AssertionError(f"{name} has {values} points")


def test_the_statements_on_shuffles_are_what_is_recalled():
    for name in FORMULAS:
        compare(name, POINTS)


@pytest.mark.nightly
@pytest.mark.parametrize("name", FORMULAS)
def test_more_points_of_the_statements_on_shuffles(name):
    compare(name, 20)


@pytest.mark.nightly
def test_small_changes_of_a_power_do_not_cancel():
    from pldcheck.theorems.feldman22.clones_divergences import excess_of_power

    with mp.workdps(60):
        for order in (1 + 1e-6, 1.001, 1.5, 2.0, 7.0, 40.0):
            for change in (-0.9, -1e-3, -1e-9, 1e-12, 1e-5, 0.0012, 0.04, 3.0):
                exact = (1 + mpf(change)) ** mpf(order) - 1 - mpf(order) * mpf(change)
                assert abs(mpf(excess_of_power(1 + change, change, order)) / exact - 1) < 1e-12, (order, change)
        assert excess_of_power(1.0, 0.0, 3.0) == 0.0


@pytest.mark.nightly
def test_divergences_of_pairs_keep_their_digits_near_order_one_and_at_large_budgets():
    with mp.workdps(60):
        for eps0, order in ((1.3, 1 + 1e-7), (0.17, 1.000005), (18.5, 1.000001), (19.4, 1.000004), (15.0, 3.3)):
            for name, share in (
                ("fmt21-renyi", mpmath.exp(-mpf(eps0))),
                ("fmt22-renyi", 2 / (mpmath.exp(mpf(eps0)) + 1)),
            ):
                params = {"clients": 5, "eps0": eps0, "order": order}
                value = REGISTRY[name](**params | ({"categories": 2} if name == "fmt22-renyi" else {})).value
                assert abs(mpf(value) / pair(mpf(5), mpf(eps0), mpf(order), share) - 1) < 5e-13, (name, eps0, order)


@pytest.mark.nightly
def test_the_response_on_presence_is_what_is_drawn():
    """All draws of few records: the chance to be drawn k times, and that it is drawn at all."""
    for records, batch in ((1, 3), (2, 4), (4, 2)):
        masses = drawn_with_replacement.times_drawn(records, batch)
        n = records + 1
        exact = [math.comb(batch, k) * records ** (batch - k) / n**batch for k in range(1, batch + 1)]
        assert masses == pytest.approx(exact, rel=1e-14)
        assert drawn_with_replacement.drawn(records, batch) == pytest.approx(sum(exact), rel=1e-14)


# --- conditions ---------------------------------------------------------------------------------------------------

NOISE = {"clients": 10**5, "sigma": 4.0, "eps0": 2.0, "delta": 1e-6}
RENYI = {"clients": 100, "eps0": 1.0, "order": 4.0}
SAMPLE = {"clients": 100, "batch": 20, "eps0": 1.0, "order": 4.0}
PERSONAL = {"clients": 50, "eps0": 1.0, "eps0_last": 2.0, "epsilon": 0.5}
BIN = {"clients": 100, "eps0": 1.0, "categories": 4, "epsilon": 0.1}
BASE = {
    **dict.fromkeys(("fmt21-3.8", "fmt22-approximate"), NOISE),
    "fmt21-renyi": RENYI,
    "fmt22-renyi": RENYI | {"categories": 3},
    **dict.fromkeys(("gdd21-upper", "gdd21-lower", "gdd21-exact"), SAMPLE),
    "ccg24-personal": PERSONAL,
    "ccg24-personal-approximate": PERSONAL | {"delta0": 1e-6},
    "biswas23-one-value": BIN,
}
SAMPLE_EDGES = [
    ({"order": 4.0}, {"order": 4.5}, "order is an integer"),
    ({"order": 100.0, "eps0": 0.5}, {"order": 101.0, "eps0": 0.5}, "order <= 100"),
    ({"order": 50.0, "eps0": 2.0}, {"order": 50.0, "eps0": math.nextafter(2, 3)}, "order eps0 <= 100"),
    ({"clients": 200}, {"clients": 201}, "clients <= 200"),
]
EDGES = [
    # log(1e5 / (16 log(2e6))) is 6.0651...; log(1e5 / (8 log(2e6)) - 1) is 6.7570...
    ("fmt21-3.8", {"eps0": 6.06}, {"eps0": 6.07}, "eps0 <= log"),
    ("fmt22-approximate", {"eps0": 6.75}, {"eps0": 6.76}, "eps0 <= log"),
    # At sigma = 2 and eps0 = 2 the noise has delta0 = 8.9e-6 or so, of 1e5 clients.
    ("fmt21-3.8", {"sigma": 3.0}, {"sigma": 1.5}, "the total delta < 1"),
    ("fmt22-approximate", {"sigma": 3.0}, {"sigma": 1.5}, "the total delta < 1"),
    *(
        (name, *edge)
        for name in ("fmt21-renyi", "fmt22-renyi")
        for edge in (
            ({"clients": 100}, {"clients": 101}, "clients <= 100"),
            ({"order": 100.0}, {"order": math.nextafter(100, 101)}, "order eps0 <= 100"),
        )
    ),
    *((name, *edge) for name in ("gdd21-upper", "gdd21-lower", "gdd21-exact") for edge in SAMPLE_EDGES),
    ("gdd21-upper", {"batch": 100}, {"batch": 101}, "batch <= clients"),
    ("gdd21-lower", {"batch": 100}, {"batch": 101}, "batch <= clients"),
    ("gdd21-exact", {"batch": 20}, {"batch": 101}, "batch <= clients"),
    ("gdd21-exact", {"batch": 20}, {"batch": 21}, "5 batch <= clients"),
    *(
        (name, *edge)
        for name in ("ccg24-personal", "ccg24-personal-approximate")
        for edge in (
            ({"clients": 2}, {"clients": 1}, "clients >= 2"),
            ({"clients": 200}, {"clients": 201}, "clients <= 200"),
        )
    ),
    ("ccg24-personal-approximate", {"delta0": 1e-300}, {"delta0": 0.0}, "delta0 > 0"),
    ("biswas23-one-value", {"categories": 3}, {"categories": 2}, "categories >= 3"),
    ("biswas23-one-value", {"epsilon": math.nextafter(1, 0)}, {"epsilon": 1.0}, "epsilon < eps0"),
    ("biswas23-one-value", {"clients": 200}, {"clients": 201}, "clients <= 200"),
]


def test_conditions_on_shuffles_hold_on_one_side_and_fail_on_the_other():
    for name, inside, outside, text in EDGES:
        theorem, base = REGISTRY[name], BASE[name]
        assert theorem.failed_conditions(**base | inside) == (), (name, inside)
        texts = [condition.text for condition in theorem.failed_conditions(**base | outside)]
        assert any(one.startswith(text) for one in texts), (name, outside, texts)
        with pytest.raises(ConditionError, match=f"^{name} requires "):
            theorem(**base | outside)


@pytest.mark.nightly
def test_every_condition_of_these_statements_has_its_edge():
    for name in FORMULAS:
        for condition in REGISTRY[name].conditions:
            assert any(name == one and condition.text.startswith(text) for one, _, _, text in EDGES), condition.text


@pytest.mark.parametrize(
    ("name", "params", "exact"),
    [
        (
            "fmt22-renyi",
            {"clients": 3, "eps0": 0.0012171498973638445, "categories": 27, "order": 122.0},
            3.012902403164596097024e-5,
        ),
        ("fmt21-renyi", {"clients": 2, "eps0": 0.0005486055558456658, "order": 198.0}, 1.489879167269393346248e-5),
    ],
)
def test_large_orders_of_ratios_next_to_one_keep_their_digits(name, params, exact):
    # 80 digits; a logarithm of the ratio in place of the change erred by 1.2e-12.
    assert REGISTRY[name](**params).value == pytest.approx(exact, rel=2e-13, abs=0.0)
