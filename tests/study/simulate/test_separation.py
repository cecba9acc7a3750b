"""Client and server are separate: what goes over the wire is all that either has of the other."""

import ast
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from pldcheck.study import simulate
from pldcheck.study.simulate import server as servers
from pldcheck.study.simulate import simulation_runs as engine
from pldcheck.study.simulate.client import HonestClient, client
from pldcheck.study.simulate.party_draws import Draws
from pldcheck.study.simulate.placement import CHANNEL
from pldcheck.study.simulate.wire import Opened, Reply, Request, Wire

HERE = Path(simulate.__file__).parent
FIXED_SLOTS = simulate.check_in(6, 12, 0.5)
AVERAGED_SLOTS = simulate.averaged(12, 6)
SLIDING = simulate.sliding_window(4, 9)
POPULATION = simulate.logistic(3)


def learner(algorithm):
    return simulate.default_learner(algorithm, POPULATION, simulate.randomizer("gaussian:0.5"))


def people(algorithm, seed=1, run=0, kind=client):
    setup = learner(algorithm)
    return [kind(j, setup.population, setup.randomizer, seed, run) for j in range(algorithm.clients)]


@pytest.mark.parametrize(
    ("module", "names_allowed"),
    [
        ("server", {"...core.arrays", ".party_draws"}),
        ("client", {"...core.arrays", ".party_draws", ".record_populations", ".gradient_randomizers"}),
        ("wire", {"...core.arrays"}),
    ],
)
def test_neither_side_imports_the_other(module, names_allowed):
    tree = ast.parse((HERE / f"{module}.py").read_text())
    own = {"." * node.level + (node.module or "") for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in own if name.startswith(".")} <= names_allowed


class Spy:
    """A channel that notes whatever is done with it, and has nothing else a server could reach for."""

    __slots__ = ("notes", "loads")

    def __init__(self, loads):
        self.notes, self.loads = [], loads

    def open(self, slot):
        self.notes.append(("open", slot))
        return self.loads[slot]

    def ask(self, place, model):
        self.notes.append(("ask", place))
        return np.full(3, 0.1)


def test_servers_need_nothing_but_loads_and_answers():
    loads = [0, 1, 3, 0, 2, 1]
    one, all_of = Spy(loads), Spy(loads)
    models = engine.server(FIXED_SLOTS, learner(FIXED_SLOTS), 1, 0).serve(one)
    assert models.shape == (6, 3) and np.isfinite(models).all()
    questions = [[place for event, place in slot if event == "ask"] for slot in by_slot(one.notes)]
    assert [len(slot) for slot in questions] == [min(load, 1) for load in loads]
    assert all(0 <= place < load for load, slot in zip(loads, questions, strict=True) for place in slot)
    engine.server(AVERAGED_SLOTS, learner(AVERAGED_SLOTS), 1, 0).serve(all_of)
    assert [[place for event, place in slot if event == "ask"] for slot in by_slot(all_of.notes)] == [
        list(range(load)) for load in loads
    ]


def by_slot(notes):
    slots = []
    for note in notes:
        if note[0] == "open":
            slots.append([])
        else:
            slots[-1].append(note)
    return slots


@pytest.mark.parametrize("algorithm", [FIXED_SLOTS, AVERAGED_SLOTS, SLIDING], ids=lambda algorithm: algorithm.name)
def test_the_server_is_told_loads_and_answers_only(algorithm):
    run = simulate.run(algorithm, learner(algorithm), seed=2)
    messages = list(run.wire.to_server)
    assert {type(message) for message in messages} == {Opened, Reply}
    assert {field.name for kind in (Opened, Reply) for field in fields(kind)} == {"slot", "arrivals", "gradient"}
    assert all(message.gradient.shape == (3,) for message in messages if isinstance(message, Reply))
    # A server has no other attribute with anything of the clients: all it holds are numbers of its own.
    server = engine.server(algorithm, learner(algorithm), 2, 0)
    names = {field.name for part in (server, server.descent) for field in fields(part)}
    assert names <= {"descent", "dummies", "choices", "noise", "rates", "radius", "size", "batch"}


def told_to_server(run):
    return [
        (message.slot, message.arrivals) if isinstance(message, Opened) else message.gradient.tobytes()
        for message in run.wire.to_server
    ]


def test_who_abstains_leaves_no_trace():
    """With any number of clients more who abstain, the server is told the same bits and releases the same bits."""

    class Abstaining(HonestClient):
        def check_in(self, window, check_in_prob):
            return None

        def answer(self, model):
            raise AssertionError("asked, though it abstained")

    present = people(FIXED_SLOTS)
    server = engine.server(FIXED_SLOTS, learner(FIXED_SLOTS), 1, 0)
    channel = Draws.of(1, 0, CHANNEL)
    few = engine.meet(FIXED_SLOTS, present, server, channel)
    absentees = [Abstaining(0, POPULATION, present[0].randomizer, Draws(j)) for j in range(50)]
    more = replace(FIXED_SLOTS, clients=FIXED_SLOTS.clients + 50)
    for order in ([*present, *absentees], [*absentees, *present]):
        many = engine.meet(more, order, server, channel)
        assert told_to_server(many) == told_to_server(few) and many.check_ins == few.check_ins
        assert many.models.tobytes() == few.models.tobytes()
    # Who abstained of its own is as invisible.
    arrivals = [
        person for person in present if person.check_in(FIXED_SLOTS.window, FIXED_SLOTS.check_in_prob) is not None
    ]
    assert 0 < len(arrivals) < len(present)
    without = engine.meet(replace(FIXED_SLOTS, clients=len(arrivals)), arrivals, server, channel)
    assert told_to_server(without) == told_to_server(few)


def test_clients_in_slots_that_are_not_released_are_never_asked():
    algorithm, questions = SLIDING, []

    class Noting(HonestClient):
        def answer(self, model):
            questions.append(self)
            return super().answer(model)

    for run in range(30):
        persons = people(algorithm, run=run)
        noting = [Noting(person.record, person.population, person.randomizer, person.draws) for person in persons]
        server = engine.server(algorithm, learner(algorithm), 1, run)
        meeting = engine.meet(algorithm, noting, server, Draws.of(1, run, CHANNEL))
        # Client j, from 0, draws a slot of j, ..., j + window - 1; releases begin at window - 1 and end at clients - 1.
        slots = [j + person.draws.below(1, algorithm.window) for j, person in enumerate(persons)]
        late = [j for j, slot in enumerate(slots) if not algorithm.window - 1 <= slot <= algorithm.clients - 1]
        assert not {id(noting[j]) for j in late} & {id(person) for person in questions}
        assert sum(m.arrivals for m in meeting.wire.log if isinstance(m, Opened)) == algorithm.clients - len(late)
    assert questions


def test_a_client_sees_one_model_and_cannot_change_it():
    models = []

    class Meddling(HonestClient):
        def answer(self, model):
            models.append(model.copy())
            model[:] = 99.0
            return super().answer(models[-1])

    meddling = [Meddling(p.record, p.population, p.randomizer, p.draws) for p in people(FIXED_SLOTS)]
    server = engine.server(FIXED_SLOTS, learner(FIXED_SLOTS), 1, 0)
    run = engine.meet(FIXED_SLOTS, meddling, server, Draws.of(1, 0, CHANNEL))
    honest = simulate.run(FIXED_SLOTS, learner(FIXED_SLOTS), 1)
    assert run.models.tobytes() == honest.models.tobytes()
    requests = [message.model for message in run.wire.log if isinstance(message, Request)]
    assert len(models) == len(requests) > 3 and all(np.array_equal(a, b) for a, b in zip(models, requests, strict=True))


def test_slots_open_once_and_in_order():
    wire = Wire([[], []])
    with pytest.raises(RuntimeError, match="slot 1 is opened after slot -1"):
        wire.open(1)
    assert wire.open(0) == 0
    with pytest.raises(RuntimeError, match="slot 0 is opened after slot 0"):
        wire.open(0)


@pytest.mark.parametrize("algorithm", [FIXED_SLOTS, AVERAGED_SLOTS, SLIDING], ids=lambda algorithm: algorithm.name)
def test_honest_runs_give_no_reason_to_complain(algorithm):
    for number in range(10):
        run = simulate.run(algorithm, learner(algorithm), 3, number)
        assert simulate.complaints(run, engine.server(algorithm, learner(algorithm), 3, number)) == ()


class Greedy(servers.OneOfThem):
    """Asks all who are there, and uses the first answer."""

    def serve(self, wire):
        class Asking:
            def open(self, slot):
                self.load = wire.open(slot)
                return self.load

            def ask(self, place, model):
                return [wire.ask(k, model) for k in range(self.load)][place]

        return super().serve(Asking())


class Telling(servers.OneOfThem):
    """Writes how many came into what it releases."""

    def serve(self, wire):
        loads = []

        class Counting:
            def open(self, slot):
                loads.append(wire.open(slot))
                return loads[-1]

            def ask(self, place, model):
                return wire.ask(place, model)

        models = super().serve(Counting())
        models[:, 0] += 1e-9 * np.array(loads)
        return models


@pytest.mark.parametrize(
    ("kind", "message"),
    [(Greedy, "asks 1[0-9] times"), (Telling, "do not follow from the answers alone")],
    ids=["greedy", "telling"],
)
def test_servers_that_leak_are_found(kind, message):
    algorithm = simulate.check_in(8, 16)
    honest = engine.server(algorithm, learner(algorithm), 4, 0)
    dishonest = kind(honest.descent, honest.dummies, honest.choices, honest.noise)
    run = engine.meet(algorithm, people(algorithm, 4), dishonest, Draws.of(4, 0, CHANNEL))
    assert any(re.search(message, line) for line in simulate.complaints(run, honest))
