"""The file of a run: what is written is read, whatever its size; damage, strangers, other writers and full disks."""

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from math import inf

import pytest
import row_process
from hypothesis import given, settings
from hypothesis import strategies as some
from row_process import CELLS, row_of

from pldcheck.core.errors import PldcheckError
from pldcheck.core.interval import ErrorBudget
from pldcheck.core.sealed_files import DamageError
from pldcheck.verification import Report, Row, Verdict
from pldcheck.verification.runs import json_lines, row_encoding, run_database, run_store, stored_rows
from pldcheck.verification.runs.row_writer import RowWriter
from pldcheck.verification.runs.run_database import to_read, to_write, write_lock
from pldcheck.verification.runs.stored_rows import StoredRows

PARAMS = dict(row_of(0).params)
ROWS = [
    *map(row_of, range(5)),
    Row(None, {"randomizer": ("a,b", 'c"d'), "sigma": 2}, Verdict.NOT_JUDGED, None, 0.0, inf, protocol="x y"),
    Row("thm-3.2", PARAMS, Verdict.UNDECIDED, 1.0, reason='TimeoutError: é " , \\ \n'),
    Row("another", {"clients": 9}, Verdict.VIOLATED, 1.0, 2.0, 3.0, witness={"kind": "a", "masses": [1.0, None]}),
    Row("own", {"steps": 10**9}, Verdict.HOLDS, inf, 5e-324, 1e308, ErrorBudget(0.0, 1e-300, 0.1 + 0.2)),
]


def store(path, rows, **head):
    """Store a run that has ended."""
    database = to_write(path)
    database.insert(row_encoding.encode(number, row) for number, row in enumerate(rows))
    database.write_head({"suite": path.stem, "cells": len(rows), "code": "now", "ended": True, **head})
    database.settle()
    database.close()
    return path


def change(path, statement, *values):
    """Change a stored run without pldcheck."""
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)
    connection.close()


def test_what_is_written_is_read_bit_for_bit(tmp_path):
    path = store(tmp_path / "a.sqlite", ROWS, width=0.1)
    report = run_store.read(path)
    assert list(report.rows) == ROWS and report.suite == "a"
    assert report.header == {"suite": "a", "cells": len(ROWS), "code": "now", "width": 0.1}
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]
    line = row_encoding.encode(3, ROWS[0])[2]
    assert json.loads(line) == {name: value for name, value in ROWS[0].to_dict().items() if name != "cell"}
    for value in (
        Row("own", {"eps0": 1.0}, Verdict.HOLDS, float("nan")),
        Row("own", {"x": float("nan")}, Verdict.HOLDS),
    ):
        with pytest.raises(ValueError):
            row_encoding.encode(0, value)


TEXTS = some.text(max_size=50) | some.sampled_from(["x" * 10**5, "é" * 10**6, "\ud800 half", "a\0b", '"' * 200_000])


@settings(max_examples=40, deadline=None)
@given(reasons=some.lists(TEXTS, min_size=1, max_size=6), name=some.text(max_size=200), value=some.floats(0.0, 1e308))
def test_readers_refuse_nothing_that_writers_wrote(tmp_path_factory, reasons, name, value):
    name = name.encode("utf-8", "replace").decode()
    rows = [
        Row(None, {"own": name, "eps0": 1.0}, Verdict.UNDECIDED, None, None, None, None, 1.0, text, None, "hidden-slot")
        for text in reasons
    ]
    rows.append(Row("own", {"steps": 3}, Verdict.VIOLATED, value, value, inf, witness={"kind": name}))
    folder = tmp_path_factory.mktemp("sizes")
    report = run_store.read(store(folder / "a.sqlite", rows))
    kept = [replace(row, reason=row.reason and row_encoding.storable(row.reason)) for row in rows]
    assert list(report.rows) == kept
    assert all(
        a.reason == b.reason or len(a.reason) > 10**5 or "\ud800" in a.reason for a, b in zip(rows, kept, strict=True)
    )
    run_store.write(folder / "b.jsonl", json_lines.dumps(Report("b", tuple(rows), {"suite": "b"}), {}))
    assert list(run_store.read(folder / "b.jsonl").rows) == kept


def test_a_run_beyond_the_memory_of_a_report_is_read_row_by_row(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_rows, "IN_MEMORY", 3)
    path = store(tmp_path / "a.sqlite", ROWS)
    report = run_store.read(path)
    assert report.is_large and list(report.rows) == ROWS
    with run_store.written(tmp_path / "a.jsonl") as file:
        json_lines.write(report, file)
    assert (tmp_path / "a.jsonl").read_bytes() == run_store.dumps(replace(report, rows=tuple(ROWS)), {})
    lines = run_store.read(tmp_path / "a.jsonl")
    assert lines.is_large and list(lines.rows) == ROWS and lines.header == report.header


def test_rows_are_a_sequence(tmp_path):
    plain = [row_of(index) for index in range(11)]
    rows = StoredRows(to_read(store(tmp_path / "a.sqlite", plain)), 0, 11)
    assert list(rows) == plain and len(rows) == 11 and rows[-1] == plain[-1] and plain[3] in rows
    for part in (slice(2, 9), slice(4, 4), slice(9, 3), slice(None), slice(None, None, -1), slice(1, 10, 3)):
        assert list(rows[part]) == plain[part] and len(rows[part]) == len(plain[part])
    assert list(rows[2:9][1:4]) == plain[3:6] and rows[2:9][0] == plain[2]
    with pytest.raises(IndexError):
        rows[11]


def test_every_change_of_a_line_is_revealed():
    draw, (number, cell, line, sum) = random.Random(3), row_encoding.encode(7, ROWS[0])
    line = line.encode()
    assert row_encoding.decode(number, cell.encode(), line, sum) == ROWS[0]
    for _ in range(300):
        place = draw.randrange(len(line))
        other = bytes([draw.choice([byte for byte in range(256) if byte != line[place]])])
        with pytest.raises(DamageError):
            row_encoding.decode(number, cell.encode(), line[:place] + other + line[place + 1 :], sum)
    with pytest.raises(DamageError):
        row_encoding.decode(8, cell.encode(), line, sum)


DAMAGE = {
    "UPDATE rows SET line = replace(line, '0.5', '0.6') WHERE number = 1": "row 1: its digest does not match",
    "UPDATE rows SET digest = x'00' WHERE number = 1": "row 1: its digest does not match",
    "UPDATE rows SET line = x'ff' WHERE number = 1": "row 1: not text",
    "UPDATE rows SET line = 3 WHERE number = 1": "row 1: its digest does not match",
    "DELETE FROM rows WHERE number = 1": "row 1 is missing",
    "DELETE FROM rows WHERE number > 1": "rows 2 to 4 are missing",
    "UPDATE rows SET number = 17 WHERE number = 4": "row 4 is missing",
    "INSERT INTO rows SELECT 9, cell, line, digest FROM rows WHERE number = 1": "more rows than cells",
    "DELETE FROM head": "its run has not ended",
    "INSERT INTO head SELECT * FROM head": "the head of the run is damaged",
    "UPDATE head SET facts = replace(facts, '0.1', '0.2')": "the head of the run is damaged",
    "CREATE TABLE more (a)": "not a run that pldcheck stored",
    "CREATE TRIGGER own AFTER INSERT ON rows BEGIN DELETE FROM head; END": "not a run that pldcheck stored",
    "DROP TABLE kept": "not a run that pldcheck stored",
    "PRAGMA user_version = 9": "its format is newer than this version of pldcheck",
}


@pytest.mark.parametrize(("statement", "words"), DAMAGE.items())
def test_damage_is_named_in_one_line(tmp_path, statement, words):
    path = store(tmp_path / "a.sqlite", [row_of(index) for index in range(5)], width=0.1)
    change(path, statement)
    with pytest.raises(PldcheckError) as error:
        run_store.read(path)
    assert words in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)


def test_other_rows_of_a_damaged_run_are_read(tmp_path):
    path = store(tmp_path / "a.sqlite", [row_of(index) for index in range(5)])
    change(path, "UPDATE rows SET digest = x'00' WHERE number = 1")
    change(path, "DELETE FROM rows WHERE number = 3")
    damage = []
    assert list(run_store.read(path, damage).rows) == [row_of(0), row_of(2), row_of(4)]
    assert damage == ["row 1: its digest does not match its values", "row 3 is missing"]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"SQLite format 3\0" + b"x" * 5000, b"{}\n"])
def test_files_that_are_no_databases_are_refused_in_one_line(tmp_path, content):
    (tmp_path / "a.sqlite").write_bytes(content)
    with pytest.raises(PldcheckError, match=r"a\.sqlite: .*not a (run|database)"):
        run_store.read(tmp_path / "a.sqlite")
    if content:
        with pytest.raises(PldcheckError, match="--overwrite replaces it"):
            to_write(tmp_path / "a.sqlite")
    assert (tmp_path / "a.sqlite").read_bytes() == content


def test_files_cut_or_spoiled_anywhere_give_rows_that_were_written_or_one_line(tmp_path):
    rows, draw = [row_of(index) for index in range(60)], random.Random(5)
    whole = store(tmp_path / "a.sqlite", rows).read_bytes()
    noticed = 0
    for _ in range(150):
        place = draw.randrange(len(whole))
        bad = (
            whole[:place]
            if draw.random() < 0.3
            else whole[:place] + draw.randbytes(draw.choice((1, 9, 600))) + whole[place:]
        )
        (tmp_path / "a.sqlite").write_bytes(bad[: len(whole)] if draw.random() < 0.7 else bad)
        try:
            assert list(run_store.read(tmp_path / "a.sqlite").rows) == rows
        except PldcheckError as error:
            noticed += 1
            assert "\n" not in str(error)
    assert noticed > 100


def test_one_process_writes(tmp_path):
    path = tmp_path / "a.sqlite"
    with write_lock(path):
        with pytest.raises(PldcheckError, match=r"a\.sqlite: .*another process is writing it"), write_lock(path):
            pass
    with write_lock(path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_readers_see_what_is_committed_while_another_writes(tmp_path):
    path = tmp_path / "a.sqlite"
    writer = RowWriter(to_write(path))
    writer.database.write_head({"suite": "a", "cells": 3, "code": "now", "ended": False})
    writer.database.commit()
    reader = to_read(path)
    for number in range(3):
        writer.add([(number, row_of(number))])
        writer.close()  # stores what waits
        assert [number for number, *_ in reader.rows(0, 9)] == list(range(number + 1))
    with pytest.raises(PldcheckError, match="its run has not ended; pldcheck verify --resume goes on with it"):
        run_store.read(path)


def test_a_run_ends_while_another_process_reads_it(tmp_path):
    path = tmp_path / "a.sqlite"
    database = to_write(path)
    database.insert(row_encoding.encode(number, row_of(number)) for number in range(3))
    database.commit()
    reader = to_read(path)
    rows = reader.rows(0, 9)
    assert next(rows)[0] == 0
    database.write_head({"suite": "a", "cells": 3, "code": "now", "ended": True})
    database.settle()
    database.close()
    assert [number for number, *_ in rows] == [1, 2]
    assert list(run_store.read(path).rows) == [row_of(number) for number in range(3)]


def test_a_place_that_cannot_be_written_to_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(PldcheckError, match="cannot be written to"), write_lock(tmp_path / "file" / "a.sqlite"):
        pass


def test_a_row_is_stored_soon_even_if_no_other_comes(tmp_path):
    path = tmp_path / "a.sqlite"
    writer = RowWriter(to_write(path))
    writer.database.commit()
    writer.add([(0, row_of(0))])
    writer._timer.join()  # nothing else happens
    assert [number for number, *_ in to_read(path).rows(0, 9)] == [0]


@pytest.mark.parametrize("error", ["locking protocol", "database or disk is full", "disk I/O error"])
def test_errors_of_the_system_are_one_line_that_says_what_to_do(tmp_path, monkeypatch, error):
    class Failing(sqlite3.Connection):
        def execute(self, statement, *values):
            if statement.startswith("BEGIN"):
                raise sqlite3.OperationalError(error)
            return super().execute(statement, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(run_database.sqlite3, "connect", lambda *path, **more: connect(*path, factory=Failing, **more))
    with pytest.raises(PldcheckError) as raised, write_lock(tmp_path / "a.sqlite"):
        pass
    assert error.lower() in str(raised.value) and ("--out" in str(raised.value) or "--resume" in str(raised.value))


def test_without_shared_memory_a_rollback_journal_is_used(tmp_path, monkeypatch):
    class NoSharedMemory(sqlite3.Connection):
        def execute(self, statement, *values):
            if statement.endswith("=WAL"):
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(statement, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(
        run_database.sqlite3, "connect", lambda *path, **more: connect(*path, factory=NoSharedMemory, **more)
    )
    path = store(tmp_path / "a.sqlite", ROWS)
    assert list(run_store.read(path).rows) == ROWS


@pytest.mark.long
def test_twenty_five_kills_of_the_writer_lose_nothing_and_repeat_nothing(tmp_path):
    path, draw = tmp_path / "a.sqlite", random.Random(20261127)
    before, kills = set(), 0
    command = [sys.executable, row_process.__file__, str(path)]
    for attempt in range(25):
        process = subprocess.Popen([*command, str(attempt)], stdout=subprocess.PIPE)
        assert process.stdout.readline().split() == [str(len(before)).encode()]
        time.sleep(draw.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        process.stdout.close()
        database = to_read(path)
        rows = {number: row_encoding.decode(number, *columns) for number, *columns in database.rows(0, CELLS)}
        database.close()
        assert before <= rows.keys() and all(row == row_of(number) for number, row in rows.items())
        before = rows.keys()
    # Later ones end by themselves where all rows are stored: how many do depends on the machine.
    assert kills >= 10 and 0 < len(before)
    subprocess.run([*command, "99"], stdout=subprocess.DEVNULL, check=True)
    assert list(StoredRows(to_read(path), 0, CELLS)) == [row_of(index) for index in range(CELLS)]
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]
