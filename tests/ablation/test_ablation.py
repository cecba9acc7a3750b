"""The ablation fits the engine: its methods and questions exist, and what changed without a method is told."""

import json
from math import inf, log

import pytest

from pldcheck.protocols import JUDGEABLE

from ..benchmarks.width_questions import TABLES
from ..places import ROOT
from .__main__ import QUESTIONS, Change, against, row
from .answers import Answer, protocol_of, read, stored
from .methods import METHODS, Off, gives, method

ASKED = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
HALF = {
    "kind": "everyday",
    "protocol": "laplace",
    "params": {"scale": 1.0},
    "quantity": "epsilon",
    "at": 0.25,
    "width": None,
}


def test_every_method_has_its_files_and_functions():
    assert len({one.name for one in METHODS}) == len(METHODS)
    for one in METHODS:
        assert all((ROOT / "pldcheck" / file).is_file() for file in one.files), one.name
        for off in one.off:
            owner, name = next(off.places())
            assert callable(getattr(owner, name)), off.target


def test_the_questions_are_of_all_protocols_and_each_can_be_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    assert len(ASKED) == len({json.dumps(one) for one in ASKED}) == 400
    assert {one["protocol"] for one in ASKED} >= set(JUDGEABLE) - {"own-mechanism"}
    assert all(type(protocol_of(one)).supports(one["quantity"]) for one in ASKED)


def test_a_function_is_replaced_wherever_it_is_imported():
    from pldcheck.hidden_slot.known import epsilon_search, pair_curve

    original = pair_curve.few_steps
    off = Off("hidden_slot.known.pair_curve:few_steps", gives(False))
    try:
        off.replace(lambda _: off.other)
        assert pair_curve.few_steps is epsilon_search.few_steps is off.other
    finally:
        off.replace(lambda _: original)
    assert pair_curve.few_steps is epsilon_search.few_steps is original


def test_a_method_is_used_where_it_does_something():
    noted = []
    one = method("certain", "", Off("pld.largest_loss:certain_delta", gives(0.0)))
    original = one.off[0]
    (owner, name), *_ = original.places()
    kept = getattr(owner, name)
    try:
        one.off[0].replace(lambda _: lambda total, epsilon: epsilon)
        one.count(noted.append)
        assert [getattr(owner, name)(None, value) for value in (0.0, 0.5)] == [0.0, 0.5]
    finally:
        original.replace(lambda _: kept)
    assert noted == ["certain"]


@pytest.mark.parametrize(
    ("new", "widening", "is_wider"),
    [
        (Answer(1.0, 2.0), 0.0, False),
        (Answer(1.0, 2.1), 0.05, True),
        (Answer(1.0, 2.0 + 1e-9), 5e-10, False),
        (Answer(failure="no answer in 20 s"), inf, True),
    ],
)
def test_what_is_wider_by_a_hundredth_is_told(new, widening, is_wider):
    change = Change.of(HALF, Answer(1.0, 2.0, 1.0), new)
    assert change.widening == pytest.approx(widening) and change.is_wider == is_wider
    line = row(METHODS[0], [change])
    assert line[2] == "1" and line[-2] == f"{int(is_wider)}+0"
    assert len(list(against([(HALF, Answer(1.0, 2.0, 1.0), new)]))) == 3 + is_wider


def test_intervals_that_are_apart_are_an_error():
    with pytest.raises(ArithmeticError, match="are apart"):
        Change.of(HALF, Answer(1.0, 2.0), Answer(2.5, 3.0))


@pytest.mark.nightly
def test_answers_are_stored_and_not_asked_again(tmp_path):
    file = tmp_path / "answers.jsonl"
    (answer,) = stored([HALF], file)
    assert answer.lower <= 1.0 + 2.0 * log(0.75) + 1e-15 and answer.upper >= 1.0 + 2.0 * log(0.75) - 1e-15
    assert read(file) == {json.dumps(HALF): answer}
    file.write_text(file.read_text().replace(repr(answer.upper), "9.5"))
    assert stored([HALF], file)[0].upper == 9.5
