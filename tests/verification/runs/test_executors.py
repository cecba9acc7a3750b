"""The same answers wherever they are computed; of what raises, hangs, dies or eats memory it is said so."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from fakes import Unreadable, stillborn, task
from places import ROOT

from pldcheck.core import nursery
from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.verification.runs import cell_worker, process_pool
from pldcheck.verification.runs.batch_run import BatchRun
from pldcheck.verification.runs.cell_costs import Costs
from pldcheck.verification.runs.client_executors import DaskClient, Scheduler, executor_of
from pldcheck.verification.runs.executors import Cores, InProcess
from pldcheck.verification.runs.sent_cells import Parcel
from pldcheck.verification.runs.work_batches import unit


def children(parent):
    """Return the numbers of the processes that a process began and that live."""
    pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(pid) for pid in pids if _lives(int(pid))]


give = process_pool._Worker.give


def answers(executor, tasks):
    return {number: answer for number, answer in executor.solve_all(tasks)}


TASKS = [task(value=float(value)) for value in range(40)]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as local_cluster:
        yield local_cluster.scheduler_address


def test_tasks_are_solved_in_the_same_process():
    results = answers(InProcess(), [*TASKS, task(what="raise")])
    assert [results[value].truth.lower for value in range(40)] == [float(value) for value in range(40)]
    assert results[40].truth is None and results[40].reason == "ArithmeticError: no such number"


@pytest.mark.nightly
def test_cores_give_the_same_answers():
    results = answers(Cores(2), TASKS)
    assert {number: answer.truth for number, answer in results.items()} == {
        number: answer.truth for number, answer in answers(InProcess(), TASKS).items()
    }


@pytest.mark.nightly
def test_one_bad_task_spoils_no_other():
    bad = [task(what="raise"), task(what="die", seconds=0.3), task(seconds=60.0), task(what="eat")]
    results = answers(Cores(2, cell_timeout=5.0, memory=1.0), [*TASKS[:5], *bad, *TASKS[5:]])
    assert [results[place].reason for place in (5, 6, 7)] == [
        "ArithmeticError: no such number",
        "its process ended (signal 9)",
        "no answer within 5 s, the limit for a cell",
    ]
    assert "MemoryError" in results[8].reason
    assert all(results[place].truth is not None for place in (*range(5), *range(9, 44)))


def test_each_worker_has_one_thread():
    (answer,) = answers(Cores(1), [task(what="threads")]).values()
    assert tuple(answer.truth) == (1.0, 1.0)


def test_leaving_early_stops_the_processes(tmp_path):
    # Each of the others would leave its mark after a minute.
    marks = [tmp_path / f"mark {number}" for number in range(4)]
    for _ in Cores(2).solve_all([task(), *(task(seconds=60.0, what=f"die once {mark}") for mark in marks)]):
        break
    assert not any(mark.exists() for mark in marks)


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


def test_a_batch_that_a_process_cannot_read_is_lost_alone():
    results = answers(Cores(1), [task(), task(what=Unreadable("answer")), task(value=2.0)])
    assert results[0].truth.lower == 1.0 and results[2].truth.lower == 2.0
    assert "ImportError: no module of that name" in results[1].reason


def test_an_answer_to_another_run_is_refused(monkeypatch):
    """Both number their batches from the same number on."""
    monkeypatch.setattr(process_pool._Worker, "give", lambda worker, crew, *rest: give(worker, "another", *rest))
    with pytest.raises(PldcheckError, match="a process answered batch 1 of run another"):
        answers(Cores(1), TASKS[:2])


@pytest.mark.parametrize("direction", ["_recv", "_send"])
@pytest.mark.parametrize("error", [TypeError, MemoryError])
def test_an_error_in_a_thread_ends_the_run(monkeypatch, direction, error):
    """It would wait for ever."""

    def fail(*words):
        raise error("in a thread")

    monkeypatch.setattr(Connection, direction, fail)
    with pytest.raises(error, match="in a thread"):
        answers(Cores(1), TASKS[:2])


@pytest.mark.nightly
def test_a_process_hands_back_what_it_has_not_begun():
    """A batch of ten tasks was expected to take a hundredth of what it takes; both processes do a part of it."""
    costs, units = (
        Costs(),
        [unit(number, task(what="who", seconds=0.2, value=1.0 + number / 100)) for number in range(10)],
    )
    costs.measure(units[0].kind, units[0].of, 1e-3)
    crew = Cores(2).crew()
    try:
        run = BatchRun(crew, None, costs)
        run.add(units)
        pids = []
        while run.is_busy:
            pids += [outcome.truth.lower for _, outcome in run.outcomes(None)]
    finally:
        crew.close()
    assert len(pids) == 10 and min(map(pids.count, pids)) >= 2 and len(set(pids)) == 2


def test_a_process_that_is_killed_once_is_tried_again(tmp_path):
    results = answers(Cores(2), [*TASKS[:3], task(value=7.0, what=f"die once {tmp_path / 'mark'}"), task(what="die")])
    assert results[3].truth.lower == 7.0 and (tmp_path / "mark").exists()
    assert results[4].reason == "its process ended (signal 9)"


@pytest.mark.nightly
def test_processes_that_end_before_they_begin_end_the_run(monkeypatch):
    monkeypatch.setattr(process_pool, "_work", stillborn)
    with pytest.raises(PldcheckError, match="8 processes ended before they began, .*exit status 3"):
        answers(Cores(1), TASKS[:2])


@pytest.mark.nightly
def test_processes_that_end_since_their_nursery_did_count_once():
    def end(pool, taker):
        process = SimpleNamespace(fell_with=taker, ending=lambda: -9)
        pipe = SimpleNamespace(close=lambda: None)
        worker = SimpleNamespace(process=process, pipe=pipe, beat=[0.0] * 4, batches={}, first=None, ready=False)
        worker.ends, worker.is_stuck, worker.end = False, False, lambda: None
        pool._workers.append(worker)
        return pool._hear(worker, None)

    pool, nurseries = process_pool.Processes(2, None), [object() for _ in range(process_pool.STILLBORN)]
    for cause in nurseries[1:]:
        assert end(pool, cause) == end(pool, cause) == []
    with pytest.raises(PldcheckError, match="ended before they began"):
        end(pool, nurseries[0])
    alone = process_pool.Processes(2, None)
    for _ in nurseries[1:]:
        end(alone, None)
    with pytest.raises(PldcheckError, match="ended before they began"):
        end(alone, None)


@pytest.mark.nightly
def test_what_takes_too_long_is_interrupted_or_its_process_killed(monkeypatch):
    monkeypatch.setattr(process_pool, "PATIENCE", 0.5)
    bad = [task(what="spin"), task(what="hold"), task(seconds=600.0)]
    results = answers(Cores(2, cell_timeout=2.0), [*TASKS[:20], *bad, *TASKS[20:]])
    assert {results[place].reason for place in (20, 21, 22)} == {"no answer within 2 s, the limit for a cell"}
    assert all(results[place].truth is not None for place in (*range(20), *range(23, 43)))


@pytest.mark.nightly
def test_a_thread_is_left_alone_where_no_process_can_be_ended():
    tasks = (*TASKS[:3], task(seconds=1.5), *TASKS[3:5])
    parts = cell_worker.do(Parcel(tasks=tasks, limit=0.2))
    assert (
        parts.late and [outcome == cell_worker.LATE for outcome in parts.outcomes] == [False] * 3 + [True] + [False] * 2
    )
    assert [parts.outcomes[place].truth.lower for place in (0, 1, 2, 4, 5)] == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.nightly
@pytest.mark.parametrize("which", ["worker", "all"])
def test_time_in_which_processes_are_suspended_does_not_count(which):
    """All that is asked of them still has its answer, and none is said to have taken too long."""
    tasks = [task(value=float(value), seconds=0.05) for value in range(60)]
    ends = Event()

    def suspend():
        for _ in range(4):
            ends.wait(1.0)
            stopped = children(nursery.nursery().process.pid)[: 1 if which == "worker" else None]
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
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["processes", "loky", "threads"])
def test_executors_of_other_libraries_give_the_same_answers(kind):
    if kind == "loky":
        pool = pytest.importorskip("joblib.externals.loky").ProcessPoolExecutor(2)
    else:
        pool = ThreadPoolExecutor(2) if kind == "threads" else ProcessPoolExecutor(2, get_context("spawn"))
    with pool:
        executor = executor_of(pool)
        results = answers(executor, [*TASKS, task(what="raise")])
        assert [results[value].truth.lower for value in range(40)] == [float(value) for value in range(40)]
        assert results[40].reason == "ArithmeticError: no such number"
        assert executor.about == f"workers of {type(pool).__name__}"


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_an_executor_that_breaks_is_made_again_where_it_can_be(tmp_path):
    tasks = [*TASKS[:9], task(value=9.0, what=f"die once {tmp_path / 'mark'}"), task(what="die"), *TASKS[11:20]]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool, pytest.raises(PldcheckError, match="the executor broke"):
        answers(executor_of(pool), tasks)
    (tmp_path / "mark").unlink(missing_ok=True)
    results = answers(executor_of(lambda: ProcessPoolExecutor(2, get_context("spawn"))), tasks)
    assert [results[place].truth.lower for place in range(20) if place != 10] == [
        float(place) for place in range(20) if place != 10
    ]
    assert "BrokenProcessPool" in results[10].reason


@pytest.mark.nightly
def test_what_computes_nothing_is_no_client():
    with pytest.raises(ParameterError, match="client must be a dask client, an executor"):
        executor_of(7)


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


def test_answers_of_another_program_are_refused(monkeypatch):
    monkeypatch.setattr("pldcheck.verification.runs.cell_worker.program", lambda: "another")
    with pytest.raises(PldcheckError, match="ran another program than this one"):
        answers(Cores(1), TASKS[:2])


PARENT = """
import sys
from pldcheck.verification.runs import process_pool
from pldcheck.verification.runs.executors import Cores
from fakes import stillborn, task
if __name__ == "__main__":
    list(Cores(1).solve_all([task(what="tell " + sys.argv[1])]))
"""


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    (tmp_path / "parent.py").write_text(PARENT)
    words = [sys.executable, str(tmp_path / "parent.py"), str(tmp_path / "pid")]
    paths = f"{Path(__file__).parent}{os.pathsep}{ROOT}"
    parent = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": paths})
    _wait(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    worker = int((tmp_path / "pid").read_text())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    _wait(lambda: not _lives(worker))


@pytest.mark.nightly
def test_a_nursery_that_is_killed_is_replaced(tmp_path):
    """Its workers end with it; what they had is done by others."""
    tasks = [*TASKS[:9], task(value=9.0, what=f"end the parent once {tmp_path / 'mark'}"), *TASKS[10:20]]
    results = answers(Cores(2), tasks)
    assert [results[place].truth.lower for place in range(20)] == [float(place) for place in range(20)]
    assert (tmp_path / "mark").exists()


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait(until):
    for _ in range(6000):
        if until():
            return
        time.sleep(0.1)
    pytest.fail("what is waited for does not come")


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_workers_of_a_scheduler_are_asked_who_they_are(cluster, monkeypatch):
    monkeypatch.setattr("pldcheck.verification.runs.cell_identity.code", lambda: "another")
    with pytest.raises(PldcheckError, match="2 of 2 workers .* run another program"):
        answers(Scheduler(cluster), TASKS[:2])


@pytest.mark.parametrize(("answer", "is_refused"), [(OSError("closed"), False), (ValueError("odd"), True)])
def test_a_worker_that_dies_when_it_is_asked_who_it_is_is_no_stranger(answer, is_refused):
    class Client:
        def run(self, function, on_error):
            return {"tcp://one": function(), "tcp://two": answer}

    refused = pytest.raises(PldcheckError, match="1 of 2 workers")
    with refused if is_refused else nullcontext():
        DaskClient(Client())._check_programs("tcp://here")


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_gives_the_same_answers(cluster):
    results = answers(Scheduler(cluster, cell_timeout=5.0), [*TASKS, task(what="raise"), task(seconds=30.0)])
    assert [results[value].truth.lower for value in range(40)] == [float(value) for value in range(40)]
    assert results[40].reason == "ArithmeticError: no such number"
    assert results[41].reason == "no answer within 5 s, the limit for a cell"


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_client_computes_and_stays_open(cluster):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster, set_as_default=False) as client:
        executor = executor_of(client)
        assert isinstance(executor, DaskClient) and answers(executor, TASKS)[39].truth.lower == 39.0
        assert answers(executor, TASKS[:2])[1].truth.lower == 1.0 and client.status == "running"


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_worker_of_a_scheduler_that_dies_costs_one_task(cluster):
    results = answers(Scheduler(cluster), [*TASKS[:3], task(what="die"), *TASKS[3:6]])
    assert "KilledWorker" in results[3].reason
    assert all(results[place].truth is not None for place in (0, 1, 2, 4, 5, 6))


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:1", "", "tcp://", "http://localhost:80"])
def test_a_scheduler_that_does_not_answer_is_an_error(address, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("pldcheck.verification.runs.client_executors.ANSWER", 0.5)
    with pytest.raises(ParameterError, match="scheduler must be (the address of a scheduler|an address such as)"):
        answers(Scheduler(address), TASKS[:1])
