"""Functions for commands that write rows and figures: ``--out``, JSON as bytes, all files or none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from ..core import sealed_files, stored_formats
from ..core.outward_decimals import plain
from ..verification.runs import run_store
from .options import offer_paths, print_json


def out(about: str = "Write the rows as JSON and the figure as SVG and PNG there.") -> click.Option:
    """Return the option ``--out``, the folder of the files; by default none are written."""
    return click.Option(["--out"], shell_complete=offer_paths, metavar="DIR", help=about)


def stored(about: str) -> click.Option:
    """Return the option ``--stored``, the folder with stored results that a command reads."""
    return click.Option(
        ["--stored"], default="results", show_default=True, shell_complete=offer_paths, metavar="DIR", help=about
    )


def text(kind: str, facts: Mapping[str, Any]) -> bytes:
    """Return one JSON object on one line, with its kind and format, and sealed by its digest.

    Infinite numbers are the texts "inf" and "-inf"; raises ValueError rather than write NaN.
    """
    return (
        json.dumps(sealed_files.seal({**stored_formats.opening(kind), **plain(facts)}), allow_nan=False) + "\n"
    ).encode()


def print_answer(
    facts: Mapping[str, Any],
    lines: Callable[[], Iterable[str]],
    files: Callable[[], Mapping[str, bytes]],
    folder: str | None,
    as_json: bool,
) -> None:
    """Write files by name into a folder if one is given, and print the facts as JSON or lines, with their paths.

    ``lines`` and ``files`` are called only where they are asked for.
    """
    paths = write(files(), folder) if folder else []
    if as_json:
        print_json({**facts, "files": [str(path) for path in paths]})
        return
    for line in (*lines(), *paths):
        click.echo(line)


def check(folder: str | None) -> None:
    """Raise ParameterError for a folder that cannot be written to, before anything is computed."""
    if folder:
        run_store.check_writable(Path(folder))


def write(files: Mapping[str, bytes], folder: str) -> list[Path]:
    """Write files by name into a folder, which is created if necessary, and return their paths."""
    run_store.check_writable(Path(folder))
    for name, content in files.items():
        run_store.write(Path(folder) / name, content)
    return [Path(folder) / name for name in files]
