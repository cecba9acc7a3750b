r"""One hidden slot of a known randomizer with bounded ratios: K-ary response, tables, Laplace noise replaced.

With R_i, R_j the laws of an output on the record and on its replacement, R_o that on the slot's own record, p the
probability that the record is used, m the steps and c = e^epsilon,

.. math:: \delta(\epsilon) = \frac pm E\Big(\sum_{t=1}^m g_t - \frac{1-p}p m (c - 1)\Big)_+, \quad
          g = \frac{R_i - c R_j}{R_o}(y), \ y \sim R_o .

For one o this is attained.  Which o a slot has may depend on earlier outputs: a law that dominates the gains of every o
in convex order (the largest of their stop-loss transforms is that of one) dominates whatever the slots hold.  A record
that is there or not has R_i or R_j in the place of R_o.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, expm1
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..parameters import PARAMETERS
from ..pld.candidates import Candidate, Candidates
from ..pld.contour import Ends
from ..pld.losses import UNIT, Array
from ..pld.stoploss import excess
from ..shuffle.randomizers import HAIR, Messages, laplace, read_table
from .pairs import ADDED, REMOVED, REPLACED

# Relative error granted to a joined law, and distance of values that count as one, over their range.
JOIN_ERROR, ALIKE = 1e-11, 1e-12
# Clients that a message is cut into cells for: many.
MANY = 10**6
START = 3.0


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Messages that together dominate one kind of neighbours, and those that some slots attain, each on its own."""

    name: str
    way: str
    joined: tuple[Messages, ...]
    each: tuple[Messages, ...]


def candidates(
    steps: int, eps0: float | None, weight: float, randomizer: str, adjacency: str, width: float
) -> Candidates:
    """Everything certified of one hidden slot among ``steps``; ``randomizer``: rr, krr:K, table:FILE or laplace."""
    found, largest = neighbours(eps0, randomizer, adjacency)
    below = [attained(message, steps, weight, width) for one in found for message in one.each]
    # The worst neighbours are what counts from above.
    return Candidates([dominating(found, steps, weight, width)], below, largest)


def neighbours(eps0: float | None, randomizer: str, adjacency: str) -> tuple[list[Neighbours], float]:
    """All kinds of neighbours, and the largest loss of one slot."""
    kind, _, text = randomizer.partition(":")
    if kind == "table":
        rows, largest = _table(text, eps0)
        return _of_rows(rows, adjacency), largest
    if eps0 is None:
        raise ParameterError("eps0", PARAMETERS["eps0"].allowed, "nothing")
    if kind == "laplace":
        found = laplace(eps0, MANY)
        return [Neighbours("Laplace noise, what all inputs share", REPLACED, found.above, found.below)], eps0
    return _of_response(eps0, int(PARAMETERS["categories"].parse(text or 2)), adjacency), eps0


def dominating(found: Sequence[Neighbours], steps: int, weight: float, width: float) -> Candidate:
    """The largest of the curves of several kinds of neighbours."""
    each = [_candidate(one.name, one.joined, steps, weight, width, True) for one in found]
    if len(each) == 1:
        return each[0]

    def delta(epsilon: float) -> Ends:
        return max((one.delta(epsilon) for one in each), key=lambda ends: ends.upper)

    name = each[0].name.partition(",")[0]
    return Candidate(f"{name}, the worst inputs", delta, start=max(one.start for one in each))


def attained(message: Messages, steps: int, weight: float, width: float) -> Candidate:
    """The curve of slots that all hold one record."""
    return _candidate(message.name, (message,), steps, weight, width, False)


def _candidate(
    name: str, joined: Sequence[Messages], steps: int, weight: float, width: float, above: bool
) -> Candidate:
    def delta(epsilon: float) -> Ends:
        laws = [one.dispersed(epsilon) if above else one.merged(epsilon) for one in joined]
        values, masses = laws[0] if len(laws) == 1 else join(laws)
        error = joined[0].error if len(laws) == 1 else JOIN_ERROR
        return _ends(values, masses, error, steps, weight, epsilon, max(width, joined[0].width))

    deviation = max(np.sqrt(float(np.sum((one.p - one.q) ** 2 / one.w)) / steps) for one in joined) * weight
    witness = None if above else partial(_witness, joined[0], steps, weight)
    return Candidate(name, delta, None, witness, START * float(deviation))


def _ends(values: Array, masses: Array, error: float, steps: int, weight: float, epsilon: float, width: float) -> Ends:
    # Each slot takes its share of what is subtracted.
    gains = values - (1.0 - weight) / weight * expm1(epsilon)
    if not (gains > 0.0).any():
        return Ends(0.0, 0.0, 0.0, 0.0)
    found, scale = excess([(gains, masses, steps)], error, width), weight / steps
    return Ends(
        found.lower * scale * (1.0 - 4 * UNIT),
        min(found.upper * scale * (1.0 + 4 * UNIT), 1.0),
        found.truncation * scale,
        found.rounding * scale,
    )


def join(laws: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """A law that dominates several of one mean in convex order, hardly more than the least one: values and masses.

    Its stop-loss transform is the largest of theirs; it is known at all their values, and its kinks are there and where
    two of them cross.
    """
    points = np.unique(np.concatenate([values for values, _ in laws]))
    heights = np.array([_stop_loss(values, masses, points) for values, masses in laws])
    slopes = np.diff(heights, axis=1) / np.diff(points)
    crossings = []
    for i in range(len(laws)):
        for j in range(i):
            gap, rate = heights[i, :-1] - heights[j, :-1], slopes[j] - slopes[i]
            with np.errstate(divide="ignore", invalid="ignore"):
                at = points[:-1] + gap / rate
            crossings.append(at[(rate != 0.0) & (at > points[:-1]) & (at < points[1:])])
    points = np.unique(np.concatenate([points, *crossings]))
    points = points[np.append(True, np.diff(points) > ALIKE * (points[-1] - points[0]))]
    middles = np.concatenate([[-np.inf], 0.5 * (points[1:] + points[:-1]), [np.inf]])
    largest = np.argmax([_stop_loss(values, masses, middles[1:-1]) for values, masses in laws], axis=0)
    largest = np.concatenate([[largest[0]], largest, [largest[-1]]]) if points.size > 1 else np.zeros(2, dtype=int)
    found, doubt = np.zeros(points.size), np.zeros(points.size)
    for k, (low, high) in enumerate(zip(middles, middles[1:], strict=False)):
        (values, masses), (others, weights) = laws[largest[k]], laws[largest[k + 1]]
        if largest[k] == largest[k + 1]:
            found[k] = masses[(values > low) & (values <= high)].sum()
            continue
        # One transform takes over from another: by how much the slope, minus a tail, rises.
        tail = masses[values > low].sum()
        found[k], doubt[k] = tail - weights[others > high].sum(), 64 * UNIT * tail
    return points, _granted(points, found, doubt)


def _granted(points: Array, masses: Array, doubt: Array) -> Array:
    """Masses raised by their doubt, mass and mean kept.

    The largest mass gives what is added, a third one restores the mean: by Jensen's inequality the stop-loss transform
    only grows.
    """
    if not doubt.any():
        return masses
    added = np.maximum(doubt, -masses)
    centre = int(np.argmax(masses))
    moment = float(added @ (points - points[centre]))
    third = 0 if moment > 0.0 else points.size - 1
    if third != centre and moment != 0.0:
        added[third] += abs(moment) / abs(points[third] - points[centre])
    added[centre] -= added.sum()
    return masses + added


def _stop_loss(values: Array, masses: Array, points: Array) -> Array:
    return np.asarray(np.maximum(values - points[:, None], 0.0) @ masses, dtype=np.float64)


def _witness(messages: Messages, steps: int, weight: float, quantity: str, at: float) -> dict[str, Any]:
    """A slot's output probabilities for the record, its replacement, and the slot's own record."""
    return {
        "kind": "hidden-slot",
        "summary": messages.name,
        "steps": steps,
        "weight": weight,
        "record": messages.p.tolist(),
        "replacement": messages.q.tolist(),
        "reference": messages.w.tolist(),
    }


def _replaced(name: str, i: Array, j: Array, references: Sequence[tuple[str, Array]]) -> Neighbours:
    """The references joined, and each."""
    each = tuple(Messages(f"{name}, the slot's own {what}", i, j, o) for what, o in references)
    return Neighbours(name, REPLACED, each, each)


def _there_or_not(name: str, i: Array, o: Array) -> list[Neighbours]:
    removed, added = Messages(f"{name} removed", i, o, o), Messages(f"{name} added", o, i, o)
    return [Neighbours(one.name, way, (one,), (one,)) for way, one in ((REMOVED, removed), (ADDED, added))]


def _of_response(eps0: float, k: int, adjacency: str) -> list[Neighbours]:
    """Values i, j, one more, and all others as one."""
    x = exp(eps0)
    s = 1.0 / (x + k - 1.0)
    rest = [(k - 3.0) * s] if k > 3 else []
    i, j, third = ([*row, *rest] for row in ((x * s, s, s), (s, x * s, s), (s, s, x * s)))
    if k == 2:
        i, j = [x * s, s], [s, x * s]
    one, other = np.array(i), np.array(j)
    if adjacency != "replace":
        return _there_or_not("record", one, other)
    more = [("a third value", np.array(third))] if k > 2 else []
    name = f"{k}-ary randomized response"
    return [_replaced(name, one, other, [*more, ("the record's value", one), ("the replacement's", other)])]


def _of_rows(rows: Array, adjacency: str) -> list[Neighbours]:
    found: list[Neighbours] = []
    inputs = range(rows.shape[0])
    for i in inputs:
        for j in inputs:
            if i == j or np.array_equal(rows[i], rows[j]):
                continue
            if adjacency == "replace":
                references = [(f"input {o}", rows[o]) for o in inputs]
                found.append(_replaced(f"inputs {i} and {j}", rows[i], rows[j], references))
            else:
                found += _there_or_not(f"input {i} on {j}", rows[i], rows[j])
    return found


def _table(path: str, eps0: float | None) -> tuple[Array, float]:
    """The rows, each output possible on every input or on none, and the largest loss."""
    rows = read_table(path)
    rows = rows / rows.sum(axis=1, keepdims=True)
    rows = rows[:, rows.max(axis=0) > 0.0]
    if rows.shape[0] < 2 or (rows == rows[0]).all():
        raise ParameterError("randomizer", "a table with two different rows", f"table:{path}")
    if (rows == 0.0).any():
        raise ParameterError("randomizer", "a table whose outputs are possible on all inputs or none", f"table:{path}")
    largest = float(np.max(np.log(rows.max(axis=0)) - np.log(rows.min(axis=0))))
    if eps0 is not None and largest > eps0 * (1.0 + HAIR):
        raise ParameterError("eps0", f"at least {largest:.8g}, the budget of table:{path}", eps0)
    return rows, largest * (1.0 + HAIR)
