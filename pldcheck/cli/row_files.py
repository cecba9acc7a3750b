"""Certificates and witnesses beside the rows of a run, as ``pldcheck verify`` writes and checks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import PldcheckError
from ..core.outward_decimals import safe
from ..theorems import Theorem
from ..verification import Report, Verdict
from ..verification.runs.executors import Executor
from ..verification.runs.results_tree import CERTIFICATES, WITNESSES
from .opening_line import opening_line
from .progress import item_progress

if TYPE_CHECKING:
    from ..witness.run_files import Outcome

# The most reasons for rows without a file that are named.
MOST_REASONS = 3
# What an interrupted or failing write ends with.
RESUME_HINT = "certificates that are written stay: --resume --certify goes on from there"
# What is said where the first file takes long.
NEAR_TRUTH = "looking for certificates and witnesses: one of a claim very near the truth takes up to two minutes"


def check_count(cells: int) -> None:
    """Raise PldcheckError for a run of so many cells that files beside its rows would be too many."""
    from ..witness import run_files

    run_files.check_count(cells)


def write_files(
    report: Report,
    folder: Path,
    executor: Executor,
    origin: Mapping[str, Any],
    resume: bool,
    quiet: bool,
    own: Mapping[str, Theorem],
) -> Outcome:
    """Write the files of a run's rows and their manifest, and return what was written."""
    from ..witness import run_files

    try:
        with _progress(quiet, NEAR_TRUTH) as step:
            return run_files.certify(report, folder, executor, origin, resume, step, own)
    except KeyboardInterrupt:
        click.echo(RESUME_HINT, err=True)
        raise
    except OSError as error:
        reason = error.strerror or error
        raise PldcheckError(f"{folder} cannot be written to ({reason}); {RESUME_HINT}") from None


def remove_outdated(report: Report, folder: Path) -> None:
    """Remove the files of rows that are gone or have another verdict now."""
    from ..witness import run_files

    if run_files.manifest_path(folder, report.suite).exists():
        run_files.remove_outdated(report, folder)


def check_commands(folder: Path, outcome: Outcome) -> list[str]:
    """Return the command that checks the files of a run without this package, if there are any."""
    from ..witness.checker_archive import command

    return [command(folder, [folder / name for name in outcome.files])] if outcome.files else []


def check_files(
    report: Report, folder: Path, share: float, executor: Executor, quiet: bool, own: Mapping[str, Theorem]
) -> tuple[int, list[str]]:
    """Return the number of stored files that were checked, and sentences on those that fail, which are printed."""
    from ..witness import run_files

    with _progress(quiet) as step:
        count, failures = run_files.recheck(report, folder, share, executor, step, own)
    for line in failures:
        click.echo(safe(f"not confirmed: {line}"), err=True)
    return count, failures


def conclusion(report: Report, outcome: Outcome) -> str:
    """Return what was written as one line."""
    parts = [
        f"{folder} of {outcome.count(folder)} of {report.counts[verdict]} {verdict} rows"
        for folder, verdict in ((CERTIFICATES, Verdict.HOLDS), (WITNESSES, Verdict.VIOLATED))
        if report.counts[verdict]
    ]
    parts = parts or ["no row has a certificate or a witness"]
    parts += [f"{outcome.stronger} claim a smaller epsilon than the theorem"] if outcome.stronger else []
    parts += [f"{outcome.again} were stored"] if outcome.again else []
    reasons = outcome.without.most_common()
    rest = sum(count for _, count in reasons[MOST_REASONS:])
    named = [f"{count}: {reason}" for reason, count in reasons[:MOST_REASONS]]
    named += [f"{rest}: other reasons"] if rest else []
    parts += [f"not possible for {'; '.join(named)}"] if named else []
    return safe("; ".join([*parts, f"{outcome.seconds:.1f} s"]))


@contextmanager
def _progress(quiet: bool, first: str = "") -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with the numbers of finished and of all files; ``first`` is said of a long first one."""
    if quiet:
        yield lambda count, total: None
        return
    with item_progress("files") as show, opening_line(first) if first else nullcontext(lambda: None) as begin:

        def step(count: int, total: int) -> None:
            begin()
            show(count, total)

        yield step
