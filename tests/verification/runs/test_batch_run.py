"""Every unit has one outcome, whatever crews do: lose batches, answer them twice, late or in another order."""

import pickle
import random
from concurrent.futures import Future
from dataclasses import replace

import pytest
from fakes import task

from pldcheck.verification.runs import batch_run, cell_worker
from pldcheck.verification.runs.batch_run import BatchRun, Crew, answers
from pldcheck.verification.runs.local_processes import BatchLostError
from pldcheck.verification.runs.sent_cells import Parcel
from pldcheck.verification.runs.work_batches import LONGEST, SHORTEST, Costs, Waiting, parcel, unit

TASKS = [task(value=float(value)) for value in range(60)]


class Careless:
    """A crew in this process that loses batches, holds them back and answers in another order, as a seed draws it."""

    def __init__(self, seed, loss=0.3, deadly=()):
        self.draw, self.loss, self.deadly = random.Random(seed), loss, set(deadly)
        self.held, self.closed, self.tries = [], False, []
        self.crew = Crew(self.submit, self.count, close=self.close)

    def submit(self, content):
        future, values = Future(), [one.problem.protocol.value for one in pickle.loads(content).tasks]
        self.tries.append(values)
        self.held.append((future, content, values))
        return future

    def count(self):
        """Return the number of workers, which is asked for before each batch; one that is held is answered now."""
        if len(self.held) > 4 or (self.held and self.draw.random() < 0.5):
            self.answer(*self.held.pop(self.draw.randrange(len(self.held))))
        return 3

    def answer(self, future, content, values):
        if self.deadly.intersection(values):
            future.set_exception(BatchLostError("it died"))
        elif self.draw.random() < self.loss:
            future.cancel()
        else:
            future.set_result(cell_worker.do(content))

    def close(self):
        self.closed = True


@pytest.mark.parametrize("seed", range(20))
def test_each_task_has_one_answer_and_only_what_is_deadly_has_none(seed, monkeypatch):
    monkeypatch.setattr(batch_run, "LOOK", 0.0)
    careless = Careless(seed, deadly=[7.0, 31.0])
    outcomes = list(answers(careless.crew, TASKS, None))
    assert sorted(number for number, _ in outcomes) == list(range(60)) and careless.closed
    for number, answer in outcomes:
        if number in (7, 31):
            assert (answer.truth, answer.reason) == (None, "it died")
        else:
            assert answer.truth.lower == float(number)
    for value in (7.0, 31.0):  # three tries alone
        assert careless.tries.count([value]) >= batch_run.TRIES


def solving(deadly):
    """Return a crew that does batches at once, unless they have a value that is deadly, and a list of what it got."""
    given = []

    def submit(content):
        future, values = Future(), [one.problem.protocol.value for one in pickle.loads(content).tasks]
        given.append(values)
        if deadly in values:
            future.set_exception(BatchLostError("it died"))
        else:
            future.set_result(cell_worker.do(content))
        return future

    return Crew(submit, lambda: 2), given


@pytest.mark.nightly
def test_a_batch_that_is_lost_is_done_in_parts_until_the_cell_that_ends_workers_is_alone():
    costs, units = Costs(), [unit(number, task(value=1.0 + number / 100)) for number in range(10)]
    costs.measure(units[0], 1e-3)
    crew, given = solving(1.03)
    run = BatchRun(crew, None, costs)
    run.add(units)
    outcomes = []
    while run.is_busy:
        outcomes += run.outcomes(None)
    assert sorted(one.number for one, _ in outcomes) == list(range(10))
    assert [one.number for one, outcome in outcomes if outcome.reason == "it died"] == [3]
    assert [len(values) for values in given if 1.03 in values] == [10, 3, 1, 1, 1] and given[-1] == [1.03]


def test_what_waits_for_long_is_given_to_another_worker_and_the_first_answer_counts(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(batch_run, "monotonic", lambda: clock[0])
    held, given = [], []

    def submit(content):
        future = Future()
        given.append(pickle.loads(content).tasks)
        if len(given) == 1:  # it is never answered
            held.append((future, content))
        else:
            future.set_result(cell_worker.do(content))
        clock[0] += 1.0
        return future

    def count():
        clock[0] += 1.0
        return 2

    run = BatchRun(Crew(submit, count), None)
    run.add([unit(number, one) for number, one in enumerate(TASKS)])
    outcomes = []
    while run.is_busy:
        outcomes += [one.number for one, _ in run.outcomes(0.0)]
    assert sorted(outcomes) == list(range(60)) and given.count(given[0]) == 2
    held[0][0].set_result(cell_worker.do(held[0][1]))  # later than the other one
    assert run.outcomes(0.0) == []


def test_what_a_worker_hands_back_is_given_again():
    costs, units = Costs(), [unit(number, task(value=1.0 + number / 100)) for number in range(10)]
    costs.measure(units[0], 1e-3)
    given = []

    def submit(content):
        """Do no more than two tasks, as if the time were over."""
        future, parts = Future(), cell_worker.do(content)
        given.append(len(parts.outcomes))
        future.set_result(replace(parts, outcomes=parts.outcomes[:2]))
        return future

    run = BatchRun(Crew(submit, lambda: 2), None, costs)
    run.add(units)
    outcomes = []
    while run.is_busy:
        outcomes += [one.number for one, _ in run.outcomes(None)]
    assert sorted(outcomes) == list(range(10)) and given[0] == 10


def test_a_worker_hands_back_what_it_has_not_begun_within_its_budget():
    for limit in (None, 600.0):
        parts = cell_worker.do(Parcel(tasks=tuple(TASKS[:5]), limit=limit, budget=0.0))
        assert [outcome.truth.lower for outcome in parts.outcomes] == [0.0]


@pytest.mark.nightly
def test_what_is_too_late_says_so_and_the_rest_of_its_batch_goes_on():
    def submit(content):
        future, parts = Future(), cell_worker.do(content)
        for place, outcome in enumerate(parts.outcomes):
            if outcome.truth.lower == 5.0:
                parts = replace(parts, outcomes=[*parts.outcomes[:place], None])
        future.set_result(parts)
        return future

    results = dict(answers(Crew(submit, lambda: 2), TASKS, 9.0))
    assert results[5].reason == "no answer within 9 s, the limit for a cell" and len(results) == 60
    assert all(results[number].truth.lower == float(number) for number in range(60) if number != 5)


@pytest.mark.nightly
def test_batches_take_a_fraction_of_a_second_the_longest_first():
    costs, run = Costs(), [unit(number, task(value=float(number))) for number in range(3000)]
    for one in run:
        costs.measure(one, 2.0 ** (one.number % 7) / 1000)
    waiting = Waiting(costs)
    waiting.add(run)
    # Costs are means of classes, so that the expected cost of a batch is known, and the true one is near it.
    seen, sums = [], []
    while len(waiting):
        batch = waiting.batch(2, single=False)
        sums.append(sum(map(costs.expected, batch)))
        seen += [one.number for one in batch]
    assert sorted(seen) == list(range(3000))
    assert all(SHORTEST / 2 < one <= LONGEST for one in sums[:-1]) and sums[0] > 2 * sums[-2]
    assert waiting.seconds == pytest.approx(0.0, abs=1e-6)


@pytest.mark.nightly
def test_unknown_work_comes_in_batches_of_its_own_and_dear_classes_first():
    costs, waiting = Costs(), None
    run = [unit(number, task(value=float(8**number))) for number in range(6)]
    waiting = Waiting(costs)
    waiting.add(run)
    assert [one.number for one in waiting.batch(2, single=False)] == [0]
    costs.measure(run[0], 0.001)
    costs.measure(run[3], 0.9)
    costs.measure(run[4], 0.002)
    # Classes that were not measured may be as dear as the dearest one.
    assert [one.number for one in waiting.batch(1, single=False)][0] in (1, 2, 3, 5)
    assert costs.expected(run[1]) == 0.9 and costs.expected(run[4]) == 0.002


@pytest.mark.nightly
def test_a_run_without_units_is_not_busy():
    run = BatchRun(Careless(0).crew, None)
    assert not run.is_busy and run.outcomes(0.0) == [] and run.seconds_left == 0.0
    assert list(parcel([], None).outcomes()) == []
