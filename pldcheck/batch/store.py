"""Runs as JSON lines: a header row that tells where they come from, then a row a cell.

A file appears whole or not at all, and every float in it is read back as it was.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import ParameterError, PldcheckError
from ..verify import Report, Row


def write(path: Path, content: bytes) -> None:
    """Put ``content`` in the file by one rename, making its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def check_writable(folder: Path) -> None:
    """Raise ParameterError unless files can be put in ``folder``, and leave nothing behind, not even it."""
    made: list[Path] = []
    try:
        for path in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            path.mkdir(parents=True, exist_ok=True)  # another process may make or remove it at the same time
            made.append(path)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        allowed = f"a folder to write to ({(error.strerror or str(error)).lower()})"
        raise ParameterError("out", allowed, str(folder)) from None
    finally:
        for path in reversed(made):
            with suppress(OSError):  # somebody else has begun to use it
                path.rmdir()


def dumps(report: Report, provenance: Mapping[str, Any]) -> bytes:
    """The lines of a run."""
    rows = [{"kind": "header", **provenance, **report.header}]
    rows += [{"kind": "cell", **row.to_dict()} for row in report.rows]
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows).encode()


def read(path: str | os.PathLike[str]) -> Report:
    """A stored run: its rows, and its header with the provenance in it."""
    (_, header), *cells = _lines(Path(path), "header")
    rows = []
    for number, values in cells:
        try:
            rows.append(Row.from_dict(values))
        except (KeyError, TypeError, ValueError) as error:
            raise PldcheckError(f"{path}, line {number}: not a row of a run ({error!r})") from None
    return Report(header["suite"], tuple(rows), header)


def _lines(path: Path, first: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbered objects of the file without their kind, which is ``first``, then always "cell"."""
    kind = first
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            values = json.loads(line)
            found = values.pop("kind")
        except (ValueError, AttributeError, TypeError, KeyError):
            found = None
        if found != kind:
            raise PldcheckError(f"{path}, line {number}: not the {kind} row of a run")
        yield number, values
        kind = "cell"
    if kind == first:
        raise PldcheckError(f"{path}: empty, not a run")
