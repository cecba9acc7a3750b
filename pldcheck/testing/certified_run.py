"""``verify`` judges suites, jobs and theorems of a user's own, with rows, figures and the files that prove them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.errors import ParameterError
from ..report import run_figures
from ..theorems import REGISTRY, Theorem
from ..verification import Report, Row
from ..verification import verify as judge
from ..verification.runs import cell_identity, client_executors, executors, run_database, run_job, run_store
from ..verification.runs.provenance import provenance
from ..verification.runs.results_tree import OUT
from ..verification.suites import NAMES, SUITE, Grid, Job, find
from ..verification.verify_job import job_of
from ..witness import run_files
from ..witness.checker_archive import ARCHIVE, command
from . import assertion_grids, own_claims
from .notebook_progress import notebook_progress


def verify(
    suite: str | os.PathLike[str] | Job | Grid | Mapping[str, Any] | Theorem | Callable[..., float] = SUITE,
    theorems: Iterable[str | Theorem] | None = None,
    quick: bool = False,
    width: float | None = None,
    progress: Callable[[Row, int], None] | bool = True,
    workers: int | None = None,
    client: Any = None,
    log: str | os.PathLike[str] | None = None,
    resume: bool = False,
    *,
    grid: Any = None,
    certify: bool = False,
    figures: bool = False,
    out: str | os.PathLike[str] | None = None,
) -> Report:
    """Return a report that judges theorems, and computes quantities of protocols, at every point of a suite or a job.

    Parameters
    ----------
    suite : str, path, Job, Grid, mapping, Theorem or function
        What :func:`pldcheck.verification.verify` takes, the id of a theorem, which the first suite that has it judges,
        or one theorem of your own: an object defined with :func:`pldcheck.theorem`, a plain function beside a variable
        ``protocol``, or a text ``"FILE.py:NAME"``.
    theorems, quick, width, workers, client, log, resume
        The same as in :func:`pldcheck.verification.verify`.
    progress : callable or bool
        A function that is called in this thread with each finished row and the number of all rows; by default a
        notebook shows a line from two seconds on; False shows none.
    grid : optional
        The cells of one theorem, in a form of :func:`pldcheck.assert_sound`.  The default is the ``grid`` of its
        decorator, the variable ``grid`` of its module if that has exactly its parameters, or else a built-in one.
    certify : bool
        Whether a witness is written for each violated row and, where a program verifies it, a certificate for each row
        that holds.  Rows and a list of the files are written with them.
    figures : bool
        Whether the figures of the run are written, as SVG and PNG.
    out : path, optional
        The folder of the files; the default is one of the run's own in ``results/runs``.  With it, rows are written
        without ``certify``, too.  A run of the same cells is replaced there.

    Returns
    -------
    Report
        The rows, as :func:`pldcheck.verification.verify` returns them; ``files`` has the paths of what was written, and
        ``commands`` the one that checks witnesses and certificates without this package.

    Raises
    ------
    PldcheckError
        If a name or a value is not allowed, a file of the run holds other cells, or the folder cannot be written to.

    Examples
    --------
    >>> import pldcheck
    >>> @pldcheck.theorem(protocol="gaussian", grid={"sigma": [1, 2], "steps": 1, "delta": 1e-6})
    ... def too_small(sigma, steps, delta):
    ...     return 4.0
    >>> print(*(row.verdict for row in verify(too_small).rows))
    VIOLATED HOLDS

    """
    if isinstance(suite, str) and own_claims.is_claim(suite):
        suite = own_claims.load_claim(suite)
    if isinstance(suite, str) and suite in REGISTRY and theorems is None:
        suite, theorems = next((name for name in NAMES if suite in find(name).subjects), SUITE), (suite,)
    if callable(suite):
        if theorems is not None:
            raise ParameterError("theorems", "left out beside one theorem", theorems)
        claim = assertion_grids.resolve_theorem(suite)
        job, theorems = assertion_grids.job(claim, grid), (claim,)
        job = replace(job, name=assertion_grids.job_name(claim.id)) if job.name == assertion_grids.NAME else job
    elif grid is not None:
        raise ParameterError("grid", "left out: it is for one theorem", grid)
    else:
        job = job_of(suite, theorems)
    stored = certify or figures or bool(out)
    if stored and log is not None:
        raise ParameterError("log", "left out beside certify, figures or out, whose folder has the run", str(log))
    with notebook_progress() if progress is True else nullcontext(progress or None) as step:
        if not stored:
            return judge(job, theorems, quick, width, step, workers, client, log, resume)
        executor = client_executors.executor_of(client, workers)
        return _stored(job, theorems, quick, width, step, executor, resume, certify, figures, out)


def write_figures(report: Report, folder: Path) -> list[Path]:
    """Draw the figures of a run, and return their files."""
    files = run_figures.render(report)  # before any is written
    for name, content in files.items():
        run_store.write(folder / name, content)
    return [folder / name for name in files]


def _stored(
    job: Job,
    theorems: Iterable[str | Theorem] | None,
    quick: bool,
    width: float | None,
    progress: Callable[[Row, int], None] | None,
    executor: executors.Executor,
    resume: bool,
    certify: bool,
    figures: bool,
    out: str | os.PathLike[str] | None,
) -> Report:
    theorems = None if theorems is None else tuple(theorems)
    name = f"{job.name}{'-quick' if quick else ''}"
    folder = Path(out or job.out or Path(OUT, name))
    run_store.check_writable(folder)
    path, cells = folder / f"{name}{run_database.SUFFIX}", job.cells(quick, theorems)
    if certify:
        run_files.check_count(len(cells))
    if not resume:
        advice = "out= names another folder, resume=True keeps its rows"
        run_store.check_overwrite(path, cell_identity.questions(cells), advice)
    own = {one.id: one for one in theorems or job.theorems if isinstance(one, Theorem) and one.id not in REGISTRY}
    origin = provenance(f"pldcheck.verify({job.name!r})") | own_claims.source_facts(own.values())
    log = run_job.Log(path, origin=origin)
    report = run_job.run(job, theorems, quick, width, executor, log, resume, progress)
    paths, commands = [path, *(write_figures(report, folder) if figures else ())], []
    if certify:
        outcome = run_files.certify(report, folder, executor, origin, resume, lambda count, total: None, own)
        proofs = [folder / name for name in sorted(outcome.files)]
        commands = [command(folder, proofs)] if proofs else []
        paths += [*proofs, *([folder / ARCHIVE] if proofs else []), run_files.manifest_path(folder, report.suite)]
    else:
        run_files.remove_outdated(report, folder)
    header = {**report.header, "files": [*map(str, paths)], "commands": commands}
    return replace(report, header=header)
