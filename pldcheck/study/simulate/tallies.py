"""Counts of runs beside their statements: check-ins, dummy updates, loads, answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import empirical_values
from .algorithms import Algorithm
from .empirical_values import Empirical
from .paper_statements import empty_bound, load_norm_bound, mean_empty_slots, mean_load_square
from .simulation_runs import Run, Runs
from .wire import Opened, Request

# Probability with which the norm of the loads may exceed the bound of Lemma A.6.
LARGE = 0.01


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of many runs, with an entry for each; the names are those of ``Runs``."""

    check_ins: NDArray[np.int64]
    answers: NDArray[np.int64]
    empty: NDArray[np.int64]
    squares: NDArray[np.int64]


@dataclass(frozen=True)
class Count:
    """A measured count beside its statement: the exact ``expected`` value, a ``bound`` on it, or both.

    ``source`` is the id of the statement; it is empty where the protocol itself prescribes the count.
    """

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
        return {
            "name": self.name,
            "measured": self.measured.to_dict(),
            "expected": self.expected,
            "bound": self.bound,
            "source": self.source,
            "agrees": self.agrees,
        }


def tally(runs: Runs | Sequence[Run]) -> Tally:
    """Return the counts of many runs, or of single runs by the messages on their wires."""
    if isinstance(runs, Runs):
        return Tally(runs.check_ins, runs.answers, runs.empty, runs.squares)
    rows = [_run_counts(run) for run in runs]
    return Tally(*np.array(rows, np.int64).T)


def _run_counts(run: Run) -> tuple[int, int, int, int]:
    loads = [message.arrivals for message in run.wire.log if isinstance(message, Opened)]
    answers = sum(isinstance(message, Request) for message in run.wire.log)
    return run.check_ins, answers, loads.count(0), sum(load * load for load in loads)


def counts(algorithm: Algorithm, totals: Tally) -> tuple[Count, ...]:
    """Return every count of an algorithm that is stated, beside the measured one."""
    rows = [_answers(algorithm, totals)]
    if algorithm.placement in ("fixed", "replaced"):
        rows.append(_check_ins(algorithm, totals))
    if algorithm.placement in ("fixed", "sliding"):
        rows.append(_dummies(algorithm, totals))
    if algorithm.placement == "fixed":
        rows.append(_meetings(algorithm, totals))
    if algorithm.placement == "fixed" and algorithm.check_in_prob == 1.0:
        rows.append(_large(algorithm, totals))
    return tuple(rows)


def _answers(algorithm: Algorithm, totals: Tally) -> Count:
    """Return the share of runs in which the server asked as many clients as the protocol prescribes."""
    target = totals.check_ins if algorithm.averages else algorithm.slots - totals.empty
    right = int(np.sum(totals.answers == target))
    clients = "all who checked in" if algorithm.averages else "one client of each slot that has any"
    estimate = empirical_values.share(right, len(target), f"runs in which the server asked {clients}")
    # Every run must be right: the upper end of the interval is 1 only if all are.
    return Count(f"runs that asked {clients}", estimate, 1.0, None, "")


def _check_ins(algorithm: Algorithm, totals: Tally) -> Count:
    single_record = algorithm.placement == "replaced"
    each = 1 if single_record else algorithm.clients
    hits = int(totals.check_ins.sum()) - (algorithm.slots * len(totals.check_ins) if single_record else 0)
    what = "share of clients that check in"
    estimate = empirical_values.share(hits, each * len(totals.check_ins), what)
    return Count(what, estimate, algorithm.check_in_prob, None, "Definition 3.1")


def _dummies(algorithm: Algorithm, totals: Tally) -> Count:
    runs = len(totals.empty)
    rate = empirical_values.occupancy(int(totals.empty.sum()), algorithm.slots * runs, runs, "empty slots over slots")
    what = "empty slots a run" if algorithm.averages else "dummy updates a run"
    source = "prop-4.4" if algorithm.placement == "sliding" else "prop-3.4"
    estimate = empirical_values.multiple(rate, algorithm.slots, what)
    return Count(what, estimate, mean_empty_slots(algorithm), empty_bound(algorithm), source)


def _meetings(algorithm: Algorithm, totals: Tally) -> Count:
    r"""Return the sum of squared loads, which is n + 2C where all check in and C pairs of clients share a slot.

    A pair shares a slot with probability 1/m, any two pairs independently: the variance is 4 C(n, 2) (1/m)(1 - 1/m).
    """
    n, m = algorithm.clients, algorithm.slots
    what = "sum of squared loads"
    if algorithm.check_in_prob == 1.0 and m > 1 and n > 1:
        deviation = sqrt(2.0 * n * (n - 1) / m * (1.0 - 1.0 / m))
        estimate = empirical_values.known_deviation(totals.squares, deviation, what, empirical_values.PROVEN)
    else:
        estimate = empirical_values.mean(totals.squares, what, empirical_values.PROVEN)
    return Count(what, estimate, mean_load_square(algorithm), None, "lem-A.6, proof")


def _large(algorithm: Algorithm, totals: Tally) -> Count:
    limit = load_norm_bound(algorithm.clients, algorithm.slots, LARGE)
    hits = int(np.sum(np.sqrt(totals.squares) > limit))
    what = f"runs with a load norm above {limit:.6g}"
    return Count(what, empirical_values.share(hits, len(totals.squares), what), None, LARGE, "lem-A.6")
