"""Scores of outputs whose thresholds are the events of an audit: a user's, single coordinates, a logistic regression.

A score is a fixed function once the first half of the outputs is seen.  Nothing that is proved depends on how good it
is: a bad one makes a weak bound and never a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.errors import ParameterError

# Coordinates that are scores and features: those whose values differ most, by rank.
MOST_COORDINATES = 24
# Outputs of each sampler with which a regression is fitted: more of them hardly change it.
MOST_ROWS = 20_000
# Features end at so many quartile distances from the median, so that no single output decides the fit.
LARGEST_FEATURE = 8.0
# The weight of the squared coefficients: the fit has a solution where the outputs can be told apart without error.
RIDGE = 1e-3
# Newton steps of the fit, which are few since features are bounded.
NEWTON_STEPS = 30
# The fit ends when no coefficient moves by more.
CLOSE = 1e-6


@dataclass(frozen=True)
class Score:
    """A function of outputs, larger where the first sampler is likelier, and what it is in words."""

    words: str
    values: Callable[[Any], Array]


def table(name: str, outputs: object, count: int) -> Array:
    """Return outputs as rows of numbers; raises ParameterError for another number of them, and for no numbers."""
    array = np.asarray(outputs)
    if array.dtype.kind not in "biuf":
        raise ParameterError(
            name, "a function whose outputs are numbers or rows of them, unless score is given", outputs
        )
    if array.ndim == 0 or array.shape[0] != count or array.size == 0:
        raise ParameterError(name, f"a function that returns {count} outputs for a count of {count}", array.shape)
    rows = array.astype(np.float64).reshape(count, -1)
    if np.isnan(rows).any():
        raise ParameterError(name, "a function whose outputs are numbers", "nan")
    return rows


def given_score(score: Callable[[Any], Any]) -> Score:
    """Return a user's score; it raises ParameterError where the function does not return one number an output."""

    def values(outputs: Any) -> Array:
        numbers = np.asarray(score(outputs), dtype=np.float64)
        if numbers.shape != (len(outputs),) or np.isnan(numbers).any():
            raise ParameterError("score", "a function that returns one number for each output", numbers)
        return numbers

    return Score("the given score", values)


def scores(first: Array, second: Array) -> list[Score]:
    """Return the scores that are tried: each coordinate upwards and downwards, and a logistic regression."""
    columns = _differing_columns(first, second)
    single = [
        Score(f"coordinate {column}" if sign > 0 else f"minus coordinate {column}", _coordinate(column, sign))
        for column in columns
        for sign in (1.0, -1.0)
    ]
    return [*single, Score("a logistic regression", _regression(first[:MOST_ROWS], second[:MOST_ROWS], columns))]


def _coordinate(column: int, sign: float) -> Callable[[Array], Array]:
    return lambda rows: sign * rows[:, column]


def _differing_columns(first: Array, second: Array) -> list[int]:
    """Return the coordinates, or those whose ranks in both samples together differ most."""
    if first.shape[1] <= MOST_COORDINATES:
        return list(range(first.shape[1]))
    distances = [_rank_distance(first[:MOST_ROWS, k], second[:MOST_ROWS, k]) for k in range(first.shape[1])]
    return [int(column) for column in np.argsort(-np.array(distances), kind="stable")[:MOST_COORDINATES]]


def _rank_distance(first: Array, second: Array) -> float:
    """Return how far the mean ranks of two samples of numbers are apart, or the means of their squares."""
    together = np.sort(np.concatenate([first, second]))
    ranks = [
        (np.searchsorted(together, one, "left") + np.searchsorted(together, one, "right")) / (2.0 * together.size) - 0.5
        for one in (first, second)
    ]
    # A shift moves the mean of the ranks, a change of scale that of their squares.
    return max(abs(float(np.mean(ranks[0] ** power) - np.mean(ranks[1] ** power))) for power in (1, 2))


def _regression(first: Array, second: Array, columns: list[int]) -> Callable[[Array], Array]:
    """Return the log-odds of the first sampler, fitted by Newton's method to coordinates and their squares."""
    sample = np.vstack([first[:, columns], second[:, columns]])
    centre = np.median(sample, axis=0)
    low, high = np.quantile(sample, [0.25, 0.75], axis=0, method="lower")
    with np.errstate(invalid="ignore"):
        scale = high - low
    centre = np.where(np.isfinite(centre), centre, 0.0)
    scale = np.where(np.isfinite(scale) & (scale > 0.0), scale, 1.0)

    def features(rows: Array) -> Array:
        plain = np.clip((rows[:, columns] - centre) / scale, -LARGEST_FEATURE, LARGEST_FEATURE)
        return np.column_stack([np.ones(rows.shape[0]), plain, plain**2])

    design, truth = features(np.vstack([first, second])), np.repeat([1.0, 0.0], [first.shape[0], second.shape[0]])
    weights = np.zeros(design.shape[1])
    penalty = RIDGE * design.shape[0] * np.eye(design.shape[1])
    for _ in range(NEWTON_STEPS):
        chance = 0.5 * (1.0 + np.tanh(0.5 * (design @ weights)))
        curvature = design.T @ (design * (chance * (1.0 - chance))[:, None]) + penalty
        step = np.linalg.solve(curvature, design.T @ (truth - chance) - penalty @ weights)
        weights = weights + step
        if float(np.max(np.abs(step))) < CLOSE:
            break
    return lambda rows: np.asarray(features(rows) @ weights, dtype=np.float64)
