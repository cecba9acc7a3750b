"""Utility: the stated exponents where they are attained, the bounds everywhere, and what empty slots cost."""

import math

import numpy as np
import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study import simulate
from pldcheck.study.simulate import dummy_costs, excess_risk, paper_statements
from pldcheck.study.simulate.excess_risk import CASES, Setting, hardest_drift, measure, median_of

SETTING = Setting(2048, 8192, 1.0, 0.5, 4, 250, 1)


@pytest.fixture(scope="module")
def sweeps():
    """Return every sweep, by theorem, population and what is moved."""
    sweeps = [sweep for name in excess_risk.ALGORITHMS for sweep in excess_risk.sweeps(name, SETTING)]
    return {(sweep.statement, sweep.population, sweep.moved): sweep for sweep in sweeps}


EXPONENTS = [
    ("thm-3.5", "median", "steps", -0.5),
    ("thm-3.5", "drift", "steps", -0.5),
    ("thm-3.5", "median", "sigma", 1.0),
    ("thm-4.2", "median", "steps", -0.5),
    ("thm-4.2", "drift", "steps", -0.5),
    ("thm-4.2-smooth", "drift", "steps", -0.5),
    ("thm-4.2-smooth", "drift", "clients", 1.0),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("statement", "population", "axis", "exponent"), EXPONENTS)
def test_the_stated_exponent_is_measured(sweeps, statement, population, axis, exponent):
    sweep = sweeps[statement, population, axis]
    assert sweep.exponent == exponent in sweep.slope
    assert sweep.slope.upper - sweep.slope.lower < 0.3 * abs(exponent)
    assert sweep.slope.confidence == 0.999 and not sweep.slope.proven


@pytest.mark.nightly
def test_no_place_is_above_its_theorem(sweeps):
    assert len(sweeps) == 10
    for sweep in sweeps.values():
        assert sweep.holds and all(place.excess.lower > 0 for place in sweep.places)
        # Bounds, but not idle ones where slots are full: within their explicit factor 2 + log m and a constant.
        assert sweep.moved == "check_in_prob" or all(place.bound < 200 * place.excess.value for place in sweep.places)


@pytest.mark.nightly
def test_emptier_slots_cost_less_than_the_steps_of_the_theorem_allow_for(sweeps):
    """They shorten by 1 - 2 e^{-n p0/m}, and near a kink the risk with them: it falls where its bound rises."""
    sweep = sweeps["thm-3.5", "median", "check_in_prob"]
    assert sweep.axis_values[0] > sweep.axis_values[-1] == pytest.approx(1 / (1 - 2 * math.exp(-4)), rel=1e-12)
    assert sweep.exponent == 1.0 and sweep.slope.upper < 0.0
    assert sweep.places[0].bound > sweep.places[-1].bound


@pytest.mark.nightly
def test_few_clients_cost_less_than_stated():
    """With half a client expected in a slot, m p sigma^2/n is twice the noise: but a slot that is not empty has a
    client.

    An average's square is p sigma^2 E[1/S | S > 0] and some of L^2, and the risk is about that times c.
    """
    few, many = (
        measure(CASES["thm-4.2"], Setting(1024, n, 1.0, 2.0, 4, 250, 3), simulate.median(4)) for n in (512, 4096)
    )
    ratio = few.error / many.error
    assert ratio == pytest.approx(math.sqrt(33 / 5), rel=1e-12)
    assert few.excess.upper / many.excess.lower < 0.6 * ratio
    squares = [16 * paper_statements.inverse_load(n, 1 / 1024) for n in (512, 4096)]
    assert few.excess.lower / many.excess.upper < squares[0] / squares[1] / ratio < few.excess.upper / many.excess.lower


def test_a_place_of_a_sweep_is_computed_from_its_runs():
    setting = Setting(64, 256, 1.0, 0.5, 3, 20, 9)
    place = measure(CASES["thm-3.5"], setting, simulate.median(3))
    chance, noise = 2 * math.exp(-4), 3 * 0.25
    rates = 2.0 * (1 - chance) / math.sqrt(noise + 1) / np.sqrt(np.arange(1, 65))
    learner = simulate.Learner(simulate.median(3), simulate.GaussianAnswer("", 0.5), rates)
    excess = [
        learner.population.excess(simulate.run(simulate.check_in(64, 256), learner, 9, number).models[-1])[0]
        for number in range(20)
    ]
    assert place.excess.value == pytest.approx(np.mean(excess), rel=1e-9)
    assert place.bound == pytest.approx(paper_statements.thm_3_5(64, chance, noise, 1.0, 2.0), rel=1e-14)


def test_populations_of_sweeps_are_as_hard_as_they_say():
    for case in CASES.values():
        drift = hardest_drift(case, SETTING)
        mean = float(drift.weights @ drift.features[:, 0])
        assert mean == pytest.approx(0.5 * case.error(SETTING) / math.sqrt(2048), rel=1e-12)
        assert median_of(case, SETTING).excess(np.full(4, 0.25))[0] == 0.0


@pytest.mark.nightly
def test_empty_slots_cost_what_is_stated():
    """Dummies as noise follow (p sigma^2/(1-q) + L^2)/(p sigma^2 + L^2), dummies as 0 cost nothing; neither the 2."""
    setting = Setting(4096, 4096, 1.0, 0.5, 4, 300, 2)
    rows = {row.load: row for row in dummy_costs.treatments(setting)}
    assert set(rows) == {0.25, 0.5, 1.0, 2.0, 4.0}
    for row in rows.values():
        assert row.follows and row.zero.upper < 1.25 and row.noise.upper - row.noise.lower < 0.4 * row.noise.value
    few = rows[0.25]
    # At a load of 1/4 the theorem says nothing, as 2 e^{-1/4} > 1; measured, q = e^{-1/4} = 0.7788.
    assert few.proof_form == math.inf and few.noise_form == pytest.approx((1 / 0.2212 + 1) / 2, rel=1e-3)
    assert few.noise.lower > 2.0 and few.noise.upper < few.sharp_form
    assert rows[1.0].noise.upper < rows[1.0].proof_form == pytest.approx(1 / (1 - 2 / math.e), rel=1e-12)
    assert dummy_costs.travel_over_radius(setting) > 10.0


@pytest.mark.nightly
def test_the_comparison_of_the_paper_is_reproduced():
    rows = simulate.compare_algorithms(2048, 10, 100, seed=3)
    assert len(rows) == 12
    rows_by_setting = {(row.population, row.inverse_epsilon > 20, row.steps): row for row in rows}
    for steps in (32, 128, 512):
        row = rows_by_setting[
            "median", True, steps
        ]  # non-smooth, much noise: A_fix is better, the more so the smaller m
        assert row.better == row.better_by_rate == "A_fix"
        assert rows_by_setting["median", False, steps].better_by_rate == "neither"
    noise = [rows_by_setting["median", True, steps] for steps in (32, 512)]
    assert noise[0].averaged.value / noise[0].fixed.value > noise[1].averaged.value / noise[1].fixed.value
    # On smooth losses they are incomparable: by the rates one is better with much noise, the other with little.
    assert {rows_by_setting["drift", loud, 32].better_by_rate for loud in (True, False)} == {"A_fix", "A_avg"}
    assert all(rows_by_setting["drift", True, steps].better == "A_fix" for steps in (32, 128, 512))
    p, n, m = 10, 2048, 128
    row = rows_by_setting["median", True, m]
    s = row.inverse_epsilon
    # The docstring's rates from those of Theorems 3.5 and 4.2 with sigma = p0 s/sqrt m, p0 = m/n, and s/sqrt m.
    assert row.fixed_rate == pytest.approx(math.sqrt(p * (m / n * s / math.sqrt(m)) ** 2 + 1) / math.sqrt(m), rel=1e-12)
    assert row.averaged_rate == pytest.approx(math.sqrt((m * p * s**2 / m + n) / (n * m)), rel=1e-12)


BAD = {
    "too few steps": (lambda: excess_risk.sweeps("check-in", Setting(100, 400, 1.0, 0.5, 3, 5, 0)), "steps"),
    "too few clients": (lambda: excess_risk.sweeps("check-in", Setting(1024, 500, 1.0, 0.5, 3, 5, 0)), "clients"),
    "one run": (lambda: excess_risk.sweeps("check-in", Setting(1024, 4096, 1.0, 0.5, 3, 1, 0)), "repeat"),
    "another protocol": (lambda: excess_risk.sweeps("swap", SETTING), "protocol"),
}


@pytest.mark.parametrize(("call", "name"), BAD.values(), ids=BAD)
@pytest.mark.nightly
def test_bad_settings_are_refused(call, name):
    with pytest.raises(ParameterError) as error:
        call()
    assert error.value.name == name and "\n" not in str(error.value)
