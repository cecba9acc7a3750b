"""Certificates of randomizers whose own law no program knows: the claim is about all randomizers of their budget."""

from fractions import Fraction

import pytest
from flint import arb

from pldcheck import CheckIn, HiddenSlot, Shuffle
from pldcheck.checkers.programs import CERTIFICATES
from pldcheck.core.errors import ParameterError
from pldcheck.randomizers import Table
from pldcheck.witness.claim_kinds import kind_of, with_the_worst
from pldcheck.witness.upper_certificates import certificate

DELTA = 1e-4


@pytest.mark.parametrize(
    ("protocol", "worst"),
    [
        (HiddenSlot(50, 1.0, weight=0.5, randomizer="laplace", epochs=2), HiddenSlot(50, 1.0, weight=0.5, epochs=2)),
        (Shuffle(60, 0.5, randomizer="laplace"), Shuffle(60, 0.5)),
        (CheckIn(60, 0.5, 0.3, randomizer="krr:3"), CheckIn(60, 0.5, 0.3)),
        (Shuffle(60, 0.5, randomizer="tv:0.1"), Shuffle(60, 0.5)),
        pytest.param(
            Shuffle(60, 0.5, randomizer="krr:4", rounds=3), Shuffle(60, 0.5, rounds=3), marks=pytest.mark.nightly
        ),
    ],
    ids=str,
)
def test_the_claim_is_that_of_all_randomizers_and_lies_above_their_lower_end(protocol, worst):
    record = certificate(protocol, delta=DELTA)
    claim = record.facts["claim"]
    assert claim == kind_of(worst).claim(claim["epsilon"], claim["delta"])
    assert Fraction(claim["epsilon"]) > worst.epsilon(DELTA).lower >= protocol.epsilon(DELTA).lower
    assert record.reached > record.asked and record.wider and "every adaptive eps0-DP randomizer" in record.sentence
    assert CERTIFICATES[record.facts["pldcheck_certificate"]].verify(record.facts) == (0, record.sentence)


@pytest.mark.nightly
def test_what_would_not_hold_for_all_randomizers_is_not_searched_for():
    protocol = HiddenSlot(1000, 1.0, randomizer="laplace")
    kind = kind_of(protocol)
    assert kind.search(kind.claim(repr(protocol.epsilon(1e-6).upper), "0.000001")) is None


@pytest.mark.parametrize(
    ("protocol", "nearer"),
    [
        (HiddenSlot(100, 2.0, randomizer="laplace"), 1.1),
        pytest.param(HiddenSlot(10, randomizer="gaussian:1"), 1.1, marks=pytest.mark.nightly),
    ],
    ids=str,
)
def test_a_record_replaced_in_continuous_noise_has_a_claim_of_its_own_near_the_engine(protocol, nearer):
    record = certificate(protocol, delta=1e-6)
    claim = record.facts["claim"]
    assert claim["mechanism"] == "hidden-slot" and "slot-pair" in record.sentence and not record.wider
    assert record.asked < record.reached < nearer
    # A claim of a tenth less is not searched for, nor is one that the program verifies left out.
    kind = kind_of(protocol)
    assert kind.search(kind.claim(repr(0.9 * float(claim["epsilon"])), claim["delta"])) is None
    least = kind.least("delta", float(claim["epsilon"]))
    assert 0.5 < least / 1e-6 < 1.05
    assert Fraction(claim["epsilon"]) > protocol.epsilon(1e-6).lower


@pytest.mark.nightly
def test_small_losses_of_laplace_noise_are_claimed_for_all_randomizers():
    record = certificate(HiddenSlot(1000, 0.2, randomizer="laplace"), delta=1e-9)
    assert "every adaptive eps0-DP randomizer" in record.sentence and record.reached < 1.04


@pytest.mark.nightly
def test_a_budget_below_the_range_of_the_sum_is_claimed_for_all_randomizers():
    record = certificate(HiddenSlot(10, 1e-12, randomizer="laplace"), delta=1e-15)
    assert "every adaptive eps0-DP randomizer" in record.sentence


@pytest.mark.nightly
def test_no_epsilon_is_needed_where_delta_is_large():
    assert (
        certificate(HiddenSlot(10, weight=0.01, randomizer="gaussian:30"), delta=1e-3).facts["claim"]["epsilon"]
        == "0e0"
    )


def test_a_table_has_its_own_budget_rounded_up(tmp_path):
    # More outputs than the program of tables takes; an output has 0.01 and 0.005 or 0.015.
    path = tmp_path / "many.csv"
    path.write_text(",".join(["0.01"] * 100) + "\n" + ",".join(["0.005"] * 50 + ["0.015"] * 50))
    worst = with_the_worst(Shuffle(10, 5.0, randomizer=Table(str(path))))
    assert worst == Shuffle(10, worst.eps0) and arb(worst.eps0).exp() > 2
    assert worst.eps0 < 0.6932


def test_a_table_with_a_certain_output_has_no_budget(tmp_path):
    path = tmp_path / "certain.csv"
    path.write_text("1,0\n0.5,0.5")
    assert with_the_worst(Shuffle(10, 5.0, randomizer=Table(str(path)), rounds=2)) is None


@pytest.mark.parametrize(
    "protocol",
    [
        Shuffle(10, 1.0),
        Shuffle(10, 1.0, randomizer="krr:3"),
        Shuffle(10, 1.0, randomizer="gaussian:2"),
        HiddenSlot(10, 1.0),
        HiddenSlot(10, 1.0, randomizer="laplace", adjacency="zero-out"),
        HiddenSlot(10, randomizer="discrete-gaussian:2"),
    ],
    ids=str,
)
def test_others_have_a_program_or_no_budget(protocol):
    assert with_the_worst(protocol) is None


def test_a_claim_without_delta_is_that_of_all_randomizers():
    record = certificate(HiddenSlot(10, 1.0, randomizer="laplace"), epsilon=1.0)
    assert "every adaptive eps0-DP randomizer" in record.sentence and "(1.0, 0e0)-DP" in record.sentence


def test_noise_without_a_budget_is_refused():
    with pytest.raises(ParameterError, match="for a certificate of shuffling, got 'gaussian:2'"):
        certificate(Shuffle(10, 1.0, randomizer="gaussian:2"), delta=DELTA)
