"""Where theorems are tried: jobs, those that are built in, and those in files.

>>> SUITES["refuted"]
Job(name='refuted', summary='published upper bounds that are false, where they are', width=None, out=None)
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from ..errors import UnknownNameError
from .checks import JobError as JobError
from .grid import Grid as Grid
from .job import Asked as Asked
from .job import Job as Job
from .points import Point as Point
from .read import load as load
from .read import parse as parse
from .read import text as text

NAMES = ("paper", "composition", "shuffle", "approximate", "refuted")
# What users begin with.
START = Path(__file__).parent / "start.toml"


class _Suites(Mapping[str, Job]):
    """The built-in jobs by name, each read when it is first asked for."""

    def __getitem__(self, name: str) -> Job:
        return find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    # Mapping writes it around KeyError, which UnknownNameError is not.
    def __contains__(self, name: object) -> bool:
        return name in NAMES


SUITES: Mapping[str, Job] = _Suites()


def path(name: str) -> Path:
    """The file of a built-in suite; raises UnknownNameError."""
    if name not in NAMES:
        raise UnknownNameError("suite", name, NAMES)
    return Path(__file__).parent / f"{name}.toml"


@cache
def find(name: str) -> Job:
    """The suite of that name; raises UnknownNameError."""
    return load(path(name))


def given(suite: str | os.PathLike[str] | Job) -> Job:
    """A job, the name of a suite, or the path of a file, which ends in ``.toml``."""
    if isinstance(suite, Job):
        return suite
    return load(suite) if str(suite).endswith(".toml") else find(str(suite))
