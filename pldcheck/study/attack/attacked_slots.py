"""Hidden slots as targets: one law in every slot, or a policy that chooses the law by earlier outputs."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from ...core.arrays import Array
from ...hidden_slot.worst.step_laws import Steps
from ...hidden_slot.worst.threshold_policies import Policy
from ...kernels import slot_transcripts as kernels
from . import transcript_blocks
from .attacked_mechanism import Law, Tilt, Transcripts
from .proposal_tilt import tilt, tilted_law

# Most outputs of a law for which the kernel counts outputs instead of drawing through a table.
FEW = 4
# The words for transcripts that are drawn slot by slot.
SLOT_BY_SLOT = "every slot drawn"
# The words for transcripts whose counts of outputs are drawn.
BY_COUNTS = "drawn by the counts of outputs, which carry the same information"
# The words for the observation of all models.
ALL = "all models, by their likelihood ratio"


@dataclass(frozen=True, eq=False)
class OneLaw:
    """One ``law`` in every slot; the record is in one of them and used there with probability ``weight``."""

    name: str
    slots: int
    weight: float
    law: Law
    observation: str = ALL

    @property
    def laws(self) -> tuple[Law, ...]:
        """The law of all slots."""
        return (self.law,)

    def drawing(self, count: int) -> str:
        """Return the way in which ``count`` transcripts are drawn."""
        return SLOT_BY_SLOT if self.slots * count <= transcript_blocks.MOST_DRAWS else BY_COUNTS

    def scores(self, party: int, key: int, count: int) -> Array:
        """Return the logs of the likelihood ratios."""
        return self.plain(party, key, count).scores()

    def plain(self, party: int, key: int, count: int) -> Transcripts:
        """Return transcripts of the mechanism on one party."""
        return self._transcripts(
            self._sums(self.law.reference, self.law.rows[party], self.weight, key, count), np.zeros(1)
        )

    def alone(self, key: int, count: int) -> Transcripts:
        """Return transcripts without the record."""
        return self._transcripts(self._sums(self.law.reference, self.law.reference, 0.0, key, count), np.zeros(1))

    def proposal(self, epsilon: float) -> Tilt:
        """Return the proposal with the least bound."""
        return tilt(self, epsilon)

    def draw_tilted(self, proposal_law: Tilt, key: int, count: int) -> Transcripts:
        """Return transcripts from the proposal; the record is in none of them."""
        masses, cumulant = tilted_law(self.law, proposal_law.epsilon, proposal_law.theta)
        sums = self._sums(masses, masses, 0.0, key, count)
        s = sums[:, 0] - np.exp(proposal_law.epsilon) * sums[:, 1]
        return self._transcripts(sums, self.slots * cumulant - proposal_law.theta * s)

    def _transcripts(self, sums: Array, log_weight: Array) -> Transcripts:
        share = self.weight / self.slots
        return Transcripts(share * sums[:, 0], share * sums[:, 1], log_weight)

    def _sums(self, masses: Array, record_masses: Array, weight: float, key: int, count: int) -> Array:
        """Return sums of a - 1 and of a' - 1 over the slots."""
        sums, gains = np.empty((count, 2)), self.law.gains
        if self.drawing(count) == BY_COUNTS:
            return self._sums_by_counts(masses, record_masses, weight, key, sums)
        if masses.size <= FEW:
            few = transcript_blocks.limits(masses, FEW - 1), transcript_blocks.limits(record_masses, FEW - 1)
            padded_gains = np.concatenate([gains, np.repeat(gains[-1:], FEW - len(gains), axis=0)])

            def fill(first: int, last: int) -> None:
                threshold, start = np.uint64(transcript_blocks.limit(weight)), np.uint64(key)
                kernels.few_sums(start, first, self.slots, *few, threshold, padded_gains, sums[first:last])
        else:
            bits = ceil(log2(masses.size))
            own, other = transcript_blocks.aliases(masses, bits)
            cumulative = transcript_blocks.limits(record_masses, masses.size - 1)

            def fill(first: int, last: int) -> None:
                threshold, start = np.uint64(transcript_blocks.limit(weight)), np.uint64(key)
                kernels.many_sums(
                    start, first, self.slots, bits, own, other, cumulative, threshold, gains, sums[first:last]
                )

        transcript_blocks.over(count, fill)
        return sums

    def _sums_by_counts(self, masses: Array, record_masses: Array, weight: float, key: int, sums: Array) -> Array:
        """Return the sums from counts of outputs: those of all slots, or of all but one and the output of that one."""
        gains, count = self.law.gains, len(sums)
        if weight == 0.0:
            transcript_blocks.multinomials(masses, self.slots, gains, key, sums)
            return sums
        transcript_blocks.multinomials(masses, self.slots - 1, gains, key, sums)
        # The output of the slot that holds the record.
        return (
            sums + gains[transcript_blocks.hidden_outputs((1.0 - weight) * masses + weight * record_masses, key, count)]
        )


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
    observation: str = ALL

    def drawing(self, count: int) -> str:
        """Return the way in which transcripts are drawn, which is always slot by slot."""
        return SLOT_BY_SLOT

    def scores(self, party: int, key: int, count: int) -> Array:
        """Return the logs of the likelihood ratios."""
        return self.plain(party, key, count).scores()

    def plain(self, party: int, key: int, count: int) -> Transcripts:
        """Return transcripts of the mechanism on one party."""
        masses = [law.reference for law in self.laws]
        return self._transcripts(masses, [law.rows[party] for law in self.laws], self.weight, key, count)[0]

    def proposal(self, epsilon: float) -> Tilt:
        """Return the proposal with the least bound."""
        return tilt(self, epsilon)

    def draw_tilted(self, proposal_law: Tilt, key: int, count: int) -> Transcripts:
        """Return transcripts from the proposal, in which all laws have the same tilt."""
        tilts = [tilted_law(law, proposal_law.epsilon, proposal_law.theta) for law in self.laws]
        masses = [row for row, _ in tilts]
        transcripts, uses, sums = self._transcripts(masses, masses, 0.0, key, count)
        s = sums[:, 0] - np.exp(proposal_law.epsilon) * sums[:, 1]
        cumulants = uses @ np.array([cumulant for _, cumulant in tilts])
        return transcripts._replace(log_weight=cumulants - proposal_law.theta * s)

    def _transcripts(
        self, masses: list[Array], record_masses: list[Array], weight: float, key: int, count: int
    ) -> tuple[Transcripts, Array, Array]:
        counts, uses = np.empty((count, 5), np.int64), np.empty((count, 3), np.int64)
        rows, own = (np.array([transcript_blocks.limits(row, 2) for row in each]) for each in (masses, record_masses))
        policy, moves = self.policy, Steps(self.eps0, self.epsilon).values
        start = -float(np.expm1(self.epsilon)) * self.slots / self.weight

        def fill(first: int, last: int) -> None:
            threshold, begin = np.uint64(transcript_blocks.limit(weight)), np.uint64(key)
            block = counts[first:last], uses[first:last]
            kernels.policy_counts(begin, first, self.slots, start, moves, rows, own, threshold, policy, *block)

        transcript_blocks.over(count, fill)
        above, below = np.expm1(self.eps0), np.expm1(-self.eps0)
        gains = np.array([[below, below], [0.0, below], [above, 0.0], [0.0, above], [below, 0.0]])
        sums = counts @ gains
        share = self.weight / self.slots
        return Transcripts(share * sums[:, 0], share * sums[:, 1], np.zeros(1)), uses.astype(np.float64), sums
