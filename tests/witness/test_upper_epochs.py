"""The program for epochs of a known slot: each rounding and term against exact twins, and what it refuses."""

import json
from fractions import Fraction
from itertools import islice, product
from math import inf

import mpmath
import pytest
from adversarial_certificates import EPOCHS, certificates_examined, epochs_delta
from mpmath import mpf
from rough_decimals import draws, nudges, real, roughen
from rough_exponentials import RoughExponentials
from tampering import change as changed

from pldcheck import HiddenSlot, RandomAllocation
from pldcheck.checkers import (
    directed_decimals,
    lattice_sums,
    loss_lattice,
    run_losses,
    step_curves,
    step_lattice,
    upper_epochs,
    upper_loss,
    upper_sum,
)
from pldcheck.theorems.statements import STATEMENTS
from pldcheck.witness import epoch_certificates
from pldcheck.witness.upper_certificates import EPSILON_MARGIN, certificate

WAYS = ("removed", "added")
KAPPAS = [Fraction(n, 8) for n in (1, 3, 6, 7, 8, 9, 10, 12, 16, 40, 1000)]


def sums(**changes):
    values = {"one": 1000, "width": Fraction(1, 4), "points": 300, "bottom": 300, "top": 60, "cells": 4}
    return lattice_sums.Fineness(**values | {"growth": 8, "cut": 0, "most": 20000} | changes)


def losses(**changes):
    values = {"one": 1000, "width": Fraction(1, 4), "points": 300, "cells": 10**6, "growth": 3, "cut": 0}
    return lattice_sums.Fineness(**values | {"most": 20000} | changes)


# --- One run ----------------------------------------------------------------------------------------------------------


def run_curve(law, share, change, at, kappa):
    """The curve of a run on the page, in fractions."""
    total, unit = Fraction(0), at.width * 2**law.level
    for k, mass in enumerate(law.masses, law.first):
        ratio = 1 + share * k * unit if change == "removed" else 1 - share * k * unit
        gain = ratio - kappa if change == "removed" else 1 - kappa * ratio
        total += Fraction(mass, at.one) * max(gain, Fraction(0))
    return total + share * at.width * Fraction(law.excess, at.one) * (1 if change == "removed" else kappa)


def curve_of(masses, kappa, change):
    """The curve of Masses, with the excess."""
    finite = sum(max(p - kappa * q, Fraction(0)) for p, q in masses.pairs) * Fraction(1, masses.whole)
    return finite + masses.infinite * (1 if change == "removed" else kappa)


def some_law(draw):
    # With a share of 1/2 and a width of 1/4 ratios are negative from 8 places on.
    masses = [draw.choice((0, draw.randrange(1000))) for _ in range(draw.randrange(1, 14))]
    return step_lattice.Lattice([*masses, 1 + draw.randrange(9)], draw.randrange(-13, 7), draw.randrange(99), 0)


@pytest.mark.parametrize("change", WAYS)
def test_the_masses_of_a_run_have_its_curve(change):
    negative = 0
    for draw in draws(60):
        law = some_law(draw)._replace(level=draw.randrange(2))
        masses = run_losses.masses_of(law, Fraction(1, 2), change, sums())
        for kappa in KAPPAS:
            assert curve_of(masses, kappa, change) == run_curve(law, Fraction(1, 2), change, sums(), kappa)
        assert all(p > 0 and q >= 0 for p, q in masses.pairs)
        odds = [Fraction(p, q) if q else inf for p, q in masses.pairs]
        assert odds == sorted(odds)
        negative += any(q == 0 for _, q in masses.pairs)
    assert change == "removed" or negative > 9


def lattice_curve(law, at, kappa):
    """The curve of a lattice law, by mpmath."""
    total = real(Fraction(law.infinity, at.one))
    for k, mass in enumerate(law.masses, law.first):
        loss = real(Fraction(k) * at.width * 2**law.level)
        total += real(Fraction(mass, at.one)) * max(1 - real(kappa) * mpmath.exp(-loss), mpf(0))
    return total


LATTICES = [{}, {"one": 30}, {"cut": 200}, {"points": 5}, {"width": Fraction(3)}, {"one": 10**30, "growth": 300}]


@pytest.mark.parametrize("rough", [False, True])
@pytest.mark.parametrize("change", WAYS)
def test_the_lattice_of_a_run_is_nowhere_below_it(change, rough, monkeypatch):
    with mpmath.workdps(60):
        if rough:
            roughen(monkeypatch, upper_loss)
        for number, draw in enumerate(draws(36)):
            at = losses(**LATTICES[number % len(LATTICES)])
            masses = run_losses.masses_of(some_law(draw), Fraction(1, 2), change, sums())
            law = run_losses.lattice_law(masses, change, at)
            # The curve of a run falls, so that all of it is at most the bound at any smaller kappa.
            least = mpmath.inf
            edges = [Fraction(directed_decimals.exp_of(k * at.width)[1]) for k in range(law.first - 1, law.first + 16)]
            for kappa in sorted([*edges, *[Fraction(n, 16) for n in (*range(1, 60, 5), 1000, 10**12)]]):
                least = min(least, real(curve_of(masses, kappa, change)))
                assert lattice_curve(law, at, kappa) >= least - mpf("1e-40"), (number, kappa)


@pytest.mark.parametrize("change", WAYS)
def test_ratios_as_near_to_a_place_as_round_off_are_not_lowered(change, monkeypatch):
    with mpmath.workdps(60):
        roughen(monkeypatch, upper_loss)
        at = losses(one=10**30, growth=300)
        ends = {k: directed_decimals.exp_of(k * at.width) for k in (-2, 0, 1, 3)}
        for low, high in ends.values():
            inside = [Fraction(low) + (Fraction(high) - Fraction(low)) * part / 8 for part in range(-1, 10)]
            for ratio in inside:
                # Other masses far off on both sides.
                pairs = [(1, 20), (ratio.numerator, ratio.denominator), (30, 1)]
                masses = run_losses.Masses(pairs, 1, Fraction(0))
                law = run_losses.lattice_law(masses, change, at)
                for kappa in (Fraction(1, 90), Fraction(low), *inside, Fraction(high), Fraction(9)):
                    assert lattice_curve(law, at, kappa) >= real(curve_of(masses, kappa, change)) - mpf("1e-28")


def test_exponentials_count_from_their_safe_end(monkeypatch):
    with mpmath.workdps(60):
        at, exponentials = losses(one=10**30), RoughExponentials(monkeypatch, upper_epochs, "0.01")
        pairs = [(5, 9), (7, 8), (9, 8), (9, 7), (9, 5)]
        masses = run_losses.Masses(pairs, 40, Fraction(0))
        run_losses.lattice_law(masses, "removed", at)
        for rough in range(1, exponentials.calls + 1):
            exponentials.begin(rough)
            law = run_losses.lattice_law(masses, "removed", at)
            for kappa in (Fraction(1, 100), *KAPPAS):
                assert lattice_curve(law, at, kappa) >= real(curve_of(masses, kappa, "removed")) - mpf("1e-28")


def test_what_is_below_the_lattice_is_rounded_up():
    at = losses(one=10, cut=1)
    for draw in draws(40):
        p = draw.randrange(10**6, 9 * 10**6)
        pairs = [(90_000, 10**6), (p, p * 10 // 11)]
        law = run_losses.lattice_law(run_losses.Masses(pairs, 10**6, Fraction(0)), "removed", at)
        assert sum(law.masses) + law.infinity >= Fraction(p + 90_000, 10**5)


@pytest.mark.nightly
def test_the_lattice_of_a_run_is_hardly_above_it():
    with mpmath.workdps(60):
        at = losses(one=10**40, width=Fraction(1, 200), growth=4000, points=4000)
        for draw in draws(5):
            law = step_lattice.Lattice([draw.randrange(1, 999) for _ in range(9)], -4, 0, 0)
            for change in WAYS:
                masses = run_losses.masses_of(law, Fraction(1, 2), change, sums())
                found = run_losses.lattice_law(masses, change, at)
                for kappa in KAPPAS:
                    exact = real(curve_of(masses, kappa, change))
                    assert exact - mpf("1e-35") <= lattice_curve(found, at, kappa) <= exact + mpf("4e-3")


def test_losses_at_places_of_the_lattice_stay_there(monkeypatch):
    # The masses lie at the loss 0 alone, of which e^0 is enclosed, not known.
    law = step_lattice.Lattice([1000], 0, 0, 0)
    for change in WAYS:
        masses = run_losses.masses_of(law, Fraction(1, 2), change, sums())
        found = run_losses.lattice_law(masses, change, losses(one=10**30))
        assert sum(found.masses) + found.infinity >= 10**30
        assert lattice_curve(found, losses(one=10**30), Fraction(1, 2)) >= 0.5


def test_no_place_among_losses_is_refused():
    masses = run_losses.Masses([(10**40, 1)], 10**40, Fraction(0))
    at = losses(points=1)
    with mpmath.workdps(30):
        assert lattice_curve(run_losses.lattice_law(masses, "removed", at), at, Fraction(2)) >= mpf("0.99")


# --- All runs ---------------------------------------------------------------------------------------------------------


def test_delta_is_rounded_up(monkeypatch):
    with mpmath.workdps(60):
        roughen(monkeypatch, upper_loss)
        for draw in draws(20):
            at = losses(one=draw.choice([30, 10**9]))
            law = loss_lattice.Lattice([draw.randrange(at.one) for _ in range(9)], -4, draw.randrange(at.one), 1)
            for epsilon in (Fraction(0), Fraction(1, 3), Fraction(1)):
                exact = lattice_curve(law, at, Fraction(real_exp(epsilon)))
                assert exact <= real(loss_lattice.delta_of(law, epsilon, at)) + mpf("1e-40")
        law = loss_lattice.Lattice([10**8] * 3, 0, 0, 0)
        at, epsilon = losses(one=10**9), Fraction(1, 8)
        exact = lattice_curve(law, at, Fraction(real_exp(epsilon)))
        for found in nudges(monkeypatch, upper_loss, lambda: loss_lattice.delta_of(law, epsilon, at)):
            assert exact <= real(found) + mpf("1e-40")


def real_exp(epsilon):
    """A fraction hardly above e^epsilon."""
    return Fraction(mpmath.nstr(mpmath.exp(real(epsilon)), 50))


def test_slots_are_cut_into_parts_of_nearly_one_size():
    for steps in range(1, 14):
        for selected in range(1, steps + 1):
            for epochs in (1, 3):
                parts = upper_epochs.parts_of(steps, selected, epochs)
                assert sum(n * count for n, count in parts) == steps * epochs
                assert sum(count for _, count in parts) == selected * epochs and all(n > 0 for n, _ in parts)
                assert max(n for n, _ in parts) - min(n for n, _ in parts) <= 1


@pytest.mark.parametrize("change", WAYS)
def test_runs_of_two_sizes_are_added(change):
    adjacency = {"removed": "remove", "added": "add"}[change]
    fineness = file()["fineness"]
    fine = step_lattice.read_fineness(fineness["sum"], 1, 1), loss_lattice.read_fineness(fineness["loss"], 1, 1)
    rows, weight, kappa = [Fraction(1, 3), Fraction(2, 3)], Fraction(3, 4), Fraction(5, 4)
    own = rows[::-1]
    table = {"kind": "table", "rows": [["1/3", "2/3"], ["2/3", "1/3"]]}
    step = step_curves.steps_of(table, directed_decimals.UNIT, adjacency)[0]
    truth = Fraction(0)
    for outputs in product(range(2), repeat=4):  # runs of one slot, of one slot, and of two
        gains = [rows[z] / own[z] - 1 for z in outputs]
        ratios = [1 + weight * gains[0], 1 + weight * gains[1], 1 + weight * (gains[2] + gains[3]) / 2]
        ratio, mass = ratios[0] * ratios[1] * ratios[2], Fraction(1)
        for z in outputs:
            mass *= own[z]
        truth += mass * max(ratio - kappa if change == "removed" else 1 - kappa * ratio, Fraction(0))
    with mpmath.workdps(60):
        law = upper_epochs.composed_law(step, change, weight, [(1, 2), (2, 1)], fine)
        epsilon = Fraction(mpmath.nstr(mpmath.log(mpf(5) / 4), 50))
        found = real(loss_lattice.delta_of(law, epsilon, fine[1]))
        assert real(truth) - mpf("1e-40") <= found <= real(truth) * mpf("1.01")


def test_a_lower_end_has_a_larger_kappa_and_a_smaller_budget(monkeypatch):
    roughen(monkeypatch, upper_sum)
    calls = []
    monkeypatch.setattr(step_curves, "steps_of", lambda _, *others: calls.append(others) or [])
    with pytest.raises(ValueError, match="empty"):
        upper_epochs.lower_delta(file()["claim"])
    ((kappa, _, end),) = calls
    assert real(kappa) > mpmath.exp(mpf("0.3")) and end == 0
    assert upper_epochs.lower_delta(file(epsilon="101")["claim"]) == 0 and len(calls) == 1


GAUSSIAN = {"kind": "gaussian", "sigma": "1"}
KRR = {"kind": "krr", "eps0": "1", "outputs": "3"}
LAPLACE = {"kind": "laplace", "eps0": "1"}
TABLE = {"kind": "table", "rows": [["1/3", "2/3"], ["0.6", "0.4"]]}


def file(randomizer=KRR, steps=2, selected=1, epochs=2, adjacency="zero-out", epsilon="0.3", delta="0.9", weight="1"):
    name = "random-allocation" if randomizer["kind"] == "gaussian" else "hidden-slot"
    claim = {"mechanism": name, "steps": steps, "selected": selected, "epochs": epochs, "weight": weight}
    claim |= {"adjacency": adjacency, "randomizer": randomizer, "epsilon": epsilon, "delta": delta}
    sum_fineness = {"digits": 40, "width": "0.01", "points": 9000, "cells": 64, "growth": 64, "cut": "1e-9"}
    sum_fineness |= {"bottom": 10**4, "top": 10**4}
    if randomizer["kind"] == "gaussian":
        sum_fineness |= {"width": "0.05", "cut": "1e-7"}
    loss_fineness = {"digits": 40, "width": "0.005", "points": 9000, "cells": 64, "growth": 64, "cut": "1e-9"}
    fineness = {"sum": sum_fineness, "loss": loss_fineness}
    return {"pldcheck_certificate": "upper_epochs", "claim": claim, "fineness": fineness}


CASES = {
    "response": file(),
    "response, removed": file(adjacency="remove", weight="0.7", epochs=3),
    "response, added": file(adjacency="add", epochs=3),
    "one slot": file(steps=1, epochs=3, epsilon="1.2"),
    "table": file(TABLE, steps=3, epochs=3, epsilon="0.2"),
    "known Gaussian slots": file(GAUSSIAN, steps=2, selected=2, epochs=1, epsilon="1"),
    "epochs of a Gaussian": file(GAUSSIAN, steps=1, epochs=3, adjacency="remove", epsilon="1.5"),
    "added Gaussian": file(GAUSSIAN, steps=1, epochs=2, adjacency="add", epsilon="1"),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly) if name == "known Gaussian slots" else name for name in CASES],
)
def test_claims_against_one_policy_by_all_outcomes(name):
    case = CASES[name]
    with mpmath.workdps(60):
        truth, found = epochs_delta(case["claim"]), real(upper_epochs.upper_delta(case))
        assert truth <= found <= truth * mpf("1.01")
        assert real(upper_epochs.lower_delta(case["claim"])) <= truth * (1 + mpf("1e-30"))


ENGINE = [
    RandomAllocation(5, 1.0, epochs=3, adjacency="remove"),
    RandomAllocation(5, 1.0, epochs=3, adjacency="add"),
    RandomAllocation(7, 1.5, selected=3),
    pytest.param(HiddenSlot(6, 1.0, randomizer="laplace", adjacency="zero-out", epochs=4), marks=pytest.mark.nightly),
    pytest.param(RandomAllocation(20, 2.0, epochs=10, check_in_prob=0.3), marks=pytest.mark.nightly),
    pytest.param(
        HiddenSlot(30, 1.0, 0.5, randomizer="krr:5", adjacency="zero-out", epochs=10), marks=pytest.mark.nightly
    ),
    pytest.param(RandomAllocation(1000, 0.7, epochs=20), marks=pytest.mark.nightly),
    pytest.param(RandomAllocation(1000, 1.0, selected=7, epochs=3), marks=pytest.mark.nightly),
]


@pytest.mark.parametrize("protocol", ENGINE, ids=str)
def test_what_is_written_is_accepted_half_a_percent_above_the_upper_end(protocol):
    interval = protocol.epsilon(1e-4)
    record = certificate(protocol, delta=1e-4)
    assert record.reached == EPSILON_MARGIN and record.facts["pldcheck_certificate"] == "upper_epochs"
    assert len(record.dumps()) < 1200
    facts = json.loads(record.dumps())
    assert upper_epochs.verify(facts) == (0, record.sentence)
    facts["claim"]["epsilon"] = f"{interval.lower * (1 - 1e-9):.18f}"
    assert upper_epochs.verify(facts).status == 1


@pytest.mark.nightly
def test_a_claim_about_delta_of_epochs():
    protocol = RandomAllocation(5, 1.0, epochs=3, adjacency="remove")
    record = certificate(protocol, epsilon=3.0)
    assert float(record.facts["claim"]["delta"]) == pytest.approx(1.05 * protocol.delta(3.0).upper, rel=1e-8)


def test_the_worst_record_and_the_worse_direction_count(monkeypatch):
    deltas = {}

    def composed(step, change, *_):
        deltas[id(step), change] = loss_lattice.Lattice([0], 0, len(deltas) + 1, 0)
        return deltas[id(step), change]

    monkeypatch.setattr(upper_epochs, "composed_law", composed)
    three = {"kind": "table", "rows": [["1/3", "2/3"], ["0.6", "0.4"], ["0.5", "0.5"]]}
    found = upper_epochs.upper_delta(file(three))
    assert len(deltas) == 6 and Fraction(found) == Fraction(6, 10**40)
    assert {change for _, change in deltas} == set(WAYS)


@pytest.mark.nightly
def test_what_one_epoch_shows_to_be_false_is_called_false():
    verdict = upper_epochs.verify(file(epsilon="0.3", delta="0.001"))
    assert verdict.status == 1 and verdict.sentence.startswith("false: delta is at least 0.")
    verdict = upper_epochs.verify(file(GAUSSIAN, 4, 2, 1, delta="0.001"))
    assert verdict.status == 1 and "too coarse, or the claim is false" in verdict.sentence


# --- Files ------------------------------------------------------------------------------------------------------------


def test_statements_are_those_that_a_claim_needs():
    for facts, names in (
        (file(), ["known-slot", "composed-pairs", "epochs"]),
        (file(LAPLACE, epochs=1), ["known-slot", "composed-pairs", "slot-pair", "laplace-noise"]),
        (file(GAUSSIAN, 3, 2, 2), ["known-slot", "composed-pairs", "gaussian-vectors", "selected-slots", "epochs"]),
    ):
        facts["claim"]["delta"] = "1"
        assert upper_epochs.verify(facts).sentence.endswith(f"this rests on {' and '.join(names)}")
    assert all(STATEMENTS[key].sentence == sentence for key, sentence in upper_epochs.STATEMENTS.items())


REFUSED = {
    "no epochs": (("claim", "epochs"), 0),
    "half an epoch": (("claim", "epochs"), 1.5),
    "a truth value": (("claim", "epochs"), True),
    "more selected than slots": (("claim", "selected"), 3),
    "none selected": (("claim", "selected"), 0),
    "several slots of a response": (("claim", "selected"), 2),
    "no steps": (("claim", "steps"), 0),
    "no weight": (("claim", "weight"), "0"),
    "more weight": (("claim", "weight"), "1.1"),
    "replacement": (("claim", "adjacency"), "replace"),
    "an unknown adjacency": (("claim", "adjacency"), ["remove"]),
    "another mechanism": (("claim", "mechanism"), "random-allocation"),
    "an unknown randomizer": (("claim", "randomizer"), {"kind": "rr"}),
    "a number for a text": (("claim", "epsilon"), 0.3),
    "digits of another script": (("claim", "delta"), "0.\u0663"),
    "not a number": (("claim", "delta"), "nan"),
    "another program": (("pldcheck_certificate",), "upper_sum"),
    "a claim that is none": (("claim",), []),
    "a fineness that is none": (("fineness",), None),
    "no width": (("fineness", "loss", "width"), "0"),
    "no width of sums": (("fineness", "sum", "width"), "0"),
    "much work": (("fineness", "sum", "points"), 2**20),
    "much work in losses": (("fineness", "loss", "points"), 2**20),
    "few cells": (("fineness", "loss", "growth"), 0),
}


@pytest.mark.parametrize(("path", "value"), REFUSED.values(), ids=REFUSED)
def test_spoiled_files_are_refused_in_one_line(path, value):
    verdict = upper_epochs.verify(changed(file(), path, value))
    assert verdict.status == 2 and verdict.sentence.startswith("refused: ") and "\n" not in verdict.sentence


def test_several_slots_need_weight_one_and_every_key_is_required():
    assert upper_epochs.verify(file(GAUSSIAN, 3, 2, 1, weight="0.5")).status == 2
    for place in ((), ("claim",), ("fineness",), ("fineness", "sum"), ("fineness", "loss"), ("claim", "randomizer")):
        inner = file()
        for key in place:
            inner = inner[key]
        for key in inner:
            facts = json.loads(json.dumps(file()))
            part = facts
            for step in place:
                part = part[step]
            del part[key]
            assert upper_epochs.verify(facts).status == 2, (place, key)
            part["note"] = 1
            assert upper_epochs.verify(facts).status == 2


def test_work_of_many_epochs_is_counted_for_losses_and_of_many_steps_for_sums():
    few = file(epochs=2)
    few["fineness"]["loss"]["points"] = 250_000
    many = changed(few, ("claim", "epochs"), 10**12)
    assert "digits are allowed in all" in upper_epochs.verify(many).sentence
    few = file(steps=2)
    few["fineness"]["sum"]["points"] = 240_000
    many = changed(few, ("claim", "steps"), 10**12)
    assert "digits are allowed in all" in upper_epochs.verify(many).sentence


@pytest.mark.parametrize("count", [10, pytest.param(400, marks=pytest.mark.long)])
def test_no_file_with_changes_is_accepted_if_it_is_false(count):
    tried, accepted, wrong = certificates_examined(EPOCHS, seed=1, count=count)
    assert tried == count and accepted > count // 20 and wrong == []


@pytest.mark.long
def test_finenesses_are_sought_from_coarse_to_fine():
    about = epoch_certificates.claim_of(RandomAllocation(9, 1.0, selected=2, epochs=2))
    claim = {**about, "epsilon": "1", "delta": "0.001"}
    widths = [
        (Fraction(one["sum"]["width"]), Fraction(one["loss"]["width"]))
        for one in islice(epoch_certificates.fineness_to_try(claim), 3)
    ]
    assert widths == sorted(widths, reverse=True) and len(set(widths)) == len(widths)
