"""The option by which a file that is written gets the checkers beside it, and the command that runs these."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from ..verification.runs import run_store

# What stands before a command that needs only Python.
ALONE = "check without pldcheck"


def checkers_option() -> click.Option:
    """Return the option of a command that writes one file."""
    return click.Option(
        ["checkers", "--checkers"], is_flag=True, help="Put checkers.pyz beside it: Python alone checks the file by it."
    )


def write_checkers(folder: Path, files: Iterable[str]) -> str:
    """Write the archive of the checkers into a folder, and return the command that checks files by it."""
    from ..witness.checker_archive import ARCHIVE, archive, command

    run_store.write(folder / ARCHIVE, archive())
    return command(folder, map(Path, files))
