"""The process of a worker: a fork of the nursery where there can be one, else a new process of Python.

Both have a pipe, and numbers in memory that is shared with this process, so that it is known what a process was at when
it was killed, and a process is asked for what it has not begun.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import RawArray
from threading import current_thread, main_thread
from typing import Any, NoReturn, Protocol

from ...core import nursery

# The places of the numbers that a process writes.  The first has the place in its batch of what is under way.
PLACE = 0
# The time at which that began.
SINCE = 1
# The process's own number.
PID = 2
# The place of the number that this process writes: of batches up to that number, what is not begun is handed back.
BACK = 3
# The bytes of these numbers.
BYTES = 4 * 8
# Seconds in which a process that is killed must be gone.
FAREWELL = 10.0

# The work of a worker: it is called with its pipe, the shared numbers, the limit of memory and the number of the parent
# with which it ends, or None if it is to end by other means.
Work = Callable[[Connection, Any, float | None, int | None], None]


class WorkerProcess(Protocol):
    """A process that does the work of a worker."""

    # The pipe to the process.
    pipe: Connection
    # The shared numbers.
    beat: Any

    @property
    def fell_with(self) -> object:
        """The process that has ended and taken this one with it; None if it ended by itself."""

    def kill(self) -> None:
        """Kill the process, even if it is suspended."""

    def ending(self) -> int | None:
        """Kill the process, wait until it is gone, and return its exit code if it is known."""


class ForkedProcess:
    """A fork of the nursery."""

    def __init__(self, work: Work, memory: float | None) -> None:
        self.pipe, other_end = multiprocessing.Pipe()
        shared = os.memfd_create("beat")
        try:
            os.ftruncate(shared, BYTES)
            self.beat = memoryview(mmap.mmap(shared, BYTES)).cast("d")
            self._nursery = nursery.nursery()
            self._number = self._nursery.fork(_work_of_fork, [other_end.fileno(), shared], work, memory)
        finally:
            other_end.close()
            os.close(shared)

    @property
    def fell_with(self) -> object:
        """The nursery, if it has ended."""
        return None if self._nursery.lives else self._nursery

    def kill(self) -> None:
        """Kill the process, even if it is suspended."""
        # The nursery waits for it when its ending is asked for: until then nothing else has its number.
        if (pid := int(self.beat[PID])) and self._nursery.lives:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ending(self) -> int | None:
        """Kill the process, wait until it is gone, and return its exit code if it is known."""
        self.kill()
        return self._nursery.end(self._number)


def _work_of_fork(descriptors: list[int], work: Work, memory: float | None) -> NoReturn:
    beat = memoryview(mmap.mmap(descriptors[1], BYTES)).cast("d")
    os.close(descriptors[1])
    beat[PID] = os.getpid()
    work(Connection(descriptors[0]), beat, memory, None)
    os._exit(0)


class NewProcess:
    """A process of its own."""

    def __init__(self, work: Work, memory: float | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.beat: Any = RawArray("d", BYTES // 8)
        self.pipe, other_end = context.Pipe()
        words = (other_end, self.beat, memory, os.getpid() if current_thread() is main_thread() else None)
        self._process = context.Process(target=work, args=words, daemon=True)
        self._process.start()
        other_end.close()

    @property
    def fell_with(self) -> object:
        """Nothing: it ends by itself."""
        return None

    def kill(self) -> None:
        """Kill the process, even if it is suspended."""
        self._process.kill()

    def ending(self) -> int | None:
        """Kill the process, wait until it is gone, and return its exit code if it is known."""
        self.kill()
        self._process.join(FAREWELL)
        return self._process.exitcode


def begin(work: Work, memory: float | None) -> WorkerProcess:
    """Return a new process that does the work."""
    if not nursery.AVAILABLE:
        return NewProcess(work, memory)
    try:
        return ForkedProcess(work, memory)
    except OSError:  # the nursery ended since it was looked at, and another one is begun
        return ForkedProcess(work, memory)
