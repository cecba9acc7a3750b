"""Counts of runs beside their statements: check-ins, dummy updates, loads."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from . import empirical_values, stated_values
from .algorithms import Algorithm
from .empirical_values import PROVEN, Empirical
from .simulation_runs import Runs

# Probability with which the norm of the loads may exceed the bound of Lemma A.6.
LARGE = 0.01


@dataclass(frozen=True)
class Count:
    """A measured count beside its statement: the exact ``expected`` value, a ``bound`` on it, or both."""

    name: str
    measured: Empirical
    expected: float | None
    bound: float | None
    source: str

    @property
    def agrees(self) -> bool:
        """Whether the measured interval is consistent with the statement."""
        exact = self.expected is None or self.expected in self.measured
        return exact and (self.bound is None or self.measured.lower <= self.bound)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings, ready for JSON."""
        return {**vars(self), "measured": self.measured.to_dict(), "agrees": self.agrees}

    def __str__(self) -> str:
        statements = [f"{self.expected:.6g} exactly"] if self.expected is not None else []
        statements += [f"at most {self.bound:.6g}"] if self.bound is not None else []
        verdict = "" if self.agrees else "  DISAGREES"
        return f"{self.name}: {self.measured}; stated {', '.join(statements)} ({self.source}){verdict}"


def counts(runs: Runs) -> tuple[Count, ...]:
    """Return every count of an algorithm that is stated, beside the measured one."""
    algorithm = runs.algorithm
    rows = [_check_ins(runs)] if algorithm.placement in ("fixed", "replaced") else []
    if algorithm.placement in ("fixed", "sliding"):
        rows.append(_empty_slots(runs))
    if algorithm.placement == "fixed":
        rows.append(_meetings(runs))
    if algorithm.placement == "fixed" and algorithm.check_in_prob == 1.0:
        limit = stated_values.load_norm_bound(algorithm.clients, algorithm.slots, LARGE)
        what = f"runs with a load norm above {limit:.6g}"
        share = empirical_values.share(int(np.sum(np.sqrt(runs.squares) > limit)), len(runs), what)
        rows.append(Count(what, share, None, LARGE, "lem-A.6"))
    return tuple(rows)


def _check_ins(runs: Runs) -> Count:
    each = 1 if runs.algorithm.placement == "replaced" else runs.algorithm.clients
    what = "share of clients that check in"
    share = empirical_values.share(int(runs.check_ins.sum()), each * len(runs), what)
    return Count(what, share, runs.algorithm.check_in_prob, None, "Definition 3.1")


def _empty_slots(runs: Runs) -> Count:
    algorithm: Algorithm = runs.algorithm
    what = "empty slots a run" if algorithm.averages else "dummy updates a run"
    source = "prop-4.4" if algorithm.placement == "sliding" else "prop-3.4"
    mean = empirical_values.occupancy(runs.empty, algorithm.slots, what)
    stated = algorithm.slots * stated_values.empty_probability(algorithm)
    return Count(what, mean, stated, stated_values.empty_bound(algorithm), source)


def _meetings(runs: Runs) -> Count:
    r"""Return the sum of squared loads, which is n + 2C where all check in and C pairs of clients share a slot.

    A pair shares a slot with probability 1/m, any two pairs independently: the variance is 4 C(n, 2) (1/m)(1 - 1/m).
    """
    n, m = runs.algorithm.clients, runs.algorithm.slots
    known = runs.algorithm.check_in_prob == 1.0 and m > 1 and n > 1
    deviation = sqrt(2.0 * n * (n - 1) / m * (1.0 - 1.0 / m)) if known else None
    mean = empirical_values.mean(runs.squares, "sum of squared loads", PROVEN, deviation)
    return Count(mean.quantity, mean, stated_values.mean_load_square(runs.algorithm), None, "lem-A.6, proof")
