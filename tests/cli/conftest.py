"""Command lines run in this process, with an engine that can be replaced."""

import json
import threading
from dataclasses import dataclass
from math import inf

import pytest

from pldcheck.cli import run
from pldcheck.core.interval import ErrorBudget, Interval
from pldcheck.protocols import HiddenSlot
from pldcheck.verification.runs.executors import InProcess


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command line."""

    status: int
    out: str
    err: str

    @property
    def json(self):
        """The one object on stdout."""
        return json.loads(self.out)


@pytest.fixture
def pldcheck(capsys, tmp_path, monkeypatch):
    """Runs a command line, given as words, in an empty folder; it is silent on its progress, however long it takes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.setattr("pldcheck.cli.progress.SECONDS", inf)
    monkeypatch.setattr("pldcheck.cli.progress.PATIENCE", inf)
    monkeypatch.setattr("pldcheck.cli.opening_line.SILENCE", threading.TIMEOUT_MAX)

    def call(*words):
        status = run([str(word) for word in words])
        return Outcome(status, *capsys.readouterr())

    return call


@pytest.fixture
def engine(monkeypatch):
    """Replaces the engine by a constant interval; returns a function that changes it."""
    answer = {}

    def install(lower, upper):
        budget, witness = ErrorBudget(1e-9, 0.0, 1e-20), {"kind": "law", "summary": "BE"}
        answer["epsilon"] = Interval(lower, upper, "epsilon", budget, witness)
        answer["delta"] = Interval(min(lower, 1.0), min(upper, 1.0), "delta", budget, witness)

    install(1e-9, 1.004e-9)
    # Other processes would not have it.
    monkeypatch.setattr("pldcheck.cli.run_executor.Cores", lambda *limits: InProcess())
    for quantity in ("epsilon", "delta"):
        monkeypatch.setattr(HiddenSlot, quantity, lambda self, arguments, width=0.005, key=quantity: answer[key])
    return install
