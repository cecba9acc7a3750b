"""Protocols that answer, wait, fail or die; in a module of their own, so that other processes can import them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import ClassVar

import numpy as np

from pldcheck.core.interval import Interval
from pldcheck.core.parameters import Text
from pldcheck.protocols import Protocol
from pldcheck.verification.run_cells import Answer, Problem, Task


@dataclass(frozen=True)
class Fake(Protocol):
    """Answers with its value after ``seconds``."""

    value: float = 1.0
    seconds: float = 0.0
    what: str = "answer"
    name: ClassVar[str] = "fake"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    default_width: ClassVar[float] = 0.1
    texts: ClassVar[tuple[Text, ...]] = (Text("value", "any"), Text("seconds", "any"), Text("what", "any"))

    def epsilon(self, delta, width):
        time.sleep(self.seconds)
        if self.what == "raise":
            raise ArithmeticError("no\nsuch number")
        if self.what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.what.startswith("die once "):
            mark = Path(self.what.removeprefix("die once "))
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        if self.what.startswith("suspend itself once "):
            mark = Path(self.what.removeprefix("suspend itself once "))
            if not mark.exists():
                mark.write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGSTOP)
        if self.what.startswith("end the parent once "):
            mark = Path(self.what.removeprefix("end the parent once "))
            if not mark.exists():
                mark.touch()
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(600.0)
        if self.what == "who":
            return Interval(float(os.getpid()), float(os.getpid()))
        if self.what.startswith("tell "):
            Path(self.what.removeprefix("tell ")).write_text(str(os.getpid()))
            time.sleep(600.0)
        if self.what == "spin":
            while True:
                pass
        if self.what == "hold":  # the interpreter lock, as a library of C may
            ctypes.PyDLL(None).sleep(600)
        if self.what == "eat":
            np.ones((200, 2**20))  # 1.6 GiB
        if self.what == "threads":
            return Interval(float(os.environ["OMP_NUM_THREADS"]), float(os.environ["NUMBA_NUM_THREADS"]))
        return Interval(self.value, self.value + delta)


def task(**fake):
    return Task(Problem(Fake(**fake), "epsilon", 1e-6), (), 0.1, 0.1)


@dataclass(frozen=True)
class LargeAnswer:
    """Work with a large answer, in the midst of which the process ends the first time."""

    mark: str

    def solve(self):
        if not Path(self.mark).exists():
            Path(self.mark).touch()
            Timer(0.2, os.kill, [os.getpid(), signal.SIGKILL]).start()
        return Answer(None, 0.0, "x" * 2**26)


def unreadable():
    """Raise the error of a worker that cannot read a task."""
    raise ImportError("no module of that name")


class Unreadable(str):
    """A text that cannot be read by another process."""

    def __reduce__(self):
        return unreadable, ()
