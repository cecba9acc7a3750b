"""Losses on random lengths, batches and cut samples: enclosed, narrow, and no claim below the truth is accepted."""

from decimal import Decimal
from fractions import Fraction

import batch_twins
import mpmath
import pytest
from adversarial_certificates import BATCHES, certificates_examined
from mpmath import mpf
from rough_decimals import real, roughen

from pldcheck import FixedBatches, GaussianMixture, TruncatedPoisson
from pldcheck.checkers import batch_laws, binomial_masses, directed_decimals, lattice_sums, loss_lattice, upper_loss
from pldcheck.checkers.composition_rounds import laws as laws_of_rounds
from pldcheck.checkers.composition_rounds import read_round
from pldcheck.core.errors import PldcheckError
from pldcheck.witness.upper_certificates import certificate


def run(name, count=1, rate="1", **numbers):
    return {"mechanism": name, "count": count, "rate": rate, **numbers}


ROUNDS = [
    run("random-lengths", sigma="1", lengths="1:0.25"),
    run("random-lengths", sigma="0.7", lengths="0.5:0.125,1:0.0625,3:0.001"),
    run("random-lengths", sigma="2", lengths="1:0.5,2:0.5"),
    run("batch-gaussian", sigma="1", records="7", batch="3", group="1", redrawn="0"),
    run("batch-gaussian", sigma="2", records="30", batch="9", group="4", redrawn="0"),
    run("batch-gaussian", sigma="1.5", records="5", batch="9", group="2", redrawn="1"),
    run("cut-gaussian", rate="0.25", sigma="1", records="12", batch="4"),
    run("cut-gaussian", rate="0.0625", sigma="0.8", records="40", batch="9"),
]
LOSSES = [Fraction(k, 8) + Fraction(1, 1000) for k in (-20, -9, -4, -2, -1, 0, 1, 3, 6, 11, 25)]


def laws_of(entry):
    """Return the laws of a round, in the order of its curves."""
    rounds = [read_round(entry)]
    directions = ("",) if entry["mechanism"] == "batch-gaussian" else ("removed", "added")
    return [laws_of_rounds(rounds, 1, direction, Fraction(0))[0][0] for direction in directions]


def file_of(entry, epsilon, delta, times=1, **fineness):
    usual = {"digits": 40, "width": "0.05", "points": 4000, "cells": 16, "growth": 64, "cut": "1e-30"}
    claim = {"mechanism": "composition", "rounds": [entry], "times": times, "epsilon": epsilon, "delta": delta}
    return {"pldcheck_certificate": "upper_loss", "claim": claim, "fineness": usual | fineness}


# --- Chances ----------------------------------------------------------------------------------------------------------

CUTS = [("0.25", 12, 4), ("0.1", 30, 3), ("0.9", 9, 9), ("1e-5", 100, 1), ("0.5", 40, 40), ("0.01", 300, 20)]
PLACES = [(7, 3, 1, 0), (30, 9, 4, 0), (9, 9, 9, 0), (5, 9, 2, 1), (1000, 1, 7, 0), (1000, 3, 1, 1), (1, 40, 1, 1)]


def test_the_chances_of_cuts_are_those_of_all_samples():
    for rate, records, batch in CUTS:
        cut, used = batch_twins.cut_chances(rate, records, batch)
        (low, high), most = batch_laws.cut_chances(Fraction(rate), records, batch)
        assert Fraction(low) <= cut <= Fraction(high) and used <= Fraction(most)
        # Chances are rounded to 64 binary digits, and the least masses are bounded together.
        assert Fraction(high) - Fraction(low) <= cut * Fraction("1e-12") + Fraction("1e-44")
        assert Fraction(most) <= used * (1 + Fraction("1e-12")) or cut < Fraction("1e-30")


@pytest.mark.nightly
def test_the_chances_of_places_are_those_of_all_batches():
    for numbers in PLACES:
        exact = batch_twins.place_chances(*numbers)
        ends = batch_laws.places(*numbers, Fraction(0))
        assert len(ends) >= len(exact)
        for k, (low, high) in enumerate(ends):
            chance = exact[k] if k < len(exact) else 0
            assert Fraction(low) <= chance <= Fraction(high) and Fraction(high - low) <= chance / 10**90, (numbers, k)


@pytest.mark.nightly
def test_rough_chances_enclose_too(monkeypatch):
    roughen(monkeypatch, upper_loss)
    for numbers in PLACES:
        exact = batch_twins.place_chances(*numbers)
        for (low, high), chance in zip(batch_laws.places.__wrapped__(*numbers, Fraction(0)), exact, strict=False):
            assert Fraction(low) <= chance <= Fraction(high), numbers
    for rate, records, batch in CUTS:
        cut, used = batch_twins.cut_chances(rate, records, batch)
        (low, high), most = batch_laws.cut_chances.__wrapped__(Fraction(rate), records, batch)
        assert Fraction(low) <= cut <= Fraction(high) and used <= Fraction(most)


@pytest.mark.nightly
def test_chances_are_rounded_to_either_side(monkeypatch):
    monkeypatch.setattr(batch_laws, "CHANCE", 8)
    monkeypatch.setattr(binomial_masses, "CHANCE", 8)
    cut, used = batch_twins.cut_chances(Fraction(3, 10), 12, 4)
    (low, high), most = batch_laws.cut_chances.__wrapped__(Fraction(3, 10), 12, 4)
    assert Fraction(low) < cut < Fraction(high) and used < Fraction(most)


@pytest.mark.nightly
def test_masses_that_are_left_out_are_counted(monkeypatch):
    monkeypatch.setattr(batch_laws, "CUT", 2)
    for batch in (4, 6, 9):
        cut, used = batch_twins.cut_chances(Fraction(1, 4), 12, batch)
        (low, high), most = batch_laws.cut_chances.__wrapped__(Fraction(1, 4), 12, batch)
        assert Fraction(low) <= cut <= Fraction(high) and used <= Fraction(most)


def test_few_places_that_are_left_out_have_the_largest_share():
    # With one place of a batch, the samples that are left out because they are small would use the record most.
    cut, used = batch_twins.cut_chances(Fraction(1, 2), 300, 1)
    (low, high), most = batch_laws.cut_chances(Fraction(1, 2), 300, 1)
    assert Fraction(low) <= cut <= Fraction(high)
    assert used <= Fraction(most) <= used * (1 + Fraction("1e-40"))


# --- Laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_tails_are_enclosed_and_narrow():
    with mpmath.workdps(80):
        for entry in ROUNDS:
            for law, curve in zip(laws_of(entry), batch_twins.curves(entry), strict=True):
                for t in LOSSES[::2]:
                    for (low, high), exact in zip(law.tails(t, t), batch_twins.tails(curve, real(t)), strict=True):
                        slack = mpf("1e-30")  # of the twin's derivative
                        assert real(low) - slack <= exact <= real(high) + slack, (entry, t)
                        assert high - low <= Decimal("1e-11") * high + Decimal("1e-30"), (entry, t)


@pytest.mark.nightly
def test_rough_tails_are_enclosed(monkeypatch):
    with mpmath.workdps(80):
        exact = {
            (number, place, t): batch_twins.tails(curve, real(t))
            for number, entry in enumerate(ROUNDS)
            for place, curve in enumerate(batch_twins.curves(entry))
            for t in LOSSES
        }
        roughen(monkeypatch, upper_loss)
        for name in ("places", "cut_chances"):
            monkeypatch.setattr(batch_laws, name, getattr(batch_laws, name).__wrapped__)
        for number, entry in enumerate(ROUNDS):
            for place, law in enumerate(laws_of(entry)):
                for t in LOSSES:
                    for (low, high), truth in zip(law.tails(t, t), exact[number, place, t], strict=True):
                        assert real(low) - mpf("1e-30") <= truth <= real(high) + mpf("1e-30"), (entry, t)


@pytest.mark.nightly
@pytest.mark.parametrize("error", [-0.05, 0.05])
def test_tails_are_enclosed_wherever_the_search_begins(monkeypatch, error):
    guess = batch_laws.guess
    monkeypatch.setattr(batch_laws, "guess", lambda *facts: guess(*facts) + error)
    with mpmath.workdps(60):
        for entry in ROUNDS[:3]:
            for law, curve in zip(laws_of(entry), batch_twins.curves(entry), strict=True):
                for t in LOSSES[3:8]:
                    for (low, high), exact in zip(law.tails(t, t), batch_twins.tails(curve, real(t)), strict=True):
                        assert real(low) - mpf("1e-25") <= exact <= real(high) + mpf("1e-25"), (entry, t)


@pytest.mark.nightly
def test_a_place_that_is_not_near_its_guess_is_refused(monkeypatch):
    monkeypatch.setattr(batch_laws, "guess", lambda *_: batch_laws.LEAST_PLACE)
    for entry in ROUNDS[:2]:
        with pytest.raises(ValueError, match="a loss has no place"):
            laws_of(entry)[0].tails(Fraction(1), Fraction(1))


@pytest.mark.nightly
def test_sums_of_products_are_rounded_outward():
    one, little = (directed_decimals.ends_of(Decimal(text)) for text in ("1", "1e-150"))
    low, high = batch_laws.weighted([one] * 2, [one, little])
    assert low == 1 < high


@pytest.mark.nightly
def test_tails_between_two_losses_hold_for_both():
    for entry in ROUNDS:
        for law in laws_of(entry):
            for t, u in zip(LOSSES[::3], LOSSES[1::3], strict=False):
                for whole, left, right in zip(law.tails(t, u), law.tails(t, t), law.tails(u, u), strict=True):
                    assert whole == directed_decimals.Ends(right[0], left[1])


@pytest.mark.nightly
def test_lattice_laws_are_nowhere_below():
    at = lattice_sums.Fineness(10**30, Fraction(1, 4), 60, 4, 4, 10**18, 20000)
    with mpmath.workdps(40):
        for entry in ROUNDS[1::2]:
            for law, curve in zip(laws_of(entry), batch_twins.curves(entry), strict=True):
                lattice = loss_lattice.lattice_law(law, at)
                for epsilon in (mpf(k) / 3 for k in (-7, -3, -1, 0, 1, 2, 5, 9)):
                    whole = mpf(lattice.infinity)
                    for k, mass in enumerate(lattice.masses, lattice.first):
                        whole += mass * max(1 - mpmath.exp(epsilon - mpf(k << lattice.level) / 4), 0)
                    assert whole / at.one >= curve(mpmath.exp(epsilon)), (entry, epsilon)


# --- Claims -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ROUNDS, ids=lambda entry: f"{entry['mechanism']}-{entry['sigma']}")
def test_one_run_is_verified_at_the_truth_and_not_below(entry):
    with mpmath.workdps(60):
        truth = batch_twins.run_delta(entry, mpf("0.5"))
        for factor, status in (("1.0000000001", 0), ("0.9999999999", 1)):
            claimed = mpmath.nstr(truth * mpf(factor), 30, min_fixed=-40, max_fixed=40)
            verdict = upper_loss.verify(file_of(entry, "0.5", claimed))
            assert verdict.status == status, verdict
            # Whether a claim below the bound is false is known only where the pair is attained.
            assert ("false: " in verdict.sentence) == (status == 1 and entry["mechanism"] == "random-lengths")


@pytest.mark.nightly
def test_places_that_are_not_told_apart_give_all_away(monkeypatch):
    entry = ROUNDS[5]
    with mpmath.workdps(60):
        chances = batch_twins.place_chances(5, 9, 2, 1)
        monkeypatch.setattr(batch_laws, "MOST_PLACES", 3)
        left_out = batch_twins.real(sum(chances[4:]))
        law = laws_of_rounds([read_round(entry)], 1, "", Fraction(7, 9))[0][0]
        (low, high), _ = law.tails(Fraction(900), Fraction(900))
        batch_laws.places.cache_clear()
        assert real(low) <= left_out <= real(high) <= left_out * (1 + mpf("1e-80"))


REFUSED = {
    "rate": (run("random-lengths", rate="0.5", sigma="1", lengths="1:0.5"), "no rate but 1"),
    "batch rate": ({**ROUNDS[3], "rate": "0.5"}, "no rate but 1"),
    "sum": (run("random-lengths", sigma="1", lengths="1:0.5,2:0.51"), "more than 1 together"),
    "many": (run("random-lengths", sigma="1", lengths=",".join(["1:0.01"] * 41)), "more than 40 lengths"),
    "number": (run("random-lengths", sigma="1", lengths=1), "lengths must be a text"),
    "nothing": (run("random-lengths", sigma="1", lengths=""), "zip()"),
    "three": (run("random-lengths", sigma="1", lengths="1:0.1:2"), "zip()"),
    "zero": (run("random-lengths", sigma="1", lengths="0:0.1"), "length must be above 0"),
    "part": ({**ROUNDS[3], "group": "1.5"}, "group must be a whole number"),
    "both": ({**ROUNDS[3], "redrawn": "2"}, "redrawn must be from 0 to 1"),
    "large": ({**ROUNDS[3], "batch": "8"}, "a batch is too large"),
    "many factors": ({**ROUNDS[3], "records": "1e12", "batch": "1e7", "group": "1e7"}, "a batch is too large"),
    "certain": ({**ROUNDS[6], "rate": "1"}, "too near 0 or 1"),
    "never": ({**ROUNDS[6], "rate": "1e-25"}, "too near 0 or 1"),
}


@pytest.mark.nightly
@pytest.mark.parametrize(("entry", "words"), REFUSED.values(), ids=REFUSED)
def test_rounds_out_of_range_are_refused(entry, words):
    verdict = upper_loss.verify(file_of(entry, "1", "0.9"))
    assert verdict.status == 2 and words in verdict.sentence, verdict


@pytest.mark.nightly
def test_the_edges_of_what_is_taken():
    for entry in (
        {**ROUNDS[3], "batch": "7"},
        run("random-lengths", sigma="1", lengths="1:0.5,2:0.5"),
        run("random-lengths", sigma="9", lengths=",".join(["1:0.01"] * 40)),
    ):
        assert upper_loss.verify(file_of(entry, "9", "0.9")).status == 0


@pytest.mark.nightly
def test_a_replaced_group_and_a_record_that_is_added_are_not_composed():
    for one in (ROUNDS[0], ROUNDS[6]):
        facts = file_of(one, "9", "0.99")
        facts["claim"]["rounds"].append(ROUNDS[3])
        assert "do not go together" in upper_loss.verify(facts).sentence
    facts = file_of(ROUNDS[0], "9", "0.99")
    facts["claim"]["rounds"].append(ROUNDS[6])
    assert upper_loss.verify(facts).status == 0


@pytest.mark.nightly
def test_groups_of_different_sizes_are_not_composed():
    alone, group = ROUNDS[3], ROUNDS[4]
    noise = run("gaussian", sigma="3")
    for others in ([alone], [{**group, "group": "3"}], [noise], [noise, group]):
        facts = file_of(group, "9", "0.99")
        facts["claim"]["rounds"] += others
        assert "groups of different sizes" in upper_loss.verify(facts).sentence, others
    for entry, other in ((alone, noise), (group, {**group, "records": "40"})):
        facts = file_of(entry, "9", "0.99")
        facts["claim"]["rounds"].append(other)
        assert upper_loss.verify(facts).status == 0, entry


# --- Questions --------------------------------------------------------------------------------------------------------

QUESTIONS = [
    (GaussianMixture(1.0, "1:0.02,2:0.0001,0:0.3", 20), "random-lengths"),
    (FixedBatches(1.0, 998, 10, 50, 2), "places-in-batch"),
    (FixedBatches(2.0, 50, 10, 5, 1, "with-replacement"), "places-in-batch"),
    (TruncatedPoisson(1.0, 0.01, 1000, 15, 20), "cut-samples"),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("protocol", "statement"), QUESTIONS, ids=[repr(one) for one, _ in QUESTIONS])
def test_questions_are_verified_near_the_engine(protocol, statement):
    record = certificate(protocol, delta=1e-5)
    assert record.reached == 1.005 and record.sentence.endswith(f"this rests on composed-pairs and {statement}")
    assert Fraction(record.facts["claim"]["epsilon"]) >= Fraction(protocol.epsilon(1e-5).upper)


@pytest.mark.nightly
def test_samples_that_are_never_cut_are_poisson_samples():
    record = certificate(TruncatedPoisson(2.0, 0.1, 30, 31, 2), delta=1e-5)
    assert "poisson-sampling" in record.sentence and "cut" not in record.sentence


@pytest.mark.nightly
def test_probabilities_above_one_have_no_certificate():
    with pytest.raises(PldcheckError, match="more than 1 together"):
        certificate(GaussianMixture(2.0, "1:0.5,2:0.5000000000001"), delta=1e-5)


@pytest.mark.long
def test_no_file_with_changes_is_accepted_if_it_is_false():
    tried, accepted, wrong = certificates_examined(BATCHES, seed=1, count=300)
    assert tried == 300 and accepted > 20 and wrong == []
