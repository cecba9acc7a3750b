"""Jobs: the grids at which theorems are tested.  Suites are the built-in jobs; others are read from TOML files.

The suites are composed of the files in the papers' folders of :mod:`pldcheck.theorems`.

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
from .cell_sequence import Cell as Cell
from .cell_sequence import CellSequence as CellSequence
from .job_cells import Job as Job
from .job_grid import Grid as Grid
from .job_refusals import JobError as JobError
from .read_jobs import load as load
from .read_jobs import parse as parse
from .read_jobs import text as text
from .slot_points import Point as Point

__all__ = [
    "Cell",
    "CellSequence",
    "Grid",
    "Job",
    "JobError",
    "NAMES",
    "Point",
    "START",
    "SUITES",
    "as_job",
    "find",
    "load",
    "parse",
    "text",
]

# The built-in suites and their summaries, in the order in which they are listed.
SUMMARIES = {
    "paper": "Balle et al. (2020): m from 10 to 1e9, eps0 from 0.1 to 6, delta from 1e-4 to 1e-12, w from 0.01 to 1",
    "composition": "composition and subsampling theorems, each on a grid of its own",
    "shuffle": "bounds on shuffling, swapping and averaged check-ins",
    "approximate": "check-ins with (eps0, delta0)-DP randomizers, eps0 up to 0.5 and delta0 up to 1e-8",
    "field": "statements on which accountants rest, as recalled: which hold, how tightly, and which are false",
    "refuted": "four published formulas at parameters where they are certainly below the true delta",
}
NAMES = tuple(SUMMARIES)
# The suite that is run by default.
SUITE = "paper"
# The job file that ``pldcheck job new`` copies.
START = Path(__file__).parent / "start.toml"


class _Suites(Mapping[str, Job]):
    """The built-in jobs by name; each is read when it is first used."""

    def __getitem__(self, name: str) -> Job:
        return find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    # The method of Mapping relies on KeyError, but find raises UnknownNameError, which is none.
    def __contains__(self, name: object) -> bool:
        return name in NAMES


SUITES: Mapping[str, Job] = _Suites()


def suite_text(name: str) -> str:
    """Return the TOML text of a built-in suite; raise UnknownNameError if there is none of that name."""
    if name not in NAMES:
        raise UnknownNameError("suite", name, NAMES)
    return job_text(name, SUMMARIES[name])


def job_text(name: str, summary: str) -> str:
    """Return the TOML text of a job that joins the grids in all papers' files of that name."""
    head = f'name = "{name}"\nsummary = "{summary}"\n'
    return "\n".join([head, *map(text, suite_files(name))])


@cache
def find(name: str) -> Job:
    """Return the suite of that name; raise UnknownNameError if there is none."""
    return parse(suite_text(name), name)


def as_job(suite: str | os.PathLike[str] | Job) -> Job:
    """Return a job from a job, the path of a file that ends in ``.toml``, or the name of a suite."""
    if isinstance(suite, Job):
        return suite
    return load(suite) if str(suite).endswith(".toml") else find(str(suite))
