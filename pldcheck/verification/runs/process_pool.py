"""Processes of this machine that are replaced when they end or take too long.

Each process has two batches at most: one that it does, and one that waits in its queue, so that it goes on at once.
Where it is, it writes to memory that it shares with this process; so what a process was at when it was killed is known.
This process writes to pipes and reads from them in threads, so that it never waits for a process that is suspended.
Only these threads touch a pipe, and the last one closes it: the number of a closed pipe is that of the next one that is
opened, and a thread that still used it would read or write the messages of others.
"""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Sequence
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from ...core.errors import PldcheckError
from . import cell_worker, worker_process
from .cell_worker import GRACE, TICK
from .crews import Done, Lost, News
from .sent_cells import Parcel
from .worker_process import BACK, PLACE, SINCE

# The number of batches of a process: one is done, the other one waits.
DEPTH = 2
# A run ends with an error if so many processes, one after the other, end before they have begun with anything; those
# that end since their nursery did count once.
STILLBORN = 8
# Seconds after the limit of a cell at which a process is killed that does not end the cell itself.
PATIENCE = 5.0
# New objects between two searches of a process for cycles of garbage, of which batches leave next to none.
NEW_OBJECTS = 1_000_000
# The beginning of the reason of a cell whose process ended.
PROCESS_END = "its process ended"

# A message of a process, the error of a thread that reads or writes, or None when a process has ended.
_Content = bytes | BaseException | None


class _Worker:
    """A process, its batches, and where it is."""

    def __init__(self, memory: float | None, heard: SimpleQueue[tuple[_Worker, _Content]]) -> None:
        self.process = worker_process.begin(_work, memory)
        self.beat = self.process.beat
        self.sent: SimpleQueue[bytes | None] = SimpleQueue()
        self._heard = heard
        reader = Thread(target=self._read, args=[self.process.pipe], daemon=True)
        reader.start()
        Thread(target=self._write, args=[self.process.pipe, reader], daemon=True).start()
        # The limits of the batches by their numbers; the first one is under way.
        self.batches: dict[int, float | None] = {}
        self.ready = self.ends = False
        # The batch and the time of the beginning that were seen last, and the seconds for which they have been seen.
        self.seen: tuple[int | None, float] = (None, 0.0)
        self.spent = 0.0

    def _write(self, pipe: Connection, reader: Thread) -> None:
        """Send what is given until this worker is ended; close the pipe when the other thread has left it, too."""
        try:
            while (content := self.sent.get()) is not None:
                pipe.send_bytes(content)
        except OSError:  # the process has ended, which is heard from the other thread
            pass
        except BaseException as error:
            self._heard.put((self, error))
        reader.join()
        pipe.close()

    def _read(self, pipe: Connection) -> None:
        """Put into the queue what the process says until it has ended, or the error that prevents it."""
        try:
            while True:
                self._heard.put((self, pipe.recv_bytes()))
        except (EOFError, OSError):
            self._heard.put((self, None))
        except BaseException as error:
            self._heard.put((self, error))

    @property
    def first(self) -> int | None:
        """The number of the batch that is under way."""
        return next(iter(self.batches), None)

    def give(self, crew: str, number: int, parcel: Parcel) -> None:
        """Send a batch of a crew."""
        # The parcel is read by itself: a process that cannot read it still knows which batch that is.
        inner = pickle.dumps(parcel, pickle.HIGHEST_PROTOCOL)
        content = pickle.dumps((crew, number, inner), pickle.HIGHEST_PROTOCOL)
        self.batches[number] = parcel.limit
        self.sent.put(content)

    def look(self, step: float) -> None:
        """Add the time since the last look to that of what is under way, unless something else is."""
        seen = (self.first, self.beat[SINCE])
        self.spent = self.spent + step if seen == self.seen else 0.0
        self.seen = seen

    @property
    def is_stuck(self) -> bool:
        """Whether what is under way has long been over its limit."""
        limit = self.batches[self.first] if self.first is not None else None
        return limit is not None and self.spent > limit + GRACE + PATIENCE

    def end(self) -> None:
        """Kill the process, even if it is suspended."""
        self.process.kill()
        self.sent.put(None)


class Processes:
    """A crew of processes, each with one thread, a limit of memory and a limit of time for a cell."""

    remote = True

    def __init__(self, count: int, memory: float | None) -> None:
        self.count, self.memory = count, memory
        # Batches of every crew are numbered from the same number on: its name tells them apart.
        self._name = uuid4().hex
        self._workers: list[_Worker] = []
        self._heard: SimpleQueue[tuple[_Worker, _Content]] = SimpleQueue()
        self._stillborn = 0
        # What took the last ones of these with it.
        self._fell_with: object = None
        self._looked = monotonic()

    @property
    def room(self) -> int:
        """The number of batches that can be given now."""
        return DEPTH * self.count - sum(len(worker.batches) for worker in self._workers)

    @property
    def idle(self) -> int:
        """The number of processes that have nothing to do, or have not begun."""
        return self.count - sum(bool(worker.batches) for worker in self._workers)

    def give(self, number: int, parcel: Parcel) -> None:
        """Give a batch to a process that has none, to a new one, or to the one with the fewest."""
        idle = [worker for worker in self._workers if not worker.batches]
        if not idle and len(self._workers) < self.count:
            self._workers.append(_Worker(self.memory, self._heard))
            idle = self._workers[-1:]
        min(idle or self._workers, key=lambda worker: len(worker.batches)).give(self._name, number, parcel)

    def ask_back(self) -> None:
        """Ask all processes for what they have not begun of the batches that they have now."""
        for worker in self._workers:
            worker.beat[BACK] = max(worker.batches, default=0)

    def forget(self, number: int) -> None:
        """Kill the process that does a batch of which nothing more need be heard."""
        for worker in self._workers:
            if worker.first == number:
                worker.end()

    def news(self, seconds: float | None) -> Sequence[News]:
        """Return what is heard within this time; nothing if nothing is under way."""
        if not any(worker.batches for worker in self._workers):
            return []
        try:
            news = self._hear(*self._heard.get(timeout=TICK if seconds is None else min(seconds, TICK)))
        except Empty:
            news = []
        now = monotonic()
        step, self._looked = min(now - self._looked, 2 * TICK), now
        for worker in self._workers:
            worker.look(step)
            if worker.is_stuck:
                worker.end()
        return news

    def _hear(self, worker: _Worker, content: _Content) -> list[News]:
        """Return the news in what a process says; without any content, it has ended."""
        if worker not in self._workers:
            return []
        if content is None:
            return self._replace(worker)
        if isinstance(content, BaseException):
            raise content
        crew, number, said = pickle.loads(content)
        worker.ready, self._stillborn = True, 0
        if number is None:
            return []
        if crew != self._name or number not in worker.batches:
            raise PldcheckError(f"a process answered batch {number} of run {crew}, which it was not given by this run")
        del worker.batches[number]
        if isinstance(said, str):
            return [Lost(number, said)]
        worker.ends = said.late
        return [Done(number, said)]

    def _replace(self, worker: _Worker) -> list[News]:
        """Return the batches of a process that has ended; the next batch gets another process."""
        self._workers.remove(worker)
        worker.end()
        code = worker.process.ending()
        reason = f"{PROCESS_END}{_ending(code)}"
        cause = worker.process.fell_with
        if not worker.ready and (cause is None or cause is not self._fell_with):
            self._stillborn, self._fell_with = self._stillborn + 1, cause
            if self._stillborn == STILLBORN:
                raise PldcheckError(f"{STILLBORN} processes ended before they began, the last one so: {reason}")
        begun = worker.first if worker.ready and not worker.ends else None
        place, late = int(worker.beat[PLACE]), worker.is_stuck
        return [
            Lost(number, reason, place, late) if number == begun else Lost(number, reason, waiting=True)
            for number in worker.batches
        ]

    def close(self) -> None:
        """Kill all processes."""
        for worker in self._workers:
            worker.end()
        for worker in self._workers:
            worker.process.ending()
        self._workers = []


def _ending(code: int | None) -> str:
    if code is None:
        return ""
    return f" (signal {-code})" if code < 0 else f" (exit status {code})"


def _work(pipe: Connection, beat: Any, memory: float | None, parent: int | None) -> None:
    """Solve batches until the pipe ends; after a computation that took too long, end this process."""
    cell_worker.begin(memory, parent)
    gc.set_threshold(NEW_OBJECTS)
    batches: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_take, args=[pipe, batches], daemon=True).start()
    pipe.send_bytes(pickle.dumps((None, None, "ready")))
    while True:
        crew, number, said = _answer(batches.get(), beat)
        pipe.send_bytes(pickle.dumps((crew, number, said), pickle.HIGHEST_PROTOCOL))
        if isinstance(said, cell_worker.Parts) and said.late:
            os._exit(0)


def _answer(content: bytes, beat: Any) -> tuple[str, int, cell_worker.Parts | str]:
    """Return the crew and the number of a batch, and its parts or the error that prevents them."""
    crew, number, parcel = pickle.loads(content)
    try:
        said = cell_worker.do(pickle.loads(parcel), beat, ends=True, hands_back=lambda: beat[BACK] >= number)
        return crew, number, said
    except Exception as error:
        return crew, number, " ".join(f"{type(error).__name__}: {error}".split())


def _take(pipe: Connection, batches: SimpleQueue[bytes]) -> None:
    """Put what is sent into the queue, so that the parent never waits; end the process when the parent has ended."""
    while True:
        try:
            batches.put(pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(1)
