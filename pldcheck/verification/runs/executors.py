"""Where numeric problems are solved: in this process, on the cores of this machine, or by a scheduler's workers.

All give the same answers, in the order in which they come, each with the number of its task.  A problem that raises,
takes too long or takes its worker with it has an answer that says so, and the others go on.
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
from ..run_cells import Answer, Task
from . import cell_worker
from .tasks_under_way import AHEAD, Answers, answers_as_they_come

# GiB a worker may take up, unless told otherwise.
MEMORY = 4.0
# Seconds to look for a scheduler, and what its address begins with.
PATIENCE = 10.0
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


class Executor(Protocol):
    """Solves tasks."""

    @property
    def about(self) -> str:
        """What a report says of it."""

    def solved(self, tasks: Sequence[Task]) -> Answers:
        """Return answers as they come, with the numbers of their tasks."""


@dataclass(frozen=True)
class InProcess:
    """One after another, here; nothing can be stopped that takes too long."""

    about = "in this process"

    def solved(self, tasks: Sequence[Task]) -> Answers:
        """Yield answers as they come, with the numbers of their tasks."""
        for number, task in enumerate(tasks):
            yield number, cell_worker.answered(task)


@dataclass(frozen=True)
class Cores:
    """Processes of this machine, each with one thread and at most ``memory`` GiB of data; by default one a core."""

    workers: int | None = None
    cell_timeout: float | None = None
    memory: float | None = MEMORY

    @property
    def count(self) -> int:
        """How many."""
        if self.workers is not None:
            return self.workers
        # What this process may use, which in a container is less than there is.
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    @property
    def about(self) -> str:
        """What a report says of it."""
        limit = "" if self.memory is None else f", {self.memory:g} GiB each"
        return f"{self.count} processes{limit}"

    def solved(self, tasks: Sequence[Task]) -> Answers:
        """Yield answers as they come, with the numbers of their tasks."""
        lost: list[int] = []
        for number, answer in self._once(dict(enumerate(tasks)), self.count):
            if answer.reason and answer.reason.startswith(runs.process_pool.ENDED):
                lost.append(number)
            else:
                yield number, answer
        # A process may be killed for what others do, as where memory is short: each once more, one at a time.
        if lost:
            yield from self._once({number: tasks[number] for number in lost}, 1)

    def _once(self, left: dict[int, Task], count: int) -> Answers:
        """Return every task in one of so many processes."""
        return runs.process_pool.solve_in_processes(left, count, self.memory, self.cell_timeout)


@dataclass(frozen=True)
class Scheduler:
    """The workers of a dask scheduler at an address such as tcp://host:8786.

    A cell that takes too long is given up, though its worker goes on with it.
    """

    address: str
    cell_timeout: float | None = None

    @property
    def about(self) -> str:
        """What a report says of it."""
        return "workers of a scheduler"

    def solved(self, tasks: Sequence[Task]) -> Answers:
        """Return answers as they come, with the numbers of their tasks."""
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
            allowed = f"the address of a scheduler that answers ({type(error).__name__})"
            raise ParameterError("scheduler", allowed, self.address) from None
        with client:
            try:
                client.wait_for_workers(1, PATIENCE)
            except TimeoutError:
                raise ParameterError("scheduler", "one that has a worker", self.address) from None

            self._check_programs(client)
            suspects: list[int] = []

            def submit(task: Task) -> Any:
                return client.submit(cell_worker.answered_within, task, self.cell_timeout, pure=False)

            def failed(error: BaseException) -> Answer:
                if client.status != "running":
                    raise PldcheckError(f"the scheduler {self.address} does not answer any more")
                return Answer(None, 0.0, f"{type(error).__name__}: {error}".splitlines()[0])

            try:
                ahead = AHEAD * max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)
                for number, answer in answers_as_they_come(submit, tasks, ahead, failed, self.about):
                    if answer.reason and answer.reason.startswith("KilledWorker"):
                        suspects.append(number)
                    else:
                        yield number, answer
                # What waited behind a task that ends its worker is blamed as well: one at a time shows which it is.
                for place, answer in answers_as_they_come(
                    submit, [tasks[number] for number in suspects], 1, failed, self.about
                ):
                    yield suspects[place], answer
            except (OSError, RuntimeError) as error:
                said = f"{type(error).__name__}: {error}".splitlines()[0]
                raise PldcheckError(f"the scheduler {self.address} does not answer any more ({said})") from None

    def _check_programs(self, client: Any) -> None:
        """Raises PldcheckError unless all workers say that they are the program that asks."""
        found = client.run(cell_worker.program, on_error="return")
        strangers = [address for address, told in found.items() if told != cell_worker.program()]
        if strangers:
            raise PldcheckError(
                f"{len(strangers)} of {len(found)} workers of {self.address} run another program, or other libraries, "
                f"than this one: {safe(strangers[0])} is one; nothing was computed"
            )
