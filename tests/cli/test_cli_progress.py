import re
import sys
from threading import Timer

import pytest

from pldcheck.cli import opening_line, progress, run_tally
from pldcheck.verification import Row, Verdict
from pldcheck.verification.runs.rows_of_cells import Standing


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that is set."""
    time = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: time[0])
    return time


def test_nothing_is_said_of_what_takes_little_time(capsys, monkeypatch, clock):
    for terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        with progress.item_progress() as step, progress.stage_progress() as tell:
            for count in range(4):
                clock[0] += 0.1
                step(count, 3)
                tell("query 1")
    assert capsys.readouterr().err == ""


def test_progress_is_printed_in_few_lines_without_a_terminal(capsys, clock):
    with progress.item_progress("points") as step:
        for count in range(1, 101):
            clock[0] += 1.0
            step(count, 100)
    # 1 to 2 came a second apart, so the other 89 take as long each.
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "11 of 100 points, 89 s left" and len(lines) == 9
    with progress.item_progress("points") as step:
        for count in range(1, 41):
            clock[0] += 5.5
            step(count, 400)
    # Of 40 of 400, fewer than a tenth are behind the first one: too few to tell how long the others take.
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "2 of 400 points" and len(lines) > 10 and not any("left" in line for line in lines)
    with progress.stage_progress() as tell:
        tell("first")
        clock[0] += 11.0
        tell("second")
    assert capsys.readouterr().err == "second, 11 s so far\n"


def test_progress_is_drawn_as_bars_on_a_terminal(capsys, monkeypatch, clock):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.item_progress() as step, progress.stage_progress() as tell:
        clock[0] += 3.0
        step(1, 3)
    assert "1/3" in capsys.readouterr().err
    with progress.stage_progress() as tell:
        clock[0] += 3.0
        tell("query 1: sigma = 2.0")
    assert "query 1: sigma = 2.0" in re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().err)


def test_time_that_is_left_is_estimated_from_a_tenth_of_the_work_and_some_seconds():
    assert run_tally.time_left(2, 32, 60.0) == "" and run_tally.time_left(30, 32, 4.0) == ""
    assert run_tally.time_left(4, 32, 6.0) == "42 s left" and run_tally.time_left(32, 32, 6.0) == "0 s left"


def test_a_run_without_a_finished_cell_says_what_it_does(capsys, monkeypatch):
    monkeypatch.setattr(opening_line, "SILENCE", 0.2)
    text = "4 cells, 2 processes; no cell is finished yet: a first run compiles kernels, once\n"
    for quiet, begins, expected in ((False, False, text), (False, True, ""), (True, False, "")):
        timers = []
        timer_of = lambda *words, timers=timers: timers.append(Timer(*words)) or timers[0]  # noqa: E731
        monkeypatch.setattr(opening_line, "Timer", timer_of)
        with progress.progress(quiet, "4 cells, 2 processes") as step:
            if begins:
                step(Row("thm-3.2", {}, Verdict.HOLDS), 4)
            for timer in timers:
                timer.join()
        assert capsys.readouterr() == ("", expected)
        assert len(timers) == (0 if quiet else 1)


class AtOnce:
    """A timer whose time is over when it starts."""

    def __init__(self, seconds, function, args, kwargs):
        self.start = lambda: function(*args, **kwargs)

    def cancel(self):
        """Do nothing: it has ended."""


def test_a_long_answer_says_what_is_computed(pldcheck, engine, monkeypatch):
    engine(0.25, 0.5)
    monkeypatch.setattr(opening_line, "Timer", AtOnce)
    result = pldcheck("delta", "check-in", "--steps", 10, "--eps0", 1, "--epsilon", 0.1)
    assert result.err.startswith("computing delta of check-in: ") and result.out.startswith("delta in [0.25, 0.5]")


def rows(*seconds):
    return [Row("thm-3.2", {"steps": place}, Verdict.HOLDS, seconds=one) for place, one in enumerate(seconds)]


@pytest.mark.nightly
def test_a_tally_tells_cells_verdicts_time_workers_and_the_slowest_cells():
    standing = Standing(workers=2, seconds_left=31.0, looked_at=4, planned=True)
    tally = run_tally.Tally(9, standing)
    for row in rows(0.5, 2.0, 7.0, 7.0, 3.0, 4.0):
        tally.add(row, 8)
    # Fewer are looked at than there are, so the time follows from the number of cells: two of six in 30 seconds.
    slowest = "7.0 s for thm-3.2 at steps=2; 4.0 s for thm-3.2 at steps=5; 3.0 s for thm-3.2 at steps=4"
    assert tally.line(30.0) == f"6 of 8 cells, 0.2 a second, 10 s left, 2 workers: 6 HOLDS; slowest: {slowest}"
    standing.looked_at = 8
    assert ", 31 s left," in tally.line(30.0)
    standing.planned = False
    assert ", 10 s left," in tally.line(30.0)


@pytest.mark.nightly
def test_an_interrupted_run_names_the_command_that_goes_on():
    tally = run_tally.Tally(9)
    assert tally.farewell(["verify", "a b.toml", "--overwrite"]) == [
        "0 of 9 cells are finished and stored",
        "to go on: pldcheck verify 'a b.toml' --resume",
    ]
    tally.add(*rows(0.1), 5)
    assert tally.farewell(["verify", "--resume"]) == [
        "1 of 5 cells are finished and stored: 1 HOLDS",
        "to go on: pldcheck verify --resume",
    ]
    tally.standing = Standing(stored=87)
    text = "88 of 92 cells are finished and stored, 1 of them by this run: 1 HOLDS"
    assert tally.farewell(["verify", "--resume"])[0] == text
