"""Executors solve numeric problems in this process, on the cores of this machine, or on the workers of a scheduler.

All executors give the same answers, in the order in which they are finished, each with the number of its task.  If a
problem raises an error, takes too long or ends its worker, its answer holds the reason, and the others go on.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import TimeoutError
from dataclasses import dataclass
from typing import Any, Protocol

from ...core.errors import ParameterError, PldcheckError
from ...core.outward_decimals import safe
from .. import runs
from ..run_cells import Answer
from . import cell_worker
from .cell_worker import Work
from .tasks_under_way import AHEAD, Answers, answers_as_they_come

# The default limit on the data of a worker, in GiB.
MEMORY = 4.0
# The time in seconds to wait for a scheduler.
PATIENCE = 10.0
# The beginnings of a scheduler's address.
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


class Executor(Protocol):
    """An object that solves tasks, and describes itself for the report."""

    @property
    def about(self) -> str:
        """The description in the header of a report."""

    def solve_all(self, tasks: Sequence[Work]) -> Answers:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks."""


@dataclass(frozen=True)
class InProcess:
    """An executor that solves one task after another in this process; a task that takes too long cannot be stopped."""

    about = "in this process"

    def solve_all(self, tasks: Sequence[Work]) -> Answers:
        """Yield the answers in the order of the tasks, with their numbers."""
        for number, task in enumerate(tasks):
            yield number, cell_worker.answer(task)


@dataclass(frozen=True)
class Cores:
    """An executor on processes of this machine, each with one thread.

    Parameters
    ----------
    workers : int, optional
        The number of processes; the default is one per core.
    cell_timeout : float, optional
        The time in seconds after which a problem is given up.
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

    def solve_all(self, tasks: Sequence[Work]) -> Answers:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks."""
        retries: list[int] = []
        for number, answer in self._solve(dict(enumerate(tasks)), self.count):
            if answer.reason and answer.reason.startswith(runs.process_pool.PROCESS_END):
                retries.append(number)
            else:
                yield number, answer
        # A process may be killed because of the others, if memory is short: each such task is tried again, alone.
        if retries:
            yield from self._solve({number: tasks[number] for number in retries}, 1)

    def _solve(self, tasks: dict[int, Work], count: int) -> Answers:
        """Yield the answers to all tasks, solved on ``count`` processes."""
        return runs.process_pool.solve_in_processes(tasks, count, self.memory, self.cell_timeout)


@dataclass(frozen=True)
class Scheduler:
    """An executor on the workers of a dask scheduler, at an address such as tcp://host:8786.

    After ``cell_timeout`` seconds a problem is given up, but its worker goes on with it.
    """

    address: str
    cell_timeout: float | None = None

    @property
    def about(self) -> str:
        """The description in the header of a report."""
        return "workers of a scheduler"

    def solve_all(self, tasks: Sequence[Work]) -> Answers:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks.

        Raise ParameterError if the scheduler cannot be used, and PldcheckError if it no longer answers.
        """
        try:
            from distributed import Client
        except ImportError:
            raise ParameterError(
                "scheduler",
                "left out unless distributed is installed (pip install 'pldcheck[distributed]')",
                self.address,
            ) from None
        if not self.address.startswith(SCHEMES):
            raise ParameterError("scheduler", "an address such as tcp://host:8786", self.address)
        try:
            client = Client(self.address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            domain = f"the address of a scheduler that answers ({type(error).__name__})"
            raise ParameterError("scheduler", domain, self.address) from None
        with client:
            try:
                client.wait_for_workers(1, PATIENCE)
            except TimeoutError:
                raise ParameterError("scheduler", "one that has a worker", self.address) from None

            self._check_programs(client)
            suspects: list[int] = []

            def submit(task: Work) -> Any:
                return client.submit(cell_worker.answer_within, task, self.cell_timeout, pure=False)

            def error_answer(error: BaseException) -> Answer:
                if client.status != "running":
                    raise PldcheckError(f"the scheduler {self.address} does not answer any more")
                return Answer(None, 0.0, f"{type(error).__name__}: {error}".splitlines()[0])

            try:
                most = AHEAD * max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)
                for number, answer in answers_as_they_come(submit, tasks, most, error_answer, self.about):
                    if answer.reason and answer.reason.startswith("KilledWorker"):
                        suspects.append(number)
                    else:
                        yield number, answer
                # The scheduler also blames the tasks that waited behind one that ends its worker: alone they show which
                # it was.
                again = [tasks[number] for number in suspects]
                for place, answer in answers_as_they_come(submit, again, 1, error_answer, self.about):
                    yield suspects[place], answer
            except (OSError, RuntimeError) as error:
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
                raise PldcheckError(f"the scheduler {self.address} does not answer any more ({reason})") from None

    def _check_programs(self, client: Any) -> None:
        """Raise PldcheckError unless all workers run the same program and libraries as this process."""
        programs = client.run(cell_worker.program, on_error="return")
        strangers = [address for address, program in programs.items() if program != cell_worker.program()]
        if strangers:
            raise PldcheckError(
                f"{len(strangers)} of {len(programs)} workers of {self.address} run another program, or other "
                f"libraries, than this one: {safe(strangers[0])} is one; nothing was computed"
            )
