"""Files beside the rows of a run: written, kept, and checked by their programs; what was changed is noticed."""

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from pldcheck.core.sealed_files import seal, unseal
from pldcheck.verification import Verdict
from pldcheck.verification.runs.executors import Cores, InProcess
from pldcheck.verification.runs.run_job import Log, run
from pldcheck.verification.suites import Grid, Job
from pldcheck.witness.run_files import certify, file_name, manifest_path, recheck, remove_outdated

SLOTS = Grid({"steps": (10, 100), "eps0": (0.5, 1.0), "check_in_prob": (0.5,), "delta": (1e-6,)}, ("thm-3.2",))
FALSE = Grid({"clients": (2,), "eps0": (1.0,), "categories": (3, 5), "epsilon": (0.8,)}, ("krr-merged",))
EXACT = Grid({"sigma": (2.0,), "epsilon": (1.0,)}, ("gauss-8",))


def no_step(count, total):
    """Report nothing."""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    log = Log(tmp_path_factory.mktemp("run") / "few.sqlite")
    return run(Job("few", "", (SLOTS, FALSE, EXACT)), executor=InProcess(), log=log)


def certified(report, folder, resume=False, executor=None):
    return certify(report, folder, executor or InProcess(), {"command": "pldcheck verify"}, resume, no_step)


def failures(report, folder, share=1.0):
    return recheck(report, folder, share, InProcess(), no_step)


def relist(folder, report, name):
    """Write the manifest anew for a file that was changed, as a careful forger would."""
    path = manifest_path(folder, report.suite)
    values = json.loads(path.read_text())
    values["files"][name] = sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(seal(values)))


def test_every_row_has_its_file_or_a_reason(report, tmp_path):
    outcome = certified(report, tmp_path)
    assert outcome.count("certificates") == 4 and outcome.count("witnesses") == 2 and outcome.again == 0
    assert outcome.without == {"the theorem does not claim an upper bound": 1}
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*-*.json") if path.parent != tmp_path}
    assert files == set(outcome.files) and len({*map(file_name, report.rows)}) == 7
    assert all(sha256((tmp_path / name).read_bytes()).hexdigest() == digest for name, digest in outcome.files.items())
    assert failures(report, tmp_path) == (6, [])
    # The same rows give the same bytes.
    (tmp_path / "again").mkdir()
    assert certified(report, tmp_path / "again").files == outcome.files


def test_names_do_not_depend_on_the_version_of_the_code(report):
    assert [*map(file_name, report.rows)] == [file_name(replace(row, cell="0" * 24)) for row in report.rows]
    assert file_name(replace(report.rows[0], verdict=Verdict.UNDECIDED)) is None


def test_a_share_of_the_files_is_checked(report, tmp_path):
    certified(report, tmp_path)
    counts = [failures(report, tmp_path, share)[0] for share in (1e-9, 0.3, 0.6, 1.0)]
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 6


def test_a_changed_file_is_noticed_whether_it_is_listed_anew_or_not(report, tmp_path):
    certified(report, tmp_path)
    name = file_name(report.rows[0])
    facts = json.loads((tmp_path / name).read_text())
    changes = [
        ({"epsilon": "0.01"}, "not verified"),
        ({"epsilon": "0.9"}, "says less than the row"),
        ({"delta": "0.00001"}, "is about another cell"),
        ({"eps0": "0.25"}, "is about another cell"),
        ({"steps": 0}, "refused"),
    ]
    for change, words in changes:
        (tmp_path / name).write_text(json.dumps({**facts, "claim": {**facts["claim"], **change}}))
        count, (line,) = failures(report, tmp_path)
        assert count == 6 and line == f"{name}: its digest is not that in the manifest"
        relist(tmp_path, report, name)
        (line,) = failures(report, tmp_path)[1]
        assert words in line, change
    for content in (b"", b"{", b"[]", b'{"claim": 1}', b"\xff", b"x" * 30_000):
        (tmp_path / name).write_bytes(content)
        relist(tmp_path, report, name)
        assert len(failures(report, tmp_path)[1]) == 1, content


def test_swapped_files_are_noticed(report, tmp_path):
    certified(report, tmp_path)
    first, second = (file_name(row) for row in report.rows[:2])
    one, other = (tmp_path / first).read_bytes(), (tmp_path / second).read_bytes()
    (tmp_path / first).write_bytes(other)
    (tmp_path / second).write_bytes(one)
    for name in (first, second):
        relist(tmp_path, report, name)
    lines = failures(report, tmp_path)[1]
    assert lines == sorted(f"{name}: its claim is about another cell" for name in (first, second))
    witness, other = (file_name(row) for row in report.rows if row.verdict is Verdict.VIOLATED)
    (tmp_path / witness).write_bytes((tmp_path / other).read_bytes())
    relist(tmp_path, report, witness)
    assert f"{witness}: its mechanism is about another cell" in failures(report, tmp_path)[1]


def test_a_row_with_another_value_and_a_missing_file_are_noticed(report, tmp_path):
    certified(report, tmp_path)
    rows = list(report.rows)
    rows[0] = replace(rows[0], analytic=rows[0].analytic * 1.5)
    (tmp_path / file_name(rows[1])).unlink()
    lines = failures(replace(report, rows=tuple(rows)), tmp_path)[1]
    assert len(lines) == 2 and any("the row's value is not that of its theorem" in line for line in lines)
    assert any("it cannot be read (no such file or directory)" in line for line in lines)


def test_a_damaged_manifest_is_noticed_and_none_is_nothing(report, tmp_path):
    assert failures(report, tmp_path) == (0, [])
    certified(report, tmp_path)
    path = manifest_path(tmp_path, report.suite)
    path.write_text(path.read_text().replace('"suite": "few"', '"suite": "new"'))
    count, (line,) = failures(report, tmp_path)
    assert count == 0 and "its digest does not match its values" in line


def test_files_that_still_hold_are_kept(report, tmp_path):
    outcome = certified(report, tmp_path)
    first, second, third = (file_name(row) for row in report.rows[:3])
    (tmp_path / first).unlink()
    (tmp_path / second).write_bytes((tmp_path / third).read_bytes())
    relist(tmp_path, report, second)
    again = certified(report, tmp_path, resume=True)
    assert again.again == 4 and again.files == outcome.files and failures(report, tmp_path) == (6, [])
    for content in (b"", b"[]", b'{"claim": 1}'):  # a careful forger's
        (tmp_path / first).write_bytes(content)
        relist(tmp_path, report, first)
        assert certified(report, tmp_path, resume=True).files == outcome.files
    assert certified(report, tmp_path, resume=True).again == 6 and certified(report, tmp_path).again == 0


def test_files_of_rows_that_are_gone_go_unless_another_suite_lists_them_or_they_were_changed(report, tmp_path):
    first, second, third, *_ = names = [name for row in report.rows if (name := file_name(row))]
    certified(report, tmp_path)
    certified(replace(report, suite="other", rows=report.rows[:1]), tmp_path)
    (tmp_path / second).write_text("{}")
    certified(replace(report, rows=report.rows[3:4]), tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*.json")}
    assert left == {first, second, names[3]} and third not in left


def test_files_of_rows_whose_verdict_has_changed_go_without_new_ones_and_the_list_stays_true(report, tmp_path):
    outcome = certified(report, tmp_path)
    first, second = report.rows[:2]
    changed = replace(first, verdict=Verdict.VIOLATED, lower=first.analytic * 2, upper=first.analytic * 3)
    now = replace(report, rows=(changed, *report.rows[1:]))
    remove_outdated(now, tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*.json")}
    assert left == set(outcome.files) - {file_name(first)} and file_name(second) in left
    listed = unseal(manifest_path(tmp_path, report.suite).read_text())
    assert set(listed["files"]) == left and listed["certificates"] == 3 and failures(now, tmp_path) == (5, [])
    remove_outdated(now, tmp_path / "none")


def test_a_forged_manifest_removes_no_file_outside_its_folders(report, tmp_path):
    folder = tmp_path / "run"
    certified(report, folder)
    outside = [tmp_path / "own.json", folder / "own.json", folder / "certificates/more/own.json"]
    names = ["../own.json", "own.json", "certificates/more/own.json", "witnesses/../../own.json"]
    for path in outside:
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    for name in names:
        relist(folder, report, name)
    certified(replace(report, rows=report.rows[:1]), folder)
    assert all(path.read_text() == "{}" for path in outside)


def test_what_an_interrupted_run_has_written_is_listed(report, tmp_path):
    def stop(count, total):
        if count == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify(report, tmp_path, InProcess(), {}, False, stop)
    assert len(json.loads(manifest_path(tmp_path, report.suite).read_text())["files"]) == 2
    assert certified(report, tmp_path, resume=True).again == 2


@pytest.mark.long
def test_processes_write_the_same_files_and_a_late_one_is_a_reason(report, tmp_path):
    outcome = certified(report, tmp_path, executor=Cores(2))
    (tmp_path / "here").mkdir()
    assert outcome.files == certified(report, tmp_path / "here").files
    (tmp_path / "late").mkdir()
    late = certified(report, tmp_path / "late", executor=Cores(1, cell_timeout=1e-4))
    # Some may be ready before the limit is looked at.
    assert late.without["no answer within 0.0001 s, the limit for a cell"] > 0
    assert len(late.files) < len(outcome.files) and late.files.items() <= outcome.files.items()
