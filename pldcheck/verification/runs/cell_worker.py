"""The work of a worker: it plans cells and solves tasks, each within a time, with limits on threads and memory.

This file imports nothing that reads the number of threads when it is loaded: protocols load their engines, and with
them numpy and numba, at the first question.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
from collections.abc import Callable, MutableSequence
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic, perf_counter

from ...core.nursery import THREADS, end_with
from ..run_cells import Answer
from . import cell_identity
from .sent_cells import Outcome, Parcel

try:
    import resource
except ImportError:  # systems other than POSIX have no such limits
    resource = None  # type: ignore[assignment]

# Bytes per GiB.
GIB = 2**30
# Seconds between two looks at the time of a cell.  A process that was suspended between two of them is charged at most
# twice this time.
TICK = 0.5
# Seconds that an interrupted computation has to end before the next one begins beside it.
GRACE = 1.0


class _TooLateError(BaseException):
    """The interrupt of a computation that takes too long; no handler of errors catches it."""


@dataclass(frozen=True)
class Late:
    """The outcome of a cell or a task that took too long."""


LATE = Late()


@dataclass(frozen=True)
class Parts:
    """The outcomes of a parcel in their order; fewer than its cells and tasks if the worker leaves the rest to others.

    ``seconds`` is the time for all of them, ``program`` the digest of the code that gave them.  ``late`` says whether
    one of them took too long.
    """

    program: str
    outcomes: list[Outcome | Late]
    seconds: float
    late: bool = False


def begin(memory: float | None, parent: int | None) -> None:
    """Limit this process to one thread and, if the system can, to ``memory`` GiB; let it end when its parent does.

    The system is asked for that only if a ``parent`` is given: one whose main thread began this process, since Linux
    means the thread, which may end before its process.
    """
    os.environ.update(dict.fromkeys(THREADS, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles the interrupt
    if parent is not None:
        end_with(parent)
    if memory is None or resource is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = int(memory * GIB)
    resource.setrlimit(resource.RLIMIT_DATA, (limit if most < 0 else min(limit, most), most))


def program() -> str:
    """Return the digest of the code that runs in this process, and of its libraries."""
    return cell_identity.code()


def do(
    parcel: Parcel,
    beat: MutableSequence[float] | None = None,
    ends: bool = False,
    hands_back: Callable[[], bool] = lambda: False,
) -> Parts:
    """Return the outcomes of a parcel.

    Parameters
    ----------
    parcel : Parcel
        The cells and tasks, with their limit of time.
    beat : mutable sequence of two numbers, optional
        Where the number of what is under way is written, and the time of its beginning.
    ends : bool
        Whether the process ends after a computation that took too long, so that nothing is computed beside its rest.
        Else the rest goes on in a thread that is left alone.
    hands_back : callable
        A function that returns whether what is not begun is left to other workers.

    """
    start, any_late = perf_counter(), False
    outcomes: list[Outcome | Late] = []
    while len(outcomes) < parcel.count and not hands_back():
        attempt = _Attempt(parcel, len(outcomes), beat, hands_back)
        if parcel.limit is None:
            attempt.run()
            outcomes += attempt.outcomes
            continue
        late = attempt.run_within(parcel.limit)
        outcomes += attempt.outcomes
        if late:
            outcomes.append(LATE)
            any_late = True
            if ends:
                break
    return Parts(program(), outcomes, perf_counter() - start, any_late)


def do_sent(content: bytes) -> bytes:
    """Return the pickled parts of a pickled parcel: libraries of schedulers send bytes as they are."""
    return pickle.dumps(do(pickle.loads(content)), pickle.HIGHEST_PROTOCOL)


class _Attempt:
    """A computation of outcomes that may be given up: it is in a thread, and another one looks at the time."""

    def __init__(
        self, parcel: Parcel, first: int, beat: MutableSequence[float] | None, hands_back: Callable[[], bool]
    ) -> None:
        self.parcel, self.first, self.beat, self.hands_back = parcel, first, beat, hands_back
        self.outcomes: list[Outcome | Late] = []
        self.since = monotonic()
        self.over = False
        self.error: BaseException | None = None
        self.lock, self.end = Lock(), Event()

    def run(self) -> None:
        """Compute all outcomes from the first one on, or until what is not begun is handed back."""
        beat, place = self.beat, self.first
        if beat is not None:
            beat[0], beat[1] = place, self.since
        for outcome in self.parcel.outcomes(self.first):
            with self.lock:
                if self.over:
                    return
                self.outcomes.append(outcome)
                self.since = now = monotonic()
            place += 1
            if beat is not None:
                beat[0], beat[1] = place, now
            if self.hands_back():
                return

    def _run_and_tell(self) -> None:
        try:
            self.run()
        except BaseException as error:  # noqa: BLE001 - raised again where the outcomes are waited for
            self.error = error
        finally:
            self.end.set()

    def run_within(self, limit: float) -> bool:
        """Compute the outcomes until one of them takes too long, and return whether one does."""
        thread = Thread(target=self._run_and_tell, daemon=True)
        thread.start()
        count, spent, last = 0, 0.0, self.since
        while not self.end.wait(min(TICK, max(limit - spent, 0.0))):
            now = monotonic()
            step = min(now - last, 2 * TICK)
            last = now
            with self.lock:
                if len(self.outcomes) == count:
                    spent += step
                else:
                    count, spent = len(self.outcomes), min(now - self.since, step)
                self.over = spent >= limit
            if self.over:
                # The computation ends at the next line of Python that it comes to; a kernel is not interrupted.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_TooLateError)
                )
                self.end.wait(GRACE)
                return True
        if self.error is not None:
            raise self.error
        return False


def timeout_answer(limit: float) -> Answer:
    """Return the answer to a problem that took too long."""
    return Answer(None, limit, timeout_reason(limit))


def timeout_reason(limit: float) -> str:
    """Return why a cell that took too long has no answer."""
    return f"no answer within {limit:g} s, the limit for a cell"
