"""The worker process: it solves one numeric problem at a time, with limits on threads and memory.

This file imports nothing that reads the number of threads when it is loaded: protocols load their engines, and with
them numpy and numba, at the first question.
"""

from __future__ import annotations

import os
import signal
import time
from threading import Thread
from typing import Protocol

from ..run_cells import Answer, Task, solve
from . import cell_identity

try:
    import resource
except ImportError:  # systems other than POSIX have no such limits
    resource = None  # type: ignore[assignment]

# The variables from which libraries read their number of threads when they are loaded.  It is 1, since every core has a
# worker of its own.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PLDCHECK_THREADS")
# Bytes per GiB.
GIB = 2**30
# The time in seconds between two checks whether the parent still lives.
WATCH = 1.0
# Whether the system has a timer that can end a process.
HAS_TIMER = hasattr(signal, "setitimer") and hasattr(signal, "SIGALRM")


class OtherWork(Protocol):
    """Work of a run that is no numeric problem: a file beside a row, say."""

    def solve(self) -> Answer:
        """Return the outcome; its reason, if there is one, says why it is none."""


# What a worker does at a time.
Work = Task | OtherWork
# The digest of the program that gave an answer, and the answer.
SignedAnswer = tuple[str, Answer]


def begin(memory: float | None, parent: int) -> None:
    """Limit this process to one thread and, if the system can, to ``memory`` GiB; end it when its parent ends."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles the interrupt
    Thread(target=_end_with, args=[parent], daemon=True).start()
    if memory is None or resource is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = int(memory * GIB)
    resource.setrlimit(resource.RLIMIT_DATA, (limit if most < 0 else min(limit, most), most))


def program() -> str:
    """Return the digest of the code that runs in this process, and of its libraries."""
    return cell_identity.code()


def answer(task: Work) -> Answer:
    """Return the answer to a task, or the reason why there is none."""
    return solve(task) if isinstance(task, Task) else task.solve()


def answer_or_end(task: Work, seconds: float | None) -> SignedAnswer:
    """Return this program and its answer to a task; after ``seconds``, the system ends this process.

    The timer of the system does not follow changes of the wall clock, and fires whatever this process is doing.
    """
    if seconds is None or not HAS_TIMER:
        return program(), answer(task)
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return program(), answer(task)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def answer_within(task: Work, seconds: float | None) -> SignedAnswer:
    """Return this program and its answer to a task, or the reason of a timeout after ``seconds``.

    A computation that took too long cannot be stopped here: its thread goes on until it ends by itself.
    """
    if seconds is None:
        return program(), answer(task)
    answers: list[Answer] = []
    thread = Thread(target=lambda: answers.append(answer(task)), daemon=True)
    thread.start()
    thread.join(seconds)
    return program(), answers[0] if answers else timeout_answer(seconds)


def _end_with(parent: int) -> None:
    """End this process once its parent is gone, because a parent that is killed cannot end its workers."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


def timeout_answer(seconds: float) -> Answer:
    """Return the answer to a problem that took too long."""
    return Answer(None, seconds, f"no answer within {seconds:g} s, the limit for a cell")
