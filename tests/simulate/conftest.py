"""Command lines run in this process; helpers beside the tests."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from pldcheck.cli import run

sys.path.insert(0, str(Path(__file__).parent))  # for `import protocol_twins`, `import marked`


@dataclass(frozen=True)
class Outcome:
    """What a command line did."""

    status: int
    out: str
    err: str

    @property
    def json(self):
        """The one object on stdout."""
        return json.loads(self.out)


@pytest.fixture
def pldcheck(capsys, tmp_path, monkeypatch):
    """Runs a command line, given as words, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        status = run([str(word) for word in words])
        return Outcome(status, *capsys.readouterr())

    return call
