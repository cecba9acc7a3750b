"""A crew behind futures: the workers of an executor of ``concurrent.futures``, or of a dask scheduler."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import suppress
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from ...core.errors import PldcheckError
from . import cell_worker
from .crews import Done, Lost, News
from .sent_cells import Parcel

# The number of batches for each worker: one is done, the other one waits.
DEPTH = 2

# The beginning of the reason of a batch with which a dask scheduler lost several workers.
TRIED = "KilledWorker"
# Seconds after which the number of workers is asked for again.
COUNTING = 1.0
# Seconds after which a run without any worker ends: a cluster may take minutes to begin workers anew.
PATIENCE = 300.0

# A function that submits the work of a batch and returns its future.
Submit = Callable[[Parcel], Any]


class WorkersLostError(PldcheckError):
    """All workers of a run are lost, or whoever knows them: what is finished stays, and the run can go on later."""


class FutureCrew:
    """A crew whose batches are futures.

    Parameters
    ----------
    submit : callable
        A function that submits a parcel, to be done by :mod:`~pldcheck.verification.runs.cell_worker`; the result of
        the future is what that returns.
    workers : callable
        A function that returns the number of workers, which may change.
    remote : bool
        Whether the workers are other processes.
    again : callable, optional
        A function that returns another ``submit`` after the executor broke, as one of processes does when one of them
        is killed; None if there is no other.
    fatal : callable
        A function that raises PldcheckError for an error that no other batch would be spared.
    end : callable
        A function that is called when the crew is closed.
    patience : float
        The seconds after which a run without any worker ends.

    """

    def __init__(
        self,
        submit: Submit,
        workers: Callable[[], int],
        remote: bool,
        again: Callable[[], Submit] | None = None,
        fatal: Callable[[BaseException], None] = lambda error: None,
        end: Callable[[], None] = lambda: None,
        patience: float = PATIENCE,
    ) -> None:
        self.remote = remote
        self._submit, self._workers, self._again, self._fatal, self._end = submit, workers, again, fatal, end
        self._count, self._counted = 0, -inf
        # The time when there was a worker last.
        self._patience, self._manned = patience, monotonic()
        self._heard: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._futures: dict[int, Any] = {}

    @property
    def count(self) -> int:
        """The number of workers, which is asked for now and then; at least 1, since there may be one again."""
        if monotonic() - self._counted > COUNTING:
            self._count, self._counted = self._workers(), monotonic()
            if self._count:
                self._manned = self._counted
        return max(self._count, 1)

    def _check_workers(self) -> None:
        """Raise WorkersLostError if there has been no worker for long."""
        if self.count and monotonic() - self._manned > self._patience and not self._count:
            raise WorkersLostError(f"there has been no worker for {self._patience:g} s, after which the run ends")

    @property
    def room(self) -> int:
        """The number of batches that can be given now."""
        return (DEPTH if self.remote else 1) * self.count - len(self._futures)

    @property
    def idle(self) -> int:
        """The number of workers that have nothing to do."""
        return max(self.count - len(self._futures), 0)

    def give(self, number: int, parcel: Parcel) -> None:
        """Give a batch to the executor; an executor that broke before is replaced, if there is another one."""
        try:
            future = self._submit(parcel)
        except BrokenExecutor:
            if self._again is None:
                raise PldcheckError(_BROKEN) from None
            self._submit = self._again()
            future = self._submit(parcel)
        self._futures[number] = future
        future.add_done_callback(lambda future: self._heard.put((number, future)))

    def ask_back(self) -> None:
        """Ask for nothing: what an executor has begun cannot be told anything."""

    def forget(self, number: int) -> None:
        """Drop a batch, which is cancelled if it has not begun."""
        if (future := self._futures.pop(number, None)) is not None:
            future.cancel()

    def news(self, seconds: float | None) -> Sequence[News]:
        """Return what is heard within this time; nothing if nothing is under way."""
        if not self._futures:
            return []
        try:
            number, future = self._heard.get(timeout=cell_worker.TICK if seconds is None else seconds)
        except Empty:
            self._check_workers()
            return []
        if self._futures.pop(number, None) is None:  # nobody wants to hear of it
            return []
        try:
            said = future.result()
            return [Done(number, pickle.loads(said) if isinstance(said, bytes) else said)]
        except (Exception, CancelledError) as error:
            if isinstance(error, BrokenExecutor) and self._again is None:
                raise PldcheckError(_BROKEN) from None
            self._fatal(error)
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            # When an executor breaks, all that it had is lost: which of it was under way is not known.  A scheduler
            # that was begun anew knows nothing of the batch, which is no fault of the batch.
            waiting = isinstance(error, CancelledError)
            return [Lost(number, reason, waiting=waiting, tried=reason.startswith(TRIED))]

    def close(self) -> None:
        """End all that has not begun."""
        for future in self._futures.values():
            with suppress(Exception):
                future.cancel()
        self._futures = {}
        self._end()


_BROKEN = (
    "the executor broke, as one does when a process of it is killed; what is finished is kept.  A function that makes "
    "an executor, in its place, is called again"
)
