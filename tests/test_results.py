"""results/ is what a fresh run gives: the same cells, and every one that is computed anew agrees."""

import json
import random
from math import inf

import pytest
from places import FIGURES, RESULTS, SUITES

from pldcheck.core import sealed_files
from pldcheck.report.results_folder import read
from pldcheck.study.comparisons import COMPARISONS, QUICK
from pldcheck.study.stored_studies import KINDS
from pldcheck.study.waterfall.waterfall import waterfall
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.recalled import APPROXIMATION, MISREAD, PUBLISHED, RECALLED
from pldcheck.verification import Verdict, suites
from pldcheck.verification.run_fold import DECISIVE
from pldcheck.verification.runs import results_tree, run_store
from pldcheck.verification.runs.executors import InProcess
from pldcheck.verification.runs.run_job import run
from pldcheck.verification.suites import Grid, Job

# So many cells of a suite are computed anew.
SAMPLE = 12
# The seed of their choice is the same in every process; another number is another choice.
CHOICE = 20261121

USUAL_VERDICTS = {Verdict.HOLDS, Verdict.CONSISTENT, Verdict.OUT_OF_CONDITIONS}


def key(row):
    return row.theorem, tuple(sorted(row.params.items()))


def agree(one, other):
    """Return two certified intervals of one number."""
    return one.lower <= other.upper and other.lower <= one.upper


@pytest.mark.parametrize("name", suites.NAMES)
def test_a_stored_run_has_the_cells_of_its_suite(name):
    report, job = run_store.read(SUITES / f"{name}.jsonl"), suites.find(name)
    keys = {(cell.theorem.id, tuple(sorted(cell.params.items()))) for cell in job.cells()}
    assert {key(row) for row in report.rows} == keys and len(report.rows) == len(keys)
    # In the suite of the field, readings that are false say so in their titles, and nothing else is violated.
    wrong = {theorem.id for theorem in job.theorems if theorem.title.endswith("(false)")} if name == "field" else set()
    for row in report.rows:
        usual = {Verdict.VIOLATED} if name == "refuted" else USUAL_VERDICTS
        assert row.verdict in usual or (row.theorem in wrong and row.verdict is Verdict.VIOLATED)
    assert wrong <= {row.theorem for row in report.rows if row.verdict is Verdict.VIOLATED}
    assert report.header["command"].startswith("pldcheck ") and not report.header["commit"].endswith("-dirty")


@pytest.mark.nightly
@pytest.mark.parametrize("name", suites.NAMES)
def test_a_fresh_run_agrees_with_what_is_stored(name):
    rows = {key(row): row for row in run_store.read(SUITES / f"{name}.jsonl").rows}
    cells = list(suites.find(name).cells())
    sample = random.Random(CHOICE).sample(cells, min(SAMPLE, len(cells)))
    grids = tuple(
        Grid({parameter: (value,) for parameter, value in cell.params.items()}, (cell.theorem.id,)) for cell in sample
    )
    fresh = run(Job(name, "", grids), executor=InProcess())
    assert len(fresh.rows) == len(sample)
    for row in fresh.rows:
        row_before = rows[key(row)]
        assert row.verdict is row_before.verdict
        if row.analytic is None:
            assert row_before.analytic is None
            continue
        assert row.analytic == pytest.approx(row_before.analytic, rel=1e-12, abs=0.0)
        if row.lower is not None:
            assert agree(row, row_before)
            # Not much wider than it was: a claim that is decided early leaves an interval as it is.
            assert row.upper - row.lower <= 3.0 * (row_before.upper - row_before.lower) + 1e-2 * row_before.upper


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in COMPARISONS if name != "table-1"])
def test_a_fresh_comparison_agrees_with_what_is_stored(name):
    values = json.loads((FIGURES / f"{name}.json").read_text())
    fresh = COMPARISONS[name](**QUICK[name]).to_dict()
    # Numbers that rows begin with say where they are.
    places = [field for field in fresh["rows"][0] if field in ("clients", "eps0", "rounds", "categories", "steps")]
    places += [field for field in ("delta0", "check_in_prob", "sigma", "epochs") if field in fresh["rows"][0]]
    places += ["epsilon"] if name == "crossing" else []
    rows = {tuple(row[place] for place in places): row for row in values["rows"]}
    matches = 0
    for row in fresh["rows"]:
        row_before = rows.get(tuple(row[place] for place in places))
        if row_before is None:
            continue
        matches += 1
        for field, lower in row.items():
            if field.endswith("lower") and lower is not None and not field.startswith("ratio"):
                upper = field.removesuffix("lower") + "upper"
                assert lower <= row_before[upper] and row_before[field] <= row[upper], (field, row)
    assert matches >= 1


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["thm-3.2", "thm-5.1"])
def test_a_fresh_waterfall_agrees_with_what_is_stored(name):
    values = json.loads((FIGURES / f"waterfall-{name}.json").read_text())
    fresh = waterfall(name, **values["params"])
    assert len(fresh.levels) == len(values["levels"])
    for level, level_before in zip(fresh.levels, values["levels"], strict=True):
        assert level.name == level_before["name"]
        assert level.interval.lower <= level_before["upper"] and level_before["lower"] <= level.interval.upper


def test_every_stored_file_says_of_what_kind_it_is_and_the_report_leaves_nothing_out():
    content = read(RESULTS, run_store.read, KINDS)
    assert content.damage == {} and set(content.runs) == set(suites.NAMES)
    for path in RESULTS.rglob("*.json"):
        if path.parent.name in results_tree.BESIDE_ROWS:  # these are for programs that know no seals
            continue
        assert sealed_files.unseal(sealed_files.load(path))["kind"] in {kind.name for kind in KINDS}
    for name, box in (("report.html", 'class="warning"'), ("report.md", "**left out**")):
        assert box not in (RESULTS / name).read_text()


def test_the_stored_report_is_of_the_stored_runs():
    text = (RESULTS / "report.md").read_text().replace("\\", "").replace("\u202f", "").replace("\u00a0", "")
    assert (RESULTS / "report.html").stat().st_size < 5e6
    runs = [run_store.read(SUITES / f"{name}.jsonl") for name in suites.NAMES]
    verdicts = {}
    for row in (row for report in runs for row in report.rows):
        verdicts.setdefault(REGISTRY[row.theorem].standing, {}).setdefault(row.theorem, set()).add(row.verdict)
    wrong = {name: [one for one, own in group.items() if Verdict.VIOLATED in own] for name, group in verdicts.items()}
    assert sorted(wrong[PUBLISHED]) == ["krr-merged", "vr-wang"] and wrong[RECALLED] == []
    for standing, sentence in (
        (PUBLISHED, "{wrong} of {all} published theorems are false; the other {rest} hold at "),
        (APPROXIMATION, "{wrong} of {all} published approximations are no bounds."),
        (RECALLED, "All {all} theorems as recalled hold at "),
        (MISREAD, "{wrong} of {all} deliberately false readings are false."),
    ):
        decided = [one for one in verdicts[standing].values() if one & DECISIVE]
        numbers = {"wrong": len(wrong[standing]), "all": len(decided)}
        assert sentence.format(**numbers, rest=numbers["all"] - numbers["wrong"]) in text
    # The table of fits ends in what it shows.
    assert "Conclusion, for eps0 > 1: the bounds lose with eps0, and not with n: thm-3.2 grows at least" in text
    assert all(name in text for run in runs for name in run.theorems)


@pytest.fixture(scope="module")
def speed():
    """Return the stored benchmarks by kind: benchmarks (their header), row, fit, aim."""
    lines = {}
    for line in (RESULTS / "benchmarks" / "benchmarks.jsonl").read_text().splitlines():
        one = json.loads(line)
        lines.setdefault(one.pop("kind"), []).append(one)
    return lines


def test_the_stored_benchmarks_hold_together(speed):
    """All tasks, at one commit; the aims are what the rows say, and all but those on the bare work are met."""
    (header,) = speed["benchmarks"]
    assert header["command"].startswith("pldcheck bench") and not header["commit"].endswith("-dirty")
    assert header["tasks"] == list("abcdefg") and not header["quick"]
    assert {row["task"] for row in speed["row"]} == set("abcdefg")
    assert not [row["case"] for row in speed["row"] if row["status"]]
    from tests.benchmarks import aims
    from tests.benchmarks.case import Row

    # JSON has no infinity: it is stored as text.
    rows = [Row(**{name: inf if value == "inf" else value for name, value in row.items()}) for row in speed["row"]]
    assert aims.measure_aims(rows, header["tasks"]) == speed["aim"]
    assert [aim["aim"] for aim in speed["aim"] if not aim["met"] and "bare work" not in aim["aim"]] == []
    # A peer that is below the truth is told apart, and none of ours is.
    peers = {row["peer"].partition(":")[0].partition(" ")[0] for row in speed["row"] if row["peer_seconds"]}
    assert {"PLD_accounting", "dp_accounting", "prv", "autodp", "apple", "wangsw", "dpbayes"} <= peers
    page = (RESULTS / "benchmarks" / "benchmarks.md").read_text()
    assert all(row["case"][:46] in page for row in speed["row"] if not row["curve"])


@pytest.mark.nightly
def test_a_fresh_answer_agrees_with_each_benchmark(speed):
    """The answers that were timed are still the answers."""
    from pldcheck import HiddenSlot
    from pldcheck.protocols import RandomAllocation

    matches = 0
    for row in speed["row"]:
        params = row["params"]
        if row["task"] == "a":
            fresh = HiddenSlot(params["steps"], params["eps0"], params["weight"]).epsilon(params["delta"])
        elif row["task"] == "b" and params["steps"] <= 1e5:
            more = {name: value for name, value in params.items() if name != "delta"}
            fresh = RandomAllocation(**more).epsilon(params["delta"])
        else:
            continue
        matches += 1
        assert fresh.lower <= row["upper"] and row["lower"] <= fresh.upper, row["case"]
    assert matches >= 50


@pytest.fixture(scope="module")
def stored_widths():
    """Return the header and the rows of the stored widths, and the questions, by groups as well."""
    from tests.benchmarks.width_questions import questions

    header, *rows = map(json.loads, (RESULTS / "benchmarks" / "widths.jsonl").read_text().splitlines())
    each = questions(False)
    groups = list(dict.fromkeys(one.group for one in each))
    return header, rows, sorted(each, key=lambda one: groups.index(one.group))


def test_the_stored_widths_are_of_all_questions_and_their_page_says_them(stored_widths):
    from tests.benchmarks.table import align
    from tests.benchmarks.widths import summary

    header, rows, questions = stored_widths
    assert header["command"].startswith("pldcheck bench --widths") and not header["commit"].endswith("-dirty")
    assert [(row["group"], row["params"], row["delta"]) for row in rows] == [
        (one.group, dict(one.params), one.delta) for one in questions
    ]
    assert "\n".join(align(summary(rows), {0})) in (RESULTS / "benchmarks" / "widths.md").read_text()
    # Nine questions of ten have an answer in time.
    assert sum(not row["status"] for row in rows) >= 0.9 * len(rows)


@pytest.mark.long
def test_fresh_answers_meet_the_stored_widths(stored_widths, tmp_path, monkeypatch):
    """They are answers to the same questions, so that the intervals intersect; those of half a second are tried."""
    from tests.benchmarks import widths

    monkeypatch.chdir(tmp_path)
    widths.enter(str(tmp_path))
    matches = 0
    _, rows, questions = stored_widths
    for row, question in zip(rows, questions, strict=True):
        if row["status"] or row["seconds"] > 0.5:
            continue
        lower, upper, _ = widths.ask(question)
        assert lower <= float(row["upper"]) and float(row["lower"]) <= upper, row
        matches += 1
    assert matches >= 150
