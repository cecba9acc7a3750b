"""Runs as JSON lines, an export: a header with the provenance, then one row for each cell, each sealed by its digest.

A file appears as a whole or not at all, and every float is read back exactly.  The header's ``sum`` is the digest of
all rows in their order, so that missing, doubled and moved rows are noticed as well as changed ones.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from stat import S_ISREG
from typing import IO, Any

from ...core import sealed_files, stored_formats
from ...core.errors import PldcheckError
from .. import Report, Row
from . import results_tree, row_reader, stored_rows
from .row_encoding import encode, storable
from .run_database import to_write
from .stored_rows import StoredRows

# The end of the name of such a file.
SUFFIX = results_tree.LINES
# The keys of the header's line that are no part of the header.
EXTRA = ("kind", "format", "sum", "digest")


def dumps(report: Report, provenance: Mapping[str, Any]) -> bytes:
    """Return the content of the file of a report, in memory."""
    sums = blake2b(digest_size=sealed_files.SIZE)
    lines = []
    for line, digest in _lines(report.rows):
        lines.append(line)
        sums.update(digest.encode())
    return b"".join([_head_line({**provenance, **report.header}, sums.hexdigest()), *lines])


def write(report: Report, file: IO[bytes]) -> None:
    """Write the rows of a report, which are read one by one, to an open file."""
    sums = blake2b(digest_size=sealed_files.SIZE)
    with tempfile.TemporaryFile(dir=Path(file.name).parent) as rows:
        for line, digest in _lines(report.rows):
            rows.write(line)
            sums.update(digest.encode())
        file.write(_head_line(report.header, sums.hexdigest()))
        rows.seek(0)
        shutil.copyfileobj(rows, file)


def _lines(rows: Iterable[Row]) -> Iterator[tuple[bytes, str]]:
    """Yield the line of each row with its digest."""
    for row in rows:
        if row.reason is not None:
            row = replace(row, reason=storable(row.reason))
        values = sealed_files.seal({"kind": row_reader.CELL, **row.to_dict()})
        yield json.dumps(values, allow_nan=False).encode() + b"\n", values["digest"]


def _head_line(header: Mapping[str, Any], sum: str) -> bytes:
    head = {**stored_formats.opening(row_reader.HEADER), **header, "sum": sum}
    return json.dumps(sealed_files.seal(head), allow_nan=False).encode() + b"\n"


def read(path: Path, damage: list[str] | None = None) -> tuple[dict[str, Any], Sequence[Row]]:
    """Return header and rows of a file, many rows by way of a temporary database.

    ``damage`` is a list that receives a sentence about each damaged line; the other lines are then read.

    Raises
    ------
    PldcheckError
        If the header is damaged; without ``damage``, also if any other line is.
    OSError
        If the file cannot be read.

    """
    with _open(path) as file:
        values = _header(path, _line(file))
        complaints: list[str] = []
        sums = blake2b(digest_size=sealed_files.SIZE)

        def rows() -> Iterator[Row]:
            for number, line in enumerate(iter(lambda: _line(file), b""), 2):
                try:
                    columns = row_reader.line(line.removesuffix(b"\n"))
                    if columns["kind"] != row_reader.CELL:
                        raise sealed_files.DamageError("not the cell row of a run")
                    row = row_reader.row(columns)
                except sealed_files.DamageError as error:
                    complaints.append(f"line {number}: {error}")
                    if damage is None:
                        raise PldcheckError(f"{path}, {complaints[0]}") from None
                    continue
                sums.update(columns["digest"].encode())
                yield row

        found = _collected(rows())
    if sums.hexdigest() != values["sum"]:
        if not complaints:
            complaints.append("its rows are not those that were written: some are missing, doubled or moved")
        if damage is None:
            raise PldcheckError(f"{path}: {complaints[0]}")
    if damage is not None:
        damage += complaints
    return {name: value for name, value in values.items() if name not in EXTRA}, found


def header(path: Path) -> dict[str, Any]:
    """Return the header of a file; raise the errors of :func:`read`."""
    with _open(path) as file:
        values = _header(path, _line(file))
    return {name: value for name, value in values.items() if name != "digest"}


def _collected(rows: Iterator[Row]) -> Sequence[Row]:
    """Return rows in memory, or in a temporary database if they are too many."""
    first = list(islice(rows, stored_rows.IN_MEMORY))
    rest = next(rows, None)
    if rest is None:
        return tuple(first)
    database = to_write(None)
    database.insert(encode(number, row) for number, row in enumerate(chain(first, [rest], rows)))
    database.commit()
    ((count,),) = database.execute("SELECT count(*) FROM rows")
    return StoredRows(database, 0, count)


def _open(path: Path) -> IO[bytes]:
    if "\0" in str(path):
        raise PldcheckError("its name contains a NUL character")
    if not S_ISREG(os.stat(path).st_mode):  # this comes before opening: a pipe would wait for a writer
        raise PldcheckError(f"{path}: not a regular file")
    return path.open("rb")


def _line(file: IO[bytes]) -> bytes:
    """Return the next line of a file, empty at its end; one that is too long comes in parts, which are no rows."""
    return file.readline(sealed_files.LARGEST + 1)


def _header(path: Path, line: bytes) -> dict[str, Any]:
    if not line.strip():
        raise PldcheckError(f"{path}: empty, not a run")
    try:
        values = row_reader.line(line.removesuffix(b"\n"))
        if values["kind"] != row_reader.HEADER or not isinstance(values.get("suite"), str):
            raise sealed_files.DamageError("not the header row of a run")
        if not isinstance(values.get("sum"), str):
            raise sealed_files.DamageError("it does not say which rows follow")
    except sealed_files.DamageError as error:
        raise PldcheckError(f"{path}, line 1: {error}") from None
    return values
