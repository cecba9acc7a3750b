"""Runs whose workers or scheduler are lost end with one line, or go on without any fault of the cells."""

from concurrent.futures import Future

import pytest
from fakes import task
from scheduler_processes import scheduler_and_workers

from pldcheck.core.errors import PldcheckError
from pldcheck.verification.runs import cell_worker, future_crew
from pldcheck.verification.runs.batch_run import answers
from pldcheck.verification.runs.client_executors import DaskClient
from pldcheck.verification.runs.future_crew import FutureCrew, WorkersLostError

TASKS = [task(value=float(value)) for value in range(6)]


def test_a_run_that_has_no_worker_for_long_ends_with_a_line_that_says_so(monkeypatch):
    monkeypatch.setattr(future_crew, "COUNTING", 0.0)
    crew = FutureCrew(lambda parcel: Future(), lambda: 0, remote=True, patience=0.3)
    with pytest.raises(WorkersLostError, match=r"^there has been no worker for 0\.3 s"):
        list(answers(crew, TASKS, None))
    assert issubclass(WorkersLostError, PldcheckError)
    # A worker that comes in time, and one that takes long, are waited for.
    counts = iter([0, 1, 0, 1] + [1] * 1000)
    crew = FutureCrew(lambda parcel: Future(), lambda: next(counts), remote=True, patience=0.3)
    crew.give(1, cell_worker)
    for _ in range(8):
        assert crew.news(0.1) == []


@pytest.mark.nightly
def test_batches_that_a_scheduler_forgets_are_no_failures_of_their_cells():
    tries = []

    def submit(parcel):
        future = Future()
        tries.append(parcel)
        if len(tries) <= 20:
            future.cancel()
        else:
            future.set_result(cell_worker.do(parcel))
        return future

    results = dict(answers(FutureCrew(submit, lambda: 2, remote=True), TASKS, None))
    assert {number: answer.truth.lower for number, answer in results.items()} == {n: float(n) for n in range(6)}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers_and_one_that_is_killed_end_a_run():
    pytest.importorskip("distributed")
    with scheduler_and_workers(1) as (scheduler, client):
        crew = DaskClient(client, patience=3.0).crew()
        scheduler.workers[0].kill()
        with pytest.raises(WorkersLostError, match="there has been no worker for 3 s"):
            list(answers(crew, TASKS, None))
        crew = DaskClient(client)
        scheduler.kill()
        scheduler.wait()
        with pytest.raises((WorkersLostError, PldcheckError), match="scheduler"):
            list(crew.solve_all(TASKS))
