"""The same answers wherever they are computed, and none that belongs to another question."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest
from fakes import task
from scheduler_processes import scheduler_and_workers

from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.verification.runs import batch_run, cell_worker
from pldcheck.verification.runs.batch_run import WrongAnswerError
from pldcheck.verification.runs.client_executors import DaskClient, Scheduler, executor_of
from pldcheck.verification.runs.executors import Cores, InProcess, Threads


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
def test_what_takes_too_long_in_a_thread_is_left_behind():
    results = answers(Threads(2, cell_timeout=0.2), [*TASKS[:3], task(seconds=1.5), *TASKS[3:5]])
    assert [results[place].truth.lower for place in (0, 1, 2, 4, 5)] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert results[3].reason == "no answer within 0.2 s, the limit for a cell"


@pytest.fixture(
    params=["in process", "threads", "processes", "futures", pytest.param("dask", marks=pytest.mark.nightly)]
)
def executor(request):
    if request.param == "dask":
        yield Scheduler(request.getfixturevalue("cluster"))
    elif request.param == "futures":
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            yield executor_of(pool)
    else:
        yield {"in process": InProcess(), "threads": Threads(2), "processes": Cores(2)}[request.param]


@pytest.mark.filterwarnings("ignore")
def test_an_answer_to_another_question_ends_the_run_wherever_it_comes_from(executor):
    """The second batch gets the answer to the first one, as if a message had reached another reader."""
    crew, futures = executor.crew(), []

    def submit(sent):
        futures.append(crew.submit(sent))
        return futures[0]

    with pytest.raises(WrongAnswerError, match="^an answer belongs to another question than was asked"):
        list(batch_run.answers(replace(crew, submit=submit), TASKS[:2], None))


@pytest.mark.filterwarnings("ignore")
def test_an_answer_of_another_program_ends_the_run_wherever_it_comes_from(executor, monkeypatch):
    crew = executor.crew()
    own = cell_worker.program()

    def submit(sent):
        future = crew.submit(sent)
        future.result()
        monkeypatch.setattr(cell_worker, "program", lambda: f"not {own}")
        return future

    with pytest.raises(WrongAnswerError, match="^a worker ran another program than this one"):
        list(batch_run.answers(replace(crew, submit=submit), TASKS[:2], None))


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
@pytest.mark.filterwarnings("ignore")
def test_workers_of_a_scheduler_are_asked_who_they_are(cluster, monkeypatch):
    monkeypatch.setattr("pldcheck.verification.runs.cell_identity.code", lambda: "another")
    with pytest.raises(PldcheckError, match=r"(\d) of \1 workers .* run another program"):
        answers(Scheduler(cluster), TASKS[:2])


@pytest.mark.parametrize(("answer", "is_refused"), [(OSError("closed"), False), (ValueError("odd"), True)])
def test_a_worker_that_dies_when_it_is_asked_who_it_is_is_no_stranger(answer, is_refused):
    def run(function, on_error):
        return {"tcp://one": function(), "tcp://two": answer}

    client = SimpleNamespace(run=run, scheduler=SimpleNamespace(address="tcp://here"), status="running")
    refused = pytest.raises(PldcheckError, match="1 of 2 workers of tcp://here")
    with refused if is_refused else nullcontext():
        DaskClient(client).crew().close()


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


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_worker_of_a_scheduler_that_dies_costs_one_task(monkeypatch):
    """The workers have no nannies, which give up for ever where a worker is killed while it begins."""
    pytest.importorskip("distributed")
    # The scheduler gives up a batch, and all that waited with it, at the first loss of a worker.
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    with scheduler_and_workers(3, str(Path(__file__).parent)) as (_, client):
        results = answers(DaskClient(client), [*TASKS[:3], task(what="die"), *TASKS[3:6]])
        assert len(client.nthreads()) == 1
    assert "KilledWorker" in results[3].reason
    assert all(results[place].truth is not None for place in (0, 1, 2, 4, 5, 6))


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_workers_that_begin_after_the_run_are_waited_for():
    """A cluster takes minutes to begin, and workers that were killed some seconds to begin anew."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        crew = DaskClient(client).crew()

        def submit(sent):
            cluster.scale(1)
            return crew.submit(sent)

        assert not client.nthreads()
        assert len(list(batch_run.answers(replace(crew, submit=submit), TASKS[:3], None))) == 3


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:1", "", "tcp://", "http://localhost:80"])
def test_a_scheduler_that_does_not_answer_is_an_error(address, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("pldcheck.verification.runs.client_executors.ANSWER", 0.5)
    with pytest.raises(ParameterError, match="scheduler must be (the address of a scheduler|an address such as)"):
        answers(Scheduler(address), TASKS[:1])
