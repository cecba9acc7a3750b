"""Processes that answer line by line, each within its time, and commands timed from start to end."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from time import monotonic
from types import TracebackType
from typing import Any

from ..places import ROOT

LONGEST = 200


class Late(Exception):
    """No answer within the time."""


class ChildError(Exception):
    """The process ended, and what it said last."""


class Child:
    """A module here that reads a JSON object a line and answers with one; ended with all that it has started."""

    def __init__(self, script: str, python: str = sys.executable, **environment: str) -> None:
        self._errors = TemporaryFile()
        # The checkout's own code is measured, whatever is installed.
        env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        self._process = subprocess.Popen(
            [python, "-m", f"{__package__}.{script}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=env,
            start_new_session=True,
        )
        self._read = b""

    def ask(self, seconds: float, **request: Any) -> dict[str, Any]:
        """Return the answer; raises Late, after which the process is gone, or Died."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write((json.dumps(request) + "\n").encode())
            self._process.stdin.flush()
        until, out = monotonic() + seconds, self._process.stdout.fileno()
        while b"\n" not in self._read:
            ready, _, _ = select.select([out], [], [], max(until - monotonic(), 0.0))
            if not ready:
                self.close()
                raise Late(f"no answer within {seconds:g} s")
            data = os.read(out, 2**16)
            if not data:
                raise ChildError(self._ending())
            self._read += data
        line, self._read = self._read.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ChildError(answer["error"])
        return answer

    def _ending(self) -> str:
        status = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read()[-4096:].decode(errors="replace").strip().splitlines()
        return " ".join(": ".join([f"its process ended ({status})", *lines[-1:]]).split())[:LONGEST]

    def close(self) -> None:
        """End it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def command(words: Sequence[str], seconds: float, folder: str, **environment: str) -> Mapping[str, Any]:
    """Return seconds, exit status, peak memory of the largest process and output of a command run in ``folder``."""
    with Child("launch", **environment) as child:
        return child.ask(seconds, words=[sys.executable, *words], folder=folder)
