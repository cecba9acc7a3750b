"""Protocols that answer, wait, fail or die; in a module of their own, so that other processes can import them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

import numpy as np

from pldcheck.interval import Interval
from pldcheck.verify.run import Problem, Task


@dataclass(frozen=True)
class Fake:
    """Answers with its value after ``seconds``."""

    value: float = 1.0
    seconds: float = 0.0
    what: str = "answer"
    usual_width = 0.1

    def epsilon(self, delta, width):
        time.sleep(self.seconds)
        if self.what == "raise":
            raise ArithmeticError("no\nsuch number")
        if self.what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.what == "eat":
            np.ones((200, 2**20))  # 1.6 GiB
        if self.what == "threads":
            return Interval(float(os.environ["OMP_NUM_THREADS"]), float(os.environ["NUMBA_NUM_THREADS"]))
        return Interval(self.value, self.value + delta)


def task(**fake):
    return Task(Problem(Fake(**fake), "epsilon", 1e-6), (), 0.1, 0.1)
