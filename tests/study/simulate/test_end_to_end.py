"""A data set that ships with scikit-learn, learnt through random check-ins."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from pldcheck.study import simulate

TABLE, TARGET = load_breast_cancer(return_X_y=True)
FEATURES = np.hstack([StandardScaler().fit_transform(TABLE), np.ones((len(TABLE), 1))])
LABELS = 2.0 * TARGET - 1.0
DATA = simulate.data_set(FEATURES, LABELS, radius=10.0)


def right(model):
    """Return the share of labels a model gets right."""
    return np.mean(np.sign(DATA.features @ model) == LABELS)


def test_the_best_model_is_that_of_scikit_learn():
    # Inside the ball the constrained problem is ridge regression of some strength; they agree at that strength.
    length = np.linalg.norm(DATA.optimum)
    low, high = 1e-4, 1e4
    for _ in range(26):
        middle = (low * high) ** 0.5
        ridge = LogisticRegression(C=middle, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(DATA.features, LABELS)
        low, high = (middle, high) if np.linalg.norm(ridge.coef_) < length else (low, middle)
    assert abs(length - 10.0) < 1e-9  # the ball is what holds it
    assert np.allclose(ridge.coef_[0], DATA.optimum, atol=1e-3)
    assert right(DATA.optimum) > 0.95


@pytest.mark.nightly
def test_a_model_is_learnt_through_check_ins():
    algorithm = simulate.check_in(steps=400, clients=len(LABELS))
    quiet = simulate.default_learner(algorithm, DATA, simulate.randomizer("gaussian:0.05"))
    loud = simulate.default_learner(algorithm, DATA, simulate.randomizer("gaussian:5"))
    runs, noisy = simulate.repeat(algorithm, quiet, 50), simulate.repeat(algorithm, loud, 50)
    assert all(row.agrees for row in simulate.counts(runs))
    good, bad = ([right(model) for model in result.mean] for result in (runs, noisy))
    assert np.mean(good) > 0.9 and np.mean(good) > np.mean(bad) + 0.05
    excess = simulate.empirical_values.mean(DATA.excess(runs.mean), "excess risk")
    assert 0.0 < excess.lower and excess.upper < DATA.excess(np.zeros(DATA.dimension))[0]
