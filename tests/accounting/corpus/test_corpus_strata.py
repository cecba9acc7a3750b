"""Questions of a corpus: reproducible from a seed, in all corners, and in texts that mean what they say."""

from collections import Counter
from decimal import Decimal

import pytest

from pldcheck.accounting import corpus
from pldcheck.core.errors import UnknownNameError

ALL = corpus.questions(10_000, 0)


def values(name):
    """Return all values of a parameter, as decimals."""
    return [Decimal(text) for question in ALL for text in [dict(question.parameters).get(name)] if type(text) is str]


def test_a_seed_and_an_id_decide_a_question():
    some = corpus.questions(500, 0)
    assert some == ALL[:500] and len({question.id for question in ALL}) == len(ALL)
    questions_by_id = {question.id: question for question in ALL}
    for question in corpus.questions(300, 0, ["laplace", "shuffle"]):
        assert questions_by_id.get(question.id, question) == question
    others = corpus.questions(500, 1)
    assert [question.id for question in others] == [question.id for question in some] and others != some
    # What a stored corpus has must be drawn again by any version of Python.
    assert some[0].parameters == (("sigma", "11.2"), ("steps", "34")) and some[0].at == "7.94e-5"


def test_the_corners_are_there():
    counts = Counter((question.protocol, question.id.split("/")[2]) for question in ALL)
    assert min(counts.values()) >= 50 and {name for name, _ in counts} == set(corpus.protocol_names())
    assert {question.adjacency for question in ALL} == {"any", "add-remove", "add", "remove", "replace"}
    assert min(values("sigma")) < Decimal("0.1") and max(values("sigma")) > 10**5
    assert min(values("rate")) < Decimal("1e-7") and max(values("rate")) > Decimal("0.999")
    assert {1, 10**6} <= set(values("steps")) and max(values("clients")) > 10**11
    given = {name: [Decimal(one.at) for one in ALL if one.quantity == name] for name in ("epsilon", "delta")}
    assert min(given["epsilon"]) < Decimal("1e-29") and max(given["epsilon"]) > Decimal("0.4")
    assert min(given["delta"]) == 0 and min(one for one in given["delta"] if one) < Decimal("1e-8")
    assert len(set(ALL)) == len(ALL)


@pytest.mark.nightly
def test_every_text_is_a_plain_decimal_that_its_mechanism_takes():
    for question in ALL:
        texts = [text for _, value in question.parameters for text in ([value] if type(value) is str else value)]
        for text in (*texts, question.at):
            assert text in ("poisson", "fixed-size") or Decimal(text).is_finite()
        assert question.mechanism  # it refuses what is out of its range


def test_a_protocol_that_no_corpus_has_is_refused():
    with pytest.raises(UnknownNameError, match="unknown protocol of a corpus"):
        corpus.questions(1, 0, ["hidden-slot"])
