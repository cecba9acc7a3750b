"""Populations: their best model is the best, and risks are the sums they should be."""

import math

import mpmath
import numpy as np
import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study.simulate import data_set, logistic, median
from pldcheck.study.simulate.record_populations import drift

POPULATIONS = {"logistic": logistic(4), "median": median(4), "median 1": median(1), "drift": drift(3, 0.2)}


def slow(population, model):
    """Return the risk in 50 digits."""
    with mpmath.workdps(50):
        total = mpmath.mpf(0)
        for feature, label, weight in zip(population.features, population.labels, population.weights, strict=True):
            score = sum(mpmath.mpf(float(a)) * mpmath.mpf(float(b)) for a, b in zip(feature, model, strict=True))
            if population.loss == "logistic":
                loss = mpmath.log(1 + mpmath.exp(-label * score))
            elif population.loss == "distance":
                loss = mpmath.sqrt(
                    sum((mpmath.mpf(float(b)) - float(a)) ** 2 for a, b in zip(feature, model, strict=True))
                )
            else:
                loss = -score
            total += mpmath.mpf(float(weight)) * loss
        return total


@pytest.mark.parametrize("name", POPULATIONS)
def test_no_model_in_the_ball_is_better_than_the_optimum(name):
    population, rng = POPULATIONS[name], np.random.default_rng(1)
    assert np.linalg.norm(population.optimum) <= population.radius * (1 + 1e-15)
    assert population.weights.sum() == pytest.approx(1.0, rel=1e-14) and (population.weights > 0).all()
    models = rng.normal(size=(500, population.dimension))
    models *= population.radius * rng.uniform(size=(500, 1)) / np.linalg.norm(models, axis=1, keepdims=True)
    near = population.optimum + 1e-3 * models
    near *= np.minimum(1.0, population.radius / np.linalg.norm(near, axis=1, keepdims=True))
    excess = population.excess(np.vstack([models, near]))
    assert excess.min() > 0.0 and population.excess(population.optimum)[0] == 0.0
    for model in models[:5]:
        assert math.isclose(population.risk(model)[0], slow(population, model), rel_tol=1e-13)
        exact = slow(population, model) - slow(population, population.optimum)
        assert math.isclose(population.excess(model)[0], exact, rel_tol=1e-10)


@pytest.mark.parametrize("name", POPULATIONS)
def test_gradients_are_derivatives_and_within_the_constants(name):
    population, rng = POPULATIONS[name], np.random.default_rng(2)
    for record in range(len(population.features)):
        model = rng.normal(size=population.dimension)
        other = rng.normal(size=population.dimension)
        gradient, elsewhere = population.gradients(np.array([record, record]), np.array([model, other]))
        for k, step in enumerate(1e-5 * np.eye(population.dimension)):
            ends = population.losses([model + step, model - step])[:, record]
            assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(gradient[k], abs=1e-8)
        assert np.linalg.norm(gradient) <= population.lipschitz * (1 + 1e-14)
        change = np.linalg.norm(elsewhere - gradient)
        assert change <= population.smooth * np.linalg.norm(other - model) * (1 + 1e-14) + 1e-15


def test_the_gradient_is_zero_at_the_kink():
    population = median(3)
    assert not population.gradients(np.array([0]), population.optimum[None]).any()


def test_the_best_model_of_a_data_set():
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    features = rng.normal(size=(300, 4))
    labels = np.where(features @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=300) > 0, 1.0, -1.0)
    inside, edge = data_set(features, labels, 40.0), data_set(features, labels, 1.0)
    assert np.linalg.norm(inside.features, axis=1).max() == 1.0 and inside.held
    free = minimize(lambda model: inside.risk(model)[0], np.zeros(4), tol=1e-12)
    assert np.allclose(inside.optimum, free.x, atol=1e-4) and np.linalg.norm(free.x) < 40.0
    assert inside.risk(inside.optimum)[0] <= free.fun + 1e-13
    assert np.linalg.norm(edge.optimum) == pytest.approx(1.0, rel=1e-12)
    directions = rng.normal(size=(1000, 4))
    around = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    assert edge.excess(around).min() >= -1e-12


@pytest.mark.nightly
def test_bad_data_sets_are_refused():
    for features, labels, name in (
        ([[1.0], [2.0]], [1.0], "features"),
        ([1.0, 2.0], [1.0, -1.0], "features"),
        ([[float("nan")], [1.0]], [1.0, -1.0], "features"),
        ([[1.0], [2.0]], [0.0, 1.0], "labels"),
    ):
        with pytest.raises(ParameterError) as error:
            data_set(features, labels, 1.0)
        assert error.value.name == name
