"""The statements of the suite ``field``: each formula typed again at 60 digits, each condition from both sides."""

import math
import random

import mpmath
import pytest
import test_field_shuffles
from mpmath import mp, mpf

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.recalled import AS_RECALLED
from pldcheck.verification import suites

# Relative error that formulas promise; the curve of Gaussian noise promises 1e-14 of its own parameter.
PRECISION = 2e-12
# Random points for each formula.
POINTS = 6
# Another number is another choice of points.
SEED = 20261127


def phi(z):
    return mpmath.erfc(-z / mpmath.sqrt(2)) / 2


def gauss(mu, epsilon):
    """Return the delta of Gaussian noise; at 60 digits differences of tails do no harm."""
    return phi(-epsilon / mu + mu / 2) - mpmath.exp(epsilon) * phi(-epsilon / mu - mu / 2)


def choose(n, k):
    return mpf(math.comb(int(n), int(k)))


def poisson_moment(sigma, rate, order, factor=1):
    """Return the sum over the number k of factors of the ratio; those with k >= 3 are taken ``factor`` times."""
    return mpmath.fsum(
        (factor if k >= 3 else 1)
        * choose(order, k)
        * (1 - rate) ** (order - k)
        * rate**k
        * mpmath.exp(k * (k - 1) / (2 * sigma**2))
        for k in range(int(order) + 1)
    )


# --- the formulas, as the sources have them -----------------------------------------------------------------------


def dr14_composition(steps, eps0, delta):
    return mpmath.sqrt(2 * steps * mpmath.log(1 / delta)) * eps0 + steps * eps0 * (mpmath.exp(eps0) - 1)


def kov_simple(steps, eps0, delta):
    drift = (mpmath.exp(eps0) - 1) * eps0 * steps / (mpmath.exp(eps0) + 1)
    second = drift + eps0 * mpmath.sqrt(2 * steps * mpmath.log(mpmath.e + mpmath.sqrt(steps * eps0**2) / delta))
    return min(steps * eps0, second, drift + eps0 * mpmath.sqrt(2 * steps * mpmath.log(1 / delta)))


def bs_tail(sigma, steps, epsilon):
    rho = steps / (2 * sigma**2)
    u = (epsilon - rho) / (2 * rho)
    last = 2 / (1 + u + mpmath.sqrt((1 + u) ** 2 + 4 / (mpmath.pi * rho)))
    return mpmath.exp(-((epsilon - rho) ** 2) / (4 * rho)) * min(1, mpmath.sqrt(mpmath.pi * rho), 1 / (1 + u), last)


def response_renyi(eps0, order):
    p = mpmath.exp(eps0) / (1 + mpmath.exp(eps0))
    return mpmath.log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)) / (order - 1)


def laplace_renyi(scale, order):
    first = order / (2 * order - 1) * mpmath.exp((order - 1) / scale)
    return mpmath.log(first + (order - 1) / (2 * order - 1) * mpmath.exp(-order / scale)) / (order - 1)


def drs_with_error(steps, eps0, epsilon):
    """Return it from the moments of the loss, as the theorem has them."""
    p = mpmath.exp(eps0) / (1 + mpmath.exp(eps0))
    mean = p * eps0 - (1 - p) * eps0
    square = eps0**2
    third = p * abs(eps0 - mean) ** 3 + (1 - p) * abs(eps0 + mean) ** 3
    spread = steps * square - steps * mean**2
    gamma = mpf("0.56") * steps * third / spread ** mpf("1.5")
    return min(1, gauss(2 * steps * mean / mpmath.sqrt(spread), epsilon) + gamma * (1 + mpmath.exp(epsilon)))


def group(sigma, group, epsilon):
    return min(1, group * mpmath.exp(group * epsilon) * gauss(1 / sigma, epsilon))


def without_replacement(sigma, rate, order):
    def eps(j):
        return j / (2 * sigma**2)

    pair = min(4 * (mpmath.exp(eps(2)) - 1), mpmath.exp(eps(2)) * 2)
    rest = mpmath.fsum(rate**j * choose(order, j) * mpmath.exp((j - 1) * eps(j)) * 2 for j in range(3, int(order) + 1))
    return mpmath.log(1 + rate**2 * choose(order, 2) * pair + rest) / (order - 1)


def accountant(sigma, rate, steps, delta):
    values = (
        steps * mpmath.log(poisson_moment(sigma, rate, mpf(a))) / (a - 1)
        + mpmath.log(mpf(a - 1) / a)
        - (mpmath.log(delta) + mpmath.log(a)) / (a - 1)
        for a in range(2, 65)
    )
    return max(0, min(values))


def cut(sigma, rate, records, largest_batch, epsilon):
    n = int(records) + 1
    kept = mpmath.fsum(choose(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(int(largest_batch) + 1))
    y = mpmath.log((mpmath.exp(epsilon) - 1 + rate) / rate)
    return min(1, rate * gauss(1 / sigma, y) + (1 + mpmath.exp(epsilon)) * (1 - kept))


def clones(clients, eps0, delta):
    x = mpmath.exp(eps0)
    bracket = 8 * mpmath.sqrt(x * mpmath.log(2 / delta)) / mpmath.sqrt(clients) + 8 * x / clients
    return mpmath.log(1 + (x - 1) / (x + 1) * bracket)


def blanket(clients, eps0, categories, delta):
    """Return the epsilon whose gamma is that of K-ary response."""
    gamma = categories / (mpmath.exp(eps0) + categories - 1)
    root = mpmath.sqrt(14 * categories * mpmath.log(2 / delta) / ((clients - 1) * gamma))
    return max(root, 27 * categories / ((clients - 1) * gamma))


def odometer(steps, eps0, delta):
    v, g = steps * eps0**2, eps0**2
    return v / 2 + mpmath.sqrt(2 * mpmath.log(mpmath.sqrt((v + g) / g) / delta) * (v + g))


def on_lattice(steps, eps0, epsilon):
    """Return the probabilities of sums of rounded losses, shifted so that the mean is kept."""
    p = mpmath.exp(eps0) / (1 + mpmath.exp(eps0))
    h = mpf("0.1") / mpmath.sqrt(steps / 2 * mpmath.log(12 / mpf("1e-10")))
    rounded = [h * mpmath.nint(eps0 / h), h * mpmath.nint(-eps0 / h)]
    shift = p * eps0 - (1 - p) * eps0 - p * rounded[0] - (1 - p) * rounded[1]
    return min(1, composed(steps, p, *(value + shift for value in rounded), epsilon - mpf("0.1")) + mpf("1e-10"))


def rounded_up(steps, eps0, epsilon):
    h = mpf("1e-4")
    p = mpmath.exp(eps0) / (1 + mpmath.exp(eps0))
    return composed(steps, p, h * mpmath.ceil(eps0 / h), h * mpmath.ceil(-eps0 / h), epsilon)


def composed(steps, p, up, down, epsilon):
    k = int(steps)
    return mpmath.fsum(
        choose(k, j) * p**j * (1 - p) ** (k - j) * max(0, 1 - mpmath.exp(epsilon - j * up - (k - j) * down))
        for j in range(k + 1)
    )


FORMULAS = {
    "glw21-5.5": on_lattice,
    "rounded-up": rounded_up,
    "dr14-A.1": lambda sigma, delta: mpmath.sqrt(2 * mpmath.log(mpf("1.25") / delta)) / sigma,
    "dr14-any-epsilon": lambda sigma, delta: mpmath.sqrt(2 * mpmath.log(mpf("1.25") / delta)) / sigma,
    "dr14-3.20": dr14_composition,
    "vadhan17-group": group,
    "group-linear": lambda sigma, group, epsilon: min(1, group * gauss(1 / sigma, epsilon)),
    "kov15-simple": kov_simple,
    "wrrw23-filter": lambda steps, eps0, delta: (
        mpmath.sqrt(2 * mpmath.log(1 / delta) * steps * eps0**2) + steps * eps0**2 / 2
    ),
    "wrrw23-odometer": odometer,
    "bs16-3.6": bs_tail,
    "mironov17-response": response_renyi,
    "mironov17-laplace": laplace_renyi,
    "drs19-3.4": drs_with_error,
    "bbg18-3": lambda scale, epsilon: max(0, 1 - mpmath.exp((epsilon - 1 / scale) / 2)),
    "bbg18-8": lambda sigma, rate, epsilon: rate * gauss(1 / sigma, epsilon),
    "bbg18-9": lambda sigma, records, batch, epsilon: batch / (records + 1) * gauss(1 / sigma, epsilon),
    "linear-amplification": lambda eps0, delta0, rate: rate * delta0,
    "reused-apart": lambda sigma, rate, releases, epsilon: min(1, releases * rate * gauss(1 / sigma, epsilon)),
    "reused-together": lambda sigma, rate, releases, epsilon: rate * gauss(mpmath.sqrt(releases) / sigma, epsilon),
    "abadi16-3": lambda sigma, rate, order: rate**2 * (order - 1) * order / ((1 - rate) * sigma**2) / (order - 1),
    "mtz19-11": lambda sigma, rate, order: rate**2 * 2 * order / sigma**2,
    "mtz19-replaced": lambda sigma, rate, order: mpmath.log(poisson_moment(sigma, rate, order)) / (order - 1),
    "mtz19-accountant": accountant,
    "zw19-general": lambda sigma, rate, order: mpmath.log(poisson_moment(sigma, rate, order, 3)) / (order - 1),
    "wbk19-9": without_replacement,
    "bdrs18-sampling": lambda sigma, rate, order: 13 * rate**2 * (1 / (2 * sigma**2)) * order,
    "chua24-cut": cut,
    "bbgn19-3.1": blanket,
    "efmrtt-short": lambda clients, eps0, delta: 12 * eps0 * mpmath.sqrt(mpmath.log(1 / delta) / clients),
    "fmt21-smaller-log": clones,
}

# Where a delta is claimed at another epsilon than that of the parameters.
PLACES = {
    "vadhan17-group": lambda sigma, group, epsilon: group * epsilon,
    "group-linear": lambda sigma, group, epsilon: group * epsilon,
    "bbg18-8": lambda sigma, rate, epsilon: mpmath.log(1 + rate * (mpmath.exp(epsilon) - 1)),
    "bbg18-9": lambda sigma, records, batch, epsilon: mpmath.log(1 + batch / (records + 1) * (mpmath.exp(epsilon) - 1)),
    "linear-amplification": lambda eps0, delta0, rate: rate * eps0,
    "reused-apart": lambda sigma, rate, releases, epsilon: releases * mpmath.log(1 + rate * (mpmath.exp(epsilon) - 1)),
    "reused-together": lambda sigma, rate, releases, epsilon: mpmath.log(1 + rate * (mpmath.exp(epsilon) - 1)),
}

# The ranges of random parameters, and those of single theorems where their conditions ask for others.
RANGES = {
    "sigma": (0.5, 8), "delta": (1e-12, 0.24), "steps": (1, 10**5), "eps0": (1e-3, 1.5), "epsilon": (0.05, 2),
    "group": (1, 8), "order": (2, 40), "scale": (0.2, 50), "rate": (1e-4, 0.9), "records": (20, 2000),
    "batch": (1, 20), "delta0": (1e-9, 0.1), "releases": (1, 40), "largest_batch": (5, 60),
    "clients": (10**4, 10**8), "categories": (2, 30),
}  # fmt: skip
OTHERS = {
    "glw21-5.5": {"steps": (1, 300)},
    "rounded-up": {"steps": (1, 300)},
    "dr14-A.1": {"sigma": (8, 100)},
    "bs16-3.6": {"sigma": (2, 8), "steps": (1, 4), "epsilon": (0.6, 2)},
    "drs19-3.4": {"steps": (100, 10**5), "eps0": (0.01, 1)},
    "abadi16-3": {"sigma": (1, 4), "rate": (1e-4, 0.01), "order": (2, 4)},
    "mtz19-11": {"sigma": (4, 20), "rate": (1e-4, 0.02), "order": (2, 5)},
    "bdrs18-sampling": {"sigma": (3, 20), "rate": (1e-4, 0.05), "order": (2, 5)},
    "mtz19-accountant": {"sigma": (0.6, 3), "rate": (1e-3, 0.05), "steps": (10, 10**4)},
    "chua24-cut": {"rate": (0.005, 0.02), "records": (500, 1500)},
    "efmrtt-short": {"eps0": (0.01, 0.49), "delta": (1e-12, 0.009)},
}
WHOLE = ("steps", "group", "records", "batch", "releases", "largest_batch", "clients", "categories")


def point(choice, theorem):
    """Return random parameters, spread over the orders of magnitude."""
    params = {}
    for name in theorem.parameters:
        low, high = OTHERS.get(theorem.id, {}).get(name, RANGES[name])
        value = math.exp(choice.uniform(math.log(low), math.log(high)))
        whole = name in WHOLE or (name == "order" and not theorem.id.startswith("mironov17"))
        params[name] = float(round(value)) if whole else value
    return params


def relative_error(value, exact):
    return abs(mpf(value) / exact - 1) if exact else abs(mpf(value))


def test_the_formulas_of_the_field_are_what_their_sources_say():
    for name in FORMULAS:
        compare_at_random_points(name, POINTS)


@pytest.mark.nightly
def test_the_divergence_of_response_is_the_same_on_both_sides_of_its_branch():
    """At order 32 the branch is at a budget of 300 / 31.5; beyond it the divergence is nearly the budget."""
    with mp.workdps(60):
        for eps0 in (9.5, 9.55, 15.0, 20.0):
            value = REGISTRY["mironov17-response"](eps0=eps0, order=32).value
            assert relative_error(value, response_renyi(mpf(eps0), mpf(32))) < PRECISION


def compare_at_random_points(name, count):
    """Compare a theorem with its twin at random points inside its conditions."""
    theorem, choice = REGISTRY[name], random.Random(f"{SEED} {name}")
    with mp.workdps(60):
        for _ in range(count):
            params = point(choice, theorem)
            bound = theorem(**params)
            exact_params = {key: mpf(value) for key, value in params.items()}
            assert relative_error(bound.value, FORMULAS[name](**exact_params)) < PRECISION, params
            if name in PLACES:
                assert relative_error(bound.at, PLACES[name](**exact_params)) < 1e-14, params


# --- formulas that are solved for epsilon -------------------------------------------------------------------------


def mu_of(name, params):
    """Return the mean of the limit."""
    if name == "bu20-limit":
        growth = mpmath.exp(1 / mpf(params["sigma"]) ** 2) - 1
        return mpf(params["rate"]) * mpmath.sqrt(params["steps"] * growth)
    eps0 = mpf(params["eps0"])
    mean = eps0 * mpmath.tanh(eps0 / 2)
    return 2 * params["steps"] * mean / mpmath.sqrt(params["steps"] * (eps0**2 - mean**2))


def test_limits_are_the_epsilon_of_their_delta():
    choice = random.Random(SEED)
    with mp.workdps(60):
        for name in ("bu20-limit", "drs19-limit"):
            for _ in range(3):
                params = point(choice, REGISTRY[name]) | {"steps": choice.randint(1, 2000), "rate": 0.02}
                params = {key: params[key] for key in REGISTRY[name].parameters}
                value, mu = mpf(REGISTRY[name](**params).value), mu_of(name, params)
                if value == 0:
                    assert gauss(mu, mpf(0)) <= params["delta"]
                else:
                    assert gauss(mu, value * (1 - mpf(1e-12))) > params["delta"] > gauss(mu, value * (1 + mpf(1e-12)))


@pytest.mark.nightly
def test_a_limit_without_a_loss_has_epsilon_zero():
    assert REGISTRY["drs19-limit"](steps=1, eps0=0.1, delta=0.045).value == 0
    # The total variation distance of the step is tanh(0.05).
    assert 0.045 < math.tanh(0.05) < 0.05


@pytest.mark.nightly
def test_the_first_filter_solves_its_equation():
    def spent(epsilon, steps, eps0, delta):
        weight = mpf("28.04") * mpmath.log(1 / delta)
        s = steps * eps0**2
        root = 2 * (s + epsilon**2 / weight) * (1 + mpmath.log(weight * s / epsilon**2 + 1) / 2) * mpmath.log(2 / delta)
        return steps * eps0 * (mpmath.exp(eps0) - 1) / 2 + mpmath.sqrt(root)

    choice = random.Random(SEED)
    with mp.workdps(60):
        for _ in range(POINTS):
            params = point(choice, REGISTRY["rruv16-filter"])
            value = mpf(REGISTRY["rruv16-filter"](**params).value)
            exact = {key: mpf(number) for key, number in params.items()}
            assert spent(value * (1 - mpf(1e-12)), **exact) > value * (1 - mpf(1e-12))
            assert spent(value * (1 + mpf(1e-12)), **exact) < value * (1 + mpf(1e-12))


# --- conditions ---------------------------------------------------------------------------------------------------

BASE = {
    "glw21-5.5": {"steps": 10, "eps0": 0.1, "epsilon": 0.5},
    "rounded-up": {"steps": 10, "eps0": 0.1, "epsilon": 0.5},
    "dr14-A.1": {"sigma": 10.0, "delta": 1e-6},
    "rruv16-filter": {"steps": 10, "eps0": 0.1, "delta": 1e-6},
    "bs16-3.6": {"sigma": 1.0, "steps": 1, "epsilon": 1.0},
    "drs19-3.4": {"steps": 1000, "eps0": 0.1, "epsilon": 1.0},
    "bbg18-9": {"sigma": 1.0, "records": 9, "batch": 10, "epsilon": 1.0},
    "linear-amplification": {"eps0": 1.0, "delta0": 1e-6, "rate": 0.1},
    "abadi16-3": {"sigma": 1.0, "rate": 0.01, "order": 3.0},
    "mtz19-11": {"sigma": 4.0, "rate": 0.01, "order": 4.0},
    "mtz19-replaced": {"sigma": 1.0, "rate": 0.01, "order": 3.0},
    "zw19-general": {"sigma": 1.0, "rate": 0.01, "order": 3.0},
    "wbk19-9": {"sigma": 1.0, "rate": 0.01, "order": 3.0},
    "bdrs18-sampling": {"sigma": 4.0, "rate": 0.01, "order": 4.0},
    "fs25-remove": {"steps": 2, "sigma": 1.0, "epsilon": 1.0},
    "fs25-decomposition": {"sigma": 1.0, "epsilon": 1.0},
    "poisson-allocation": {"sigma": 1.0, "epsilon": 1.0},
    "poisson-for-shuffled": {"sigma": 1.0, "epsilon": 1.0},
    "lt22-opposite": {"steps": 2, "sigma": 1.0, "epsilon": 1.0},
    "chua24-cut": {"sigma": 1.0, "rate": 1e-4, "records": 99_999, "largest_batch": 20, "epsilon": 0.5},
    "bbgn19-3.1": {"clients": 10**5, "eps0": 1.0, "categories": 4, "delta": 1e-6},
    "efmrtt-short": {"clients": 1000, "eps0": 0.25, "delta": 1e-6},
    "fmt21-smaller-log": {"clients": 10**5, "eps0": 1.0, "delta": 1e-6},
}
# Of each condition: what is changed to be just inside and just outside, and what the refusal says.
ROOT_OF_FIVE = math.nextafter(math.sqrt(5), 3)
EDGES = [
    ("glw21-5.5", {"steps": 10_000}, {"steps": 10_001}, "steps <= 10000"),
    ("rounded-up", {"steps": 10_000}, {"steps": 10_001}, "steps <= 10000"),
    # sqrt(2 log(1.25e6)) is 5.29880...
    ("dr14-A.1", {"sigma": 5.2989}, {"sigma": 5.2987}, "epsilon < 1"),
    ("rruv16-filter", {"delta": 0.25}, {"delta": math.nextafter(0.25, 1)}, "delta <= 1/4"),
    ("bs16-3.6", {"epsilon": 0.5}, {"epsilon": math.nextafter(0.5, 0)}, "epsilon >= rho"),
    # gamma = 0.56 cosh(0.1) / cosh(0.05) / sqrt(k) is 1/2 at k = 1.2638...
    ("drs19-3.4", {"steps": 2}, {"steps": 1}, "gamma"),
    ("bbg18-9", {"batch": 10}, {"batch": 11}, "batch <= records"),
    ("linear-amplification", {"delta0": 1e-300}, {"delta0": 0.0}, "delta0 > 0"),
    ("abadi16-3", {"sigma": 1.0}, {"sigma": math.nextafter(1, 0)}, "sigma >= 1"),
    ("abadi16-3", {"rate": math.nextafter(1 / 16, 0)}, {"rate": 1 / 16}, "rate < 1/"),
    ("abadi16-3", {"order": 2.0}, {"order": 2.5}, "order is an integer"),
    # 1 + log(100) is 5.605.
    ("abadi16-3", {"order": 5.0}, {"order": 6.0}, "order <= 1"),
    ("mtz19-11", {"rate": 0.2, "order": 1.5}, {"rate": math.nextafter(0.2, 1), "order": 1.5}, "rate <= 1/5"),
    ("mtz19-11", {"sigma": 4.0}, {"sigma": math.nextafter(4, 0)}, "sigma >= 4"),
    ("mtz19-replaced", {"order": 4.0}, {"order": 4.5}, "order is an integer"),
    ("mtz19-replaced", {"order": 1000.0}, {"order": 1001.0}, "order <= 1000"),
    ("zw19-general", {"order": 4.0}, {"order": 4.5}, "order is an integer"),
    ("zw19-general", {"order": 1000.0}, {"order": 1001.0}, "order <= 1000"),
    ("wbk19-9", {"order": 4.0}, {"order": 4.5}, "order is an integer"),
    ("wbk19-9", {"order": 1000.0}, {"order": 1001.0}, "order <= 1000"),
    ("bdrs18-sampling", {"rate": 0.1}, {"rate": math.nextafter(0.1, 1)}, "rate <= 0.1"),
    ("bdrs18-sampling", {"sigma": ROOT_OF_FIVE}, {"sigma": 2.236}, "sigma >= sqrt"),
    # log(100) / (4 rho) is 36.84 at rho = 1/32.
    ("bdrs18-sampling", {"order": 36.8}, {"order": 36.9}, "order < log"),
    ("fs25-remove", {"sigma": 0.1}, {"sigma": 0.0999}, "sigma >= 0.1"),
    ("lt22-opposite", {"sigma": 0.1}, {"sigma": 0.0999}, "sigma >= 0.1"),
    ("fs25-decomposition", {"sigma": 0.2}, {"sigma": 0.1999}, "sigma >= 0.2"),
    ("poisson-allocation", {"sigma": 5.0, "epsilon": 0.1}, {"sigma": 5.001}, "sigma <= 5"),
    ("poisson-for-shuffled", {"sigma": 5.0, "epsilon": 0.1}, {"sigma": 5.001}, "sigma <= 5"),
    ("chua24-cut", {"records": 99_999}, {"records": 100_000}, "records < 100000"),
    # 27 (e + 3) / (n - 1) and 14 (e + 3) log(2e6) / (n - 1) are below 1 from n = 1162.7 on.
    ("bbgn19-3.1", {"clients": 1163}, {"clients": 1162}, "epsilon <= 1"),
    ("bbgn19-3.1", {"clients": 10**5}, {"clients": 1}, "clients >= 2"),
    ("efmrtt-short", {"clients": 1000}, {"clients": 999}, "clients >= 1000"),
    ("efmrtt-short", {"eps0": math.nextafter(0.5, 0)}, {"eps0": 0.5}, "eps0 < 1/2"),
    ("efmrtt-short", {"delta": math.nextafter(0.01, 0)}, {"delta": 0.01}, "delta < 1/100"),
    # log(1e5 / (16 log(2e6))) is 6.0651...
    ("fmt21-smaller-log", {"eps0": 6.06}, {"eps0": 6.07}, "eps0 <= log"),
]


def test_conditions_of_the_field_hold_on_one_side_and_fail_on_the_other():
    for name, inside, outside, text in EDGES:
        theorem, base = REGISTRY[name], BASE[name]
        assert theorem.failed_conditions(**base | inside) == (), (name, inside)
        texts = [condition.text for condition in theorem.failed_conditions(**base | outside)]
        assert any(one.startswith(text) for one in texts), (name, outside, texts)
        with pytest.raises(ConditionError, match=f"^{name} requires "):
            theorem(**base | outside)


@pytest.mark.nightly
def test_every_condition_of_the_field_has_its_edge():
    # Those on shuffles have their edges in test_field_shuffles.
    ids = {theorem.id for theorem in suites.find("field").theorems} - set(test_field_shuffles.FORMULAS)
    texts = {(theorem, text) for theorem, _, _, text in EDGES}
    for name in ids:
        for condition in REGISTRY[name].conditions:
            known = any(name == theorem and condition.text.startswith(text) for theorem, text in texts)
            # Two theorems share the range of a quadrature; both forms of order are in the test after this one.
            shared = "evaluated" in condition.text or name in ("mtz19-11", "bdrs18-sampling")
            assert known or shared, (name, condition.text)


@pytest.mark.nightly
def test_the_orders_of_theorem_11_and_of_truncation_are_limited_as_printed():
    """The largest order is bisected on the formulas as printed, and each order beside it asked."""

    def printed(sigma, rate, order):
        tail = mpmath.log(1 + 1 / (rate * (order - 1)))
        first = sigma**2 * tail / 2 - 2 * mpmath.log(sigma)
        top = sigma**2 * tail**2 / 2 - mpmath.log(5) - 2 * mpmath.log(sigma)
        return first, top / (tail + mpmath.log(rate * order) + 1 / (2 * sigma**2))

    theorem = REGISTRY["mtz19-11"]
    reasons = set()
    for sigma in (4.0, 6.0, 30.0):
        for rate in (1e-4, 0.01, 0.15):
            for order in (1.1, 2.0, 3.5, 7.0, 20.0, 60.0, 300.0):
                limits = printed(mpf(sigma), mpf(rate), mpf(order))
                failures = theorem.failed_conditions(sigma=sigma, rate=rate, order=order)
                assert [order <= limit for limit in limits] == [
                    not any(condition.text.startswith(f"order <= {start}") for condition in failures)
                    for start in ("sigma", "(sigma")
                ]
                reasons.add(tuple(order <= limit for limit in limits))
    assert {(True, True), (False, False)} <= reasons
    sampling = REGISTRY["bdrs18-sampling"]
    for sigma in (2.3, 2.5, 5.0):
        for rate in (0.1, 0.3, 0.05):
            rho = 1 / (2 * mpf(sigma) ** 2)
            holds = mpmath.log(1 / mpf(rate)) >= 3 * rho * (2 + mpmath.log(1 / rho, 2))
            failures = sampling.failed_conditions(sigma=sigma, rate=rate, order=1.1)
            assert holds != any(condition.text.startswith("log(1/rate) >=") for condition in failures)


# --- marks --------------------------------------------------------------------------------------------------------


def test_every_statement_of_the_field_is_marked_as_recalled():
    """What was not read is marked by the same words, and what is called false is a reading, not the authors' claim."""
    for theorem in suites.find("field").theorems:
        assert theorem.notes.startswith(AS_RECALLED)
    assert sum(theorem.notes.startswith(AS_RECALLED) for theorem in REGISTRY.values()) == len(
        suites.find("field").theorems
    )
