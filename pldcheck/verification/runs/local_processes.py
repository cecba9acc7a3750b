"""Processes of this machine: each belongs to one thread of a pool, which gives it a batch and waits for the answer.

So a run never waits for a process that is suspended while others work, the batch with which a process ends is known,
and no pipe is closed while another thread uses it.  Pools of libraries were tried: with one killed process they lose
what others had, or an answer that is half written, and their processes outlive a parent that is killed.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock, Thread, local
from time import monotonic
from weakref import WeakSet

from ...core import fork_server
from ...core.errors import PldcheckError
from . import cell_worker
from .cell_worker import GRACE, TICK

# So many processes may end, one after the other, before they have begun: someone may kill them at random.
STILLBORN = 8
# Seconds after the limit of a cell at which a process is killed that does not end the cell itself.
PATIENCE = 5.0
# New objects between two searches of a process for cycles of garbage, of which batches leave next to none.
NEW_OBJECTS = 1_000_000
# The signals with which processes end for want of memory: that of the system, and that of libraries of C.
WITHOUT_MEMORY = (signal.SIGABRT, 9)
# What a script needs where processes are not forked.
GUARD = "; here a script that computes on processes needs a line: if __name__ == '__main__':"


class BatchLostError(Exception):
    """The loss of a batch with its process; ``is_late`` says that this was killed because a cell took too long."""

    def __init__(self, reason: str, is_late: bool = False) -> None:
        super().__init__(reason)
        self.is_late = is_late


class _ForkedProcess:
    """A fork of the server."""

    def __init__(self, memory: float | None) -> None:
        self.pipe, other_end = multiprocessing.Pipe()
        self._ending, ends = multiprocessing.Pipe(duplex=False)
        with other_end, ends:
            self._server = fork_server.begin()
            descriptors = [other_end.fileno(), ends.fileno()]
            try:
                self._number = self._server.fork(_work_of_fork, descriptors, memory)
            except OSError:  # the server has ended since it was looked at, and another one is begun
                self._server = fork_server.begin()
                self._number = self._server.fork(_work_of_fork, descriptors, memory)

    def kill(self) -> None:
        """Kill the process, even if it is suspended; any thread may."""
        self._server.kill(self._number)

    def ending(self) -> int | str | None:
        """Wait until the process is gone; return its exit code, why it did not begin, or None if that is not known."""
        with self._ending:
            try:
                return self._ending.recv()
            except (EOFError, OSError):  # the server has ended, and its forks with it
                return None


class _NewProcess:
    """A process of its own, where there is no fork server."""

    def __init__(self, memory: float | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other_end = context.Pipe()
        with other_end:
            self._process = context.Process(target=_work_of_new, args=(other_end, memory), daemon=True)
            self._process.start()
        self.kill = self._process.kill

    def ending(self) -> int | str | None:
        """Wait until the process is gone, and return its exit code."""
        self._process.join()
        return self._process.exitcode


class Processes:
    """An executor of pickled parcels on processes, each with one thread and limits of memory and of time for a cell."""

    def __init__(self, count: int, memory: float | None, limit: float | None) -> None:
        self._memory, self._limit = memory, limit
        self._threads, self._own = ThreadPoolExecutor(count), local()
        self._lock, self._is_closed = Lock(), False
        self._processes: WeakSet[_ForkedProcess | _NewProcess] = WeakSet()

    def submit(self, content: bytes) -> Future[bytes]:
        """Return the future of the pickled parts of a pickled parcel.

        It raises BatchLostError if a process ends, and PldcheckError if none can begin.
        """
        return self._threads.submit(self._answer, content)

    def shutdown(self) -> None:
        """Kill all processes."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.kill()

    def _answer(self, content: bytes) -> bytes:
        """Return what the process of this thread answers; begin one if there is none."""
        process = getattr(self._own, "process", None) or self._begin()
        self._own.process = None
        keeps = False
        try:
            process.pipe.send_bytes(content)
            answer, error, is_spoilt = self._hear(process)
            keeps = not is_spoilt
        except (EOFError, OSError):
            process.kill()
            raise BatchLostError(_words(process.ending())) from None
        finally:
            if keeps:
                self._own.process = process
            else:
                process.kill()
                process.pipe.close()
        if error:
            raise BatchLostError(error)
        return answer

    def _hear(self, process: _ForkedProcess | _NewProcess) -> tuple[bytes, str, bool]:
        """Return what a process says; raise BatchLostError if it has been silent for too long."""
        silence, last = 0.0, monotonic()
        while True:
            if process.pipe.poll(None if self._limit is None else TICK):
                if (said := process.pipe.recv()) is not None:
                    return said
                silence = 0.0
            now = monotonic()
            silence, last = silence + min(now - last, 2 * TICK), now  # while this process is suspended none is late
            if self._limit is not None and silence > self._limit + GRACE + PATIENCE:
                raise BatchLostError("a cell took too long", is_late=True)

    def _begin(self) -> _ForkedProcess | _NewProcess:
        """Return a new process that has begun; raise PldcheckError if none does."""
        reason = ""
        for _ in range(STILLBORN):
            with self._lock:
                if self._is_closed:
                    raise CancelledError
                process = (_ForkedProcess if fork_server.AVAILABLE else _NewProcess)(self._memory)
                self._processes.add(process)
            try:
                complaint = process.pipe.recv()
            except (EOFError, OSError):
                process.kill()
                process.pipe.close()
                reason = _words(process.ending())
                continue
            if complaint:
                process.kill()
                raise PldcheckError(complaint)
            return process
        hint = "" if fork_server.AVAILABLE else GUARD
        raise PldcheckError(f"{STILLBORN} processes ended before they began, the last one so: {reason}{hint}")


def _words(ending: int | str | None) -> str:
    """Return how a process ended, in words."""
    if isinstance(ending, str):
        return ending
    if ending is None:
        return "its process ended"
    hint = ", as when memory runs out" if -ending in WITHOUT_MEMORY else ""
    return f"its process ended (signal {-ending}{hint})" if ending < 0 else f"its process ended (exit status {ending})"


def _work_of_fork(descriptor: int, memory: float | None) -> None:
    _work(Connection(descriptor), memory)


def _work_of_new(pipe: Connection, memory: float | None) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    _work(pipe, memory)


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
    os._exit(1)


def _work(pipe: Connection, memory: float | None) -> None:
    """Solve parcels until the pipe ends."""
    gc.set_threshold(NEW_OBJECTS)
    with suppress(EOFError, OSError):
        pipe.send(cell_worker.limit_process(memory))
        while True:
            pipe.send(_said(pipe.recv_bytes(), lambda: pipe.send(None)))


def _said(content: bytes, tick: Callable[[], None]) -> tuple[bytes, str, bool]:
    """Return the pickled parts of a pickled parcel, or the error that prevents them, and whether a rest goes on."""
    try:
        parts = cell_worker.do(content, tick)
        return pickle.dumps(parts, pickle.HIGHEST_PROTOCOL), "", parts.is_late
    except Exception as error:
        return b"", " ".join(f"{type(error).__name__}: {error}".split()), False
