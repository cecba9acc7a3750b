"""The run of batches on a crew: every cell and task has one outcome, whatever becomes of the workers.

A batch whose worker is lost is done again, and what was under way then is done after all else, since it may end the
next worker too.  After the second loss it is done while no other worker has anything; after the third one its outcome
says why there is none.  When workers have nothing to do, batches that others have had for long are given to them as
well, and the first outcome counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from time import monotonic

from ...core.errors import PldcheckError
from ..run_cells import Answer
from . import cell_worker
from .cell_costs import Costs
from .cell_worker import Late
from .crews import Crew, Done, Lost
from .sent_cells import Outcome, Work
from .work_batches import Unit, Waiting, parcel, unit

# The number of lost workers after which a cell has no answer: it is tried three times.
TRIES = 3
# A batch is given to a second worker, if that has nothing to do, after so many times its expected seconds,
LATENESS = 2.0
# and after this many seconds at least: on a machine that others use as well, a batch often takes ten times as long, and
# the process of a batch that comes second is ended, which costs the beginning of another one.
LEAST_LATENESS = 10.0
# and after so many times that for each worker more.
MORE = 4.0
# The most workers that have the same batch.
COPIES = 3
# The expected seconds for each worker from which on every worker has a single batch.
SOON = 1.0
# Seconds between two looks at what is late.
LOOK = 0.5
# A worker that has had a batch for so many seconds is asked for what it has not begun, if another one has nothing to
# do; so often it is looked for such a batch.
SHARING = 0.02


class StrangerError(PldcheckError):
    """The error of an answer that came from another program, or from other libraries, than this one."""


@dataclass
class _Batch:
    """A batch that a worker has: its units, its expected seconds, and when it was given."""

    units: list[Unit]
    seconds: float
    since: float
    copies: int = 1
    is_asked_back: bool = False


class BatchRun:
    """The units of a run and the batches that workers have of them."""

    def __init__(self, crew: Crew, limit: float | None, costs: Costs | None = None) -> None:
        self.crew, self.limit = crew, limit
        self.costs = costs or Costs()
        self.waiting = Waiting(self.costs)
        self.batches = 0
        self._again: deque[list[Unit]] = deque()
        self._later: deque[Unit] = deque()
        self._last_tries: deque[Unit] = deque()
        self._under_way: dict[int, _Batch] = {}
        # The numbers of units without an outcome.
        self._open: set[int] = set()
        self._looked = monotonic()

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

    def outcomes(self, seconds: float | None) -> list[tuple[Unit, Outcome | Late | Lost]]:
        """Give batches to workers, and return the outcomes that are heard within this time; each unit has one."""
        self._give()
        finished: list[tuple[Unit, Outcome | Late | Lost]] = []
        if self._share():  # soon there is more to ask for
            seconds = SHARING if seconds is None else min(seconds, SHARING)
        for news in self.crew.news(seconds):
            batch = self._under_way.pop(news.number, None)
            if batch is None:  # all of it was done elsewhere
                continue
            if isinstance(news, Done):
                finished += self._take(news, batch)
            else:
                finished += self._lose(news, batch)
        self._give()
        return finished

    def _give(self) -> None:
        """Give batches while workers have room."""
        while (self.crew.room if self._may_wait else self.crew.idle) > 0:
            units = self._next()
            if not units:
                break
            self._start(units)
        if self._share():
            return
        if self.crew.room > 0 and self._under_way and monotonic() - self._looked > LOOK:
            self._looked = monotonic()
            self._give_again()

    @property
    def _may_wait(self) -> bool:
        """Whether a batch may wait behind another one: near the end, it would keep the next idle worker from it."""
        return self.waiting.has_cells or self.waiting.seconds > SOON * self.crew.count

    def _next(self) -> list[Unit]:
        """Return the units of the next batch; none if nothing waits."""
        while self._again:
            units = [one for one in self._again.popleft() if one.number in self._open]
            if units:
                return units
        if len(self.waiting):
            return self.waiting.batch(self.crew.count, single=not self.crew.remote)
        if self._later:
            return [self._later.popleft()]
        if self._last_tries and not self._under_way:
            return [self._last_tries.popleft()]
        return []

    def _start(self, units: list[Unit], copies: int = 1) -> None:
        self.batches += 1
        seconds = sum(map(self.waiting.expected, units))
        self._under_way[self.batches] = _Batch(units, seconds, monotonic(), copies)
        self.crew.give(self.batches, parcel(units, self.limit))

    def _share(self) -> bool:
        """Ask workers for what they have not begun if another one is idle; return whether to look again soon."""
        if self.crew.idle == 0:
            return False
        waits = len(self._under_way) > self.crew.count - self.crew.idle
        shared = [
            batch for batch in self._under_way.values() if not batch.is_asked_back and (waits or len(batch.units) > 1)
        ]
        if any(monotonic() - batch.since > SHARING for batch in shared):
            for batch in shared:  # it is late from now on
                batch.is_asked_back, batch.since = True, monotonic()
            self.crew.ask_back()
        return bool(shared)

    def _give_again(self) -> None:
        """Give a batch that a worker has had for long to another one as well."""
        now = monotonic()
        late = [
            batch
            for batch in self._under_way.values()
            if batch.copies < COPIES
            and now - batch.since > max(LATENESS * batch.seconds, LEAST_LATENESS) * MORE ** (batch.copies - 1)
        ]
        for batch in sorted(late, key=lambda batch: batch.since)[: self.crew.room]:
            units = [one for one in batch.units if one.number in self._open]
            batch.copies += 1
            if units:
                self._start(units, COPIES)

    def _take(self, news: Done, batch: _Batch) -> Iterator[tuple[Unit, Outcome | Late | Lost]]:
        """Yield the outcomes of a batch that no other worker gave before; what was left out is given again."""
        parts = news.parts
        if parts.program != cell_worker.program():
            raise StrangerError("a worker ran another program than this one, or other libraries: its answer is refused")
        done = batch.units[: len(parts.outcomes)]
        rest = batch.units[len(parts.outcomes) :]
        size = ceil(len(rest) / self.crew.count) if batch.is_asked_back else len(rest)
        self._again.extendleft(rest[first : first + size] for first in range(0, len(rest), max(size, 1)))
        self._measure(done, parts.outcomes, parts.seconds)
        for one, outcome in zip(done, parts.outcomes, strict=True):
            if one.number in self._open:
                self._open.remove(one.number)
                yield one, outcome
        self._forget_copies(batch)

    def _measure(self, units: list[Unit], outcomes: Sequence[Outcome | Late], seconds: float) -> None:
        """Take the measured seconds into account: of each task its own, of cells the mean of the batch."""
        cells = {one.kind for one in units if one.is_cell}
        for kind in cells:
            self.costs.measure(kind, None, seconds / len(units))
        for one, outcome in zip(units, outcomes, strict=True):
            if isinstance(outcome, Answer):
                self.costs.measure(one.kind, one.of, outcome.seconds)

    def _forget_copies(self, batch: _Batch) -> None:
        """Drop the batches of other workers that have no open unit any more."""
        if batch.copies == 1:
            return
        for number, other in list(self._under_way.items()):
            if other.copies > 1 and not any(one.number in self._open for one in other.units):
                del self._under_way[number]
                self.crew.forget(number)

    def _lose(self, news: Lost, batch: _Batch) -> Iterator[tuple[Unit, Outcome | Late | Lost]]:
        """Yield the outcomes of units that lost their last worker; give suspects and others again."""
        units = [one for one in batch.units if one.number in self._open]
        if news.waiting:
            self._again.appendleft(units)
            return
        known = news.place is not None and news.place < len(batch.units)
        suspects = [batch.units[news.place]] if known and news.place is not None else units
        suspects = [one for one in suspects if one.number in self._open]
        if others := [one for one in units if one not in suspects]:
            self._again.appendleft(others)
        again = []
        for one in suspects:
            one.losses += (TRIES if len(suspects) == 1 else TRIES - 1) if news.tried else 1
            if one.losses >= TRIES and len(suspects) == 1:
                self._open.remove(one.number)
                yield one, news
            elif one.losses >= TRIES - 1:
                self._last_tries.append(one)
            elif known:
                self._later.append(one)
            else:
                again.append(one)
        if again:
            self._again.append(again)


def answers(crew: Crew, tasks: Iterable[Work], limit: float | None) -> Iterator[tuple[int, Answer]]:
    """Yield the answers to tasks in the order in which they are finished, with their numbers; close the crew."""
    run = BatchRun(crew, limit)
    try:
        run.add([unit(number, task) for number, task in enumerate(tasks)])
        while run.is_busy:
            for one, outcome in run.outcomes(None):
                yield one.number, answer_of(outcome, limit)
    finally:
        crew.close()


def answer_of(outcome: Outcome | Late | Lost, limit: float | None) -> Answer:
    """Return the answer of a task, which is its outcome unless that says why there is none."""
    if isinstance(outcome, Answer):
        return outcome
    if isinstance(outcome, Late) and limit is not None:
        return cell_worker.timeout_answer(limit)
    return Answer(None, 0.0, reason_of(outcome, limit))


def reason_of(outcome: Outcome | Late | Lost, limit: float | None) -> str:
    """Return why there is no answer."""
    if isinstance(outcome, Lost) and not (outcome.late and limit is not None):
        return outcome.reason
    return cell_worker.timeout_reason(limit or 0.0)
