"""Findings: the numbers are those of runs and audits, rounded so that they stay true, and every command runs."""

import json
import shlex
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from places import RESULTS, STUDY, SUITES

from pldcheck.cli import run
from pldcheck.study.findings import Finding, Findings, Kind, collect_findings, findings
from pldcheck.study.findings.collect_findings import CASES, TWO_READINGS
from pldcheck.study.findings.findings_text import escape, lines, markdown
from pldcheck.theorems import REGISTRY
from pldcheck.verification.runs import run_store

STORED_FINDINGS = json.loads((STUDY / "findings.json").read_text())["findings"]
COMMANDS = {one["command"]: one["status"] for one in STORED_FINDINGS}
# Audits take seconds to minutes, all mutants minutes.
QUICK = [command for command in COMMANDS if command.split()[1] in ("verify", "dominance")]


def balls(lower, upper):
    return {"lower": lower, "upper": upper}


def step(verdict="proved", **more):
    facts = {"id": "T/step", "name": "a step", "statement": "a \\le b", "source": "Theorem T", "verdict": verdict}
    facts |= {
        "premises": ["eps0 <= 1"],
        "counterexample": None,
        "readings": [],
        "needs": None,
        "thresholds": [],
        "notes": "A note.",
        "ignored": [],
    }
    return facts | more


FAILING_POINT = {"point": {"eps0": 1.0, "steps": 2}, "left": balls(1.23456789, 1.3), "right": balls(0.9, 0.98765432)}


def audits(*steps):
    return [{"theorem": name, "steps": list(steps)} for name in ("thm-A.4", "thm-3.2")]


def test_a_failing_step_is_reported_once_with_numbers_rounded_outward():
    limit = {"parameter": "delta", "end": "high", "proved": 0.16583, "fails": 0.165841, "dropped": ["delta <= 1/4"]}
    (finding,) = collect_findings.failing_steps(audits(step("fails", counterexample=FAILING_POINT, thresholds=[limit])))
    assert finding.kind is Kind.STEP and finding.theorems == ("thm-A.4", "thm-3.2") and finding.status == 1
    # The left side is at least its lower end rounded down, the right at most its upper end rounded up.
    assert (
        "At eps0 = 1, steps = 2 the left side is at least 1.2345 and the right side is at most 0.98766." in finding.text
    )
    assert "claimed for eps0 <= 1" in finding.text
    assert (
        "It is proved for delta up to 0.16583 and fails at 0.165841 (without the premise delta <= 1/4)." in finding.text
    )
    assert finding.text.endswith(" A note.") and finding.command == "audit thm-A.4"


def test_a_reading_that_fails_is_reported_where_the_other_holds():
    reading = {"name": "m for n", "verdict": "fails", "counterexample": FAILING_POINT, "undefined": False}
    (finding,) = collect_findings.failing_readings(audits(step(readings=[reading])))
    assert finding.kind is Kind.READING and finding.title == "a step: m for n" and finding.status == 0
    assert not list(collect_findings.failing_readings(audits(step("fails", readings=[reading]))))
    assert not list(collect_findings.failing_readings(audits(step(readings=[reading | {"verdict": "proved"}]))))


def test_one_of_two_readings_of_a_text_is_no_failing_step():
    failing = step("fails", id="A.4/simple-4", counterexample=FAILING_POINT)
    proof = step(id="A.4/simple-100", name="the simple form, delta <= 1/100")
    (finding,) = collect_findings.failing_readings(audits(failing, proof))
    assert (
        finding.kind is Kind.READING
        and finding.status == 1
        and not list(collect_findings.failing_steps(audits(failing, proof)))
    )
    assert "In this reading the step fails: at eps0 = 1, steps = 2 the left side is at least 1.2345" in finding.text
    assert finding.text.endswith('In the other reading, "the simple form, delta <= 1/100", it is proved.')
    # Where the other reading is not proved, it is a step that fails.
    (finding,) = collect_findings.failing_steps(audits(failing, proof | {"verdict": "holds"}))
    assert finding.kind is Kind.STEP and not list(collect_findings.failing_readings(audits(failing)))


def test_both_readings_of_a_text_are_steps_of_an_audit():
    from pldcheck.theorems.papers import chains

    steps = {one.id for chain in chains().values() for one in chain.steps}
    assert all({name, other} <= steps for name, (other, _) in TWO_READINGS.items())
    assert {*CASES, *(other for other, _ in CASES.values())} <= set(REGISTRY)


def test_false_statements_are_told_from_limits_and_special_cases():
    """One mistake, a case of it, and a limit of which its paper does not say that it is a bound."""
    rows = run_store.read(SUITES / "refuted.jsonl").rows
    by_theorem = {one.theorems[0]: one for one in collect_findings.false_statements("refuted", rows)}
    assert {name: one.kind for name, one in by_theorem.items()} == {
        "krr-merged": Kind.FALSE,
        "vr-wang": Kind.FALSE,
        "chen-gdp": Kind.LIMIT,
        "thm-4.1-simple-printed": Kind.LIMIT,
    }
    assert by_theorem["krr-merged"].text.startswith("This is vr-wang at")
    assert 'The paper says that shuffling "approximately satisfies" this' in by_theorem["chen-gdp"].text


def test_a_formula_that_was_recalled_is_not_called_false_as_its_papers_claim():
    rows = run_store.read(SUITES / "field.jsonl").rows
    findings = list(collect_findings.false_statements("field", rows))
    assert len(findings) == 13 and {one.kind for one in findings} == {Kind.RECALLED}
    assert all("the formula, as recalled, claims that" in one.text for one in findings)
    assert not any("the theorem claims" in one.text for one in findings)


def test_a_condition_that_is_not_needed_is_reported():
    needs = {"sufficient": [["eps0 <= 1"], []], "insufficient": [], "undecided": []}
    (finding,) = collect_findings.spare_conditions(audits(step(needs=needs)))
    assert finding.facts["spare"] == ["eps0 <= 1"] and "without any condition" in finding.text
    entry = {"sufficient": [["eps0 <= 1"]], "insufficient": [], "undecided": []}
    assert not list(collect_findings.spare_conditions(audits(step(needs=entry))))


def test_a_discarded_parameter_is_a_finding_where_the_theorem_has_it():
    weight = {"parameter": "weight", "ends": [0.0, 1.0], "middle": [1.8, 1.01]}
    loose = weight | {"parameter": "steps", "middle": [6.0, 9.0]}
    facts = audits(step(ignored=[weight, loose, weight | {"parameter": "clients"}]))
    (finding,) = collect_findings.discarded_parameters(facts)
    assert finding.kind is Kind.PARAMETER and finding.theorems == ("thm-A.4", "thm-3.2")
    medians = "1.8 times the left side at weight = 0 and 1.01 times the left side at weight = 1"
    assert f"In the median over the grid it is {medians}" in finding.text


def test_false_statements_are_those_of_the_stored_run():
    rows = run_store.read(SUITES / "refuted.jsonl").rows
    by_theorem = {one.theorems[0]: one for one in collect_findings.false_statements("refuted", rows)}
    assert set(by_theorem) == {"krr-merged", "vr-wang", "chen-gdp", "thm-4.1-simple-printed"}
    for name, one in by_theorem.items():
        smallest = one.facts["smallest"]
        assert smallest["claimed"] == pytest.approx(REGISTRY[name](**smallest["params"]).value, rel=1e-12)
        claim = float(one.text.split("is at most ")[1].split()[0].rstrip("."))
        truth = float(one.text.split("The true value is at least ")[1].split()[0].rstrip("."))
        assert smallest["claimed"] <= claim < truth <= smallest["lower"]
        assert claim < 1.0001 * smallest["claimed"] and truth > 0.9999 * smallest["lower"]


def test_the_smallest_counterexample_agrees_with_a_value_by_hand():
    """Two clients and 3-ary randomized response at eps0 = 1: all outputs, in fractions."""
    findings = collect_findings.false_statements("refuted", run_store.read(SUITES / "refuted.jsonl").rows)
    finding = next(one for one in findings if one.theorems == ("krr-merged",))
    smallest = finding.facts["smallest"]["params"]
    assert (smallest["clients"], smallest["categories"]) == (2, 3)
    x, kappa = Fraction(exp(smallest["eps0"])), Fraction(exp(smallest["epsilon"]))

    def response(value):
        return {output: (x if output == value else 1) / (x + 2) for output in range(3)}

    def counts(own_record, other_record):
        law = {}
        for (a, p), (b, q) in product(response(own_record).items(), response(other_record).items()):
            law[tuple(sorted((a, b)))] = law.get(tuple(sorted((a, b))), 0) + p * q
        return law

    # The others hold the value of the record that is replaced.
    first, second = counts(0, 0), counts(1, 0)
    delta = sum(max(Fraction(0), first[key] - kappa * second[key]) for key in first)
    truth = float(finding.text.split("The true value is at least ")[1].split()[0].rstrip("."))
    # exp is rounded, by half a unit at most each: delta is at most so much more.
    assert finding.facts["smallest"]["claimed"] < truth <= delta * (1 + Fraction(1, 2**49))


def test_findings_are_in_order_of_consequence():
    kinds = [Kind[one["kind"].upper()] for one in STORED_FINDINGS]
    assert kinds == sorted(kinds) and {Kind.FALSE, Kind.STEP, Kind.READING, Kind.DOMINATED} <= set(kinds)


def test_known_findings_are_among_the_stored_ones():
    # The sheet on theorems names them as suspects; nothing in the code does.
    dominance = {one["theorems"][0]: one["theorems"][1] for one in STORED_FINDINGS if one["kind"] == "dominated"}
    assert dominance["thm-4.1"] == "thm-5.1" and dominance["thm-A.5"] == "thm-A.7"
    assert dominance["thm-3.2"] == "thm-3.2-improved"
    readings = {name for one in STORED_FINDINGS if one["kind"] == "reading" for name in one["theorems"]}
    assert "thm-4.1-approx" in readings
    failing = {name for one in STORED_FINDINGS if one["kind"] == "step" for name in one["theorems"]}
    assert {"cor-3.3", "thm-4.2"} <= failing


def test_the_document_has_all_findings():
    text = (STUDY / "findings.md").read_text()
    assert text.count("\n### ") == len(STORED_FINDINGS) and all(
        f"`{one['command']}`" in text for one in STORED_FINDINGS
    )
    assert all(escape(one["text"]) in text for one in STORED_FINDINGS)


def test_findings_of_one_theorem_are_selected(pldcheck):
    result = pldcheck("findings", "krr-merged", "--stored", RESULTS, "--json", "--out", "there")
    assert result.status == 0 and [one["kind"] for one in result.json["findings"]] == ["false"]
    assert Path("there/findings.md").read_text().startswith("# Findings\n")
    assert "3-ary randomized response" in pldcheck("findings", "krr-merged", "--stored", RESULTS).out
    assert pldcheck("findings", "gauss-8", "--stored", RESULTS).out == "There are no findings.\n"


@pytest.mark.long
def test_bad_input_is_refused_in_one_line(pldcheck, tmp_path):
    result = pldcheck("findings", "thm-9.9")
    assert result.status == 2 and result.err.count("\n") == 1 and "unknown theorem 'thm-9.9'" in result.err
    (tmp_path / "audit.json").write_text("{")
    result = pldcheck("findings", "thm-3.2", "--stored", tmp_path)
    assert result.status == 2 and "audit.json cannot be read" in result.err and result.err.count("\n") == 1


def test_a_finding_is_printed_with_its_command():
    one = Finding(Kind.STEP, ("thm-3.2",), "a_step", "1 < 2.", "Theorem T", "audit thm-3.2", 1, {"statement": "x"})
    answer = Findings((one,))
    assert "### a\\_step" in markdown(answer) and "$ pldcheck audit thm-3.2" in "\n".join(lines(answer))
    assert repr(answer) == "<Findings: 1 step>"
    assert repr(Findings(())) == "<Findings: none>" and list(lines(Findings(()))) == ["There are no findings."]


def test_findings_are_computed_where_nothing_is_stored(tmp_path):
    answer = findings(["chen-gdp"], tmp_path)
    assert [one.theorems for one in answer.of(Kind.LIMIT)] == [("chen-gdp",)] and not answer.of(Kind.FALSE)


def output_of(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    return run(shlex.split(command)[1:])


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=pytest.mark.nightly) if "thm-3.2" in one else one for one in QUICK]
)
def test_commands_run_and_end_as_they_say(command, tmp_path, monkeypatch, capsys):
    assert output_of(command, tmp_path, monkeypatch) == COMMANDS[command]
    assert capsys.readouterr().out


@pytest.mark.long
@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in QUICK])
def test_long_commands_run_and_end_as_they_say(command, tmp_path, monkeypatch, capsys):
    copytree(RESULTS, tmp_path / "results", ignore=ignore_patterns("*.png", "*.svg", "*.html"))
    assert output_of(f"{command} --json", tmp_path, monkeypatch) == COMMANDS[command]
    assert set(json.loads(capsys.readouterr().out)) & {"audits", "mutants"}
