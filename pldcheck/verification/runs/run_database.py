"""The file of a run: one SQLite database with a head and a row for each cell, for ten rows as for a hundred million.

``rows`` has the rows of the run by the numbers of their cells.  ``kept`` has rows that are no part of it, with the
version of the code that computed them: of an earlier version, of other widths, of cells that are no longer asked for.
What is committed survives a kill and, since commits reach the disk, the loss of power.  One process writes, many read.
No error of SQLite leaves this file as one of its own.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any
from weakref import finalize

from ...core import sealed_files, stored_formats
from ...core.errors import PldcheckError
from . import results_tree
from .row_encoding import KEPT_ASIDE, EncodedRow, digest

# The end of the name of a run's file.
SUFFIX = results_tree.RUN
# The kind of the head.
KIND = "run"
# The tables; a file with other ones is none of ours.
TABLES = (
    "CREATE TABLE head (facts TEXT NOT NULL)",
    "CREATE TABLE kept (cell TEXT PRIMARY KEY, code TEXT NOT NULL, line TEXT NOT NULL, digest BLOB NOT NULL)"
    " WITHOUT ROWID",
    "CREATE TABLE rows (number INTEGER PRIMARY KEY, cell TEXT, line TEXT NOT NULL, digest BLOB NOT NULL)",
)
# The pages of the write-ahead log after which it is merged: 40 MB.
CHECKPOINT = 10_000
# What is added to the end of SQLite's own words, by a part of these.
ADVICE = {
    "not a database": "it is not a run that pldcheck stored; --overwrite replaces it",
    "malformed": "it is damaged; --overwrite begins anew",
    "full": "what is stored stays; --resume goes on from there",
    "disk i/o": "what is stored stays; --resume goes on from there",
    "readonly": "name a folder to write to by --out",
    "locking protocol": "its file system has no locks; name a folder on another one by --out",
    "locked": "another process is writing it",
    "unable to open": "it cannot be opened there",
}


class Database:
    """A run's file that is open; without a path, a temporary one that goes with the last reference to it.

    ``journal`` is how it is written, ``has_commits`` whether anything was stored.
    """

    def __init__(self, path: Path | None, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self.journal, self.has_commits = "delete", False
        self.close = finalize(self, connection.close)

    @contextmanager
    def _words(self) -> Iterator[None]:
        with in_words(self.path or Path("the temporary file of rows")):
            yield

    def execute(self, statement: str, *values: Any) -> list[Any]:
        """Return what a statement returns, all of it."""
        with self._words():
            return self._connection.execute(statement, values).fetchall()

    def select(self, statement: str, *values: Any) -> Iterator[Any]:
        """Yield what a statement returns, one after the other."""
        with self._words():
            yield from self._connection.execute(statement, values)

    def put(self, statement: str, many: Iterable[tuple[Any, ...]]) -> None:
        """Execute a statement for each of many values; it is undone unless a :meth:`commit` follows."""
        with self._words():
            self.begin()
            self._connection.executemany(statement, many)

    def begin(self) -> None:
        """Begin with changes, unless that is so already."""
        if not self._connection.in_transaction:
            self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Store all changes."""
        if self._connection.in_transaction:
            self.execute("COMMIT")
            self.has_commits = True

    def undo(self) -> None:
        """Take back all changes since the last commit."""
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):  # SQLite has undone them itself
                self._connection.rollback()

    def insert(self, rows: Iterable[EncodedRow]) -> None:
        """Put rows in the places of their numbers."""
        self.put("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", rows)

    def rows(self, start: int, stop: int) -> Iterator[Any]:
        """Yield the rows with numbers from ``start`` to ``stop - 1`` as they are encoded, ascending."""
        return self.select("SELECT * FROM rows WHERE number >= ? AND number < ? ORDER BY number", start, stop)

    def keep(self, code: str, rows: Iterable[EncodedRow], only: str = "") -> None:
        """Put rows aside as those of a version of the code; ``only`` names a table with the cells to keep."""
        condition = f"? IN (SELECT cell FROM {only})" if only else "? IS NOT NULL"
        self.put(
            f"INSERT OR REPLACE INTO kept SELECT ?, ?, ?, ? WHERE {condition}",
            ((cell, code, line, digest(KEPT_ASIDE, cell, line), cell) for _, cell, line, _ in rows),
        )

    def settle(self) -> None:
        """Store all changes in the one file, which can then be read where nothing can be written."""
        self.commit()
        with suppress(PldcheckError):  # somebody reads it meanwhile: it is the file and its log then
            self.execute("PRAGMA busy_timeout=0")
            self.execute("PRAGMA journal_mode=DELETE")

    def head(self) -> dict[str, Any]:
        """Return what is said of the run, empty of a new one; raise PldcheckError for damage."""
        found = self.execute("SELECT facts FROM head")
        if not found:
            return {}
        try:
            values = sealed_files.unseal(found[0][0] if len(found) == 1 else b"")
            if values.get("kind") != KIND or not isinstance(values.get("suite"), str):
                raise sealed_files.DamageError("not the head of a run")
            if type(values.get("cells")) is not int or not isinstance(values.get("code"), str):
                raise sealed_files.DamageError("it does not say how many rows there are, and of which code")
        except (sealed_files.DamageError, TypeError) as error:
            raise PldcheckError(
                f"{self.path}: the head of the run is damaged ({error}); --overwrite begins anew"
            ) from None
        return values

    def write_head(self, values: Mapping[str, Any]) -> None:
        """Replace what is said of the run."""
        facts = sealed_files.seal({**stored_formats.opening(KIND), **values})
        self.begin()
        self.execute("DELETE FROM head")
        self.execute("INSERT INTO head VALUES (?)", json.dumps(facts, allow_nan=False))


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Raise PldcheckError, one line, in the place of an error of SQLite."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error).lower()
        advice = next((words for part, words in ADVICE.items() if part in text), "")
        raise PldcheckError(f"{path}: {text}{advice and f': {advice}'}") from None


def to_write(path: Path | None) -> Database:
    """Return the open file of a run, a new one if there is none; changes are to be committed."""
    with in_words(path or Path("the temporary file of rows")):
        own = Database(path, sqlite3.connect(path or "", isolation_level=None, check_same_thread=False, timeout=60.0))
        _set_up(own)
        if path is not None:
            own.execute("PRAGMA synchronous=FULL")
            with suppress(PldcheckError):  # where there is no shared memory, a rollback journal does the same, slower
                own.journal = own.execute("PRAGMA journal_mode=WAL")[0][0].decode()
            own.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT}")
        own.begin()
        if not own.execute("SELECT 1 FROM sqlite_schema"):
            for table in TABLES:
                own.execute(table)
            own.execute(f"PRAGMA user_version={stored_formats.FORMATS[KIND]}")
        _check(own)
        return own


def to_read(path: Path) -> Database:
    """Return the open file of a run; raise PldcheckError if it is none, OSError if it cannot be read."""
    if "\0" in str(path) or not S_ISREG(path.stat().st_mode):  # a pipe would wait for a writer
        raise PldcheckError(f"{path}: not a regular file")
    with in_words(path):
        uri = f"{path.resolve().as_uri()}?mode=ro"
        own = Database(path, sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False))
        _set_up(own)
        _check(own)
        return own


def _set_up(own: Database) -> None:
    own._connection.text_factory = bytes  # texts that are none are found row by row
    for setting in ("trusted_schema=OFF", "cell_size_check=ON"):
        own.execute(f"PRAGMA {setting}")


def _check(own: Database) -> None:
    """Raise PldcheckError unless the file has our tables and nothing else."""
    ((number,),) = own.execute("PRAGMA user_version")
    if number > stored_formats.FORMATS[KIND]:
        raise PldcheckError(f"{own.path}: its format is newer than this version of pldcheck")
    if sorted(sql for (sql,) in own.execute("SELECT sql FROM sqlite_schema") if sql) != [
        table.encode() for table in TABLES
    ]:
        raise PldcheckError(f"{own.path}: not a run that pldcheck stored; --overwrite replaces it")


def files_of(path: Path) -> list[Path]:
    """Return the paths of a run's file and of what SQLite has beside it while it is written."""
    return [path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm", "journal"))]


@contextmanager
def write_lock(path: Path) -> Iterator[None]:
    """Stop other processes from writing to a run's file; raise PldcheckError if one does so.

    A file beside it is locked, which a kill unlocks.
    """
    beside = path.with_name(f".{path.name}.lock")
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.touch()
        except OSError as error:
            raise PldcheckError(f"{path} cannot be written to ({(error.strerror or str(error)).lower()})") from None
        own, which = sqlite3.connect(beside, timeout=0.0, isolation_level=None), _inode(beside)
        with closing_on_error(own), in_words(path):
            own.execute("BEGIN EXCLUSIVE")
        if which == _inode(beside):  # else it belongs to a run that has just ended
            break
        own.close()
    try:
        yield
    finally:
        with suppress(OSError):
            beside.unlink()
        own.close()


@contextmanager
def closing_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """End a connection if the block fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _inode(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None
