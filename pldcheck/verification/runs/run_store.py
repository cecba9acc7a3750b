"""Files of runs, in JSON lines: a header with the provenance, then one row for each cell, each sealed by its digest.

A file appears as a whole or not at all, and every float is read back exactly.  The header's ``sum`` is the digest of
all rows in their order, so that missing, doubled and moved rows are noticed as well as changed ones.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...core import sealed_files, stored_formats
from ...core.errors import ParameterError, PldcheckError
from ...core.outward_decimals import safe
from .. import Report, Row
from . import row_reader, shard_store
from .shard_folder import folder_of, read_head
from .sharded_rows import ShardedRows

# The keys of the header's line that are no part of the header.
EXTRA = ("kind", "format", "sum", "digest")


def write(path: Path, content: bytes) -> None:
    """Write ``content`` to the file by one rename; create the folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_writable(folder: Path) -> None:
    """Raise ParameterError unless files can be written to ``folder``; leave no file and no new folder behind."""
    new_folders: list[Path] = []
    try:
        for path in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            path.mkdir(parents=True, exist_ok=True)  # another process may make or remove the folder meanwhile
            new_folders.append(path)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        domain = f"a folder to write to ({(error.strerror or str(error)).lower()})"
        raise ParameterError("out", domain, str(folder)) from None
    finally:
        for path in reversed(new_folders):
            with suppress(OSError):  # another process uses the folder now
                path.rmdir()


def check_overwrite(path: Path, own_questions: str | None, advice: str) -> None:
    """Raise an error if a run of other questions, a large one, or one that cannot be read would be replaced.

    Parameters
    ----------
    path : Path
        The file of a run that is not resumed.
    own_questions : str or None
        The digest of its cells; None if it is a large one itself.
    advice : str
        What to do about it, in words.

    """
    if (shards := folder_of(path)).exists():
        raise PldcheckError(safe(f"{shards} is there already; {advice}"))
    if not path.exists():
        return
    try:
        same, what = header(path).get("questions") == own_questions, "holds other cells than these"
    except (OSError, PldcheckError):
        same, what = False, "cannot be read as a run"
    if not same:
        raise PldcheckError(safe(f"{path} is there already and {what}; {advice}"))


def dumps(report: Report, provenance: Mapping[str, Any]) -> bytes:
    """Return the content of a run's file."""
    rows = [sealed_files.seal({"kind": row_reader.CELL, **row.to_dict()}) for row in report.rows]
    head = {**stored_formats.opening(row_reader.HEADER), **provenance, **report.header}
    head["sum"] = _sum(row["digest"] for row in rows)
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in [sealed_files.seal(head), *rows]).encode()


def store(report: Report, provenance: Mapping[str, Any], folder: Path) -> Path:
    """Store a report in a folder, and return its file; a large run, whose rows are stored, gets its header."""
    if isinstance(report.rows, ShardedRows):
        shard_store.finish(report, report.rows, provenance)
        return report.rows.folder.path
    path = folder / f"{report.suite}.jsonl"
    write(path, dumps(report, provenance))
    return path


def read(path: str | os.PathLike[str], damage: list[str] | None = None) -> Report:
    """Return a stored run: its rows, and its header, which includes the provenance.

    Parameters
    ----------
    path : path
        The file, or the folder of a large run, whose rows are then read one by one as they are used.
    damage : list, optional
        A list that receives a sentence about each damaged line; the other lines are then read.

    Raises
    ------
    PldcheckError
        If the header is damaged; without ``damage``, also if any other line is.
    OSError
        If the file cannot be read.

    """
    path = Path(path)
    if path.is_dir():
        return shard_store.read(path, damage)
    try:
        lines = sealed_files.load(path).split(b"\n")
    except sealed_files.DamageError as error:
        raise PldcheckError(f"{path}: {error}") from None
    if not any(lines):
        raise PldcheckError(f"{path}: empty, not a run")
    header = _header(path, lines[0])
    complaints: list[str] = []
    rows: list[Row] = []
    digests: list[str] = []
    for number, line in enumerate(lines[1:], 2):
        if not line and number == len(lines):
            break
        try:
            values = row_reader.line(line)
            if values["kind"] != row_reader.CELL:
                raise sealed_files.DamageError("not the cell row of a run")
            rows.append(row_reader.row(values))
            digests.append(values["digest"])
        except sealed_files.DamageError as error:
            complaints.append(f"line {number}: {error}")
            if damage is None:
                raise PldcheckError(f"{path}, {complaints[0]}") from None
    if _sum(digests) != header["sum"]:
        if not complaints:
            complaints.append("its rows are not those that were written: some are missing, doubled or moved")
        if damage is None:
            raise PldcheckError(f"{path}: {complaints[0]}")
    if damage is not None:
        damage += complaints
    return Report(header["suite"], tuple(rows), {name: value for name, value in header.items() if name not in EXTRA})


def header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of a stored run; raise the errors of :func:`read`."""
    if Path(path).is_dir():
        return read_head(Path(path))
    with Path(path).open("rb") as file:
        return _header(Path(path), file.readline(sealed_files.LARGEST))


def _header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        values = row_reader.line(line)
        if values["kind"] != row_reader.HEADER or not isinstance(values.get("suite"), str):
            raise sealed_files.DamageError("not the header row of a run")
        if not isinstance(values.get("sum"), str):
            raise sealed_files.DamageError("it does not say which rows follow")
    except sealed_files.DamageError as error:
        raise PldcheckError(f"{path}, line 1: {error}") from None
    return values


def _sum(digests: Iterable[str]) -> str:
    """Return the digest of all rows in their order."""
    whole = blake2b(digest_size=sealed_files.SIZE)
    for one in digests:
        whole.update(one.encode())
    return whole.hexdigest()
