"""The work of a worker: it plans cells and solves tasks, each within a time, with limits on threads and memory.

This file imports nothing that reads the number of threads when it is loaded: protocols load their engines, and with
them numpy and numba, at the first question.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic, perf_counter

from ...core.fork_server import THREADS
from . import cell_identity
from .sent_cells import Outcome, Parcel, Parts, digest

try:
    import resource
except ImportError:  # systems other than POSIX have no such limits
    resource = None  # type: ignore[assignment]

# Bytes per GiB.
GIB = 2**30
# The memory that a process must be able to take when it begins: the program and its first small answers need so much.
BEGINNING = 64 << 20
# Seconds between two looks at the time of a cell.  A process that was suspended between two of them is charged at most
# twice this time.
TICK = 0.5
# Seconds that an interrupted computation has to end before its outcome is told.
GRACE = 1.0


class _TooLateError(BaseException):
    """The interrupt of a computation that takes too long; no handler of errors catches it."""


def limit_process(memory: float | None) -> str:
    """Limit this process to one thread and, if the system can, to ``memory`` GiB.

    Return why it cannot work with so little; no text if it can.
    """
    os.environ.update(dict.fromkeys(THREADS, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles the interrupt
    if memory is None or resource is None:
        return ""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = int(memory * GIB)
    resource.setrlimit(resource.RLIMIT_DATA, (limit if most < 0 else min(limit, most), most))
    try:
        bytes(BEGINNING)
    except MemoryError:
        return f"a process cannot begin with {memory:g} GiB of data: memory (--memory) must be more"
    return ""


def program() -> str:
    """Return the digest of the code that runs in this process, and of its libraries."""
    return cell_identity.code()


def do(sent: bytes | Parcel, tick: Callable[[], None] = lambda: None) -> Parts:
    """Return the outcomes of a parcel, pickled or not, up to its budget of time or to one that takes too long.

    What takes too long is interrupted at the next line of Python that it comes to; if it comes to none it goes on in
    its thread.  ``tick`` is called now and then while there is a limit of time.
    """
    parcel: Parcel = pickle.loads(sent) if isinstance(sent, bytes) else sent
    start = perf_counter()
    outcomes: list[Outcome | None] = []
    if parcel.limit is None:
        for outcome in parcel.outcomes():
            outcomes.append(outcome)
            if perf_counter() - start > parcel.budget:
                break
    else:
        outcomes = _outcomes_in_time(parcel, parcel.limit, tick)
    return Parts(digest(sent), program(), outcomes, perf_counter() - start)


def do_sent(content: bytes) -> bytes:
    """Return the pickled parts of a pickled parcel: libraries of schedulers send bytes as they are."""
    return pickle.dumps(do(content), pickle.HIGHEST_PROTOCOL)


def _outcomes_in_time(parcel: Parcel, limit: float, tick: Callable[[], None]) -> list[Outcome | None]:
    """Compute outcomes in another thread, and look at the time in this one."""
    outcomes: list[Outcome | None] = []
    errors: list[BaseException] = []
    lock, end, start = Lock(), Event(), monotonic()
    is_over = False

    def compute() -> None:
        try:
            for outcome in parcel.outcomes():
                with lock:
                    if is_over:
                        return
                    outcomes.append(outcome)
                if monotonic() - start > parcel.budget:
                    return
        except BaseException as error:  # noqa: BLE001 - raised again where the outcomes are waited for
            errors.append(error)
        finally:
            end.set()

    thread = Thread(target=compute, daemon=True)
    thread.start()
    count, spent, last = 0, 0.0, start
    while not end.wait(min(TICK, max(limit - spent, 0.0))):
        tick()
        now = monotonic()
        step, last = min(now - last, 2 * TICK), now
        with lock:
            spent = spent + step if len(outcomes) == count else 0.0
            count, is_over = len(outcomes), spent >= limit
            if is_over:
                outcomes.append(None)
        if is_over:
            late = ctypes.py_object(_TooLateError)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), late)
            end.wait(GRACE)
            return outcomes
    if errors:
        raise errors[0]
    return outcomes
