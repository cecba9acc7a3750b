"""The writer of a large run's rows: it appends them to journals, and turns each journal that is whole into a shard."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from time import monotonic

from ...core.errors import PldcheckError
from ...core.sealed_files import SIZE
from .. import Row
from . import row_lines
from .shard_folder import ShardFolder, append, replace

# The time in seconds after which waiting rows are written: so much work is lost at most if the process is killed.
SECONDS = 0.5
# The bytes of waiting rows after which they are written at once.
TOGETHER = 4 << 20
# The time in seconds after which what is written is sent to the disk: so much is lost at most if the power fails.
SYNC_SECONDS = 5.0


@dataclass
class OpenShard:
    """A shard that is not whole yet: a bit for each row that it has, and the lines that wait to be written."""

    bits: bytearray
    count: int = 0
    without_numbers: int = 0
    waiting: list[bytes] = field(default_factory=list)

    def has(self, place: int) -> bool:
        """Return whether the shard has the row at a place."""
        return bool(self.bits[place >> 3] & (1 << (place & 7)))

    def mark(self, place: int) -> None:
        """Record that the shard has the row at a place."""
        self.bits[place >> 3] |= 1 << (place & 7)
        self.count += 1


def open_shard(rows: int) -> OpenShard:
    """Return a shard without rows."""
    return OpenShard(bytearray(-(-rows // 8)))


@dataclass
class ShardWriter:
    """The writer of a folder's rows; ``whole`` are the shards that have all their rows, ``open`` those that have some.

    Rows come in any order.  A row that is stored already is not stored again.
    """

    folder: ShardFolder
    whole: set[int] = field(default_factory=set)
    open: dict[int, OpenShard] = field(default_factory=dict)
    waiting_bytes: int = 0
    since: float = field(default_factory=monotonic)
    since_sync: float = field(default_factory=monotonic)
    unsynced: set[int] = field(default_factory=set)

    @property
    def row_count(self) -> int:
        """The number of rows that are stored or wait to be."""
        return sum(len(self.folder.range(shard)) for shard in self.whole) + sum(s.count for s in self.open.values())

    def __contains__(self, index: object) -> bool:
        """Return whether the row of a cell is stored or waits to be."""
        if not isinstance(index, int) or not 0 <= index < self.folder.cells:
            return False
        shard, place = divmod(index, self.folder.size)
        return shard in self.whole or (shard in self.open and self.open[shard].has(place))

    def missing_blocks(self, block: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of indices, in whole blocks of that many, that have all indices without a row."""
        whole: tuple[int, int] | None = None
        for start, stop in self.missing():
            start, stop = start // block * block, min(-(-stop // block) * block, self.folder.cells)
            if whole is not None and start > whole[1]:
                yield whole
                whole = None
            whole = (whole[0] if whole else start, stop)
        if whole:
            yield whole

    def missing(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of indices without a row, each by its first index and the one after its last."""
        for shard in range(self.folder.count):
            indices = self.folder.range(shard)
            if shard in self.whole:
                continue
            if shard not in self.open:
                yield indices.start, indices.stop
                continue
            own, start = self.open[shard], None
            for place, index in enumerate(indices):
                if own.has(place):
                    if start is not None:
                        yield start, index
                    start = None
                elif start is None:
                    start = index
            if start is not None:
                yield start, indices.stop

    def add(self, rows: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
        """Store rows with their indices, soon, and return those that were not stored before."""
        new = []
        for index, row in rows:
            shard, place = divmod(index, self.folder.size)
            if shard in self.whole:
                continue
            own = self.open.get(shard)
            if own is None:
                own = self.open[shard] = open_shard(len(self.folder.range(shard)))
            if own.has(place):
                continue
            line = row_lines.encode(index, row)
            own.waiting.append(line)
            own.mark(place)
            own.without_numbers += row_lines.has_no_numbers(row)
            self.waiting_bytes += len(line)
            new.append((index, row))
            if own.count == len(self.folder.range(shard)):
                self.close(shard, self.open.pop(shard))
        if self.waiting_bytes > TOGETHER or monotonic() - self.since > SECONDS:
            self.flush()
        return new

    def flush(self) -> None:
        """Write the rows that wait, each journal's by one system call."""
        for shard, own in self.open.items():
            if own.waiting:
                self._write(shard, own)
        self.waiting_bytes, self.since = 0, monotonic()
        if self.since - self.since_sync > SYNC_SECONDS:
            for shard in self.unsynced:
                with self.folder.journal(shard).open("rb") as file:
                    os.fsync(file.fileno())
            self.unsynced.clear()
            self.since_sync = self.since

    def _write(self, shard: int, own: OpenShard) -> None:
        append(self.folder.journal(shard), b"".join(own.waiting))
        own.waiting = []
        self.unsynced.add(shard)

    def close(self, shard: int, own: OpenShard) -> None:
        """Turn the journal of a shard that has all rows into its file."""
        journal = self.folder.journal(shard)
        lines = journal.read_bytes().splitlines(keepends=True) if journal.exists() else []
        lines += own.waiting
        lines.sort(key=row_lines.index_of)
        if list(map(row_lines.index_of, lines)) != list(self.folder.range(shard)):
            raise PldcheckError(f"{journal} does not have each row of its shard once; remove it and resume the run")
        content = b"".join(lines)
        replace(self.folder.whole(shard), content)
        self.folder.add_entry(shard, own.without_numbers, blake2b(content, digest_size=SIZE).hexdigest(), len(content))
        journal.unlink(missing_ok=True)
        self.unsynced.discard(shard)
        self.whole.add(shard)
