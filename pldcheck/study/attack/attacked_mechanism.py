r"""Targets of attacks: a record in one of many slots, behind a randomizer that is known.

With Q0 the law in which the record is nowhere, s_i the slots' outputs, and a, a' their likelihood ratios under the
record and its replacement against the slot's own record,

.. math:: dP/dQ_0 = 1 + \frac wm \sum_i (a_i - 1), \qquad dP'/dQ_0 = 1 + \frac wm \sum_i (a'_i - 1),

so that the two sums are all that the optimal test needs, even if the randomizer depends on earlier outputs.  They are
also 1/(m q) of the posteriors of :mod:`pldcheck.study.trajectories` after the last output.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp
from typing import NamedTuple, Protocol

import numpy as np

from ...core.arrays import Array

# The index of the record among the two parties.
RECORD = 0
# The index of its replacement.
REPLACEMENT = 1


class Mechanism(Protocol):
    """A mechanism that can be run on the record and on its replacement, with an observation of each run."""

    @property
    def name(self) -> str:
        """The randomizer, in words."""

    @property
    def observation(self) -> str:
        """The observed part of a run, in words."""

    def scores(self, party: int, key: int, count: int) -> Array:
        """Return a score of each of ``count`` runs on one party: larger where the record is likelier."""


@dataclass(frozen=True, eq=False)
class Law:
    """A randomizer on the slot's own record, ``reference[v]``, and on the other two, ``rows[party, v]``, by output.

    ``gains[v]`` is (a - 1, a' - 1).
    """

    reference: Array
    rows: Array
    gains: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gains", np.ascontiguousarray((self.rows / self.reference - 1.0).T))

    def steps(self, epsilon: float) -> Array:
        """Return s = (a - 1) - e^epsilon (a' - 1) for each output."""
        return np.asarray(self.gains[:, RECORD] - exp(epsilon) * self.gains[:, REPLACEMENT], dtype=np.float64)


class Transcripts(NamedTuple):
    """Transcripts: their likelihood ratios to Q0, minus 1, and the log of Q0 over the law from which they are drawn."""

    record: Array
    replacement: Array
    log_weight: Array

    def gain(self, epsilon: float) -> Array:
        """Return dP/dQ0 - e^epsilon dP'/dQ0."""
        return np.asarray(
            self.record - self.replacement - np.expm1(epsilon) * (1.0 + self.replacement), dtype=np.float64
        )

    def scores(self) -> Array:
        """Return the log of the likelihood ratio of the record against its replacement."""
        with np.errstate(divide="ignore"):  # with one slot a ratio may be 0
            return np.asarray(np.log1p(self.record) - np.log1p(self.replacement), dtype=np.float64)


class Tilt(NamedTuple):
    r"""A proposal law for rare transcripts: each output :math:`e^{\theta s}` times as likely as under Q0.

    The value of a transcript, :math:`(dP - e^\epsilon dP')_+` over the proposal, is at most e^log_bound at every
    epsilon from this one on, since the value falls with epsilon.
    """

    epsilon: float
    theta: float
    log_bound: float


class Target(Mechanism, Protocol):
    """A mechanism whose transcripts have known likelihoods, so that they can be drawn from tilted laws as well."""

    @property
    def slots(self) -> int:
        """The number of slots."""

    @property
    def weight(self) -> float:
        """The probability that the record is used in its slot."""

    @property
    def laws(self) -> tuple[Law, ...]:
        """The laws that a slot may use."""

    def drawing(self, count: int) -> str:
        """Return the way in which ``count`` transcripts are drawn, in words."""

    def proposal(self, epsilon: float) -> Tilt:
        """Return the proposal law for an epsilon and all larger ones."""

    def draw_tilted(self, proposed: Tilt, key: int, count: int) -> Transcripts:
        """Return transcripts from the proposal."""
