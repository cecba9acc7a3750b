"""Runs whose workers or scheduler are lost end with one line, or go on without any fault of the cells."""

import logging
from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from fakes import task
from scheduler_processes import scheduler_and_workers

from pldcheck.core.errors import PldcheckError
from pldcheck.verification.runs import cell_worker, client_executors
from pldcheck.verification.runs.batch_run import Crew, answers
from pldcheck.verification.runs.client_executors import DaskClient, WorkersLostError

TASKS = [task(value=float(value)) for value in range(6)]


def client(counts):
    """Return a client whose scheduler has so many workers when it is asked, of which none answers."""
    return SimpleNamespace(
        run=lambda function, on_error: {},
        nthreads=lambda: {"tcp://one": next(counts)},
        submit=lambda function, content, pure: Future(),
        scheduler=SimpleNamespace(address="tcp://here"),
        status="running",
    )


def test_a_run_that_has_no_worker_for_long_ends_with_a_line_that_says_so(monkeypatch):
    monkeypatch.setattr(client_executors, "COUNTING", 0.0)
    clock = iter(range(1000))
    monkeypatch.setattr(client_executors, "monotonic", lambda: float(next(clock)))
    crew = DaskClient(client(iter([0] * 1000)), patience=9.0).crew()
    with pytest.raises(WorkersLostError, match=r"^there has been no worker for 9 s"):
        list(answers(crew, TASKS, None))
    assert issubclass(WorkersLostError, PldcheckError)
    # A worker that comes in time, and one that takes long, are waited for.
    crew = DaskClient(client(iter([0, 1, 0, 1] + [1] * 1000)), patience=9.0).crew()
    assert [crew.count() for _ in range(100)] == [1] * 100


@pytest.mark.nightly
def test_batches_that_a_scheduler_forgets_are_no_failures_of_their_cells():
    tries = []

    def submit(content):
        future = Future()
        tries.append(content)
        if len(tries) <= 20:
            future.cancel()
        else:
            future.set_result(cell_worker.do(content))
        return future

    results = dict(answers(Crew(submit, lambda: 2), TASKS, None))
    assert {number: answer.truth.lower for number, answer in results.items()} == {n: float(n) for n in range(6)}


class KilledWorker(Exception):
    """The error of dask for a batch with which several workers were lost."""


def test_a_batch_that_was_on_the_same_workers_by_chance_is_tried_again_alone():
    """A scheduler gives up all that was on workers that were killed; here two batches, one of which kills them."""
    under_way, given = [], []

    def submit(content):
        future, parts = Future(), cell_worker.do(content)
        given.append(parts.outcomes[0].truth.lower)
        under_way.append(future)
        if given[-1] == 3.0:
            for one in under_way:
                one.set_exception(KilledWorker("no luck"))
            under_way.clear()
        elif len(given) > 1:
            under_way.pop().set_result(parts)
        return future

    results = dict(answers(Crew(submit, lambda: 2), TASKS[2:4], None))
    assert results[0].truth.lower == 2.0 and results[1].reason == "KilledWorker: no luck"
    assert given == [2.0, 3.0, 2.0, 3.0]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers_and_one_that_is_killed_end_a_run(capfd):
    """They are told in one line; the library's traces of the loss, also when the client is closed, are kept back."""
    pytest.importorskip("distributed")
    with scheduler_and_workers(1) as (scheduler, client):
        logging.getLogger("distributed").setLevel(logging.INFO)
        crew = DaskClient(client, patience=3.0).crew()
        scheduler.workers[0].kill()
        with pytest.raises(WorkersLostError, match="there has been no worker for 3 s"):
            list(answers(crew, TASKS, None))
        crew = DaskClient(client)
        scheduler.kill()
        scheduler.wait()
        with pytest.raises((WorkersLostError, PldcheckError), match="scheduler"):
            list(crew.solve_all(TASKS))
    assert "Traceback" not in "".join(capfd.readouterr())
