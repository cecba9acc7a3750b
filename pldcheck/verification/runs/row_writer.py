"""Writers of a run's rows, which come in any order: to its database, half a second after they came, or to memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import RLock, Timer

from ...core.errors import PldcheckError
from .. import Row
from .row_encoding import EncodedRow, encode
from .run_database import Database
from .stored_rows import StoredRows

# The time in seconds that a row waits at most before it is stored: so much work is lost if the process is killed.
SECONDS = 0.5
# The number of waiting rows, some 5 MB, that are stored at once.
TOGETHER = 10_000


@dataclass
class MemoryWriter:
    """Holds the rows of a small run that nobody asked to store."""

    by_number: dict[int, Row] = field(default_factory=dict)

    def add(self, rows: Iterable[tuple[int, Row]]) -> None:
        """Take rows with the numbers of their cells."""
        self.by_number.update(rows)

    def close(self) -> None:
        """End with nothing more to do."""

    def rows(self, count: int) -> Sequence[Row]:
        """Return all rows in the order of the run."""
        return tuple(self.by_number[number] for number in range(count))


@dataclass
class RowWriter:
    """Stores rows together, at most ``SECONDS`` after they came, even if no other row comes meanwhile."""

    database: Database
    _waiting: list[EncodedRow] = field(default_factory=list)
    _lock: RLock = field(default_factory=RLock)
    _timer: Timer | None = None
    _error: PldcheckError | None = None

    def add(self, rows: Iterable[tuple[int, Row]]) -> None:
        """Take rows with the numbers of their cells."""
        self.add_encoded([encode(number, row) for number, row in rows])

    def add_encoded(self, rows: Sequence[EncodedRow]) -> None:
        """Take rows that are encoded already; raise PldcheckError if earlier ones could not be stored."""
        with self._lock:
            if self._error:
                raise self._error
            self._waiting += rows
            if len(self._waiting) >= TOGETHER:
                self._store()
            elif self._waiting and self._timer is None:
                self._timer = Timer(SECONDS, self._store_later)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """Store all rows; raise PldcheckError if that is not possible."""
        with self._lock:
            if self._timer:
                self._timer.cancel()
                self._timer = None
            if self._error:
                raise self._error
            self._store()

    def rows(self, count: int) -> Sequence[Row]:
        """Return all rows in the order of the run."""
        return StoredRows(self.database, 0, count).small()

    def _store(self) -> None:
        if self._waiting:
            try:
                self.database.insert(self._waiting)
                self.database.commit()
            except BaseException:
                self.database.undo()
                raise
            self._waiting = []

    def _store_later(self) -> None:
        with self._lock:
            if self._timer is None:  # closed meanwhile
                return
            self._timer = None
            try:
                self._store()
            except PldcheckError as error:  # the next row, or the end of the run, raises it
                self._error = error
