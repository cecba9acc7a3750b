"""Large runs: rows in shards against a plain loop's, resumed, damaged, refused, and folded in any order."""

from dataclasses import replace

import pytest

from pldcheck.report.run_table import notes
from pldcheck.verification import verify
from pldcheck.verification.runs import run_job, run_store, shard_folder
from pldcheck.verification.runs.executors import InProcess
from pldcheck.verification.runs.run_job import run
from pldcheck.verification.runs.run_log import Log
from pldcheck.verification.suites import Grid, Job

SLOTS = Grid({"steps": (10, 30, 100), "eps0": (0.5, 1.0), "check_in_prob": (1.0,), "delta": (1e-6,)}, ("thm-3.2",))
CHEAP = replace(SLOTS, theorems=("thm-3.2-improved",), judge=False)
JOB = Job("few", "a few cells of each kind", (SLOTS, CHEAP))


@pytest.fixture
def small_shards(monkeypatch):
    """Store every run in shards of five rows."""
    monkeypatch.setattr(run_job, "MOST_IN_MEMORY", 0)
    monkeypatch.setattr(shard_folder, "SHARD_ROWS", 5)


def plain(report):
    """Return rows without what differs from run to run."""
    return [replace(row, seconds=0.0, cell=None) for row in report.rows]


def stored(log, report):
    return run_store.read(run_store.store(report, {"version": "0"}, log.path.parent))


def test_a_large_run_has_the_rows_and_the_result_of_a_plain_loop(tmp_path, small_shards):
    log = Log(tmp_path / "few.jsonl")
    report = run(JOB, executor=InProcess(), log=log).report
    whole = verify(JOB)
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
