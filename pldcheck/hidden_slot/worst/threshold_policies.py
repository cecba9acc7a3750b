"""Adaptive policies by thresholds: the law of a step depends on the time and the state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import Array
from .step_laws import LAWS


class Policy(NamedTuple):
    """A policy by thresholds: with n steps to go its slice is the first k with ``times[k] >= n``.

    Within slice k, ``laws[i]`` applies from ``thresholds[i]`` upwards, i in [starts[k], starts[k+1]); the first
    threshold of a slice is -inf.  Places are in units of s (multiply by weight/steps for S itself).
    """

    times: np.ndarray
    starts: np.ndarray
    thresholds: Array
    laws: np.ndarray

    @classmethod
    def from_choices(cls, times: np.ndarray, choices: list[tuple[Array, np.ndarray]]) -> Policy:
        """Return the policy that chooses these laws at increasing places, for each time.

        Thresholds fall half-way between places.
        """
        starts, thresholds, laws = [0], [], []
        for places, indices in choices:
            changes = np.flatnonzero(np.diff(indices))
            thresholds += [-np.inf, *(0.5 * (places[changes] + places[changes + 1]))]
            laws += [indices[0], *indices[changes + 1]]
            starts.append(len(laws))
        return cls(
            np.asarray(times, np.int64),
            np.array(starts, np.int64),
            np.array(thresholds, float),
            np.array(laws, np.int64),
        )

    def to_dict(self) -> list[dict]:
        """Return a list of slices, each {"to_go", "thresholds", "laws"}; the first law needs no threshold."""
        slices = []
        for k, time in enumerate(self.times):
            where = slice(self.starts[k], self.starts[k + 1])
            slices.append(
                {
                    "to_go": int(time),
                    "thresholds": [float(u) for u in self.thresholds[where][1:]],
                    "laws": [LAWS[i].name for i in self.laws[where]],
                }
            )
        return slices
