"""The rows of a run as a sequence that reads them from its database, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from ...core.errors import PldcheckError
from ...core.sealed_files import DamageError
from .. import Row
from .row_encoding import EncodedRow, checked, row_of
from .run_database import Database

# The most rows that a report holds in memory, some 2 KB each; it reads those of a larger run one by one.
IN_MEMORY = 50_000


@dataclass(frozen=True)
class StoredRows(Sequence[Row]):
    """The rows with the numbers from ``start`` to ``stop - 1`` of a run that has all its rows.

    Iteration holds one row at a time.  Slices with step 1 are such sequences, too.

    Parameters
    ----------
    database : Database
        The open file of the run.
    start, stop : int
        The numbers.
    damage : list of str or None
        A list that receives a sentence about each damaged row, which is then left out; without it such a row is an
        error.

    Raises
    ------
    PldcheckError
        While rows are read: if a row is damaged, moved or missing.

    """

    database: Database
    start: int
    stop: int
    damage: list[str] | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return self.stop - self.start

    def __iter__(self) -> Iterator[Row]:
        for number, cell, line, _ in self._whole():
            try:
                row = row_of(cell, line)
            except DamageError as error:
                self._complain(f"row {number}: {error}")
                continue
            yield row

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        wanted = range(self.start, self.stop)[index]
        if isinstance(wanted, range):
            if wanted.step == 1:
                return StoredRows(self.database, wanted.start, max(wanted.stop, wanted.start), self.damage)
            return tuple(map(self._row, wanted))
        return self._row(wanted)

    def check(self) -> None:
        """Raise PldcheckError unless every row has its digest and its place; their values are looked at when read."""
        for _ in self._whole():
            pass

    def small(self) -> Sequence[Row]:
        """Return the rows as a tuple if they are few enough, else this sequence."""
        return tuple(self) if len(self) <= IN_MEMORY else self

    def _row(self, number: int) -> Row:
        for row in StoredRows(self.database, number, number + 1):
            return row
        raise AssertionError("a missing row is an error before")

    def _whole(self) -> Iterator[EncodedRow]:
        """Yield the rows that have their digests, and complain of the others."""
        expected = self.start
        for stored in self.database.rows(self.start, self.stop):
            self._missing(expected, stored[0])
            expected = stored[0] + 1
            try:
                whole = checked(*stored)
            except DamageError as error:
                self._complain(f"row {stored[0]}: {error}")
                continue
            yield whole
        self._missing(expected, self.stop)

    def _missing(self, start: int, stop: int) -> None:
        if stop > start:
            self._complain(
                f"row {start} is missing" if stop == start + 1 else f"rows {start} to {stop - 1} are missing"
            )

    def _complain(self, sentence: str) -> None:
        if self.damage is None:
            raise PldcheckError(f"{self.database.path}, {sentence}")
        self.damage.append(sentence)
