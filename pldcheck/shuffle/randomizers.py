r"""Local randomizers that are known, as the gains of one message among n.

For inputs i (the record), j (its replacement) and a law W of the other messages the gain of an output y is
:math:`g(y) = (R_i(y) - e^\epsilon R_j(y))/W(y)`, y ~ W.  With W = R_o, all others on input o, the shuffled pair is what
an adversary sees: a lower bound.  With W the privacy blanket :math:`\inf_o R_o`, the rest of its mass on an output of
its own, it dominates whatever the others hold (Balle, Bell, Gascon, Nissim 2019, "The privacy blanket of the shuffle
model").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from ..errors import ParameterError
from ..pld.losses import UNIT, Array

# Cells of a continuous randomizer inside [0, 1] (an even number), and outside on each side: those of Gaussian noise
# grow like a power of their number.
CELLS, OUTER, GROWTH = 200, 120, 1.7
# The same for few clients, where every cell is dear.
FEW, FEW_CELLS, FEW_OUTER = 30, 60, 40
# A table's budget may be larger than the one given by round-off in its numbers.
HAIR = 1e-9
# What of Laplace noise is outside all cells.
BEYOND = 1e-40
# Relative error of gains: of exact tables, and where masses are differences of neighbouring tails.
EXACT_ERROR, CELL_ERROR = 16 * UNIT, 1e-12
CELL_WIDTH = 1e-3
# A shared mass this small is none: the total variation is the largest there is.
NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Messages:
    """Masses under R_i, R_j and W cell by cell, and between which their ratios to W lie in a cell.

    ``left``: R_i's mass outside all cells; ``rest``: W's mass where R_i and R_j have none; ``error``: of gains,
    relative to the largest; ``width``: about the relative width in delta that the cells bring.
    """

    name: str
    p: Array
    q: Array
    w: Array
    p_ends: tuple[Array, Array] | None = None
    q_ends: tuple[Array, Array] | None = None
    rest: float = 0.0
    left: float = 0.0
    error: float = EXACT_ERROR
    width: float = 0.0

    def merged(self, epsilon: float) -> tuple[Array, Array]:
        """Gains and masses, each cell one output: post-processing, hence from below."""
        return self._with_rest((self.p - exp(epsilon) * self.q) / self.w, self.w)

    def dispersed(self, epsilon: float) -> tuple[Array, Array]:
        """Gains and masses from above: each cell's mass at the ends of what its gain can be, the mean kept."""
        values, masses = (self.p - exp(epsilon) * self.q) / self.w, self.w
        if self.p_ends is not None and self.q_ends is not None:
            low = self.p_ends[0] - exp(epsilon) * self.q_ends[1]
            high = self.p_ends[1] - exp(epsilon) * self.q_ends[0]
            with np.errstate(divide="ignore", invalid="ignore"):
                share = np.where(high > low, (values - low) / (high - low), 1.0)
            share = np.clip(share, 0.0, 1.0)  # the mean is inside: round-off only, which ``error`` contains
            values, masses = np.concatenate([low, high]), np.concatenate([(1.0 - share) * masses, share * masses])
        return self._with_rest(values, masses)

    def _with_rest(self, values: Array, masses: Array) -> tuple[Array, Array]:
        if self.rest <= 0.0:
            return values, masses
        return np.append(values, 0.0), np.append(masses, self.rest)


@dataclass(frozen=True, eq=False)
class Known:
    """What is certified of a randomizer: pairs that dominate all neighbouring data, pairs that some data attain.

    ``merged``: one of the latter with its outputs merged to three, up and down alike: a name, P(up), Q(up), W(up).
    """

    above: tuple[Messages, ...]
    below: tuple[Messages, ...]
    merged: tuple[str, float, float, float] | None = None


def response(eps0: float, k: int) -> Known:
    """k-ary randomized response; the witnesses with three symbols are in :mod:`pldcheck.shuffle.pair`."""
    x = exp(eps0)
    s = 1.0 / (x + k - 1.0)
    more = [] if k == 2 else [(k - 2.0) * s]
    p, q = np.array([x * s, s, *more]), np.array([s, x * s, *more])
    above = Messages("blanket", p, q, np.array([s, s, *more]), rest=np.expm1(eps0) * s)
    if k < 4:
        return Known((above,), ())
    last = (k - 3.0) * s
    p, q, w = (np.array(row) for row in ([x * s, s, s, last], [s, x * s, s, last], [s, s, x * s, last]))
    return Known((above,), (Messages(f"{k}-ary randomized response, the others on a third value", p, q, w),))


def narrow(eps0: float, tv: float) -> Known:
    """All eps0-DP randomizers whose outputs on the record and its replacement are within ``tv`` in total variation.

    From above the corrected variation-ratio pair, P = (x a, a, c, 0), W = (a, a, c/x, rest), a = tv/(x - 1); from
    below the randomizers with rows P, Q and W = (a, a, w1/x, x w2), w1 + w2 = c.
    """
    x = exp(eps0)
    a = tv / np.expm1(eps0)
    c = 1.0 - a * (x + 1.0)
    if c < -NOTHING:
        most = f"tv:T with T at most {float(np.tanh(0.5 * eps0)):.6g} at this eps0"
        raise ParameterError("randomizer", most, f"tv:{tv!r}")
    c = max(c, 0.0)
    if c <= NOTHING:
        p, q, w = (np.array(row) for row in ([x * a, a], [a, x * a], [a, a]))
        above = Messages("stronger clones", p, q, w, rest=1.0 - 2.0 * a)
        return Known((above,), _on_either(p, q, 10.0 * NOTHING))  # c is left out of them
    p, q, w = (np.array(row) for row in ([x * a, a, c], [a, x * a, c], [a, a, c / x]))
    above = Messages("corrected variation-ratio", p, q, w, rest=1.0 - 2.0 * a - c / x)
    either = _on_either(p, q)
    w2 = (1.0 - 2.0 * a - c / x) / (x - 1.0 / x)
    w1 = c - w2
    if w1 <= 0.0 or w2 <= 0.0:
        return Known((above,), either)
    p, q, w = (np.array(row) for row in ([x * a, a, w1, w2], [a, x * a, w1, w2], [a, a, w1 / x, x * w2]))
    four = Messages("four symbols, the others on an input of their own", p, q, w)
    return Known((above,), (four, *either), (f"{four.name}, outputs merged", x * a, a, a))


def _on_either(p: Array, q: Array, error: float = EXACT_ERROR) -> tuple[Messages, ...]:
    """All others on the record's value, or on its replacement's."""
    return tuple(Messages(f"the others on the value of {x}", p, q, w, error=error) for x, w in (("P", p), ("Q", q)))


def table(rows: Array, eps0: float, name: str) -> Known:
    """A randomizer given as a table: ``rows[input, output]``, probabilities."""
    rows = rows / rows.sum(axis=1, keepdims=True)
    if rows.shape[0] < 2:
        raise ParameterError("randomizer", "a table with at least two inputs", name)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = float(np.nanmax(np.log(rows.max(axis=0)) - np.log(rows.min(axis=0))))
    if largest > eps0 * (1.0 + HAIR):
        raise ParameterError("eps0", f"at least {largest:.8g}, the budget of {name}", eps0)
    rows = rows[:, rows.max(axis=0) > 0.0]
    blanket = rows.min(axis=0)
    above, below = [], []
    inputs = range(rows.shape[0])
    for i in inputs:
        for j in inputs:
            if i == j or np.array_equal(rows[i], rows[j]):
                continue
            rest = max(1.0 - float(blanket.sum()), 0.0)
            above.append(Messages(f"blanket, inputs {i} and {j}", rows[i], rows[j], blanket, rest=rest))
            for o in inputs:
                text = f"inputs {i} and {j}, the others on {o}"
                below.append(Messages(text, rows[i], rows[j], rows[o]))
    if not above:
        raise ParameterError("randomizer", "a table with two different rows", name)
    return Known(tuple(above), tuple(below))


def read_table(path: str) -> Array:
    """A file with one input a line: its output probabilities, separated by commas or blanks; ``#`` begins a comment."""
    what = "table:FILE, lines of output probabilities, one input each"
    try:
        text = Path(path).read_text(encoding="utf-8")
        lines = [line.partition("#")[0].replace(",", " ").split() for line in text.splitlines()]
        rows = np.array([[float(word) for word in line] for line in lines if line], dtype=np.float64)
    except (OSError, ValueError) as error:
        raise ParameterError("randomizer", f"{what} ({error})", f"table:{path}") from None
    if rows.ndim != 2 or rows.size == 0 or not np.all(np.isfinite(rows)) or (rows < 0.0).any():
        raise ParameterError("randomizer", f"{what}, as many in every line and none negative", f"table:{path}")
    if np.any(np.abs(rows.sum(axis=1) - 1.0) > 1e-9):
        raise ParameterError("randomizer", f"{what}, of sum 1 (to 1e-9) in every line", f"table:{path}")
    return rows


@dataclass(frozen=True)
class _Noise:
    """A density centred at 0, even and decreasing in abs(y): its log, its upper tail, and where it may be cut."""

    log_density: Callable[[Array], Array]
    upper_tail: Callable[[Array], Array]
    outer: Array


def laplace(eps0: float, n: int) -> Known:
    """Laplace noise of scale 1/eps0 on a record in [0, 1]."""

    def tail(y: Array) -> Array:
        small = 0.5 * np.exp(-eps0 * np.abs(y))
        return np.where(y > 0.0, small, 1.0 - small)

    # Outside [0, 1] all ratios are constant: one cell.
    return _located(_Noise(lambda y: -eps0 * np.abs(y), tail, np.array([-log(BEYOND) / eps0])), n)


def gaussian(sigma: float, n: int, least: float) -> Known:
    """Gaussian noise of deviation ``sigma`` on a record in [0, 1]; deltas far below ``least`` do not matter.

    Rare outputs have huge gains: those of mass ``least`` count as certain losses.
    """
    count = OUTER if _cheap(n) else FEW_OUTER
    outer = sigma * -ndtri(0.25 * least) * (np.arange(1, count + 1) / count) ** GROWTH
    return _located(_Noise(lambda y: -0.5 * (y / sigma) ** 2, lambda y: ndtr(-y / sigma), outer), n)


def _cheap(n: int) -> bool:
    """Whether many cells can be afforded: one message is a plain sum, many are nearly normal."""
    return n == 1 or n > FEW


def _located(noise: _Noise, n: int) -> Known:
    """Records in [0, 1]: its ends are the neighbours, the blanket is the smaller of the two ends' densities.

    The reverse direction mirrors this one.
    """
    cells = CELLS if _cheap(n) else FEW_CELLS
    edges = np.concatenate([-noise.outer[::-1], np.linspace(0.0, 1.0, cells + 1), 1.0 + noise.outer])

    def masses(centre: float, ends: Array = edges) -> Array:
        left, right = ends[:-1] - centre, ends[1:] - centre
        above = left >= 0.0
        # The nearer tail, so that nothing cancels.
        return noise.upper_tail(np.where(above, left, -right)) - noise.upper_tail(np.where(above, right, -left))

    def ratios(centre: float) -> tuple[Array, Array]:
        # Within a cell the ratio to the density of the farther end is monotone.
        blanket = np.minimum(noise.log_density(edges), noise.log_density(edges - 1.0))
        ends = np.exp(noise.log_density(edges - centre) - blanket)
        return np.minimum(ends[:-1], ends[1:]), np.maximum(ends[:-1], ends[1:])

    blanket = np.where(edges[1:] <= 0.5, masses(1.0), masses(0.0))
    rest, left = max(1.0 - float(blanket.sum()), 0.0), 4.0 * float(noise.upper_tail(noise.outer[-1:])[0])
    above = Messages(
        "blanket", masses(0.0), masses(1.0), blanket, ratios(0.0), ratios(1.0), rest, left, CELL_ERROR, CELL_WIDTH
    )
    everything = np.concatenate([[-np.inf], edges[1:-1], [np.inf]])
    on = {place: masses(place, everything) for place in (0.0, 0.5, 1.0)}
    below = [
        Messages(
            f"records at 0 and 1, the others at {place:g}", on[0.0], on[1.0], w, error=CELL_ERROR, width=CELL_WIDTH
        )
        for place, w in on.items()
    ]
    # Up is what lies below some point, down its mirror image: the point that tells most.
    centre = edges <= 0.5
    tails = [np.cumsum(on[place])[: int(centre.sum()) - 1] for place in (0.0, 1.0, 0.5)]
    told = (tails[0] - tails[1]) ** 2 / np.maximum(tails[2], 1e-300)
    best = int(np.argmax(np.where(tails[2] > 0.0, told, 0.0)))
    p, q, w = (float(tail[best]) for tail in tails)
    return Known((above,), tuple(below), ("records at 0 and 1, the others at 0.5, outputs merged to three", p, q, w))
