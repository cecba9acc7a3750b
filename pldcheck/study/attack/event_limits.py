r"""Limits from events, whatever runs: no likelihood is used, so a broken protocol is seen as it is.

For every event E, :math:`\delta(\epsilon) \ge P(E) - e^\epsilon P'(E)`.  E is "the score is above t", the score that of
the optimal test where the protocol is as it should be; t is chosen on one half of the runs and tried on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from typing import NamedTuple

import numpy as np

from ...core.arrays import Array
from .attacked_mechanism import RECORD, REPLACEMENT, Mechanism
from .confidence_limits import proportion_lower, proportion_upper
from .transcript_blocks import key

STREAMS = (2, 3)
# Thresholds that are considered.
THRESHOLDS = 400


class Limits(NamedTuple):
    """How often an event happens, at least on the record and at most on its replacement."""

    record: float
    replacement: float

    def epsilon(self, delta: float) -> float:
        """Return the largest epsilon at which this event alone shows more than delta; 0 if there is none."""
        if self.record - self.replacement <= delta:
            return 0.0
        return log((self.record - delta) / self.replacement) * (1.0 - 1e-12)

    def delta(self, epsilon: float) -> float:
        """Return what it shows of delta."""
        return max(self.record - exp(epsilon) * self.replacement, 0.0)


class Scores(NamedTuple):
    """Runs on the record and on its replacement."""

    record: Array
    replacement: Array

    def limits(self, threshold: float, failure: float) -> Limits:
        """Of "the score is above the threshold"; each of the two fails with probability ``failure``."""
        return Limits(
            proportion_lower(int((self.record > threshold).sum()), self.record.size, failure),
            proportion_upper(int((self.replacement > threshold).sum()), self.replacement.size, failure),
        )

    def best(self, worth: Callable[[Limits], float], failure: float) -> float:
        """Return the threshold whose event shows most."""
        # Few runs are above those that matter: the largest scores are all tried.
        ordered = np.unique(np.concatenate([self.record, self.replacement]))
        places = np.unique(np.geomspace(1, ordered.size, min(THRESHOLDS, ordered.size)).astype(np.int64))
        each = [float(ordered[-place]) for place in places]
        return max([-np.inf, *each], key=lambda threshold: worth(self.limits(threshold, failure)))


def run(mechanism: Mechanism, seed: int, count: int) -> tuple[Scores, Scores]:
    """Return half of the runs to choose with, and half to try on."""
    both = [
        mechanism.scores(party, key(seed, stream), count)
        for party, stream in zip((RECORD, REPLACEMENT), STREAMS, strict=True)
    ]
    half = count // 2
    return Scores(*(scores[:half] for scores in both)), Scores(*(scores[half:] for scores in both))
