"""The writing of a corpus: as a whole or not at all, resumed after an interruption, and read by its judge."""

import pytest

from pldcheck.accounting import corpus
from pldcheck.accounting.corpus import corpus_writer
from pldcheck.core.errors import PldcheckError
from pldcheck.witness import judge_corpus

CHEAP = ["gaussian", "composition"]


@pytest.fixture
def interrupted(monkeypatch):
    """Returns a function that lets the next corpus be interrupted after so many points."""
    solve = corpus_writer.certified_point

    def after(count):
        left = [count]

        def counted(question, files=None):
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return solve(question, files)

        monkeypatch.setattr(corpus_writer, "certified_point", counted)
        return left

    return after


def test_a_corpus_is_read_by_the_judge_and_is_the_same_again(tmp_path):
    calls = []
    head = corpus.write_corpus(tmp_path / "one", 30, 5, CHEAP, progress=lambda *numbers: calls.append(numbers))
    assert (head["count"], head["seed"], head["protocols"]) == (30, 5, sorted(CHEAP))
    assert calls == [(i, 30) for i in range(1, 31)]
    stored, points = judge_corpus.read_corpus(tmp_path / "one")
    asked = corpus.questions(30, 5, CHEAP)
    assert stored == head and [point["id"] for point in points] == [question.id for question in asked]
    for point, question in zip(points, asked, strict=True):
        lower, upper = question.interval()
        assert judge_corpus.number(point["lower"]) <= judge_corpus.number(lower), point["id"]
        assert judge_corpus.number(point["upper"]) >= judge_corpus.number(upper), point["id"]
    corpus.write_corpus(tmp_path / "two", 30, 5, CHEAP)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_an_interrupted_corpus_goes_on_where_it_was(tmp_path, interrupted):
    file, part = tmp_path / "corpus", tmp_path / "corpus.part"
    corpus.write_corpus(tmp_path / "whole", 20, 0, CHEAP)
    interrupted(7)
    with pytest.raises(KeyboardInterrupt):
        corpus.write_corpus(file, 20, 0, CHEAP)
    assert not file.exists() and part.read_bytes().count(b"\n") == 8
    part.write_bytes(part.read_bytes()[:-9])  # the last line is cut off, and its point computed again
    left = interrupted(20)
    corpus.write_corpus(file, 20, 0, CHEAP)
    assert left == [6] and not part.exists()
    assert file.read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.nightly
def test_a_part_of_another_corpus_is_refused_and_kept(tmp_path, interrupted):
    interrupted(3)
    with pytest.raises(KeyboardInterrupt):
        corpus.write_corpus(tmp_path / "corpus", 20, 0, CHEAP)
    content = (tmp_path / "corpus.part").read_bytes()
    for count, seed, protocols in ((21, 0, CHEAP), (20, 1, CHEAP), (20, 0, ["gaussian"])):
        with pytest.raises(PldcheckError, match="a part of another corpus"):
            corpus.write_corpus(tmp_path / "corpus", count, seed, protocols)
    with pytest.raises(PldcheckError, match="a part of another corpus"):
        corpus.write_corpus(tmp_path / "corpus", 20, 0, CHEAP, evidence=lambda question: {})
    assert (tmp_path / "corpus.part").read_bytes() == content
    (tmp_path / "corpus.part").write_bytes(b"\x00\n")  # nothing of it can be read: it is begun anew
    interrupted(20)
    assert corpus.write_corpus(tmp_path / "corpus", 20, 0, CHEAP)["count"] == 20


@pytest.mark.nightly
def test_the_number_of_processes_changes_nothing(tmp_path):
    corpus.write_corpus(tmp_path / "one", 40, 0, workers=0)
    corpus.write_corpus(tmp_path / "two", 40, 0, workers=2)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.nightly
def test_an_engine_that_refuses_a_question_is_named_with_it(tmp_path, monkeypatch):
    def refuse(question, files=None):
        raise PldcheckError("no answer")

    monkeypatch.setattr(corpus_writer, "certified_point", refuse)
    with pytest.raises(PldcheckError, match="gaussian/any/plain/0: no answer"):
        corpus.write_corpus(tmp_path / "corpus", 1, 0, CHEAP)
    assert not (tmp_path / "corpus").exists()
