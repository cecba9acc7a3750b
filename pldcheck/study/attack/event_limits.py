r"""Limits from counts of events, which hold for any mechanism.

For every event E, :math:`\delta(\epsilon) \ge P(E) - e^\epsilon P'(E)`.  E is "the score is above t", with the
score of the optimal test; t is chosen on one half of the runs and evaluated on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from typing import NamedTuple

import numpy as np

from ...core.arrays import Array
from .confidence_limits import proportion_lower, proportion_upper
from .hidden_records import RECORD, REPLACEMENT, Target
from .weighted_limits import key

# The streams of random numbers for runs on the record and on its replacement.
STREAMS = (2, 3)
# Number of thresholds from which the best is chosen.
THRESHOLDS = 400
# Number of different scores up to which each is a threshold: an output of three values has few events, all of them.
FEW = 16


class Limits(NamedTuple):
    """A lower bound of the probability of an event on the record, and an upper bound on its replacement."""

    record: float
    replacement: float

    def epsilon(self, delta: float) -> float:
        """Return the lower bound of epsilon(delta) that the event shows; 0 if it shows none."""
        if self.record - self.replacement <= delta:
            return 0.0
        return log((self.record - delta) / self.replacement) * (1.0 - 1e-12)

    def delta(self, epsilon: float) -> float:
        """Return the lower bound of delta(epsilon) that the event shows."""
        return max(self.record - exp(epsilon) * self.replacement, 0.0)


class Scores(NamedTuple):
    """The scores of runs on the record and on its replacement."""

    record: Array
    replacement: Array

    def limits(self, threshold: float, failure: float) -> Limits:
        """Return limits for the event of a score above the threshold; each fails with probability ``failure``."""
        return self._limits(int((self.record > threshold).sum()), int((self.replacement > threshold).sum()), failure)

    def best(self, worth: Callable[[Limits], float], failure: float) -> float:
        """Return the threshold whose event is worth most."""
        return max(self.candidates(failure), key=lambda candidate: worth(candidate[1]))[0]

    def candidates(self, failure: float) -> list[tuple[float, Limits]]:
        """Return the thresholds from which the best is chosen, with the limits of their events."""
        # Few runs are above the thresholds that matter, so that all of the largest scores are candidates.
        levels = np.unique(np.concatenate([self.record, self.replacement]))
        places = np.unique(np.geomspace(1, levels.size, min(THRESHOLDS, levels.size)).astype(np.int64))
        if levels.size <= FEW:
            places = np.arange(1, levels.size + 1)
        each = np.append(-np.inf, levels[-places])
        record, replacement = (
            scores.size - np.searchsorted(np.sort(scores), each, side="right")
            for scores in (self.record, self.replacement)
        )
        return [
            (threshold, self._limits(one, other, failure))
            for threshold, one, other in zip(each.tolist(), record.tolist(), replacement.tolist(), strict=True)
        ]

    def _limits(self, record: int, replacement: int, failure: float) -> Limits:
        """Return limits for an event that so many runs of either kind are in."""
        return Limits(
            proportion_lower(record, self.record.size, failure),
            proportion_upper(replacement, self.replacement.size, failure),
        )


def run(target: Target, seed: int, count: int) -> tuple[Scores, Scores]:
    """Return one half of the runs for the choice of a threshold, and the other half for its evaluation."""
    both = [
        target.plain(party, key(seed, stream), count).scores()
        for party, stream in zip((RECORD, REPLACEMENT), STREAMS, strict=True)
    ]
    half = count // 2
    return Scores(*(scores[:half] for scores in both)), Scores(*(scores[half:] for scores in both))
