"""Subjects of theorems: for every protocol and every choice of its fields, the protocol with these fields."""

import pickle
from dataclasses import MISSING, fields
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import pldcheck
from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.core.parameters import PARAMETERS
from pldcheck.protocols import PROTOCOLS, CheckIn, HiddenSlot, Shuffle
from pldcheck.theorems import GIVEN, REGISTRY, Source, Theorem
from pldcheck.verification import Problem, Verdict, problem_of_bound, verify

SOURCE = Source("x", "x", "x", "")
# A value of each parameter that is not the default of any protocol.
VALUES = {
    "steps": 12,
    "selected": 3,
    "releases": 4,
    "records": 40,
    "largest_batch": 11,
    "batch": 6,
    "group": 2,
    "window": 9,
    "clients": 24,
    "rounds": 2,
    "eps0": 0.75,
    "eps0_last": 0.25,
    "delta0": 1e-9,
    "weight": 0.375,
    "check_in_prob": 0.625,
    "rate": 0.125,
    "sigma": 1.5,
    "scale": 2.5,
    "epochs": 4,
    "dimension": 7,
    "heads_p": 0.3,
    "heads_q": 0.6,
    "first": 0.4,
    "decay": 0.2,
}


def field_choices():
    """Yield every protocol with every set of its numeric fields that has those without a default, and what is asked."""
    for kind in PROTOCOLS.values():
        entries = [entry for entry in fields(kind) if entry.name in PARAMETERS]
        without_default = {entry.name for entry in entries if entry.default is MISSING}
        if any(entry.name not in PARAMETERS and entry.default is MISSING for entry in fields(kind)):
            continue  # what is no number is no parameter of a theorem
        spare = [entry.name for entry in entries if entry.name not in without_default]
        quantity = next(name for name in GIVEN if kind.supports(name))
        for count in range(len(spare) + 1):
            for more in combinations(spare, count):
                yield kind, quantity, tuple(entry.name for entry in entries if entry.name in without_default | {*more})


@pytest.mark.parametrize(
    ("kind", "quantity", "names"), list(field_choices()), ids=lambda value: str(getattr(value, "name", value))
)
def test_the_judged_interval_is_the_protocols_own(kind, quantity, names):
    quantity_value = GIVEN[quantity]
    # eps0 is a field with the default None, without which the randomizer must be a known one.
    names = names if "eps0" in names or not any(entry.name == "eps0" for entry in fields(kind)) else (*names, "eps0")

    @pldcheck.theorem(protocol=kind, quantity=quantity, parameters=(*names, quantity_value))
    def own_theorem(**params):
        return 0.5

    at = {"delta": 1e-6, "epsilon": 0.5, "order": 2.0}[quantity_value]
    params = {name: VALUES[name] for name in names}
    bound = own_theorem(**params, **{quantity_value: at})
    if {"selected", "check_in_prob"} <= set(names):  # which the protocol refuses together
        with pytest.raises(ParameterError):
            problem_of_bound(own_theorem, bound)
        return
    assert problem_of_bound(own_theorem, bound) == Problem(kind(**params).reduced, quantity, at)


def test_a_theorem_on_known_clients_is_judged_by_known_clients():
    # As the false verdict of issue 17 at 1000 steps, which was that on the worst number of clients: here [.4836, .4843]
    # with any number of clients, and [.268, .325] with 100 of them.
    params = {"steps": 100, "eps0": 1.0, "clients": 100, "delta": 1e-6}

    @pldcheck.theorem(protocol="check-in")
    def upper(steps, eps0, clients, delta):
        return 0.4

    @pldcheck.theorem(protocol="check-in", relation=">=")
    def lower(steps, eps0, clients, delta):
        return 0.4

    own = CheckIn(100, 1.0, clients=100)
    for theorem in (upper, lower):
        assert problem_of_bound(theorem, theorem(**params)) == Problem(own, "epsilon", 1e-6)
    grid = pldcheck.verification.suites.Grid({name: [value] for name, value in params.items()}, theorems=(upper, lower))
    above, below = verify(pldcheck.verification.suites.Job("own", "", (grid,)), width=0.05, workers=1).rows
    assert (above.verdict, below.verdict) == (Verdict.HOLDS, Verdict.VIOLATED)
    assert 0.26 < above.lower and above.upper < 0.4


def test_what_registered_theorems_declare():
    params = {"steps": 100, "clients": 10**4, "eps0": 0.2, "beta": 1e-8, "delta": 1e-6}
    protocol = HiddenSlot(100, 0.2, 0.01, epochs=100)
    assert problem_of_bound(REGISTRY["cor-3.3"], REGISTRY["cor-3.3"](**params)).protocol == protocol
    params = {"clients": 30, "eps0": 2.0, "tv": 0.1, "epsilon": 1.0}
    protocol = Shuffle(30, 2.0, randomizer="tv:0.1")
    assert problem_of_bound(REGISTRY["vr-wang"], REGISTRY["vr-wang"](**params)).protocol == protocol
    params = {"clients": 30, "eps0": 1.0, "categories": 10, "epsilon": 0.8}
    protocol = Shuffle(30, 1.0, randomizer="krr:10")
    assert problem_of_bound(REGISTRY["krr-merged"], REGISTRY["krr-merged"](**params)).protocol == protocol
    for name in REGISTRY:
        assert pickle.loads(pickle.dumps(REGISTRY[name].subject)) is REGISTRY[name].subject


def test_a_parameter_that_the_protocol_has_not_is_refused():
    # It used to be left aside, so that the theorem was judged by another protocol.
    with pytest.raises(PldcheckError, match="has weight, which .* has not; subject= says"):

        @pldcheck.theorem(protocol="check-in")
        def on_weights(steps, eps0, weight, delta):
            return 0.1

    with pytest.raises(PldcheckError, match="has categories, which shuffle has not; subject= says"):

        @pldcheck.theorem(protocol="shuffle")
        def on_categories(clients, eps0, categories, delta):
            return 0.1

    bare = Theorem("x", "x", "x", "any", "check-in", ("steps", "eps0", "weight", "delta"), (), SOURCE, lambda **_: 1.0)
    with pytest.raises(PldcheckError, match="x has weight, which is no field of check-in"):
        problem_of_bound(bare, bare(steps=10, eps0=1.0, weight=0.5, delta=1e-6))


def test_a_theorem_on_a_subject_of_its_own_is_judged():
    @pldcheck.theorem(protocol="shuffle", subject=lambda clients, eps0, categories, delta: _response(**locals()))
    def on_response(clients, eps0, categories, delta):
        return 0.1

    bound = on_response(clients=50, eps0=1.0, categories=3, delta=1e-6)
    assert problem_of_bound(on_response, bound) == Problem(Shuffle(50, 1.0, randomizer="krr:3"), "epsilon", 1e-6)
    with pytest.raises(ParameterError, match="subject must be a function"):

        @pldcheck.theorem(protocol="shuffle", subject="krr:3")
        def on_text(clients, eps0, delta):
            return 1.0


def _response(clients, eps0, categories, **_):
    return {"clients": clients, "eps0": eps0, "randomizer": f"krr:{categories}"}


@pytest.mark.parametrize("answer", ["0.5", True, np.bool_(True), None, 1j, [0.5], np.array([0.5])], ids=repr)
def test_a_formula_must_return_a_real_number(answer):
    @pldcheck.theorem(protocol="hidden-slot")
    def own_theorem(steps, eps0, delta):
        return answer

    with pytest.raises(PldcheckError, match="own_theorem cannot be evaluated: TypeError: the value must be a real"):
        own_theorem(steps=10, eps0=1.0, delta=1e-6)


@pytest.mark.parametrize("answer", [float("inf"), 0.0, 10**400, 1e-310], ids=repr)
def test_a_formula_must_return_a_number_in_range(answer):
    @pldcheck.theorem(protocol="hidden-slot")
    def own_theorem(steps, eps0, delta):
        return answer

    with pytest.raises(PldcheckError, match="own_theorem is outside the range of floating-point numbers"):
        own_theorem(steps=10, eps0=1.0, delta=1e-6)


NUMBERS = (2, 0.5, np.float64(0.5), np.int64(2), np.float32(0.5), Fraction(1, 2), Decimal("0.5"))


@pytest.mark.parametrize("answer", NUMBERS)
def test_numbers_of_all_kinds_are_claims(answer):
    @pldcheck.theorem(protocol="hidden-slot")
    def own_theorem(steps, eps0, delta):
        return answer

    value = own_theorem(steps=10, eps0=1.0, delta=1e-6).value
    assert type(value) is float and value == answer


@pytest.mark.parametrize("answer", ["0.5", True])
def test_where_it_is_claimed_must_be_a_real_number(answer):
    @pldcheck.theorem(protocol="hidden-slot", at=lambda **params: answer)
    def own_theorem(steps, eps0, delta):
        return 0.5

    with pytest.raises(PldcheckError, match="the value must be a real number"):
        own_theorem(steps=10, eps0=1.0, delta=1e-6)


@pytest.mark.parametrize("answer", ["no", [0], None])
def test_a_condition_must_return_a_number_or_a_truth_value(answer):
    @pldcheck.theorem(protocol="hidden-slot", conditions=[("eps0 is small", lambda eps0: answer)])
    def own_theorem(steps, eps0, delta):
        return 0.5

    with pytest.raises(PldcheckError, match="'eps0 is small' cannot be evaluated: it returns"):
        own_theorem(steps=10, eps0=1.0, delta=1e-6)
