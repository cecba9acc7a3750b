"""Formulas made wrong on purpose: every change is made, none leaks, and what is stored notices all of them."""

import json
from dataclasses import replace
from math import nextafter
from pathlib import Path

import pytest
from places import RESULTS, STUDY

from pldcheck.core import sealed_files
from pldcheck.study.mutation import formula_edits, mutants, mutate, syntax_changes
from pldcheck.study.mutation.comparison_points import REFUSED, Branches, draw_points, outcome, read_pin, same
from pldcheck.study.mutation.formula_edits import take
from pldcheck.study.mutation.guards import GUARDS, Evidence, evidence
from pldcheck.study.mutation.kill_table import CAUGHT, SURVIVED, _is_reached, fate_of
from pldcheck.study.mutation.kill_table_text import lines
from pldcheck.study.mutation.mutants import AT, LIMIT, RELATION, STRICT
from pldcheck.study.mutation.proof_formulas import formula_sides
from pldcheck.theorems import REGISTRY

# Theorems whose mutants are tried anew: a closed form, one at a delta of its own, a sum, a false one.
SAMPLE = ("thm-3.2", "thm-4.1", "sub-29", "chen-gdp", "thm-5.1-approx")


@pytest.fixture(scope="module")
def table():
    return json.loads((STUDY / "mutation.json").read_text())


def test_every_change_of_a_small_formula_is_made():
    # order * steps * eps0 * eps0 / 2, by hand.
    changes = {(one.kind, one.after) for one in mutants(REGISTRY["zcdp-16"])}
    assert changes == {
        (syntax_changes.FACTOR, "order * steps * eps0 * eps0 * 2"),
        (syntax_changes.FACTOR, "order * steps * eps0 / eps0"),
        (syntax_changes.FACTOR, "order * steps / eps0"),
        (syntax_changes.FACTOR, "order / steps"),
        (syntax_changes.TWICE, "4"),
        (syntax_changes.HALF, "1"),
        (RELATION, ">="),
        (AT, "0.5 order"),
        (AT, "2 order"),
    }


def test_a_change_in_a_helper_reaches_the_theorem_and_nothing_else():
    theorem = REGISTRY["thm-3.2"]
    params = {"steps": 1000, "eps0": 1, "check_in_prob": 1, "delta": 1e-6}
    before = theorem(**params).value
    half = next(one for one in mutants(theorem) if one.place == "composed" and one.kind == syntax_changes.HALF)
    # The drift is a^2 s / (2k) at a = e - 1, s = e and k = 1000; without the 2 it is twice that.
    drift = (2.718281828459045 - 1) ** 2 * 2.718281828459045 / 2000
    assert half.changed_theorem(**params).value == pytest.approx(before + drift, rel=1e-12)
    assert theorem(**params).value == before and REGISTRY["lem-A.2"].formula.__globals__["composed"](
        1000, 1.0, 2.0, 1e-6
    ) == REGISTRY["lem-A.2"].formula(steps=1000, first=1.0, decay=0.5, delta=1e-6)


def test_points_take_every_branch_of_a_formula():
    # Of 1501 admissible points, 1129 take the branch of issue 17, and none of the points that were drawn did.
    theorem = REGISTRY["girgis-ub1"]
    branches = Branches(theorem)
    assert branches.missing
    for params in draw_points(theorem, "pinned"):
        outcome(branches.theorem, params)
    branches.took_new_branch()
    assert not branches.missing
    # The two sides of a test, a maximum, and neither of two equal ones.
    assert take(4, 0.5) == (0.5, (4,)) and take(3) == (None, (3,))
    assert take(6, max, 1, 2) == (2, (6,)) and take(6, min, 1, 2) == (1, (5,)) and take(6, max, 1, 1) == (1, ())


@pytest.mark.nightly
def test_a_formula_that_tells_its_branches_says_the_same():
    for name in ("girgis-ub1", "thm-3.2-approx-improved", "gauss-8", "krr-merged", "rdp-34", "adv-22"):
        theorem = REGISTRY[name]
        for params in draw_points(theorem, "pinned"):
            assert outcome(Branches(theorem).theorem, params) == outcome(theorem, params)


def test_limits_of_conditions_are_moved_and_noticed_on_both_sides():
    theorem = REGISTRY["thm-3.2-simple"]
    limits = {(one.place, one.before, one.after) for one in mutants(theorem) if one.kind in (LIMIT, STRICT)}
    assert {("delta < 1/100", "<", "<="), ("eps0 <= 1", "<=", "<")} <= limits
    assert {("delta < 1/100", "0.01", "0.02"), ("delta < 1/100", "0.01", "0.005"), ("eps0 <= 1", "1", "2")} <= limits
    outcomes = {(point["eps0"], point["delta"]): outcome(theorem, point)[0] for point in draw_points(theorem, "pinned")}
    # 1 is admitted and what is next to it is not, and the other way round at 1/100.
    assert "value" in {kind for (eps0, _), kind in outcomes.items() if eps0 == 1.0}
    assert {kind for (eps0, _), kind in outcomes.items() if eps0 == nextafter(1.0, 2.0)} == {"outside"}
    assert {kind for (_, delta), kind in outcomes.items() if delta == 0.01} == {"outside"}
    assert "value" in {kind for (_, delta), kind in outcomes.items() if delta == nextafter(0.01, 0.0)}
    # Every condition of every theorem is one that can be changed.
    for one in REGISTRY.values():
        for condition in one.conditions:
            # A remainder has no limit to be moved.
            edits = any(formula_edits.condition_edits(condition.excess))
            assert edits or condition.text == "clients is a multiple of steps", (one.id, condition.text)


@pytest.mark.nightly
def test_a_mutant_that_no_point_reaches_is_told_apart():
    theorem = REGISTRY["girgis-ub1"]
    # These points take the first branch alone: what is changed in the other is not called equivalent.
    tame = {"clients": 1000, "eps0": 0.5, "order": 2.0}
    every = [one for one in mutants(theorem) if "exp(exponent - top)" in one.before and one.kind == syntax_changes.TERM]
    assert every
    for one in every:
        assert not _is_reached(one, [tame])
        wild = {"clients": 10, "eps0": 15.0, "order": 400.0}
        assert _is_reached(one, [wild])


@pytest.mark.nightly
def test_formulas_that_never_end_are_stopped():
    # rr-24 halves an interval: with low // 2 as its middle it stays as it is.
    endless = [one for one in mutants(REGISTRY["rr-24"]) if (one.before, one.after) == ("low + high", "low")]
    assert len(endless) == 1
    assert outcome(endless[0].changed_theorem, {"scale": 1.0, "steps": 10, "delta": 1e-3})[0] == REFUSED


def test_a_wrong_constant_is_noticed_by_the_truth():
    theorem = REGISTRY["thm-3.2-simple"]
    known_evidence = evidence(theorem, RESULTS, ())
    smaller = next(one for one in mutants(theorem) if one.before == "7" and one.kind == syntax_changes.HALF)
    wrong = [
        row
        for row in known_evidence.rows
        if row.lower is not None and row.lower > smaller.changed_theorem(**row.params).value * (1 + 1e-9)
    ]
    guards = fate_of(smaller, known_evidence).noticed
    assert ("soundness" in guards) == bool(wrong)
    larger = next(one for one in mutants(theorem) if one.before == "7" and one.kind == syntax_changes.TWICE)
    assert (
        "soundness" not in fate_of(larger, known_evidence).noticed
        and "goldens" in fate_of(larger, known_evidence).noticed
    )


def test_a_mutant_that_nothing_notices_survives_and_tells_where():
    theorem = REGISTRY["zcdp-16"]
    inside = draw_points(theorem, "pinned")[0]
    double = next(one for one in mutants(theorem) if one.kind == syntax_changes.TWICE)
    # A pin that was taken from the mutant cannot notice it.
    result = fate_of(double, Evidence((), ((inside, outcome(double.changed_theorem, inside)),)))
    assert result.fate == SURVIVED
    assert not same(outcome(theorem, result.difference), outcome(double.changed_theorem, result.difference))
    pin = (result.difference, outcome(theorem, result.difference))
    assert fate_of(double, Evidence((), (pin,))).fate == CAUGHT
    # Where it is claimed is pinned as well.
    elsewhere = next(one for one in mutants(theorem) if one.kind == AT)
    assert fate_of(elsewhere, Evidence((), (pin,))).noticed.keys() == {"points"}


@pytest.mark.parametrize(
    "theorem",
    [
        "gauss-8",
        "adv-22",
        "thm-3.2-approx",
        pytest.param("girgis-lb", marks=pytest.mark.nightly),
        "zcdp-14-tight",
        "rdp-35",
    ],
)
def test_equivalent_mutants_say_the_same_at_points_not_tried(table, theorem):
    fates = [one["fate"] for one in table["mutants"] if one["theorem"] == theorem]
    every = list(mutants(REGISTRY[theorem]))
    ones = [mutant for mutant, fate in zip(every, fates, strict=True) if fate == "equivalent"]
    assert ones
    differ = [
        one
        for one in ones
        for params in draw_points(REGISTRY[theorem], "tests")[:12]
        if not same(outcome(one.changed_theorem, params), outcome(REGISTRY[theorem], params))
    ]
    # Points are no proof: a few may differ where nothing was tried.
    assert len(differ) <= 0.1 * len(ones)


def test_lines_of_the_audited_proofs_are_the_formulas():
    for theorem in ("thm-A.4", "thm-3.2", "thm-4.3", "thm-3.2-improved", "lem-A.2", "thm-A.7", "thm-A.5"):
        assert any(part == "value" for _, part, _ in formula_sides(theorem)), theorem
    assert any(part == "at" for _, part, _ in formula_sides("thm-3.2-approx"))
    assert formula_sides("gauss-8") == ()


@pytest.mark.parametrize("theorem", REGISTRY)
def test_formulas_say_what_is_pinned(table, theorem):
    pins = table["pins"][theorem]
    assert pins["relation"] == REGISTRY[theorem].relation and len(pins["points"]) >= 24
    for params, pin in map(read_pin, pins["points"]):
        assert same(outcome(REGISTRY[theorem], params), pin, 1e-12), params


def test_no_mutant_survives(table):
    # Nor is any called equivalent that no point comes to.
    assert {one["fate"] for one in table["mutants"]} <= {"caught", "equivalent", "stillborn"}
    assert set(table["counts"]) == set(REGISTRY)
    total = table["total"]
    assert total["caught"] > 2000 and total["independent"] + total["pinned only"] == total["caught"]
    assert total["independent"] == sum(bool({*one["noticed"]} & {"soundness", "audit"}) for one in table["mutants"])
    # All guards are of use.
    assert all(table["total"][guard] > 100 for guard in GUARDS)


@pytest.mark.parametrize("theorem", SAMPLE)
def test_a_sample_of_the_table_reproduces(table, theorem):
    fresh = mutate([theorem], RESULTS)
    assert not fresh.survivors
    rows = [one for one in table["mutants"] if one["theorem"] == theorem]
    for one, row in zip(fresh.fates, rows, strict=True):
        facts = one.to_dict()
        assert (facts["kind"], facts["before"], facts["after"]) == (row["kind"], row["before"], row["after"])
        assert facts["fate"] == row["fate"], facts
        # What proofs are audited changes the last guard only.
        assert set(facts["noticed"]) ^ set(row["noticed"]) <= {"audit"}, facts


def test_a_formula_that_is_not_the_pinned_one_is_refused(pldcheck, tmp_path):
    pins = {"thm-5.1": {"relation": "<=", "points": [_pin(clients=10, eps0=1.0, delta=0.1, value=99.0)]}}
    (tmp_path / "mutation.json").write_text(json.dumps(sealed_files.seal({"kind": "mutation", "pins": pins})))
    result = pldcheck("mutate", "thm-5.1", "--stored", tmp_path)
    assert result.status == 2 and result.out == "" and result.err.count("\n") == 1
    assert "thm-5.1 differs from the value that mutation.json pins at clients=10, eps0=1, delta=0.1" in result.err
    (tmp_path / "mutation.json").write_text("[]")
    assert "is not a table of mutants" in pldcheck("mutate", "thm-5.1", "--stored", tmp_path).err


def _pin(value, **params):
    return {"params": params, "outcome": "value", "value": value, "at": params["delta"]}


def test_the_command_line_prints_the_mutants_of_a_theorem(pldcheck):
    result = pldcheck("mutate", "thm-A.7", "--stored", RESULTS, "--json", "--out", "there")
    assert result.status == 0 and result.json["total"]["caught"] == len(result.json["mutants"]) == 7
    assert Path("there/mutation.json").is_file()
    text = pldcheck("mutate", "thm-A.7", "--stored", RESULTS).out
    assert "7 of 7 mutants that differ from their theorem are noticed, 0 are not" in text
    assert pldcheck("mutate", "thm-A.8").status == 2


def test_survivors_are_named():
    report = mutate(["zcdp-16"], RESULTS)
    fate = replace(report.fates[0], fate=SURVIVED, noticed={})
    *_, summary, survivor = lines(replace(report, fates=(fate,)))
    assert summary.startswith("0 of 1 mutants") and survivor.startswith(f"survived: zcdp-16, {fate.mutant.kind}")
