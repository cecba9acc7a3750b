"""Executors on the workers of other libraries: of executors of ``concurrent.futures``, and of dask schedulers."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable
from concurrent.futures import Executor as FutureExecutor
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import ParameterError, PldcheckError
from ...core.outward_decimals import safe
from . import cell_worker
from .crews import Crew
from .executors import Executor, Solving
from .future_crew import PATIENCE, FutureCrew, Submit, WorkersLostError
from .sent_cells import Parcel

# The time in seconds to wait for a scheduler, and for its first worker.
ANSWER = 10.0
# The beginnings of a scheduler's address.
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


@dataclass(frozen=True)
class Futures(Solving):
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
class DaskClient(Solving):
    """An executor on the workers of a dask client, which stays open unless the executor ``closes`` it.

    After ``cell_timeout`` seconds a problem is given up, but its worker may go on with it.  A run that has had no
    worker for ``patience`` seconds ends with a WorkersLostError.
    """

    client: Any = field(repr=False)
    cell_timeout: float | None = None
    closes: bool = False
    patience: float = PATIENCE

    about = "workers of a scheduler"

    def crew(self) -> Crew:
        """Return a crew on the workers.

        Raise ParameterError if there is no worker, and PldcheckError if one of them runs another program.
        """
        client = self.client
        address = str(getattr(client.scheduler, "address", "the scheduler"))
        try:
            client.wait_for_workers(1, ANSWER)
            self._check_programs(address)
        except TimeoutError:
            raise ParameterError("scheduler", "one that has a worker", address) from None
        except OSError:
            raise WorkersLostError(f"the scheduler {address} does not answer any more") from None

        def lost(reason: str = "") -> WorkersLostError:
            return WorkersLostError(f"the scheduler {address} does not answer any more{reason}")

        def fatal(error: BaseException) -> None:
            if client.status != "running":
                raise lost() from None

        def submit(parcel: Parcel) -> Any:
            try:
                return client.submit(cell_worker.do_sent, pickle.dumps(parcel, pickle.HIGHEST_PROTOCOL), pure=False)
            except (OSError, RuntimeError) as error:
                raise lost(f" ({type(error).__name__}: {error})".splitlines()[0]) from None

        def workers() -> int:
            fatal(TimeoutError())
            try:
                return sum(client.nthreads().values())
            except Exception:  # of the connection, in whatever library it is
                fatal(TimeoutError())
                return 0

        end = client.close if self.closes else lambda: None
        return FutureCrew(submit, workers, remote=True, fatal=fatal, end=end, patience=self.patience)

    def _check_programs(self, address: str) -> None:
        """Raise PldcheckError unless all workers run the same program and libraries as this process.

        A worker whose connection is lost meanwhile says nothing; one that takes its place says so with its answers.
        """
        programs = self.client.run(cell_worker.program, on_error="return")
        strangers = [
            worker
            for worker, program in programs.items()
            if not isinstance(program, OSError) and program != cell_worker.program()
        ]
        if strangers:
            raise PldcheckError(
                f"{len(strangers)} of {len(programs)} workers of {address} run another program, or other "
                f"libraries, than this one: {safe(strangers[0])} is one; nothing was computed"
            )


@dataclass(frozen=True)
class Scheduler(Solving):
    """An executor on the workers of a dask scheduler, at an address such as tcp://host:8786.

    After ``cell_timeout`` seconds a problem is given up, but its worker may go on with it.  A run that has had no
    worker for ``patience`` seconds ends with a WorkersLostError.
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
            return DaskClient(client, self.cell_timeout, True, self.patience).crew()
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
        # The loss of a scheduler is told in one line by the run, and by the library in a hundred.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if not self.address.startswith(SCHEMES):
            raise ParameterError("scheduler", "an address such as tcp://host:8786", self.address)
        try:
            return Client(self.address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            domain = f"the address of a scheduler that answers ({type(error).__name__})"
            raise ParameterError("scheduler", domain, self.address) from None


def executor_of(client: Any, workers: int | None = None) -> Executor:
    """Return the executor that computes on a client.

    Parameters
    ----------
    client : object
        A dask client, an executor of ``concurrent.futures`` or a function that makes one, or an executor of pldcheck.
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
