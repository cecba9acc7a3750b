"""Executors on the workers of other libraries: of executors of ``concurrent.futures``, and of dask schedulers."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from concurrent.futures import Executor as FutureExecutor
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

from ...core.errors import ParameterError, PldcheckError
from ...core.outward_decimals import safe
from . import cell_worker
from .batch_run import Crew
from .executors import Executor, Threads

# The time in seconds to wait for a scheduler to answer.
ANSWER = 10.0
# Seconds after which the number of a scheduler's workers is asked for again.
COUNTING = 1.0
# Seconds after which a run without any worker ends: a cluster may take minutes to begin workers anew.
PATIENCE = 300.0
# The beginnings of a scheduler's address.
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
BROKEN = (
    "the executor broke, as one does when a process of it is killed; what is finished is kept.  A function that makes "
    "an executor, in its place, is called again"
)


class WorkersLostError(PldcheckError):
    """All workers of a run are lost, or whoever knows them: what is finished stays, and the run can go on later."""


@dataclass(frozen=True)
class Futures(Executor):
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
        is_made = not hasattr(self.of, "submit")
        pools: list[Any] = [self.of() if is_made else self.of]  # type: ignore[operator]
        remote = not isinstance(pools[0], ThreadPoolExecutor)
        work = cell_worker.do_sent if remote else cell_worker.do

        def submit(sent: Any) -> Any:
            try:
                return pools[-1].submit(work, sent)
            except BrokenExecutor as error:
                check(error)
                pools.append(self.of())  # type: ignore[operator]
                return pools[-1].submit(work, sent)

        def check(error: BaseException) -> None:
            if isinstance(error, BrokenExecutor) and not is_made:
                raise PldcheckError(BROKEN) from None

        def count() -> int:
            return self.workers or int(getattr(pools[-1], "_max_workers", None) or os.cpu_count() or 1)

        def close() -> None:
            for pool in pools if is_made else ():
                pool.shutdown(wait=False)

        return Crew(submit, count, remote, check, close)


@dataclass(frozen=True)
class DaskClient(Executor):
    """An executor on the workers of a dask client, which stays open.

    A run that has had no worker for ``patience`` seconds ends with a WorkersLostError.
    """

    client: Any = field(repr=False)
    cell_timeout: float | None = None
    patience: float = PATIENCE

    about = "workers of a scheduler"

    def crew(self) -> Crew:
        """Return a crew on the workers.

        Raise PldcheckError if one of them runs another program, or if the scheduler does not answer.
        """
        return _Workers(self.client, self.patience).crew()


@dataclass(frozen=True)
class Scheduler(Executor):
    """An executor on the workers of a dask scheduler, at an address such as tcp://host:8786.

    A run that has had no worker for ``patience`` seconds ends with a WorkersLostError.
    """

    address: str
    cell_timeout: float | None = None
    patience: float = PATIENCE

    about = "workers of a scheduler"

    def crew(self) -> Crew:
        """Return a crew on the workers; closing it ends the connection.

        Raise ParameterError if the scheduler cannot be used.
        """
        client = self._client()
        try:
            return _Workers(client, self.patience).crew(client.close)
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
            return Client(self.address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            domain = f"the address of a scheduler that answers ({type(error).__name__})"
            raise ParameterError("scheduler", domain, self.address) from None


class _Workers:
    """The workers of a dask client: their scheduler is given batches, and asked for their number now and then."""

    def __init__(self, client: Any, patience: float) -> None:
        self.client, self.patience = client, patience
        self.address = str(getattr(client.scheduler, "address", "the scheduler"))
        self._count, self._counted = 0, -inf
        # The time when there was a worker last.
        self._manned = monotonic()

    def crew(self, end: Callable[[], None] = lambda: None) -> Crew:
        """Return a crew; ``end`` is called when it is closed."""
        self._check_programs()
        handlers = logging.getLogger("distributed").handlers
        for handler in handlers:  # what is lost is told in one line by the run, and by the library in a hundred
            handler.addFilter(self._is_told)

        def close() -> None:
            if self.client.status == "running":  # else the library tells of the loss when the client is closed
                for handler in handlers:
                    handler.removeFilter(self._is_told)
            end()

        return Crew(self._submit, self._number, check=self._check, close=close)

    def _is_told(self, record: logging.LogRecord) -> bool:
        return False

    def _submit(self, content: bytes) -> Any:
        """Return the future of the pickled parts of a pickled parcel."""
        try:
            return self.client.submit(cell_worker.do_sent, content, pure=False)
        except Exception as error:  # of the connection, in whatever library it is
            raise self._lost(f" ({type(error).__name__}: {error})".splitlines()[0]) from None

    def _number(self) -> int:
        """Return the number of workers, at least 1, since there may be one again; raise WorkersLostError after long."""
        if monotonic() - self._counted > COUNTING:
            self._check()
            try:
                self._count = sum(self.client.nthreads().values())
            except Exception:  # the connection is lost for a while
                self._check()
                self._count = 0
            self._counted = monotonic()
            if self._count:
                self._manned = self._counted
            elif self._counted - self._manned > self.patience:
                raise WorkersLostError(f"there has been no worker for {self.patience:g} s, after which the run ends")
        return max(self._count, 1)

    def _check(self, error: BaseException | None = None) -> None:
        """Raise WorkersLostError if the scheduler is lost."""
        if self.client.status != "running":
            raise self._lost()

    def _check_programs(self) -> None:
        """Raise PldcheckError unless all workers run the same program and libraries as this process.

        A worker whose connection is lost meanwhile says nothing; one that comes later says so with its answers.
        """
        try:
            programs = self.client.run(cell_worker.program, on_error="return")
        except Exception:
            raise self._lost() from None
        strangers = [
            worker
            for worker, program in programs.items()
            if not isinstance(program, OSError) and program != cell_worker.program()
        ]
        if strangers:
            raise PldcheckError(
                f"{len(strangers)} of {len(programs)} workers of {self.address} run another program, or other "
                f"libraries, than this one: {safe(strangers[0])} is one; nothing was computed"
            )

    def _lost(self, reason: str = "") -> WorkersLostError:
        return WorkersLostError(f"the scheduler {self.address} does not answer any more{reason}")


def executor_of(client: Any, workers: int | None = None) -> Executor:
    """Return the executor that computes on a client.

    Parameters
    ----------
    client : object
        A dask client, an executor of ``concurrent.futures`` or a function that makes one, an executor of pldcheck, or
        None for threads of this process.
    workers : int, optional
        The number of threads, by default one a processor, or that of the workers of an executor that does not tell it.

    Raises
    ------
    ParameterError
        For anything else.

    """
    if client is None:
        return Threads(workers or os.cpu_count() or 1)
    if hasattr(client, "solve_all"):
        return client
    if hasattr(client, "scheduler_info") and hasattr(client, "submit"):
        return DaskClient(client)
    if hasattr(client, "submit") or callable(client):
        return Futures(client, workers=workers)
    raise ParameterError(
        "client", "a dask client, an executor of concurrent.futures or a function that makes one", client
    )
