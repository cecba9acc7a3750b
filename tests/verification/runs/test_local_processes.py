"""Processes that die, hang, are suspended or killed cost no other cell an answer, and none outlives its run."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread

import pytest
from fakes import LargeAnswer, Unreadable, task
from living import wait_for_end, wait_until
from places import ROOT

from pldcheck.core import fork_server
from pldcheck.core.errors import PldcheckError
from pldcheck.verification.runs import batch_run, local_processes
from pldcheck.verification.runs.batch_run import BatchRun
from pldcheck.verification.runs.executors import Cores
from pldcheck.verification.runs.work_batches import Costs, unit

pytestmark = pytest.mark.skipif(not fork_server.AVAILABLE, reason="processes are watched as Linux shows them")

TASKS = [task(value=float(value)) for value in range(40)]
KILLED = "its process ended (signal 9, as when memory runs out)"


def answers(executor, tasks):
    return dict(executor.solve_all(tasks))


def workers():
    """Return the processes that the fork server of this process has begun and that live."""
    server = fork_server.begin().process.pid
    return [int(pid) for pid in Path(f"/proc/{server}/task/{server}/children").read_text().split()]


@pytest.mark.nightly
def test_one_bad_task_spoils_no_other():
    bad = [task(what="raise"), task(what="die", seconds=0.3), task(seconds=60.0), task(what="eat")]
    results = answers(Cores(2, cell_timeout=5.0, memory=1.0), [*TASKS[:5], *bad, *TASKS[5:]])
    assert [results[place].reason for place in (5, 6, 7)] == [
        "ArithmeticError: no such number",
        KILLED,
        "no answer within 5 s, the limit for a cell",
    ]
    assert "MemoryError" in results[8].reason
    assert all(results[place].truth is not None for place in (*range(5), *range(9, 44)))


def test_each_process_has_one_thread():
    (answer,) = answers(Cores(1), [task(what="threads")]).values()
    assert tuple(answer.truth) == (1.0, 1.0)


def test_leaving_early_ends_the_processes(tmp_path):
    paths = [tmp_path / f"pid {number}" for number in range(2)]
    run = Cores(2).solve_all([task(), *(task(what=f"tell {path}") for path in paths)])
    next(run)
    wait_until(lambda: all(path.exists() and path.read_text() for path in paths))
    run.close()
    for path in paths:
        wait_for_end(int(path.read_text()))


@pytest.fixture
def delayed_calls(monkeypatch):
    """Let threads of this process wait before each system call on a pipe: what they wait for may be closed by then."""

    def late(call):
        def wait(*words):
            time.sleep(0.01)
            return call(*words)

        return wait

    receive, send = Connection._recv, Connection._send
    monkeypatch.setattr(Connection, "_recv", lambda pipe, size: receive(pipe, size, late(os.read)))
    monkeypatch.setattr(Connection, "_send", lambda pipe, content: send(pipe, content, late(os.write)))


RACES = 6


@pytest.mark.parametrize("races", [RACES, pytest.param(1000, marks=pytest.mark.long)])
def test_runs_that_begin_when_another_is_left_have_their_own_answers(delayed_calls, races):
    """Threads of one process have runs, some of which are left after their first answer, as by an interrupt."""
    wrong = []

    def races_of(thread):
        for race in range(thread, races, 3):
            for _ in Cores(2).solve_all([task(value=-1.0, seconds=0.001 * (number % 3)) for number in range(12)]):
                break
            value = 1000.0 * race
            for number, answer in Cores(2).solve_all([task(value=value + place) for place in range(6)]):
                if answer.truth is None or answer.truth.lower != value + number:
                    wrong.append((race, number, answer))

    with ThreadPoolExecutor(3) as pool:
        for future in [pool.submit(races_of, thread) for thread in range(3)]:
            future.result()
    assert wrong == []


def test_a_process_that_is_killed_in_the_midst_of_its_answer_is_tried_again(delayed_calls, tmp_path):
    results = answers(Cores(1), [task(), LargeAnswer(str(tmp_path / "mark")), task(value=2.0)])
    assert len(results[1].reason) == 2**26 and (tmp_path / "mark").exists()
    assert results[0].truth.lower == 1.0 and results[2].truth.lower == 2.0


def test_a_batch_that_a_process_cannot_read_is_lost_alone():
    results = answers(Cores(1), [task(), task(what=Unreadable("answer")), task(value=2.0)])
    assert results[0].truth.lower == 1.0 and results[2].truth.lower == 2.0
    assert results[1].reason == "ImportError: no module of that name"


@pytest.mark.parametrize("direction", ["_recv", "_send"])
@pytest.mark.parametrize("error", [TypeError, MemoryError])
def test_an_error_in_a_thread_is_told_and_not_waited_for(monkeypatch, direction, error):
    def fail(*words):
        raise error("in a thread")

    monkeypatch.setattr(Connection, direction, fail)
    assert {answer.reason for answer in answers(Cores(1), TASKS[:2]).values()} == {f"{error.__name__}: in a thread"}


@pytest.mark.nightly
def test_a_process_hands_back_what_it_has_not_begun():
    """A batch of ten tasks was expected to take a hundredth of what it takes; both processes do a part of it."""
    costs = Costs()
    units = [unit(number, task(what="who", seconds=0.5, value=1.0 + number / 100)) for number in range(10)]
    costs.measure(units[0], 1e-3)
    run = BatchRun(Cores(2).crew(), None, costs)
    run.add(units)
    pids = []
    try:
        while run.is_busy:
            pids += [outcome.truth.lower for _, outcome in run.outcomes(None)]
    finally:
        run.close()
    assert len(pids) == 10 and min(map(pids.count, pids)) >= 2 and len(set(pids)) == 2


def test_a_process_that_is_killed_once_is_tried_again(tmp_path):
    results = answers(Cores(2), [*TASKS[:3], task(value=7.0, what=f"die once {tmp_path / 'mark'}"), task(what="die")])
    assert results[3].truth.lower == 7.0 and (tmp_path / "mark").exists()
    assert results[4].reason == KILLED


@pytest.mark.nightly
def test_a_fork_server_that_is_killed_is_replaced(tmp_path):
    """Its forks end with it; what they had is done by others."""
    tasks = [*TASKS[:9], task(value=9.0, what=f"end the parent once {tmp_path / 'mark'}"), *TASKS[10:20]]
    results = answers(Cores(2), tasks)
    assert [results[place].truth.lower for place in range(20)] == [float(place) for place in range(20)]
    assert (tmp_path / "mark").exists()


@pytest.mark.nightly
def test_processes_that_end_before_they_begin_end_the_run(monkeypatch):
    monkeypatch.setattr(local_processes, "_work_of_fork", os._exit)
    with pytest.raises(
        PldcheckError, match=r"^8 processes ended before they began, the last one so: its process ended"
    ):
        answers(Cores(1), TASKS[:2])


def test_too_little_memory_is_named():
    with pytest.raises(PldcheckError, match=r"^a process cannot begin with 0\.05 GiB of data: memory \(--memory\)"):
        answers(Cores(1, memory=0.05), TASKS[:2])


def test_what_only_this_process_knows_is_no_answer_but_a_line():
    def own():
        return 1.0

    with pytest.raises(PldcheckError, match="a cell cannot be sent to other processes .*: leave client out"):
        answers(Cores(1), [task(what=own)])


SCRIPT = """
from pldcheck import verify
from pldcheck.verification.runs.executors import Cores
axes = {"steps": [10, 100], "eps0": 1.0, "check_in_prob": 1.0, "delta": 1e-6}
print(*(row.verdict for row in verify(axes, ["thm-3.2"], client=Cores(2)).rows))
"""


def test_a_script_needs_no_main_guard(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    process = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (process.stdout, process.stderr) == ("HOLDS HOLDS\n", "")


@pytest.mark.nightly
def test_what_takes_too_long_is_interrupted_or_its_process_killed(monkeypatch):
    monkeypatch.setattr(local_processes, "PATIENCE", 0.5)
    bad = [task(what="spin"), task(what="hold"), task(seconds=600.0)]
    results = answers(Cores(2, cell_timeout=2.0), [*TASKS[:20], *bad, *TASKS[20:]])
    assert {results[place].reason for place in (20, 21, 22)} == {"no answer within 2 s, the limit for a cell"}
    assert all(results[place].truth is not None for place in (*range(20), *range(23, 43)))


@pytest.mark.nightly
@pytest.mark.parametrize("which", ["worker", "all"])
def test_time_in_which_processes_are_suspended_does_not_count(which):
    """All that is asked of them still has its answer, and none is said to have taken too long."""
    tasks = [task(value=float(value), seconds=0.05) for value in range(60)]
    ends = Event()

    def suspend():
        for _ in range(4):
            ends.wait(1.0)
            stopped = workers()[: 1 if which == "worker" else None]
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            ends.wait(4.0)
            for pid in stopped:
                with suppress(OSError):
                    os.kill(pid, signal.SIGCONT)

    thread = Thread(target=suspend)
    thread.start()
    try:
        results = [*Cores(2, cell_timeout=2.5).solve_all(tasks)]
    finally:
        ends.set()
        thread.join()
    assert sorted(number for number, _ in results) == list(range(60))
    assert all(answer.truth and answer.truth.lower == float(number) for number, answer in results)


@pytest.mark.nightly
def test_a_process_that_stays_suspended_does_not_hold_up_the_end_of_a_run(monkeypatch, tmp_path):
    monkeypatch.setattr(batch_run, "LEAST_LATENESS", 0.5)
    mark = tmp_path / "mark"
    tasks = [*TASKS[:5], task(value=5.0, what=f"suspend itself once {mark}"), *TASKS[6:20]]
    results = answers(Cores(2), tasks)
    assert [results[place].truth.lower for place in range(20)] == [float(place) for place in range(20)]
    wait_for_end(int(mark.read_text()))


@pytest.mark.nightly
def test_a_limit_does_not_follow_the_wall_clock(monkeypatch):
    """Here the clock is set forward by a day whenever it is looked at."""
    day, clock = [0.0], time.time

    def forward():
        day[0] += 86400.0
        return clock() + day[0]

    monkeypatch.setattr(time, "time", forward)
    results = answers(Cores(1, cell_timeout=300.0), [task(seconds=1.0), task(value=2.0)])
    assert [results[place].reason for place in (0, 1)] == [None, None]


PARENT = """
import sys
from pldcheck.verification.runs.executors import Cores
from fakes import task
list(Cores(1).solve_all([task(what="tell " + sys.argv[1])]))
"""


def test_processes_end_with_a_parent_that_is_killed(tmp_path):
    (tmp_path / "parent.py").write_text(PARENT)
    words = [sys.executable, str(tmp_path / "parent.py"), str(tmp_path / "pid")]
    paths = f"{Path(__file__).parent}{os.pathsep}{ROOT}"
    parent = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": paths})
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    parent.kill()
    parent.wait()
    wait_for_end(int((tmp_path / "pid").read_text()))


@pytest.mark.nightly
def test_processes_that_are_no_forks_give_the_same_answers(monkeypatch, tmp_path):
    """As on systems other than Linux."""
    monkeypatch.setattr(fork_server, "AVAILABLE", False)
    results = answers(Cores(2, cell_timeout=60.0), [*TASKS[:9], task(what=f"die once {tmp_path / 'mark'}"), *TASKS[9:]])
    assert [results[place].truth.lower for place in range(9)] == [float(place) for place in range(9)]
    assert results[9].truth.lower == 1.0 and (tmp_path / "mark").exists()
