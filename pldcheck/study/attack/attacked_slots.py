"""Hidden slots that can be attacked: one law in every slot, or a policy that chooses by what it has seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from ...core.arrays import Array
from ...hidden_slot.worst.step_laws import Steps
from ...hidden_slot.worst.threshold_policies import Policy
from ...kernels import slot_transcripts as kernels
from . import transcript_blocks
from .attacked_mechanism import Drawn, Law, Tilt
from .proposal_tilt import tilt, tilted

# Outputs up to which they are counted.
FEW = 4
SLOT_BY_SLOT = "every slot drawn"
BY_COUNTS = "drawn by the counts of outputs, which tell as much"
ALL = "all models, by their likelihood ratio"


@dataclass(frozen=True, eq=False)
class OneLaw:
    """``law`` in every one of ``slots``, the record in one of them and used there with probability ``weight``."""

    name: str
    slots: int
    weight: float
    law: Law
    seen: str = ALL

    @property
    def laws(self) -> tuple[Law, ...]:
        """The one."""
        return (self.law,)

    def drawing(self, count: int) -> str:
        """Return how that many are drawn."""
        return SLOT_BY_SLOT if self.slots * count <= transcript_blocks.MOST_DRAWS else BY_COUNTS

    def scores(self, party: int, key: int, count: int) -> Array:
        """Return the logs of the likelihood ratios."""
        return self.plain(party, key, count).scores()

    def plain(self, party: int, key: int, count: int) -> Drawn:
        """Return transcripts as they are."""
        return self._drawn(self._sums(self.law.reference, self.law.rows[party], self.weight, key, count), np.zeros(1))

    def alone(self, key: int, count: int) -> Drawn:
        """Return transcripts without the record."""
        return self._drawn(self._sums(self.law.reference, self.law.reference, 0.0, key, count), np.zeros(1))

    def proposal(self, epsilon: float) -> Tilt:
        """That with the least bound."""
        return tilt(self, epsilon)

    def tilted(self, proposed: Tilt, key: int, count: int) -> Drawn:
        """Return transcripts from the proposal; the record is in none of them."""
        masses, cumulant = tilted(self.law, proposed.epsilon, proposed.theta)
        sums = self._sums(masses, masses, 0.0, key, count)
        s = sums[:, 0] - np.exp(proposed.epsilon) * sums[:, 1]
        return self._drawn(sums, self.slots * cumulant - proposed.theta * s)

    def _drawn(self, sums: Array, log_weight: Array) -> Drawn:
        share = self.weight / self.slots
        return Drawn(share * sums[:, 0], share * sums[:, 1], log_weight)

    def _sums(self, masses: Array, hidden: Array, weight: float, key: int, count: int) -> Array:
        """Return sums of a - 1 and of a' - 1 over the slots."""
        found, gains = np.empty((count, 2)), self.law.gains
        if self.drawing(count) == BY_COUNTS:
            return self._counted(masses, hidden, weight, key, found)
        if masses.size <= FEW:
            few = transcript_blocks.limits(masses, FEW - 1), transcript_blocks.limits(hidden, FEW - 1)
            padded = np.concatenate([gains, np.repeat(gains[-1:], FEW - len(gains), axis=0)])

            def fill(first: int, last: int) -> None:
                used, start = np.uint64(transcript_blocks.limit(weight)), np.uint64(key)
                kernels.few_sums(start, first, self.slots, *few, used, padded, found[first:last])
        else:
            bits = ceil(log2(masses.size))
            own, other = transcript_blocks.aliases(masses, bits)
            cumulative = transcript_blocks.limits(hidden, masses.size - 1)

            def fill(first: int, last: int) -> None:
                used, start = np.uint64(transcript_blocks.limit(weight)), np.uint64(key)
                kernels.many_sums(
                    start, first, self.slots, bits, own, other, cumulative, used, gains, found[first:last]
                )

        transcript_blocks.over(count, fill)
        return found

    def _counted(self, masses: Array, hidden: Array, weight: float, key: int, found: Array) -> Array:
        """Return the same law from counts: those of all slots, or of all but one and that one's output."""
        gains, count = self.law.gains, len(found)
        if weight == 0.0:
            transcript_blocks.multinomials(masses, self.slots, gains, key, found)
            return found
        transcript_blocks.multinomials(masses, self.slots - 1, gains, key, found)
        # The slot's law with the record hidden there.
        return found + gains[transcript_blocks.hidden_outputs((1.0 - weight) * masses + weight * hidden, key, count)]


@dataclass(frozen=True, eq=False)
class Adaptive:
    """The laws BE, CF and ACE, each slot's chosen by the place that the outputs so far have led to.

    The policy of :mod:`pldcheck.hidden_slot.worst.worst_witness` at the epsilon it was made for.  Where the witness
    merges places that are near to each other, this one does not: another randomizer, which may be a little better or
    worse.
    """

    name: str
    slots: int
    weight: float
    eps0: float
    epsilon: float
    policy: Policy
    laws: tuple[Law, Law, Law]
    seen: str = ALL

    def drawing(self, count: int) -> str:
        """Always the same."""
        return SLOT_BY_SLOT

    def scores(self, party: int, key: int, count: int) -> Array:
        """Return the logs of the likelihood ratios."""
        return self.plain(party, key, count).scores()

    def plain(self, party: int, key: int, count: int) -> Drawn:
        """Return transcripts as they are."""
        masses = [law.reference for law in self.laws]
        return self._drawn(masses, [law.rows[party] for law in self.laws], self.weight, key, count)[0]

    def proposal(self, epsilon: float) -> Tilt:
        """That with the least bound."""
        return tilt(self, epsilon)

    def tilted(self, proposed: Tilt, key: int, count: int) -> Drawn:
        """Return transcripts from the proposal: each law tilted alike."""
        found = [tilted(law, proposed.epsilon, proposed.theta) for law in self.laws]
        masses = [row for row, _ in found]
        drawn, uses, sums = self._drawn(masses, masses, 0.0, key, count)
        s = sums[:, 0] - np.exp(proposed.epsilon) * sums[:, 1]
        cumulants = uses @ np.array([cumulant for _, cumulant in found])
        return drawn._replace(log_weight=cumulants - proposed.theta * s)

    def _drawn(
        self, masses: list[Array], hidden: list[Array], weight: float, key: int, count: int
    ) -> tuple[Drawn, Array, Array]:
        counts, uses = np.empty((count, 5), np.int64), np.empty((count, 3), np.int64)
        rows, own = (np.array([transcript_blocks.limits(row, 2) for row in each]) for each in (masses, hidden))
        policy, moves = self.policy, Steps(self.eps0, self.epsilon).values
        start = -float(np.expm1(self.epsilon)) * self.slots / self.weight

        def fill(first: int, last: int) -> None:
            used, begin = np.uint64(transcript_blocks.limit(weight)), np.uint64(key)
            block = counts[first:last], uses[first:last]
            kernels.policy_counts(begin, first, self.slots, start, moves, rows, own, used, policy, *block)

        transcript_blocks.over(count, fill)
        above, below = np.expm1(self.eps0), np.expm1(-self.eps0)
        gains = np.array([[below, below], [0.0, below], [above, 0.0], [0.0, above], [below, 0.0]])
        sums = counts @ gains
        share = self.weight / self.slots
        return Drawn(share * sums[:, 0], share * sums[:, 1], np.zeros(1)), uses.astype(np.float64), sums
