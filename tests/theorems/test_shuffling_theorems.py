"""Other papers' bounds on shuffling, typed again at 40 digits and compared with shuffled randomized response."""

import itertools
import math

import mpmath
import pytest
import shuffled_laws

from pldcheck.core.errors import ConditionError, PldcheckError
from pldcheck.theorems import REGISTRY, erlingsson19, feldman21
from pldcheck.theorems.chen24 import gaussian_limit
from pldcheck.theorems.feldman22 import stronger_clones

CLIENTS = (1, 7, 1000, 10**6, 10**15)
# The other statements of these papers are in test_field_shuffles.
THEOREMS = (*erlingsson19.THEOREMS, *feldman21.THEOREMS, *stronger_clones.THEOREMS, *gaussian_limit.THEOREMS)
EPS0 = (1e-12, 1e-3, 0.3, 1.0, 3.0, 20.0)
DELTAS = (5e-324, 1e-300, 1e-6, 0.25, math.nextafter(1, 0))


def relative_error(value, exact):
    return abs(value / exact - 1)


def test_the_file_declares_the_known_theorems():
    assert [(theorem.id, theorem.quantity) for theorem in THEOREMS] == [
        ("efmrtt-7", "epsilon"),
        ("efmrtt-short", "epsilon"),
        ("fmt21-3.1", "epsilon"),
        ("fmt21-smaller-log", "epsilon"),
        ("fmt22-closed", "epsilon"),
        ("chen-gdp", "delta"),
    ]
    assert {theorem.protocol for theorem in THEOREMS} == {"shuffle"}


# --- the right-hand sides as printed, in 40 digits -------------------------------------------------------------


def efmrtt(n, p, delta):
    return 2 * p**2 * (p - 1) * (mpmath.exp(2 * p**2 * (p - 1) / n) - 1) + 2 * p**2 * (p - 1) * mpmath.sqrt(
        2 * mpmath.log(1 / delta) / n
    )


def fmt21(n, p, delta):
    inner = 8 * mpmath.sqrt(p * mpmath.log(4 / delta)) / mpmath.sqrt(n) + 8 * p / n
    return mpmath.log(1 + (p - 1) / (p + 1) * inner)


def fmt22(n, p, delta):
    inner = 4 * mpmath.sqrt(2 * mpmath.log(4 / delta)) / mpmath.sqrt((p + 1) * n) + mpmath.mpf(4) / n
    return mpmath.log(1 + (p - 1) * inner)


RETYPINGS = {"efmrtt-7": efmrtt, "fmt21-3.1": fmt21, "fmt22-closed": fmt22}


@pytest.mark.parametrize("name", RETYPINGS)
def test_formulas_agree_with_their_retyping(name):
    trials = 0
    with mpmath.workdps(60):
        for n, eps0, delta in itertools.product(CLIENTS, EPS0, DELTAS):
            at = {"clients": n, "eps0": eps0, "delta": delta}
            exact = RETYPINGS[name](mpmath.mpf(n), mpmath.exp(mpmath.mpf(eps0)), mpmath.mpf(delta))
            if exact < 1e300:
                # The formula alone, inside its conditions and outside.
                assert relative_error(REGISTRY[name].formula(**at), exact) < 1e-14, at
                trials += 1
    assert trials > 100


# Figure 2 at delta = 1e-6, to the digits of the sheet of known values.
FIGURE = [
    ("efmrtt-7", 1000, "0.1102 0.3687 0.9373 2.1663 4.8740"),
    ("efmrtt-7", 10_000, "0.0348 0.1156 0.2899 0.6529 1.3993"),
    ("efmrtt-7", 100_000, "0.0110 0.0364 0.0910 0.2033 0.4285"),
    ("fmt21-3.1", 1000, "0.1040 0.2152 0.3308 0.4484 0.5662"),
    ("fmt21-3.1", 10_000, "0.0339 0.0727 0.1161 0.1634 0.2140"),
    ("fmt21-3.1", 100_000, "0.0108 0.0235 0.0381 0.0545 0.0726"),
    ("fmt22-closed", 1000, "0.0994 0.1983 0.2961 0.3926 0.4876"),
    ("fmt22-closed", 10_000, "0.0323 0.0666 0.1028 0.1406 0.1800"),
    ("fmt22-closed", 100_000, "0.0103 0.0215 0.0336 0.0465 0.0604"),
]


@pytest.mark.parametrize(("name", "n", "row"), FIGURE)
def test_printed_digits_are_reproduced(name, n, row):
    values = [REGISTRY[name](clients=n, eps0=eps0, delta=1e-6).value for eps0 in (0.2, 0.4, 0.6, 0.8, 1.0)]
    assert " ".join(f"{value:.4f}" for value in values) == row


def test_efmrtt_is_advanced_composition_of_equal_steps():
    """n steps of 2 x^2 (x-1) / n each: eps (e^eps - 1) n + eps sqrt(2 n log(1/delta))."""
    for n, eps0 in itertools.product((10, 1000, 10**6), (0.1, 1.0)):
        step = 2 * math.exp(2 * eps0) * math.expm1(eps0) / n
        composition = n * step * math.expm1(step) + step * math.sqrt(2 * n * math.log(1e6))
        assert REGISTRY["efmrtt-7"](clients=n, eps0=eps0, delta=1e-6).value == pytest.approx(composition, rel=1e-12)


def test_each_theorem_improves_on_the_one_before_at_the_end_of_the_figure():
    for n, eps0 in itertools.product((1000, 10**4, 10**5), (0.8, 1.0)):
        at = {"clients": n, "eps0": eps0, "delta": 1e-6}
        assert REGISTRY["fmt22-closed"](**at).value < REGISTRY["fmt21-3.1"](**at).value
        assert REGISTRY["fmt21-3.1"](**at).value < REGISTRY["thm-5.1"](**at).value < REGISTRY["efmrtt-7"](**at).value


@pytest.mark.parametrize("name", ["fmt21-3.1", "fmt22-closed"])
def test_no_theorem_is_below_shuffled_binary_response(name):
    """Its delta at the claimed epsilon, all others alike, stays below the delta asked for."""
    trials = 0
    with mpmath.workdps(30):
        for n, eps0, delta in itertools.product((50, 200, 400), (0.1, 0.5, 1.0, 2.0), (0.1, 1e-3, 1e-6)):
            at = {"clients": n, "eps0": eps0, "delta": delta}
            if not REGISTRY[name].failed_conditions(**at):
                rows = shuffled_laws.response(2, mpmath.exp(mpmath.mpf(eps0)))
                assert shuffled_laws.delta(rows, rows[0], n, REGISTRY[name](**at).value) < delta / 100
                trials += 1
    assert trials > 8


# --- conditions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "factor", "shift"), [("fmt21-3.1", 16, 0), ("fmt22-closed", 8, 1)])
def test_conditions_are_checked_at_their_edges(name, factor, shift):
    theorem = REGISTRY[name]
    for n, delta in ((1000, 1e-6), (10**15, 5e-324), (100, 0.9)):
        with mpmath.workdps(40):
            edge = mpmath.log(n / (factor * mpmath.log(2 / mpmath.mpf(delta))) - shift)
        if edge > 20:
            assert theorem.failed_conditions(clients=n, eps0=20, delta=delta) == ()
            continue
        theorem(clients=n, eps0=float(edge * (1 - mpmath.mpf(1e-14))), delta=delta)
        with pytest.raises(ConditionError, match=r"requires eps0 <= log\(clients / \("):
            theorem(clients=n, eps0=float(edge * (1 + mpmath.mpf(1e-14))), delta=delta)


@pytest.mark.parametrize("name", ["fmt21-3.1", "fmt22-closed"])
def test_conditions_that_no_eps0_meets(name):
    with pytest.raises(ConditionError, match="eps0 = 0.1 exceeds it by"):
        REGISTRY[name](clients=1, eps0=0.1, delta=1e-6)


def test_claims_above_eps0_stay_as_printed():
    assert REGISTRY["efmrtt-7"](clients=1, eps0=1, delta=0.5).value > 1
    with pytest.raises(PldcheckError, match="outside the range"):
        REGISTRY["efmrtt-7"](clients=1, eps0=20, delta=0.5)


# --- the Gaussian limit ---------------------------------------------------------------------------------------------


def gaussian(n, eps0, epsilon):
    mu = 2 * mpmath.exp(mpmath.mpf(eps0) / 2) / mpmath.sqrt(mpmath.mpf(n) - 1)
    epsilon = mpmath.mpf(epsilon)

    def normal_below(z):
        return mpmath.erfc(-z / mpmath.sqrt(2)) / 2

    return normal_below(-epsilon / mu + mu / 2) - mpmath.exp(epsilon) * normal_below(-epsilon / mu - mu / 2)


@pytest.mark.nightly
def test_the_gaussian_limit_agrees_with_its_formula():
    """Thresholds epsilon/mu up to 37, where delta is 1e-300."""
    worst = trials = 0
    with mpmath.workdps(400):
        for n, eps0, t in itertools.product(
            (2, 17, 1000, 10**6, 10**15), EPS0, (0.0, 1e-3, 1.0, 5.0, 17.0, 30.0, 36.5)
        ):
            epsilon = t * 2 * math.exp(eps0 / 2) / math.sqrt(n - 1)
            exact = gaussian(n, eps0, epsilon)
            if exact > 1e-300:
                worst = max(
                    worst, relative_error(REGISTRY["chen-gdp"](clients=n, eps0=eps0, epsilon=epsilon).value, exact)
                )
                trials += 1
    assert trials > 150 and worst < 5e-13


def test_gaussian_limit_needs_two_clients():
    with pytest.raises(ConditionError, match="requires clients >= 2; clients = 1 exceeds it by 1"):
        REGISTRY["chen-gdp"](clients=1, eps0=1, epsilon=0.5)


@pytest.mark.parametrize(
    ("n", "eps0", "epsilon", "claim", "exact"),
    [
        (100, 4.0, 2.8, 0.056, 0.114),
        (50, 4.0, 3.2, 0.198, 0.222),
        (1000, 6.0, 4.8, 0.00022, 0.0588),
    ],
)
def test_the_gaussian_limit_is_no_bound(n, eps0, epsilon, claim, exact):
    """Binary response, all others alike, at few clients a category."""
    value = REGISTRY["chen-gdp"](clients=n, eps0=eps0, epsilon=epsilon).value
    assert value == pytest.approx(claim, rel=0.01)
    with mpmath.workdps(30):
        rows = shuffled_laws.response(2, mpmath.exp(mpmath.mpf(eps0)))
        assert float(shuffled_laws.delta(rows, rows[0], n, epsilon)) == pytest.approx(exact, rel=0.01)
    assert claim < exact


def test_the_gaussian_limit_is_above_that_of_the_clones():
    """FMT21's pair has mu^2 -> 4 x (x-1)^2 / ((x+1)^2 n): with many clients there is room."""
    at = {"clients": 10**4, "eps0": 1.0}
    # The numeric epsilons of FMT21 and FMT22 at delta = 1e-6, by the sheet of known values.
    for epsilon in (0.053005316475, 0.043206):
        assert REGISTRY["chen-gdp"](**at, epsilon=epsilon).value > 1e-6


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_theorems_that_were_not_read_at_their_source_say_so(theorem):
    assert ("recalled" in theorem.notes) == theorem.id.startswith(("fmt", "efmrtt-short"))
    assert ("quoted" in theorem.source.where) == (theorem.id == "efmrtt-7")


# --- the twin itself -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("categories", "n"), [(2, 5), (3, 4), (4, 3)])
def test_counts_agree_with_all_sequences(categories, n):
    with mpmath.workdps(30):
        rows = shuffled_laws.response(categories, mpmath.mpf(3))
        reference = shuffled_laws.enumerate_laws(rows[:2], rows[-1], n)
        laws = list(shuffled_laws.laws(rows[:2], rows[-1], n))
        assert len(laws) == len(reference)
        for (p, q), (pp, qq) in zip(sorted(laws), sorted(reference.values()), strict=True):
            assert abs(p - pp) < 1e-25 and abs(q - qq) < 1e-25
        assert abs(sum(p for p, _ in laws) - 1) < 1e-25
