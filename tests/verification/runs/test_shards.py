"""The shards of large runs: cut at any byte, damaged, killed, and read again."""

import json
import random
import signal
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

import pytest
import shard_process
from shard_process import CELLS, SIZE, row_of

from pldcheck.core.errors import PldcheckError
from pldcheck.core.interval import ErrorBudget
from pldcheck.core.sealed_files import DamageError
from pldcheck.verification import Row, Verdict
from pldcheck.verification.runs import row_lines
from pldcheck.verification.runs.shard_folder import ShardFolder
from pldcheck.verification.runs.shard_recovery import recover
from pldcheck.verification.runs.shard_writer import ShardWriter
from pldcheck.verification.runs.sharded_rows import ShardedRows


def write(folder, indices):
    """Store rows, and return the writer."""
    writer = ShardWriter(folder)
    folder.path.mkdir(parents=True, exist_ok=True)
    writer.add((index, row_of(index)) for index in indices)
    writer.flush()
    return writer


def missing(writer):
    return list(chain.from_iterable(range(*bounds) for bounds in writer.missing()))


def finish(folder):
    """Store what is missing in a folder, and return all rows."""
    writer, _ = recover(folder)
    writer.add((index, row_of(index)) for index in missing(writer))
    writer.flush()
    assert missing(writer) == []
    return list(ShardedRows(folder, 0, folder.cells).indexed())


ROWS = [
    *map(row_of, range(5)),
    Row(None, {"randomizer": ("a,b", 'c"d'), "sigma": 2}, Verdict.NOT_JUDGED, None, 0.0, float("inf"), protocol="x y"),
    Row("thm-3.2", dict(row_of(0).params), Verdict.UNDECIDED, 1.0, reason='TimeoutError: é " , \\ \n'),
    Row("another", {"clients": 9}, Verdict.VIOLATED, 1.0, 2.0, 3.0, witness={"kind": "a", "masses": [1.0, None]}),
    Row("own", {"steps": 10**9}, Verdict.HOLDS, float("inf"), 5e-324, 1e308, ErrorBudget(0.0, 1e-300, 0.1 + 0.2)),
]


@pytest.mark.nightly
def test_lines_keep_rows_bit_by_bit_and_reveal_every_change():
    for index, row in enumerate(ROWS):
        line = row_lines.encode(10**7 + index, row)
        assert line.endswith(b"\n") and line.count(b"\n") == 1
        assert row_lines.decode(line[:-1]) == (10**7 + index, row)
        # The columns are those of other stored rows.
        columns = json.loads(line)
        assert columns.pop("index") == 10**7 + index and len(columns.pop("digest")) == 2 * row_lines.SIZE
        assert columns == json.loads(json.dumps(row.to_dict()))
        assert row_lines.is_of_a_failure(line) == row_lines.has_no_numbers(row)
    draw = random.Random(3)
    line = row_lines.encode(7, ROWS[0])[:-1]
    for _ in range(300):
        place = draw.randrange(len(line))
        other = bytes([draw.choice([byte for byte in range(256) if byte != line[place]])])
        with pytest.raises(DamageError):
            row_lines.decode(line[:place] + other + line[place + 1 :])


@pytest.mark.nightly
def test_values_outside_json_are_refused():
    with pytest.raises(ValueError):
        row_lines.encode(0, Row("own", {"eps0": 1.0}, Verdict.HOLDS, float("nan")))
    with pytest.raises(ValueError):
        row_lines.encode(0, Row("own", {"eps0": float("nan")}, Verdict.HOLDS, 1.0))


@pytest.mark.nightly
def test_a_journal_that_is_cut_at_any_byte_loses_the_cut_row_only(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 12, 6)
    order = [3, 0, 5, 4]
    write(folder, order)
    content = folder.journal(0).read_bytes()
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    assert len(ends) == 4
    # The line's own end is no part of its digest, so that a row is kept whose line lacks it alone.
    for cut in [0, *range(ends[1] - 3, ends[1] + 3), *range(ends[2] - 2, len(content) + 1)]:
        folder.journal(0).write_bytes(content[:cut])
        writer, damage = recover(folder)
        kept = order[: sum(cut >= end - 1 for end in ends)]
        assert damage == [] and missing(writer) == sorted(set(range(12)) - set(kept))
    assert finish(folder) == [(index, row_of(index)) for index in range(12)]


@pytest.mark.nightly
def test_a_shard_or_index_that_is_cut_is_written_again(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 12, 6)
    write(folder, range(12))
    whole, index = folder.whole(1).read_bytes(), folder.index.read_bytes()
    assert sorted(path.name for path in folder.path.iterdir()) == ["000000.jsonl", "000001.jsonl", "shards.index"]
    for cut in (0, len(whole) // 2, len(whole) - 2):
        folder.whole(1).write_bytes(whole[:cut])
        writer, damage = recover(folder)
        assert len(damage) == bool(cut) and 0 < len(missing(writer)) <= 6 and min(missing(writer)) >= 6
        assert finish(folder) == [(place, row_of(place)) for place in range(12)]
        assert folder.whole(1).read_bytes() == whole
    # A kill between the shard and its line in the index, or in the midst of that line.
    for cut in (0, 20, len(index) // 2, len(index) - 5):
        folder.index.write_bytes(index[:cut])
        writer, damage = recover(folder)
        assert (missing(writer), damage) == ([], []) and writer.whole == {0, 1}
        assert set(folder.entries()) == {0, 1}


@pytest.mark.nightly
def test_rows_of_cells_that_failed_are_computed_again(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 9, 3)
    failed = Row("thm-3.2", dict(row_of(4).params), Verdict.UNDECIDED, 1.0, reason="TimeoutError: too long")
    writer = ShardWriter(folder)
    folder.path.mkdir()
    writer.add([(index, failed if index in (4, 7) else row_of(index)) for index in range(8)])
    writer.flush()
    assert writer.whole == {0, 1}
    writer, damage = recover(folder)
    assert missing(writer) == [4, 7, 8] and damage == []
    assert finish(folder) == [(index, row_of(index)) for index in range(9)]


@pytest.mark.nightly
def test_a_row_is_stored_once(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 9, 3)
    writer = write(folder, [0, 4, 0, 4, 1, 2])
    pairs = [(index, row_of(index)) for index in (0, 1, 4, 5)]
    assert writer.add(pairs) == pairs[3:]
    writer.flush()
    assert missing(writer) == [3, 6, 7, 8] and writer.row_count == 5
    assert [len(path.read_bytes().splitlines()) for path in (folder.whole(0), folder.journal(1))] == [3, 2]


@pytest.mark.nightly
def test_damage_is_found_and_named(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 9, 3)
    write(folder, range(9))
    lines = folder.whole(1).read_bytes().splitlines(keepends=True)
    for bad, words in (
        (
            [lines[0], lines[1].replace(b"thm-3.2", b"thm-3.3"), lines[2]],
            "line 2: its digest does not match",
        ),
        ([lines[1], lines[0], lines[2]], "line 1: it is not the row that should be there"),
        ([lines[0], lines[0], lines[1], lines[2]], "line 2: it is not the row"),
        (lines[:2], "1 rows are missing at its end"),
    ):
        folder.whole(1).write_bytes(b"".join(bad))
        with pytest.raises(PldcheckError, match=words):
            list(ShardedRows(folder, 0, 9))
        damage = []
        rows = dict(ShardedRows(folder, 0, 9, damage).indexed())
        assert damage and {0, 1, 2, 6, 7, 8} <= rows.keys() and all(row == row_of(place) for place, row in rows.items())
    folder.whole(1).unlink()
    with pytest.raises(PldcheckError, match="no such file"):
        list(ShardedRows(folder, 0, 9))


@pytest.mark.nightly
def test_rows_are_a_sequence(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 11, 4)
    write(folder, random.Random(1).sample(range(11), 11))
    rows, plain = ShardedRows(folder, 0, 11), [row_of(index) for index in range(11)]
    assert list(rows) == plain and len(rows) == 11 and rows[-1] == plain[-1] and plain[3] in rows
    for part in (slice(2, 9), slice(4, 4), slice(9, 3), slice(None), slice(None, None, -1), slice(1, 10, 3)):
        assert list(rows[part]) == plain[part] and len(rows[part]) == len(plain[part])
    assert list(rows[2:9][1:4]) == plain[3:6] and rows[2:9][0] == plain[2]
    with pytest.raises(IndexError):
        rows[11]


@pytest.mark.nightly
@pytest.mark.parametrize("block", [1, 2, 3, 5, 100])
def test_blocks_with_missing_rows_are_found(tmp_path, block):
    draw = random.Random(block)
    for attempt in range(12):
        folder = ShardFolder(tmp_path / f"{attempt}.rows", 23, 4)
        stored = set(draw.sample(range(23), draw.randint(0, 23)))
        writer = write(folder, stored)
        assert [index for index in range(-1, 24) if index in writer] == sorted(stored)
        assert missing(writer) == sorted(set(range(23)) - stored)
        blocks = {index // block for index in missing(writer)}
        bounds = list(writer.missing_blocks(block))
        assert [index for pair in bounds for index in range(*pair)] == [i for i in range(23) if i // block in blocks]
        assert all(stop < start for (_, stop), (start, _) in zip(bounds, bounds[1:], strict=False))


@pytest.mark.nightly
def test_two_processes_do_not_write_to_one_folder(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 4, 2)
    with folder.lock(), pytest.raises(PldcheckError, match="is being written by another process"), folder.lock():
        pass
    with folder.lock():
        pass


def stored_indices(folder):
    """Return how often each index is on disk in lines that are whole."""
    counts = {}
    for shard in range(folder.count):
        whole, journal = folder.whole(shard), folder.journal(shard)
        for path in [whole] if whole.exists() else [journal] if journal.exists() else []:
            for line in path.read_bytes().split(b"\n"):
                try:
                    index = row_lines.check(line)
                except DamageError:  # cut by a kill
                    continue
                counts[index] = counts.get(index, 0) + 1
    return counts


@pytest.mark.long
def test_twenty_five_kills_of_the_writer_lose_nothing_and_repeat_nothing(tmp_path):
    folder, draw = ShardFolder(tmp_path / "a.rows", CELLS, SIZE), random.Random(20261127)
    before, kills = {}, 0
    command = [sys.executable, shard_process.__file__, str(folder.path)]
    for attempt in range(25):
        process = subprocess.Popen([*command, str(attempt)], stdout=subprocess.PIPE)
        assert process.stdout.readline().split() == [b"0", str(len(before)).encode()]
        time.sleep(draw.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        process.stdout.close()
        now = stored_indices(folder)
        assert before.keys() <= now.keys() and set(now.values()) <= {1}
        before = now
    # Later ones end by themselves where all rows are stored: how many do depends on the machine.
    assert kills >= 10 and 0 < len(before)
    subprocess.run([*command, "99"], stdout=subprocess.DEVNULL, check=True)
    rows = ShardedRows(folder, 0, CELLS)
    assert all(pair == (index, row_of(index)) for index, pair in enumerate(rows.indexed())) and len(rows) == CELLS
    assert not list(Path(folder.path).glob("*.part")) and not (folder.path / "set-aside").exists()


def test_a_journal_that_was_changed_meanwhile_is_named(tmp_path):
    folder = ShardFolder(tmp_path / "a.rows", 3, 3)
    writer = write(folder, [0, 1])
    folder.journal(0).write_bytes(folder.journal(0).read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(PldcheckError, match="does not have each row of its shard once; remove it"):
        writer.add([(2, row_of(2))])
