"""What runs in another process: one numeric problem, with limits on threads and memory.

Nothing is imported here that reads the number of threads when it is loaded: protocols load their engines, and with them
numpy and numba, at the first question.
"""

from __future__ import annotations

import os
import signal
import time
from threading import Thread

from ..run_cells import Answer, Task, solve
from . import cell_identity

try:
    import resource
except ImportError:  # not a POSIX system: no limits
    resource = None  # type: ignore[assignment]

# Read by the libraries when they are loaded: one thread each, as there is a worker a core.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PLDCHECK_THREADS")
GIB = 2**30
# Seconds between two looks at whether the parent still lives.
WATCH = 1.0
# Whether the system has a timer that ends a process.
TIMED = hasattr(signal, "setitimer") and hasattr(signal, "SIGALRM")

# An answer, and the program that gave it.
Signed = tuple[str, Answer]


def begin(memory: float | None, parent: int) -> None:
    """Limit this process to one thread and, where possible, to ``memory`` GiB of data; it ends with its parent."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # that is for who gave out the work
    Thread(target=_end_with, args=[parent], daemon=True).start()
    if memory is None or resource is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(memory * GIB)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if most < 0 else min(wanted, most), most))


def program() -> str:
    """Return the digest of the code that runs here and of the libraries it uses."""
    return cell_identity.code()


def answered(task: Task) -> Answer:
    """Return the answer, or why there is none."""
    return solve(task)


def answered_or_ended(task: Task, seconds: float | None) -> Signed:
    """Return the same, with the program that answers; after so many seconds the system ends this process.

    The system's own timer does not follow the wall clock, and needs nothing of what this process is doing.
    """
    if seconds is None or not TIMED:
        return program(), answered(task)
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return program(), answered(task)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def answered_within(task: Task, seconds: float | None) -> Signed:
    """Return the same, waited for so long: what is given up goes on in its thread until it ends by itself."""
    if seconds is None:
        return program(), answered(task)
    found: list[Answer] = []
    thread = Thread(target=lambda: found.append(answered(task)), daemon=True)
    thread.start()
    thread.join(seconds)
    return program(), found[0] if found else given_up(seconds)


def _end_with(parent: int) -> None:
    """Ends this process once its parent is gone: whoever is killed cannot end its workers."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


def given_up(seconds: float) -> Answer:
    """Return what is known of a problem that takes too long."""
    return Answer(None, seconds, f"no answer within {seconds:g} s, the limit for a cell")
