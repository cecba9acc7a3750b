"""Large runs: rows in shards against a plain loop's, resumed, damaged, refused, and folded in any order."""

import random
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from pldcheck.core.errors import ParameterError, PldcheckError
from pldcheck.report.folder_figures import pictures
from pldcheck.report.report_digest import digest
from pldcheck.report.results_folder import read
from pldcheck.report.run_table import notes
from pldcheck.study.stored_studies import KINDS
from pldcheck.verification import Report, Verdict, run_report, verify
from pldcheck.verification.run_fold import DECISIVE, FIRST, FirstRows, RunFold
from pldcheck.verification.runs import row_lines, rows_of_cells, run_job, run_store, shard_folder, stream_job
from pldcheck.verification.runs.executors import InProcess
from pldcheck.verification.runs.run_job import run
from pldcheck.verification.runs.run_log import Log
from pldcheck.verification.suites import Grid, Job
from pldcheck.verification.tightness_map import tile_map

SLOTS = Grid({"steps": (10, 30, 100), "eps0": (0.5, 1.0), "check_in_prob": (1.0,), "delta": (1e-6,)}, ("thm-3.2",))
CHEAP = replace(SLOTS, theorems=("thm-3.2-improved",), judge=False)
JOB = Job("few", "a few cells of each kind", (SLOTS, CHEAP))


@pytest.fixture
def small_shards(monkeypatch):
    """Store every run in shards of five rows."""
    monkeypatch.setattr(run_job, "MOST_IN_MEMORY", 0)
    monkeypatch.setattr(shard_folder, "SHARD_ROWS", 5)


def whole_run():
    """Return the report of the job with all rows in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_job, "MOST_IN_MEMORY", 1000)
        return verify(JOB)


def plain(report):
    """Return rows without what differs from run to run."""
    return [replace(row, seconds=0.0, cell=None) for row in report.rows]


def stored(log, report):
    return run_store.read(run_store.store(report, {"version": "0"}, log.path.parent))


def test_a_large_run_has_the_rows_and_the_result_of_a_plain_loop(tmp_path, small_shards):
    log = Log(tmp_path / "few.jsonl")
    report = run(JOB, executor=InProcess(), log=log).report
    whole = whole_run()
    assert plain(report) == plain(whole) and len(report.rows) == 12
    assert sorted(path.name for path in log.path.with_suffix(".rows").iterdir()) == [
        *(".lock", "000000.jsonl", "000001.jsonl", "000002.jsonl", "run.json", "shards.index"),
    ]
    for other in (report, stored(log, report)):
        assert other.summary() == whole.summary() and other.counts == whole.counts and str(other) == str(whole)
        assert notes(other) == notes(whole) and other.theorems == whole.theorems
        assert plain(replace(other, rows=other.rows_of("thm-3.2"))) == plain(whole)[:6]
        assert [replace(other.rows[place], seconds=0.0) for place in (0, 7, -1)] == [
            plain(whole)[p] for p in (0, 7, -1)
        ]


def test_a_stopped_run_goes_on_where_it_was(tmp_path, small_shards, monkeypatch):
    log, seen = Log(tmp_path / "few.jsonl"), []
    for module in (rows_of_cells, stream_job):
        monkeypatch.setattr(module, "BLOCK", 2)

    def stop(row, total):
        seen.append(total)
        if len(seen) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(JOB, executor=InProcess(), log=log, progress=stop)
    folder = log.path.with_suffix(".rows")
    assert {path.name for path in folder.iterdir()} >= {"000000.jsonl", "000001.part", "run.json"}
    with pytest.raises(PldcheckError, match="its run has not ended"):
        run_store.read(folder)
    totals = []
    report = run(
        JOB, executor=InProcess(), log=log, resume=True, progress=lambda row, total: totals.append(total)
    ).report
    old = report.header["resumed"]
    assert seen == [12] * 7 and 7 <= old < 12 and totals == [12 - old] * (12 - old)
    assert plain(report) == plain(whole_run()) and report.summary() == whole_run().summary()
    # All of it is stored: nothing is computed.
    again = run(JOB, executor=Refusing(), log=log, resume=True).report
    assert again.header["resumed"] == 12 and list(again.rows) == list(report.rows) and str(again) == str(report)


class Refusing(InProcess):
    """Computes nothing."""

    def crew(self):
        """Raise an error."""
        raise ParameterError("scheduler", "one that answers", "none")


@pytest.mark.nightly
def test_an_executor_that_refuses_leaves_nothing(tmp_path, small_shards):
    with pytest.raises(ParameterError):
        run(Job("few", "", (SLOTS,)), executor=Refusing(), log=Log(tmp_path / "few.jsonl"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_rows_of_other_cells_or_other_code_are_not_taken_over(tmp_path, small_shards, monkeypatch):
    log = Log(tmp_path / "few.jsonl")
    run(JOB, executor=InProcess(), log=log)
    for job, more in ((Job("few", "", (SLOTS,)), {}), (JOB, {"width": 0.01}), (JOB, {"theorems": ["thm-3.2"]})):
        with pytest.raises(PldcheckError, match="has rows of other cells"):
            run(job, executor=InProcess(), log=log, resume=True, **more)
    monkeypatch.setattr("pldcheck.verification.runs.cell_identity.code", lambda: "other")
    with pytest.raises(PldcheckError, match="or of another version of the code"):
        run(JOB, executor=InProcess(), log=log, resume=True)
    assert run(JOB, executor=InProcess(), log=log).report.header["resumed"] == 0


@pytest.mark.nightly
def test_a_share_of_a_large_run_is_computed_anew_and_compared(tmp_path, small_shards):
    log = Log(tmp_path / "few.jsonl")
    run(JOB, executor=InProcess(), log=log)
    header = run(JOB, executor=InProcess(), log=log, resume=True, recheck=1.0).report.header
    assert header["recheck"] == {"share": 1.0, "rows": 12, "differ": []}
    part = run(JOB, executor=InProcess(), log=log, resume=True, recheck=0.5).report.header["recheck"]["rows"]
    assert 0 < part < 12
    path = log.path.with_suffix(".rows") / "000000.jsonl"
    rows = [row_lines.decode(line) for line in path.read_bytes().splitlines()]
    rows[2] = (2, replace(rows[2][1], upper=rows[2][1].upper * (1 + 1e-6)))
    path.write_bytes(b"".join(row_lines.encode(*pair) for pair in rows))
    header = run(JOB, executor=InProcess(), log=log, resume=True, recheck=1.0).report.header
    (words,) = header["recheck"]["differ"]
    assert words.startswith("thm-3.2 at steps=30") and "computed anew" in words


@pytest.mark.nightly
def test_a_run_without_a_log_keeps_its_rows_as_long_as_its_report(small_shards):
    report = run(JOB, executor=InProcess()).report
    folder = report.rows.folder.path
    assert plain(report) == plain(whole_run()) and folder.is_dir()
    rows = report.rows[3:5]
    del report
    assert len(list(rows)) == 2
    del rows
    assert not folder.exists()


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_the_result_does_not_depend_on_the_order_of_rows(seed):
    rows = [*verify("refuted").rows, *whole_run().rows]
    pairs = [(index, row) for index, row in enumerate(rows)]
    random.Random(seed).shuffle(pairs)
    fold = RunFold()
    for pair in pairs:
        fold.add(*pair)
    whole = Report("x", tuple(rows))
    other = Report("x", tuple(rows), known_fold=fold)
    assert other.summary() == whole.summary() and other.theorems == whole.theorems and notes(other) == notes(whole)
    assert fold.loosest == whole.fold.loosest and fold.tightest == whole.fold.tightest
    assert fold.loosest[0] == max(row.tightness_lower for row in rows if row.verdict in DECISIVE)
    assert fold.tightest[0] == min(row.tightness_lower for row in rows if row.verdict in DECISIVE)
    violated = [pair for pair in enumerate(rows) if pair[1].verdict is Verdict.VIOLATED]
    assert fold.notable[Verdict.VIOLATED].rows == violated[:100] and violated


@pytest.mark.nightly
def test_first_rows_are_those_with_the_smallest_indices():
    rows, first = [replace(row, seconds=float(index)) for index, row in enumerate(whole_run().rows)] * 40, FirstRows()
    pairs = list(enumerate(rows))
    random.Random(5).shuffle(pairs)
    for pair in pairs:
        first.add(*pair)
    assert first.rows == list(enumerate(rows))[:FIRST] and first.count == len(rows) > FIRST


@pytest.mark.nightly
def test_frames_and_chunks_of_large_runs(small_shards, monkeypatch):
    report = run(JOB, executor=InProcess()).report
    assert [len(rows) for rows in report.chunks(5)] == [5, 5, 2]
    assert [row for rows in report.chunks(5) for row in rows] == list(report.rows)
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(json_normalize=lambda rows: rows))
    monkeypatch.setattr(run_report, "MOST_IN_FRAME", 6)
    with pytest.raises(PldcheckError, match="more than 6 rows are too many for one frame: pass where="):
        report.to_pandas()
    assert report.to_pandas(lambda row: row.theorem == "thm-3.2") == [row.to_dict() for row in report.rows[:6]]


@pytest.mark.nightly
def test_pictures_of_large_runs_are_those_of_small_ones(small_shards):
    large, small = run(JOB, executor=InProcess()).report, whole_run()
    # Dots of a line have no order: rows are folded as they are finished.
    lines = [[replace(line, ratios=tuple(sorted(line.ratios))) for line in one.ratio_lines] for one in (large, small)]
    assert large.is_large and not small.is_large and lines[0] == lines[1]
    maps = [tile_map("thm-3.2", report.rows_of("thm-3.2")) for report in (large, small)]
    assert maps[0] == maps[1] and len(maps[0].tiles) == 6
    for theorem in (None, "thm-3.2"):
        axes = [report.plot(Figure().subplots(), theorem) for report in (large, small)]
        assert [text.get_text() for text in axes[0].texts] == [text.get_text() for text in axes[1].texts]


@pytest.mark.nightly
def test_a_report_on_a_folder_has_large_runs(tmp_path, small_shards):
    large = run(JOB, executor=InProcess(), log=Log(tmp_path / "few.jsonl")).report
    run_store.store(large, {}, tmp_path)
    small = whole_run()
    run_store.store(replace(small, suite="other"), {}, tmp_path)
    folder = read(tmp_path, run_store.read, KINDS)
    assert list(folder.runs) == ["few", "other"] and not folder.damage and folder.page.rows == 24
    assert folder.runs["few"].known_fold is not None and folder.runs["few"].summary() == small.summary()
    page = digest(folder)
    assert page.counts == (("HOLDS", "12"), ("NOT-JUDGED", "12")) and len(page.rows.lines) == 24
    assert "few.rows, other.jsonl" in page.rows.note and "(12 cells)" in page.answer
    names = {picture.name for picture in pictures(folder)["runs"]}
    assert {"run1-heat", "run2-heat", "run2-epsilon"} <= names and len(pictures(folder)["top"]) == 1
    path = tmp_path / "few.rows" / "000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b"thm-3.2", b"thm-3.3", 1))
    folder = read(tmp_path, run_store.read, KINDS)
    assert list(folder.runs) == ["few", "other"] and "its bytes are not those that were written" in str(folder.damage)
    assert folder.page.rows == 23
    with pytest.raises(PldcheckError, match="its bytes are not those"):
        run_store.read(tmp_path / "few.rows")
