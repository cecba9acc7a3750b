"""Jobs that are run, killed, resumed, run twice at once, and on damaged stores."""

import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure
from run_changes import forge

from pldcheck.core.errors import PldcheckError
from pldcheck.report.folder_figures import pictures
from pldcheck.report.report_digest import digest
from pldcheck.report.results_folder import read
from pldcheck.report.run_table import notes
from pldcheck.study.stored_studies import KINDS
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Report, Verdict, run_report, suites, verify
from pldcheck.verification.run_fold import DECISIVE, FIRST, FirstRows, RunFold
from pldcheck.verification.runs import (
    cell_identity,
    json_lines,
    row_encoding,
    rows_of_cells,
    run_job,
    run_store,
    stored_rows,
)
from pldcheck.verification.runs.client_executors import Scheduler
from pldcheck.verification.runs.executors import Cores, InProcess
from pldcheck.verification.runs.run_database import to_read, to_write
from pldcheck.verification.runs.run_job import Log, run
from pldcheck.verification.suites import Grid, Job
from pldcheck.verification.tightness_map import tile_map

SLOTS = Grid({"steps": (10, 30, 100), "eps0": (0.5, 1.0), "check_in_prob": (1.0,), "delta": (1e-6,)}, ("thm-3.2",))
CHEAP = replace(SLOTS, theorems=("thm-3.2-improved",), judge=False)
OTHER_GRID = Grid({"steps": (10, 100), "sigma": (1.0, 2.0), "delta": (1e-6,)}, protocol="random-allocation")
JOB = Job("few", "a few cells of each kind", (SLOTS, CHEAP, OTHER_GRID))


def plain(report):
    """Return rows without what differs from run to run."""
    return [replace(row, seconds=0.0) for row in report.rows]


@pytest.fixture(scope="module")
def once():
    return run(JOB, executor=InProcess())


def test_the_rows_are_those_of_verify(once, tmp_path):
    assert plain(once) == plain(verify(JOB))
    stored = run(JOB, executor=InProcess(), log=Log(tmp_path / "few.sqlite"))
    assert [replace(row, cell=None) for row in plain(stored)] == plain(once)
    assert len({row.cell for row in stored.rows}) == len(once.rows) == 16
    assert list(run_store.read(tmp_path / "few.sqlite").rows) == list(stored.rows)
    assert once.counts[Verdict.HOLDS] == 6 and once.counts[Verdict.NOT_JUDGED] == 10


@pytest.mark.nightly
def test_cores_give_the_same_rows(once):
    assert plain(run(JOB, executor=Cores(2))) == plain(once)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_gives_the_same_rows(once):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        assert plain(run(JOB, executor=Scheduler(cluster.scheduler_address))) == plain(once)


def unnamed(report):
    """Return rows without what differs from run to run, and without the hashes of their cells."""
    return [replace(row, cell=None) for row in plain(report)]


def test_nothing_is_computed_twice(tmp_path, once):
    log, numbers_of_tasks = Log(tmp_path / "few.sqlite"), []

    class Counting(InProcess):
        def crew(self):
            numbers_of_tasks.append(0)
            crew = super().crew()

            def submit(parcel):
                numbers_of_tasks[-1] += len(parcel.tasks)
                return crew.submit(parcel)

            return replace(crew, submit=submit)

    for _ in range(2):
        report = run(JOB, executor=Counting(), log=log, resume=True)
    assert numbers_of_tasks == [10] and report.header["resumed"] == 16
    assert unnamed(report) == plain(once)
    # Part of it: what is known of a shared answer does not change it.
    run(Job("few", "", (SLOTS,)), executor=Counting(), log=Log(tmp_path / "other.sqlite"), resume=True)
    assert numbers_of_tasks == [10, 6]
    # A part takes over what the whole has.
    also = (log.path, tmp_path / "none.sqlite")
    part = run(Job("few", "", (SLOTS,)), executor=Counting(), log=Log(tmp_path / "part.sqlite", also), resume=True)
    assert numbers_of_tasks == [10, 6] and part.header["resumed"] == 6 and plain(part) == plain(report)[:6]


def test_a_share_of_stored_rows_is_computed_anew_and_compared(tmp_path):
    log, job = Log(tmp_path / "few.sqlite"), Job("few", "", (OTHER_GRID,))
    first = run(job, executor=InProcess(), log=log)

    def again_with(share):
        return run(job, executor=InProcess(), log=log, resume=True, recheck=share)

    again = again_with(1.0)
    assert again.header["recheck"] == {"share": 1.0, "rows": 4, "differ": []} and again.header["resumed"] == 0
    assert plain(again) == plain(first)
    shares = [again_with(0.5).header for _ in range(2)]
    assert shares[0]["recheck"]["rows"] == shares[1]["recheck"]["rows"] == 4 - shares[0]["resumed"]
    forge(log.path, lambda values: {"upper": values["upper"] * (1 + 1e-6)})
    again = again_with(1.0)
    (words,) = again.header["recheck"]["differ"]
    assert words.startswith("random-allocation at ") and plain(again) == plain(first)


def test_a_row_whose_claim_is_not_the_theorems_is_computed_anew(tmp_path):
    log, job = Log(tmp_path / "few.sqlite"), Job("few", "", (SLOTS,))
    first = run(job, executor=InProcess(), log=log)

    def larger(values):
        claim = values["analytic"] * 1.5
        return {
            "analytic": claim,
            "tightness_lower": claim / values["upper"],
            "tightness_upper": claim / values["lower"],
        }

    forge(log.path, larger)
    again = run(job, executor=InProcess(), log=log, resume=True)
    assert again.header["resumed"] == 5 and plain(again) == plain(first)
    assert again.header["damage"] == ["row 0, thm-3.2: its claim or verdict does not follow from its values"]


def test_damaged_rows_are_computed_anew_and_named(tmp_path):
    log, job = Log(tmp_path / "few.sqlite"), Job("few", "", (SLOTS,))
    first = run(job, executor=InProcess(), log=log)
    database = to_write(log.path)
    database.execute("UPDATE rows SET line = replace(line, 'HOLDS', 'VIOLATED') WHERE number = 2")
    database.execute("UPDATE rows SET digest = (SELECT digest FROM rows WHERE number = 1) WHERE number = 4")
    database.settle()
    database.close()
    again = run(job, executor=InProcess(), log=log, resume=True)
    assert again.header["resumed"] == 4 and plain(again) == plain(first)
    assert again.header["damage"] == [f"row {number}: its digest does not match its values" for number in (2, 4)]
    assert run(job, executor=InProcess(), log=log, resume=True).header["damage"] == []


def test_a_run_that_cannot_begin_leaves_nothing(tmp_path):
    with pytest.raises(PldcheckError):
        run(JOB, executor=Scheduler("nowhere"), log=Log(tmp_path / "few.sqlite"))
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_cannot_begin_changes_nothing(tmp_path):
    log = Log(tmp_path / "few.sqlite")
    run(JOB, executor=InProcess(), log=log)
    before = log.path.read_bytes(), list(run_store.read(log.path).rows)
    for more in ({}, {"width": 0.01}):
        with pytest.raises(PldcheckError):
            run(JOB, executor=Scheduler("nowhere"), log=log, **more)
        assert list(run_store.read(log.path).rows) == before[1]


def test_rows_of_an_earlier_version_are_kept_marked_and_used_again(tmp_path, monkeypatch):
    log, job, old = Log(tmp_path / "few.sqlite"), Job("few", "", (CHEAP,)), {}
    for code, resumed, stale in (("earlier", 0, None), ("later", 0, 6), ("later", 6, 6), ("earlier", 6, 6)):
        monkeypatch.setattr("pldcheck.verification.runs.cell_identity.code", lambda code=code: code)
        report = run(job, executor=InProcess(), log=log, resume=True)
        assert report.header["resumed"] == resumed and report.header.get("stale") == stale
        assert old.setdefault(code, list(report.rows)) == list(report.rows)
    assert to_read(log.path).execute("SELECT DISTINCT code FROM kept") == [(b"later",)]
    assert run(job, executor=InProcess(), log=log, overwrite=True).header.get("stale") is None
    assert to_read(log.path).execute("SELECT * FROM kept") == []


def test_a_new_run_of_the_same_cells_takes_nothing_over_and_leaves_nothing_double(tmp_path):
    log, job = Log(tmp_path / "few.sqlite"), Job("few", "", (CHEAP,))
    for _ in range(2):
        assert run(job, executor=InProcess(), log=log).header["resumed"] == 0
        assert to_read(log.path).execute("SELECT * FROM kept") == []


def test_a_run_that_is_exported_alone_is_gone_on_with(tmp_path):
    log, job = Log(tmp_path / "few.sqlite"), Job("few", "", (SLOTS,))
    first = run(job, executor=InProcess(), log=log)
    (tmp_path / "few.jsonl").write_bytes(json_lines.dumps(first, {}))
    log.path.unlink()
    again = run(job, executor=InProcess(), log=log, resume=True)
    assert again.header["resumed"] == 6 and list(again.rows) == list(first.rows)
    assert json_lines.dumps(replace(first, rows=again.rows), {}) == (tmp_path / "few.jsonl").read_bytes()


@pytest.mark.nightly
def test_cells_without_an_answer_are_tried_again(tmp_path):
    log = Log(tmp_path / "few.sqlite")
    job = Job("few", "", (OTHER_GRID,))
    first = run(job, executor=Cores(1, cell_timeout=0.001), log=log)
    assert first.counts[Verdict.UNDECIDED] == 4
    assert [row.reason for row in first.rows if "the limit for a cell" not in row.reason] == []
    again = run(job, executor=InProcess(), log=log, resume=True)
    assert again.counts[Verdict.NOT_JUDGED] == 4 and again.header["resumed"] == 0


def test_other_widths_theorems_and_code_are_other_cells(tmp_path, monkeypatch):
    log, job = Log(tmp_path / "few.sqlite"), Job("few", "", (CHEAP,))
    run(job, executor=InProcess(), log=log)
    own = replace(REGISTRY["thm-3.2-improved"], formula=lambda **values: 1.0)

    def resume_count(job=job, **more):
        return run(job, executor=InProcess(), log=log, resume=True, **more).header["resumed"]

    assert resume_count() == 6
    assert resume_count(width=0.01) == 0
    assert resume_count(theorems=[own]) == 0
    monkeypatch.setattr("pldcheck.verification.runs.cell_identity.code", lambda: "other")
    assert resume_count() == 0


def test_cells_that_a_run_does_not_ask_for_are_kept(tmp_path):
    log, job = Log(tmp_path / "few.sqlite"), Job("few", "", (CHEAP,))

    def resume_count(**more):
        return run(job, executor=InProcess(), log=log, resume=True, **more).header["resumed"]

    assert [resume_count(), resume_count(width=0.01), resume_count(), resume_count(width=0.01), resume_count()] == [
        0,
        0,
        6,
        6,
        6,
    ]


def test_a_table_is_known_by_its_content(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("0.7,0.3\n0.3,0.7")
    log = Log(tmp_path / "table.sqlite")
    grid = Grid({"steps": (10,), "delta": (0.1,), "randomizer": (f"table:{path}",)}, protocol="hidden-slot")
    for text, row_count in (("0.7,0.3\n0.3,0.7", 0), ("0.7,0.3\n0.3,0.7", 1), ("0.6,0.4\n0.4,0.6", 0)):
        path.write_text(text)
        assert run(Job("table", "", (grid,)), executor=InProcess(), log=log, resume=True).header["resumed"] == row_count


def test_a_theorem_of_ones_own_is_known_by_what_it_computes():
    def make_theorem(factor, limit=1.0):
        conditions = tuple(
            replace(one, excess=lambda values, limit=limit: values["eps0"] - limit)
            for one in REGISTRY["thm-3.2-simple"].conditions[:1]
        )
        return replace(REGISTRY["thm-3.2-simple"], formula=lambda **values: factor, conditions=conditions)

    def name(theorem):
        return cell_identity.cell(theorem, None, "epsilon", {"steps": 3}, None, True)

    assert name(make_theorem(1.0)) == name(make_theorem(1.0))
    assert (
        len(
            {
                name(one)
                for one in (make_theorem(1.0), make_theorem(2.0), make_theorem(1.0, 0.5), REGISTRY["thm-3.2-simple"])
            }
        )
        == 4
    )

    def make_calling(value):
        names = {}
        exec(f"def helper():\n    return {value}\n\ndef formula(**values):\n    return helper()", names)
        return replace(REGISTRY["thm-3.2-simple"], formula=names["formula"])

    assert name(make_calling(1)) == name(make_calling(1)) != name(make_calling(2))


def test_rows_of_another_job_are_kept(tmp_path):
    log = Log(tmp_path / "few.sqlite")
    run(Job("few", "", (CHEAP, OTHER_GRID)), executor=InProcess(), log=log)
    run(Job("few", "", (CHEAP,)), executor=InProcess(), log=log, resume=True)
    assert run(Job("few", "", (OTHER_GRID,)), executor=InProcess(), log=log, resume=True).header["resumed"] == 4


MANY_CELLS_JOB = """
name = "many"
summary = "many short cells"
[[grid]]
theorems = ["thm-3.2", "thm-3.2-improved"]
steps = { from = 10, to = 400, points = 390 }
eps0 = [0.5, 1.0]
check_in_prob = 1
delta = 1e-6
"""


def command(folder, *more):
    words = ["verify", str(folder / "many.toml"), "--out", str(folder), "--resume", "--quiet", *more]
    return [sys.executable, "-m", "pldcheck", *words]


def stored_cells(folder):
    """Return the rows that are on disk, by their cells."""
    if not (folder / "many.sqlite").exists():
        return {}
    try:
        database = to_read(folder / "many.sqlite")
    except PldcheckError:  # it has no tables yet
        return {}
    rows = [row_encoding.decode(*stored) for stored in database.rows(0, 10**6)]
    database.close()
    return {row.cell: row for row in rows}


@pytest.mark.long
def test_twenty_kills_lose_nothing_and_repeat_nothing(tmp_path):
    (tmp_path / "many.toml").write_text(MANY_CELLS_JOB)
    whole = verify(str(tmp_path / "many.toml"))
    draw = random.Random(20261121)
    before = {}
    for attempt in range(20):
        words = command(tmp_path, "--workers", "1" if attempt % 2 else "0")
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        # Some are killed before they store anything, the others once they have stored so many cells more.
        more = draw.randrange(30)
        while process.poll() is None and len(stored_cells(tmp_path)) < len(before) + more:
            time.sleep(0.02)
        time.sleep(draw.uniform(0.0, 0.3))  # a kill at any place of the work, not only where a file has just grown
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL  # or there was too little to do
        cells = stored_cells(tmp_path)
        assert all(cells[cell] == row for cell, row in before.items())
        before = cells
    assert before
    last_run = subprocess.run(command(tmp_path), stdout=subprocess.DEVNULL, check=True)
    assert last_run.returncode == 0
    report = run_store.read(tmp_path / "many.sqlite")
    assert unnamed(report) == plain(whole)
    assert report.header["resumed"] >= len(before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many.sqlite", "many.toml"]


@pytest.mark.long
def test_of_two_commands_at_once_one_is_refused_in_one_line(tmp_path):
    (tmp_path / "many.toml").write_text(MANY_CELLS_JOB.replace("points = 390", "points = 30"))
    words = command(tmp_path, "--workers", "0")
    both = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[1] for process in both]
    # A slow machine may begin the second one when the first has ended.
    assert sorted(process.returncode for process in both) in ([0, 2], [0, 0])
    assert all(text.count("\n") == 1 and "another process is writing it" in text for text in said if text)
    report = run_store.read(tmp_path / "many.sqlite")
    assert unnamed(report) == plain(verify(str(tmp_path / "many.toml")))


@pytest.fixture
def large(monkeypatch):
    """Hold no more than three rows in memory, and look at two cells together."""
    monkeypatch.setattr(stored_rows, "IN_MEMORY", 3)
    for module in (rows_of_cells, run_job):
        monkeypatch.setattr(module, "BLOCK", 2)


def test_a_large_run_has_the_rows_and_the_result_of_a_plain_loop(tmp_path, large, once):
    log = Log(tmp_path / "few.sqlite")
    report = run(JOB, executor=InProcess(), log=log)
    for other in (report, run_store.read(log.path), run(JOB, executor=InProcess())):
        assert other.is_large and unnamed(other) == plain(once)
        assert other.summary() == once.summary() and other.counts == once.counts and str(other) == str(once)
        assert notes(other) == notes(once) and other.theorems == once.theorems
        assert unnamed(replace(other, rows=other.rows_of("thm-3.2"))) == plain(once)[:6]


def test_a_stopped_run_goes_on_where_it_was(tmp_path, large, once):
    log, seen = Log(tmp_path / "few.sqlite"), []

    def stop(row, total):
        seen.append(total)
        if len(seen) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(JOB, executor=InProcess(), log=log, progress=stop)
    with pytest.raises(PldcheckError, match="its run has not ended"):
        run_store.read(log.path)
    totals = []
    report = run(JOB, executor=InProcess(), log=log, resume=True, progress=lambda row, total: totals.append(total))
    old = report.header["resumed"]
    assert seen == [16] * 7 and 7 <= old < 16 and totals == [16 - old] * (16 - old)
    assert unnamed(report) == plain(once) and report.summary() == once.summary()
    # All of it is stored: nothing is computed.
    again = run(JOB, executor=Scheduler("nowhere"), log=log, resume=True)
    assert again.header["resumed"] == 16 and list(again.rows) == list(report.rows) and str(again) == str(report)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_the_result_does_not_depend_on_the_order_of_rows(seed, once):
    rows = [*verify("refuted").rows, *once.rows]
    pairs = list(enumerate(rows))
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
def test_first_rows_are_those_with_the_smallest_indices(once):
    rows, first = [replace(row, seconds=float(index)) for index, row in enumerate(once.rows)] * 40, FirstRows()
    pairs = list(enumerate(rows))
    random.Random(5).shuffle(pairs)
    for pair in pairs:
        first.add(*pair)
    assert first.rows == list(enumerate(rows))[:FIRST] and first.count == len(rows) > FIRST


@pytest.mark.nightly
def test_frames_and_chunks_of_large_runs(large, monkeypatch):
    report = run(JOB, executor=InProcess())
    assert [len(rows) for rows in report.chunks(5)] == [5, 5, 5, 1]
    assert [row for rows in report.chunks(5) for row in rows] == list(report.rows)
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(json_normalize=lambda rows: rows))
    monkeypatch.setattr(run_report, "MOST_IN_FRAME", 6)
    with pytest.raises(PldcheckError, match="more than 6 rows are too many for one frame: pass where="):
        report.to_pandas()
    assert report.to_pandas(lambda row: row.theorem == "thm-3.2") == [row.to_dict() for row in report.rows[:6]]


@pytest.mark.nightly
def test_pictures_of_large_runs_are_those_of_small_ones(large, once):
    report = run(JOB, executor=InProcess())
    # Dots of a line have no order: rows are folded as they are finished.
    lines = [[replace(line, ratios=tuple(sorted(line.ratios))) for line in one.ratio_lines] for one in (report, once)]
    assert report.is_large and not once.is_large and lines[0] == lines[1]
    maps = [tile_map("thm-3.2", one.rows_of("thm-3.2")) for one in (report, once)]
    assert maps[0] == maps[1] and len(maps[0].tiles) == 6
    for theorem in (None, "thm-3.2"):
        axes = [one.plot(Figure().subplots(), theorem) for one in (report, once)]
        assert [text.get_text() for text in axes[0].texts] == [text.get_text() for text in axes[1].texts]


@pytest.mark.nightly
def test_a_report_on_a_folder_has_large_runs(tmp_path, large, monkeypatch):
    run(JOB, executor=InProcess(), log=Log(tmp_path / "few.sqlite"))
    monkeypatch.setattr(stored_rows, "IN_MEMORY", 15)
    small = run(Job("other", "", (SLOTS, CHEAP)), executor=InProcess(), log=Log(tmp_path / "other.sqlite"))
    (tmp_path / "other.jsonl").write_bytes(json_lines.dumps(small, {}))  # an export, of which nothing is read
    folder = read(tmp_path, run_store.read, KINDS)
    assert list(folder.runs) == ["few", "other"] and not folder.damage and folder.page.rows == 28
    assert folder.runs["few"].known_fold is not None and folder.runs["other"].summary() == small.summary()
    page = digest(folder)
    assert page.counts == (("HOLDS", "12"), ("NOT-JUDGED", "16")) and len(page.rows.lines) == 28
    assert "few.sqlite, other.sqlite" in page.rows.note
    names = {picture.name for picture in pictures(folder)["runs"]}
    assert {"run1-heat", "run2-heat", "run2-epsilon"} <= names and len(pictures(folder)["top"]) == 1
    database = to_write(tmp_path / "few.sqlite")
    database.execute("UPDATE rows SET line = replace(line, 'thm-3.2', 'thm-3.3') WHERE number = 3")
    database.settle()
    database.close()
    folder = read(tmp_path, run_store.read, KINDS)
    assert list(folder.runs) == ["few", "other"] and "row 3: its digest does not match" in str(folder.damage)
    assert folder.page.rows == 27
    with pytest.raises(PldcheckError, match="row 3: its digest does not match"):
        run_store.read(tmp_path / "few.sqlite")


def test_suites_are_jobs():
    assert run(suites.find("refuted"), quick=True, executor=InProcess()).exit_code == 1


def test_time_and_executor_are_recorded(monkeypatch):
    clock = count(7.0, 0.25)
    monkeypatch.setattr("pldcheck.verification.runs.run_job.perf_counter", lambda: next(clock))
    header = run(Job("few", "", (SLOTS,)), executor=InProcess()).header
    # The clock is read once at the beginning, once at the end, and by whatever is between.
    assert header["executor"] == "in this process" and header["seconds"] == next(clock) - 0.25 - 7.0
