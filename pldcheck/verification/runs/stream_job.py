"""The run of a job with too many cells for memory: cells are generated, and rows go to the shards of a folder.

The result is folded from the rows as they are finished; a resumed run reads the whole shards that it takes over once,
a row at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import perf_counter
from typing import Any
from weakref import finalize

from ...core.errors import ParameterError, PldcheckError
from .. import Report, Row
from ..run_cells import header
from ..run_fold import RunFold
from ..suites import CellSequence, Job
from . import cell_identity, row_lines, shard_folder
from .executors import Executor
from .rows_of_cells import BLOCK, Standing, rows_of
from .shard_folder import ShardFolder, read_head, write_head
from .shard_recovery import recover
from .shard_writer import ShardWriter
from .sharded_rows import ShardedRows

# A function that is called with a finished row and the number of rows that were not stored before.
Step = Callable[[Row, int], None]
# A function that returns a sentence about the difference of a stored row and a new one; empty if there is none.
Compare = Callable[[Row, Row], str]


class TemporaryFolder:
    """A new folder that is deleted when no rows refer to it any more, and at the end of the process."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="pldcheck-"))
        finalize(self, rmtree, self.path, ignore_errors=True)


def run_in_shards(
    job: Job,
    cells: CellSequence,
    quick: bool,
    width: float | None,
    executor: Executor,
    path: Path | None,
    resume: bool,
    progress: Step | None,
    recheck: float,
    standing: Standing,
    compare: Compare,
) -> Report:
    """Return the report of a job whose rows are in the folder at ``path``, or in a temporary one if it is None.

    Raise PldcheckError if ``resume`` is set and the folder has the rows of other cells or of another version of the
    code, and if another process writes to it.
    """
    start = perf_counter()
    keep = TemporaryFolder() if path is None else None
    folder = ShardFolder(keep.path if keep else Path(str(path)), len(cells), shard_folder.SHARD_ROWS)
    identity, suite = cell_identity.run(cells, width), f"{job.name}-quick" if quick else job.name
    with folder.lock():
        if resume and folder.head.exists():
            size = _check_same(folder, identity)
            folder = ShardFolder(folder.path, folder.cells, size)
            writer, damage = recover(folder)
        else:
            folder.clear()
            writer, damage = ShardWriter(folder), []
        questions = cell_identity.questions(cells)
        write_head(folder, {"suite": suite, "identity": identity, "questions": questions, "ended": False})
        old_count, old_shards = writer.row_count, sorted(writer.whole)
        old_bits = {shard: bytes(own.bits) for shard, own in writer.open.items()}
        fold: RunFold[Row] = RunFold()
        for shard in writer.open:
            with folder.journal(shard).open("rb") as file:
                for line in file:
                    fold.add(*row_lines.decode(line.rstrip(b"\n")))
        try:
            _compute(cells, width, executor, writer, fold, progress, standing)
        except ParameterError:  # the executor refused its settings before anything was computed
            if not old_count:
                folder.clear()
                (folder.path / ".lock").unlink()
                with suppress(OSError):  # it has files of others
                    folder.path.rmdir()
            raise
    for shard in old_shards:
        indices = folder.range(shard)
        for index, row in ShardedRows(folder, indices.start, indices.stop).indexed():
            fold.add(index, row)
    rows = ShardedRows(folder, 0, len(cells), keep=keep)
    values: dict[str, Any] = {
        **header(job, [], quick, width, standing.problems),
        "theorems": cells.theorems,
        "cells": len(cells),
        "executor": executor.about,
        "resumed": old_count,
        "damage": damage,
        "questions": questions,
        "code": cell_identity.code(),
        "seconds": perf_counter() - start,
    }
    if recheck > 0.0:
        kept = _KeptRows(folder.size, set(old_shards), old_bits, recheck)
        values["recheck"] = _recheck(cells, kept, width, executor, rows, compare)
    return Report(suite, rows, values, fold)


def _check_same(folder: ShardFolder, identity: str) -> int:
    """Return the size of the stored shards; raise PldcheckError if they are of another run."""
    values = read_head(folder.path)
    if values.get("identity") != identity:
        raise PldcheckError(
            f"{folder.path} has rows of other cells, or of another version of the code; --overwrite begins anew"
        )
    return int(values["size"])


def _compute(
    cells: CellSequence,
    width: float | None,
    executor: Executor,
    writer: ShardWriter,
    fold: RunFold[Row],
    progress: Step | None,
    standing: Standing,
) -> None:
    """Compute and store the rows that are missing."""
    total = len(cells) - writer.row_count
    if not total:
        return
    todo = (pair for start, stop in writer.missing_blocks(BLOCK) for pair in cells.between(start, stop))
    try:
        with closing(rows_of(todo, executor, width, writer, standing)) as batches:
            for rows in batches:
                for index, row in writer.add(rows):
                    fold.add(index, row)
                    if progress:
                        progress(row, total)
    finally:
        writer.flush()
    missing = next(writer.missing(), None)
    if missing is not None:
        raise PldcheckError(f"cell {missing[0]} and others have no row; --resume computes them")


@dataclass(frozen=True)
class _KeptRows:
    """The indices of rows that are not computed anew: all but a share, chosen by a hash, of those stored before.

    ``whole`` and ``bits`` say which were: the shards of which all rows were stored, and the bits of the others.
    """

    size: int
    whole: set[int]
    bits: dict[int, bytes]
    share: float

    def __contains__(self, index: object) -> bool:
        if not isinstance(index, int):
            return False
        shard, place = divmod(index, self.size)
        old = shard in self.whole or (shard in self.bits and self.bits[shard][place >> 3] & (1 << (place & 7)))
        return not (old and cell_identity.is_in_share(cell_identity.hash_of_index(index), self.share))


def _recheck(
    cells: CellSequence,
    kept: _KeptRows,
    width: float | None,
    executor: Executor,
    rows: ShardedRows,
    compare: Compare,
) -> dict[str, Any]:
    """Return how many stored rows were computed anew, and sentences about those that differ."""
    count, differ = 0, []
    for batch in rows_of(cells.between(0, len(cells)), executor, width, kept):
        for index, row in batch:
            count += 1
            if words := compare(rows[index], row):
                differ.append(words)
    return {"share": kept.share, "rows": count, "differ": differ}
