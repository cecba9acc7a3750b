"""The recovery of a large run that was stopped or killed: which of its stored rows are taken over."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from ...core.sealed_files import DamageError
from . import row_lines
from .shard_folder import ShardFolder, file_sum, replace
from .shard_writer import ShardWriter, open_shard

# The folder for copies of damaged files.
ASIDE = "set-aside"


def recover(folder: ShardFolder) -> tuple[ShardWriter, list[str]]:
    """Return a writer that has the rows of a folder, and sentences about what was damaged.

    A whole shard is taken over if its bytes have the digest that the index has, and is read line by line otherwise.
    A line that is cut or damaged is dropped, and so is the row of a cell that failed: its cell is computed again.
    Damaged files are copied to the folder ``set-aside``, but for a journal of which only the last line is cut.
    """
    writer, damage = ShardWriter(folder), []
    entries = folder.entries()
    if folder.index.exists():  # without a line that is cut, to which the next one would be appended
        folder.write_entries(entries)
    for shard in range(folder.count):
        whole, journal, entry = folder.whole(shard), folder.journal(shard), entries.get(shard)
        if whole.exists():
            intact = entry is not None and (whole.stat().st_size, file_sum(whole)) == (entry["bytes"], entry["sum"])
            if intact and entry and not entry["without_numbers"]:
                writer.whole.add(shard)
                journal.unlink(missing_ok=True)
                continue
            # A kill can end the process between the shard and its line in the index.
            damage += _reopen(folder, shard, whole, known=entry is not None)
        elif journal.exists():
            damage += _reopen(folder, shard, journal, known=False)
        if journal.exists():
            _take(writer, shard, journal)
    return writer, damage


def _reopen(folder: ShardFolder, shard: int, path: Path, known: bool) -> list[str]:
    """Write the rows of a file that can be taken over to the journal of its shard; return sentences about damage."""
    content = path.read_bytes()
    lines: dict[int, bytes] = {}
    bad: list[tuple[int, str]] = []
    number = 0
    for number, line in enumerate(row_lines.whole_lines(content), 1):
        try:
            index = row_lines.check(line)
            if index not in folder.range(shard):
                raise DamageError("its index belongs to another shard")
            if index not in lines and not row_lines.is_of_a_failure(line):
                lines[index] = line
        except DamageError as error:
            bad.append((number, str(error)))
    damage = []
    if bad and (known or bad[0][0] < number or content.endswith(b"\n")):
        aside = folder.path / ASIDE
        aside.mkdir(exist_ok=True)
        shutil.copyfile(path, aside / f"{path.name}.{uuid4().hex[:8]}")
        first, reason = bad[0]
        damage.append(f"{path}: {len(bad)} damaged lines, the first is {first} ({reason}), kept in {ASIDE}")
    journal = folder.journal(shard)
    if path != journal or content != _join(lines.values()):
        replace(journal, _join(lines.values()))
    if path != journal:
        path.unlink()
    return damage


def _join(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _take(writer: ShardWriter, shard: int, journal: Path) -> None:
    """Record the rows of a journal, whose lines are all whole, and close the shard if none is missing."""
    indices = writer.folder.range(shard)
    own = open_shard(len(indices))
    for line in row_lines.whole_lines(journal.read_bytes()):
        own.mark(row_lines.index_of(line) - indices.start)
    if own.count == len(indices):
        writer.close(shard, own)
    elif own.count:
        writer.open[shard] = own
    else:
        journal.unlink()
