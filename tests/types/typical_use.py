"""A script of typical use, which type checkers read as that of a user: each ``assert_type`` is a promise of a type."""

from typing import Any, assert_type

import dp_accounting as dpa
import numpy as np

import pldcheck
from pldcheck import AnswerTable, Interval, pld
from pldcheck.accounting import Accountant, OpacusAccountant
from pldcheck.pld import DeltaCurve, PrivacyLossDistribution


def training(sigma: float, rate: float, steps: int) -> float:
    """Return the epsilon that is reported of a training."""
    mechanism = pldcheck.SubsampledGaussian(sigma=sigma, rate=rate, steps=steps)
    interval = mechanism.epsilon(delta=1e-6)
    assert_type(interval, Interval)
    assert_type(mechanism.epsilon([1e-6, 1e-5]), AnswerTable)
    assert_type(mechanism.epsilon(np.array([1e-6, 1e-5])), AnswerTable)
    assert_type(mechanism.delta(1.0), Interval)
    assert_type(mechanism.delta([-1.0, 1.0]), AnswerTable)
    lower, upper = interval
    assert_type(lower, float)
    assert_type(upper, float)
    return interval.upper


def noise(target_epsilon: float) -> float:
    """Return the noise that meets a target."""
    return pldcheck.calibrate("gaussian", "sigma", target_epsilon=target_epsilon, delta=1e-6).value


def curve() -> Any:
    """Return the rows of a profile, as a table of pandas takes them."""
    profile = pldcheck.Gaussian(sigma=2.0).profile([0.0, 0.5, 1.0])
    assert_type(profile, AnswerTable)
    for epsilon, interval in profile:
        assert_type(epsilon, float)
        assert_type(interval, Interval)
    return profile.to_dict()


def questions_of_tests() -> tuple[float, float]:
    """Return the true positive rate at a false positive rate, and the mu that dominates."""
    mechanism = pldcheck.Gaussian(sigma=1.0)
    rate = mechanism.tradeoff().tpr(0.05)
    assert_type(rate, Interval)
    return rate.upper, mechanism.gdp().dominating.upper


def composition() -> Interval:
    """Return epsilon of different mechanisms together."""
    parts = [pld.gaussian(sigma=5.0), pld.laplace(scale=20.0), pld.subsampled_gaussian(1.0, 0.01).compose(100)]
    assert_type(parts, list[PrivacyLossDistribution])
    together = pld.compose_all(parts)
    deltas: DeltaCurve = together.delta([0.5, 1.0])
    assert len(deltas.lower) == 2
    return together.epsilon(1e-6)


def theorem() -> float:
    """Return what a theorem claims."""
    claim = pldcheck.REGISTRY["thm-3.2"](steps=1000, eps0=1.0, check_in_prob=1.0, delta=1e-6)
    return float(claim.epsilon)


def other_interfaces() -> tuple[float, float]:
    """Return what the accountants of dp_accounting's and of Opacus' interface say."""
    event = dpa.SelfComposedDpEvent(dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1.0)), 100)
    accountant = Accountant().compose(event)
    opacus = OpacusAccountant()
    for _ in range(100):
        opacus.step(noise_multiplier=1.0, sample_rate=0.01)
    assert_type(opacus.epsilon(1e-6), Interval)
    one, other = accountant.get_epsilon(1e-6), opacus.get_epsilon(1e-6)
    assert_type(other, float)
    return one, other


def refusal() -> str:
    """Return the message of an error."""
    try:
        pldcheck.Gaussian(sigma=-1.0)
    except pldcheck.ParameterError as error:
        return str(error)
    return ""


def main() -> None:
    """Run everything."""
    assert 0.3 < training(1.0, 0.01, 100) < noise(1.0)
    assert curve() and theorem() > 0.4 and composition().lower > 0.5
    rate, mu = questions_of_tests()
    assert rate < 0.3 and mu == 1.0
    one, other = other_interfaces()
    assert one == other and refusal().startswith("sigma must be")


if __name__ == "__main__":
    main()
