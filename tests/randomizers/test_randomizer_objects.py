"""Randomizers as objects and as texts: equal, pickled, shown as texts, refused in the same words."""

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest

from pldcheck import randomizers
from pldcheck.core.errors import MissingError, ParameterError
from pldcheck.protocols import CheckIn, HiddenSlot, Shuffle
from pldcheck.randomizers import KINDS, randomizer_text
from pldcheck.randomizers.finite import budget
from pldcheck.randomizers.table import exact_rows

OBJECTS = {
    "worst": randomizers.Worst(),
    "rr": randomizers.Rr(),
    "krr:10": randomizers.Krr(10),
    "tv:0.25": randomizers.Narrow(0.25),
    "table:a:b.txt": randomizers.Table("a:b.txt"),
    "laplace": randomizers.Laplace(),
    "gaussian:2": randomizers.Gaussian(2),
    "discrete-gaussian:1.5": randomizers.DiscreteGaussian(1.5),
}


def test_every_kind_is_looked_at():
    assert {type(one) for one in OBJECTS.values()} == set(KINDS)


@pytest.mark.parametrize("text", OBJECTS)
def test_text_and_object_are_the_same(text):
    randomizer = randomizer_text.parse(text)
    assert randomizer == OBJECTS[text] == randomizer_text.parse(randomizer) == pickle.loads(pickle.dumps(randomizer))
    assert str(randomizer) == text and hash(randomizer) == hash(OBJECTS[text])
    assert randomizer_text.kind_of(text) is randomizer_text.kind_of(randomizer) is type(randomizer)


@pytest.mark.parametrize(("text", "text_form"), [("krr:1e1", "krr:10"), ("gaussian:2.0", "gaussian:2"), ("rr:", "rr")])
def test_one_randomizer_has_one_text(text, text_form):
    assert str(randomizer_text.parse(text)) == text_form


@pytest.mark.parametrize("kind", [HiddenSlot, CheckIn, Shuffle])
@pytest.mark.parametrize("text", ["worst", "rr", "krr:10", "laplace", "gaussian:2"])
def test_protocols_take_both(kind, text):
    one, other = kind(5, 1.0, randomizer=text), kind(5, 1.0, randomizer=OBJECTS[text])
    assert one == other == pickle.loads(pickle.dumps(one)) == replace(one) == kind(**one.params())
    assert one.params()["randomizer"] == text and one.randomizer is not None


@pytest.mark.parametrize(
    ("text", "form"), [("krr", "krr:K"), ("krr:", "krr:K"), ("rr:2", "rr"), ("table:", "table:FILE")]
)
def test_a_randomizer_without_its_parameter_is_refused_with_its_form(text, form):
    for make in (lambda: HiddenSlot(5, 1.0, randomizer=text), lambda: Shuffle(5, 1.0, text)):
        with pytest.raises(ParameterError, match=rf"randomizer must be {form}[^,]*, got '{text}'"):
            make()


@pytest.mark.parametrize("text", ["", "nothing", None, 3])
def test_what_is_no_randomizer_is_refused_with_all_that_are(text):
    with pytest.raises(
        ParameterError, match="worst, rr, krr:K, table:FILE, laplace, gaussian:S or discrete-gaussian:S"
    ):
        HiddenSlot(5, 1.0, randomizer=text)
    with pytest.raises(ParameterError, match="worst, rr, krr:K, tv:T, table:FILE, laplace or gaussian:S"):
        Shuffle(5, 1.0, text)


def test_objects_that_a_protocol_does_not_serve_are_refused():
    with pytest.raises(ParameterError, match="got 'tv:0.25'"):
        HiddenSlot(5, 1.0, randomizer=OBJECTS["tv:0.25"])
    with pytest.raises(ParameterError, match=r"got 'discrete-gaussian:1.5'"):
        Shuffle(5, 1.0, OBJECTS["discrete-gaussian:1.5"])
    with pytest.raises(MissingError, match="eps0 is missing"):
        HiddenSlot(5, randomizer=randomizers.Laplace())
    with pytest.raises(ParameterError, match="0 with a known randomizer"):
        HiddenSlot(5, 1.0, delta0=1e-6, randomizer=randomizers.Rr())


@pytest.mark.parametrize(
    ("kind", "argument", "words"),
    [
        (randomizers.Krr, 1, "categories"),
        (randomizers.Krr, 2.5, "categories"),
        (randomizers.Narrow, 1.0, "tv"),
        (randomizers.Gaussian, -1.0, "sigma"),
        (randomizers.Gaussian, 0.05, "gaussian:S with S at least 0.1"),
        (randomizers.DiscreteGaussian, 0.4, "from 0.5 to 1000"),
    ],
)
def test_parameters_are_checked_where_an_object_is_made(kind, argument, words):
    with pytest.raises(ParameterError, match=words):
        kind(argument)


def test_rows_of_a_table_are_exact_and_have_a_budget(tmp_path):
    file = tmp_path / "table.txt"
    file.write_text("0.5 0.25 0 0.25  # a comment\n0.25, 0.5, 0, 0.25\n", encoding="utf-8")
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    rows = randomizers.Table(str(file)).rows()
    assert (
        rows
        == exact_rows([[2.0, 1.0, 0.0, 1.0], [1.0, 2.0, 0.0, 1.0]])
        == [
            [half, quarter, quarter],
            [quarter, half, quarter],
        ]
    )
    assert budget(rows) == pytest.approx(0.6931471805599453, rel=1e-14)
    assert budget([[half, half], [Fraction(0), Fraction(1)]]) == float("inf")


@pytest.mark.parametrize("k", [2, 3, 4, 9])
def test_rows_of_responses_are_laws_of_ratio_x(k):
    x = Fraction(3, 2)
    for rows, sizes in randomizers.Krr(k).exact_rows(x):
        assert sum(sizes) == k and all(sum(row) == 1 for row in rows)
        assert max(max(column) / min(column) for column in zip(*rows, strict=True)) == x
