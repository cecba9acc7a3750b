"""Tables of stored studies: every certified or empirical end encloses what is in the file, and every file is shown."""

import csv
import json
from collections import defaultdict
from decimal import Decimal
from io import StringIO
from math import isfinite

import pytest
from places import FIGURES, RESULTS, STUDY
from stored_results import put, rows_of_every_kind

from pldcheck.report.report_digest import digest
from pldcheck.report.report_tables import parameters
from pldcheck.report.results_folder import read
from pldcheck.report.table_files import csv_text
from pldcheck.study.comparisons import ROWS
from pldcheck.study.comparisons.comparison import heads as column_heads
from pldcheck.study.stored_studies import KINDS
from pldcheck.study.stored_tables import cell_texts, finding_tables, measured_tables, proof_tables, theorem_columns
from pldcheck.verification.runs import results_tree, run_store

# Numbers that no six digits are equal to, of either sign.
AWKWARD = (2.0 / 3.0, -2.0 / 3.0, 1e-9 / 3.0, 1e15 / 7.0)


def lines_of(table):
    """Return the lines of a table, each by its heads."""
    return [dict(zip(table.heads, line, strict=True)) for line in table.all_lines]


def read_csv(text):
    """Return the lines of a CSV text, each by its heads."""
    return list(csv.DictReader(StringIO(text)))


def assert_encloses(lower, upper, low, high):
    """Assert that texts enclose an interval, and that they are near it."""
    for text, value, sign in ((lower, low, -1), (upper, high, 1)):
        assert sign * (Decimal(text) - Decimal(value)) >= 0, (text, value)
        assert abs(Decimal(text) - Decimal(value)) <= Decimal("2e-3") * abs(Decimal(value)), (text, value)


def test_ends_are_rounded_in_the_direction_of_their_names():
    for value in AWKWARD:
        assert_encloses(cell_texts.low(value), cell_texts.high(value), value, value)
        assert Decimal(cell_texts.low(value)) < Decimal(value) < Decimal(cell_texts.high(value))
        assert cell_texts.end("poisson_lower", value) == cell_texts.low(value)
        assert cell_texts.end("upper", value) == cell_texts.high(value)
    assert cell_texts.end("thm_3_2", 2.0 / 3.0) == "0.666667" and cell_texts.end("n", 10**7) == "10000000"
    assert [cell_texts.low(None), cell_texts.high("inf"), cell_texts.low("-inf")] == ["–", "inf", "-inf"]
    assert [cell_texts.near(True), cell_texts.near(None), cell_texts.point({"a": 0.5, "b": None})] == [
        "yes",
        "–",
        "a=0.5",
    ]
    for wrong in (True, "1.0", [1.0], {}):
        with pytest.raises((TypeError, ValueError)):
            cell_texts.low(wrong)


def step(verdict, left=None, right=None):
    """Return what the tables need of a step of an audit."""
    example = left and {"point": {"eps0": 1.0, "steps": 3}, "left": left, "right": right}
    texts = dict.fromkeys(("id", "name", "source", "statement"), "s")
    return {**texts, "verdict": verdict, "by_hand": verdict == "proved", "counterexample": example}


@pytest.mark.nightly
def test_a_step_that_fails_has_its_left_side_rounded_down_and_its_right_side_up():
    left, right = {"lower": 2.0 / 3.0, "upper": 1.0}, {"lower": 0.0, "upper": 1.0 / 3.0}
    steps = [step("proved"), step("fails", left, right), step("undecided")]
    audit = {"theorem": "t", "title": "T", "holds": False, "counts": {"proved": 1, "fails": 1, "undecided": 1}}
    proofs, failing = proof_tables.audits("audit", {"audits": [{**audit, "steps": steps}]})
    assert lines_of(proofs) == [
        {
            **{"theorem": "t", "title": "T", "proof": "✗ a step fails", "proved": "1", "undecided": "1", "fails": "1"},
            **{"proved with a part by hand": "1", "command": "pldcheck audit t"},
        }
    ]
    first, second = lines_of(failing)
    assert_encloses(first["left at least"], first["right at most"], 2.0 / 3.0, 1.0 / 3.0)
    assert (first["at"], first["outcome"]) == ("eps0=1, steps=3", "fails")
    assert (second["at"], second["left at least"], second["outcome"]) == ("–", "–", "undecided")
    with pytest.raises(KeyError):
        list(proof_tables.audits("audit", {"audits": [{**audit, "holds": "yes", "steps": steps}]}))


@pytest.mark.nightly
def test_ratios_of_bounds_are_rounded_outward_and_open_orders_are_in_the_file_alone():
    texts = {"theorem": "a", "other": "b", "quantity": "epsilon"}
    counts = {"points": 9, "inside": 8, "implied": 7, "equal": 1, "least": 2.0 / 3.0, "largest": 5.0 / 3.0}
    turn = {"parameter": "steps", "low": 20, "high": 21, "params": {"eps0": 0.1}}
    crossing = {**texts, **counts, "order": "crossing", "turn": turn}
    (table,) = proof_tables.dominance(
        "order", {"comparisons": [crossing, {**crossing, "order": "implied", "turn": None}]}
    )
    assert [line[1] for line in table.lines] == ["implied"] and len(table.every) == 2
    first, second = lines_of(table)
    assert_encloses(first["least ratio"], first["largest ratio"], 2.0 / 3.0, 5.0 / 3.0)
    assert first["where it turns"] == "steps from 20 to 21, eps0=0.1" and second["where it turns"] == "–"


@pytest.mark.nightly
def test_attacks_are_shown_with_all_of_their_ends_outward():
    stored = json.loads((STUDY / "attack.json").read_text())
    (table,) = measured_tables.attacks("attack", stored)
    assert len(table.lines) == len(stored["rows"])
    pairs = (
        ("certified lower end", "certified upper end", "certified_lower", "certified_upper"),
        *[("this attack reaches at least (empirical)", "at most (empirical)", "attained_lower", "attained_upper")],
    )
    for line, row in zip(lines_of(table), stored["rows"], strict=True):
        for low, high, lower, upper in pairs:
            assert_encloses(line[low], line[high], row[lower], row[upper])
        for head, key in (
            ("epsilon is above (empirical)", "epsilon_lower"),
            ("by events alone (empirical)", "by_events"),
        ):
            assert 0 <= Decimal(row[key]) - Decimal(line[head]) <= Decimal("1e-5") * Decimal(row[key])


@pytest.mark.nightly
def test_findings_are_all_there_under_their_kinds():
    stored = json.loads((STUDY / "findings.json").read_text())
    tables = [table for table in finding_tables.findings("findings", stored) if table]
    texts = [line["finding"] for table in tables for line in lines_of(table)]
    assert sorted(texts) == sorted(one["text"] for one in stored["findings"])
    assert tables[0].caption == "Statements that are false" and tables[0].name == "findings-false"
    assert all(line["command"].startswith("pldcheck ") for table in tables for line in lines_of(table))
    many = [one for one in stored["findings"] if len(one["theorems"]) > 9]
    names = [line["theorems"] for table in tables for line in lines_of(table)]
    assert many and all(any(f"and {len(one['theorems']) - 4} more" in name for name in names) for one in many)


@pytest.mark.nightly
def test_mutants_are_counted_by_theorem_and_survivors_are_named():
    counts = {"a": {"swap": {"caught": 2, "audit": 1}, "drop": {"caught": 1, "stillborn": 1}}}
    mutants = [{"theorem": "a", "kind": "swap", "place": "p", "before": "x", "after": "y", "fate": "caught"}] * 3
    values = {"counts": counts, "total": {"caught": 3, "audit": 1, "stillborn": 1, "survived": 1}, "mutants": mutants}
    guards, nothing = finding_tables.mutants("mutation", values)
    assert nothing is None and lines_of(guards) == [
        {"theorem": "a", "mutants": "3", "caught": "3", "audit": "1", "stillborn": "1", "command": "pldcheck mutate a"}
    ]
    _, survivors = finding_tables.mutants("mutation", {**values, "mutants": [{**mutants[0], "fate": "survived"}]})
    assert survivors.lines == (("a", "swap", "p", "x", "y"),)


@pytest.mark.nightly
def test_widths_are_rounded_up_and_answers_without_a_lower_end_are_counted():
    row = {"group": "g", "status": "", "width": 0.01 / 3.0, "seconds": 2.5}
    late = {"group": "g", "status": "cut"}
    origin = {"command": "pldcheck bench", "created": "2026-01-01T00", "machine": {"cpu": "a"}}
    (table,) = measured_tables.widths("widths", {**origin, "lines": [row, {**row, "width": None}, late]})
    (line,) = lines_of(table)
    assert Decimal(line["largest width in %"]) >= Decimal(100.0 * row["width"]) and line["largest width in %"] == "0.34"
    counts = [line[head] for head in ("asked", "answered in time", "of them without a lower end", "most seconds")]
    assert counts == ["3", "2", "1", "2.5"]


@pytest.mark.nightly
def test_what_studies_say_of_a_theorem_stands_beside_its_verdicts(tmp_path):
    put(tmp_path, "mixed", rows_of_every_kind())
    for name in ("audit", "findings", "dominance"):
        (tmp_path / f"{name}.json").write_bytes((STUDY / f"{name}.json").read_bytes())
    table = digest(read(tmp_path, run_store.read, KINDS)).theorem_studies
    lines = {line["theorem"]: line for line in lines_of(table)}
    assert lines["thm-A.4"]["proof"] == "✗ a step fails" and "two readings" in lines["thm-A.4"]["findings"]
    assert lines["thm-A.4"]["implied by"].startswith("thm-3.2") and lines["vr-wang"]["findings"] == "false"
    assert lines["adv-18"]["proof"] == "✓ no step fails"
    # Without studies there is no such table.
    for name in ("audit", "findings", "dominance"):
        (tmp_path / f"{name}.json").unlink()
    assert digest(read(tmp_path, run_store.read, KINDS)).theorem_studies is None
    one = {"kind": "false", "theorems": ["b", "a"]}
    kinds = [{"kind": "recalled", "theorems": ["a"]}, one, one, {"kind": "guards", "theorems": ["c"]}]
    assert theorem_columns.findings({"findings": kinds}) == {"b": "false", "a": "false, false as recalled"}
    assert theorem_columns.implied_by({"dominated": {"a": list("bcdef")}}) == {"a": "b, c, d and 2 more"}


@pytest.fixture(scope="module")
def stored():
    """Return the content of results/ and what a report says of it."""
    folder = read(RESULTS, run_store.read, KINDS)
    return folder, digest(folder)


@pytest.mark.nightly
def test_every_stored_file_is_shown(stored):
    folder, summary = stored
    assert folder.damage == {} and folder.aside == ()
    homes = {path / stem for (_, stem), path in folder.homes.items()}
    for path in (*RESULTS.rglob("*.json"), *RESULTS.rglob("*.jsonl")):
        if path.parent.name not in results_tree.BESIDE_ROWS:
            assert path.with_suffix("") in homes, path
    shown = {kind for kind, _ in summary.studies}
    assert shown == {kind.name for kind in KINDS} - {"trajectory"} and all(folder.results[name] for name in shown)
    names = [table.name for table in summary.tables]
    assert len(set(names)) == len(names)


@pytest.mark.nightly
def test_the_files_of_comparisons_enclose_the_stored_ends(stored):
    tables = {table.name: table for table in stored[1].tables}
    for path in FIGURES.glob("*.json"):
        values = json.loads(path.read_text())
        if values["kind"] != "comparison":
            continue
        lines = read_csv(csv_text(tables[f"comparison-{path.stem}-rows"]))
        heads = column_heads(ROWS[stored[0].results["comparison"][path.stem].name])
        for line, row in zip(lines, values["rows"], strict=True):
            for name, value in row.items():
                text = line[heads[name]]
                if name.endswith(("lower", "upper")) and value is not None and isfinite(float(value)):
                    sign = -1 if name.endswith("lower") else 1
                    assert sign * (Decimal(text) - Decimal(value)) >= 0, (path, name, text, value)


@pytest.mark.nightly
def test_the_file_of_all_rows_has_every_stored_row_with_its_ends_outward(stored):
    folder, summary = stored
    rows = [(stem, row) for stem, run in folder.runs.items() for row in run.rows]
    lines = defaultdict(list)
    for line in read_csv(csv_text(summary.rows)):
        lines[line["theorem"], line["run"], line["parameters"]].append(line)
    assert sum(map(len, lines.values())) == len(rows) > len(summary.rows.lines)
    for stem, row in rows:
        line = lines[row.subject, stem, parameters(row)].pop(0)
        assert str(row.verdict) in line["verdict"]
        for head, value, sign in (("lower end", row.lower, -1), ("upper end", row.upper, 1)):
            if value is None:
                assert line[head] == "–"
            elif isfinite(value):
                assert sign * (Decimal(line[head]) - Decimal(value)) >= 0, (line, value)
            else:
                assert line[head] == "inf"
