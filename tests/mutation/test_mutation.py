"""Formulas made wrong on purpose: every change is made, none leaks, and what is stored notices all of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pldcheck.mutation import mutants, mutate, source
from pldcheck.mutation.guards import GUARDS, Evidence, evidence
from pldcheck.mutation.mutants import AT, RELATION
from pldcheck.mutation.points import REFUSED, drawn, outcome, same, unpinned
from pldcheck.mutation.proofs import written
from pldcheck.mutation.table import CAUGHT, SURVIVED, fate_of
from pldcheck.mutation.words import markdown
from pldcheck.theorems import REGISTRY

RESULTS = Path(__file__).parents[2] / "results"
# Theorems whose mutants are tried anew: a closed form, one at a delta of its own, a sum, a false one.
SAMPLE = ("thm-3.2", "thm-4.1", "sub-29", "chen-gdp", "thm-5.1-approx")


@pytest.fixture(scope="module")
def stored():
    return json.loads((RESULTS / "mutation.json").read_text())


def test_every_change_of_a_small_formula_is_made():
    # order * steps * eps0 * eps0 / 2, by hand.
    found = {(one.kind, one.after) for one in mutants(REGISTRY["zcdp-16"])}
    assert found == {
        (source.FACTOR, "order * steps * eps0 * eps0 * 2"),
        (source.FACTOR, "order * steps * eps0 / eps0"),
        (source.FACTOR, "order * steps / eps0"),
        (source.FACTOR, "order / steps"),
        (source.TWICE, "4"),
        (source.HALF, "1"),
        (RELATION, ">="),
        (AT, "0.5 order"),
        (AT, "2 order"),
    }


def test_a_change_in_a_helper_reaches_the_theorem_and_nothing_else():
    theorem = REGISTRY["thm-3.2"]
    params = {"steps": 1000, "eps0": 1, "check_in_prob": 1, "delta": 1e-6}
    before = theorem(**params).value
    halved = next(one for one in mutants(theorem) if one.place == "composed" and one.kind == source.HALF)
    # The drift is a^2 s / (2k) at a = e - 1, s = e and k = 1000; without the 2 it is twice that.
    drift = (2.718281828459045 - 1) ** 2 * 2.718281828459045 / 2000
    assert halved.changed(**params).value == pytest.approx(before + drift, rel=1e-12)
    assert theorem(**params).value == before and REGISTRY["lem-A.2"].formula.__globals__["composed"](
        1000, 1.0, 2.0, 1e-6
    ) == REGISTRY["lem-A.2"].formula(steps=1000, first=1.0, decay=0.5, delta=1e-6)


def test_formulas_that_never_end_are_stopped():
    # rr-24 halves an interval: with low // 2 as its middle it stays as it is.
    endless = [one for one in mutants(REGISTRY["rr-24"]) if (one.before, one.after) == ("low + high", "low")]
    assert len(endless) == 1
    assert outcome(endless[0].changed, {"scale": 1.0, "steps": 10, "delta": 1e-3})[0] == REFUSED


def test_a_wrong_constant_is_noticed_by_the_truth():
    theorem = REGISTRY["thm-3.2-simple"]
    known = evidence(theorem, RESULTS, ())
    smaller = next(one for one in mutants(theorem) if one.before == "7" and one.kind == source.HALF)
    wrong = [
        row
        for row in known.rows
        if row.lower is not None and row.lower > smaller.changed(**row.params).value * (1 + 1e-9)
    ]
    noticed = fate_of(smaller, known).noticed
    assert ("soundness" in noticed) == bool(wrong)
    larger = next(one for one in mutants(theorem) if one.before == "7" and one.kind == source.TWICE)
    assert "soundness" not in fate_of(larger, known).noticed and "goldens" in fate_of(larger, known).noticed


def test_a_mutant_that_nothing_notices_survives_and_tells_where():
    theorem = REGISTRY["zcdp-16"]
    inside = drawn(theorem, "pinned")[0]
    doubled = next(one for one in mutants(theorem) if one.kind == source.TWICE)
    # A pin that was taken from the mutant cannot notice it.
    told = fate_of(doubled, Evidence((), ((inside, outcome(doubled.changed, inside)),)))
    assert told.fate == SURVIVED
    assert not same(outcome(theorem, told.telling), outcome(doubled.changed, told.telling))
    pin = (told.telling, outcome(theorem, told.telling))
    assert fate_of(doubled, Evidence((), (pin,))).fate == CAUGHT
    # Where it is claimed is pinned as well.
    elsewhere = next(one for one in mutants(theorem) if one.kind == AT)
    assert fate_of(elsewhere, Evidence((), (pin,))).noticed.keys() == {"points"}


@pytest.mark.parametrize("theorem", ["gauss-8", "adv-22", "thm-3.2-approx", "girgis-lb", "zcdp-14-tight", "rdp-35"])
def test_equivalent_mutants_say_the_same_at_points_not_tried(stored, theorem):
    fates = [one["fate"] for one in stored["mutants"] if one["theorem"] == theorem]
    every = list(mutants(REGISTRY[theorem]))
    ones = [mutant for mutant, fate in zip(every, fates, strict=True) if fate == "equivalent"]
    assert ones
    differ = [
        one
        for one in ones
        for params in drawn(REGISTRY[theorem], "tests")[:12]
        if not same(outcome(one.changed, params), outcome(REGISTRY[theorem], params))
    ]
    # Points are no proof: a few may differ where nothing was tried.
    assert len(differ) <= 0.1 * len(ones)


def test_lines_of_the_audited_proofs_are_the_formulas():
    for theorem in ("thm-A.4", "thm-3.2", "thm-4.3", "thm-3.2-improved", "lem-A.2", "thm-A.7", "thm-A.5"):
        assert any(part == "value" for _, part, _ in written(theorem)), theorem
    assert any(part == "at" for _, part, _ in written("thm-3.2-approx"))
    assert written("gauss-8") == ()


@pytest.mark.parametrize("theorem", REGISTRY)
def test_formulas_say_what_is_pinned(stored, theorem):
    pins = stored["pins"][theorem]
    assert pins["relation"] == REGISTRY[theorem].relation and len(pins["points"]) >= 24
    for params, wanted in map(unpinned, pins["points"]):
        assert same(outcome(REGISTRY[theorem], params), wanted, 1e-12), params


def test_no_mutant_survives(stored):
    assert {one["fate"] for one in stored["mutants"]} <= {"caught", "equivalent", "stillborn"}
    assert set(stored["counts"]) == set(REGISTRY)
    assert stored["total"]["caught"] > 2000
    # All guards are of use.
    assert all(stored["total"][guard] > 100 for guard in GUARDS)


@pytest.mark.parametrize("theorem", SAMPLE)
def test_a_sample_of_the_table_reproduces(stored, theorem):
    fresh = mutate([theorem], RESULTS)
    assert not fresh.survivors
    known = [one for one in stored["mutants"] if one["theorem"] == theorem]
    for one, wanted in zip(fresh.fates, known, strict=True):
        found = one.to_dict()
        assert (found["kind"], found["before"], found["after"]) == (wanted["kind"], wanted["before"], wanted["after"])
        assert found["fate"] == wanted["fate"], found
        # What proofs are audited changes the last guard only.
        assert set(found["noticed"]) ^ set(wanted["noticed"]) <= {"audit"}, found


def test_the_table_is_the_one_of_these_mutants(stored):
    text = (RESULTS / "mutation.md").read_text()
    total = stored["total"]
    assert f"{total['caught']} of {total['caught']} mutants" in text and f"{total['equivalent']} are equivalent" in text
    assert all(f"| {theorem} |" in text for theorem in REGISTRY)


def test_a_formula_that_is_not_the_pinned_one_is_refused(pldcheck, tmp_path):
    pins = {"thm-5.1": {"relation": "<=", "points": [_pin(clients=10, eps0=1.0, delta=0.1, value=99.0)]}}
    (tmp_path / "mutation.json").write_text(json.dumps({"pins": pins}))
    done = pldcheck("mutate", "thm-5.1", "--stored", tmp_path)
    assert done.status == 2 and done.out == "" and done.err.count("\n") == 1
    assert "thm-5.1 no longer says what mutation.json pins at clients=10, eps0=1, delta=0.1" in done.err
    (tmp_path / "mutation.json").write_text("[]")
    assert "is no table of mutants" in pldcheck("mutate", "thm-5.1", "--stored", tmp_path).err


def _pin(value, **params):
    return {"params": params, "outcome": "value", "value": value, "at": params["delta"]}


def test_the_command_line(pldcheck):
    done = pldcheck("mutate", "thm-A.7", "--stored", RESULTS, "--json", "--out", "there")
    assert done.status == 0 and done.json["total"]["caught"] == len(done.json["mutants"]) == 7
    assert Path("there/mutation.md").read_text().startswith("# Which guard notices a wrong formula")
    text = pldcheck("mutate", "thm-A.7", "--stored", RESULTS).out
    assert "7 of 7 mutants that say something else are noticed, 0 are not" in text
    assert pldcheck("mutate", "thm-A.8").status == 2


def test_survivors_are_named(tmp_path):
    found = mutate(["zcdp-16"], RESULTS)
    fate = replace(found.fates[0], fate=SURVIVED, noticed={})
    text = markdown(replace(found, fates=(fate,)))
    assert "0 of 1 mutants" in text and f"- `zcdp-16, {fate.mutant.kind}" in text
