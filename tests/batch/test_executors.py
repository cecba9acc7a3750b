"""The same answers wherever they are computed; of what raises, hangs, dies or eats memory it is said so."""

import time

import pytest
from fakes import task

from pldcheck.batch.executors import Cores, InProcess, Scheduler
from pldcheck.errors import ParameterError


def answers(executor, tasks):
    return {number: answer for number, answer in executor.solved(tasks)}


TASKS = [task(value=float(value)) for value in range(40)]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as found:
        yield found.scheduler_address


def test_in_process():
    found = answers(InProcess(), [*TASKS, task(what="raise")])
    assert [found[value].truth.lower for value in range(40)] == [float(value) for value in range(40)]
    assert found[40].truth is None and found[40].reason == "ArithmeticError: no such number"


def test_cores_give_the_same_answers():
    found = answers(Cores(2), TASKS)
    assert {number: answer.truth for number, answer in found.items()} == {
        number: answer.truth for number, answer in answers(InProcess(), TASKS).items()
    }


def test_one_bad_task_spoils_no_other():
    bad = [task(what="raise"), task(what="die", seconds=0.3), task(seconds=60.0), task(what="eat")]
    start = time.perf_counter()
    found = answers(Cores(2, cell_timeout=5.0, memory=1.0), [*TASKS[:5], *bad, *TASKS[5:]])
    assert time.perf_counter() - start < 50.0
    assert [found[place].reason for place in (5, 6, 7)] == [
        "ArithmeticError: no such number",
        "its process ended (signal 9)",
        "no answer within 5 s, the limit for a cell",
    ]
    assert "MemoryError" in found[8].reason
    assert all(found[place].truth is not None for place in (*range(5), *range(9, 44)))


def test_each_worker_has_one_thread():
    (answer,) = answers(Cores(1), [task(what="threads")]).values()
    assert tuple(answer.truth) == (1.0, 1.0)


def test_leaving_early_stops_the_processes():
    start = time.perf_counter()
    for _ in Cores(2).solved([task(), *(task(seconds=60.0) for _ in range(4))]):
        break
    assert time.perf_counter() - start < 40.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_gives_the_same_answers(cluster):
    found = answers(Scheduler(cluster, cell_timeout=5.0), [*TASKS, task(what="raise"), task(seconds=30.0)])
    assert [found[value].truth.lower for value in range(40)] == [float(value) for value in range(40)]
    assert found[40].reason == "ArithmeticError: no such number"
    assert found[41].reason == "no answer within 5 s, the limit for a cell"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_schedulers_worker_that_dies(cluster):
    found = answers(Scheduler(cluster), [*TASKS[:3], task(what="die"), *TASKS[3:6]])
    assert "KilledWorker" in found[3].reason
    assert all(found[place].truth is not None for place in (0, 1, 2, 4, 5, 6))


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:1", "", "tcp://", "http://localhost:80"])
def test_a_scheduler_that_does_not_answer(address, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("pldcheck.batch.executors.PATIENCE", 0.5)
    with pytest.raises(ParameterError, match="scheduler must be (the address of a scheduler|an address such as)"):
        answers(Scheduler(address), TASKS[:1])
