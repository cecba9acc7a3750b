"""What runs in another process: one numeric problem, with limits on threads and memory.

Nothing is imported here that reads the number of threads when it is loaded.
"""

from __future__ import annotations

import os
import signal
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..verify.run import Answer, Task

# Read by the libraries when they are loaded: one thread each, as there is a worker a core.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PLDCHECK_THREADS")
GIB = 2**30


def begin(memory: float | None) -> None:
    """Limit this process to one thread and, where the system can, to ``memory`` GiB of data."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # that is for who gave out the work
    if memory is None:
        return
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(memory * GIB)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if most < 0 else min(wanted, most), most))


def answered(task: Task) -> Answer:
    """The answer, or why there is none."""
    from ..verify.run import solve

    return solve(task)


def answered_within(task: Task, seconds: float | None) -> Answer:
    """The same, waited for so long: what is given up goes on in its thread until it ends by itself."""
    if seconds is None:
        return answered(task)
    found: list[Answer] = []
    thread = Thread(target=lambda: found.append(answered(task)), daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else given_up(seconds)


def given_up(seconds: float) -> Answer:
    """What is known of a problem that takes too long."""
    from ..verify.run import Answer

    return Answer(None, seconds, f"no answer within {seconds:g} s, the limit for a cell")
