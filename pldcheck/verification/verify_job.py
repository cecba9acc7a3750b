"""The verification of a suite, a job or a grid from Python, on any executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.errors import ParameterError
from ..theorems import REGISTRY, Theorem
from . import suites
from .run_report import Report
from .run_rows import Row
from .runs import cell_identity, client_executors, run_database, run_job, run_store
from .runs.provenance import provenance
from .suites import Grid, Job

# The name of a job that is made from a grid.
GRID = "grid"


def verify(
    suite: str | os.PathLike[str] | Job | Grid | Mapping[str, Any] = "paper",
    theorems: Iterable[str | Theorem] | None = None,
    quick: bool = False,
    width: float | None = None,
    progress: Callable[[Row, int], None] | None = None,
    workers: int | None = None,
    client: Any = None,
    log: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Report:
    """Return a report that judges theorems, and computes quantities of protocols, at every point of a suite or a job.

    Parameters
    ----------
    suite : str, path, Job, Grid or mapping
        A name in :data:`pldcheck.verification.suites.SUITES`, the path of a file that ends in ``.toml``, a
        :class:`~pldcheck.verification.suites.Job`, a grid, or the axes of a grid, which is then that of ``theorems``.
    theorems : iterable of str or Theorem, optional
        Ids or theorem objects; one that no grid names is tested on the grids with its parameters.  By default all
        theorems and protocols of the suite are taken.
    quick : bool
        Whether only a small part of each grid is computed.
    width : float in (0, 1), optional
        The relative width of the first interval of each cell; intervals that leave a verdict undecided are refined,
        down to ``WIDTH_FLOOR``.  The default is the width of the grid, else of the job, else ``WIDTH``, or the
        protocol's default width in cells without a theorem.
    progress : callable, optional
        A function that is called in this thread with each finished row and the number of all rows.
    workers : int, optional
        The number of threads of this process, without a client; the default is one per processor.
    client : optional
        Who computes: a dask client, an executor of ``concurrent.futures`` or a function that makes one, or an executor
        of :mod:`pldcheck.verification.runs.executors` or of its neighbour ``client_executors``.  The default is
        threads of this process.
    log : path, optional
        The file of the run, ``NAME.sqlite``, in which every row is stored as soon as it is finished.
    resume : bool
        Whether the rows in the log are taken over.

    Returns
    -------
    Report
        One row for every theorem and point, in the order of the suite; of more than 50,000 cells the rows are on the
        disk, in a temporary file without ``log``, and are read one by one.

    Raises
    ------
    JobError, UnknownNameError, ParameterError
        If a file, a name or a value is not allowed.  An error inside one cell becomes the reason in that cell's row.
    PldcheckError
        If the log cannot be written to, or holds what must not be replaced.

    Notes
    -----
    On a cluster, dask-jobqueue starts workers under SLURM, in whose environment the same version of pldcheck must be
    installed (or the run is refused), and its client computes::

        cluster = dask_jobqueue.SLURMCluster(cores=16, processes=16, memory="64GB", walltime="04:00:00")
        cluster.scale(jobs=20)
        report = verify("job.toml", client=distributed.Client(cluster), log="results/job.sqlite", resume=True)

    Whoever can reach the port of a scheduler can run any program as its user: keep it inside the cluster's own network,
    or ask dask for TLS.  Another executor is handed over as it is, or as a function that makes it, which is called
    again if a killed process breaks the executor::

        verify("job.toml", client=loky.get_reusable_executor(16))
        verify("job.toml", client=lambda: ProcessPoolExecutor(16))

    It needs ``submit(function, *values)``, which returns a future of ``concurrent.futures`` or one like it; a thin
    class gives that to a library of another kind, whose workers must have the same version of pldcheck.  Executors of
    the library and those of loky (as joblib has them) are tested; Ray was not, and neither was SLURM.

    Cells are planned and solved in batches of 0.2 to 1 second by what cells like them took.  A batch whose worker is
    lost is done again, and a cell that ends three workers is UNDECIDED, with the reason.

    Examples
    --------
    >>> axes = {"steps": [10, 100], "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
    >>> print(*(row.verdict for row in verify(axes, ["thm-3.2"]).rows))
    HOLDS HOLDS

    """
    job = job_of(suite, theorems)
    count = workers or os.cpu_count() or 1
    executor = client_executors.executor_of(client, workers)
    own_log = None
    if log is not None:
        path = Path(log)
        if path.suffix != run_database.SUFFIX:
            raise ParameterError("log", f"a file whose name ends in {run_database.SUFFIX}", str(log))
        if not resume:
            cells = job.cells(quick, theorems)
            run_store.check_overwrite(path, cell_identity.questions(cells), "resume=True keeps its rows")
        own_log = run_job.Log(path, origin=provenance(f"pldcheck.verify({job.name!r})"))
    elif resume:
        raise ParameterError("resume", "left out without log=, the file of the run, NAME.sqlite", resume)
    report = run_job.run(job, theorems, quick, width, executor, own_log, resume, progress)
    return replace(report, header={**report.header, "workers": count})


def job_of(
    suite: str | os.PathLike[str] | Job | Grid | Mapping[str, Any], theorems: Iterable[str | Theorem] | None
) -> Job:
    """Return the job that is meant; raise ParameterError for axes without theorems."""
    if isinstance(suite, Mapping):
        if theorems is None:
            raise ParameterError("theorems", "given beside the axes of a grid", None)
        axes = {name: values.tolist() if hasattr(values, "tolist") else values for name, values in suite.items()}
        suite = Grid(axes, tuple(REGISTRY[one] if isinstance(one, str) else one for one in theorems))
    if isinstance(suite, Grid):
        return Job(GRID, "a grid", (suite,))
    return suites.as_job(suite)
