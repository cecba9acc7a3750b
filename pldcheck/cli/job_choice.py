"""The job that the words of a command line name, and the folder and the file of its run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click

from ..core.errors import ParameterError
from ..testing import assertion_grids
from ..testing.own_claims import is_claim, load_claim
from ..theorems import REGISTRY, Theorem
from ..verification.problem import why_unjudgeable
from ..verification.runs.results_tree import OUT
from ..verification.runs.run_database import SUFFIX
from ..verification.suites import SUITE, SUITES, Job, find, load
from .options import Name

# The most letters of a job's name.
LONGEST = 64


def folder_of_run(out: str | None, job: Job, quick: bool) -> Path:
    """Return the folder of a run: the one that is named, that of the job, or a new one."""
    return Path(out or job.out or Path(OUT, f"{job.name}{'-quick' if quick else ''}"))


def file_of_run(folder: Path, job: Job, quick: bool) -> Path:
    """Return the file of a run."""
    return folder / f"{job.name}{'-quick' if quick else ''}{SUFFIX}"


def part_of_job(job: Job, theorems: tuple[str, ...] | None) -> Job:
    """Return the job; if only some of its theorems are chosen, one whose files have another name."""
    if theorems is None or set(theorems) == set(job.subjects):
        return job
    job.check(theorems)
    names = "-".join(dict.fromkeys(theorems))
    if len(job.name) + len(names) > LONGEST or not names.replace("-", "").replace(".", "").isalnum():
        names = f"part-{blake2b(names.encode(), digest_size=4).hexdigest()}"
    return replace(job, name=f"{job.name[: LONGEST - len(names)]}-{names}")


def is_path(word: str) -> bool:
    """Return whether a word names a file rather than a theorem."""
    return word.endswith(".toml") or os.sep in word


def chosen_job(
    suite: str | None, theorem: Sequence[str], more: Sequence[str], protocol: str | None, cell: Sequence[str]
) -> tuple[Job, Job, tuple[Theorem, ...] | tuple[str, ...] | None]:
    """Return the job that the words of a command line name, the part of it that is chosen, and the theorems of that."""
    claims = [word for word in more if is_claim(word)]
    if protocol is not None and not claims:
        raise click.UsageError("--protocol is for a function, FILE.py:NAME")
    names = (*theorem, *(word for word in more if not is_path(word) and not is_claim(word)))
    paths = [word for word in more if is_path(word) and not is_claim(word)]
    if not claims and not cell:
        whole = job_of_words(suite, paths, names)
        return whole, part_of_job(whole, names or None), names or None
    if len(claims) + len(names) != 1 or paths or suite:
        raise click.UsageError(f"one theorem alone for {'FILE.py:NAME' if claims else '--cell'}")
    claim, name = REGISTRY[names[0]] if names else load_claim(claims[0], protocol), next(iter(names), "")
    name = name or f"{Path(claims[0].rpartition('.py')[0]).name}-{claim.id}"
    job = _cells_of(claim, name, cell)
    return job, job, (claim,)


def _cells_of(claim: Theorem, name: str, cell: Sequence[str]) -> Job:
    """Return the job of one theorem at its usual cells, or at those that are given."""
    given: dict[str, list[str]] = {}
    for word in cell:
        key, _, values = word.partition("=")
        if not key or not values:
            raise ParameterError("--cell", "PARAMETER=VALUE[,VALUE...], such as steps=10", word)
        given.setdefault(key, []).extend(values.split(","))
    job = assertion_grids.chosen_cells(claim, given) if given else assertion_grids.job(claim, None)
    if given:
        digest = blake2b(repr(sorted(given.items())).encode(), digest_size=4).hexdigest()
        name = f"{name[: LONGEST - 14]}-cell-{digest}"
    return replace(job, name=assertion_grids.job_name(name), out=None)


class JobOrTheorem(Name):
    """The path of a job file, a theorem of a user's own in a file, or a name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word; raises UnknownNameError for what is neither."""
        if is_path(value) or is_claim(value):
            return value
        if Path(value).is_file():
            raise ParameterError("JOB", "a file whose name ends in .toml, or a theorem", value)
        return super().convert(value, param, ctx)


def job_of_words(suite: str | None, paths: list[str], theorems: Sequence[str]) -> Job:
    """Return the job that is named, or the suite that has the chosen theorems."""
    words = [*paths, *([] if suite is None else [f"--suite {suite}"])]
    if len(words) > 1:
        raise click.UsageError(f"one suite or job at a time, got {' and '.join(words)}")
    return load(paths[0]) if paths else find(suite or _suite_of(theorems))


def _suite_of(theorems: Sequence[str]) -> str:
    """Return the first suite that has all the theorems; raises UsageError where they are in different ones."""
    if not theorems:
        return SUITE
    homes = {name: [suite for suite in SUITES if name in SUITES[suite].subjects] for name in theorems}
    for suite in SUITES:
        if all(suite in suites for suites in homes.values()):
            return suite
    for name in theorems:
        if reason := why_unjudgeable(REGISTRY[name]):
            raise click.UsageError(f"no suite judges what no protocol here is: {reason}")
    places = ", ".join(f"{name} is in {' and '.join(suites) or 'no suite'}" for name, suites in homes.items())
    raise click.UsageError(f"no suite has all of these theorems: {places}")
