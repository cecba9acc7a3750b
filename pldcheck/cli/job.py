"""``pldcheck job``: files that describe jobs for ``pldcheck verify``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ..core.errors import ParameterError, PldcheckError
from ..verification.runs import run_store
from ..verification.suites import START, load, text
from .options import Group, examples, offer_paths, print_json, switches
from .suites import count, facts, grids

FILE = "job.toml"


def _new(file: str, force: bool, as_json: bool) -> None:
    content = text(START)
    if file == "-":
        if as_json:
            raise click.UsageError("--json goes with a file to write, not with -")
        click.echo(content, nl=False)
        return
    if Path(file).exists() and not force:
        raise PldcheckError(f"{file} is there already; --force overwrites it")
    try:
        run_store.write(Path(file), content.encode())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ParameterError("FILE", f"a file to write to ({reason.lower()})", file) from None
    if as_json:
        print_json({"file": file})
    else:
        click.echo(file)


def _check(file: str, as_json: bool) -> None:
    job = load(file)
    cells = job.cells().counts
    quick = count(job, quick=True)
    if as_json:
        print_json({**facts(job), "quick": quick, "subjects": dict(cells), "grids": grids(job)})
        return
    click.echo(f"{job.name}: {sum(cells.values())} cells, {quick} with --quick")
    column = 2 + max(map(len, cells))
    for name, number in cells.items():
        click.echo(f"  {name:<{column}}{number:>7}")
    click.echo(f"run it: pldcheck verify {shlex.quote(file)}; after a stop, --resume goes on")


job_group = Group(
    "job",
    commands={
        "new": click.Command(
            "new",
            callback=_new,
            params=[
                click.Argument(["file"], default=FILE, shell_complete=offer_paths, metavar="[FILE]"),
                click.Option(["--force"], is_flag=True, help="Overwrite a file."),
                *switches(),
            ],
            short_help="A file to begin with.",
            help=f"Write a job with comments to begin with, to {FILE} unless told otherwise, or to stdout with -.",
            epilog=examples("job new -", "job new my-job.toml"),
        ),
        "check": click.Command(
            "check",
            callback=_check,
            params=[click.Argument(["file"], shell_complete=offer_paths, metavar="FILE"), *switches()],
            short_help="What a file asks for.",
            help="How many cells a job has and of which theorems and protocols, without running it.",
            epilog=examples("job check job.toml", "job check job.toml --json"),
        ),
    },
    help=(
        "Job files: where theorems are tried, in your own words.  pldcheck verify FILE runs one, on all cores or with "
        "--scheduler on a cluster, and goes on with --resume after a stop."
    ),
    epilog=examples("job new my-job.toml --force", "job check job.toml", "verify job.toml --resume"),
)
