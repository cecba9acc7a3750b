"""Local randomizers of gradients: each maps a clipped gradient to the message that the client sends.

All are unbiased for the clipped gradient.  The dummy update A(0), which the server of Algorithm 1 of Balle et al.
(2020) adds for an empty slot, is drawn without a client.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.errors import MissingError, ParameterError
from ...core.parameters import PARAMETERS
from ...hidden_slot.worst.step_laws import LAWS, VERTICES

# The text forms of randomizers, for messages.
KINDS = "worst, law:BE, law:CF, law:ACE, rr, krr:K or gaussian:S"
# Length to which gradients are clipped by default: the Lipschitz constant of the populations.
CLIP = 1.0


def clip_gradients(gradients: Array, clip: float) -> Array:
    """Return the rows, shortened to length ``clip`` where they are longer."""
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    return np.asarray(gradients * (clip / np.maximum(lengths, clip)))


@dataclass(frozen=True)
class GaussianAnswer:
    """The randomizer that adds Gaussian noise of standard deviation ``deviation`` to each coordinate."""

    name: str
    deviation: float
    clip: float = CLIP

    def answers(self, gradients: Array, draw: Generator) -> Array:
        """Return the message of each client."""
        return clip_gradients(gradients, self.clip) + self.dummies(len(gradients), gradients.shape[1], draw)

    def dummies(self, count: int, size: int, draw: Generator) -> Array:
        """Return dummy updates, A(0)."""
        return np.asarray(self.deviation * draw.standard_normal((count, size)))

    def noise_square(self, size: int) -> float:
        """Return E |answer - gradient|^2, p sigma^2 in Theorem 3.5 of Balle et al. (2020)."""
        return size * self.deviation**2


@dataclass(frozen=True, eq=False)
class TableAnswer:
    """The randomizer of one random coordinate out of p, by a table of laws.

    Row i of ``table`` is the law of the outputs at the level -1 + 2i/(rows - 1).  The coordinate over ``clip`` is
    rounded at random to one of the two levels about it, without bias.  Output j is sent as p ``clip`` ``values[j]``,
    whose mean under each row is the level.  ``reference`` is the law of the output of a dummy update.
    """

    name: str
    table: Array
    values: Array
    reference: Array
    clip: float = CLIP

    def answers(self, gradients: Array, draw: Generator) -> Array:
        """Return the message of each client."""
        count, size = len(gradients), gradients.shape[1]
        chosen: NDArray[np.int64] = draw.integers(size, size=count)
        last = len(self.table) - 1
        heights = clip_gradients(gradients, self.clip)[np.arange(count), chosen] / self.clip
        places = 0.5 * (heights + 1.0) * last
        rows = np.clip(places.astype(np.int64), 0, last - 1)
        rows += draw.random(count) < places - rows
        return self._sent(chosen, size, self.table[rows], draw)

    def dummies(self, count: int, size: int, draw: Generator) -> Array:
        """Return dummy updates, A(0)."""
        chosen: NDArray[np.int64] = draw.integers(size, size=count)
        return self._sent(chosen, size, np.tile(self.reference, (count, 1)), draw)

    def _sent(self, chosen: NDArray[np.int64], size: int, laws: Array, draw: Generator) -> Array:
        vectors = np.zeros((len(chosen), size))
        outputs = np.sum(draw.random(len(chosen))[:, None] >= np.cumsum(laws, axis=1)[:, :-1], axis=1)
        vectors[np.arange(len(chosen)), chosen] = size * self.clip * self.values[outputs]
        return vectors

    def noise_square(self, size: int) -> float:
        """Return an upper bound of E |answer|^2: every coordinate is at the level where its square is largest."""
        return (size * self.clip) ** 2 * float((self.table @ self.values**2).max())


Randomizer = GaussianAnswer | TableAnswer


def randomizer(text: str, eps0: float | None = None, clip: float = CLIP) -> Randomizer:
    """Return the randomizer of gradients with a name.

    Parameters
    ----------
    text
        ``worst`` or ``law:ACE``, the ternary law of the worst-case randomizer of a hidden slot; ``law:BE`` or
        ``law:CF``, its binary laws; ``rr``, randomized response on the sign of a coordinate; ``krr:K``, randomized
        response on one of K levels; ``gaussian:S``, noise of deviation S times the diameter 2 ``clip`` of gradients.
    eps0
        The budget of the randomizer, which all but ``gaussian:S`` need.
    clip
        The length to which gradients are clipped.

    Raises
    ------
    ParameterError
        If there is no randomizer with that name.
    MissingError
        If ``eps0`` is missing.

    """
    kind, _, parameter = str(text).partition(":")
    if kind == "gaussian" and parameter:
        return GaussianAnswer(text, 2.0 * clip * PARAMETERS["sigma"].parse(parameter), clip)
    names = {law.name: law for law in LAWS}
    law = names.get({"worst": "ACE"}.get(text, parameter if kind == "law" else ""))
    levels = 2 if text == "rr" else PARAMETERS["categories"].parse(parameter) if kind == "krr" and parameter else 0
    if law is None and not levels:
        raise ParameterError("randomizer", f"{KINDS} in a simulation", text)
    if eps0 is None:
        raise MissingError("eps0", PARAMETERS["eps0"].domain)
    eps0 = PARAMETERS["eps0"].parse(eps0)
    return _response(text, int(levels), eps0, clip) if law is None else _law(text, law, eps0, clip)


def _response(name: str, levels: int, eps0: float, clip: float) -> TableAnswer:
    """Return K-ary randomized response: x/(x + K - 1) for the true level, x = e^eps0, and 1/(x + K - 1) for others."""
    whole = exp(eps0) + levels - 1
    table = np.full((levels, levels), 1.0 / whole)
    np.fill_diagonal(table, exp(eps0) / whole)
    values = np.linspace(-1.0, 1.0, levels) * (whole / expm1(eps0))
    # Zero is rounded to the middle level, or to either of the two levels in the middle.
    reference = 0.5 * (table[(levels - 1) // 2] + table[levels // 2])
    return TableAnswer(name, table, values, reference, clip)


def _law(name: str, law, eps0: float, clip: float) -> TableAnswer:
    """Return the randomizer of a worst-case law: its rows for -1 and 1 are those of replacement and record."""
    reference = law.probabilities(eps0)
    ratios = np.exp(eps0 * np.array([VERTICES[vertex] for vertex in law.name], dtype=float))
    table = reference * ratios.T[::-1]
    # The values of least length whose means are -1 and 1.
    values = np.linalg.pinv(table) @ np.array([-1.0, 1.0])
    return TableAnswer(name, table, values, reference, clip)
