r"""Targets of attacks: a record in one of many slots, behind a randomizer that is known.

With Q0 the law in which the record is nowhere, s_i the slots' outputs, and a, a' their likelihood ratios under the
record and its replacement against the slot's own record,

.. math:: dP/dQ_0 = 1 + \frac wm \sum_i (a_i - 1), \qquad dP'/dQ_0 = 1 + \frac wm \sum_i (a'_i - 1),

so that the two sums are all that the optimal test needs, even if the randomizer depends on earlier outputs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, expm1
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.threads import pool
from ...hidden_slot.worst.step_laws import Steps
from ...hidden_slot.worst.threshold_policies import Policy
from ...kernels import slot_transcripts as kernels

# The index of the record among the two parties.
RECORD = 0
# The index of its replacement.
REPLACEMENT = 1
# Transcripts that one call draws: their counts of outputs are held in memory, and threads share such blocks.
BLOCK = 2**12
# The number of values of a random word.
WHOLE = 2**64


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
        return np.asarray(self.gains @ [1.0, -exp(epsilon)], dtype=np.float64)

    def tilted(self, epsilon: float, theta: float) -> tuple[Array, float]:
        r"""Return the law :math:`e^{\theta s}` times as likely, and its cumulant K(theta)."""
        exponents = theta * self.steps(epsilon)
        top = float(exponents.max())
        weights = self.reference * np.exp(exponents - top)
        total = float(weights.sum())
        return weights / total, top + float(np.log(total))


class Transcripts(NamedTuple):
    """Transcripts: their likelihood ratios to Q0, minus 1, and the log of Q0 over the law from which they are drawn."""

    record: Array
    replacement: Array
    log_weight: Array

    def gain(self, epsilon: float) -> Array:
        """Return dP/dQ0 - e^epsilon dP'/dQ0."""
        return np.asarray(self.record - self.replacement - expm1(epsilon) * (1.0 + self.replacement), dtype=np.float64)

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


@dataclass(frozen=True, eq=False)
class OneLaw:
    """One ``law`` in every slot; the record is in one of them and used there with probability ``weight``.

    Counts of outputs are drawn, which carry the same information as the outputs in their order.
    """

    name: str
    slots: int
    weight: float
    law: Law

    @property
    def laws(self) -> tuple[Law, ...]:
        """The laws that a slot may use."""
        return (self.law,)

    def plain(self, party: int, key: int, count: int) -> Transcripts:
        """Return transcripts of the mechanism on one party: the other slots, then the one that holds the record."""
        draw, law = np.random.default_rng(key), self.law
        sums = self._sums(law.reference, self.slots - 1, count, draw)
        hidden = (1.0 - self.weight) * law.reference + self.weight * law.rows[party]
        sums += law.gains[draw.choice(hidden.size, size=count, p=hidden / hidden.sum())]
        return self._transcripts(sums, np.zeros(1))

    def draw_tilted(self, proposal: Tilt, key: int, count: int) -> Transcripts:
        """Return transcripts from the proposal; the record is in none of them."""
        masses, cumulant = self.law.tilted(proposal.epsilon, proposal.theta)
        sums = self._sums(masses, self.slots, count, np.random.default_rng(key))
        s = sums @ [1.0, -exp(proposal.epsilon)]
        return self._transcripts(sums, self.slots * cumulant - proposal.theta * s)

    def _sums(self, masses: Array, slots: int, count: int, draw: np.random.Generator) -> Array:
        """Return sums of a - 1 and of a' - 1 over so many slots."""
        sizes = np.diff([*range(0, count, BLOCK), count])
        chances = masses / masses.sum()
        return np.concatenate([draw.multinomial(slots, chances, size=size) @ self.law.gains for size in sizes])

    def _transcripts(self, sums: Array, log_weight: Array) -> Transcripts:
        share = self.weight / self.slots
        return Transcripts(share * sums[:, 0], share * sums[:, 1], log_weight)


@dataclass(frozen=True, eq=False)
class Adaptive:
    """The laws BE, CF and ACE, chosen for each slot by the sum of the outputs so far.

    The policy is that of :mod:`pldcheck.hidden_slot.worst.worst_witness` at its epsilon.  The witness merges sums that
    are near to each other and this target does not, so that the two randomizers differ a little.
    """

    name: str
    slots: int
    weight: float
    eps0: float
    epsilon: float
    policy: Policy
    laws: tuple[Law, Law, Law]

    def plain(self, party: int, key: int, count: int) -> Transcripts:
        """Return transcripts of the mechanism on one party."""
        masses = [law.reference for law in self.laws]
        return self._transcripts(masses, [law.rows[party] for law in self.laws], self.weight, key, count)[0]

    def draw_tilted(self, proposal: Tilt, key: int, count: int) -> Transcripts:
        """Return transcripts from the proposal, in which all laws have the same tilt."""
        tilts = [law.tilted(proposal.epsilon, proposal.theta) for law in self.laws]
        masses = [row for row, _ in tilts]
        transcripts, uses, sums = self._transcripts(masses, masses, 0.0, key, count)
        s = sums @ [1.0, -exp(proposal.epsilon)]
        cumulants = uses @ np.array([cumulant for _, cumulant in tilts])
        return transcripts._replace(log_weight=cumulants - proposal.theta * s)

    def _transcripts(
        self, masses: list[Array], record_masses: list[Array], weight: float, key: int, count: int
    ) -> tuple[Transcripts, Array, Array]:
        """Return transcripts, how often each law is used in them, and their sums; the same on any number of threads."""
        counts, uses = np.empty((count, 5), np.int64), np.empty((count, 3), np.int64)
        rows, own = (np.array([limits(row) for row in each]) for each in (masses, record_masses))
        start = -expm1(self.epsilon) * self.slots / self.weight
        law = start, Steps(self.eps0, self.epsilon).values, rows, own, np.uint64(_limit(weight)), self.policy

        def fill(first: int) -> None:
            block = slice(first, first + BLOCK)
            kernels.policy_counts(np.uint64(key), first, self.slots, *law, counts[block], uses[block])

        with pool() as threads:
            for future in [threads.submit(fill, first) for first in range(0, count, BLOCK)]:
                future.result()
        above, below = expm1(self.eps0), expm1(-self.eps0)
        sums = counts @ np.array([[below, below], [0.0, below], [above, 0.0], [0.0, above], [below, 0.0]])
        share = self.weight / self.slots
        return Transcripts(share * sums[:, 0], share * sums[:, 1], np.zeros(1)), uses.astype(np.float64), sums


Target = OneLaw | Adaptive


def limits(masses: Array) -> NDArray[np.uint64]:
    """Return the two cumulative masses of up to three outputs as thresholds for words of 64 bits."""
    thresholds = [_limit(float(total)) for total in np.cumsum(masses)[:-1]]
    return np.array([*thresholds, WHOLE - 1][:2], dtype=np.uint64)


def _limit(probability: float) -> int:
    return min(int(probability * WHOLE), WHOLE - 1)
