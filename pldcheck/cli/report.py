"""``pldcheck report``: all results in a folder as one page, as Markdown, and its tables as CSV."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import click

from ..core.errors import ParameterError, PldcheckError
from ..verification.run_fold import ordered_counts
from ..verification.runs import run_store
from ..verification.runs.results_tree import OUT
from .options import examples, offer_paths, print_json, switches

# The end of the name of the folder with the tables of a page as CSV.
TABLES = "-tables"
# What to type where nothing is stored yet.
MAKER = f"pldcheck verify --quick, which stores a run in {OUT}, and then pldcheck report {OUT}"


@contextmanager
def _without_gc() -> Iterator[None]:
    """Stop the search for cycles meanwhile, which among a hundred thousand rows takes as long as reading them."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _report(folder: str, out: str | None, title: str | None, as_json: bool) -> None:
    page = Path(out) if out else Path(folder) / "report.html"
    if page.suffix != ".html":
        raise ParameterError("out", "the name of a file that ends in .html", out)
    if page.is_dir():
        raise ParameterError("out", "the name of a file, not of a folder", out)
    from ..report import html_page, markdown_page
    from ..report.report_digest import digest, summary_lines
    from ..report.results_folder import complaints, read
    from ..report.table_files import csv_files
    from ..study.stored_studies import KINDS
    from ..witness.run_files import file_name

    if not Path(folder).exists():
        raise PldcheckError(f"there is no folder {folder}: type {MAKER}")
    with _without_gc():
        results = read(Path(folder), run_store.read, KINDS)
    damage = list(complaints(results))
    if results.empty:
        what = f" that can be read ({'; '.join(damage)})" if damage else ""
        raise PldcheckError(f"{folder} holds no stored run{what}: type {MAKER}")
    run_store.check_writable(page.parent)
    for line in damage:
        click.echo(f"pldcheck: {line}", err=True)
    page_digest = digest(results, title, file_name)
    tables = page.with_name(f"{page.stem}{TABLES}")
    # All files are built before any is written.
    files = {
        page: html_page.render(results, page_digest, _way(page.parent, Path(folder)), tables.name),
        page.with_suffix(".md"): markdown_page.render(results, page_digest, page.name, tables.name),
        **{tables / name: content for name, content in csv_files(page_digest.tables).items()},
    }
    for path, content in files.items():
        run_store.write(path, content)
    if as_json:
        counts = {str(verdict): count for verdict, count in ordered_counts(results.page.counts).items() if count}
        print_json(
            {
                "answer": page_digest.answer,
                "counts": counts,
                "damaged": dict(page_digest.damage),
                "files": [str(path) for path in files],
            }
        )
        return
    click.echo("\n".join(summary_lines(page_digest)))
    for path in (page, page.with_suffix(".md"), tables):
        click.echo(path)


def _way(start: Path, goal: Path) -> str:
    """Return the relative path from one folder to another as it stands in a link, with a slash at its end."""
    way = Path(os.path.relpath(goal, start)).as_posix()
    return "" if way == "." else f"{quote(way)}/"


report_command = click.Command(
    "report",
    callback=_report,
    params=[
        click.Argument(["folder"], shell_complete=offer_paths, metavar="DIR"),
        click.Option(
            ["--out"],
            shell_complete=offer_paths,
            metavar="FILE",
            help="The page, which ends in .html; DIR/report.html by default.",
        ),
        click.Option(["--title"], metavar="TEXT", help="What stands above it."),
        *switches(),
    ],
    short_help="One page of everything stored in a folder.",
    help=(
        "One page of everything stored in DIR, or in its inner folders if it has no results of its own: verdicts, "
        "violated and undecided cells with witnesses and commands, findings, audits, attacks, which theorem implies "
        "which, figures, comparisons, rows, provenance.\n\n"
        "Nothing is computed.  The page fetches nothing; its script filters, searches and sorts, and without it all is "
        "shown as well.  Next to it the same is written as Markdown, without the figures, and in a folder whose name "
        f"ends in {TABLES} each table as CSV, with all of its lines.  A file that cannot be read is named and left out."
    ),
    epilog=examples(f"report {OUT}", "report results", "report results --out page.html --title 'Check-ins, judged'"),
)
