"""Every unit has one outcome, whatever crews do: lose batches, answer them twice, late or in another order."""

import random

import pytest
from fakes import task

from pldcheck.core.errors import PldcheckError
from pldcheck.verification.runs import batch_run, cell_worker
from pldcheck.verification.runs.batch_run import BatchRun, StrangerError, answers
from pldcheck.verification.runs.cell_costs import Costs
from pldcheck.verification.runs.cell_worker import LATE, Parts
from pldcheck.verification.runs.crews import Done, Lost
from pldcheck.verification.runs.sent_cells import Parcel
from pldcheck.verification.runs.work_batches import LONGEST, SHORTEST, Waiting, parcel, unit

TASKS = [task(value=float(value)) for value in range(60)]


class Careless:
    """A crew in this process that loses batches, holds them back and gives their answers twice, as a seed draws it."""

    remote, count = True, 3

    def __init__(self, seed, loss=0.3, deadly=()):
        self.draw, self.loss, self.deadly = random.Random(seed), loss, set(deadly)
        self.held, self.closed, self.tries, self.asked = [], False, [], False

    @property
    def room(self):
        return 2 * self.count - len(self.held)

    @property
    def idle(self):
        return max(self.count - len(self.held), 0)

    def ask_back(self):
        self.asked = True

    def give(self, number, parcel):
        self.tries.append([one.problem.protocol.value for one in parcel.tasks])
        self.held.append((number, parcel))

    def forget(self, number):
        self.held = [one for one in self.held if one[0] != number]

    def news(self, seconds):
        if not self.held:
            return []
        number, parcel = self.held.pop(self.draw.randrange(len(self.held)))
        values = [one.problem.protocol.value for one in parcel.tasks]
        deadly_places = [place for place, value in enumerate(values) if value in self.deadly]
        if deadly_places:
            return [Lost(number, "it died", self.draw.choice([deadly_places[0], None]))]
        if self.draw.random() < self.loss:
            return [Lost(number, "killed", waiting=True)]
        return [Done(number, cell_worker.do(parcel))] * self.draw.choice([1, 2])

    def close(self):
        self.closed = True


@pytest.mark.parametrize("seed", range(20))
def test_each_task_has_one_answer_and_only_what_is_deadly_has_none(seed):
    crew = Careless(seed, deadly=[7.0, 31.0])
    outcomes = list(answers(crew, TASKS, None))
    assert sorted(number for number, _ in outcomes) == list(range(60)) and crew.closed
    for number, answer in outcomes:
        if number in (7, 31):
            assert (answer.truth, answer.reason) == (None, "it died")
        else:
            assert answer.truth.lower == float(number)
    for value in (7.0, 31.0):  # three tries, the last of them alone
        tries = [values for values in crew.tries if value in values]
        assert len(tries) >= batch_run.TRIES and tries[-1] == [value]


@pytest.mark.nightly
def test_what_was_under_way_when_a_worker_was_lost_is_done_by_itself_after_the_others():
    class Losing(Careless):
        def news(self, seconds):
            if len(self.tries) == 1:
                return [Lost(self.held.pop()[0], "killed", place=3)]
            return super().news(seconds)

    costs, run = Costs(), [unit(number, task(value=1.0 + number / 100)) for number in range(10)]
    costs.measure(run[0].kind, run[0].of, 1e-3)
    crew = Losing(0, loss=0.0)
    batches = BatchRun(crew, None, costs)
    batches.add(run)
    outcomes = []
    while batches.is_busy:
        outcomes += [one.number for one, _ in batches.outcomes(None)]
    assert sorted(outcomes) == list(range(10))
    assert crew.tries[1:] == [[value for value in crew.tries[0] if value != 1.03], [1.03]]


@pytest.mark.nightly
def test_what_waits_for_long_is_given_to_another_worker_and_the_first_answer_counts(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(batch_run, "monotonic", lambda: clock[0])

    class Suspended(Careless):
        """The first batch that was given is never answered."""

        def news(self, seconds):
            clock[0] += 1.0
            held_back = [one for one in self.held if one[0] == 1]
            self.held = [one for one in self.held if one[0] != 1]
            try:
                return super().news(seconds)
            finally:
                self.held += held_back

    crew = Suspended(1, loss=0.0)
    outcomes = list(answers(crew, TASKS, None))
    assert sorted(number for number, _ in outcomes) == list(range(60))
    first = crew.tries[0]
    assert crew.tries.count(first) == 2 and crew.held == []


def test_what_a_worker_has_not_begun_is_shared_with_one_that_is_idle(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(batch_run, "monotonic", lambda: clock[0])

    class Sharing(Careless):
        """Two workers, which do a task in each second and hand back the others when they are asked."""

        count = 2

        def give(self, number, parcel):
            super().give(number, parcel)
            self.held[-1] = (number, parcel, clock[0])

        def ask_back(self):
            self.held = [
                (number, Parcel(tasks=parcel.tasks[: int(clock[0] - since) + 1]), since)
                for number, parcel, since in self.held
            ]
            super().ask_back()

        def news(self, seconds):
            if not self.held:
                return []
            number, parcel, since = self.held[0]
            if seconds is not None and clock[0] + seconds < since + parcel.count:
                clock[0] += seconds
                return []
            clock[0] = max(clock[0], since + parcel.count)
            del self.held[0]
            return [Done(number, cell_worker.do(parcel))]

    costs, run = Costs(), [unit(number, task(value=1.0 + number / 100)) for number in range(10)]
    costs.measure(run[0].kind, run[0].of, 1e-3)
    crew = Sharing(0)
    batches = BatchRun(crew, None, costs)
    batches.add(run)
    outcomes = []
    while batches.is_busy:
        outcomes += [one.number for one, _ in batches.outcomes(None)]
    # All ten went to one worker, since they were expected to be quick; the other one did half of what it handed back.
    assert crew.asked and sorted(outcomes) == list(range(10)) and len(crew.tries[0]) == 10
    assert clock[0] == pytest.approx(5.5, abs=0.6)


@pytest.mark.nightly
def test_what_is_too_late_says_so_and_the_rest_of_its_batch_goes_on():
    class Ending(Careless):
        def news(self, seconds):
            if not self.held:
                return []
            number, parcel = self.held.pop(0)
            parts, place = cell_worker.do(parcel), None
            for place, one in enumerate(parcel.tasks):
                if one.problem.protocol.value == 5.0:
                    return [Done(number, Parts(parts.program, [*parts.outcomes[:place], LATE], 0.1, True))]
            return [Done(number, parts)]

    results = dict(answers(Ending(0), TASKS, 9.0))
    assert results[5].reason == "no answer within 9 s, the limit for a cell" and len(results) == 60
    assert all(results[number].truth.lower == float(number) for number in range(60) if number != 5)


@pytest.mark.nightly
def test_answers_of_another_program_are_refused():
    class Stranger(Careless):
        def news(self, seconds):
            return [Done(self.held.pop()[0], Parts("another", [None] * 60, 0.1))]

    crew = Stranger(0)
    with pytest.raises(StrangerError, match="ran another program than this one"):
        list(answers(crew, TASKS, None))
    assert crew.closed and issubclass(StrangerError, PldcheckError)


@pytest.mark.nightly
def test_batches_take_a_fraction_of_a_second_the_longest_first():
    costs, run = Costs(), [unit(number, task(value=float(number))) for number in range(3000)]
    for one in run:
        costs.measure(one.kind, one.of, 2.0 ** (one.number % 7) / 1000)
    waiting = Waiting(costs)
    waiting.add(run)
    # Costs are means of classes, so that the expected cost of a batch is known, and the true one is near it.
    seen, sums = [], []
    while len(waiting):
        batch = waiting.batch(2, single=False)
        sums.append(sum(map(waiting.expected, batch)))
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
    costs.measure(run[0].kind, run[0].of, 0.001)
    costs.measure(run[3].kind, run[3].of, 0.9)
    costs.measure(run[4].kind, run[4].of, 0.002)
    # Classes that were not measured may be as dear as the dearest one.
    assert [one.number for one in waiting.batch(1, single=False)][0] in (1, 2, 3, 5)
    assert waiting.expected(run[1]) == 0.9 and waiting.expected(run[4]) == 0.002


@pytest.mark.nightly
def test_a_run_without_units_is_not_busy():
    run = BatchRun(Careless(0), None)
    assert not run.is_busy and run.outcomes(0.0) == [] and run.seconds_left == 0.0
    assert parcel([], None).count == 0
