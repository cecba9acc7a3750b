"""Rows that are kept aside in a run's file, and what a resumed run takes over from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ...core.errors import PldcheckError
from ...core.sealed_files import DamageError
from . import json_lines
from .row_encoding import KEPT_ASIDE, EncodedRow, checked, digest, encode
from .run_database import Database, to_read

# A function that is called with a sentence about each damaged row.
Complain = Callable[[str], None]


def keep_own(database: Database, code: str, complain: Complain) -> None:
    """Put all rows of a run aside, as those of a version of the code, so that another run may have their places."""
    database.keep(code, _intact(database.select("SELECT * FROM rows"), complain))
    database.execute("DELETE FROM rows")


def take_kept(
    database: Database, names: Iterable[tuple[str, int]], path: Path, also: Iterable[Path], complain: Complain
) -> None:
    """Give each kept row that is named its place in the run, and those of other files.

    ``names`` has the hash of each cell with its number; it is not read where nothing is kept.  The rows of the file
    ``path`` itself may be JSON lines, an export, where no run is stored.  Files in ``also`` that cannot be read are
    left out.
    """
    exported = path.with_suffix(json_lines.SUFFIX)
    exported_rows = exported.is_file() and not database.head() and not database.execute("SELECT 1 FROM rows LIMIT 1")
    others = [other for other in also if other.exists()]
    if not (exported_rows or others or database.execute("SELECT 1 FROM kept LIMIT 1")):
        return
    database.execute("CREATE TEMP TABLE wanted (cell TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID")
    database.put("INSERT OR REPLACE INTO wanted VALUES (?, ?)", names)
    if exported_rows:
        damage: list[str] = []
        head, rows = json_lines.read(exported, damage)
        database.keep(str(head.get("code")), (encode(KEPT_ASIDE, row) for row in rows))
        for sentence in damage:
            complain(f"{exported}, {sentence}")
    for other in others:
        try:
            one = to_read(other)
            rows_of_other = _intact(one.select("SELECT * FROM rows"), lambda sentence: None)
            database.keep(str(one.head().get("code")), rows_of_other, only="wanted")
        except PldcheckError as error:
            if not str(error).startswith(str(other)):
                raise
    statement = "SELECT number, ?, cell, line, digest FROM kept JOIN wanted USING (cell)"
    taken = database.select(f"{statement} WHERE number NOT IN (SELECT number FROM rows)", KEPT_ASIDE)
    database.insert(_placed(taken, complain))
    database.execute("DELETE FROM kept WHERE cell IN (SELECT cell FROM rows)")
    database.execute("DROP TABLE temp.wanted")


def _intact(stored: Iterable[Any], complain: Complain) -> Iterator[EncodedRow]:
    for row in stored:
        try:
            yield checked(*row)
        except DamageError as error:
            complain(f"{'a row aside' if row[0] == KEPT_ASIDE else f'row {row[0]}'}: {error}")


def _placed(taken: Iterable[Any], complain: Complain) -> Iterator[EncodedRow]:
    for number, *stored in taken:
        for _, cell, line, _ in _intact([stored], complain):
            yield number, cell, line, digest(number, cell, line)
