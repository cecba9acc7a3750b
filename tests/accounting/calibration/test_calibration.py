"""Calibrated parameters, asked again, and against closed forms bisected in mpmath."""

import json
import pickle
import random
from dataclasses import fields
from math import comb, inf

import mpmath
import pytest
from mpmath import erfc, exp, log, mp, mpf, sqrt

import pldcheck
from pldcheck.accounting.calibration import Trial, UnreachableError, calibrate
from pldcheck.accounting.calibration.bracket_search import Search
from pldcheck.accounting.calibration.search_grid import Grid
from pldcheck.core.errors import ParameterError, UnknownNameError
from pldcheck.core.interval import Interval
from pldcheck.core.parameters import PARAMETERS
from pldcheck.protocols import PROTOCOLS

DELTA = 1e-6


# Against closed forms


def gaussian_delta(epsilon, mu):
    """Return delta by Balle and Wang (2018), Theorem 8, with mu = sensitivity / sigma."""
    return (erfc((epsilon / mu - mu / 2) / sqrt(2)) - exp(epsilon) * erfc((epsilon / mu + mu / 2) / sqrt(2))) / 2


def least_sigma(epsilon, delta, steps=1):
    mp.dps = 40
    low, high = mpf("1e-8"), mpf("1e8")
    while high > low * (1 + mpf("1e-20")):
        middle = sqrt(low * high)
        if gaussian_delta(mpf(epsilon), sqrt(mpf(steps)) / middle) <= delta:
            high = middle
        else:
            low = middle
    return high


@pytest.mark.parametrize("precision", [0.1, 1e-3, 1e-7])
@pytest.mark.parametrize(
    ("epsilon", "delta", "steps"),
    [(1.0, 1e-6, 1), (0.01, 1e-9, 1), (8.0, 1e-5, 1), (1.0, 1e-30, 1000), (300.0, 0.1, 1)],
)
def test_the_least_noise_of_the_gaussian_mechanism_is_found(epsilon, delta, steps, precision):
    calibration = calibrate("gaussian", "sigma", epsilon, delta, precision, steps=steps)
    exact = least_sigma(epsilon, delta, steps)
    assert exact * (1 - mpf("1e-15")) <= calibration.value <= exact * (1 + precision)
    assert calibration.refused.value < exact < calibration.value and calibration.optimal
    assert calibration.queries <= (9 if epsilon < 100.0 else 12)


@pytest.mark.parametrize(("epsilon", "sigma"), [(10.0, 5.0), (1.0, 20.0), (0.1, 3000.0)])
def test_the_largest_number_of_gaussian_steps_is_found_exactly(epsilon, sigma):
    mp.dps = 40
    calibration = calibrate("gaussian", "steps", epsilon, DELTA, sigma=sigma)

    def is_private(steps):
        return gaussian_delta(mpf(epsilon), sqrt(mpf(steps)) / sigma) <= DELTA

    assert is_private(calibration.value) and not is_private(calibration.value + 1)
    assert (
        calibration.refused.value == calibration.value + 1
        and calibration.optimal
        and isinstance(calibration.value, int)
    )


def test_the_largest_budget_of_randomized_response_is_found():
    calibration = calibrate(PROTOCOLS["randomized-response"], "eps0", 2.0, 1e-6, steps=20)
    mp.dps = 40

    def delta(eps0):
        e = mpf(eps0)
        p = 1 / (1 + exp(-e))
        terms = [((2 * k - 20) * e, comb(20, k) * p**k * (1 - p) ** (20 - k)) for k in range(21)]
        return mp.fsum(mass * (1 - exp(2 - loss)) for loss, mass in terms if loss > 2)

    assert delta(calibration.value) <= mpf(1e-6) < delta(calibration.refused.value)
    assert calibration.value < calibration.refused.value <= calibration.value * (1 + 1e-3)


def test_the_least_scale_of_one_laplace_mechanism_is_found():
    # delta = 1 - e^((epsilon - 1/b)/2)
    calibration = calibrate("laplace", "scale", 1.0, 1e-6)
    exact = 1 / (1 - 2 * log(1 - mpf(1e-6)))
    assert calibration.refused.value < exact <= calibration.value <= exact * (1 + 1e-3)


# Asked again

QUESTIONS = {
    "steps of check-in": ("check-in", "steps", 0.1, {"eps0": 1.0}),
    "eps0 of check-in": ("check-in", "eps0", 0.1, {"steps": 1000}),
    "check-in-prob": ("check-in", "check-in-prob", 0.1, {"steps": 1000, "eps0": 1.0}),
    "weight": ("hidden-slot", "weight", 0.05, {"steps": 1000, "eps0": 1.0, "adjacency": "zero-out"}),
    "window": ("sliding-window", "window", 0.2, {"clients": 10**4, "eps0": 1.0}),
    "clients": ("shuffle", "clients", 0.3, {"eps0": 1.0}),
    "eps0 of rr": ("shuffle", "eps0", 0.5, {"clients": 100, "randomizer": "rr"}),
    "rate": ("subsampled-gaussian", "rate", 1.0, {"sigma": 1.0, "steps": 1000}),
    "sigma of a sample": ("subsampled-gaussian", "sigma", 1.0, {"rate": 0.01, "steps": 1000, "sampling": "fixed-size"}),
    "steps of a sample": ("subsampled-gaussian", "steps", 1.0, {"rate": 0.01, "sigma": 1.0}),
    "eps0 of a sampled response": ("subsampled-randomized-response", "eps0", 1.0, {"rate": 0.01, "steps": 1000}),
    "steps of a composition": ("composition", "steps", 9.0, {"mechanism": ("rr:0.1*50", "gaussian:20")}),
    "last budget": ("randomized-response", "eps0_last", 3.0, {"steps": 20, "eps0": 0.1}),
    "sigma of an allocation": ("random-allocation", "sigma", 1.0, {"steps": 100}),
    "steps of an allocation": ("random-allocation", "steps", 1.0, {"sigma": 1.0}),
    "clients that check in": ("check-in", "clients", 0.1, {"steps": 200, "eps0": 0.5}),
    "decay": ("decaying-budgets", "decay", 0.2, {"steps": 20, "first": 0.2}),
}


@pytest.mark.parametrize(("protocol", "solve", "target", "other_values"), QUESTIONS.values(), ids=QUESTIONS)
def test_accepted_and_refused_values_keep_their_verdict_when_asked_again(protocol, solve, target, other_values):
    calibration = calibrate(protocol, solve, target, DELTA, **other_values)
    name, kind = solve.replace("-", "_"), PROTOCOLS[protocol]
    again = kind(**other_values, **{name: calibration.value})
    assert calibration.protocol == again and calibration.interval == again.epsilon(DELTA, kind.default_width)
    assert calibration.interval.upper <= target < calibration.refused.interval.upper
    assert calibration.refused.interval == kind(**other_values, **{name: calibration.refused.value}).epsilon(
        DELTA, kind.default_width
    )
    assert calibration.excluded.interval.lower > target
    # One asks for the other, with the answer in between.
    assert (
        (calibration.refused.value > calibration.value)
        is calibration.rises
        is (calibration.excluded.value > calibration.value)
    )
    assert abs(calibration.excluded.value - calibration.value) >= abs(calibration.refused.value - calibration.value)
    gap = abs(calibration.refused.value - calibration.value)
    assert gap == 1 if PARAMETERS[name].integer else gap <= 1.001e-3 * min(calibration.value, calibration.refused.value)
    # What would do at best is not much farther than the answers are wide.
    assert abs(calibration.excluded.value / calibration.value - 1) <= 4 * (
        calibration.interval.relative_width + gap / calibration.value
    )
    assert calibration.queries < (16 if PARAMETERS[name].integer else 12)


def test_the_mass_at_infinity_limits_the_steps_of_randomized_response():
    # delta of the composition is at least 1 - (1 - 1e-7)^steps, above 1e-6 from 11 steps on.
    calibration = calibrate("randomized-response", "steps", 50.0, DELTA, eps0=1.0, delta0=1e-7)
    assert (calibration.value, calibration.refused.value) == (10, 11) and calibration.refused.interval.upper == inf
    assert json.loads(json.dumps(calibration.to_dict(), allow_nan=False))["refused"] == {
        "value": 11,
        "lower": None,
        "upper": None,
    }


# The table of directions

# Parameters of calibrated protocols that cannot be solved for.
LEFT_OUT = {
    "delta0": "0 is allowed, and usual",
    "clients": "of a sliding window they have no effect; of swapping it is not known which way",
    "heads_p": "epsilon does not move one way",
    "heads_q": "epsilon does not move one way",
    "steps": "of averaging they have no effect; of decaying budgets, shuffled batches and encoders it is not known",
    "rate": "of samples that are cut it is not known which way",
    "records": "of samples that are cut, and of groups, it is not known which way",
    "batch": "of a group of records it is not known",
    "group": "with other records beside it, it is not known",
    "largest_batch": "it is not known which way",
}
OTHER_VALUES = {
    "hidden-slot": {"steps": 100, "eps0": 1.0},
    "check-in": {"steps": 100, "eps0": 1.0},
    "sliding-window": {"window": 100, "clients": 500, "eps0": 1.0},
    "shuffle": {"clients": 100, "eps0": 1.0},
    "swap": {"clients": 100, "eps0": 1.0},
    "averaged": {"clients": 100, "steps": 10, "eps0": 1.0},
    "composition": {"mechanism": ("gaussian:2",)},
    "randomized-response": {"steps": 10, "eps0": 0.5},
    "gaussian": {"sigma": 2.0},
    "laplace": {"scale": 4.0},
    "subsampled-gaussian": {"sigma": 2.0, "rate": 0.1},
    "subsampled-randomized-response": {"eps0": 1.0, "rate": 0.1},
    "mixed-pair": {"heads_p": 0.2, "heads_q": 0.5, "rate": 0.1},
    "decaying-budgets": {"steps": 20, "first": 1.0, "decay": 0.5},
    "random-allocation": {"steps": 10, "sigma": 2.0},
    "balls-in-bins": {"steps": 10, "sigma": 2.0},
    "matrix-mechanism": {
        "steps": 4,
        "sigma": 2.0,
        "encoder": "toeplitz:1:0.2",
        "sampling": "cyclic-poisson",
        "rate": 0.1,
    },
    "shuffled-batches": {"steps": 2, "sigma": 0.5},
    "reused-sample": {"sigma": 2.0, "rate": 0.1, "releases": 2},
    "truncated-poisson": {"sigma": 2.0, "rate": 0.1, "records": 100, "largest_batch": 60},
    "fixed-batches": {"sigma": 2.0, "records": 100, "batch": 10},
    "gaussian-mixture": {"sigma": 2.0, "lengths": "1:0.1,2:0.01"},
}
PAIRS = [(name, parameter) for name, protocol in PROTOCOLS.items() for parameter in protocol.directions]


@pytest.mark.parametrize(("protocol", "parameter"), PAIRS, ids=map(" ".join, PAIRS))
def test_epsilon_moves_as_the_protocol_says(protocol, parameter):
    values = dict(OTHER_VALUES[protocol])
    low = values.pop(parameter, 1 if PARAMETERS[parameter].integer else 0.5)
    high = {"check_in_prob": 0.9, "weight": 0.9, "epochs": 3, "rounds": 3, "decay": 0.9}.get(parameter, 4 * low)
    if (protocol, parameter) == ("check-in", "clients"):
        high = 1000
    first, second = (PROTOCOLS[protocol](**values, **{parameter: value}).epsilon(1e-3) for value in (low, high))
    less, more = (first, second) if PROTOCOLS[protocol].directions[parameter].rises else (second, first)
    assert less.upper < more.lower


@pytest.mark.parametrize("name", [name for name, protocol in PROTOCOLS.items() if protocol.directions])
def test_every_parameter_has_a_direction_or_is_left_out_for_a_reason(name):
    parameters = {entry.name for entry in fields(PROTOCOLS[name]) if entry.name in PARAMETERS}
    directions = PROTOCOLS[name].directions
    assert directions.keys() <= parameters and parameters - directions.keys() <= LEFT_OUT.keys()
    assert all(direction.why for direction in directions.values())


# The search


def run_search(curve, grid, target, rises, start):
    search = Search(grid, rises, target, curve)
    search.run(start)
    return search


@pytest.mark.parametrize("seed", range(30))
def test_the_search_finds_what_a_scan_finds(seed):
    draw = random.Random(seed)
    rises, power, most = draw.random() < 0.5, draw.choice([0.3, 0.5, 1.0, 3.0]), draw.choice([1, 7, 400])
    # A curve with a kink, a jump, and a floor.
    jump, kink, floor = draw.uniform(1, most), draw.uniform(1, most), draw.choice([0.0, 1.0])

    def epsilon(steps):
        at = steps if rises else most / steps
        return max(at**power - floor, 0.0) * (2 if at > jump else 1) + max(at - kink, 0)

    target = draw.choice([epsilon(draw.randint(1, most)), draw.uniform(0.0, 30.0)])
    search = run_search(lambda n: Interval(epsilon(n), epsilon(n)), Grid.integers(1, most), target, rises, 5)
    fits = [n for n in range(1, most + 1) if epsilon(n) <= target]
    assert search.good == (None if not fits else max(fits) if rises else min(fits))
    assert search.excluded is None or abs(search.excluded.value - search.good) == 1 if fits else True
    assert len(search.answers) < 40


def test_a_search_that_takes_long_asks_for_the_end_at_once():
    questions = []

    def ask(value):
        questions.append(value)
        return Interval(0.0, 5.0)

    search = Search(Grid.integers(1, 10**12), False, 1.0, ask, lambda: len(questions) >= 2)
    search.run(1000)
    assert search.good is None and len(questions) == 3 and questions[-1] == 10**12


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("rises", [True, False])
def test_a_bracket_stays_one_whatever_the_answers_jitter(seed, rises):
    draw, width = random.Random(seed), 0.01
    answers = {}

    def ask(value):
        truth = value if rises else 1e5 / value
        if value not in answers:
            answers[value] = Interval(truth * (1 - width * draw.random()), truth * (1 + width * draw.random()))
        return answers[value]

    target = 10 ** draw.uniform(-3, 3)
    grid = Grid.decimals(1e-9, 1e9, 1e-3) if seed % 2 else Grid.integers(1, 10**12)
    if not seed % 2:
        target = max(target, 2.0)
    search = run_search(ask, grid, target, rises, 100)
    good, bad = search.trial(search.good), search.trial(search.bad)
    assert good.interval.upper <= target < bad.interval.upper and grid.close(search.good, search.bad)
    exact = target if rises else 1e5 / target
    assert abs(good.value / exact - 1) < 2 * width or abs(good.value - exact) <= 1
    exclusion = search.excluded
    assert (exclusion.value > exact) is rises and abs(exclusion.value / exact - 1) < 4 * width + 2 / exact
    assert len(answers) <= 60


def test_a_direction_that_is_wrong_is_an_error():
    search = run_search(lambda n: Interval(n, n), Grid.integers(1, 100), 50.0, True, 60)
    assert search.good == 50 and search.excluded.value == 51
    search.answers[40] = Interval(60, 60)
    with pytest.raises(ArithmeticError, match="the opposite direction"):
        _ = search.excluded


@pytest.mark.parametrize("precision", [0.5, 0.1, 2e-3, 1e-3, 1e-6, 1e-9])
def test_decimals_are_numbered_in_order_and_close_enough(precision):
    grid = Grid.decimals(1e-9, 1e9, precision)
    for value in (1e-9, 0.025, 0.1, 0.9999, 1.0, 1.0001, 9.99, 20.0, 1e9):
        number = grid.number(value)
        near = grid.value(number)
        assert abs(near / value - 1) <= precision and grid.number(near) == number
        following = grid.value(number + 1)
        assert near < following <= near * (1 + precision * (1 + 1e-6)) or precision > 0.1
        # As it is printed: few digits.
        assert len(repr(near).replace(".", "").strip("0").partition("e")[0]) <= grid.digits
    assert (grid.value(grid.first), grid.value(grid.last)) == (1e-9, 1e9)


# Ends of the range


def test_every_value_meets_the_target():
    calibration = calibrate("check-in", "eps0", 21.0, DELTA, steps=10)
    assert (calibration.value, calibration.refused, calibration.excluded, calibration.ends) == (
        20.0,
        None,
        None,
        (1e-9, 20.0),
    )
    assert calibration.optimal and calibration.interval.upper <= 21.0
    few = calibrate("hidden-slot", "steps", 1.0, DELTA, eps0=1.0)
    assert (few.value, few.refused, few.ends[0]) == (1, None, 1)


@pytest.mark.long
def test_the_range_of_a_parameter_ends_where_another_parameter_says():
    few = calibrate("random-allocation", "steps", 20.0, DELTA, sigma=2.0, selected=3)
    assert (few.value, few.refused, few.ends[0]) == (3, None, 3)


@pytest.mark.nightly
def test_the_largest_number_of_selected_steps_is_not_more_than_all():
    all_of_them = calibrate("random-allocation", "selected", 20.0, DELTA, sigma=4.0, steps=3)
    assert (all_of_them.value, all_of_them.refused, all_of_them.ends) == (3, None, (1, 3))
    some = calibrate("random-allocation", "selected", 1.0, DELTA, sigma=4.0, steps=30)
    assert 1 <= some.value < 30 and some.interval.upper <= 1.0 < some.refused.interval.upper


def test_no_value_meets_the_target():
    with pytest.raises(UnreachableError) as failure:
        calibrate("sliding-window", "window", 0.01, DELTA, clients=100, eps0=1.0)
    error = failure.value
    assert error.nearest == Trial(100, PROTOCOLS["sliding-window"](100, 100, 1.0).epsilon(DELTA)) and error.proved
    assert str(error).startswith(
        "no window from 1 to 100 is (0.01, 1e-06)-DP; window = 100 comes nearest with epsilon in ["
    )
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.nearest == error.nearest


def test_no_value_could_be_certified(monkeypatch):
    monkeypatch.setattr(PROTOCOLS["gaussian"], "epsilon", lambda self, delta, width: Interval(0.5, 1.5))
    with pytest.raises(UnreachableError, match=r"^no sigma from 1e-6 to 1e9 could be certified to be") as error:
        calibrate("gaussian", "sigma", 1.0, DELTA)
    assert not error.value.proved and error.value.nearest.value == 1e9


def test_a_target_of_zero_leaves_a_positive_budget():
    calibration = calibrate("hidden-slot", "eps0", 0.0, 0.5, steps=10)
    assert calibration.interval == Interval(0.0, 0.0, budget=calibration.interval.budget)
    # One slot of ten: delta(0) is at most tanh(eps0/2) in it.
    assert 0.0 < calibration.value < calibration.refused.value and calibration.refused.interval.upper > 0.0


# The answer as an object, and bad input


def test_an_answer_pickles_and_equals_that_of_the_protocol_class():
    calibration = pldcheck.calibrate("gaussian", "sigma", target_epsilon=1.0, delta=1e-6)
    head, _, tail = repr(calibration).partition("epsilon in [")
    assert head == "Calibration(Gaussian(sigma=4.225, steps=1), sigma=4.225, "
    ends, _, rest = tail.partition("]")
    assert rest == " <= 1.0 at delta=1e-06)"
    # The printed ends enclose where Phi(1/2s - es) - e^e Phi(-1/2s - es) is delta, and little more.
    with mpmath.workdps(40):
        lower, upper = (mpmath.mpf(end) for end in ends.split(", "))
        s = mpmath.mpf(4.225)
        deltas = [mpmath.ncdf(0.5 / s - e * s) - mpmath.exp(e) * mpmath.ncdf(-0.5 / s - e * s) for e in (lower, upper)]
        assert deltas[0] >= 1e-6 >= deltas[1] and upper - lower < 1e-13
    facts = json.loads(json.dumps(calibration.to_dict(), allow_nan=False))
    assert facts["params"] == {"sigma": 4.225, "steps": 1} and facts["value"] == 4.225 and facts["optimal"]
    assert facts["refused"]["lower"] > 1.0 >= facts["upper"] and facts["searched"] == [1e-6, 1e9]
    assert "4.225" in calibration._repr_html_() and "refused" in calibration._repr_html_()
    assert (
        pickle.loads(pickle.dumps(calibration)) == calibration == calibrate(PROTOCOLS["gaussian"], "sigma", 1.0, 1e-6)
    )


def test_progress_reports_every_query():
    steps_heard = []
    calibration = calibrate("gaussian", "sigma", 1.0, 1e-6, progress=lambda *facts: steps_heard.append(facts))
    assert [count for count, _, _ in steps_heard] == list(range(1, calibration.queries + 1))
    assert (calibration.value, calibration.interval) in [(value, interval) for _, value, interval in steps_heard]


@pytest.mark.parametrize(
    ("words", "more", "error", "message"),
    [
        (("gauss", "sigma", 1.0, DELTA), {}, UnknownNameError, "did you mean gaussian"),
        (("gaussian-mean", "clients", 1.0, DELTA), {}, UnknownNameError, "protocol to calibrate"),
        ((3, "clients", 1.0, DELTA), {}, UnknownNameError, "'3'"),
        (("gaussian", "scale", 1.0, DELTA), {}, UnknownNameError, "solve for 'scale'"),
        (("sliding-window", "clients", 1.0, DELTA), {}, UnknownNameError, "known: window, eps0"),
        (("gaussian", "sigma", 1.0, DELTA), {"sigma": 2.0}, ParameterError, "sigma must be left out"),
        (("gaussian", "sigma", 1.0, DELTA), {"rounds": 2}, UnknownNameError, "parameter of gaussian 'rounds'"),
        (("gaussian", "sigma", 1.0, DELTA), {"steps": 0}, ParameterError, "steps must be"),
        (("gaussian", "steps", 1.0, DELTA), {}, ParameterError, "sigma must be above 0"),
        (("composition", "steps", 1.0, DELTA), {}, ParameterError, "mechanism must be given"),
        (("sliding-window", "window", 1.0, DELTA), {"eps0": 1.0}, ParameterError, "clients must be"),
        (("gaussian", "sigma", -1.0, DELTA), {}, ParameterError, "epsilon must be"),
        (("gaussian", "sigma", float("nan"), DELTA), {}, ParameterError, "epsilon must be"),
        (("gaussian", "sigma", 1.0, 0.0), {}, ParameterError, "delta must be"),
        (("gaussian", "sigma", 1.0, DELTA, 0.0), {}, ParameterError, "precision must be"),
        (("gaussian", "sigma", 1.0, DELTA, 1.0), {}, ParameterError, "precision must be"),
        (("shuffle", "eps0", 1.0, DELTA), {"clients": 9, "randomizer": "gaussian:2"}, ParameterError, "solve must be"),
        (("check-in", "steps", 1.0, DELTA), {"eps0": 1.0, "clients": 9}, ParameterError, "not proved how"),
        (
            ("random-allocation", "selected", 1.0, DELTA),
            {"steps": 9, "sigma": 1.0, "adjacency": "replace"},
            ParameterError,
            "with adjacency replace it is not proved how",
        ),
        (("shuffled-batches", "steps", 1.0, DELTA), {"sigma": 1.0}, UnknownNameError, "to solve for"),
    ],
    ids=str,
)
def test_bad_input_is_refused_in_one_line(words, more, error, message):
    with pytest.raises(error) as refusal:
        calibrate(*words, **more)
    assert message in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_search_that_takes_long_is_stopped_and_says_so(monkeypatch):
    from pldcheck.accounting.calibration import calibrated_value

    monkeypatch.setattr(calibrated_value, "ENOUGH", -1.0)
    calibration = calibrate("gaussian", "sigma", 0.5, 1e-6)
    assert calibration.interval.upper <= 0.5 and not calibration.complete and not calibration.optimal
    assert calibration.to_dict()["complete"] is False
    monkeypatch.undo()
    best = calibrate("gaussian", "sigma", 0.5, 1e-6)
    assert best.complete and best.value <= calibration.value


@pytest.mark.parametrize("solve", [None, 5, b"sigma"])
def test_the_parameter_to_solve_for_must_be_a_name(solve):
    with pytest.raises(UnknownNameError, match="unknown parameter of gaussian to solve for"):
        calibrate("gaussian", solve, 0.5, 1e-6)
