"""Shuffling, swapping and averaging in Balle et al. (2020), typed again at 40 digits."""

import itertools
import math

import mpmath
import pytest

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20 import shuffling_and_swaps

CLIENTS = (1, 7, 1000, 10**6, 10**15)
EPS0 = (1e-12, 1e-3, 0.3, 1.0, 4.0, 20.0)
DELTAS = (5e-324, 1e-300, 1e-6, 0.25, math.nextafter(1, 0))


def relative_error(value, exact):
    return abs(value / exact - 1)


def test_the_file_declares_the_known_theorems():
    assert [(theorem.id, theorem.protocol) for theorem in shuffling_and_swaps.THEOREMS] == [
        ("thm-A.7", "swap"),
        ("thm-A.7-approx", "swap"),
        ("thm-5.1", "shuffle"),
        ("thm-5.1-approx", "shuffle"),
        ("thm-A.5", "swap"),
        ("thm-4.1", "averaged"),
        ("thm-4.1-approx", "averaged"),
    ]


# --- the right-hand sides as printed, in 40 digits -------------------------------------------------------------


def swap_epsilon(n, eps0, delta):
    x, log_term = mpmath.exp(eps0), mpmath.log(1 / mpmath.mpf(delta))
    return x**3 * (x - 1) ** 2 / (2 * n) + x ** mpmath.mpf("1.5") * (x - 1) * mpmath.sqrt(2 * log_term / n)


def bins_epsilon(norm, n, eps0, delta):
    x, log_term = mpmath.exp(eps0), mpmath.log(1 / mpmath.mpf(delta))
    return norm**2 * x**4 * (x - 1) ** 2 / (2 * mpmath.mpf(n) ** 2) + norm * x**2 * (x - 1) / n * mpmath.sqrt(
        2 * log_term
    )


def norm(n, m, delta2):
    """Return the norm of Lemma A.6."""
    return mpmath.sqrt(n + mpmath.mpf(n) ** 2 / m) + mpmath.sqrt(n * mpmath.log(1 / mpmath.mpf(delta2)))


def largest_delta0(eps0, delta1):
    """Return delta0 of Lemma A.3, with e^(-5 eps0) in its last logarithm."""
    x, delta1 = mpmath.exp(mpmath.mpf(eps0)), mpmath.mpf(delta1)
    trials = mpmath.log(2 / delta1) / mpmath.log(1 / (1 - x**-5))
    return (1 - 1 / x) * delta1 / (4 * x * (2 + trials))


@pytest.mark.parametrize("name", ["thm-A.7", "thm-5.1"])
def test_swapping_and_shuffling_agree_with_their_formulas(name):
    with mpmath.workdps(40):
        for n, eps0, delta in itertools.product(CLIENTS, EPS0, DELTAS):
            claim = REGISTRY[name](clients=n, eps0=eps0, delta=delta)
            assert relative_error(claim.value, swap_epsilon(n, mpmath.mpf(eps0), delta)) < 1e-14, (n, eps0, delta)
            assert (claim.at, claim.delta_total) == (delta, delta)


def test_swapping_into_bins_agrees_with_its_formula():
    with mpmath.workdps(40):
        for n, eps0, delta in itertools.product(CLIENTS, EPS0, DELTAS):
            for size in {math.sqrt(n), max(math.sqrt(n), n / 3), float(n)}:
                claim = REGISTRY["thm-A.5"](clients=n, bin_norm=size, eps0=eps0, delta=delta)
                exact = bins_epsilon(mpmath.mpf(size), n, mpmath.mpf(eps0), delta)
                assert relative_error(claim.value, exact) < 1e-14, (n, size, eps0, delta)


def test_averaging_agrees_with_its_formula():
    with mpmath.workdps(40):
        for n, m, eps0, delta in itertools.product(CLIENTS, (1, 30, 10**12), EPS0, DELTAS[:4]):
            for delta2 in (1e-300, 1e-7, 0.5):
                claim = REGISTRY["thm-4.1"](clients=n, steps=m, eps0=eps0, delta2=delta2, delta=delta)
                assert relative_error(claim.value, bins_epsilon(norm(n, m, delta2), n, mpmath.mpf(eps0), delta)) < 1e-14
                assert claim.delta_total == delta + delta2


APPROXIMATE = [
    ({"clients": 10**6, "eps0": 0.2, "delta0": 1e-17, "delta1": 1e-13, "delta": 1e-6}),
    ({"clients": 10**15, "eps0": 0.5, "delta0": 0.0, "delta1": 1e-300, "delta": 1e-3}),
    ({"clients": 3, "eps0": 1e-3, "delta0": 1e-30, "delta1": 1e-9, "delta": 0.5}),
]


@pytest.mark.parametrize("params", APPROXIMATE)
@pytest.mark.parametrize("name", ["thm-A.7-approx", "thm-5.1-approx"])
def test_approximate_randomizers_agree_with_their_formulas(name, params):
    claim = REGISTRY[name](**params)
    with mpmath.workdps(40):
        exact = swap_epsilon(params["clients"], 8 * mpmath.mpf(params["eps0"]), params["delta"])
        total = params["delta"] + params["clients"] * (mpmath.exp(exact) + 1) * mpmath.mpf(params["delta1"])
        assert relative_error(claim.value, exact) < 1e-14
        assert relative_error(claim.delta_total, total) < 1e-13


@pytest.mark.parametrize("params", APPROXIMATE)
def test_averaging_of_approximate_randomizers_agrees_with_its_formula(params):
    at = params | {"steps": min(10**12, 2 * params["clients"]), "delta2": 1e-7}
    claim = REGISTRY["thm-4.1-approx"](**at)
    with mpmath.workdps(40):
        n, m = at["clients"], at["steps"]
        exact = bins_epsilon(norm(n, m, at["delta2"]), n, 8 * mpmath.mpf(at["eps0"]), at["delta"])
        total = at["delta"] + at["delta2"] + m * (mpmath.exp(exact) + 1) * mpmath.mpf(at["delta1"])
        assert relative_error(claim.value, exact) < 1e-14
        assert relative_error(claim.delta_total, total) < 1e-13


# Sheet of known values of Figure 2: Theorem 5.1 at delta = 1e-6, printed to four decimals; and where it reaches eps0.
FIGURE = [
    (1000, "0.0497 0.1494 0.3382 0.6846 1.3097"),
    (10_000, "0.0157 0.0471 0.1065 0.2147 0.4078"),
    (100_000, "0.0050 0.0149 0.0336 0.0677 0.1283"),
]
VACUOUS = [(1000, 0.874), (10_000, 1.419), (100_000, 1.955)]


@pytest.mark.parametrize(("n", "row"), FIGURE)
def test_printed_digits_are_reproduced(n, row):
    values = [REGISTRY["thm-5.1"](clients=n, eps0=eps0, delta=1e-6).value for eps0 in (0.2, 0.4, 0.6, 0.8, 1.0)]
    assert " ".join(f"{value:.4f}" for value in values) == row


@pytest.mark.parametrize(("n", "eps0"), VACUOUS)
def test_where_theorem_5_1_says_nothing(n, eps0):
    below, above = (REGISTRY["thm-5.1"](clients=n, eps0=eps0 + step, delta=1e-6).value for step in (-6e-4, 6e-4))
    assert below < eps0 - 6e-4 and above > eps0 + 6e-4


# --- where the formulas come from --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 50, 1000])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
def test_the_bound_is_no_less_than_the_composition_of_its_steps(n, eps0):
    x, log_term = math.exp(eps0), math.log(1e6)
    eps = [math.log1p(x * x * (x - 1) / (x * x + (i - 1) + (n - i) * x)) for i in range(1, n + 1)]
    drift = math.fsum(math.expm1(e) * e / (math.exp(e) + 1) for e in eps)
    composition = drift + math.sqrt(2 * log_term * math.fsum(e * e for e in eps))
    assert composition <= REGISTRY["thm-A.7"](clients=n, eps0=eps0, delta=1e-6).value


@pytest.mark.parametrize("sizes", [[1] * 50, [2, 3, 45], [10] * 30])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
def test_the_bound_is_no_less_than_the_composition_of_the_bins(sizes, eps0):
    x, n, log_term = math.exp(eps0), sum(sizes), math.log(1e6)
    eps = [math.log1p(x * x * (x - 1) * size / n) for size in sizes]
    drift = math.fsum(math.expm1(e) * e / (math.exp(e) + 1) for e in eps)
    composition = drift + math.sqrt(2 * log_term * math.fsum(e * e for e in eps))
    root = max(math.sqrt(n), math.sqrt(sum(size * size for size in sizes)))
    assert composition <= REGISTRY["thm-A.5"](clients=n, bin_norm=root, eps0=eps0, delta=1e-6).value


def test_bins_of_one_client_are_worse_than_swapping():
    """Their ratio tends to sqrt(x): A.5 bounds each posterior by x^2/n, A.7 by x/(n - (1 - 1/x)(i - 1))."""
    for eps0 in (0.1, 1.0, 2.0):
        at = {"clients": 10**8, "eps0": eps0, "delta": 1e-6}
        ratio = REGISTRY["thm-A.5"](bin_norm=1e4, **at).value / REGISTRY["thm-A.7"](**at).value
        assert ratio == pytest.approx(math.exp(eps0 / 2), rel=0.01)


def test_theorem_5_1_is_below_theorem_4_1():
    """Averaged check-ins are a post-processing of shuffling, whose bound is smaller and has no delta2."""
    for n, m, eps0 in itertools.product((10, 1000, 10**6), (1, 10, 10**6), (0.1, 1.0, 3.0)):
        value = REGISTRY["thm-4.1"](clients=n, steps=m, eps0=eps0, delta2=0.5, delta=1e-6).value
        assert REGISTRY["thm-5.1"](clients=n, eps0=eps0, delta=1e-6).value < value


# --- conditions ------------------------------------------------------------------------------------------------------


def test_tolerated_delta0():
    with mpmath.workdps(90):
        for eps0, delta1 in itertools.product((*EPS0, 0.1399, 0.1401), (1e-200, 1e-12, 0.5)):
            assert relative_error(shuffling_and_swaps.tolerated(eps0, delta1), largest_delta0(eps0, delta1)) < 1e-14
    at = APPROXIMATE[0]
    edge = shuffling_and_swaps.tolerated(at["eps0"], at["delta1"])
    for name in ("thm-5.1-approx", "thm-A.7-approx"):
        assert REGISTRY[name](**at | {"delta0": edge}).value > 0
        with pytest.raises(ConditionError, match=r"requires delta0 <= \(1 - e\^-eps0\) delta1 / \(4 e\^eps0"):
            REGISTRY[name](**at | {"delta0": math.nextafter(edge, 1)})


def test_the_delta_of_approximate_randomizers_stays_below_one():
    at = APPROXIMATE[0] | {"delta0": 0.0}
    with pytest.raises(ConditionError, match=r"requires delta \+ clients \(e\^epsilon \+ 1\) delta1 < 1"):
        REGISTRY["thm-5.1-approx"](**at | {"delta1": 1e-6})
    # e^epsilon overflows here, and is not evaluated.
    with pytest.raises(ConditionError, match="exceeds it by inf"):
        REGISTRY["thm-A.7-approx"](**at | {"eps0": 20})
    with pytest.raises(ConditionError, match=r"requires delta \+ delta2 \+ steps \(e\^epsilon \+ 1\) delta1 < 1"):
        REGISTRY["thm-4.1-approx"](**at | {"delta2": 1e-6, "steps": 10, "eps0": 2})


def test_the_deltas_of_averaging_sum_to_less_than_one():
    at = {"clients": 10, "steps": 10, "eps0": 1.0, "delta": 0.5}
    with pytest.raises(ConditionError, match=r"requires delta \+ delta2 < 1; delta = 0.5 is the excluded limit"):
        REGISTRY["thm-4.1"](**at, delta2=0.5)
    assert REGISTRY["thm-4.1"](**at, delta2=0.4999).delta_total < 1


def test_norms_of_bins_are_checked():
    at = {"clients": 1000, "eps0": 1.0, "delta": 1e-6}
    assert REGISTRY["thm-A.5"](**at, bin_norm=math.sqrt(1000)).value < REGISTRY["thm-A.5"](**at, bin_norm=1000).value
    with pytest.raises(ConditionError, match=r"requires bin_norm >= sqrt\(clients\)"):
        REGISTRY["thm-A.5"](**at, bin_norm=31.6)
    with pytest.raises(ConditionError, match="requires bin_norm <= clients; bin_norm = 1000.5 exceeds it by 0.5"):
        REGISTRY["thm-A.5"](**at, bin_norm=1000.5)
