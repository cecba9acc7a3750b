"""Counts beside what is stated: honest runs agree, broken parties do not."""

from fractions import Fraction

import numpy as np
import protocol_twins
import pytest

from pldcheck.study import simulate
from pldcheck.study.simulate import server as servers
from pldcheck.study.simulate import simulation_runs as engine
from pldcheck.study.simulate.client import HonestClient, client
from pldcheck.study.simulate.party_draws import Draws
from pldcheck.study.simulate.placement import CHANNEL

POPULATION = simulate.drift(1, 0.2)
NAMES = {
    "check-in": ["asked one", "share of clients", "dummy updates", "squared loads"],
    "check-in, all": ["asked one", "share of clients", "dummy updates", "squared loads", "load norm"],
    "averaged": ["asked all", "share of clients", "empty slots", "squared loads", "load norm"],
    "sliding-window": ["asked one", "dummy updates"],
    "hidden-slot": ["asked one", "share of clients"],
    "shuffle": ["asked one"],
    "swap": ["asked one"],
    "bins": ["asked all"],
}
ALGORITHMS = {
    "check-in": simulate.check_in(50, 120, 0.6),
    "check-in, all": simulate.check_in(50, 120),
    "averaged": simulate.averaged(120, 50),
    "sliding-window": simulate.sliding_window(10, 60),
    "hidden-slot": simulate.hidden_slot(20, 0.3),
    "shuffle": simulate.shuffle(30),
    "swap": simulate.swap(30),
    "bins": simulate.even_bins(30, 7),
}


def learner(algorithm):
    return simulate.default_learner(algorithm, POPULATION, simulate.randomizer("gaussian:0.5"))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_honest_runs_agree_with_what_is_stated(name):
    algorithm = ALGORITHMS[name]
    runs = simulate.repeat(algorithm, learner(algorithm), 20_000, 1)
    rows = simulate.counts(algorithm, simulate.tally(runs))
    assert len(rows) == len(NAMES[name]) and all(part in row.name for part, row in zip(NAMES[name], rows, strict=True))
    for row in rows:
        assert row.agrees and row.measured.upper - row.measured.lower < 0.12 * max(row.measured.value, 0.1), row
        facts = row.to_dict()
        assert facts["measured"]["empirical"] is True and facts["agrees"] is True
        assert row.bound is None or row.expected is None or row.expected <= row.bound


def test_message_logs_give_the_counts_of_fast_runs():
    for algorithm in ALGORITHMS.values():
        setup = learner(algorithm)
        slow = simulate.tally([simulate.run(algorithm, setup, 2, number) for number in range(5)])
        fast = simulate.tally(simulate.repeat(algorithm, setup, 5, 2))
        for name in ("check_ins", "answers", "empty", "squares"):
            assert getattr(slow, name).tolist() == getattr(fast, name).tolist()


def run_counts(algorithm, kind=HonestClient, server_kind=None, runs=60):
    """Runs with a broken client or server, message by message."""
    setup, results = learner(algorithm), []
    for number in range(runs):
        honest = [client(j, setup.population, setup.randomizer, 5, number) for j in range(algorithm.clients)]
        people = [kind(person.record, person.population, person.randomizer, person.draws) for person in honest]
        server = engine.server(algorithm, setup, 5, number)
        if server_kind:
            server = server_kind(server.descent, server.dummies, server.choices, server.noise)
        results.append(engine.meet(algorithm, people, server, Draws.of(5, number, CHANNEL)))
    return {row.name: row.agrees for row in simulate.counts(algorithm, simulate.tally(results))}


class NoCoin(HonestClient):
    """Ignores its coin: always there."""

    def check_in(self, window, check_in_prob):
        return super().check_in(window, 1.0)


class Early(HonestClient):
    """Comes in the first quarter of its window only."""

    def check_in(self, window, check_in_prob):
        return super().check_in(window // 4, check_in_prob)


class Greedy(servers.OneOfThem):
    """Asks one more of a slot where there is one."""

    def serve(self, wire):
        class Asking:
            def open(self, slot):
                self.load = wire.open(slot)
                return self.load

            def ask(self, place, model):
                wire.ask((place + 1) % self.load, model)
                return wire.ask(place, model)

        return super().serve(Asking())


def disagreeing(agreements):
    return {name for name, agrees in agreements.items() if not agrees}


@pytest.mark.nightly
def test_broken_parties_are_found_by_the_counts():
    algorithm = ALGORITHMS["check-in"]
    assert disagreeing(run_counts(algorithm)) == set()
    assert disagreeing(run_counts(algorithm, NoCoin)) == {
        "share of clients that check in",
        "dummy updates a run",
        "sum of squared loads",
    }
    assert disagreeing(run_counts(algorithm, Early)) == {"dummy updates a run", "sum of squared loads"}
    assert disagreeing(run_counts(algorithm, server_kind=Greedy)) == {
        "runs that asked one client of each slot that has any"
    }
    assert "dummy updates a run" in disagreeing(run_counts(ALGORITHMS["sliding-window"], Early))
    assert disagreeing(run_counts(ALGORITHMS["hidden-slot"], NoCoin)) == {"share of clients that check in"}


def test_one_greedy_run_of_many_is_found():
    algorithm = ALGORITHMS["check-in"]
    runs = simulate.repeat(algorithm, learner(algorithm), 1000, 1)
    runs.answers[137] += 1
    rows = simulate.counts(algorithm, simulate.tally(runs))
    assert [row.agrees for row in rows] == [False, True, True, True]


def squares(outcome, slots):
    return sum(outcome.count(slot) ** 2 for slot in range(1, slots + 1))


@pytest.mark.parametrize(("n", "m", "p0"), [(3, 2, Fraction(1)), (3, 2, Fraction(3, 5)), (4, 3, Fraction(1, 4))])
def test_what_is_stated_is_exact(n, m, p0):
    """The statements agree with enumeration in fractions."""
    from pldcheck.study.simulate import paper_statements

    law = list(protocol_twins.check_ins(n, m, p0))
    empty = sum(chance * sum(slot not in places for slot in range(1, m + 1)) for places, chance in law)
    meetings = sum(chance * squares(places, m) for places, chance in law)
    algorithm = simulate.check_in(m, n, float(p0))
    assert paper_statements.mean_empty_slots(algorithm) == pytest.approx(float(empty), rel=1e-14)
    assert empty == m * (1 - p0 / m) ** n
    assert paper_statements.mean_load_square(algorithm) == pytest.approx(float(meetings), rel=1e-14)
    if p0 == 1:  # the variance that the interval of the mean is made from
        exact = sum(chance * (squares(places, m) - meetings) ** 2 for places, chance in law)
        runs = simulate.repeat(algorithm, learner(algorithm), 100, 1)
        row = simulate.counts(algorithm, simulate.tally(runs))[3]
        # z of a two-sided error of 1e-6: mpmath, sqrt(2) erfinv(1 - 1e-6)
        assert row.measured.upper - row.measured.value == pytest.approx(4.891638 * float(exact) ** 0.5 / 10, rel=1e-6)


@pytest.mark.parametrize(("n", "m"), [(4, 2), (3, 3), (5, 3)])
def test_what_is_stated_of_sliding_windows_is_exact(n, m):
    from itertools import product

    from pldcheck.study.simulate import paper_statements

    empty = Fraction(0)
    for steps in product(range(m), repeat=n):
        slots_of_clients = {j + 1 + step for j, step in enumerate(steps)}
        empty += Fraction(sum(slot not in slots_of_clients for slot in range(m, n + 1)), m**n)
    algorithm = simulate.sliding_window(m, n)
    assert empty == (n - m + 1) * (1 - Fraction(1, m)) ** m
    assert paper_statements.mean_empty_slots(algorithm) == pytest.approx(float(empty), rel=1e-14)
    assert (
        paper_statements.mean_empty_slots(algorithm)
        <= paper_statements.empty_bound(algorithm)
        == pytest.approx((n - m + 1) / np.e, rel=1e-14)
    )
