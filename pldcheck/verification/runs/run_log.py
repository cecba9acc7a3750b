"""Finished cells as they come: a folder of JSON lines, in which every process that writes has a file of its own.

So nothing that is killed, and no second job on the same folder, can spoil what another one wrote: a line is one call of
the system, and only a file's last line can be cut.  A file is locked while its writer lives.  ``duckdb`` reads the
folder as ``'NAME.cells/*.jsonl'``.
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
except ImportError:  # not a POSIX system: no file counts as in use
    fcntl = None  # type: ignore[assignment]

ASIDE = "set-aside"


@dataclass(frozen=True)
class Found:
    """What a log holds: rows by cell, the last one counts; what could not be read, in words; the cells of each file.

    ``others``: rows of files that are only read.  ``stale``: cells of a file that another version of the code wrote.
    """

    rows: dict[str, Row] = field(default_factory=dict, repr=False)
    damage: tuple[str, ...] = ()
    files: dict[Path, frozenset[str]] = field(default_factory=dict, repr=False)
    others: dict[str, Row] = field(default_factory=dict, repr=False)
    stale: frozenset[str] = frozenset()

    @property
    def logged(self) -> frozenset[str]:
        """The cells that are in files of the folder."""
        return frozenset().union(*self.files.values())


@dataclass(frozen=True)
class Log:
    """The folder of one job's finished cells, next to ``path``, the file that they end in.

    ``also``: files of other runs, whose cells are taken over and which are left as they are.
    """

    path: Path
    also: tuple[Path, ...] = ()

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.path.with_name(f"{self.path.stem}.cells")

    @contextmanager
    def writer(self) -> Iterator[Writer]:
        """Yield a file of one's own to write to, there until :meth:`Log.clear`."""
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
            if empty:  # nothing was done: nothing is left behind
                path.unlink(missing_ok=True)
                with suppress(OSError):
                    self.folder.rmdir()

    def read(self) -> Found:
        """Return all cells of the job's file and of the folder; damaged files are reported, kept aside, and mended."""
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
                done, mended = self._set_aside(path, good)
                files |= {mended: frozenset(good)} if mended else {}
                damage.append(f"{path}: {bad}, {done}")
        others: dict[str, Row] = {}
        for path in self.also:
            if path.exists():
                others |= _lines(path)[0]
        return Found(rows, tuple(damage), files, others, frozenset(stale))

    def _set_aside(self, path: Path, good: dict[str, Row]) -> tuple[str, Path | None]:
        """Return what was done with a damaged file, and the file that its cells are in now, if that is a new one."""
        folder = self.folder / ASIDE
        kept = folder / f"{path.name}.{uuid4().hex[:8]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not path.is_file():  # a folder, say
                os.replace(path, kept)
                return f"moved to {self.folder.name}/{ASIDE}", None
            shutil.copyfile(path, kept)
            if path != self.path:
                write(path, _dumped(good.values()))
                return f"kept in {self.folder.name}/{ASIDE}", None
            # Its cells go to a file of the folder: without its header it is no run.
            mended = self.folder / f"{kept.name}.jsonl" if good else None
            if mended:
                write(mended, _dumped(good.values()))
            path.unlink()
            return f"kept in {self.folder.name}/{ASIDE}", mended
        except OSError as error:  # no room, or another job was first: what could be read is read
            kept.unlink(missing_ok=True) if path.is_file() else None
            return f"left as it is ({(error.strerror or str(error)).lower()})", None

    def clear(self, files: Iterable[Path]) -> None:
        """Remove files whose cells are all in the job's file, and the folder if nothing else is in it."""
        for path in files:
            if not _live(path):
                path.unlink(missing_ok=True)
        with suppress(OSError):  # not empty, or another job was first
            self.folder.rmdir()


@dataclass(frozen=True)
class Writer:
    """Puts rows at the end of one file."""

    path: Path
    handle: int

    def add(self, rows: Iterable[Row]) -> None:
        """All of them by one call of the system."""
        content = _dumped(rows)
        while content:  # a full disk raises; a signal may cut the first call short
            content = content[os.write(self.handle, content) :]

    def discard(self) -> None:
        """Nothing is left of the file."""
        os.ftruncate(self.handle, 0)


def _dumped(rows: Iterable[Row]) -> bytes:
    made = (sealed_files.seal({"kind": row_reader.CELL, **row.to_dict()}) for row in rows)
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in made).encode()


def _lines(path: Path) -> tuple[dict[str, Row], str, str | None]:
    """Return the cells of a file, what is wrong with it in words, and the code that its header names."""
    try:
        content = sealed_files.load(path)
    except OSError as error:
        return {}, f"cannot be read ({(error.strerror or str(error)).lower()})", None
    except sealed_files.Spoiled as error:
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
        except sealed_files.Spoiled as error:
            bad[number] = str(error)
    if not bad:
        return rows, "", code
    if list(bad) == [len(lines)] and lines[-1]:
        return rows, "its last line is cut", code
    first = next(iter(bad))
    return rows, f"{len(bad)} damaged lines, the first is {first} ({bad[first]})", code


def _live(path: Path) -> bool:
    """Return whether its writer still has it open."""
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
