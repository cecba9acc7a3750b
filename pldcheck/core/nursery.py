"""A process that loads the engines once and forks workers, which begin in milliseconds with all that was loaded.

A process that begins by itself imports for more than a second, of which nothing can be shared.  A fork shares it all,
but a process with threads must not be forked, and one that a user began may have any: so a nursery is begun, which has
a single thread, and is asked for forks.  It needs Linux: elsewhere a fork is not safe, or the end of a parent is not
told to its children.

A nursery ends with its parent, and its workers end with it, at once and even in the middle of a kernel.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from threading import Lock, current_thread, main_thread
from time import monotonic
from typing import Any, NoReturn

# Whether this system has what a nursery needs.
AVAILABLE = sys.platform == "linux"
# The variables from which libraries read their number of threads when they are loaded.  It is 1, since every core has a
# worker of its own, and since a process with threads must not be forked.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PLDCHECK_THREADS")
# The number of prctl by which a process asks for a signal when its parent ends.
PDEATHSIG = 1
# The largest message in bytes: a message has the names of some functions and the search path of modules.
MESSAGE = 1 << 16
# The most descriptors that a message has; those of runs have two.
DESCRIPTORS = 4
# Seconds in which a process that is killed must be gone.
FAREWELL = 10.0

# The function that loads what the workers of runs need.
ENGINES = "pldcheck.verification.runs.loaded_engines:load"

# The work of a fork, which does not return: it is called with descriptors and values.
Work = Callable[..., NoReturn]


class Nursery:
    """A process that forks workers on request.

    Parameters
    ----------
    load : str
        A module and its function, ``module:function``, which the nursery calls before it forks: what it loads, all
        workers have.

    """

    def __init__(self, load: str) -> None:
        self.parent = os.getpid()
        self._numbers, self._lock = count(), Lock()
        self._control, other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = (other_end, load, self.parent if current_thread() is main_thread() else None)
        process = multiprocessing.get_context("spawn").Process(target=_serve, args=words, daemon=True)
        process.start()
        other_end.close()
        # Where its socket is closed it is about to end, even if the system has it still.
        self.process, self._falls = process, False

    @property
    def lives(self) -> bool:
        """Whether this process has begun the nursery, and it has not ended."""
        return self.parent == os.getpid() and not self._falls and self.process.is_alive()

    def fork(self, work: Work, descriptors: Sequence[int], *values: Any) -> int:
        """Ask for a worker that calls ``work(descriptors, *values)``, and return its number; it is not waited for.

        Raise OSError if the nursery has ended.
        """
        number = next(self._numbers)
        # What the worker calls is read by itself: an error ends it alone.
        content = pickle.dumps((number, pickle.dumps((work, values)), sys.path))
        try:
            with self._lock:
                socket.send_fds(self._control, [content], list(descriptors))
        except OSError:
            self._falls = True
            raise
        return number

    def end(self, number: int) -> int | None:
        """Kill a worker and return its exit code; None if the nursery has ended, or does not answer."""
        limit = monotonic() + FAREWELL
        with self._lock, suppress(OSError):
            self._control.send(pickle.dumps((number, None, None)))
            while (left := limit - monotonic()) > 0:
                self._control.settimeout(left)
                try:
                    content = self._control.recv(MESSAGE)
                finally:
                    self._control.settimeout(None)
                if not content:
                    break
                of, code = pickle.loads(content)
                if of == number:  # not the late answer to an earlier question
                    return code
        return None

    def close(self) -> None:
        """Kill the nursery, and with it all of its workers."""
        if self.parent != os.getpid():
            # A fork of the parent has none of its threads, but may have a lock that one of them held.
            self._control.close()
            return
        if self.process.is_alive():
            self.process.kill()
        with self._lock:  # no thread is in a call on the socket when its number becomes free
            self._control.close()


_current: Nursery | None = None
_current_lock = Lock()


def nursery(load: str = ENGINES) -> Nursery:
    """Return the nursery of this process, which is begun if there is none.

    Parameters
    ----------
    load : str
        What a new nursery loads.  This file does not import it: so a command can begin its nursery before it has
        imported anything else itself.

    """
    global _current
    with _current_lock:
        if _current is None or not _current.lives:
            if _current is not None:
                _current.close()
            else:
                atexit.register(_close)
            _current = Nursery(load)
        return _current


def _close() -> None:
    if _current is not None:
        _current.close()


def end_with(parent: int) -> None:
    """Ask Linux to kill this process when its parent ends, even in the middle of a kernel.

    The parent must have begun it in its main thread, since Linux means the thread, which may end before its process.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGKILL)
    if hasattr(os, "getppid") and os.getppid() != parent:  # it has ended already
        os._exit(1)


def _serve(control: socket.socket, load: str, parent: int | None) -> NoReturn:
    """Load what is asked for, and fork and end workers until the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles the interrupt
    if parent is not None:
        end_with(parent)
    os.environ.update(dict.fromkeys(THREADS, "1"))
    gc.disable()  # searches for cycles take a tenth of the time of imports
    with suppress(Exception):  # a worker meets the same error, and its answers say so
        module, _, function = load.partition(":")
        getattr(__import__(module, fromlist=[function]), function)()
    gc.freeze()  # a search in a worker would copy the pages of all objects
    pids: dict[int, int] = {}
    while True:
        content, descriptors, _, _ = socket.recv_fds(control, MESSAGE, DESCRIPTORS)
        if not content:
            os._exit(0)
        number, request, paths = pickle.loads(content)
        if request is None:
            control.send(pickle.dumps((number, _ending(pids.pop(number, None)))))
            continue
        nursery_pid = os.getpid()
        pid = os.fork()
        if pid == 0:
            _begin(control, nursery_pid, request, descriptors, paths)
        pids[number] = pid
        for descriptor in descriptors:
            os.close(descriptor)


def _begin(
    control: socket.socket, parent: int, request: bytes, descriptors: Sequence[int], paths: list[str]
) -> NoReturn:
    """Run the work of a new fork, and end it."""
    try:
        end_with(parent)
        control.close()
        gc.enable()
        sys.path[:] = paths
        work, values = pickle.loads(request)
        work(descriptors, *values)
    finally:
        os._exit(1)


def _ending(pid: int | None) -> int | None:
    """Kill a worker that has not been waited for, and return its exit code."""
    if pid is None:
        return None
    os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
