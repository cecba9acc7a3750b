"""``pldcheck verify``: a suite or a job judged, stored, drawn and tabulated."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..batch import store
from ..batch.executors import MEMORY, Cores, Executor, InProcess, Scheduler
from ..batch.log import Log
from ..batch.provenance import provenance
from ..batch.run import run
from ..errors import ParameterError, PldcheckError
from ..suites import SUITES, Job, find, load
from ..theorems import REGISTRY
from ..verify import WIDTH, Report
from .options import Name, examples, number, print_json, switches
from .progress import progress

# Unless told otherwise.
SUITE, OUT = "paper", "results"
# Of the table, when it goes to a file or a pipe.
PIPED_WIDTH = 120
STORED = "what is finished is stored: --resume goes on from there"
# Seconds after which a cell is given up.
CELL_TIMEOUT = 3600.0


def _verify(
    context: click.Context,
    suite: str | None,
    theorem: tuple[str, ...],
    more: tuple[str, ...],
    out: str | None,
    quick: bool,
    width: float | None,
    resume: bool,
    workers: int | None,
    scheduler: str | None,
    cell_timeout: float,
    memory: float,
    quiet: bool,
    as_json: bool,
) -> None:
    job = _job(suite, [word for word in more if _is_path(word)])
    chosen = (*theorem, *(word for word in more if not _is_path(word))) or None
    folder = Path(out or job.out or OUT)
    store.check_writable(folder)
    made = provenance(shlex.join(("pldcheck", *context.obj)))
    log = Log(folder / f"{job.name}{'-quick' if quick else ''}.jsonl")
    given = {name for name in context.params if context.get_parameter_source(name) is not ParameterSource.DEFAULT}
    executor = _executor(workers, scheduler, cell_timeout, memory, given)
    _check(log)
    _tell_of(log, resume)
    try:
        with progress(quiet) as step:
            done = run(job, chosen, quick, width, executor, log, resume, step)
    except KeyboardInterrupt:
        click.echo(STORED, err=True)
        raise
    except OSError as error:
        raise PldcheckError(f"{folder} cannot be written to ({error.strerror or error}); {STORED}") from None
    report = done.report
    for line in report.header["damage"]:
        click.echo(f"set aside: {line}", err=True)
    paths = _write(report, made, folder)
    log.clear(done.files)
    if as_json:
        print_json(
            {
                "suite": report.suite,
                "summary": [entry.to_dict() for entry in report.summary()],
                "counts": {str(verdict): count for verdict, count in report.counts.items()},
                "exit_code": report.exit_code,
                "files": [str(path) for path in paths],
                "provenance": {**made, **report.header},
            }
        )
    else:
        _print(report, paths)
    context.exit(report.exit_code)


def _is_path(word: str) -> bool:
    """Whether a word names a file rather than a theorem."""
    return word.endswith(".toml") or os.sep in word


class _JobOrTheorem(Name):
    """The path of a job file, or a name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word; raises UnknownNameError for what is neither."""
        return value if _is_path(value) else super().convert(value, param, ctx)


def _job(suite: str | None, paths: list[str]) -> Job:
    """The one that is named, or the suite of the paper."""
    named = [*paths, *([] if suite is None else [f"--suite {suite}"])]
    if len(named) > 1:
        raise click.UsageError(f"one suite or job at a time, got {' and '.join(named)}")
    return load(paths[0]) if paths else find(suite or SUITE)


def _check(log: Log) -> None:
    """Raises where a folder stands in the place of a file, or a file in that of a folder."""
    if log.folder.exists() and not log.folder.is_dir():
        raise ParameterError("out", f"a folder in which {log.folder.name} is not a file", str(log.folder.parent))
    if log.path.is_dir():
        raise ParameterError("out", f"a folder in which {log.path.name} is not a folder", str(log.path.parent))


def _tell_of(log: Log, resume: bool) -> None:
    if not resume and log.folder.is_dir() and any(log.folder.glob("*.jsonl")):
        click.echo(f"{log.folder} has cells of runs that did not end: --resume would take them over", err=True)


def _write(report: Report, made: dict, folder: Path) -> list[Path]:
    from ..report.figures import render

    # All is made before anything is written.
    files = {f"{report.suite}.jsonl": store.dumps(report, made), **render(report)}
    for name, content in files.items():
        store.write(folder / name, content)
    return [folder / name for name in files]


def _print(report: Report, paths: list[Path]) -> None:
    from rich.console import Console

    from ..report.table import notes, table

    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False)
    console.print(table(report))
    made = "{problems} certified intervals, {cells} verdicts, {seconds:.1f} s".format_map(report.header)
    for line in ("", *notes(report), made, *map(str, paths)):
        click.echo(line)


def _executor(
    workers: int | None, scheduler: str | None, cell_timeout: float, memory: float, given: set[str]
) -> Executor:
    """``given``: the options that are not left at their defaults."""
    if scheduler is not None:
        if given & {"workers", "memory"}:
            raise click.UsageError("--workers and --memory are for this machine, a --scheduler has its own")
        return Scheduler(scheduler, cell_timeout)
    if workers != 0:
        return Cores(workers, cell_timeout, memory)
    if given & {"cell_timeout", "memory"}:
        raise click.UsageError("--cell-timeout and --memory are for processes of their own: --workers 1 or more")
    return InProcess()


def _number(name: str, default: float | None, said: str) -> click.Option:
    """An option whose default is not a number of its own."""
    option = number(name, default, required=False)
    option.help = f"{str(option.help)[:-1]}; by default {said}."
    return option


verify_command = click.Command(
    "verify",
    callback=click.pass_context(_verify),
    params=[
        click.Option(
            ["--suite"],
            type=Name("suite", lambda: SUITES),
            metavar="NAME",
            help=f"A built-in suite; {SUITE} where there is no JOB.toml.",
        ),
        click.Option(
            ["--theorem"],
            type=Name("theorem", lambda: REGISTRY),
            multiple=True,
            metavar="ID ...",
            help="Only these; all by default.",
        ),
        click.Argument(["more"], type=_JobOrTheorem("theorem", lambda: REGISTRY), nargs=-1, metavar="[JOB.toml]"),
        click.Option(
            ["--out"], metavar="DIR", help=f"Where rows and figures go; by default where the job says, else {OUT}."
        ),
        click.Option(["--quick"], is_flag=True, help="A small sample of the suite."),
        _number("width", None, f"what the job says, else {WIDTH:g}"),
        click.Option(["--resume"], is_flag=True, help="Take over cells that are stored and still hold."),
        _number("workers", None, "one a core"),
        click.Option(["--scheduler"], metavar="ADDRESS", help="Compute on the workers of a dask scheduler."),
        number("cell_timeout", CELL_TIMEOUT),
        number("memory", MEMORY),
        click.Option(["--quiet"], is_flag=True, help="No progress on stderr."),
        *switches(),
    ],
    short_help="Judge theorems against certified intervals.",
    help=(
        "Judge theorems against certified intervals, on the parameters of a suite, or do the job of a file (see "
        "pldcheck job new).\n\n"
        "Writes the rows as JSON lines and figures as SVG and PNG.  Every cell is stored as soon as it is finished: "
        "--resume goes on with a run that was stopped or killed.  A cell that fails, takes too long or too much "
        "memory is undecided, and its row says why.  Exit status: 0 if all hold, 1 if one is violated, 2 after bad "
        "usage, 3 if one stays undecided."
    ),
    epilog=examples(
        "verify --quick",
        "verify --quick --theorem thm-3.2 --theorem thm-A.4 --json",
        "verify job.toml --quick",
        "verify --quick --resume --workers 1 --quiet",
    ),
)
