"""Functions that become theorems, and what is refused on the way."""

from math import expm1, inf, log

import pytest

import pldcheck
from pldcheck.core.errors import ConditionError, ParameterError, PldcheckError, UnknownNameError
from pldcheck.theorems import Condition, Source, Theorem

POINT = {"steps": 10, "eps0": 1.0, "delta": 1e-6}


def make_theorem(function=lambda steps, eps0, delta: eps0, **facts):
    return pldcheck.theorem(**{"protocol": "hidden-slot", "id": "made", **facts})(function)


def test_a_function_becomes_a_theorem():
    @pldcheck.theorem(protocol=pldcheck.HiddenSlot)
    def my_bound(steps, eps0, delta, constant=2.0):
        r"""One record in one of m slots.

        .. math::

            \epsilon = 2 \epsilon_0
              + 0

        It is twice the budget.
        """
        return constant * eps0

    assert isinstance(my_bound, Theorem)
    assert (my_bound.id, my_bound.title, my_bound.protocol) == (
        "my_bound",
        "One record in one of m slots",
        "hidden-slot",
    )
    assert my_bound.statement == r"\epsilon = 2 \epsilon_0 + 0"
    assert my_bound.parameters == ("steps", "eps0", "delta")
    assert str(my_bound.source) == "my_bound, your own"
    assert (my_bound.adjacency, my_bound.quantity, my_bound.relation) == ("replace", "epsilon", "<=")
    assert my_bound(**POINT).epsilon == 2.0


def test_explicit_facts_go_before_those_read_from_the_function():
    source = Source("me", "Mine", "Lemma 1", "https://example.org")
    theorem = make_theorem(
        lambda **params: params["eps0"],
        parameters=("steps", "eps0", "epsilon"),
        quantity="delta",
        relation=">=",
        adjacency="zero-out",
        source=source,
    )
    assert theorem(steps=1, eps0=0.5, epsilon=0.1).value == 0.5
    assert (theorem.quantity, theorem.relation, theorem.adjacency, theorem.source) == (
        "delta",
        ">=",
        "zero-out",
        source,
    )
    assert theorem.statement == r"\text{made}"
    assert make_theorem(source="a note").source.title == "a note"


@pytest.mark.parametrize(
    ("protocol", "parameters", "adjacency"),
    [
        ("hidden-slot", POINT, "replace"),
        ("check-in", POINT, "any"),
        ("random-allocation", ("steps", "sigma", "delta"), "add-remove"),
    ],
)
def test_adjacency_is_what_the_protocol_is_computed_for(protocol, parameters, adjacency):
    assert make_theorem(lambda **_: 1.0, protocol=protocol, parameters=parameters).adjacency == adjacency


def test_a_window_needs_no_clients():
    # The verifier takes as many as fill it.
    assert make_theorem(lambda window, eps0, delta: eps0, protocol="sliding-window").parameters[0] == "window"


@pytest.mark.parametrize(
    "condition",
    [
        Condition("eps0 <= 1", "eps0", lambda params: params["eps0"] - 1),
        ("eps0 <= 1", lambda params: params["eps0"] - 1),
        ("eps0 <= 1", lambda eps0: eps0 - 1),
        ("eps0 <= 1", lambda eps0: eps0 <= 1),
        ("eps0 <= 1", lambda eps0, **_: eps0 <= 1),
        ("eps0 <= 1", lambda steps, *, eps0, slack=0.0: eps0 <= 1 + slack),
        ("steps is even or eps0 <= 1", lambda params: params["eps0"] <= 1),
    ],
    ids=["object", "excess of all", "excess", "predicate", "predicate of all", "default", "predicate of params"],
)
def test_conditions_are_checked_at_each_call(condition):
    theorem = make_theorem(conditions=[condition])
    assert theorem(**POINT).conditions[-1].endswith("eps0 <= 1")
    assert theorem.failed_conditions(**POINT) == ()
    with pytest.raises(ConditionError, match=r"made requires .*eps0 <= 1; ") as error:
        theorem(**{**POINT, "eps0": 1.5})
    reason = str(error.value).partition("; ")[2]
    amount = condition.excess({**POINT, "eps0": 1.5}) if isinstance(condition, Condition) else None
    assert reason in ("eps0 = 1.5 exceeds it by 0.5", "got eps0 = 1.5", "got steps = 10")
    assert amount in (None, 0.5)


def test_one_condition_needs_no_list_and_may_return_a_numpy_truth_value():
    np = pytest.importorskip("numpy")
    theorem = make_theorem(conditions=("eps0 <= 1", lambda eps0: np.all(np.array([eps0]) <= 1)))
    assert [condition.excess(POINT) for condition in theorem.conditions] == [-inf]
    assert theorem.failed_conditions(**{**POINT, "eps0": 2.0})


@pytest.mark.parametrize("function", [lambda eps0: log(eps0 - 1) > 0, lambda eps0: None], ids=["domain", "nothing"])
def test_a_condition_that_cannot_be_evaluated_is_no_failed_one(function):
    theorem = make_theorem(conditions=[("log(eps0 - 1) > 0", function)])
    with pytest.raises(
        PldcheckError, match=r"made: the condition 'log\(eps0 - 1\) > 0' cannot be evaluated: "
    ) as error:
        theorem(**POINT)
    assert not isinstance(error.value, ConditionError)


@pytest.mark.parametrize(
    ("facts", "kind", "message"),
    [
        ({"protocol": "hiden-slot"}, UnknownNameError, "unknown protocol 'hiden-slot'; did you mean hidden-slot"),
        ({"protocol": 3}, ParameterError, "protocol must be one of hidden-slot, "),
        ({"protocol": None}, ParameterError, "protocol must be given, as in @pldcheck.theorem(protocol='hidden-slot')"),
        ({"quantity": "epsilonn"}, UnknownNameError, "unknown quantity 'epsilonn'; did you mean epsilon"),
        ({"quantity": "error"}, UnknownNameError, "unknown quantity of hidden-slot 'error'"),
        ({"relation": "<"}, UnknownNameError, "unknown relation '<'"),
        ({"id": "thm-3.2"}, ParameterError, "theorem id must be one that no registered theorem has, got 'thm-3.2'"),
        ({"id": "my bound"}, ParameterError, "theorem id must be a name without spaces, got 'my bound'"),
        ({"id": None}, ParameterError, "theorem id must be a name without spaces, got '<lambda>'"),
        ({"parameters": ("step", "eps0")}, UnknownNameError, "unknown parameter of made 'step'; did you mean steps"),
        ({"parameters": ("eps0", "delta")}, PldcheckError, "made lacks steps, which hidden-slot needs"),
        ({"parameters": ("steps", "eps0")}, UnknownNameError, "unknown parameter of made 'delta'"),
        ({"protocol": "composition"}, PldcheckError, "composition, whose mechanism is not a number"),
        ({"conditions": [lambda eps0: eps0 <= 1]}, ParameterError, 'conditions must be pairs ("eps0 <= 1", function)'),
        ({"conditions": "eps0 <= 1"}, ParameterError, "conditions must be a list of pairs"),
        ({"conditions": [("w", lambda eps0, weight: 1)]}, UnknownNameError, "of made in a condition 'weight'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_bad_declarations_are_refused_in_one_line(facts, kind, message):
    with pytest.raises(kind) as error:
        make_theorem(**facts)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda stepz, eps0, delta: 1.0, "unknown parameter of made 'stepz'; did you mean steps"),
        (lambda steps, eps0, delta=1e-6: 1.0, "delta of made must be without a default: a grid gives it, got 1e-06"),
        (lambda **params: 1.0, "the signature of made must be parameters by name, or parameters=(...), got '**params'"),
        (lambda steps, eps0, delta, /: 1.0, "the signature of made must be parameters by name"),
        (max, "the signature of made must be known, or parameters=(...), got <built-in function max>"),
        (3, "theorem must be a function, got 3"),
    ],
    ids=["typo", "default", "keywords", "positional", "built-in", "number"],
)
def test_bad_signatures_are_refused_in_one_line(function, message):
    with pytest.raises(PldcheckError) as error:
        make_theorem(function)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_lacking_parameter_and_a_foreign_one_are_named():
    refusals = {
        ("eps0", "delta"): "made lacks steps, which hidden-slot needs",
        (
            "steps",
            "eps0",
            "delta",
            "sigma",
        ): "made has sigma, which hidden-slot has not; subject= says what it means there",
    }
    for parameters, message in refusals.items():
        with pytest.raises(PldcheckError) as error:
            make_theorem(parameters=parameters)
        assert str(error.value) == message


def test_a_decorator_without_brackets_says_so():
    with pytest.raises(ParameterError, match="protocol must be given, as in @pldcheck.theorem"):

        @pldcheck.theorem
        def bare(steps, eps0, delta):
            return expm1(eps0)
