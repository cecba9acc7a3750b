"""Functions for commands that write rows and figures: ``--out``, JSON as bytes, all files or none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..core import sealed_files, stored_formats
from ..core.outward_decimals import plain
from ..verification.runs import run_store
from .options import offer_paths


def out() -> click.Option:
    """Return the option ``--out``, the folder of the files; by default none are written."""
    return click.Option(
        ["--out"],
        shell_complete=offer_paths,
        metavar="DIR",
        help="Write the rows as JSON and the figure as SVG and PNG there.",
    )


def text(kind: str, facts: Mapping[str, Any]) -> bytes:
    """Return one JSON object on one line, with its kind and format, and sealed by its digest.

    Infinite numbers are the texts "inf" and "-inf"; raises ValueError rather than write NaN.
    """
    return (
        json.dumps(sealed_files.seal({**stored_formats.opening(kind), **plain(facts)}), allow_nan=False) + "\n"
    ).encode()


def write(files: Mapping[str, bytes], folder: str) -> list[Path]:
    """Write files by name into a folder, which is created if necessary, and return their paths."""
    run_store.check_writable(Path(folder))
    for name, content in files.items():
        run_store.write(Path(folder) / name, content)
    return [Path(folder) / name for name in files]
