"""Where theorems are tried: jobs, those that are built in, and those in files.

The built-in ones are put together from the folders of the papers in :mod:`pldcheck.theorems`.

>>> [theorem.id for theorem in SUITES["refuted"].theorems]
['chen-gdp', 'krr-merged', 'vr-wang']
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from ...core.errors import UnknownNameError
from ...theorems.papers import suite_files
from .job_cells import Asked as Asked
from .job_cells import Job as Job
from .job_grid import Grid as Grid
from .job_refusals import JobError as JobError
from .read_jobs import load as load
from .read_jobs import parse as parse
from .read_jobs import text as text
from .slot_points import Point as Point

__all__ = [
    "Asked",
    "Grid",
    "Job",
    "JobError",
    "NAMES",
    "Point",
    "START",
    "SUITES",
    "find",
    "given",
    "load",
    "parse",
    "text",
]

SUMMARIES = {
    "paper": "m from 10 to 1e9, eps0 from 0.1 to 6, delta from 1e-4 to 1e-12, w from 0.01 to 1",
    "composition": "composition and subsampling theorems, each on a grid of its own",
    "shuffle": "bounds on shuffling, swapping and averaged check-ins",
    "approximate": "check-ins with (eps0, delta0)-DP randomizers, eps0 up to 0.5 and delta0 up to 1e-8",
    "refuted": (
        "published upper bounds that are false, a case of one of them, and a limit that is no bound, where they fail"
    ),
}
NAMES = tuple(SUMMARIES)
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


def written(name: str) -> str:
    """Return the text of a built-in suite, put together from the folders of the papers; raises UnknownNameError."""
    if name not in NAMES:
        raise UnknownNameError("suite", name, NAMES)
    return gathered(name, SUMMARIES[name])


def gathered(name: str, summary: str) -> str:
    """Return the text of a job: the grids that the papers' files of that name have."""
    head = f'name = "{name}"\nsummary = "{summary}"\n'
    return "\n".join([head, *map(text, suite_files(name))])


@cache
def find(name: str) -> Job:
    """Return the suite of that name; raises UnknownNameError."""
    return parse(written(name), name)


def given(suite: str | os.PathLike[str] | Job) -> Job:
    """Return a job, the name of a suite, or the path of a file, which ends in ``.toml``."""
    if isinstance(suite, Job):
        return suite
    return load(suite) if str(suite).endswith(".toml") else find(str(suite))
