"""Executors do the work of a run in this process, on its threads, or on the cores of this machine.

All executors give the same answers, in the order in which they are finished, each with the number of its task.  If a
problem raises an error, takes too long or ends its worker, its answer holds the reason, and the others go on.  Those on
the workers of other libraries are in :mod:`~pldcheck.verification.runs.client_executors`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from ..run_cells import Answer
from . import cell_worker
from .batch_run import Crew, answers
from .local_processes import Processes
from .sent_cells import Parcel, Parts, Work

# The default limit on the data of a worker, in GiB.
MEMORY = 4.0


class Executor(Protocol):
    """An object that has a crew for a run, and describes itself for the report."""

    @property
    def about(self) -> str:
        """The description in the header of a report."""

    @property
    def cell_timeout(self) -> float | None:
        """The time in seconds after which a cell is given up; its worker may go on with it."""

    def crew(self) -> Crew:
        """Return a new crew, which must be closed; raise ParameterError if there is none at these settings."""

    def solve_all(self, tasks: Iterable[Work]) -> Iterator[tuple[int, Answer]]:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks."""
        return answers(self.crew(), tasks, self.cell_timeout)


@dataclass(frozen=True)
class InProcess(Executor):
    """An executor that solves one task after another in this process; a task that takes too long cannot be stopped."""

    about = "in this process"
    cell_timeout = None

    def crew(self) -> Crew:
        """Return a crew of one, whose work is done when it is given."""
        return Crew(_done, lambda: 1, remote=False)


def _done(parcel: Parcel) -> Future[Parts]:
    future: Future[Parts] = Future()
    future.set_result(cell_worker.do(parcel))
    return future


@dataclass(frozen=True)
class Threads(Executor):
    """An executor on ``count`` threads of this process.

    The kernels release the interpreter lock, so threads run in parallel.
    """

    count: int
    cell_timeout: float | None = None

    @property
    def about(self) -> str:
        """The description in the header of a report."""
        return f"{self.count} threads"

    def crew(self) -> Crew:
        """Return new threads."""
        pool = ThreadPoolExecutor(self.count)

        def close() -> None:
            pool.shutdown(wait=False, cancel_futures=True)  # all is finished, or the run is interrupted

        return Crew(lambda parcel: pool.submit(cell_worker.do, parcel), lambda: self.count, False, close=close)


@dataclass(frozen=True)
class Cores(Executor):
    """An executor on processes of this machine, each with one thread.

    Parameters
    ----------
    workers : int, optional
        The number of processes; the default is one per core.
    cell_timeout : float, optional
        The time in seconds after which a problem is given up.  Time in which the process is suspended does not count.
    memory : float or None
        The limit on the data of each process, in GiB.

    """

    workers: int | None = None
    cell_timeout: float | None = None
    memory: float | None = MEMORY

    @property
    def count(self) -> int:
        """The number of processes."""
        if self.workers is not None:
            return self.workers
        # The cores that this process may use: in a container these can be fewer than the machine has.
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    @property
    def about(self) -> str:
        """The description in the header of a report."""
        limit = "" if self.memory is None else f", {self.memory:g} GiB each"
        return f"{self.count} processes{limit}"

    def crew(self) -> Crew:
        """Return new processes."""
        processes = Processes(self.count, self.memory, self.cell_timeout)
        return Crew(processes.submit, lambda: self.count, close=processes.shutdown)
