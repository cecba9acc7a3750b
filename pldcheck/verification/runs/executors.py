"""Executors do the work of a run in this process, on the cores of this machine, or on the workers of a scheduler.

All executors give the same answers, in the order in which they are finished, each with the number of its task.  If a
problem raises an error, takes too long or ends its worker, its answer holds the reason, and the others go on.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor as FutureExecutor
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...core.errors import ParameterError, PldcheckError
from ...core.outward_decimals import safe
from .. import runs
from ..run_cells import Answer
from . import cell_worker
from .batch_run import answers
from .crews import Crew, OwnProcess
from .future_crew import FutureCrew, Submit
from .sent_cells import Parcel, Work

# The default limit on the data of a worker, in GiB.
MEMORY = 4.0
# The time in seconds to wait for a scheduler.
PATIENCE = 10.0
# The beginnings of a scheduler's address.
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")

# Answers with the numbers of their tasks.
Answers = Iterator[tuple[int, Answer]]


class Executor(Protocol):
    """An object that has a crew for a run, and describes itself for the report."""

    @property
    def about(self) -> str:
        """The description in the header of a report."""

    @property
    def cell_timeout(self) -> float | None:
        """The time in seconds after which a cell is given up."""

    def crew(self) -> Crew:
        """Return a new crew, which must be closed; raise ParameterError if there is none at these settings."""

    def solve_all(self, tasks: Iterable[Work]) -> Answers:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks."""


class _Solving:
    """The solving of tasks, which all executors have."""

    def solve_all(self: Executor, tasks: Iterable[Work]) -> Answers:
        """Yield the answers in the order in which they are finished, with the numbers of their tasks."""
        return answers(self.crew(), tasks, self.cell_timeout)


@dataclass(frozen=True)
class InProcess(_Solving):
    """An executor that solves one task after another in this process; a task that takes too long cannot be stopped."""

    about = "in this process"
    cell_timeout = None

    def crew(self) -> Crew:
        """Return a crew of one."""
        return OwnProcess()


@dataclass(frozen=True)
class Threads(_Solving):
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
        """Return a crew of threads."""
        pool = ThreadPoolExecutor(self.count)

        def end() -> None:
            pool.shutdown(wait=False, cancel_futures=True)  # all is finished, or the run is interrupted

        return FutureCrew(_submit(pool), lambda: self.count, remote=False, end=end)


@dataclass(frozen=True)
class Cores(_Solving):
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
        """Return a crew of processes."""
        return runs.process_pool.Processes(self.count, self.memory)


@dataclass(frozen=True)
class Futures(_Solving):
    """An executor on an executor of ``concurrent.futures``: of the library, of loky, or of another package.

    Parameters
    ----------
    of : Executor or callable
        The executor, which stays open, or a function that makes one.  The function is called again when the executor
        breaks, as one of processes does when one of them is killed.
    cell_timeout : float, optional
        The time in seconds after which a problem is given up; its worker may go on with it.
    workers : int, optional
        The number of workers, if the executor does not tell it.

    """

    of: FutureExecutor | Callable[[], FutureExecutor] = field(repr=False)
    cell_timeout: float | None = None
    workers: int | None = None

    @property
    def about(self) -> str:
        """The description in the header of a report."""
        return f"workers of {type(self.of).__name__}" if hasattr(self.of, "submit") else "workers of an executor"

    def crew(self) -> Crew:
        """Return a crew on the executor."""
        if isinstance(self.of, FutureExecutor) or hasattr(self.of, "submit"):
            remote = not isinstance(self.of, ThreadPoolExecutor)
            return FutureCrew(_submit(self.of), lambda: self.workers or workers_of(self.of), remote)
        maker, pools = self.of, []

        def begin() -> Submit:
            pools.append(maker())
            return _submit(pools[-1])

        def end() -> None:
            for pool in pools:
                pool.shutdown(wait=False)

        submit = begin()
        return FutureCrew(submit, lambda: self.workers or workers_of(pools[-1]), True, begin, end=end)


def _submit(pool: Any) -> Submit:
    if isinstance(pool, ThreadPoolExecutor):
        return lambda parcel: pool.submit(cell_worker.do, parcel)
    return lambda parcel: pool.submit(cell_worker.do_sent, pickle.dumps(parcel, pickle.HIGHEST_PROTOCOL))


def workers_of(pool: Any) -> int:
    """Return the number of workers of an executor, which the ones of the library keep in an attribute."""
    return int(getattr(pool, "_max_workers", None) or os.cpu_count() or 1)


@dataclass(frozen=True)
class DaskClient(_Solving):
    """An executor on the workers of a dask client, which stays open unless the executor ``closes`` it.

    After ``cell_timeout`` seconds a problem is given up, but its worker may go on with it.
    """

    client: Any = field(repr=False)
    cell_timeout: float | None = None
    closes: bool = False

    about = "workers of a scheduler"

    def crew(self) -> Crew:
        """Return a crew on the workers.

        Raise ParameterError if there is no worker, and PldcheckError if one of them runs another program.
        """
        client = self.client
        address = str(getattr(client.scheduler, "address", "the scheduler"))
        try:
            client.wait_for_workers(1, PATIENCE)
        except TimeoutError:
            raise ParameterError("scheduler", "one that has a worker", address) from None
        self._check_programs(address)

        def fatal(error: BaseException) -> None:
            if client.status != "running":
                raise PldcheckError(f"the scheduler {address} does not answer any more") from None

        def submit(parcel: Parcel) -> Any:
            try:
                return client.submit(cell_worker.do_sent, pickle.dumps(parcel, pickle.HIGHEST_PROTOCOL), pure=False)
            except (OSError, RuntimeError) as error:
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
                raise PldcheckError(f"the scheduler {address} does not answer any more ({reason})") from None

        def workers() -> int:
            return sum(client.nthreads().values())

        end = client.close if self.closes else lambda: None
        return FutureCrew(submit, workers, remote=True, fatal=fatal, end=end)

    def _check_programs(self, address: str) -> None:
        """Raise PldcheckError unless all workers run the same program and libraries as this process."""
        programs = self.client.run(cell_worker.program, on_error="return")
        strangers = [worker for worker, program in programs.items() if program != cell_worker.program()]
        if strangers:
            raise PldcheckError(
                f"{len(strangers)} of {len(programs)} workers of {address} run another program, or other "
                f"libraries, than this one: {safe(strangers[0])} is one; nothing was computed"
            )


@dataclass(frozen=True)
class Scheduler(_Solving):
    """An executor on the workers of a dask scheduler, at an address such as tcp://host:8786.

    After ``cell_timeout`` seconds a problem is given up, but its worker may go on with it.
    """

    address: str
    cell_timeout: float | None = None

    about = "workers of a scheduler"

    def crew(self) -> Crew:
        """Return a crew on the workers; closing it ends the connection.

        Raise ParameterError if the scheduler cannot be used.
        """
        client = self._client()
        try:
            return DaskClient(client, self.cell_timeout, closes=True).crew()
        except BaseException:
            client.close()
            raise

    def _client(self) -> Any:
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
            return Client(self.address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            domain = f"the address of a scheduler that answers ({type(error).__name__})"
            raise ParameterError("scheduler", domain, self.address) from None


def executor_of(client: Any, workers: int | None = None) -> Executor:
    """Return the executor that computes on a client.

    Parameters
    ----------
    client : object
        A dask client, an executor of ``concurrent.futures`` or a function that makes one, or one of this module.
    workers : int, optional
        The number of workers of an executor that does not tell it.

    Raises
    ------
    ParameterError
        For anything else.

    """
    if hasattr(client, "solve_all"):
        return client
    if hasattr(client, "scheduler_info") and hasattr(client, "submit"):
        return DaskClient(client)
    if hasattr(client, "submit") or callable(client):
        return Futures(client, workers=workers)
    raise ParameterError(
        "client", "a dask client, an executor of concurrent.futures or a function that makes one", client
    )
