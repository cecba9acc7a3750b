"""Counts of runs beside what is stated of them: check-ins, dummy updates, loads, answers."""

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
from .paper_statements import empty_bound, empty_expected, load_norm_bound, load_square_expected
from .simulation_runs import Run, Runs
from .wire import Opened, Request

# Probability that Lemma A.6 leaves to larger loads.
LARGE = 0.01


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of ``runs`` runs, an entry each; names as in :class:`pldcheck.study.simulate.simulation_runs.Runs`."""

    came: NDArray[np.int64]
    used: NDArray[np.int64]
    empty: NDArray[np.int64]
    squares: NDArray[np.int64]


@dataclass(frozen=True)
class Count:
    """What was measured, and what is stated: the exact ``expected`` value, a ``bound`` on it, or both.

    ``source``: of the statement, empty where it is the protocol itself.
    """

    name: str
    measured: Empirical
    expected: float | None
    bound: float | None
    source: str

    @property
    def agrees(self) -> bool:
        """Whether the measured interval allows what is stated."""
        exact = self.expected is None or self.expected in self.measured
        return exact and (self.bound is None or self.measured.lower <= self.bound)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "name": self.name,
            "measured": self.measured.to_dict(),
            "expected": self.expected,
            "bound": self.bound,
            "source": self.source,
            "agrees": self.agrees,
        }


def tally(runs: Runs | Sequence[Run]) -> Tally:
    """Of many runs, or of single ones by the messages on their wires."""
    if isinstance(runs, Runs):
        return Tally(runs.came, runs.used, runs.empty, runs.squares)
    rows = [_tallied(run) for run in runs]
    return Tally(*np.array(rows, np.int64).T)


def _tallied(run: Run) -> tuple[int, int, int, int]:
    loads = [message.arrivals for message in run.wire.log if isinstance(message, Opened)]
    asked = sum(isinstance(message, Request) for message in run.wire.log)
    return run.came, asked, loads.count(0), sum(load * load for load in loads)


def counts(algorithm: Algorithm, found: Tally) -> tuple[Count, ...]:
    """Return everything that is stated of the counts of an algorithm, beside what was measured."""
    rows = [_answers(algorithm, found)]
    if algorithm.placement in ("fixed", "replaced"):
        rows.append(_check_ins(algorithm, found))
    if algorithm.placement in ("fixed", "sliding"):
        rows.append(_dummies(algorithm, found))
    if algorithm.placement == "fixed":
        rows.append(_meetings(algorithm, found))
    if algorithm.placement == "fixed" and algorithm.check_in_prob == 1.0:
        rows.append(_large(algorithm, found))
    return tuple(rows)


def _answers(algorithm: Algorithm, found: Tally) -> Count:
    """Return a server that asks more often than it may, or less, gives itself away in each run."""
    allowed = found.came if algorithm.averages else algorithm.slots - found.empty
    right = int(np.sum(found.used == allowed))
    asked = "all who checked in" if algorithm.averages else "one client of each slot that has any"
    measured = empirical_values.share(right, len(allowed), f"runs in which the server asked {asked}")
    # Each run must be right; the interval's upper end is 1 only if all are.
    return Count(f"runs that asked {asked}", measured, 1.0, None, "")


def _check_ins(algorithm: Algorithm, found: Tally) -> Count:
    replaced = algorithm.placement == "replaced"
    each = 1 if replaced else algorithm.clients
    hits = int(found.came.sum()) - (algorithm.slots * len(found.came) if replaced else 0)
    what = "share of clients that check in"
    measured = empirical_values.share(hits, each * len(found.came), what)
    return Count(what, measured, algorithm.check_in_prob, None, "Definition 3.1")


def _dummies(algorithm: Algorithm, found: Tally) -> Count:
    runs = len(found.empty)
    rate = empirical_values.occupied(int(found.empty.sum()), algorithm.slots * runs, runs, "empty slots over slots")
    what = "empty slots a run" if algorithm.averages else "dummy updates a run"
    source = "prop-4.4" if algorithm.placement == "sliding" else "prop-3.4"
    measured = empirical_values.scaled(rate, algorithm.slots, what)
    return Count(what, measured, empty_expected(algorithm), empty_bound(algorithm), source)


def _meetings(algorithm: Algorithm, found: Tally) -> Count:
    r"""Return the sum of squared loads is n + 2C where all check in, C counting pairs of clients that meet.

    Pairs meet with probability 1/m, any two of them independently: the variance is 4 C(n, 2) (1/m)(1 - 1/m).
    """
    n, m = algorithm.clients, algorithm.slots
    what = "sum of squared loads"
    if algorithm.check_in_prob == 1.0 and m > 1 and n > 1:
        deviation = sqrt(2.0 * n * (n - 1) / m * (1.0 - 1.0 / m))
        measured = empirical_values.known_deviation(found.squares, deviation, what, empirical_values.PROVEN)
    else:
        measured = empirical_values.mean(found.squares, what, empirical_values.PROVEN)
    return Count(what, measured, load_square_expected(algorithm), None, "lem-A.6, proof")


def _large(algorithm: Algorithm, found: Tally) -> Count:
    limit = load_norm_bound(algorithm.clients, algorithm.slots, LARGE)
    hits = int(np.sum(np.sqrt(found.squares) > limit))
    what = f"runs with a load norm above {limit:.6g}"
    return Count(what, empirical_values.share(hits, len(found.squares), what), None, LARGE, "lem-A.6")
