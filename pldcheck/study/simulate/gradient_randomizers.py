"""Local randomizers of gradients: a clipped gradient goes in, what may leave the client comes out.

All are unbiased for the clipped gradient.  What the server adds where nobody checked in, A(0) in Algorithm 1 of Balle
et al. (2020), is drawn without any client.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1

import numpy as np

from ...core.arrays import Array
from ...core.errors import MissingError, ParameterError
from ...core.parameters import PARAMETERS
from ...hidden_slot.worst.step_laws import LAWS, VERTICES
from .party_draws import Draws

# Number of the first draw of an answer; a client's earlier ones are its coin, its slot and its record.
ANSWER = 16
KINDS = "worst, law:BE, law:CF, law:ACE, rr, krr:K or gaussian:S"
CLIP = 1.0


def clipped(gradient: Array, clip: float) -> Array:
    """Return the gradient, scaled down to length ``clip`` where it is longer."""
    length = float(np.sqrt(gradient @ gradient))
    return gradient * (clip / length) if length > clip else gradient


@dataclass(frozen=True)
class GaussianAnswer:
    """The clipped gradient with noise of standard deviation ``deviation`` in each coordinate."""

    name: str
    deviation: float
    clip: float = CLIP

    def answer(self, gradient: Array, draws: Draws) -> Array:
        """Return what the client sends."""
        return clipped(gradient, self.clip) + self.deviation * draws.normals(ANSWER, gradient.size)

    def dummy(self, size: int, draws: Draws) -> Array:
        """Return A(0)."""
        return self.deviation * draws.normals(ANSWER, size)

    def noise_square(self, size: int) -> float:
        """Return E |answer - gradient|^2 or more: p sigma^2 in Theorem 3.5 of Balle et al. (2020)."""
        return size * self.deviation**2


@dataclass(frozen=True, eq=False)
class TableAnswer:
    """One random coordinate of p, by a table: row i is the law of the outputs on the level -1 + 2i/(rows - 1).

    The coordinate over ``clip`` is rounded at random to one of the two levels about it, which is right on average;
    output j is sent as p ``clip`` ``values[j]``, and the mean of that under each row is the level.  ``reference``: the
    law of a dummy's.
    """

    name: str
    table: Array
    values: Array
    reference: Array
    clip: float = CLIP

    def answer(self, gradient: Array, draws: Draws) -> Array:
        """Return what the client sends."""
        k = draws.below(ANSWER, gradient.size)
        last = len(self.table) - 1
        place = 0.5 * (clipped(gradient, self.clip)[k] / self.clip + 1.0) * last
        row = min(max(int(place // 1), 0), last - 1)
        row += draws.uniform(ANSWER + 1) < place - row
        return self._sent(k, gradient.size, self.table[row], draws)

    def dummy(self, size: int, draws: Draws) -> Array:
        """Return A(0)."""
        return self._sent(draws.below(ANSWER, size), size, self.reference, draws)

    def _sent(self, k: int, size: int, law: Array, draws: Draws) -> Array:
        vector = np.zeros(size)
        output = int(np.searchsorted(np.cumsum(law)[:-1], draws.uniform(ANSWER + 2), side="right"))
        vector[k] = size * self.clip * self.values[output]
        return vector

    def noise_square(self, size: int) -> float:
        """Return E |answer|^2 or more: all coordinates at the level where it is largest."""
        return (size * self.clip) ** 2 * float((self.table @ self.values**2).max())


Randomizer = GaussianAnswer | TableAnswer


def randomizer(text: str, eps0: float | None = None, clip: float = CLIP) -> Randomizer:
    """By name: ``worst`` and ``law:ACE`` are the ternary law of a hidden slot's worst case, ``law:BE`` the binary ones.

    ``rr`` and ``krr:K``: randomized response on the sign of a coordinate, or on one of K levels.  ``gaussian:S``: S is
    over the diameter 2 ``clip`` of the gradients.  All but the last are ``eps0``-DP.
    """
    kind, _, given = str(text).partition(":")
    if kind == "gaussian" and given:
        return GaussianAnswer(text, 2.0 * clip * PARAMETERS["sigma"].parse(given), clip)
    names = {law.name: law for law in LAWS}
    law = names.get({"worst": "ACE"}.get(text, given if kind == "law" else ""))
    levels = 2 if text == "rr" else PARAMETERS["categories"].parse(given) if kind == "krr" and given else 0
    if law is None and not levels:
        raise ParameterError("randomizer", f"{KINDS} where a learner is run", text)
    if eps0 is None:
        raise MissingError("eps0", PARAMETERS["eps0"].allowed)
    eps0 = PARAMETERS["eps0"].parse(eps0)
    return _response(text, int(levels), eps0, clip) if law is None else _law(text, law, eps0, clip)


def _response(name: str, levels: int, eps0: float, clip: float) -> TableAnswer:
    """K-ary randomized response: the truth with x/(x + K - 1), x = e^eps0, any other level with 1/(x + K - 1)."""
    whole = exp(eps0) + levels - 1
    table = np.full((levels, levels), 1.0 / whole)
    np.fill_diagonal(table, exp(eps0) / whole)
    values = np.linspace(-1.0, 1.0, levels) * (whole / expm1(eps0))
    # Zero is rounded to the middle level, or to either of the two in the middle.
    reference = 0.5 * (table[(levels - 1) // 2] + table[levels // 2])
    return TableAnswer(name, table, values, reference, clip)


def _law(name: str, law, eps0: float, clip: float) -> TableAnswer:
    """Return a worst-case step law: -1 is the replacement's row, 1 the record's, and a dummy is the crowd's."""
    reference = law.probabilities(eps0)
    ratios = np.exp(eps0 * np.array([VERTICES[vertex] for vertex in law.name], dtype=float))
    table = reference * ratios.T[::-1]
    # The shortest values whose means are -1 and 1.
    values = np.linalg.pinv(table) @ np.array([-1.0, 1.0])
    return TableAnswer(name, table, values, reference, clip)
