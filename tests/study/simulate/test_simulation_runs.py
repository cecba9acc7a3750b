"""Runs: the models follow from the answers, records follow the population, and counts agree with what is stated."""

import numpy as np
import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study import simulate
from pldcheck.study.simulate import GaussianAnswer, Learner, simulation_runs
from pldcheck.study.simulate.record_populations import drift

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
NAMES = {
    "check-in": ["share of clients", "dummy updates", "squared loads"],
    "check-in, all": ["share of clients", "dummy updates", "squared loads", "load norm"],
    "averaged": ["share of clients", "empty slots", "squared loads", "load norm"],
    "sliding-window": ["dummy updates"],
    "hidden-slot": ["share of clients"],
}
POPULATION = simulate.logistic(5)


def learner(algorithm, name="gaussian:0.5"):
    return simulate.default_learner(algorithm, POPULATION, simulate.randomizer(name, 1.0))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_counts_agree_with_what_is_stated(name):
    runs = simulate.repeat(ALGORITHMS[name], learner(ALGORITHMS[name]), 20_000, 1)
    rows, names = simulate.counts(runs), NAMES.get(name, [])
    assert len(rows) == len(names) and all(part in row.name for part, row in zip(names, rows, strict=True))
    for row in rows:
        assert row.agrees and row.measured.upper - row.measured.lower < 0.12 * max(row.measured.value, 0.1), row
        facts = row.to_dict()
        assert facts["measured"]["empirical"] is True and facts["agrees"] is True
        assert row.bound is None or row.expected is None or row.expected <= row.bound


def test_wrong_counts_disagree():
    runs = simulate.repeat(ALGORITHMS["check-in, all"], learner(ALGORITHMS["check-in, all"]), 500, 1)
    changes = ((runs.check_ins, -1, 0), (runs.empty, 2, 1), (runs.squares, 20, 2), (runs.squares, 2000, 3))
    for array, step, wrong in changes:
        array += step
        assert not simulate.counts(runs)[wrong].agrees and "DISAGREES" in str(simulate.counts(runs)[wrong])
        array -= step


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
def test_models_follow_from_the_answers(algorithm):
    setup = learner(algorithm, "rr")
    run, model = simulate.run(algorithm, setup, seed=3), np.zeros(5)
    assert len(run.loads) == len(run.answers) == len(run.models) == algorithm.slots
    for slot, (load, answers) in enumerate(zip(run.loads, run.answers, strict=True)):
        asked = load if algorithm.averages else min(load, 1)
        assert answers.shape == (asked, 5)
        total = answers.mean(axis=0) if asked else np.zeros(5)
        if asked or algorithm.averages:  # a dummy update of the server is not among the answers
            model = model - setup.rates[slot] * total
            model = model * min(1.0, POPULATION.radius / max(np.linalg.norm(model), 1e-300))
            assert np.allclose(run.models[slot], model, rtol=1e-12, atol=1e-14)
        else:
            assert np.any(run.models[slot] != model)
        model = run.models[slot]


def test_seeds_decide_and_blocks_do_not_repeat_each_other(monkeypatch):
    algorithm = ALGORITHMS["check-in"]
    first = simulate.repeat(algorithm, learner(algorithm), 37, 5)
    again, other = (simulate.repeat(algorithm, learner(algorithm), 37, seed) for seed in (5, 6))
    for name in ("last", "mean", "check_ins", "empty", "squares"):
        assert getattr(first, name).tobytes() == getattr(again, name).tobytes()
    assert first.last.tobytes() != other.last.tobytes()
    monkeypatch.setattr(simulation_runs, "MOST_NUMBERS", 10 * (algorithm.clients + algorithm.slots))
    steps = []
    parts = simulate.repeat(algorithm, learner(algorithm), 37, 5, lambda *numbers: steps.append(numbers))
    assert steps == [(10, 37), (20, 37), (30, 37), (37, 37)] and len(np.unique(parts.last, axis=0)) == 37


def test_models_stay_in_the_ball():
    algorithm, population = simulate.check_in(40, 80), simulate.median(3)
    loud = Learner(population, GaussianAnswer("loud", 50.0), np.ones(40))
    lengths = np.linalg.norm(simulate.run(algorithm, loud, 1).models, axis=1)
    assert lengths.max() <= population.radius * (1 + 1e-15) and np.sum(lengths > 0.999) > 30


def test_records_follow_the_population():
    """With a single step that is not 0 the model tells the record of the client that answered."""
    one = Learner(drift(1, 0.5), GaussianAnswer("none", 0.0), np.array([0.5]))
    runs = simulate.repeat(simulate.bins([1]), one, 100_000, 4)
    share = simulate.empirical_values.share(int(np.sum(runs.last > 0)), 100_000, "records", 1 - 1e-9)
    assert 0.75 in share and share.upper - share.lower < 0.02


SWAP = ALGORITHMS["swap"]
LEARNER = learner(SWAP, "rr")
SMALL = Learner(simulate.data_set([[1.0], [0.5]], [1.0, -1.0], 1.0), LEARNER.randomizer, np.ones(30))
BAD = {
    "steps": (lambda: simulate.check_in(0, 5), "steps"),
    "too many": (lambda: simulate.check_in(10**9, 5), "steps"),
    "clients": (lambda: simulate.shuffle(2.5), "clients"),
    "p0": (lambda: simulate.check_in(5, 5, 0.0), "check_in_prob"),
    "window": (lambda: simulate.sliding_window(6, 5), "clients"),
    "weight": (lambda: simulate.hidden_slot(6, 1.5), "weight"),
    "sizes": (lambda: simulate.bins([1, -1]), "sizes"),
    "no sizes": (lambda: simulate.bins([0, 0]), "sizes"),
    "repeats": (lambda: simulate.repeat(SWAP, LEARNER, 0), "repeat"),
    "seed": (lambda: simulate.repeat(SWAP, LEARNER, 5, -1), "seed"),
    "large seed": (lambda: simulate.run(SWAP, LEARNER, 2**64), "seed"),
    "rates": (lambda: simulate.repeat(simulate.swap(9), LEARNER, 5), "rates"),
    "nan rates": (lambda: Learner(POPULATION, LEARNER.randomizer, [float("nan")]), "rates"),
    "records": (lambda: simulate.repeat(SWAP, SMALL, 5), "clients"),
}


@pytest.mark.parametrize(("call", "name"), BAD.values(), ids=BAD)
def test_bad_input_is_refused(call, name):
    with pytest.raises(ParameterError) as error:
        call()
    assert error.value.name == name and "\n" not in str(error.value)
