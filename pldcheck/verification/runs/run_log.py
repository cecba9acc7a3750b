"""The log of finished cells: a folder of JSON lines, in which every writing process has a file of its own.

A process that is killed, or a second job on the same folder, cannot damage the rows that another process wrote: each
line is written by one system call, so only the last line of a file can be cut.  A file is locked while its writer
lives.  ``duckdb`` reads the folder as ``'NAME.cells/*.jsonl'``.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from ...core import sealed_files
from .. import Row
from . import cell_identity, row_reader
from .run_store import write

try:
    import fcntl
except ImportError:  # on systems other than POSIX no file counts as in use
    fcntl = None  # type: ignore[assignment]

# The folder for copies of damaged files.
ASIDE = "set-aside"


@dataclass(frozen=True)
class LogContent:
    """The content of a log.

    ``rows`` maps each cell to its last row.  ``damage`` holds sentences about what could not be read.  ``files`` maps
    each file of the folder to its cells.  ``others`` holds the rows of files that are only read.  ``stale`` holds the
    cells of a file that another version of the code wrote.
    """

    rows: dict[str, Row] = field(default_factory=dict, repr=False)
    damage: tuple[str, ...] = ()
    files: dict[Path, frozenset[str]] = field(default_factory=dict, repr=False)
    others: dict[str, Row] = field(default_factory=dict, repr=False)
    stale: frozenset[str] = frozenset()

    @property
    def folder_cells(self) -> frozenset[str]:
        """The cells that are in files of the folder."""
        return frozenset().union(*self.files.values())


@dataclass(frozen=True)
class Log:
    """The folder of one job's finished cells.

    Parameters
    ----------
    path : Path
        The file of the finished run; the folder lies beside it.
    also : tuple of Path
        Files of other runs whose cells are reused; these files are not changed.

    """

    path: Path
    also: tuple[Path, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder with one file for each writer."""
        return self.path.with_name(f"{self.path.stem}.cells")

    @contextmanager
    def writer(self) -> Iterator[Writer]:
        """Yield a writer with a new file of its own, which stays until :meth:`Log.clear`."""
        name = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}-{uuid4().hex[:8]}.jsonl"
        path = self.folder / name
        while True:
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
                break
            except FileNotFoundError:  # another job has just cleared the folder
                continue
        try:
            if fcntl:
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield Writer(path, handle)
        finally:
            empty = os.fstat(handle).st_size == 0
            os.close(handle)
            if empty:  # no cell was finished, so the file is not needed
                path.unlink(missing_ok=True)
                with suppress(OSError):
                    self.folder.rmdir()

    def read(self) -> LogContent:
        """Return all cells of the job's file and of the folder.

        A damaged file is copied to the folder ``set-aside`` and replaced by its readable rows.
        """
        rows: dict[str, Row] = {}
        damage: list[str] = []
        files: dict[Path, frozenset[str]] = {}
        stale: set[str] = set()
        logs = sorted(self.folder.glob("*.jsonl")) if self.folder.is_dir() else []
        for path in [self.path, *logs]:
            if not path.exists() and not path.is_symlink():
                continue
            good, bad, code = _lines(path)
            rows |= good
            if code not in (None, cell_identity.code()):
                stale |= good.keys()
            if path != self.path:
                files[path] = frozenset(good)
            if bad and not _live(path):
                action, new_file = self._set_aside(path, good)
                files |= {new_file: frozenset(good)} if new_file else {}
                damage.append(f"{path}: {bad}, {action}")
        others: dict[str, Row] = {}
        for path in self.also:
            if path.exists():
                others |= _lines(path)[0]
        return LogContent(rows, tuple(damage), files, others, frozenset(stale))

    def _set_aside(self, path: Path, good: dict[str, Row]) -> tuple[str, Path | None]:
        """Set a damaged file aside; return what was done with it, and the new file with its cells, if there is one."""
        folder = self.folder / ASIDE
        copy = folder / f"{path.name}.{uuid4().hex[:8]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not path.is_file():  # a folder, say
                os.replace(path, copy)
                return f"moved to {self.folder.name}/{ASIDE}", None
            shutil.copyfile(path, copy)
            if path != self.path:
                write(path, _dump(good.values()))
                return f"kept in {self.folder.name}/{ASIDE}", None
            # The cells go to a file of the folder: the job's file would be no run without its header.
            new_file = self.folder / f"{copy.name}.jsonl" if good else None
            if new_file:
                write(new_file, _dump(good.values()))
            path.unlink()
            return f"kept in {self.folder.name}/{ASIDE}", new_file
        except OSError as error:  # the disk is full, or another job was first: the readable rows are used anyway
            copy.unlink(missing_ok=True) if path.is_file() else None
            return f"left as it is ({(error.strerror or str(error)).lower()})", None

    def clear(self, files: Iterable[Path]) -> None:
        """Remove files whose cells are all in the job's file, and the folder if it is empty then."""
        for path in files:
            if not _live(path):
                path.unlink(missing_ok=True)
        with suppress(OSError):  # not empty, or another job was first
            self.folder.rmdir()


@dataclass(frozen=True)
class Writer:
    """The writer of one file, to which it appends rows."""

    path: Path
    handle: int

    def add(self, rows: Iterable[Row]) -> None:
        """Append all rows by one system call."""
        content = _dump(rows)
        while content:  # a full disk raises an error; a signal may cut the first call short
            content = content[os.write(self.handle, content) :]

    def discard(self) -> None:
        """Delete the content of the file."""
        os.ftruncate(self.handle, 0)


def _dump(rows: Iterable[Row]) -> bytes:
    lines = (sealed_files.seal({"kind": row_reader.CELL, **row.to_dict()}) for row in rows)
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()


def _lines(path: Path) -> tuple[dict[str, Row], str, str | None]:
    """Return the cells of a file, a phrase about its damage (empty without any), and the code that its header names."""
    try:
        content = sealed_files.load(path)
    except OSError as error:
        return {}, f"cannot be read ({(error.strerror or str(error)).lower()})", None
    except sealed_files.DamageError as error:
        return {}, f"cannot be read ({error})", None
    code: str | None = None
    rows: dict[str, Row] = {}
    bad: dict[int, str] = {}
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line and number == len(lines):
            break
        try:
            values = row_reader.line(line)
            if values["kind"] == row_reader.CELL:
                row = row_reader.row(values)
                if row.cell is not None:
                    rows[row.cell] = row
            else:
                code = values.get("code")
        except sealed_files.DamageError as error:
            bad[number] = str(error)
    if not bad:
        return rows, "", code
    if list(bad) == [len(lines)] and lines[-1]:
        return rows, "its last line is cut", code
    first = next(iter(bad))
    return rows, f"{len(bad)} damaged lines, the first is {first} ({bad[first]})", code


def _live(path: Path) -> bool:
    """Return whether the writer of the file still has it open."""
    if fcntl is None or not path.is_file():
        return False
    try:
        with path.open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False
