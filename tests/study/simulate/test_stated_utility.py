"""Utility: the stated exponents where they are attained, and the bounds everywhere."""

import math

import numpy as np
import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study import simulate
from pldcheck.study.simulate import excess_risk, stated_values
from pldcheck.study.simulate.excess_risk import Setting, hardest_drift, measure

SETTING = Setting(2048, 8192, 1.0, 0.5, 4, 250, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["check-in", "averaged"])
def test_the_stated_exponents_are_measured_below_the_bounds(name):
    sweeps = excess_risk.sweeps(name, SETTING)
    moved = [(sweep.population, sweep.moved, sweep.exponent) for sweep in sweeps]
    assert moved == [("median", "steps", -0.5), ("drift", "steps", -0.5), ("median", "sigma", 1.0)]
    for sweep in sweeps:
        # Averages do better than stated where the noise is small.
        assert sweep.exponent in sweep.slope or (name, sweep.moved) == ("averaged", "sigma")
        assert sweep.slope.upper - sweep.slope.lower < 0.3 * abs(sweep.exponent)
        assert sweep.slope.confidence == 0.999 and not sweep.slope.proven
        assert sweep.holds and all(place.excess.lower > 0 for place in sweep.places)
        # Bounds, but not idle ones: within their explicit factor 2 + log m and a constant.
        assert all(place.bound < 200 * place.excess.value for place in sweep.places)


def test_a_place_of_a_sweep_is_computed_from_its_runs():
    setting = Setting(64, 256, 1.0, 0.5, 3, 20, 9)
    place = measure("check-in", setting, simulate.median(3))
    none, error = 2 * math.exp(-4), math.sqrt(3 * 0.25 + 1)
    rates = 2.0 * (1 - none) / error / np.sqrt(np.arange(1, 65))
    learner = simulate.Learner(simulate.median(3), simulate.GaussianAnswer("", 0.5), rates)
    runs = simulate.repeat(simulate.check_in(64, 256), learner, 20, 9)
    assert place.excess.value == pytest.approx(learner.population.excess(runs.last).mean(), rel=1e-12)
    assert place.bound == pytest.approx(stated_values.risk_bound(64, none, error, 2.0), rel=1e-14)


def test_the_drift_of_a_sweep_is_as_hard_as_it_says():
    drift = hardest_drift("averaged", SETTING)
    mean = float(drift.weights @ drift.features[:, 0])
    assert mean == pytest.approx(0.5 * math.sqrt(0.25 * 4 * 0.25 + 1) / math.sqrt(2048), rel=1e-12)


BAD = {
    "too few steps": (lambda: excess_risk.sweeps("check-in", Setting(100, 400, 1.0, 0.5, 3, 5, 0)), "steps"),
    "too few clients": (lambda: excess_risk.sweeps("check-in", Setting(1024, 500, 1.0, 0.5, 3, 5, 0)), "clients"),
    "one run": (lambda: excess_risk.sweeps("check-in", Setting(1024, 4096, 1.0, 0.5, 3, 1, 0)), "repeat"),
    "another protocol": (lambda: excess_risk.sweeps("swap", SETTING), "protocol"),
}


@pytest.mark.parametrize(("call", "name"), BAD.values(), ids=BAD)
def test_bad_settings_are_refused(call, name):
    with pytest.raises(ParameterError) as error:
        call()
    assert error.value.name == name and "\n" not in str(error.value)
