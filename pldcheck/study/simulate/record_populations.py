"""Populations of records, the loss of a model on a record, and the excess risk of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit

from ...core.arrays import Array
from ...core.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Population:
    """A population of finitely many records, with the loss of a model on each.

    Parameters
    ----------
    features, labels, weights
        The records, their labels, and their probabilities.
    loss
        ``logistic``, log(1 + e^{-label a.theta}); ``distance``, |theta - a|; or ``linear``, -a.theta.
    radius
        The radius of the ball of models about 0; its diameter is R in the theorems.
    optimum
        The best model in the ball.
    lipschitz, smooth
        The Lipschitz constants of the loss and of its gradient; the latter is infinite where the gradient jumps.
    held
        Whether client j holds record j, as in a data set; else every record is drawn from the weights.

    """

    name: str
    loss: str
    features: Array
    labels: Array
    weights: Array
    radius: float
    optimum: Array
    lipschitz: float = 1.0
    smooth: float = float("inf")
    held: bool = False

    @property
    def dimension(self) -> int:
        """The number of coordinates of a model, p in the theorems."""
        return int(self.features.shape[1])

    def losses(self, models: ArrayLike) -> Array:
        """Return the loss on every record, with a row for each model."""
        models = np.atleast_2d(np.asarray(models, dtype=float))
        if self.loss == "logistic":
            return np.logaddexp(0.0, -self.labels * (models @ self.features.T))
        if self.loss == "distance":
            return np.linalg.norm(models[:, None, :] - self.features, axis=2)
        return -models @ self.features.T

    def risk(self, models: ArrayLike) -> Array:
        """Return the mean loss of each model over the population."""
        return self.losses(models) @ self.weights

    def excess(self, models: ArrayLike) -> Array:
        """Return the risk of each model less that of the best model."""
        return (self.losses(models) - self.losses(self.optimum)) @ self.weights

    def records(self, clients: NDArray[np.int64], draw: Generator) -> NDArray[np.int64]:
        """Return the record of each client: its own of a data set, else one drawn from the population."""
        return clients if self.held else draw.choice(self.weights.size, size=clients.size, p=self.weights)

    def gradients(self, records: NDArray[np.int64], models: Array) -> Array:
        """Return the gradient of the loss on each record, at a model of its own."""
        features = self.features[records]
        if self.loss == "logistic":
            labels = self.labels[records]
            return features * (-labels * expit(-labels * np.sum(features * models, axis=1)))[:, None]
        if self.loss == "distance":
            lengths = np.linalg.norm(models - features, axis=1, keepdims=True)
            return (models - features) / np.where(lengths > 0.0, lengths, 1.0)
        return -features


def logistic(dimension: int = 10, directions: int = 64) -> Population:
    """Return a population with random unit vectors as features and labels from the logistic model of ``optimum``.

    That model is therefore the best one; its length is half the radius, so that it is inside the ball.
    """
    vectors = np.random.default_rng(0).standard_normal((directions, dimension))
    features = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    optimum = np.full(dimension, 2.0 / np.sqrt(dimension))
    chances = 1.0 / (1.0 + np.exp(-features @ optimum))
    return Population(
        "logistic",
        "logistic",
        np.vstack([features, features]),
        np.repeat([1.0, -1.0], directions),
        np.concatenate([chances, 1.0 - chances]) / directions,
        4.0,
        optimum,
        smooth=0.25,
    )


def median(dimension: int = 10) -> Population:
    """Return a population whose loss is the distance to a record: ``optimum``, or a point one unit beside it.

    ``optimum`` has probability 1/2, and is the best model by symmetry.  The risk has a kink there: with step sizes
    c/sqrt i a model comes no closer to it than the length of a step, so that the rate of Theorem 3.5 is attained.
    """
    optimum = np.full(dimension, 0.5 / np.sqrt(dimension))
    side = np.zeros(dimension)
    side[0] = 1.0
    atoms = np.array([optimum, optimum + side, optimum - side])
    return Population("median", "distance", atoms, np.ones(3), np.array([0.5, 0.25, 0.25]), 1.0, optimum)


def drift(dimension: int, mean: float) -> Population:
    """Return a population with linear losses: records are unit vectors along an axis, with mean ``mean``.

    The best model is at the edge of the ball, and the losses are smooth with constant 0.  With a mean of the order of
    1/sqrt m the population is among the hardest for m steps.
    """
    side = np.zeros(dimension)
    side[0] = 1.0
    weights = 0.5 + 0.5 * np.array([mean, -mean])
    return Population("drift", "linear", np.array([side, -side]), np.ones(2), weights, 1.0, side, smooth=0.0)


def data_set(features: ArrayLike, labels: ArrayLike, radius: float) -> Population:
    """Return a data set as a population, in which client j holds record j.

    Features are scaled to lengths of at most 1, and ``optimum`` is the logistic regression in the ball.

    Raises
    ------
    ParameterError
        If features are not a finite table with a row for each label, or a label is not -1 or 1.

    """
    rows, signs = np.asarray(features, dtype=float), np.asarray(labels, dtype=float)
    if rows.ndim != 2 or signs.shape != rows.shape[:1] or not np.isfinite(rows).all():
        raise ParameterError("features", "a finite table with a row for each label", np.shape(features))
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise ParameterError("labels", "-1 or 1", np.unique(signs).tolist()[:4])
    rows = rows / np.linalg.norm(rows, axis=1).max()
    weights = np.full(len(rows), 1.0 / len(rows))
    best = _best(rows * signs[:, None], radius)
    return Population("data set", "logistic", rows, signs, weights, radius, best, smooth=0.25, held=True)


def _best(signed_features: Array, radius: float) -> Array:
    """Return the minimum of the logistic risk in a ball."""

    def risk(model: Array) -> tuple[float, Array]:
        scores = signed_features @ model
        return float(np.mean(np.logaddexp(0.0, -scores))), -signed_features.T @ expit(-scores) / len(scores)

    start = np.zeros(signed_features.shape[1])
    inside = {"type": "ineq", "fun": lambda model: radius**2 - model @ model, "jac": lambda model: -2.0 * model}
    best: Array = minimize(
        risk, start, jac=True, method="SLSQP", constraints=inside, options={"ftol": 1e-15, "maxiter": 1000}
    ).x
    return best * min(1.0, radius / max(float(np.linalg.norm(best)), 1e-300))


# The populations that do not need data, by name.
_BY_NAME: dict[str, Callable[[int], Population]] = {"logistic": logistic, "median": median}
POPULATIONS: Mapping[str, Any] = MappingProxyType(_BY_NAME)
