"""Jobs that are run, killed, resumed, run twice at once, and on damaged stores."""

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import count

import pytest

from pldcheck.core.errors import PldcheckError
from pldcheck.core.sealed_files import seal
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Verdict, suites, verify
from pldcheck.verification.runs import cell_identity, run_store
from pldcheck.verification.runs.client_executors import Scheduler
from pldcheck.verification.runs.executors import Cores, InProcess
from pldcheck.verification.runs.run_job import run
from pldcheck.verification.runs.run_log import Log
from pldcheck.verification.suites import Grid, Job

SLOTS = Grid({"steps": (10, 30, 100), "eps0": (0.5, 1.0), "check_in_prob": (1.0,), "delta": (1e-6,)}, ("thm-3.2",))
CHEAP = replace(SLOTS, theorems=("thm-3.2-improved",), judge=False)
OTHER_GRID = Grid({"steps": (10, 100), "sigma": (1.0, 2.0), "delta": (1e-6,)}, protocol="random-allocation")
JOB = Job("few", "a few cells of each kind", (SLOTS, CHEAP, OTHER_GRID))


def plain(report):
    """Return rows without what differs from run to run."""
    return [replace(row, seconds=0.0) for row in report.rows]


@pytest.fixture(scope="module")
def once():
    return run(JOB, executor=InProcess()).report


def test_the_rows_are_those_of_verify(once):
    direct = verify(JOB)
    assert [replace(row, cell=None) for row in plain(once)] == plain(direct)
    assert len({row.cell for row in once.rows}) == len(once.rows) == 16
    assert once.counts[Verdict.HOLDS] == 6 and once.counts[Verdict.NOT_JUDGED] == 10


@pytest.mark.nightly
def test_cores_give_the_same_rows(once):
    assert plain(run(JOB, executor=Cores(2)).report) == plain(once)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_gives_the_same_rows(once):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        assert plain(run(JOB, executor=Scheduler(cluster.scheduler_address)).report) == plain(once)


def test_nothing_is_computed_twice(tmp_path, once):
    log, numbers_of_tasks = Log(tmp_path / "few.jsonl"), []

    class Counting(InProcess):
        def crew(self):
            numbers_of_tasks.append(0)
            crew = super().crew()

            def submit(parcel):
                numbers_of_tasks[-1] += len(parcel.tasks)
                return crew.submit(parcel)

            return replace(crew, submit=submit)

    for _ in range(2):
        outcome = run(JOB, executor=Counting(), log=log, resume=True)
    assert numbers_of_tasks == [10, 0] and outcome.report.header["resumed"] == 16
    assert plain(outcome.report) == plain(once)
    # Part of it: what is known of a shared answer does not change it.
    run(Job("few", "", (SLOTS,)), executor=Counting(), log=Log(tmp_path / "other.jsonl"), resume=True)
    assert numbers_of_tasks == [10, 0, 6]
    log.clear(outcome.files)
    assert not log.folder.exists()


def forge(path, change, row_number=1):
    """Change one stored row as if it had been computed with another value: the digests fit."""
    lines = path.read_text().splitlines()
    values = json.loads(lines[row_number])
    lines[row_number] = json.dumps(seal({**values, **change(values)}))
    path.write_text("\n".join(lines) + "\n")


def test_a_share_of_stored_rows_is_computed_anew_and_compared(tmp_path):
    log, job = Log(tmp_path / "few.jsonl"), Job("few", "", (OTHER_GRID,))
    outcome = run(job, executor=InProcess(), log=log)
    run_store.write(log.path, run_store.dumps(outcome.report, {}))
    log.clear(outcome.files)

    def again_with(share):
        outcome = run(job, executor=InProcess(), log=log, resume=True, recheck=share)
        log.clear(outcome.files)
        return outcome.report

    again = again_with(1.0)
    assert again.header["recheck"] == {"share": 1.0, "rows": 4, "differ": []} and again.header["resumed"] == 0
    assert plain(again) == plain(outcome.report)
    shares = [again_with(0.5).header for _ in range(2)]
    assert shares[0]["recheck"]["rows"] == shares[1]["recheck"]["rows"] == 4 - shares[0]["resumed"]
    forge(log.path, lambda values: {"upper": values["upper"] * (1 + 1e-6)})
    again = again_with(1.0)
    (words,) = again.header["recheck"]["differ"]
    assert words.startswith("random-allocation at ") and plain(again) == plain(outcome.report)


def test_a_row_whose_claim_is_not_the_theorems_is_computed_anew(tmp_path):
    log, job = Log(tmp_path / "few.jsonl"), Job("few", "", (SLOTS,))
    outcome = run(job, executor=InProcess(), log=log)
    run_store.write(log.path, run_store.dumps(outcome.report, {}))
    log.clear(outcome.files)

    def larger(values):
        claim = values["analytic"] * 1.5
        return {
            "analytic": claim,
            "tightness_lower": claim / values["upper"],
            "tightness_upper": claim / values["lower"],
        }

    forge(log.path, larger)
    again = run(job, executor=InProcess(), log=log, resume=True).report
    assert again.header["resumed"] == 5 and plain(again) == plain(outcome.report)
    assert len(again.header["damage"]) == 1 and "does not follow from its values" in again.header["damage"][0]


def test_a_run_that_cannot_begin_leaves_nothing(tmp_path):
    with pytest.raises(PldcheckError):
        run(JOB, executor=Scheduler("nowhere"), log=Log(tmp_path / "few.jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_rows_of_an_earlier_version_give_way_to_the_same_cells(tmp_path, monkeypatch):
    log, job = Log(tmp_path / "few.jsonl"), Job("few", "", (CHEAP,))
    for code in ("earlier", "later"):
        monkeypatch.setattr("pldcheck.verification.runs.cell_identity.code", lambda code=code: code)
        outcome = run(job, executor=InProcess(), log=log, resume=True)
        run_store.write(log.path, run_store.dumps(outcome.report, {}))
        log.clear(outcome.files)
        assert outcome.report.header["resumed"] == 0 and [path.name for path in tmp_path.iterdir()] == ["few.jsonl"]


@pytest.mark.nightly
def test_cells_without_an_answer_are_tried_again(tmp_path):
    log = Log(tmp_path / "few.jsonl")
    job = Job("few", "", (OTHER_GRID,))
    first = run(job, executor=Cores(1, cell_timeout=0.001), log=log).report
    assert first.counts[Verdict.UNDECIDED] == 4
    assert [row.reason for row in first.rows if "the limit for a cell" not in row.reason] == []
    again = run(job, executor=InProcess(), log=log, resume=True).report
    assert again.counts[Verdict.NOT_JUDGED] == 4 and again.header["resumed"] == 0


def test_other_widths_theorems_and_code_are_other_cells(tmp_path, monkeypatch):
    log, job = Log(tmp_path / "few.jsonl"), Job("few", "", (CHEAP,))
    run(job, executor=InProcess(), log=log)
    own = replace(REGISTRY["thm-3.2-improved"], formula=lambda **values: 1.0)

    def resume_count(job=job, **more):
        return run(job, executor=InProcess(), log=log, resume=True, **more).report.header["resumed"]

    assert resume_count() == 6
    assert resume_count(width=0.01) == 0
    assert resume_count(theorems=[own]) == 0
    monkeypatch.setattr("pldcheck.verification.runs.cell_identity.code", lambda: "other")
    assert resume_count() == 0


def test_cells_that_a_run_does_not_ask_for_are_kept(tmp_path):
    log, job = Log(tmp_path / "few.jsonl"), Job("few", "", (CHEAP,))

    def resume_count(**more):
        outcome = run(job, executor=InProcess(), log=log, resume=True, **more)
        run_store.write(log.path, run_store.dumps(outcome.report, {}))
        log.clear(outcome.files)
        return outcome.report.header["resumed"]

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
    log = Log(tmp_path / "table.jsonl")
    grid = Grid({"steps": (10,), "delta": (0.1,), "randomizer": (f"table:{path}",)}, protocol="hidden-slot")
    for text, row_count in (("0.7,0.3\n0.3,0.7", 0), ("0.7,0.3\n0.3,0.7", 1), ("0.6,0.4\n0.4,0.6", 0)):
        path.write_text(text)
        assert (
            run(Job("table", "", (grid,)), executor=InProcess(), log=log, resume=True).report.header["resumed"]
            == row_count
        )


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


def test_files_of_another_job_are_kept(tmp_path):
    log = Log(tmp_path / "few.jsonl")
    run(Job("few", "", (CHEAP, OTHER_GRID)), executor=InProcess(), log=log)
    outcome = run(Job("few", "", (CHEAP,)), executor=InProcess(), log=log, resume=True)
    log.clear(outcome.files)
    assert run(Job("few", "", (OTHER_GRID,)), executor=InProcess(), log=log, resume=True).report.header["resumed"] == 4


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
    """Return the cells that are on disk, with how often each is."""
    cells = {}
    for path in [*folder.glob("many.cells/*.jsonl"), *folder.glob("many.jsonl")]:
        for line in path.read_text().splitlines():
            try:
                values = json.loads(line)
            except ValueError:  # cut by a kill
                continue
            if values["kind"] == "cell":
                cells.setdefault(values["cell"], []).append({**values, "seconds": 0.0})
    return cells


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
        assert before.keys() <= cells.keys()
        assert all(len(rows) == 1 for rows in cells.values())
        before = cells
    assert before
    last_run = subprocess.run(command(tmp_path), stdout=subprocess.DEVNULL, check=True)
    assert last_run.returncode == 0
    report = run_store.read(tmp_path / "many.jsonl")
    assert [replace(row, cell=None) for row in plain(report)] == plain(whole)
    assert report.header["resumed"] >= len(before)
    assert not (tmp_path / "many.cells").exists() or not list((tmp_path / "many.cells").glob("*.jsonl"))


@pytest.mark.long
def test_two_jobs_may_share_one_store(tmp_path):
    (tmp_path / "many.toml").write_text(MANY_CELLS_JOB.replace("points = 390", "points = 30"))
    both = [subprocess.Popen(command(tmp_path, "--workers", "0"), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    report = run_store.read(tmp_path / "many.jsonl")
    assert [replace(row, cell=None) for row in plain(report)] == plain(verify(str(tmp_path / "many.toml")))
    assert not (tmp_path / "many.cells").exists()


@pytest.mark.nightly
def test_a_damaged_store_is_set_aside_and_the_job_goes_on(tmp_path):
    (tmp_path / "many.toml").write_text(MANY_CELLS_JOB.replace("points = 390", "points = 3"))
    subprocess.run(command(tmp_path, "--workers", "0"), stdout=subprocess.DEVNULL, check=True)
    content = (tmp_path / "many.jsonl").read_bytes()
    (tmp_path / "many.jsonl").write_bytes(content[: len(content) // 2])
    process = subprocess.run(
        [*command(tmp_path, "--workers", "0"), "--json"], capture_output=True, text=True, check=True
    )
    facts = json.loads(process.stdout)
    assert "set aside" in process.stderr and "its last line is cut" in process.stderr
    assert 0 < facts["provenance"]["resumed"] < 12 and facts["counts"]["HOLDS"] == 12
    assert (tmp_path / "many.cells" / "set-aside").is_dir()


def test_suites_are_jobs():
    assert run(suites.find("refuted"), quick=True, executor=InProcess()).report.exit_code == 1


def test_time_and_executor_are_recorded(monkeypatch):
    clock = count(7.0, 0.25)
    monkeypatch.setattr("pldcheck.verification.runs.run_job.perf_counter", lambda: next(clock))
    header = run(Job("few", "", (SLOTS,)), executor=InProcess()).report.header
    # The clock is read once at the beginning, once at the end, and by whatever is between.
    assert header["executor"] == "in this process" and header["seconds"] == next(clock) - 0.25 - 7.0
