"""The rows of a large run as a sequence that reads them from its folder, a line at a time."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, overload

from ...core.errors import PldcheckError
from ...core.sealed_files import DamageError
from .. import Row
from . import row_lines
from .shard_folder import ShardFolder

# The shards of which it is known where each line begins: 0.8 MB each.
KNOWN = 4


@dataclass(frozen=True)
class ShardedRows(Sequence[Row]):
    """Rows with the indices from ``start`` to ``stop - 1`` of a run whose shards are whole.

    Iteration holds one row at a time.  Slices with step 1 are such sequences, too.

    Parameters
    ----------
    folder : ShardFolder
        The folder.
    start, stop : int
        The indices.
    damage : list of str or None
        A list that receives a sentence about each damaged line, which is then left out; without it such a line is an
        error.
    keep : object
        What must exist as long as the rows are read, such as a temporary folder.

    Raises
    ------
    PldcheckError
        While rows are read: if a line is damaged, moved or missing.

    """

    folder: ShardFolder
    start: int
    stop: int
    damage: list[str] | None = field(default=None, compare=False, repr=False)
    keep: Any = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return self.stop - self.start

    def __iter__(self) -> Iterator[Row]:
        return (row for _, row in self.indexed())

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            wanted = range(self.start, self.stop)[index]
            if wanted.step == 1:
                return ShardedRows(self.folder, wanted.start, max(wanted.stop, wanted.start), self.damage, self.keep)
            return tuple(map(self._row, wanted))
        return self._row(range(self.start, self.stop)[index])

    def indexed(self) -> Iterator[tuple[int, Row]]:
        """Yield the rows, each with its index in the run."""
        index = self.start
        while index < self.stop:
            shard = index // self.folder.size
            end = min(self.folder.range(shard).stop, self.stop)
            yield from self._of_shard(shard, index, end)
            index = end

    def _of_shard(self, shard: int, start: int, stop: int) -> Iterator[tuple[int, Row]]:
        path, expected = self.folder.whole(shard), start
        try:
            with path.open("rb") as file:
                if start != self.folder.range(shard).start:
                    file.seek(_starts(path, _stamp(file))[start - self.folder.range(shard).start])
                for line in file:
                    if expected == stop:
                        return
                    try:
                        index, row = row_lines.decode(line.rstrip(b"\n"))
                        if not expected <= index < stop or (index != expected and self.damage is None):
                            raise DamageError("it is not the row that should be there")
                    except DamageError as error:
                        self._complain(f"{path}, line {expected - self.folder.range(shard).start + 1}: {error}")
                        expected += 1
                        continue
                    yield index, row
                    expected = index + 1
        except OSError as error:
            self._complain(f"{path}: {(error.strerror or str(error)).lower()}")
            return
        if expected != stop:
            self._complain(f"{path}: {stop - expected} rows are missing at its end")

    def _complain(self, sentence: str) -> None:
        if self.damage is None:
            raise PldcheckError(sentence)
        self.damage.append(sentence)

    def _row(self, index: int) -> Row:
        shard, place = divmod(index, self.folder.size)
        path = self.folder.whole(shard)
        try:
            with path.open("rb") as file:
                file.seek(_starts(path, _stamp(file))[place])
                number, row = row_lines.decode(file.readline().rstrip(b"\n"))
        except OSError as error:
            raise PldcheckError(f"{path}: {(error.strerror or str(error)).lower()}") from None
        except (DamageError, IndexError) as error:
            raise PldcheckError(f"{path}, line {place + 1}: {error}") from None
        if number != index:
            raise PldcheckError(f"{path}, line {place + 1}: it is not the row that should be there")
        return row


def _stamp(file: IO[bytes]) -> tuple[int, int, int]:
    """Return what tells a file from another one of its name: which it is, its size, and when it was written."""
    about = os.fstat(file.fileno())
    return about.st_ino, about.st_size, about.st_mtime_ns


@lru_cache(maxsize=KNOWN)
def _starts(path: Path, stamp: tuple[int, int, int]) -> array:
    """Return where each line of a file begins."""
    starts, place = array("q"), 0
    with path.open("rb") as file:
        for line in file:
            starts.append(place)
            place += len(line)
    return starts
