"""Answers over a parameter are the protocol's own, in order, as a table and as a picture."""

import doctest
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot

import pldcheck
from pldcheck import AnswerTable, Gaussian, GaussianMean, Interval, ParameterError, RandomizedResponse
from pldcheck.core.errors import ConditionError, PldcheckError, Unsupported
from pldcheck.protocols import (
    answer_tables,
    base,
    curve_answers,
    gaussian_dominance,
    group_privacy,
    negative_epsilon,
    tradeoff,
)


@pytest.fixture(autouse=True)
def no_figure_stays():
    yield
    pyplot.close("all")


def response(steps):
    return RandomizedResponse(eps0=0.5, steps=steps).epsilon(1e-3)


def test_a_row_for_each_value():
    table = pldcheck.sweep(response, steps=np.array([3, 1, 2]))
    assert table.parameter == "steps" and table.values == (3, 1, 2) and table.quantity == "epsilon"
    assert all(type(value) is int for value in table.values) and len(table) == 3
    assert table.intervals == tuple(response(steps) for steps in (3, 1, 2))
    assert list(zip(table.lower, table.upper, strict=True)) == [tuple(interval) for _, interval in table]
    assert repr(table) == str(table) and str(table).splitlines()[0].split() == ["steps", "epsilon"]
    assert hash(table) == hash(pldcheck.sweep(response, steps=[3, 1, 2]))


def test_the_profile_is_delta_at_each_epsilon():
    protocol = Gaussian(sigma=1.0, steps=3)
    table = protocol.profile([0.0, 1.5])
    assert (table.parameter, table.quantity) == ("epsilon", "delta")
    assert table.intervals == (protocol.delta(0.0), protocol.delta(1.5))
    wide = pldcheck.HiddenSlot(steps=100, eps0=1.0).profile([0.2], width=0.5)
    assert wide.intervals == (pldcheck.HiddenSlot(steps=100, eps0=1.0).delta(0.2, width=0.5),)


def test_a_protocol_without_delta_says_so():
    with pytest.raises(Unsupported, match="gaussian-mean"):
        GaussianMean(clients=10, dimension=1).profile([1.0])


def test_text_encloses_and_is_aligned():
    table = AnswerTable("steps", (1, 10**6), (Interval(1 / 3, 2 / 3), Interval(0.0, 0.125)))
    assert str(table).splitlines() == [
        "steps  epsilon",
        "    1  [0.333333, 0.666667]",
        "  1e6  [0, 0.125]",
    ]
    shown = table._repr_html_()
    assert "<th>steps</th><th>epsilon</th>" in shown and "<td>[0.333333, 0.666667]</td>" in shown


@pytest.mark.parametrize(
    ("ask", "values", "message"),
    [
        (response, {}, "one parameter by name, as in steps="),
        (response, {"steps": [1], "eps0": [1.0]}, "one parameter by name, as in steps="),
        (response, {"steps": []}, "steps must be a list of at least one number, got 'none'"),
        (response, {"steps": [True]}, "steps must be a list of finite numbers, got True"),
        (response, {"steps": ["1"]}, "steps must be a list of finite numbers, got '1'"),
        (response, {"steps": [float("nan")]}, "steps must be a list of finite numbers, got nan"),
        (lambda steps: 0.5, {"steps": [1]}, "intervals must be certified intervals of one quantity, got 0.5"),
        (
            lambda steps: Interval(0.1, 0.2, ("epsilon", "delta")[steps]),
            {"steps": [0, 1]},
            "intervals must be certified intervals of one quantity",
        ),
    ],
)
def test_what_is_no_sweep_is_refused(ask, values, message):
    with pytest.raises(ParameterError, match=message):
        pldcheck.sweep(ask, **values)


def test_as_many_intervals_as_values():
    with pytest.raises(ParameterError, match="intervals must be one for each of 2 values, got 1"):
        AnswerTable("steps", (1, 2), (Interval(0.1, 0.2),))


def test_errors_of_the_question_are_passed_on():
    with pytest.raises(ParameterError, match="steps"):
        pldcheck.sweep(response, steps=[0])


TABLE = AnswerTable("sigma", (2.0, 1.0), (Interval(0.125, 0.25), Interval(1 / 3, 2 / 3)))


def test_the_picture_has_the_ends_and_the_bounds():
    def theorem(sigma):
        if sigma > 1.5:
            raise ConditionError("t", "sigma <= 1.5", "sigma = 2")
        return 1.5

    axes = TABLE.plot(bounds={"a theorem": theorem, "numbers": [0.5, None]})
    lower, upper, _, said, numbers = ([float(value) for value in line.get_ydata()] for line in axes.lines)
    assert (lower, upper) == ([1 / 3, 0.125], [2 / 3, 0.25])
    assert said[0] == 1.5 and numbers[1] == 0.5 and np.isnan([said[1], numbers[0]]).all()
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["certified, lower to upper end", "a theorem", "numbers"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("noise multiplier σ", "ε")


def test_the_axes_are_those_that_are_given():
    _, axes = pyplot.subplots()
    assert TABLE.plot(axes) is axes and len(pyplot.get_fignums()) == 1
    assert TABLE.plot() is not axes and len(pyplot.get_fignums()) == 2
    with pytest.raises(ParameterError, match="bound 'b' must be a function, or 2 values, got 1"):
        TABLE.plot(axes, bounds={"b": [1.0]})


def test_pandas_has_a_row_for_each_value(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda columns: columns))
    assert TABLE.to_pandas() == {"sigma": (2.0, 1.0), "lower": (0.125, 1 / 3), "upper": (0.25, 2 / 3)}
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PldcheckError, match="pandas, which is not installed"):
        TABLE.to_pandas()


def test_examples_of_the_docstrings_are_right():
    options = doctest.ELLIPSIS
    for module in (answer_tables, base, curve_answers, gaussian_dominance, group_privacy, negative_epsilon, tradeoff):
        assert doctest.testmod(module, raise_on_error=True, optionflags=options).attempted > 0


def test_a_table_needs_no_library_for_drawing():
    code = (
        "import sys, pldcheck\n"
        "pldcheck.sweep(lambda sigma: pldcheck.Interval(1.0, sigma), sigma=[2.0])\n"
        "print('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
