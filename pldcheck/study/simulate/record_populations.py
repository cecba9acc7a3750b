"""Populations of records, the loss of a model on one of them, and how far a model is from the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...core.arrays import Array
from ...core.errors import ParameterError
from .party_draws import Draws

# The order of the kernels.
LOSSES = ("logistic", "distance", "linear")
# Role of the streams that populations are made from: none of a run's.
_MAKER = 9


@dataclass(frozen=True, eq=False)
class Population:
    """Records with finitely many values, ``features`` and ``labels``, of probabilities ``weights``.

    ``loss``: ``logistic``, log(1 + e^{-label a.theta}); ``distance``, |theta - a|; ``linear``, -a.theta.  Models are in
    the ball of radius ``radius`` about 0, whose diameter is R in the theorems; ``optimum`` is the best of them.
    ``lipschitz``, ``smooth``: constants of the loss in the model, the latter infinite where the gradient jumps.
    ``held``: client j holds record j, for a data set; else all records are drawn from the weights.
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
        """The number of coordinates, p of the theorems."""
        return int(self.features.shape[1])

    def losses(self, models: ArrayLike) -> Array:
        """Of every record, one row a model."""
        models = np.atleast_2d(np.asarray(models, dtype=float))
        if self.loss == "logistic":
            return np.logaddexp(0.0, -self.labels * (models @ self.features.T))
        if self.loss == "distance":
            return np.linalg.norm(models[:, None, :] - self.features, axis=2)
        return -models @ self.features.T

    def risk(self, models: ArrayLike) -> Array:
        """Return the mean loss over the population, of each model."""
        return self.losses(models) @ self.weights

    def excess(self, models: ArrayLike) -> Array:
        """Return the risk beyond that of the best model."""
        return (self.losses(models) - self.losses(self.optimum)) @ self.weights

    def gradient(self, record: int, model: Array) -> Array:
        """Of the loss of one record."""
        feature = self.features[record]
        if self.loss == "logistic":
            label = self.labels[record]
            return -label * feature / (1.0 + np.exp(label * (feature @ model)))
        if self.loss == "distance":
            length = float(np.sqrt((model - feature) @ (model - feature)))
            return (model - feature) / length if length > 0.0 else np.zeros(model.size)
        return -feature


def logistic(dimension: int = 10, directions: int = 64) -> Population:
    """Features are random unit vectors, and labels follow the logistic model of ``optimum``, which is thus the best.

    Its length is half the radius: it is inside the ball.
    """
    drawn = [Draws.of(0, 0, _MAKER, k).normals(0, dimension) for k in range(directions)]
    features = np.array([vector / np.linalg.norm(vector) for vector in drawn])
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
    """Return the distance to a record, which is ``optimum`` half of the time, else a unit to either side of it.

    By symmetry no model is better, and the risk has a kink there: with steps c/sqrt i models cannot come closer to it
    than the steps are long, and Theorem 3.5's rate is attained.
    """
    optimum = np.full(dimension, 0.5 / np.sqrt(dimension))
    side = np.zeros(dimension)
    side[0] = 1.0
    atoms = np.array([optimum, optimum + side, optimum - side])
    return Population("median", "distance", atoms, np.ones(3), np.array([0.5, 0.25, 0.25]), 1.0, optimum)


def drift(dimension: int, mean: float) -> Population:
    """Return linear losses: records are unit vectors along one axis, of mean ``mean``; the best model is at the edge.

    Smooth with constant 0.  With a mean of the order of 1/sqrt m it is among the hardest there are for m steps.
    """
    side = np.zeros(dimension)
    side[0] = 1.0
    weights = 0.5 + 0.5 * np.array([mean, -mean])
    return Population("drift", "linear", np.array([side, -side]), np.ones(2), weights, 1.0, side, smooth=0.0)


def data_set(features: ArrayLike, labels: ArrayLike, radius: float) -> Population:
    """Return a data set with labels -1 and 1: client j holds record j.  Features are scaled to lengths of at most 1.

    The population is the data set itself, and ``optimum`` its logistic regression in the ball.
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


def _best(signed: Array, radius: float) -> Array:
    """Return the minimum of the logistic risk in a ball, by projected gradient steps with momentum (Nesterov 1983)."""
    model = ahead = np.zeros(signed.shape[1])
    smooth = 0.25 * float(np.linalg.eigvalsh(signed.T @ signed / len(signed)).max())
    for i in range(100_000):
        slope = -signed.T @ (1.0 / (1.0 + np.exp(signed @ ahead))) / len(signed)
        moved = ahead - slope / smooth
        moved = moved * min(1.0, radius / max(float(np.linalg.norm(moved)), 1e-300))
        if np.linalg.norm(moved - ahead) < 1e-13 * radius:
            return moved
        ahead, model = moved + i / (i + 3.0) * (moved - model), moved
    return model


_MADE: dict[str, Callable[[int], Population]] = {"logistic": logistic, "median": median}
POPULATIONS: Mapping[str, Any] = MappingProxyType(_MADE)
