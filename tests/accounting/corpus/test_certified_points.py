"""Single points of a corpus: of the right direction, sample and composition, and what peers answer to them."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from mpmath import mp, mpf

from pldcheck import pld
from pldcheck.accounting.corpus import peer_answers
from pldcheck.accounting.corpus.certified_points import CorpusQuestion, certified_point
from pldcheck.accounting.peers.peer_processes import ANSWERED, NO_NUMBER, Claim

pytestmark = pytest.mark.nightly


def question(protocol, adjacency, quantity="epsilon", at="1e-3", **parameters):
    return CorpusQuestion("id", protocol, adjacency, tuple(parameters.items()), quantity, at)


def sampled_delta(sigma, rate, epsilon, removal):
    """Return delta of one sample of Gaussian noise, for a record that is removed, or added, by its threshold."""
    mp.dps = 30
    sigma, rate, e = mpf(sigma), mpf(rate), mp.exp(mpf(epsilon))
    ratio = e if removal else 1 / e
    edge = sigma**2 * mp.log((ratio - (1 - rate)) / rate) + mpf(1) / 2
    # What is above the edge without the record, and with it.
    without = mp.ncdf(-edge / sigma)
    with_it = (1 - rate) * without + rate * mp.ncdf((1 - edge) / sigma)
    return with_it - e * without if removal else (1 - without) - e * (1 - with_it)


def test_a_question_about_one_direction_is_answered_for_it():
    for adjacency in ("remove", "add"):
        asked = question("subsampled-gaussian", adjacency, "delta", "0.05", sigma="1.0", rate="0.25", steps="1")
        truth, interval = sampled_delta(1.0, 0.25, 0.05, adjacency == "remove"), asked.interval()
        assert interval.lower <= truth <= interval.upper and interval.relative_width < 1e-3, adjacency
    ends = {
        adjacency: question("random-allocation", adjacency, steps="2", sigma="1.0", epochs="1").interval()
        for adjacency in ("remove", "add", "add-remove")
    }
    assert ends["add"].upper < ends["remove"].lower <= ends["add-remove"].upper
    assert ends["add-remove"].lower <= ends["remove"].upper


def test_a_sample_is_that_of_the_adjacency():
    facts = {"sigma": "2.0", "rate": "0.25", "steps": "3", "sampling": "poisson"}
    asked = question("subsampled-gaussian", "replace", **facts)
    assert asked.interval() == pld.replaced_subsampled_gaussian(2.0, 0.25).compose(3).epsilon(1e-3)
    removed = question("subsampled-gaussian", "add-remove", **facts).interval()
    assert removed == pld.subsampled_gaussian(2.0, 0.25).compose(3).epsilon(1e-3)
    assert removed.upper < asked.interval().lower


def test_a_composition_has_the_steps_of_each_of_its_parts():
    asked = question("composition", "any", sigma=("2.0", "5.0"), steps=("4", "25"))
    # 4/4 + 25/25 is the variance of the loss: Gaussian noise of sigma = 2^(-1/2).
    exact = pld.gaussian(0.5).compose(1).epsilon(1e-3), pld.gaussian(2.0**-0.5).epsilon(1e-3)
    assert exact[0].lower > asked.interval().upper >= exact[1].lower and asked.interval().lower <= exact[1].upper


def test_no_delta_is_above_one():
    above = SimpleNamespace(interval=lambda: (0.5, 1.0 + 2.0**-52), quantity="delta", facts=dict)
    assert certified_point(above)["upper"] == "1"
    above.quantity = "epsilon"
    assert float(certified_point(above)["upper"]) > 1.0


def test_an_answer_for_other_neighbours_is_left_out(monkeypatch):
    points = [
        {**question("gaussian", "any", sigma="1.0", steps="1").facts(), "id": "a"},
        {**question("randomized-response", "replace", eps0="1.0", steps="1").facts(), "id": "b"},
        {**question("randomized-response", "replace", eps0="1.0", steps="2").facts(), "id": "c"},
        {**question("gaussian", "any", sigma="2.0", steps="1").facts(), "id": "d"},
        {**question("subsampled-gaussian", "add", sigma="1.0", rate="0.5", steps="1").facts(), "id": "e"},
        {**question("random-allocation", "remove", sigma="1.0", steps="2", epochs="1").facts(), "id": "f"},
        {**question("subsampled-gaussian", "remove", sigma="1.0", rate="0.5", steps="1").facts(), "id": "g"},
        {**question("subsampled-gaussian", "add", sigma="1.0", rate="0.5", steps="2").facts(), "id": "h"},
    ]
    said = ("add-remove", "add-remove", "replace", "", "add-remove", "add-remove", "remove", "remove")

    def answer(entry, questions, **limits):
        assert [one.to_dict()["adjacency"] for one in questions] == [point["adjacency"] for point in points]
        statuses = (ANSWERED, ANSWERED, ANSWERED, NO_NUMBER, *[ANSWERED] * 4)
        rows = zip(questions, said, statuses, strict=True)
        return [Claim("dp_accounting", "", status, 1.0, 2.0, adjacency) for _, adjacency, status in rows]

    # The package has a function of the name of its module.
    monkeypatch.setattr(import_module("pldcheck.accounting.corpus.peer_answers"), "ask_all", answer)
    # An answer about records added or removed says nothing of one that is replaced, and bounds each direction from
    # above; one about a direction says nothing of the other.
    assert peer_answers(points, "dp_accounting") == [
        {"id": "a", "upper": 2.0, "lower": 1.0},
        {"id": "c", "upper": 2.0, "lower": 1.0},
        {"id": "d", "upper": "nan", "lower": None},
        {"id": "e", "upper": 2.0, "lower": None},
        {"id": "f", "upper": 2.0, "lower": None},
        {"id": "g", "upper": 2.0, "lower": 1.0},
    ]
