"""What commands share that write rows and figures: ``--out``, JSON as bytes, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..batch import store


def out() -> click.Option:
    """Where files go; nowhere by default."""
    return click.Option(["--out"], metavar="DIR", help="Write the rows as JSON and the figure as SVG and PNG there.")


def text(facts: Mapping[str, Any]) -> bytes:
    """One JSON object on one line; raises rather than write NaN or Infinity."""
    return (json.dumps(facts, allow_nan=False) + "\n").encode()


def write(files: Mapping[str, bytes], folder: str) -> list[Path]:
    """The paths of the files written, by name, in a folder that is made if need be."""
    store.check_writable(Path(folder))
    for name, content in files.items():
        store.write(Path(folder) / name, content)
    return [Path(folder) / name for name in files]
