"""Certificates of hidden slots: what is written is accepted, says what was asked, and is never below a lower end."""

import json
from fractions import Fraction

import pytest

from pldcheck.checkers import block_recursion, upper_slot
from pldcheck.core.errors import PldcheckError
from pldcheck.protocols import CheckIn, HiddenSlot, Shuffle, SlidingWindow
from pldcheck.witness import slot_certificates, upper_certificates
from pldcheck.witness.block_plans import plans
from pldcheck.witness.certificate_estimates import estimate
from pldcheck.witness.slot_questions import Question
from pldcheck.witness.upper_certificates import certificate

# A question for each protocol, adjacency and range of sizes.
QUESTIONS = [
    (HiddenSlot(1, 1.0), 1e-6),
    (HiddenSlot(2, 6.0, 0.01), 1e-12),
    (HiddenSlot(10, 0.1), 1e-3),
    (HiddenSlot(40, 4.0, adjacency="zero-out"), 1e-6),
    (HiddenSlot(1000, 1.0), 1e-6),
    (HiddenSlot(10**6, 4.0), 1e-6),
    (HiddenSlot(10**6, 6.0, 0.01), 1e-30),
    (HiddenSlot(10**12, 1.0), 1e-30),
    (HiddenSlot(10**12, 0.1, 0.01), 1e-3),
    (HiddenSlot(300, 1.0, 0.5, randomizer="rr"), 1e-5),
    (HiddenSlot(4, 1.0, randomizer="krr:2"), 1e-3),
    (CheckIn(500, 1.0, 0.2), 1e-6),
    (CheckIn(500, 1.0, 0.2, clients=100), 1e-6),
    (SlidingWindow(100, 5000, 1.0), 1e-6),
    (SlidingWindow(100, 130, 1.0), 1e-6),
]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_what_is_written_is_accepted_half_a_percent_above_the_upper_end(number):
    protocol, delta = QUESTIONS[number]
    # Certificates for known clients are those for any number of clients, whose epsilon may be larger.
    engine = protocol.epsilon(delta).upper
    upper = (protocol.alone if isinstance(protocol, CheckIn) else protocol).epsilon(delta).upper
    record = certificate(protocol, delta=delta)
    assert record.asked == upper_certificates.EPSILON_MARGIN
    assert record.reached == record.asked * (max(1.0, upper / engine) if engine else 1.0)
    claim = record.facts["claim"]
    assert Fraction(claim["delta"]) == Fraction(repr(delta))
    assert 0 <= Fraction(claim["epsilon"]) - Fraction(upper) * Fraction(1005, 1000) <= Fraction(upper) / 10**8
    assert len(json.dumps(record.facts)) < 1000
    assert upper_slot.verify(json.loads(json.dumps(record.facts))).status == 0
    assert record.sentence.startswith("accepted: ")


# The fineness of a certificate that verifies a true claim must not verify one below what a mechanism attains.
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_no_lower_end_is_above_a_claim_that_is_accepted(number):
    protocol, delta = QUESTIONS[number]
    lower = protocol.epsilon(delta).lower
    facts = certificate(protocol, delta=delta).facts
    for factor in (0.999, 0.99, 0.9, 0.5):
        if lower > 0.0:
            facts["claim"]["epsilon"] = f"{Fraction(lower * factor).limit_denominator(10**18).__float__():.15e}"
            facts["claim"]["epsilon"] = facts["claim"]["epsilon"].replace("e+", "e")
            assert upper_slot.verify(facts).status == 1
    facts["claim"]["epsilon"] = "0" if lower == 0.0 else repr(lower)
    attained = protocol.delta(float(facts["claim"]["epsilon"])).lower
    facts["claim"]["delta"] = repr(attained * 0.999)
    assert upper_slot.verify(facts).status == 1


@pytest.mark.nightly
def test_a_claim_about_delta():
    protocol = HiddenSlot(400, 1.0, 0.5)
    record = certificate(protocol, epsilon=0.1)
    upper = protocol.delta(0.1).upper
    assert record.facts["claim"]["epsilon"] == "0.1" and record.reached == upper_certificates.DELTA_MARGIN
    assert float(record.facts["claim"]["delta"]) == pytest.approx(upper * 1.05, rel=1e-8)


@pytest.mark.nightly
def test_approximate_randomizers():
    record = certificate(HiddenSlot(1000, 1.0, delta0=1e-10), delta=1e-6)
    assert record.facts["claim"]["delta0"] == "1e-10" and upper_slot.CLIPPING in record.sentence
    assert record.reached == record.asked


@pytest.mark.nightly
def test_where_the_margin_is_not_reached_the_certificate_says_which_was():
    # Clipping costs about 2 w delta0, more than the engine's own reduction.
    record = certificate(HiddenSlot(100, 1.0, delta0=3e-7), delta=1e-6)
    assert record.asked == upper_certificates.EPSILON_MARGIN < record.reached <= 1.3
    assert upper_slot.verify(record.facts).status == 0


@pytest.mark.parametrize(
    "protocol",
    [
        CheckIn(10, randomizer="discrete-gaussian:2"),
        HiddenSlot(10, 1.0, delta0=1e-9, adjacency="zero-out"),
        Shuffle(10, 1.0, "gaussian:2"),
    ],
    ids=["known", "zero-out", "noise"],
)
def test_questions_without_certificates_are_refused(protocol):
    with pytest.raises(PldcheckError, match="certificate"):
        certificate(protocol, delta=1e-3)


@pytest.mark.nightly
def test_of_a_known_number_of_clients_the_claim_is_that_of_any_number():
    # The engine's end for 100 clients is lower: it shares each slot's weight with the others.
    protocol = CheckIn(100, 1.0, 0.5, clients=100)
    record = certificate(protocol, delta=1e-6)
    margin = protocol.alone.epsilon(1e-6).upper / protocol.epsilon(1e-6).upper
    assert record.reached == pytest.approx(record.asked * margin, rel=1e-12) and margin > 1.1
    assert record.facts["claim"]["clients"] == 100 and "this rests on check-in-slot" in record.sentence
    assert float(record.facts["claim"]["epsilon"]) == pytest.approx(1.005 * protocol.alone.epsilon(1e-6).upper)


@pytest.mark.nightly
def test_of_many_more_clients_than_slots_that_claim_is_too_loose():
    with pytest.raises(PldcheckError, match="up to 4 times"):
        certificate(CheckIn(100, 1.0, 0.5, clients=1000), delta=1e-6)


def test_one_of_epsilon_and_delta_is_asked():
    for numbers in ({}, {"delta": 1e-6, "epsilon": 0.1}):
        with pytest.raises(PldcheckError, match="one of"):
            certificate(HiddenSlot(10, 1.0), **numbers)


@pytest.mark.nightly
def test_estimates_are_those_of_the_program():
    facts = certificate(HiddenSlot(3000, 2.0, 0.5), delta=1e-9).facts
    claim = upper_slot.read_claim(facts["claim"])[0]
    question = Question.of_slot(claim)
    cheap = sorted(plans(question), key=lambda plan: plan.seconds)[::40][:4]
    for plan in cheap:
        fineness = json.loads(json.dumps(plan.written()))
        record = block_recursion.delta_upper(claim, upper_slot.read_fineness(fineness, claim.steps))
        assert estimate(question, plan) == pytest.approx(float(record), rel=1e-5)


@pytest.mark.parametrize("factor", [2.0, 10.0, 40.0])
def test_claims_far_above_the_truth_take_few_plans(factor, monkeypatch):
    examined = []
    verify = upper_slot.verify
    monkeypatch.setattr(upper_slot, "verify", lambda facts: examined.append(facts) or verify(facts))
    for protocol, delta in [(HiddenSlot(10**6, 1.0), "1e-6"), (HiddenSlot(1000, 4.0), "1e-6")]:
        epsilon = min(protocol.epsilon(float(delta)).upper * factor, 20.0)
        examined.clear()
        claim = {**slot_certificates.claim_of(protocol), "epsilon": repr(epsilon), "delta": delta}
        assert slot_certificates.search(claim) is not None
        assert len(examined) <= 4


def test_what_follows_from_one_run_is_found_at_once():
    for protocol, delta in [(HiddenSlot(10**9, 20.0), "0"), (HiddenSlot(100, 20.0, 0.5, delta0=0.999), "0.4995")]:
        claim = {**slot_certificates.claim_of(protocol), "epsilon": "20", "delta": delta}
        assert slot_certificates.search(claim) is not None
