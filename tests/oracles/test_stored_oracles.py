"""Stored values of slow oracles: files of a wrong shape raise, and oracles answer now what is stored."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from flint import arb, ctx

from . import stored_values as files
from .crossing import crossing
from .enclosure import Enclosure, exactly, of_ball, of_estimate, parse, texts
from .oracle import NAMES, Oracle, are_alike, difference, oracle, sample
from .stored_values import HERE, StoredValue, dumps, loads, select, the_one

FILE = """
widest = 0.25
values = [
  { steps = 1, epsilon = 0.5, value = "1/3" },
  { steps = 2, epsilon = 0.5, lower = "1.5e-1", upper = "1.6e-1" },
]
"""


def test_a_file_is_read_as_it_is_written():
    values = loads(FILE, "some.toml")
    assert [value["steps"] for value in values] == [1, 2]
    assert values[0].lower == values[0].upper == Fraction(1, 3)
    assert (values[1].lower, values[1].upper) == (Fraction(15, 100), Fraction(16, 100))
    assert loads(dumps("some", "Some numbers.", 0.25, values), "some.toml") == values


# A text of the file, what stands in its place, and words of the message.
WRONG_SHAPES = [
    ('value = "1/3"', 'value = "0.1"', "value '0.1' must be a text"),
    ('value = "1/3"', "value = 0.5", "value 0.5 must be a text"),
    ('value = "1/3"', 'value = "1/0"', "value '1/0' must be a text"),
    ('value = "1/3"', 'lower = "0.1"', r"entries \['lower'\] must be"),
    ('value = "1/3"', 'value = "1/3", lower = "0.1"', r"entries \['value', 'lower'\] must be"),
    ('lower = "1.5e-1"', 'lower = "nan"', "lower 'nan' must be a text"),
    ('lower = "1.5e-1"', 'lower = "0.7"', "lower end 0.7 is above upper end 0.16"),
    ('lower = "1.5e-1"', 'lower = "0.05"', "relative width 0.688 is above 0.25"),
    ("steps = 2, epsilon = 0.5", "steps = 2", r"parameters \['steps'\] are not those"),
    ("steps = 2", "steps = true", "steps True must be"),
    ("steps = 2", "steps = 1", "two values at the same parameters"),
    ("widest = 0.25", "widest = 2.0", "widest 2.0 must be"),
    ("widest = 0.25", "", "must have the entries"),
    ("widest = 0.25", "widest = 0.25\nmore = 1", "must have the entries"),
    ("values = [", "values = [[],", "must be a table"),
    ("values = [", "values = [[", "some.toml"),
]


def test_files_of_a_wrong_shape_raise():
    for old, new, words in WRONG_SHAPES:
        assert FILE.count(old) == 1
        with pytest.raises(ValueError, match=words) as error:
            loads(FILE.replace(old, new), "some.toml")
        assert "some.toml" in str(error.value)


def test_a_file_without_values_raises():
    with pytest.raises(ValueError, match="a list that is not empty"):
        loads("widest = 0.5\nvalues = []\n", "some.toml")


def test_values_that_are_not_stored_raise(monkeypatch):
    monkeypatch.setattr(files, "stored_values", lambda _: loads(FILE, "some.toml"))
    assert len(select("some", epsilon=0.5)) == 2 and the_one("some", steps=2)["epsilon"] == 0.5
    with pytest.raises(LookupError, match="no stored value"):
        select("some", steps=3)
    with pytest.raises(LookupError, match="no stored value"):
        select("some", other=1)
    with pytest.raises(LookupError, match="2 stored values"):
        the_one("some", epsilon=0.5)


def test_an_oracle_without_a_file_raises():
    with pytest.raises(LookupError, match="python -m tests.oracles nothing"):
        files.stored_values("nothing")


def test_digits_are_rounded_outward():
    for value in (Fraction(1, 3), -Fraction(2, 3), Fraction(2) ** -1300 / 7, Fraction(10**60 + 1)):
        exact = Enclosure(value, value + Fraction(1, 2**1400))
        stored = parse(texts(exact))
        assert stored.lower <= exact.lower and exact.upper <= stored.upper
        assert stored.width < 1e-29
    assert texts(exactly(Fraction(-7, 5))) == {"value": "-7/5"}
    assert texts(exactly(Fraction(1, 7**99))).keys() == {"lower", "upper"}


def test_ends_of_a_ball_contain_it():
    with ctx.workprec(200):
        third = arb(1) / 3
    ends = of_ball(third)
    assert ends.lower < Fraction(1, 3) < ends.upper and ends.width < 1e-59
    assert of_ball(arb(2)) == exactly(Fraction(2))
    with pytest.raises(ValueError, match="a ball without ends"):
        of_ball(arb("nan"))
    with pytest.raises(ValueError, match="no estimate"):
        of_estimate(1.0, float("nan"))


def test_a_crossing_is_enclosed():
    # delta = max(1 - epsilon, 0)^9 in fractions, to a share of 1e-30 of itself.
    def delta_at(epsilon):
        value = max(1 - epsilon, Fraction(0)) ** 9
        return Enclosure(value * (1 - Fraction(1, 10**30)), value * (1 + Fraction(1, 10**30)))

    for target, near in product((0.7, 1e-3, 1e-40), (0.01, 0.5, 3.0)):
        root = crossing(delta_at, target, near, Fraction(1, 10**20))
        assert (1 - root.lower) ** 9 > Fraction(target) > (1 - root.upper) ** 9
        assert root.width < 1e-18
    assert crossing(delta_at, 2.0, 0.5, Fraction(1, 10**20)) == exactly(Fraction(0))


def test_spoiled_values_are_noticed():
    value = loads(FILE, "some.toml")[1]
    known = Oracle("A number.", 0.25, lambda: iter([value.parameters]), lambda **_: value.enclosure)
    assert difference(known, value) == ""
    for lower, upper in (("0.161", "0.17"), ("0.14", "0.1499"), ("0.13", "0.17")):
        spoiled = StoredValue(value.parameters, Enclosure(Fraction(lower), Fraction(upper)))
        assert "stored" in difference(known, spoiled)
    other = replace(known, answer=lambda **_: exactly(Fraction(1)))
    assert "but the value is 1.0" in difference(other, value)


def test_files_have_the_questions_of_their_oracles():
    for name in NAMES:
        text = (HERE / f"{name}.toml").read_text(encoding="utf-8")
        one, values = oracle(name), loads(text, name)
        assert are_alike([value.parameters for value in values], list(one.questions())), name
        assert text == dumps(name, one.statement, one.widest, values), name


def test_every_file_has_an_oracle():
    assert {path.stem for path in HERE.glob("*.toml")} == set(NAMES)


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_values_computed_again_are_those_stored(name):
    values = sample(name, 2)
    assert len(values) == 2
    assert [line for value in values if (line := difference(oracle(name), value))] == []
