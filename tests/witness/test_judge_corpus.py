"""The judge of a corpus, on corpora written by hand: every verdict on both sides of its edge, and every refusal."""

import ast
import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from math import inf, nan, nextafter
from pathlib import Path

import numpy as np
import pytest

from pldcheck.witness import judge_corpus


def seal(values):
    """Return values with their digest, as the format describes it."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return {**values, "digest": blake2b(text.encode("ascii"), digest_size=16).hexdigest()}


def made_point(name, lower, upper, **more):
    facts = {"kind": "point", "id": name, "protocol": "gaussian", "adjacency": "any", "parameters": {"sigma": "1"}}
    return seal({**facts, "quantity": "epsilon", "delta": "1e-6", "lower": lower, "upper": upper, **more})


def corpus_text(points, **more):
    whole = blake2b("".join(point["digest"] for point in points).encode(), digest_size=16).hexdigest()
    head = {"kind": "corpus", "format": 1, "seed": 0, "count": len(points), "sum": whole, **more}
    return "".join(json.dumps(line) + "\n" for line in [seal(head), *points])


POINTS = [
    made_point("a", "1.5", "1.75"),
    made_point("b", "0", "0"),
    made_point("c", "2", "inf"),
    made_point("d", "0.1", "0.2", quantity="delta", epsilon="1"),
]


@pytest.fixture
def run(tmp_path):
    """Runs the program on two files, alone; returns its status, its lines and what it says on stderr."""

    def call(answers, corpus=None, *more):
        corpus = corpus_text(POINTS) if corpus is None else corpus
        (tmp_path / "corpus.jsonl").write_text(corpus)
        text = answers if isinstance(answers, str) else "".join(json.dumps(answer) + "\n" for answer in answers)
        (tmp_path / "answers.jsonl").write_text(text)
        words = [sys.executable, "-I", "-S", judge_corpus.__file__, "corpus.jsonl", "answers.jsonl", *more]
        process = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
        return process.returncode, process.stdout.splitlines(), process.stderr

    return call


def verdict(answer, tolerance="0", points=POINTS):
    """Return the judgement on one function of a point."""
    return judge_corpus.judge(points, judge_corpus.ask(points, answer), Decimal(tolerance))


def test_the_program_is_short_and_needs_the_standard_library():
    text = Path(judge_corpus.__file__).read_text()
    assert len(text.splitlines()) < 260
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not any(getattr(node, "level", 0) for node in nodes)
    names = {getattr(node, "module", None) or alias.name for node in nodes for alias in node.names}
    assert names <= sys.stdlib_module_names


def test_status_and_report(run):
    assert run([{"id": "a", "upper": 2.1}, {"id": "c", "upper": inf}]) == (
        0,
        [
            "SOUND: 2 of 4 points are answered, none certainly false",
            "gaussian: 0 false; over the upper end: median 1.2, worst 1.2 at a",
        ],
        "",
    )
    status, lines, errors = run([{"id": "a", "upper": 1.2}, {"id": "b", "upper": 0.0}, {"id": "d", "lower": 0.4}])
    assert (status, errors) == (1, "")
    assert lines[0] == "UNSOUND: 3 of 4 points are answered, 2 certainly false, 2 of them by more than 1E-9, relatively"
    assert lines[2].startswith("  d: lower 0.40000000000000002") and " by 1: delta of gaussian sigma=1" in lines[2]
    assert lines[3].startswith("  a: upper 1.2") and "lower end 1.5, by 0.25: epsilon of gaussian sigma=1" in lines[3]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("answer", "false"),
    [
        (1.5, False),
        (nextafter(1.5, 0), True),
        (1.6, False),
        (inf, False),
        (-inf, True),
        (nan, True),
        (-1e-300, True),
        ("1.5", False),
        ("1.4999999999999999999999999999999999999999", True),
        ((1.75, None), False),
        ((nextafter(1.75, 2), None), True),
        ((-1.0, None), False),
        ((inf, None), True),
        ((nan, 2.0), True),
        ((1.6, 1.7), False),
        (np.float32(1.25), True),
        (np.float64(1.5), False),
        (np.int64(2), False),
        (Fraction(3, 2), False),
        (2, False),
        (None, False),
    ],
)
def test_every_verdict_from_both_sides(answer, false):
    judgement = verdict(lambda point: answer, points=POINTS[:1])
    assert judgement.sound == (not false) and judgement.answered == (answer is not None)


@pytest.mark.nightly
def test_a_double_is_the_number_that_it_is_and_not_its_text():
    # The double 0.1 is above one tenth, so that as a lower end it is certainly false; the text is one tenth.
    points = [made_point("e", "0.05", "0.1")]
    assert not verdict(lambda point: (0.1, None), points=points).sound
    assert verdict(lambda point: ("0.1", None), points=points).sound
    # The double 0.3 is below three tenths.
    assert not verdict(lambda point: 0.3, points=[made_point("f", "0.3", "0.4")]).sound


@pytest.mark.nightly
def test_ends_that_are_zero_or_infinite():
    assert verdict(lambda point: 0.0, points=POINTS[1:2]).sound
    assert not verdict(lambda point: (1e-300, None), points=POINTS[1:2]).sound
    assert verdict(lambda point: (inf, None), points=POINTS[2:3]).sound  # the upper end is infinite
    one = verdict(lambda point: inf, points=POINTS[:3])
    assert one.sound and one.infinite == 2 and one.ratios == {}  # at c it is no looser than the certified end


@pytest.mark.nightly
def test_a_tolerance_forgives_up_to_its_size_and_no_more():
    for answer in ("1.2", ("2.1875", None)):  # by a quarter
        assert verdict(lambda point, answer=answer: answer, "0.25", POINTS[:1]).sound
        assert not verdict(lambda point, answer=answer: answer, "0.2499999", POINTS[:1]).sound
    assert not verdict(lambda point: nan, "0.5", POINTS[:1]).sound
    assert not verdict(lambda point: 0.0, "0.999", POINTS[:1]).sound


@pytest.mark.nightly
def test_the_worst_comes_first_and_ratios_are_those_of_upper_ends():
    judgement = verdict(lambda point: {"a": 1.4, "d": 0.05}.get(point["id"]))
    assert [fault.point["id"] for fault in judgement.faults] == ["d", "a"]
    assert [float(fault.by) for fault in judgement.faults] == pytest.approx([1.0, 1.5 / 1.4 - 1])
    assert verdict(lambda point: (0.0, 3.5), points=POINTS[:1]).ratios == {"a": 2.0}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ("", "answers.jsonl: there is no answer"),
        ("x\n", "answers.jsonl, line 1: not a JSON object"),
        ("[1]\n", "line 1: not a JSON object"),
        ("[" * 100_000 + "\n", "line 1: not a JSON object"),
        ([{"id": "e", "upper": 1}], "its id is none of the corpus"),
        ([{"id": ["a"], "upper": 1}], "its id is none of the corpus"),
        ([{"upper": 1}], "its id is none of the corpus"),
        ([{"id": "a", "upper": 1}, {"id": "a", "upper": 2}], "line 2: a is answered twice"),
        ([{"id": "a", "epsilon": 1}], "an answer has id, upper and lower alone"),
        ([{"id": "a"}], "an answer has an upper or a lower end"),
        ([{"id": "a", "upper": True}], "an end must be a number, got 'True'"),
        ([{"id": "a", "upper": "one"}], "an end must be a number, got 'one'"),
        ([{"id": "a", "upper": [1]}], "an end must be a number, got '[1]'"),
        ([{"id": "a", "upper": "1e-99999999"}], "an end must be a number"),
    ],
)
def test_answers_that_cannot_be_read_are_refused_in_one_line(run, answers, words):
    status, lines, errors = run(answers)
    assert (status, lines) == (2, []) and words in errors and errors.count("\n") == 1


def test_damage_of_a_corpus_is_noticed(run):
    answers, lines = [{"id": "a", "upper": 9}], corpus_text(POINTS).splitlines(keepends=True)

    def refusal(text):
        status, out, errors = run(answers, text)
        assert (status, out) == (2, []) and errors.count("\n") == 1
        return errors

    moved = "its points are not those that were written"
    assert "line 2: its digest does not match" in refusal("".join(lines).replace('"1.5"', '"0.5"'))
    assert moved in refusal("".join([*lines[:2], *lines[3:]]))
    assert moved in refusal("".join([*lines, lines[1]]))
    assert moved in refusal("".join([lines[0], lines[2], lines[1], *lines[3:]]))
    assert "format 1" in refusal(corpus_text(POINTS, format=2)) and "format 1" in refusal("".join(lines[1:]))
    assert "empty" in refusal("") and "line 3: not a JSON object" in refusal("".join(lines[:2]) + "{\n")
    assert "not a point" in refusal(corpus_text([made_point("a", "2", "1")]))
    assert "not a point" in refusal(corpus_text([made_point("a", "nan", "1")]))
    assert "not a point" in refusal(corpus_text([made_point("a", "1", "2", quantity="renyi")]))
    assert "not a point" in refusal(corpus_text([made_point(["a"], "1", "2")]))


@pytest.mark.nightly
def test_misuse_of_the_program(run, tmp_path):
    for more in (["1"], ["-0.1"], ["x"], ["0", "0"]):
        status, lines, errors = run([{"id": "a", "upper": 9}], corpus_text(POINTS), *more)
        assert (status, lines, errors.count("\n")) == (2, [], 1), more
    assert run([{"id": "a", "upper": "1.2"}], corpus_text(POINTS), "0.25")[0] == 0
    command = [sys.executable, "-I", "-S", judge_corpus.__file__]
    for words in ([], ["nothing", "nothing"], [tmp_path, tmp_path]):
        process = subprocess.run([*command, *words], capture_output=True, text=True, cwd=tmp_path)
        assert (process.returncode, process.stdout, process.stderr.count("\n")) == (2, "", 1)
