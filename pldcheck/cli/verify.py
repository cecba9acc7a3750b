"""``pldcheck verify``: a suite judged, stored, drawn and tabulated."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ..batch import store
from ..batch.provenance import provenance
from ..suites import SUITES
from ..theorems import REGISTRY
from ..verify import WIDTH, Report, Row, Verdict, verify
from .options import Name, examples, number, print_json, switches

# Of the table, when it goes to a file or a pipe.
PIPED_WIDTH = 120

Step = Callable[[Row, int], None]


def _verify(
    context: click.Context,
    suite: str,
    theorem: tuple[str, ...],
    more: tuple[str, ...],
    out: str,
    quick: bool,
    width: float,
    as_json: bool,
) -> None:
    folder = Path(out)
    store.check_writable(folder)
    made = provenance(shlex.join(("pldcheck", *context.obj)))
    with _progress() as step:
        report = verify(suite, (*theorem, *more) or None, quick=quick, width=width, progress=step)
    paths = _write(report, made, folder)
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


@contextmanager
def _progress() -> Iterator[Step | None]:
    """A bar on stderr with the verdicts so far, if somebody is there to see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    counts = dict.fromkeys(Verdict, 0)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def step(row: Row, total: int) -> None:
            counts[row.verdict] += 1
            said = "  ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
            bar.update(task, total=total, completed=sum(counts.values()), description=said)

        yield step


verify_command = click.Command(
    "verify",
    callback=click.pass_context(_verify),
    params=[
        click.Option(
            ["--suite"],
            type=Name("suite", lambda: SUITES),
            default="paper",
            show_default=True,
            metavar="NAME",
            help="Where the theorems are tried.",
        ),
        click.Option(
            ["--theorem"],
            type=Name("theorem", lambda: REGISTRY),
            multiple=True,
            metavar="ID ...",
            help="Only these; all by default.",
        ),
        click.Argument(["more"], type=Name("theorem", lambda: REGISTRY), nargs=-1, metavar=""),
        click.Option(["--out"], default="results", show_default=True, metavar="DIR", help="Where rows and figures go."),
        click.Option(["--quick"], is_flag=True, help="A small sample of the suite."),
        number("width", WIDTH),
        *switches(),
    ],
    short_help="Judge theorems against certified intervals.",
    help=(
        "Judge theorems against certified intervals, on the parameters of a suite.\n\n"
        "Writes the rows as JSON lines and two figures as SVG and PNG.  Exit status: 0 if all hold, 1 if one "
        "is violated, 2 after bad usage, 3 if one stays undecided."
    ),
    epilog=examples("verify --quick", "verify --quick --theorem thm-3.2 --theorem thm-A.4 --json"),
)
