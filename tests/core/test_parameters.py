"""The parameter table: which texts and numbers stand for a value, and which are refused with a reason."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from pldcheck.core.errors import MissingError, ParameterError, UnknownNameError
from pldcheck.core.parameters import PARAMETERS, decimal, number_text, parse
from pldcheck.protocols import PROTOCOLS, Composition, Gaussian, HiddenSlot
from pldcheck.theorems import REGISTRY
from pldcheck.verification.suites import read_jobs

EPSILON = PARAMETERS["epsilon"]
STEPS = PARAMETERS["steps"]
EPS0 = PARAMETERS["eps0"]
FLOORS = [parameter for parameter in PARAMETERS.values() if parameter.floor]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1.0), ("+1", 1.0), ("01", 1.0), ("1.", 1.0), (".5", 0.5), ("1e-3", 0.001), ("1E+2", 100.0),
        ("0", 0.0), ("-0", 0.0), ("0e-999999999", 0.0), ("0.000", 0.0), ("5e-324", 5e-324), ("1" + "0" * 300, 1e300),
        ("256/60000", 256 / 60000), ("1/60000", 1 / 60000), ("-1/-4", 0.25), ("0/7", 0.0), ("0e-999999999/7", 0.0),
        ("1/3e-308", float(Fraction(1) / Fraction("3e-308"))), 
    ],
)  # fmt: skip
def test_plain_digits_are_read(text, number):
    assert EPSILON.parse(text) == number == decimal(text)


# float() takes every one of the first row; Fraction and Decimal some.
@pytest.mark.parametrize("text", ["1_000", "１", "١", " 1", "1\n", "\u00a01", "𝟏", "1e1_0", "0.0_1"])
def test_other_digits_are_refused_with_the_reason(text):
    assert math.isfinite(float(text))
    for parameter in (EPSILON, STEPS, EPS0):
        with pytest.raises(ParameterError, match="in plain digits such as 12, 0.05, 1e-6 or 1/60000, got"):
            parameter.parse(text)


@pytest.mark.parametrize(
    "text", ["", "1 2", *"x inf -inf nan 1,5 0x10 1j e5 . 1e --1 / 1/ /2 1/2/3 1//2 1/x inf/2 1/nan".split()]
)
def test_what_is_no_number_is_refused(text):
    for parameter in (EPSILON, STEPS, EPS0):
        with pytest.raises(ParameterError) as error:
            parameter.parse(text)
        assert str(error.value) == f"{parameter.name} must be {parameter.domain}, got {text!r}"


TINY = [
    "1e-400",
    "-1e-400",
    "1e-99999999999",
    "0." + "0" * 390 + "1",
    "1e-320/1e9",
    "5e-324/2.1",
    "1e-400/2",
    Fraction(1, 10**400),
    -Fraction(1, 10**400),
]
if np.finfo(np.longdouble).tiny < 5e-324:
    TINY.append(np.longdouble("1e-400"))


@pytest.mark.parametrize("value", TINY, ids=lambda value: str(value)[:12])
def test_what_would_be_read_as_0_is_refused(value):
    for parameter in (EPSILON, PARAMETERS["delta0"]):
        assert (isinstance(value, str) and "/" in value or float(value) == 0.0) and parameter.low == 0.0
        with pytest.raises(ParameterError, match="not so small that it would be read as 0, got"):
            parameter.parse(value)


@pytest.mark.parametrize(
    "value", ["1e400", "9" * 400, 10**400, float("inf"), "1e999999999", "1e-3/1e-320", "-9/5e-324", "1e400/1e400"]
)
def test_what_overflows_is_refused(value):
    for parameter in (EPSILON, STEPS):
        with pytest.raises(ParameterError, match="must be "):
            parameter.parse(value)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("1e9", 10**9),
        ("1000000000000", 10**12),
        ("2.0", 2),
        ("1.5e1", 15),
        ("6e3/6", 1000),
        ("0.5/0.25", 2),
        (np.int64(4), 4),
        (Fraction(6, 2), 3),
    ],
)
def test_whole_numbers_are_read_in_all_their_forms(value, number):
    assert STEPS.parse(value) == number and type(STEPS.parse(value)) is int


def test_whole_numbers_are_read_exactly():
    # As floats these are 2^53 and 1: the first was another number, the second no whole one.
    assert PARAMETERS["clients"].high == 10**15
    with pytest.raises(ParameterError):
        PARAMETERS["clients"].parse("9007199254740993")
    assert PARAMETERS["clients"].parse("999999999999999") == 10**15 - 1
    assert PARAMETERS["clients"].parse("1999999999999998/2") == 10**15 - 1
    for value in (
        "1.00000000000000000001",
        "1.5",
        "7/2",
        "9007199254740993/2",
        Fraction(10**20 + 1, 10**20),
        1.5,
        "1e-1",
    ):
        with pytest.raises(ParameterError):
            STEPS.parse(value)


@pytest.mark.parametrize("value", [True, np.True_, None, [1], {}, 1j, b"1", float("nan"), np.array([1.0, 2.0])])
def test_values_that_are_no_number_are_refused_in_one_line(value):
    for parameter in (EPSILON, STEPS, EPS0):
        with pytest.raises(ParameterError) as error:
            parameter.parse(value)
        assert "\n" not in str(error.value)


def test_long_values_are_cut_in_messages():
    with pytest.raises(ParameterError, match=r"\.\.\. \(5002 characters\)$") as error:
        STEPS.parse("9" * 5000)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("parameter", FLOORS, ids=lambda parameter: parameter.name)
def test_floors_have_a_reason_and_are_for_computations_only(parameter):
    below = math.nextafter(parameter.floor, 0.0)
    assert parameter.parse(parameter.floor) == parameter.floor and parameter.admit(below) == below
    for value in (below, repr(below), 5e-324):
        with pytest.raises(ParameterError) as error:
            parameter.parse(value)
        message = str(error.value)
        assert f"and at least {number_text(parameter.floor)} ({parameter.why})" in message and "\n" not in message
    if not parameter.low_open:
        assert parameter.parse(0) == 0.0


def test_the_least_products_are_normal_numbers():
    share, budget, slots = PARAMETERS["weight"].floor, PARAMETERS["eps0"].floor, float(PARAMETERS["steps"].high)
    assert (share * budget) ** 2 / slots**2 > np.finfo(float).tiny


def test_formulas_of_theorems_take_what_computations_do_not():
    # its own loss is 1e-100 steps of 1: the formula has a value where no protocol is computed
    assert REGISTRY["zcdp-14-tight"](sigma=1e-100, steps=1, epsilon=0).value == 1.0
    with pytest.raises(
        ParameterError, match=r"sigma must be above 0 and at most 1e9, and at least 1e-6 \(with less noise"
    ):
        Gaussian(1e-100)


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_no_field_of_a_protocol_takes_nothing_for_a_number(protocol):
    from dataclasses import MISSING, fields

    sample = {"steps": 3, "window": 3, "clients": 5, "dimension": 2, "eps0": 1.0, "sigma": 1.0, "scale": 1.0}
    sample |= {"rate": 0.5, "heads_p": 0.5, "heads_q": 0.4, "first": 1.0, "decay": 0.5, "mechanism": ("rr:1",)}
    sample |= {"releases": 2, "records": 9, "largest_batch": 8, "batch": 4, "lengths": "1:0.1"}
    arguments = {entry.name: sample[entry.name] for entry in fields(protocol) if entry.default is MISSING}
    for name in arguments:
        if name in PARAMETERS:
            for nothing in (None, "１", "1_0", "1e-400"):
                with pytest.raises(ParameterError, match=f"{name} must be "):
                    protocol(**{**arguments, name: nothing})


def test_fractions_are_numbers_wherever_a_number_is_text(tmp_path):
    rate = 256 / 60000
    assert Composition(("subsampled-gaussian:1.1:256/60000*15/5",)).epsilon(1e-5) == (
        Composition((f"subsampled-gaussian:1.1:{rate!r}*3",)).epsilon(1e-5)
    )
    assert dict(Composition(("subsampled-gaussian:1.1:256/60000",)).parts[0].numbers)["rate"] == rate
    assert PROTOCOLS["gaussian-mixture"](1.0, "1:1/3").possible_lengths == ((1.0, 1 / 3),)
    assert (
        HiddenSlot(4, 1, randomizer="gaussian:3/2").randomizer == HiddenSlot(4, 1, randomizer="gaussian:1.5").randomizer
    )
    assert REGISTRY["thm-3.2"](steps="2e3/2", eps0="1/3", check_in_prob="1/2", delta="1/1000000").at == 1e-6
    assert Gaussian("3/2").delta("1/2") == Gaussian(1.5).delta(0.5) and Gaussian("3/2").delta("-1/2").lower > 0.3
    (tmp_path / "job.toml").write_text(
        'name = "j"\n[[grid]]\nprotocol = "subsampled-gaussian"\nsigma = 1\nsteps = 3\n'
        'rate = ["256/60000"]\ndelta = {from = "1/60000", to = 1e-3, points = 2}\n'
    )
    (grid,) = read_jobs.load(tmp_path / "job.toml").grids
    assert grid.axes["rate"] == (rate,) and grid.axes["delta"][0] == 1 / 60000
    for numbers in ("1:1/0", "1:256/", "1:1/9*1/2"):
        with pytest.raises(ParameterError, match="^mechanism must be "):
            Composition((f"subsampled-gaussian:{numbers}",))


@pytest.mark.parametrize("mechanism", [5, None, (5,), ("rr:1", None), {"rr:1"}])
def test_mechanisms_that_are_no_text_are_refused(mechanism):
    with pytest.raises(ParameterError, match="mechanism must be text such as gaussian:2"):
        Composition(mechanism=mechanism)


@pytest.mark.parametrize("text", ["rr:１", "gaussian:1_0", "rr:1e-400", "gaussian:x", "rr:1*１", "rr:1*1_0"])
def test_numbers_of_mechanisms_are_plain_digits(text):
    with pytest.raises(ParameterError):
        Composition(mechanism=text)


@pytest.mark.parametrize("row", ["１ 0", "1_0 0", "1 1e-400", "x y"])
def test_numbers_of_tables_are_plain_digits(row, tmp_path):
    from pldcheck.protocols import Shuffle

    (tmp_path / "rows.txt").write_text(f"{row}\n.5 .5\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="randomizer must be table:FILE"):
        Shuffle(3, 1.0, f"table:{tmp_path / 'rows.txt'}").epsilon(0.1)


def test_a_missing_parameter_is_reported_as_missing():
    with pytest.raises(MissingError, match=r"^eps0 is missing; it must be above 0 and at most 20$") as error:
        HiddenSlot(3)
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is MissingError and str(again) == str(error.value) and again.name == "eps0"
    with pytest.raises(UnknownNameError, match="unknown parameter 'step'; did you mean steps"):
        parse(step=1)
