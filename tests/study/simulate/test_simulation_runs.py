"""Runs at speed are the runs of clients, channel and server, and the same bits however they are made."""

import numpy as np
import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.study import simulate
from pldcheck.study.simulate import GaussianAnswer, Learner
from pldcheck.study.simulate import simulation_runs as engine
from pldcheck.study.simulate.wire import Opened, Request

ALGORITHMS = {
    "check-in": simulate.check_in(7, 9, 0.6),
    "averaged": simulate.averaged(9, 7),
    "sliding-window": simulate.sliding_window(4, 9),
    "hidden-slot": simulate.hidden_slot(6, 0.5),
    "bins": simulate.bins([2, 0, 3, 1]),
    "shuffle": simulate.shuffle(8),
    "swap": simulate.swap(8),
}
POPULATIONS = (simulate.logistic(5), simulate.median(4), simulate.drift(3, 0.2))
RANDOMIZERS = ("gaussian:0.5", "rr", "krr:5", "law:BE", "law:CF", "worst")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly) if name in ("law:BE", "krr:5") else name for name in RANDOMIZERS],
)
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
def test_fast_runs_are_the_runs_message_by_message(algorithm, name):
    for population in POPULATIONS:
        for batch, dummies in ((1, "noise"), (1, "zero"), (3, "noise")):
            usual = simulate.default_learner(algorithm, population, simulate.randomizer(name, 1.0))
            learner = Learner(population, usual.randomizer, usual.rates, dummies, batch)
            runs = simulate.repeat(algorithm, learner, 5, seed=3)
            for number in range(5):
                run = simulate.run(algorithm, learner, 3, number)
                # Sums in another order, exp of another library.
                assert np.allclose(run.models[-1], runs.last[number], rtol=1e-9, atol=1e-12)
                assert np.allclose(run.models.mean(axis=0), runs.mean[number], rtol=1e-9, atol=1e-12)
                loads = [message.arrivals for message in run.wire.log if isinstance(message, Opened)]
                assert len(loads) == algorithm.slots and loads.count(0) == runs.empty[number]
                assert (
                    sum(load**2 for load in loads) == runs.squares[number] and run.check_ins == runs.check_ins[number]
                )
                assert sum(isinstance(message, Request) for message in run.wire.log) == runs.answers[number]


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
def test_same_seed_same_bits_on_any_number_of_threads(algorithm, monkeypatch):
    learner = simulate.default_learner(algorithm, POPULATIONS[0], simulate.randomizer("gaussian:1"))

    def bits(seed, repeats=37):
        runs = simulate.repeat(algorithm, learner, repeats, seed)
        return [getattr(runs, name).tobytes() for name in ("last", "mean", "check_ins", "answers", "empty", "squares")]

    first = bits(5)
    monkeypatch.setenv("PLDCHECK_THREADS", "1")
    assert bits(5) == first
    monkeypatch.setattr(engine, "BLOCK", 3)
    assert bits(5) == first
    assert bits(6)[0] != first[0]
    # Fewer runs are the first of more.
    fewer = simulate.repeat(algorithm, learner, 10, 5)
    assert first[0].startswith(fewer.last.tobytes())


def test_batches_apply_the_mean_of_their_slots():
    """Algorithm 1's Model Update with b = 2: steps after slots 2 and 4, none for a batch that is not full."""
    algorithm, population = simulate.bins([1, 1, 1, 1, 1]), simulate.drift(2, 0.5)
    rates = np.array([9.0, 0.125, 9.0, 0.25, 9.0])
    run = simulate.run(algorithm, Learner(population, GaussianAnswer("none", 0.0), rates, batch=2))
    signs = [message.gradient[0] for message in run.wire.to_server if not isinstance(message, Opened)]
    place, reference = 0.0, []
    for slot, rate in enumerate(rates):
        if slot % 2:
            place -= rate * (signs[slot - 1] + signs[slot]) / 2
        reference.append(place)
    assert run.models[:, 0].tolist() == reference and not run.models[:, 1].any()


def test_models_stay_in_the_ball():
    algorithm, population = simulate.check_in(40, 80), simulate.median(3)
    learner = Learner(population, GaussianAnswer("loud", 50.0), np.ones(40))
    run, runs = simulate.run(algorithm, learner, 1), simulate.repeat(algorithm, learner, 50, 1)
    lengths = np.linalg.norm(run.models, axis=1)
    assert lengths.max() <= population.radius * (1 + 1e-15) and np.sum(lengths > 0.999) > 30
    assert np.linalg.norm(runs.last, axis=1).max() <= population.radius * (1 + 1e-15)


@pytest.mark.nightly
def test_records_follow_the_population():
    """With a single step that is not 0 the model tells the record of the client that answered."""
    population = simulate.drift(1, 0.5)
    learner = Learner(population, GaussianAnswer("none", 0.0), np.array([0.5]))
    runs = simulate.repeat(simulate.bins([1]), learner, 100_000, 4)
    share = simulate.empirical_values.share(int(np.sum(runs.last > 0)), 100_000, "records", 1 - 1e-9)
    assert 0.75 in share and share.upper - share.lower < 0.02


BAD = {
    "steps": (lambda: simulate.check_in(0, 5), "steps"),
    "too many": (lambda: simulate.check_in(10**9, 5), "steps"),
    "clients": (lambda: simulate.shuffle(2.5), "clients"),
    "p0": (lambda: simulate.check_in(5, 5, 0.0), "check_in_prob"),
    "window": (lambda: simulate.sliding_window(6, 5), "clients"),
    "weight": (lambda: simulate.hidden_slot(6, 1.5), "weight"),
    "sizes": (lambda: simulate.bins([1, -1]), "sizes"),
    "no sizes": (lambda: simulate.bins([0, 0]), "sizes"),
    "repeats": (lambda: simulate.repeat(ALGORITHMS["swap"], LEARNER, 0), "repeat"),
    "seed": (lambda: simulate.repeat(ALGORITHMS["swap"], LEARNER, 5, -1), "seed"),
    "large seed": (lambda: simulate.run(ALGORITHMS["swap"], LEARNER, 2**64), "seed"),
    "rates": (lambda: simulate.repeat(simulate.swap(9), LEARNER, 5), "rates"),
    "nan rates": (lambda: Learner(POPULATIONS[0], LEARNER.randomizer, [float("nan")]), "rates"),
    "dummies": (lambda: Learner(POPULATIONS[0], LEARNER.randomizer, [1.0], "none"), "dummies"),
    "batch": (lambda: Learner(POPULATIONS[0], LEARNER.randomizer, [1.0], batch=0), "batch"),
    "records": (lambda: simulate.repeat(ALGORITHMS["swap"], SMALL, 5), "clients"),
}
LEARNER = simulate.default_learner(ALGORITHMS["swap"], POPULATIONS[0], simulate.randomizer("rr", 1.0))
SMALL = Learner(simulate.data_set([[1.0], [0.5]], [1.0, -1.0], 1.0), LEARNER.randomizer, np.ones(8))


@pytest.mark.parametrize(("call", "name"), BAD.values(), ids=BAD)
@pytest.mark.nightly
def test_bad_input_is_refused(call, name):
    with pytest.raises(ParameterError) as error:
        call()
    assert error.value.name == name and "\n" not in str(error.value)
