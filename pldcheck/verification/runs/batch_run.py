"""The run of batches on workers: every cell and task has one outcome, whatever becomes of the workers.

A batch that is lost with its worker is done again in parts, until the cell that ends workers is alone.  That one is
tried three times, the last time while no worker has anything else; then its outcome says why there is none.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from math import isqrt
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from ...core.errors import PldcheckError
from ..run_cells import Answer
from . import cell_worker
from .local_processes import BatchLostError
from .sent_cells import Outcome, Parcel, Parts, Work, digest
from .work_batches import Costs, Unit, Waiting, parcel, unit

# The number of lost workers after which a cell has no answer: it is tried three times.
TRIES = 3
# The error with which dask gives up a batch that it has itself given to several workers, all of which were lost.
TRIED = "KilledWorker"
# The batches of each worker in another process: one is done, the other one waits, so that it goes on at once.
DEPTH = 2
# The expected seconds for each worker from which on every worker has a single batch: near the end, one that waits would
# keep the next idle worker from it.
SOON = 1.0
# A batch is given to a second worker, if that has nothing to do, after so many times its expected seconds,
LATENESS = 2.0
# and after this many seconds at least: on a machine that others use as well, a batch often takes ten times as long.
LEAST_LATENESS = 10.0
# Seconds between two looks at the workers while nothing is heard.
LOOK = 0.5
# Seconds for which an answer is waited for that a scheduler has told of, but which is lost with its worker or is large.
GATHERING = 10.0


class WrongAnswerError(PldcheckError):
    """The error of an answer to another question than was asked, or of another program than this one."""


def _nothing(*_: Any) -> None:
    pass


@dataclass
class Crew:
    """Workers that do batches: in this process, in others, or behind a scheduler.

    Parameters
    ----------
    submit : callable
        A function that takes a parcel, pickled if the workers are ``remote``, and returns the future of its parts,
        which may be pickled.
    count : callable
        A function that returns the number of workers, at least 1; it raises PldcheckError when none can be hoped for.
    remote : bool
        Whether workers are other processes.
    check : callable
        A function that raises PldcheckError for the error of a batch that no other batch would be spared.
    close : callable
        A function that ends all that is under way.

    """

    submit: Callable[[Any], Any]
    count: Callable[[], int]
    remote: bool = True
    check: Callable[[BaseException], None] = _nothing
    close: Callable[[], None] = _nothing


@dataclass
class _Batch:
    """A batch that a worker has: its units, its digest, its expected seconds, and when it was given."""

    future: Any
    units: list[Unit]
    digest: str
    seconds: float
    since: float
    is_copied: bool


class BatchRun:
    """The units of a run and the batches that workers have of them."""

    def __init__(self, crew: Crew, limit: float | None, costs: Costs | None = None) -> None:
        self.crew, self.limit = crew, limit
        self.costs = costs or Costs()
        self.waiting = Waiting(self.costs)
        self.batches = 0
        self._again: deque[list[Unit]] = deque()
        self._alone: deque[Unit] = deque()
        self._under_way: dict[int, _Batch] = {}
        self._heard: SimpleQueue[int] = SimpleQueue()
        # The numbers of units without an outcome.
        self._open: set[int] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a unit has no outcome yet."""
        return bool(self._open)

    @property
    def is_hungry(self) -> bool:
        """Whether workers will soon have nothing to do."""
        return not self._again and len(self.waiting) == 0

    @property
    def seconds_left(self) -> float:
        """The expected seconds of all that has no outcome, on one worker."""
        return self.waiting.seconds + sum(batch.seconds for batch in self._under_way.values())

    def add(self, units: Sequence[Unit]) -> None:
        """Add units, whose numbers nothing else in this run has."""
        self._open.update(one.number for one in units)
        self.waiting.add(units)

    def close(self) -> None:
        """End all that is under way."""
        for batch in self._under_way.values():
            with suppress(Exception):  # of a scheduler that is lost
                batch.future.cancel()
        self.crew.close()

    def outcomes(self, seconds: float | None) -> list[tuple[Unit, Outcome]]:
        """Give batches to workers, and return the outcomes that are heard within this time; each unit has one.

        That of a cell or a task that took too long, or ended its workers, is an answer with the reason.
        """
        self._give()
        finished: list[tuple[Unit, Outcome]] = []
        with suppress(Empty):
            number = self._heard.get(timeout=LOOK if seconds is None else seconds)
            finished += self._hear(number)
        self._give()
        return finished

    def _give(self) -> None:
        """Give batches while workers have room; near the end, copies of those that others have had for long."""
        count = self.crew.count()
        waits = self.crew.remote and (self.waiting.has_cells or self.waiting.seconds > SOON * count)
        room = (DEPTH if waits else 1) * count - len(self._under_way)
        while room > 0 and (units := self._next(count)):
            self._start(units)
            room -= 1
        late = (batch for batch in list(self._under_way.values()) if room > 0 and self._is_late(batch))
        for batch in late:
            batch.is_copied = True
            self._start(self._open_units(batch.units), is_copied=True)
            room -= 1

    def _is_late(self, batch: _Batch) -> bool:
        """Return whether a worker has had a batch so long that another one shall have it, too."""
        is_late = monotonic() - batch.since > max(LATENESS * batch.seconds, LEAST_LATENESS)
        return self.crew.remote and is_late and not batch.is_copied and bool(self._open_units(batch.units))

    def _open_units(self, units: Iterable[Unit]) -> list[Unit]:
        return [one for one in units if one.number in self._open]

    def _next(self, count: int) -> list[Unit]:
        """Return the units of the next batch; none if nothing waits."""
        while self._again:
            if units := self._open_units(self._again.popleft()):
                return units
        if len(self.waiting):
            return self.waiting.batch(count, single=not self.crew.remote)
        if not any(self._open_units(batch.units) for batch in self._under_way.values()):
            while self._alone:
                if units := self._open_units([self._alone.popleft()]):
                    return units
        return []

    def _start(self, units: list[Unit], is_copied: bool = False) -> None:
        self.batches += 1
        number, sent = self.batches, self._sent(parcel(units, self.limit))
        seconds = sum(map(self.costs.expected, units))
        future = self.crew.submit(sent)
        self._under_way[number] = _Batch(future, units, digest(sent), seconds, monotonic(), is_copied)
        future.add_done_callback(lambda _: self._heard.put(number))

    def _sent(self, of: Parcel) -> bytes | Parcel:
        """Return a parcel as it is sent to the workers."""
        if not self.crew.remote:
            return of
        try:
            content = pickle.dumps(of, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise PldcheckError(f"a cell cannot be sent to other processes ({error}): leave client out") from None
        if b"__main__" in content:
            raise PldcheckError(
                "a cell names a function of the script itself, which other processes do not know: put it into a module "
                "that they can import, or leave client out"
            )
        return content

    def _hear(self, number: int) -> Iterator[tuple[Unit, Outcome]]:
        """Yield the outcomes of a batch that no other worker gave before; what has none is given again."""
        batch = self._under_way.pop(number)
        try:
            is_here = isinstance(batch.future, Future)
            result = batch.future.result() if is_here else batch.future.result(GATHERING)
            parts: Parts = pickle.loads(result) if isinstance(result, bytes) else result
        except PldcheckError:
            raise
        except (Exception, CancelledError) as error:
            if isinstance(error, TimeoutError) and not is_here:
                self._under_way[number] = batch
                self._heard.put(number)
            else:
                self.crew.check(error)
                yield from self._lose(self._open_units(batch.units), error)
            return
        if parts.answers != batch.digest or len(parts.outcomes) > len(batch.units):
            raise WrongAnswerError("an answer belongs to another question than was asked: it is refused")
        if parts.program != cell_worker.program():
            raise WrongAnswerError(
                "a worker ran another program than this one, or other libraries: its answer is refused"
            )
        done, rest = batch.units[: len(parts.outcomes)], batch.units[len(parts.outcomes) :]
        self._measure(done, parts)
        self.waiting.add(self._open_units(rest))
        for one, outcome in zip(done, parts.outcomes, strict=True):
            if one.number in self._open:
                self._open.remove(one.number)
                yield one, self._too_late() if outcome is None else outcome

    def _too_late(self) -> Answer:
        """Return the answer to a cell or a task that took too long."""
        limit = self.limit or 0.0
        return Answer(None, limit, f"no answer within {limit:g} s, the limit for a cell")

    def _measure(self, units: list[Unit], parts: Parts) -> None:
        """Take the measured seconds into account: of each task its own, of cells the mean of the batch."""
        for one in {one.kind: one for one in units if one.is_cell}.values():
            self.costs.measure(one, parts.seconds / len(units))
        for one, outcome in zip(units, parts.outcomes, strict=True):
            if isinstance(outcome, Answer):
                self.costs.measure(one, outcome.seconds)

    def _lose(self, units: list[Unit], error: BaseException) -> Iterator[tuple[Unit, Outcome]]:
        """Give units of a lost batch again; yield the outcome of one that was alone and has lost its last worker."""
        if isinstance(error, CancelledError) or not units:  # a scheduler that was begun anew knows nothing of the batch
            self._again.append(units)
        elif len(units) > 1:
            size = isqrt(len(units))
            self._again.extend(units[first : first + size] for first in range(0, len(units), size))
        else:
            one = units[0]
            is_late = isinstance(error, BatchLostError) and error.is_late
            name = "" if isinstance(error, BatchLostError) else f"{type(error).__name__}: "
            # What was on the same workers by chance is given up, too, so that it is tried once more, alone.
            one.losses += TRIES if is_late else TRIES - 1 if name.startswith(TRIED) else 1
            if one.losses >= TRIES:
                self._open.remove(one.number)
                yield one, self._too_late() if is_late else Answer(None, 0.0, " ".join(f"{name}{error}".split()))
            elif one.losses == TRIES - 1:
                self._alone.append(one)
            else:
                self._again.append([one])


def answers(crew: Crew, tasks: Iterable[Work], limit: float | None) -> Iterator[tuple[int, Answer]]:
    """Yield the answers to tasks in the order in which they are finished, with their numbers; close the crew."""
    run = BatchRun(crew, limit)
    try:
        run.add([unit(number, task) for number, task in enumerate(tasks)])
        while run.is_busy:
            for one, outcome in run.outcomes(None):
                assert isinstance(outcome, Answer)
                yield one.number, outcome
    finally:
        run.close()
