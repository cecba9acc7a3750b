"""Exports of a run's rows: JSON lines, CSV and Parquet, written in bounded memory, each a file beside the run's own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO

from .. import Report
from . import json_lines, parquet_rows
from .run_store import written


def _as_lines(report: Report, file: IO[bytes], names: Sequence[str]) -> None:
    json_lines.write(report, file)


def _as_csv(report: Report, file: IO[bytes], names: Sequence[str]) -> None:
    """Write the columns of the Parquet file as text; every number is the shortest that reads back exactly."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        table = csv.DictWriter(text, parquet_rows.names_of(names))
        table.writeheader()
        for index, row in enumerate(report.rows):
            table.writerow(parquet_rows.columns_of(index, row, names))
    finally:
        text.detach()


# What writes each format, by the end of its files' names.
WRITERS: Mapping[str, Callable[[Report, IO[bytes], Sequence[str]], None]] = MappingProxyType(
    {"jsonl": _as_lines, "csv": _as_csv, "parquet": parquet_rows.write_to}
)


def export(report: Report, folder: Path, formats: Iterable[str], names: Iterable[str]) -> list[Path]:
    """Write the rows of a report, whose parameters have these names, in each of the formats, and return the files.

    Examples
    --------
    >>> from pldcheck import verify
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     (path,) = export(verify("refuted", ["krr-merged"]), Path(folder), ["csv"], ["eps0", "categories", "delta"])
    ...     path.name, len(path.read_text().splitlines())
    ('refuted.csv', 10)

    """
    paths, names = [], tuple(names)
    for one in formats:
        paths.append(folder / f"{report.suite}.{one}")
        with written(paths[-1]) as file:
            WRITERS[one](report, file, names)
    return paths
