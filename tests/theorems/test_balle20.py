"""The formulas of Balle et al. (2020) against numbers and re-typings at 40 digits."""

import itertools
import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pldcheck.core.errors import ConditionError
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20 import check_ins

IDS = ("thm-3.2", "thm-3.2-simple", "thm-3.2-improved", "thm-4.3", "thm-4.3-simple", "thm-A.4")
SLOTS = {"check-in": "steps", "sliding-window": "window", "hidden-slot": "steps"}
WEIGHT = {"check-in": "check_in_prob", "hidden-slot": "weight"}


def bound(name, m, eps0, w, delta):
    """Return the theorem under one signature: w goes to its weight, and must be 1 where it has none."""
    protocol = REGISTRY[name].protocol
    params = {SLOTS[protocol]: m, "eps0": eps0, "delta": delta}
    if protocol in WEIGHT:
        params[WEIGHT[protocol]] = w
    else:
        assert w == 1
    return float(REGISTRY[name](**params))


def test_the_folder_declares_exactly_the_known_theorems():
    assert {theorem.id for theorem in check_ins.THEOREMS} == {
        *IDS,
        "cor-3.3",
        "lem-A.2",
    }


def test_one_repetition_of_corollary_3_3_costs_at_most_a_half():
    # Its proof needs eps1 <= 1/2, Theorem 3.2's value for one repetition with delta = beta and p0 = m/n.
    inside = beyond = 0
    for m, ratio, eps0, beta in itertools.product(
        (1, 10, 100, 10**4), (1, 10, 1000, 10**5), (0.1, 0.5, 1.0, 2.0, 3.0), (1e-2, 1e-6, 1e-12)
    ):
        params = {"steps": m, "clients": m * ratio, "eps0": eps0, "beta": beta, "delta": 1e-6}
        failures = [condition.text for condition in REGISTRY["cor-3.3"].failed_conditions(**params)]
        eps1 = REGISTRY["thm-3.2"](steps=m, eps0=eps0, check_in_prob=1 / ratio, delta=beta).value
        if not failures:
            inside += 1
            assert eps1 <= 0.5
        # The condition on eps0 alone, which the proof cites, does not suffice.
        beyond += eps1 > 0.5 and not any(text.startswith("eps0") for text in failures)
    assert inside > 30 and beyond > 0


# --- pinned numbers -----------------------------------------------------------------------------------------

# At mp.dps = 40, delta = mpf(1e-6) etc. being the double:
#   main     = lambda m, e, w, d: w*(exp(e)-1)*sqrt(2*exp(e)*log(1/d)/m) + w**2*exp(e)*(exp(e)-1)**2/(2*m)
#   simple   = lambda m, e, w, d: 7*w*e*sqrt(log(1/d)/m)
#   improved = lambda m, e, w, d: (w*(exp(e)-1)*sqrt(2*log(1/d)/(m*(1-w*(1-exp(-e)))))
#                                  + w**2*(exp(e)-1)**2/(2*m*(1-w*(1-exp(-e)))))
PINNED_VALUES = [
    # nstr(main(1000, 1, 1, mpf(1e-6)), 20)
    (("thm-3.2", "thm-3.2-improved", "thm-4.3", "thm-A.4"), (1000, 1.0, 1.0, 1e-6), 0.4749252307505484916),
    # nstr(main(1000, 2, 1, mpf(1e-6)), 20)
    (("thm-3.2", "thm-3.2-improved", "thm-4.3", "thm-A.4"), (1000, 2.0, 1.0, 1e-6), 3.0376968833500690709),
    # nstr(main(500, mpf(1.5), mpf(0.25), mpf(1e-8)), 20)
    (("thm-3.2", "thm-A.4"), (500, 1.5, 0.25, 1e-8), 0.50358396719839804993),
    # nstr(main(10, 3, mpf(0.125), mpf(1e-3)), 20)
    (("thm-3.2", "thm-A.4"), (10, 3.0, 0.125, 1e-3), 18.283099354944139254),
    # nstr(improved(500, mpf(1.5), mpf(0.25), mpf(1e-8)), 20)
    (("thm-3.2-improved",), (500, 1.5, 0.25, 1e-8), 0.26415116545498538833),
    # nstr(improved(1000, 1, mpf(0.1), mpf(1e-6)), 20)
    (("thm-3.2-improved",), (1000, 1.0, 0.1, 1e-6), 0.029525963031747933352),
    # nstr(simple(1000, 1, 1, mpf(1e-6)), 20)
    (("thm-3.2-simple", "thm-4.3-simple"), (1000, 1.0, 1.0, 1e-6), 0.82277580016687986769),
    # nstr(simple(500, mpf(0.5), mpf(0.25), mpf(1e-8)), 20)
    (("thm-3.2-simple",), (500, 0.5, 0.25, 1e-8), 0.16794840692658284217),
    # nstr(simple(2000, mpf(0.75), 1, mpf(1e-9)), 20)
    (("thm-4.3-simple",), (2000, 0.75, 1.0, 1e-9), 0.53440855842269005328),
]


@pytest.mark.parametrize(("name", "at", "pinned_value"), [(n, at, v) for names, at, v in PINNED_VALUES for n in names])
def test_values_agree_with_the_pinned_ones(name, at, pinned_value):
    assert bound(name, *at) == pytest.approx(pinned_value, rel=1e-14, abs=0)


# Digits as printed in the theory notes: "The tight epsilon of one hidden slot", column Thm 3.2 of its table;
# "An improved closed form" for the last two.
PAPER_DIGITS = [
    ("thm-3.2", (100, 1.0, 1.0, 1e-6), "1.52928"),
    ("thm-3.2", (1000, 1.0, 1.0, 1e-6), "0.474925"),
    ("thm-3.2", (1000, 2.0, 1.0, 1e-6), "3.03770"),
    ("thm-3.2", (10_000, 1.0, 1.0, 1e-6), "0.149317"),
    ("thm-3.2", (10_000, 4.0, 1.0, 1e-6), "28.66"),
    ("thm-3.2", (1_000_000, 4.0, 1.0, 1e-6), "2.1602"),
    ("thm-3.2", (1000, 1.0, 0.1, 1e-6), "0.0471"),
    ("thm-3.2-improved", (1000, 1.0, 0.1, 1e-6), "0.0295"),
]


@pytest.mark.parametrize(("name", "at", "digits"), PAPER_DIGITS)
def test_printed_digits_are_reproduced(name, at, digits):
    decimals = len(digits.split(".")[1])
    assert f"{bound(name, *at):.{decimals}f}" == digits


# --- every formula typed a second time ----------------------------------------------------------------------


def retype(name, m, eps0, w, delta):
    """Return the right-hand sides as the paper prints them: Theorem A.4 with w_max = w, 3.2 and 4.3 likewise."""
    with mpmath.workdps(40):
        m, eps0, w, delta = mpmath.mpf(m), mpmath.mpf(eps0), mpmath.mpf(w), mpmath.mpf(delta)
        e, log_term = mpmath.exp(eps0), mpmath.log(1 / delta)
        if name.endswith("simple"):
            return 7 * w * eps0 * mpmath.sqrt(log_term / m)
        if name.endswith("improved"):
            a, b = w * (e - 1), w * (1 - 1 / e)
            return a**2 / (2 * m * (1 - b)) + mpmath.sqrt(2 * a**2 * log_term / (m * (1 - b)))
        return w**2 * e * (e - 1) ** 2 / (2 * m) + w * (e - 1) * mpmath.sqrt(2 * e * log_term / m)


STEPS = (1, 2, 1000, 10**6 + 1, 10**12)
WEIGHTS = (1e-12, 0.1, 0.5, math.nextafter(1, 0), 1.0)
SMALL_DELTAS = (5e-324, 1e-300, 1e-6, math.nextafter(0.01, 0))
DELTAS = SMALL_DELTAS + (0.25, 0.9, math.nextafter(1, 0))
SMALL_EPS0 = (1e-12, 1e-3, 0.5, math.log(2), 1.0)
EPS0 = SMALL_EPS0 + (3.0, 8.0, 20.0)


@pytest.mark.parametrize("name", IDS)
def test_formulas_agree_with_their_retyping(name):
    simple, has_weight = name.endswith("simple"), REGISTRY[name].protocol in WEIGHT
    grid = itertools.product(
        STEPS,
        SMALL_EPS0 if simple else EPS0,
        WEIGHTS if has_weight else (1.0,),
        SMALL_DELTAS if simple else DELTAS,
    )
    for at in grid:
        exact = retype(name, *at)
        assert abs(mpmath.mpf(bound(name, *at)) / exact - 1) < 1e-14, at


# --- where the formulas come from ---------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 7, 400])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("w", [0.05, 0.6, 1.0])
def test_lemma_a2_gives_no_less_than_the_composition_it_bounds(m, eps0, w):
    """Heterogeneous advanced composition of the proof's eps_i, at the posterior with w kept and without."""
    x, log_term = math.exp(eps0), math.log(1e6)
    for name, factor in (("thm-3.2", x), ("thm-3.2-improved", 1 / (1 - w + w / x))):
        # q_i <= 1/((i-1)/factor + m-i+1): an earlier slot is at most `factor` times less likely than slot i.
        posterior = [1 / ((i - 1) / factor + m - i + 1) for i in range(1, m + 1)]
        eps = [math.log1p(w * (x - 1) * q) for q in posterior]
        drift = math.fsum(math.expm1(e) * e / (math.exp(e) + 1) for e in eps)
        composition = drift + math.sqrt(2 * log_term * math.fsum(e * e for e in eps))
        assert composition <= bound(name, m, eps0, w, 1e-6)


@pytest.mark.parametrize("name", IDS)
def test_no_bound_contradicts_a_single_slot(name):
    """At m = 1 binary randomized response has delta(epsilon) = (1 + w(x-1) - e^epsilon)+ / (x+1)."""
    simple, has_weight = name.endswith("simple"), REGISTRY[name].protocol in WEIGHT
    for eps0 in SMALL_EPS0 if simple else EPS0:
        for w in WEIGHTS if has_weight else (1.0,):
            for delta in SMALL_DELTAS if simple else DELTAS:
                least = w * math.expm1(eps0) - delta * (math.exp(eps0) + 1)
                if least > 0:
                    assert bound(name, 1, eps0, w, delta) >= math.log1p(least)


# --- the forms against each other ---------------------------------------------------------------------------


def test_simple_form_is_weaker_inside_its_conditions():
    grid = itertools.product(
        (1, 2, 10, 10**3, 10**12),
        [1e-6] + [i / 50 for i in range(1, 51)],
        (1e-6, 0.25, 1.0),
        (math.nextafter(0.01, 0), 1e-3, 1e-6, 1e-300),
    )
    for at in grid:
        assert bound("thm-3.2", *at) <= bound("thm-3.2-simple", *at), at


def test_simple_form_fails_at_delta_one_quarter():
    """One place of the proof of Theorem A.4 allows delta <= 1/4; the theorem as stated must not."""
    at = {"steps": 1, "eps0": 1.0, "check_in_prob": 1.0, "delta": 0.25}
    assert REGISTRY["thm-3.2-simple"].failed_conditions(**at)
    ratio = float(REGISTRY["thm-3.2"](**at)) / (7 * math.sqrt(math.log(4)))
    # mp.dps = 40, main and simple as above: nstr(main(1, 1, 1, 0.25) / simple(1, 1, 1, 0.25), 20)
    assert ratio == pytest.approx(1.0592321790623464063, rel=1e-14, abs=0)


def test_improved_form_is_never_larger_and_equal_at_weight_one():
    for m, eps0, w, delta in itertools.product(STEPS, EPS0, WEIGHTS, DELTAS):
        improved_form, main = bound("thm-3.2-improved", m, eps0, w, delta), bound("thm-3.2", m, eps0, w, delta)
        assert improved_form <= main
        if w == 1.0:
            assert improved_form == main
        elif w <= 0.5 and eps0 >= 0.5:
            # s <= x / (1 + (x-1)/2), at most 0.756 x here, and the bound goes at least like sqrt(s).
            assert improved_form < 0.9 * main


# Twice the accuracy that the module promises: exp, expm1 and log need not be monotone to the last bit.
ROUNDING = 1 + 2e-14

moderate = st.floats(0.01, 0.5)
growth_factor = st.floats(1.0, 2.0)
slots = st.integers(1, 10**9)


@pytest.mark.nightly
@pytest.mark.parametrize("name", IDS)
@settings(deadline=None)
@given(m=slots, more=slots, eps0=moderate, w=moderate, log_delta=st.floats(-700, -6), factor=growth_factor)
def test_bounds_are_monotone_in_their_parameters(name, m, more, eps0, w, log_delta, factor):
    """More slots or a larger delta help; a larger local budget or weight hurts."""
    has_weight, delta = REGISTRY[name].protocol in WEIGHT, math.exp(log_delta)
    w = w if has_weight else 1.0
    value = bound(name, m, eps0, w, delta)
    assert bound(name, m + more, eps0, w, delta) <= value * ROUNDING
    assert bound(name, m, eps0, w, delta * factor) <= value * ROUNDING
    assert bound(name, m, eps0 * factor, w, delta) * ROUNDING >= value
    if has_weight:
        assert bound(name, m, eps0, w * factor, delta) * ROUNDING >= value


# --- composition by Lemma A.2 and Corollary 3.3 ---------------------------------------------------------------


def test_lemma_a2_agrees_with_its_formula():
    grid = itertools.product(STEPS, (1e-9, 1.0, 1e6), (1e-12, 0.5, math.nextafter(1, 0)), DELTAS)
    with mpmath.workdps(40):
        for k, a, b, delta in grid:
            spread, log_term = 1 / (k * (1 - mpmath.mpf(b))), -mpmath.log(mpmath.mpf(delta))
            exact = mpmath.mpf(a) ** 2 / 2 * spread + mpmath.sqrt(2 * mpmath.mpf(a) ** 2 * log_term * spread)
            claim = REGISTRY["lem-A.2"](steps=k, first=a, decay=b, delta=delta)
            assert abs(claim.value / exact - 1) < 1e-14
            assert (claim.at, claim.delta_total) == (delta, delta)


@pytest.mark.parametrize("k", [1, 2, 50, 1000])
def test_lemma_a2_gives_no_less_than_heterogeneous_composition(k):
    log_term = math.log(1e6)
    for a, b in itertools.product((0.01, 1.0, 30.0), (0.01, 0.5, 0.99)):
        eps = [math.log1p(a / (k - b * i)) for i in range(k)]
        drift = math.fsum(math.expm1(e) * e / (math.exp(e) + 1) for e in eps)
        composition = drift + math.sqrt(2 * log_term * math.fsum(e * e for e in eps))
        assert composition <= REGISTRY["lem-A.2"](steps=k, first=a, decay=b, delta=1e-6).value


def test_lemma_a2_is_theorem_a4_at_its_constants():
    lemma = REGISTRY["lem-A.2"](steps=1000, first=math.expm1(2), decay=-math.expm1(-2), delta=1e-6).value
    assert lemma == pytest.approx(bound("thm-A.4", 1000, 2.0, 1.0, 1e-6), rel=1e-14, abs=0)


REPETITION = {"steps": 1000, "clients": 10**6, "eps0": 1.0, "beta": 1e-12, "delta": 1e-6}


def test_the_repeated_window_agrees_with_its_pinned_value():
    claim = REGISTRY["cor-3.3"](**REPETITION)
    # mp.dps = 30, x = exp(1), B = log(1/mpf(1e-12)), L = log(1/mpf(1e-6)), n = 10**6:
    # nstr(4*(x-1)*sqrt(x*B*L/n) + 12*(x-1)**2*x*B/n, 17)
    assert claim.value == pytest.approx(0.22406413485530892616, rel=1e-14, abs=0)
    assert claim.at == claim.delta_total == 1000 * 1e-12 + 1e-6


def test_the_repeated_window_agrees_with_its_retyping():
    with mpmath.workdps(40):
        for n, eps0, beta, delta in itertools.product((1000, 10**15), SMALL_EPS0, (1e-300, 0.9), DELTAS):
            at = {"steps": 1, "clients": n, "eps0": eps0, "beta": beta, "delta": delta}
            x, b, d = mpmath.exp(mpmath.mpf(eps0)), -mpmath.log(mpmath.mpf(beta)), -mpmath.log(mpmath.mpf(delta))
            exact = 4 * (x - 1) * mpmath.sqrt(x * b * d / n) + 12 * (x - 1) ** 2 * x * b / n
            # The formula alone: beta = 0.9 is outside the conditions, since the deltas sum to more than 1.
            assert abs(REGISTRY["cor-3.3"].formula(**at) / exact - 1) < 1e-14


def test_the_repeated_window_is_above_the_composition_of_its_repetitions():
    """Theorem 3.2 at p0 = m/n and delta = beta, n/m times, by heterogeneous advanced composition."""
    for m, times, eps0, beta in itertools.product((10, 1000), (100, 10**4), (0.1, 1.0, 2.0), (1e-3, 1e-12)):
        at = {"steps": m, "clients": m * times, "eps0": eps0, "beta": beta, "delta": 1e-6}
        if not REGISTRY["cor-3.3"].failed_conditions(**at):
            one = bound("thm-3.2", m, eps0, 1 / times, beta)
            drift = times * one * math.expm1(one) / (math.exp(one) + 1)
            assert drift + one * math.sqrt(2 * times * math.log(1e6)) < REGISTRY["cor-3.3"](**at).value


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"clients": 10**6 + 1}, "clients is a multiple of steps; clients = 1000001 exceeds it by 1"),
        ({"clients": 500}, "clients is a multiple of steps"),
        ({"eps0": 6.0}, "eps0 <= (2/3) log(clients / (8 sqrt(steps)))"),
        ({"beta": 1e-300, "eps0": 3.0}, "clients >= (e^eps0 - 1)^2 e^eps0 sqrt(steps) log(1/beta)"),
        ({"beta": 0.999, "eps0": 0.1}, "log(1/beta) >= 1/512"),
        ({"beta": 0.9}, "beta clients / steps + delta < 1"),
    ],
)
def test_repeated_windows_check_their_conditions(change, text):
    assert REGISTRY["cor-3.3"].failed_conditions(**REPETITION) == ()
    with pytest.raises(ConditionError) as error:
        REGISTRY["cor-3.3"](**REPETITION | change)
    assert text in str(error.value)
