"""``pldcheck verify``: runs a suite or a job, stores the results, and prints the table of verdicts."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from ..core.errors import ParameterError, PldcheckError
from ..core.outward_decimals import safe
from ..protocols import PROTOCOLS
from ..testing.own_claims import source_facts
from ..theorems import REGISTRY, Theorem
from ..verification import WIDTH, Report, Verdict
from ..verification.runs import cell_identity, parquet_rows, row_exports, run_store
from ..verification.runs.client_executors import PATIENCE, WorkersLostError
from ..verification.runs.executors import MEMORY
from ..verification.runs.provenance import provenance
from ..verification.runs.results_tree import OUT
from ..verification.runs.rows_of_cells import Standing
from ..verification.runs.run_job import Log, run
from ..verification.suites import SUITE, SUITES
from .ci_results import github_errors, is_github, junit
from .job_choice import JobOrTheorem, chosen_job, file_of_run, folder_of_run
from .options import Name, examples, number, offer_paths, print_json, switches
from .progress import progress
from .row_files import check_commands, check_count, check_files, conclusion, remove_outdated, write_files
from .run_executor import executor_of_options
from .run_tally import Tally

# Columns of the table when it goes to a file or a pipe.
PIPED_WIDTH = 120
OVERWRITE_HINT = "--resume keeps its rows, --overwrite replaces it"
RESUME_HINT = "what is finished is stored: --resume goes on from there"
# The exit status where something stored is damaged, differs from what is computed anew, or is not confirmed.
NOT_CONFIRMED = 1
# Seconds after which the computation of a cell is stopped.
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
    overwrite: bool,
    recheck: float | None,
    certify: bool,
    workers: int | None,
    scheduler: str | None,
    cell_timeout: float,
    memory: float,
    patience: float,
    figures: bool,
    exports: tuple[str, ...],
    junit_file: str | None,
    github: bool,
    protocol: str | None,
    cell: tuple[str, ...],
    quiet: bool,
    as_json: bool,
) -> None:
    if "parquet" in exports:
        parquet_rows.check_library()
    if junit_file is not None:
        run_store.check_writable(Path(junit_file).parent)
    if overwrite and (resume or recheck is not None):
        raise click.UsageError("--overwrite begins anew, --resume and --recheck do not")
    if certify and recheck is not None:
        raise click.UsageError("--certify writes files, --recheck checks those that are stored: one at a time")
    whole, job, theorems = chosen_job(suite, theorem, more, protocol, cell)
    own = {one.id: one for one in theorems or () if isinstance(one, Theorem) and one.id not in REGISTRY}
    folder = folder_of_run(out, job, quick)
    run_store.check_writable(folder)
    origin = provenance(shlex.join(("pldcheck", *context.obj))) | source_facts(own.values())
    also = () if job is whole else (file_of_run(folder_of_run(out, whole, quick), whole, quick),)
    log = Log(file_of_run(folder, job, quick), also, origin)
    resume = resume or recheck is not None
    own_options = {name for name in context.params if context.get_parameter_source(name) is not ParameterSource.DEFAULT}
    executor = executor_of_options(workers, scheduler, cell_timeout, memory, patience, own_options, own)
    if log.path.is_dir():
        raise ParameterError("out", f"a folder in which {log.path.name} is not a folder", str(folder))
    cells = job.cells(quick, theorems)
    if certify:
        check_count(len(cells))
    if not (resume or overwrite):
        run_store.check_overwrite(log.path, cell_identity.questions(cells), OVERWRITE_HINT)
    standing = Standing()
    tally = Tally(len(cells), standing)
    try:
        with progress(quiet, f"{len(cells)} cells, {executor.about}", tally) as step:
            options = (executor, log, resume, step, recheck or 0.0, standing, overwrite)
            report = run(job, theorems, quick, width, *options)
    except KeyboardInterrupt:
        for line in tally.farewell(context.obj):
            click.echo(line, err=True)
        raise
    except WorkersLostError:
        for line in tally.farewell(context.obj):
            click.echo(line, err=True)
        raise
    except OSError as error:
        raise PldcheckError(f"{folder} cannot be written to ({error.strerror or error}); {RESUME_HINT}") from None
    for line in report.header["damage"]:
        click.echo(safe(f"computed anew: {line}"), err=True)
    if report.header["journal"] != "wal":
        click.echo(f"{folder} has no shared memory: rows went through a rollback journal, which is slower", err=True)
    comparison = report.header.get("recheck")
    for line in comparison["differ"] if comparison else ():
        click.echo(safe(f"computed anew and different: {line}"), err=True)
    paths = [log.path, *row_exports.export(report, folder, exports, cells.names)]
    if figures:
        from ..testing.certified_run import write_figures

        paths += write_figures(report, folder)
    if junit_file is not None:
        paths.append(Path(junit_file))
        run_store.write(paths[-1], junit(report))
    if github or is_github():
        for line in github_errors(report, own):
            click.echo(line, err=as_json)
    fails = False
    if comparison and recheck is not None:
        count, failures = check_files(report, folder, recheck, executor, quiet, own)
        comparison |= {"files": count, "not_confirmed": failures}
        fails = bool(failures or comparison["differ"] or report.header["damage"])
    outcome = write_files(report, folder, executor, origin, resume, quiet, own) if certify else None
    if not certify:
        remove_outdated(report, folder)
    commands = check_commands(folder, outcome) if outcome else []
    if as_json:
        print_json(
            {
                "suite": report.suite,
                "summary": [entry.to_dict() for entry in report.summary()],
                "counts": {str(verdict): count for verdict, count in report.counts.items()},
                "exit_code": report.exit_code,
                "files": [str(path) for path in paths],
                "provenance": {**origin, **report.header},
                **({"certify": {**outcome.to_dict(), "commands": commands}} if outcome else {}),
            }
        )
    else:
        _print(report, paths, bool(own), certify)
        for line in _older(report, folder, paths):
            click.echo(line)
        if comparison:
            click.echo(f"{comparison['rows']} stored rows computed anew, {len(comparison['differ'])} differ")
            click.echo(f"{count} of their files checked by their programs, {len(failures)} not confirmed")
        if outcome:
            click.echo(conclusion(report, outcome))
        for line in commands:
            click.echo(f"check without pldcheck: {line}")
    context.exit(NOT_CONFIRMED if fails else report.exit_code)


def _print(report: Report, paths: list[Path], is_own: bool, certify: bool) -> None:
    from rich.console import Console

    from ..report.run_table import notes, table, totals

    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False)
    console.print(table(report, console.width))
    files = [f"written: {path}" for path in paths]
    if stale := report.header.get("stale"):
        files.append(f"kept beside its rows: {stale} of another version of the code; --overwrite drops them")
    hint = [] if certify else _hint(report, paths[0], is_own)
    for line in ("", *notes(report), *hint, totals(report.header), *files):
        click.echo(line)


def _older(report: Report, folder: Path, paths: list[Path]) -> list[str]:
    """Return a line on exports and figures of an earlier run that this one, which has new rows, has not written."""
    exports = [folder / f"{report.suite}.{ending}" for ending in row_exports.WRITERS]
    figures = [path for ending in ("svg", "png") for path in folder.glob(f"{report.suite}-*.{ending}")]
    older = [path.name for path in (*exports, *sorted(figures)) if path.exists() and path not in paths]
    is_new = report.header["resumed"] < report.header["cells"]
    text = f"of an earlier run, not written anew: {', '.join(older)}; --export and --figures do it"
    return [safe(text)] if older and is_new else []


def _hint(report: Report, rows: Path, is_own: bool) -> list[str]:
    """Return the command that writes the counterexamples of a run, if there are any."""
    if not report.counts[Verdict.VIOLATED]:
        return []
    if is_own:
        return ["for the counterexamples: the same command with --resume --certify"]
    return [f"for the counterexamples: pldcheck witness write {shlex.quote(str(rows))} --out witnesses"]


def _number(name: str, default: float | None, default_text: str) -> click.Option:
    """Return an option whose default is not a number of its own."""
    option = number(name, default, required=False)
    option.help = f"{str(option.help)[:-1]}; by default {default_text}."
    return option


verify_command = click.Command(
    "verify",
    callback=click.pass_context(_verify),
    params=[
        click.Option(
            ["--suite"],
            type=Name("suite", lambda: SUITES),
            metavar="NAME",
            help=f"A built-in suite; by default the one that has the chosen theorems, else {SUITE}.",
        ),
        click.Option(
            ["--theorem"],
            type=Name("theorem", lambda: REGISTRY),
            multiple=True,
            metavar="ID ...",
            help="Only these; their suite is found by itself.  All theorems of the suite by default.",
        ),
        click.Argument(
            ["more"], type=JobOrTheorem("theorem", lambda: REGISTRY), nargs=-1, metavar="[JOB.toml | FILE.py:NAME]"
        ),
        click.Option(
            ["--protocol"],
            type=Name("protocol", lambda: PROTOCOLS),
            metavar="NAME",
            help="What a plain function of FILE.py is about; by default the variable protocol of the file.",
        ),
        click.Option(
            ["--cell"],
            multiple=True,
            metavar="PARAMETER=VALUE[,...]",
            help="Values of a parameter of one theorem, in place of its usual ones; may be given for each.",
        ),
        click.Option(
            ["--out"],
            shell_complete=offer_paths,
            metavar="DIR",
            help=f"Where all files go; by default where the job says, else a folder of the run's own in {OUT}.",
        ),
        click.Option(["--quick"], is_flag=True, help="A small sample of the suite."),
        _number("width", None, f"what the job says, else {WIDTH:g}"),
        click.Option(["--resume"], is_flag=True, help="Take over cells that are stored and still hold."),
        click.Option(["--overwrite"], is_flag=True, help="Begin anew in the place of a stored run, whatever it has."),
        number("recheck", required=False),
        click.Option(
            ["--certify"], is_flag=True, help="Write certificates of rows that hold, witnesses of violations."
        ),
        _number("workers", None, "one a core"),
        click.Option(["--scheduler"], metavar="ADDRESS", help="Compute on the workers of a dask scheduler."),
        number("cell_timeout", CELL_TIMEOUT),
        number("memory", MEMORY),
        number("patience", PATIENCE),
        click.Option(["--figures"], is_flag=True, help="Draw the run as SVG and PNG; pldcheck report draws it, too."),
        click.Option(
            ["exports", "--export"],
            type=click.Choice(list(row_exports.WRITERS)),
            multiple=True,
            help="Write the rows in this format as well; may be given for each.  Parquet needs pyarrow.",
        ),
        click.Option(
            ["junit_file", "--junit"],
            shell_complete=offer_paths,
            metavar="FILE",
            help="Write JUnit XML, a test case for each theorem, for systems that run tests.",
        ),
        click.Option(
            ["--github"],
            is_flag=True,
            help="Print an error of GitHub Actions for each violated theorem; by itself where GITHUB_ACTIONS is true.",
        ),
        click.Option(["--quiet"], is_flag=True, help="No progress on stderr."),
        *switches(),
    ],
    short_help="Judge theorems against certified intervals.",
    help=(
        "Judge theorems against certified intervals, on the parameters of a suite, or do the job of a file (see "
        "pldcheck job new).\n\n"
        "Writes the rows to one file, a SQLite database.  Every cell is stored within half a second after it is "
        "finished: --resume goes on with a run that was stopped or killed.  A run of some theorems only has "
        "a file of its own.  A cell that fails, takes too long or too much "
        "memory is undecided, and its row says why.  A claimed exact value can be consistent with the truth up to a "
        "relative width, which its row gives, and no more is known.  Exit status: 0 if all hold or are consistent, "
        "1 if one is violated, 2 after bad usage, 3 if one stays undecided or cannot be judged.\n\n"
        "FILE.py:NAME is a theorem of your own: a function of the file with @pldcheck.theorem before it, or a plain "
        "one whose arguments are the protocol's parameters and delta (it bounds epsilon) or epsilon (it bounds "
        "delta).  Its cells are those of --cell, else the grid of its decorator, the variable grid of the file, or "
        "those of published theorems with its parameters.  The file is run by this process, which evaluates the claims "
        "and writes certificates and witnesses; the workers compute intervals.  After an edit of the file, --resume "
        "computes its cells anew.\n\n"
        "--certify writes, in the folders certificates and witnesses beside the rows, a file for each row that "
        "holds or is violated: a program proves by it that the theorem's bound holds there, or is false "
        "(see pldcheck certificate and pldcheck witness).  All programs are one archive in the run's folder, "
        "checkers.pyz, and the command that runs it on the files is printed; it needs only Python.  A manifest "
        "has the SHA-256 digests of the files; --resume keeps those "
        "that their programs confirm.  --recheck checks a share of the stored rows: it computes them anew, has the "
        "programs check their files, compares both with what is stored, and otherwise does what --resume does; the "
        "status is 1 if a row differs, a stored row is damaged or a file is not confirmed.\n\n"
        "Each process has one thread, at most --memory of data, and --cell-timeout for a cell.  --export jsonl writes "
        "a line of JSON for each row, which json.loads, pyarrow.json.read_json and duckdb.read_json read exactly; "
        "pandas.read_json rounds, so give pandas what json.loads has read (pandas.json_normalize).  An infinite end is "
        "the text inf.  CSV and Parquet have a column for each parameter, and the same numbers.  "
        "pldcheck report DIR puts all runs of a folder on one page, with figures.  pldcheck witness write FILE stores "
        "the counterexamples.\n\n"
        "With a --scheduler, lost workers are replaced by others that it has, or gets within --patience; otherwise, "
        "and if the scheduler itself is lost, the run ends with the command that goes on, and status 2.\n\n"
        "A run has up to 100,000,000 cells, and neither cells nor rows are held in memory.  One process writes to the "
        "file, others may read it.  Rows that another version of the code computed are computed anew by --resume and "
        "kept beside the new ones, marked by that version, until --overwrite drops them; a run that is exported as "
        "JSON lines alone is gone on with, too."
    ),
    epilog=examples(
        "verify --quick",
        "verify --quick --theorem thm-3.2 --theorem thm-A.4 --json",
        "verify job.toml --quick",
        "verify --quick --resume --workers 1 --quiet",
        "verify --quick --theorem thm-3.2 --certify",
        "verify --quick --theorem thm-3.2 --figures --export csv --junit verdicts.xml",
        "verify --theorem thm-3.2 --cell steps=1000 --cell eps0=1 --cell check_in_prob=1 --cell delta=1e-6",
        "verify claims.py:my_bound --certify",
        "verify claims.py:plain --protocol hidden-slot --cell steps=10,1000 --cell eps0=1 --cell delta=1e-6",
    ),
)
