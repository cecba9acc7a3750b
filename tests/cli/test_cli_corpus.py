"""``pldcheck corpus`` on the command line: what it writes, and what it refuses."""

import json

import pytest

from pldcheck.witness import examine, judge_corpus
from pldcheck.witness.upper_certificates import check


@pytest.mark.nightly
def test_a_corpus_with_its_files(pldcheck, tmp_path):
    words = ("corpus", "--count", 11, "--seed", 3, "--protocol", "randomized-response", "--out", "c.jsonl", "--files")
    result = pldcheck(*words)
    assert (result.status, result.err) == (0, "")
    head, points = judge_corpus.read_corpus("c.jsonl")
    assert f"11 certified points of randomized-response; seed 3, digest {head['digest']}" in result.out
    assert sum("witness" in point for point in points) >= 3 and sum("certificate" in point for point in points) >= 5
    for point in points:
        if "certificate" in point:
            file = tmp_path / point["certificate"]
            claim = json.loads(file.read_text())["claim"]
            upper, claimed = (judge_corpus.number(one) for one in (point["upper"], claim[point["quantity"]]))
            assert check(file).status == 0 and upper <= claimed <= 4 * upper
        if "witness" in point:
            assert examine(tmp_path / point["witness"])[0]
    assert pldcheck(*words, "--json").json["digest"] == head["digest"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "missing option --out"),
        (("--out", "."), "out must be a file to write to"),
        (("--out", "f/g/\0"), "out must be a file to write to"),
        (("--out", "/proc/f/c", "--count", 1), "out must be a folder to write to"),
        (("--out", "c", "--count", 0), "count must be an integer from 1 to 100000, got '0'"),
        (("--out", "c", "--count", "1.5"), "count must be an integer from 1 to 100000"),
        (("--out", "c", "--count", "nan"), "count must be an integer"),
        (("--out", "c", "--seed", -1), "seed must be an integer"),
        (("--out", "c", "--workers", -1), "workers must be an integer from 0 to 4096"),
        (("--out", "c", "--protocol", "gausian"), "unknown protocol of a corpus 'gausian'; did you mean gaussian"),
        (("--out", "c", "--count", 1, "--count", 2), "--count is given twice"),
        (("c", "--out", "c"), "unexpected"),
    ],
)
def test_bad_input_is_refused_in_one_line(pldcheck, tmp_path, words, message):
    result = pldcheck("corpus", *words)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1) and message in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_a_part_of_another_corpus_is_refused_in_one_line(pldcheck, tmp_path):
    (tmp_path / "c.part").write_text(json.dumps({"kind": "corpus part"}) + "\n")
    assert pldcheck("corpus", "--out", "c", "--count", 2, "--protocol", "gaussian").status == 0  # nothing sealed
    head, _ = judge_corpus.read_corpus("c")
    (tmp_path / "d.part").write_text(json.dumps(head) + "\n")
    result = pldcheck("corpus", "--out", "d", "--count", 3, "--protocol", "gaussian")
    assert result.status == 2 and "is a part of another corpus" in result.err and result.err.count("\n") == 1
