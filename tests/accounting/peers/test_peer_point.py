"""Points: what a protocol is put to peers as."""

import json
from math import log1p

import pytest

from pldcheck import pld
from pldcheck.accounting.peers import PEERS, Question, parse_peer, point
from pldcheck.core.errors import ParameterError, PldcheckError, UnknownNameError
from pldcheck.protocols import (
    PROTOCOLS,
    Composition,
    DecayingBudgets,
    Gaussian,
    HiddenSlot,
    RandomAllocation,
    RandomizedResponse,
    Shuffle,
    SubsampledGaussian,
    SubsampledRandomizedResponse,
)
from pldcheck.protocols.capabilities import MOST_PARTS, Part


def parts(protocol):
    return point(protocol, 1e-6).parts


def part(kind, count, **numbers):
    return Part(kind, tuple(numbers.items()), count)


def test_protocols_are_taken_apart_into_mechanisms():
    assert parts(RandomizedResponse(7, 0.5)) == (part("rr", 7, eps0=0.5, delta0=0.0),)
    assert parts(RandomizedResponse(3, 0.5, 1.5)) == tuple(
        part("rr", 1, eps0=eps0, delta0=0.0) for eps0 in (0.5, 1.0, 1.5)
    )
    assert parts(DecayingBudgets(2, 1.0, 0.5)) == tuple(
        part("rr", 1, eps0=log1p(1.0 / rest), delta0=0.0) for rest in (2.0, 1.5)
    )
    assert parts(SubsampledGaussian(2.0, 0.1, 5)) == (part("subsampled-gaussian", 5, sigma=2.0, rate=0.1),)
    fixed_size = SubsampledGaussian(2.0, 0.1, 5, "fixed-size")
    assert parts(fixed_size) == (part("fixed-size-gaussian", 5, sigma=2.0, rate=0.1),)
    sample = SubsampledRandomizedResponse(1.0, 0.1, 0.25, 5)
    assert parts(sample) == (part("subsampled-rr", 5, eps0=1.0, rate=0.1, delta0=0.25),)
    several = Composition(("rr:1*3", "rr:1:0.25", "gaussian:2"), 4)
    assert parts(several) == (
        part("rr", 12, eps0=1.0, delta0=0.0),
        part("rr", 4, eps0=1.0, delta0=0.25),
        part("gaussian", 4, sigma=2.0),
    )


@pytest.mark.nightly
def test_parts_compose_to_the_protocol():
    """The certified loss of the parts, put together here, is that of the protocol."""
    makers = {
        "rr": pld.randomized_response,
        "gaussian": pld.gaussian,
        "laplace": pld.laplace,
        "subsampled-gaussian": pld.subsampled_gaussian,
        "fixed-size-gaussian": pld.fixed_size_gaussian,
        "subsampled-rr": pld.subsampled_randomized_response,
        "discrete-laplace": pld.discrete_laplace,
        "discrete-gaussian": pld.discrete_gaussian,
    }
    texts = ("rr:1*3", "laplace:3", "discrete-laplace:4*2", "discrete-gaussian:2", "fixed-size-gaussian:3:0.5")
    for protocol in (
        RandomizedResponse(5, 0.1, 0.3),
        DecayingBudgets(5, 1.0, 0.5),
        Composition(texts, 2),
        Composition(("subsampled-gaussian:3:0.25*4", "subsampled-rr:1:0.5:1e-9")),
        SubsampledRandomizedResponse(1.0, 0.1, 1e-9, 5),
    ):
        at = point(protocol, 1e-6)
        laws = [makers[one.kind](**dict(one.numbers)).compose(one.count) for one in at.parts]
        interval, certificate = pld.compose_all(laws).epsilon(1e-6), at.interval()
        assert interval.lower <= certificate.upper and certificate.lower <= interval.upper
        assert certificate.relative_width < 0.5


def test_protocols_that_are_no_compositions_are_parts_of_their_own():
    (one,) = parts(RandomAllocation(10, 2.0, adjacency="add"))
    assert (one.kind, one.count) == ("random-allocation", 1)
    assert dict(one.numbers)["adjacency"] == "add"
    many = RandomizedResponse(MOST_PARTS + 1, 0.5, 1.0)
    assert [one.kind for one in parts(many)] == ["randomized-response"]


@pytest.mark.parametrize(
    ("protocol", "adjacency"),
    [
        (Gaussian(1.0), "any"),
        (SubsampledGaussian(1.0, 0.1), "add-remove"),
        (SubsampledGaussian(1.0, 0.1, 1, "fixed-size"), "replace"),
        (RandomAllocation(10, 1.0), "add-remove"),
        (RandomAllocation(10, 1.0, adjacency="remove"), "remove"),
        (RandomAllocation(10, 1.0, adjacency="replace"), "replace"),
        (HiddenSlot(10, 1.0, adjacency="zero-out"), "zero-out"),
        (Shuffle(10, 1.0), "replace"),
        (Composition(("gaussian:1", "laplace:1")), "any"),
        (Composition(("gaussian:1", "rr:1")), "replace"),
        (Composition(("gaussian:1", "subsampled-gaussian:1:0.5")), "add-remove"),
        (Composition(("rr:1", "subsampled-gaussian:1:0.5")), "mixed"),
    ],
    ids=str,
)
def test_a_point_has_the_adjacency_of_its_protocol(protocol, adjacency):
    assert point(protocol, 1e-6).adjacency == adjacency


def test_points_are_values_and_rebuild_their_protocol():
    one, same = point(Gaussian(2.0), "1e-6"), point(Gaussian(2.0), 1e-6)
    assert one == same and len({one, same, point(Gaussian(2.0), epsilon=1.0)}) == 2
    assert one.instance == Gaussian(2.0) and one.interval() == Gaussian(2.0).epsilon(1e-6)
    assert point(Gaussian(2.0), epsilon=1.0).interval() == Gaussian(2.0).delta(1.0)


def test_questions_are_exact():
    third = 1.0 / 3.0
    facts = json.loads(json.dumps(Question(point(Gaussian(third), third / 7)).to_dict()))
    assert facts["at"] == third / 7 and facts["parts"][0]["numbers"]["sigma"] == third


@pytest.mark.parametrize(
    "arguments",
    [{}, {"delta": 0.1, "epsilon": 1.0}, {"delta": 0.0}, {"delta": float("nan")}, {"epsilon": -1.0}],
    ids=str,
)
def test_bad_points(arguments):
    with pytest.raises(ParameterError):
        point(Gaussian(1.0), **arguments)


@pytest.mark.nightly
def test_bad_protocols():
    for bad in ("gaussian", None, Gaussian, PROTOCOLS["gaussian-mean"](10, 2)):
        with pytest.raises(ParameterError, match="protocol"):
            point(bad, 1e-6)


def test_names_of_peers_are_parsed():
    assert parse_peer("prv_accountant") == parse_peer("PRV") == (PEERS["prv"], "")
    assert parse_peer("dp-accounting:rdp") == (PEERS["dp_accounting"], "rdp")
    with pytest.raises(UnknownNameError, match="unknown peer 'optdp'; did you mean opendp"):
        parse_peer("optdp")
    with pytest.raises(UnknownNameError, match="known: rdp, pessimistic, optimistic"):
        parse_peer("dp_accounting:zzz")
    with pytest.raises(PldcheckError, match="^prv has only one accountant; write prv and not prv:"):
        parse_peer("prv:rdp")
