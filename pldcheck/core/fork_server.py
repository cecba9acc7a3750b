"""A process that has loaded the engines and forks workers, which begin in milliseconds with all that it has loaded.

A process that begins by itself imports for more than a second.  A process with threads must not be forked, and that of
a user may have any: so a server, which has a single thread, is asked for forks.  It needs Linux, and runs no script of
the user's.  It ends when its parent has ended, and its forks are killed with it, even in the middle of a kernel.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, NoReturn

# Whether this system has what a server needs.
AVAILABLE = sys.platform == "linux"
# The variables from which libraries read their number of threads when they are loaded.  It is 1, since every core has a
# worker of its own, and since a process with threads must not be forked.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PLDCHECK_THREADS")
# The number of prctl by which a process asks for a signal when its parent ends.
PDEATHSIG = 1
# The largest message in bytes: a message has the names of some functions and the search path of modules.
MESSAGE = 1 << 16
# Seconds between two looks of the server whether its parent lives.
LOOK = 0.5

# The function that loads what the workers of runs need.
ENGINES = "pldcheck.verification.runs.loaded_engines:load"


class ForkServer:
    """A process that forks workers on request.

    Parameters
    ----------
    load : str
        A module and its function, ``module:function``, which the server calls before it forks: what it loads, all
        workers have.

    """

    def __init__(self, load: str = ENGINES) -> None:
        self.parent = os.getpid()
        self._numbers, self._lock = count(), Lock()
        self._control, other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = f"{other_end.fileno()}, {self.parent}, {load!r}"
        # The parent handles an interrupt; the server ignores it from its first line on.
        code = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        code += f"sys.path[:] = {sys.path!r}; from {__name__} import _serve; _serve({words})"
        environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
        with other_end:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                pass_fds=[other_end.fileno()],
                env=environment,
            )

    @property
    def lives(self) -> bool:
        """Whether this process has begun the server, and it has not ended."""
        return self.parent == os.getpid() and self.process.poll() is None

    def fork(self, work: Callable[..., None], descriptors: Sequence[int], *values: Any) -> int:
        """Ask for a worker that calls ``work(*descriptors, *values)``, and return its number; it is not waited for.

        The last descriptor is not for the worker: the server writes to it how the worker ended, which is an exit code,
        or a text if it could not begin.  Raise OSError if the server has ended.
        """
        number = next(self._numbers)
        # What the worker calls is read by itself: an error ends it alone.
        content = pickle.dumps((number, pickle.dumps((work, values)), sys.path))
        with self._lock:
            socket.send_fds(self._control, [content], list(descriptors))
        return number

    def kill(self, number: int) -> None:
        """Kill a worker, even one that is suspended; it may have ended."""
        # The server alone waits for its forks, so that the number of an ended process cannot be that of another one.
        with self._lock, suppress(OSError):
            self._control.send(pickle.dumps((number, None, None)))

    def close(self) -> None:
        """Kill the server, and with it all of its workers."""
        if self.parent == os.getpid():  # else this is a fork of the parent, whose lock a thread may have held
            self.process.kill()
            self.process.wait()
            with self._lock:  # no thread is in a call on the socket when its number becomes free
                self._control.close()


_current: ForkServer | None = None
_current_lock = Lock()


def begin() -> ForkServer:
    """Return the fork server of this process, which is begun if there is none.

    This file does not import what the server loads: so a command can begin its server before it has imported anything.
    """
    global _current
    with _current_lock:
        if _current is None or not _current.lives:
            if _current is None:
                atexit.register(_close)
            else:
                _current.close()
            _current = ForkServer()
        return _current


def _close() -> None:
    if _current is not None:
        _current.close()


def _serve(descriptor: int, parent: int, load: str) -> NoReturn:
    """Load what is asked for, and fork and kill workers until the parent has ended."""
    signal.signal(signal.SIGALRM, lambda *_: os.getppid() == parent or os._exit(1))
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    gc.disable()  # searches for cycles take a tenth of the time of imports
    with suppress(Exception):  # a worker meets the same error, and its answers say so
        module, _, function = load.partition(":")
        getattr(__import__(module, fromlist=[function]), function)()
    gc.freeze()  # a search in a worker would copy the pages of all objects
    control, (ended, ends) = socket.socket(fileno=descriptor), os.pipe()
    os.set_blocking(ends, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ends, warn_on_full_buffer=False)
    forks: dict[int, tuple[int, Connection]] = {}
    while True:
        ready, _, _ = select.select([descriptor, ended], [], [])
        if ended in ready:
            os.read(ended, MESSAGE)
            _tell_endings(forks)
        if descriptor not in ready:
            continue
        content, descriptors, _, _ = socket.recv_fds(control, MESSAGE, 2)
        if not content:
            os._exit(0)
        number, request, paths = pickle.loads(content)
        if request is None:
            for pid in [pid for pid, (own, _) in forks.items() if own == number]:
                os.kill(pid, signal.SIGKILL)
            continue
        server, pipe = os.getpid(), Connection(descriptors.pop(), readable=False)
        try:
            pid = os.fork()
        except OSError as error:
            pipe.send(f"no process can be begun: {error.strerror}")
        else:
            if pid == 0:
                _begin(server, request, descriptors, paths)
            forks[pid] = number, pipe
        for one in descriptors:
            os.close(one)


def _tell_endings(forks: dict[int, tuple[int, Connection]]) -> None:
    """Write to the pipe of each fork that has ended how it did."""
    with suppress(ChildProcessError):
        while (ending := os.waitpid(-1, os.WNOHANG))[0]:
            with forks.pop(ending[0])[1] as pipe, suppress(OSError):
                pipe.send(os.waitstatus_to_exitcode(ending[1]))


def _begin(server: int, request: bytes, descriptors: Sequence[int], paths: list[str]) -> NoReturn:
    """Run the work of a new fork, and end it."""
    try:
        ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGKILL)
        if os.getppid() != server:  # it has ended already
            os._exit(1)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        gc.enable()
        sys.path[:] = paths
        work, values = pickle.loads(request)
        work(*descriptors, *values)
    finally:
        os._exit(1)
