"""The log of finished cells: what is written is read, whatever is cut, spoiled or written by two at once."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from pldcheck.core.sealed_files import seal
from pldcheck.verification import Row, Verdict
from pldcheck.verification.runs.run_log import Log


def row(number, lower=0.5):
    params = {"steps": number + 1, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
    return Row("thm-3.2", params, Verdict.HOLDS, 1.0, lower, 0.6, seconds=0.1, cell=f"cell{number}")


@pytest.fixture
def log(tmp_path):
    return Log(tmp_path / "job.jsonl")


def fill(log, numbers):
    with log.writer() as writer:
        for number in numbers:
            writer.add([row(number)])
    return writer.path


def test_what_is_written_is_read(log):
    path = fill(log, range(5))
    content = log.read()
    assert content.damage == () and list(content.files) == [path]
    assert content.rows == {f"cell{number}": row(number) for number in range(5)}
    log.clear(content.files)
    assert not log.folder.exists()


def test_infinite_ends_come_back(log):
    one = Row(None, {"steps": 3}, Verdict.NOT_JUDGED, None, 1.0, float("inf"), protocol="hidden-slot", cell="a")
    with log.writer() as writer:
        writer.add([one])
    assert log.read().rows == {"a": one}
    assert json.loads(writer.path.read_text())["upper"] == "inf"


def test_the_last_of_two_outcomes_counts(log):
    with log.writer() as writer:
        writer.add([row(1, 0.1), row(1, 0.2)])
    assert log.read().rows["cell1"].lower == 0.2


@pytest.mark.parametrize("bytes_cut", [2, 7, 60, 300])
def test_a_cut_last_line_is_set_aside_and_the_rest_kept(log, bytes_cut):
    path = fill(log, range(4))
    whole = path.read_bytes()
    path.write_bytes(whole[:-bytes_cut])
    content = log.read()
    assert list(content.rows) == ["cell0", "cell1", "cell2"]
    assert len(content.damage) == 1 and "last line is cut" in content.damage[0] and path.name in content.damage[0]
    (copy,) = (log.folder / "set-aside").iterdir()
    assert copy.read_bytes() == whole[:-bytes_cut]
    again = log.read()
    assert again.damage == () and list(again.rows) == ["cell0", "cell1", "cell2"]


def test_a_line_that_lost_only_its_end_is_whole(log):
    path = fill(log, range(2))
    path.write_bytes(path.read_bytes()[:-1])
    assert list(log.read().rows) == ["cell0", "cell1"] and log.read().damage == ()


@pytest.mark.parametrize(
    "damage",
    [b"\x00\xff\xfe", b"{}", b"[]", b"nonsense", b'{"kind": "cell"}', b'{"kind": "cell", "cell": 3}', b"\xe9"],
)
def test_damage_in_the_middle_costs_only_its_lines(log, damage):
    path = fill(log, range(3))
    first, second, third, _ = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([first, damage, second, damage, third, b""]))
    content = log.read()
    assert list(content.rows) == ["cell0", "cell1", "cell2"]
    assert "2 damaged lines, the first is 2" in content.damage[0]
    assert log.read().damage == ()


def test_a_damaged_result_file_gives_up_its_cells(log):
    header = json.dumps(seal({"kind": "header", "suite": "job", "sum": ""})).encode()
    with log.writer() as writer:
        writer.add([row(1), row(2)])
    lines = writer.path.read_bytes()
    log.clear([writer.path])
    log.path.write_bytes(header + b"\n" + lines[:-20])
    content = log.read()
    assert list(content.rows) == ["cell1"] and len(content.damage) == 1
    assert not log.path.exists() and list(log.read().rows) == ["cell1"]


def test_what_cannot_be_read_is_moved_away(log):
    log.folder.mkdir(parents=True)
    (log.folder / "strange.jsonl").mkdir()
    fill(log, [1])
    content = log.read()
    assert list(content.rows) == ["cell1"] and "cannot be read" in content.damage[0]
    assert log.read().damage == ()


def test_the_file_of_a_writer_that_lives_is_left_alone(log):
    with log.writer() as writer:
        writer.add([row(1)])
        with writer.path.open("ab") as more:
            more.write(b'{"kind": "ce')
        content = log.read()
        assert list(content.rows) == ["cell1"] and content.damage == ()
        log.clear(content.files)
        assert writer.path.exists()
    assert len(log.read().damage) == 1


WRITER = """
import sys
from pathlib import Path
from pldcheck.verification.runs.run_log import Log
from pldcheck.core.sealed_files import seal
from pldcheck.verification import Row, Verdict
first = int(sys.argv[2])
with Log(Path(sys.argv[1])).writer() as writer:
    print("begun", flush=True)
    for number in range(first, first + 20000):
        params = {"steps": number + 1, "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
        writer.add([Row("thm-3.2", params, Verdict.HOLDS, 1.0, 0.5, 0.6, cell=f"cell{number}")])
        print(number, flush=True)
"""


def test_two_writers_that_are_killed_lose_no_line(log):
    """Lines that a process said it wrote are there after SIGKILL, and the other one's lines are whole."""
    commands = [[sys.executable, "-c", WRITER, str(log.path), first] for first in ("0", "100000")]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) for command in commands]
    answers = []
    for process in both:
        assert process.stdout.readline() == "begun\n"
    time.sleep(0.3)
    for process in both:
        process.send_signal(signal.SIGKILL)
        answers.append([int(line) for line in process.stdout.read().splitlines() if line][:-1])
        process.wait()
        process.stdout.close()
    content = log.read()
    assert all(f"cell{number}" in content.rows for numbers in answers for number in numbers)
    assert all(numbers for numbers in answers) and len(content.files) == 2 and len(content.damage) <= 2


@pytest.mark.parametrize(
    "damage",
    [b"[" * 100_000, b'{"kind": "cell", "upper": NaN}', b'{"kind": "cell", "witness": 5}'],
    ids=["deep", "nan", "witness"],
)
def test_lines_that_only_look_like_cells_are_damage(log, damage):
    path = fill(log, [1])
    whole = json.loads(path.read_bytes())
    if b"upper" in damage:
        damage = json.dumps({**whole, "upper": float("nan")}).encode()
    if b"witness" in damage:
        damage = json.dumps(seal({**whole, "cell": "other", "witness": 5})).encode()
    path.write_bytes(path.read_bytes() + damage + b"\n")
    content = log.read()
    assert list(content.rows) == ["cell1"] and len(content.damage) == 1


def test_without_room_for_a_copy_a_damaged_file_stays_and_is_read(log, monkeypatch):
    path = fill(log, range(3))
    path.write_bytes(path.read_bytes()[:-9])

    def full(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pldcheck.verification.runs.run_log.shutil.copyfile", full)
    content = log.read()
    assert list(content.rows) == ["cell0", "cell1"] and "left as it is (no space left on device)" in content.damage[0]
    monkeypatch.undo()
    assert list(log.read().rows) == ["cell0", "cell1"]


def test_a_folder_that_another_job_clears_is_made_again(log, monkeypatch):
    attempts, open_file = [], os.open

    def late(path, *more):
        if not attempts:
            attempts.append(path)
            log.folder.rmdir()
        return open_file(path, *more)

    monkeypatch.setattr("pldcheck.verification.runs.run_log.os.open", late)
    fill(log, [1])
    monkeypatch.undo()
    assert list(log.read().rows) == ["cell1"]
