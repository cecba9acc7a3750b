"""The plugin in projects of others, each with a pytest of its own outside this repository."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from projects import FALSE, OWN, TESTS

import pldcheck
from pldcheck.core.interval import Interval
from pldcheck.testing import Goldens
from pldcheck.verification import Report
from pldcheck.verification.runs import run_store

pytest_plugins = ("pytester",)


@pytest.fixture
def project(pytester, monkeypatch):
    """Return a strict project; what this test runs under is none of its business."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    pytester.makeini("[pytest]\naddopts = --strict-markers --strict-config\nfilterwarnings = error\n")
    pytester.makepyfile(own=OWN, test_own=TESTS)
    return pytester


def run(project, *options):
    return project.runpytest_subprocess("-p", "no:cacheprovider", *options)


@pytest.mark.long
def test_false_theorems_fail_and_true_ones_pass_and_goldens_are_kept(project):
    missing = run(project)
    missing.assert_outcomes(passed=1, failed=2)
    missing.stdout.fnmatch_lines([f"pldcheck {pldcheck.__version__}, {os.cpu_count()} cores"])
    missing.stdout.fnmatch_lines(FALSE)
    missing.stdout.fnmatch_lines(
        ["*whole.jsonl does not exist; this command stores it: pytest test_own.py::test_whole --pldcheck-update"]
    )
    # The assertion's own frames are hidden.
    assert "assertions.py" not in missing.stdout.str() and "goldens.py" not in missing.stdout.str()

    run(project, "test_own.py::test_whole", "--pldcheck-update").assert_outcomes(passed=1)
    golden = project.path / "results" / "whole.jsonl"
    assert [path.name for path in golden.parent.iterdir()] == ["whole.jsonl"]
    header, *rows = map(json.loads, golden.read_text().splitlines())
    assert header["golden"] and len(rows) == 9

    quick = run(project, "-rP", "-m", "pldcheck", "--pldcheck-quick", "--pldcheck-workers", "1")
    quick.assert_outcomes(passed=1, deselected=2)
    quick.stdout.fnmatch_lines(["cells: 4"])

    # A golden of another truth.
    first, *others = run_store.read(golden).rows
    Goldens(golden.parent, update=True).check(
        Report("whole", (replace(first, lower=0.5, upper=0.5), *others), {}), "whole"
    )
    run(project, "test_own.py::test_whole").stdout.fnmatch_lines(
        ["*whole.jsonl: certified intervals that do not overlap at whole(steps=10, eps0=1.0, *: stored [[]0.5, 0.5], *"]
    )


@pytest.mark.nightly
def test_the_plugin_works_with_xdist(project):
    pytest.importorskip("xdist")
    process = run(project, "-n", "2", "--pldcheck-update", "--dist", "load")
    process.assert_outcomes(passed=2, failed=1)
    process.stdout.fnmatch_lines(FALSE)
    quick = run(project, "-n", "1", "-rP", "-k", "whole", "--pldcheck-quick")
    quick.assert_outcomes(passed=1)
    quick.stdout.fnmatch_lines(["cells: 4"])


@pytest.mark.nightly
def test_processes_of_xdist_have_a_thread_each(project):
    pytest.importorskip("xdist")
    source = (
        "from pldcheck.testing import plugin_settings\n"
        "def test():\n"
        "    print('workers:', plugin_settings.current().workers)\n"
    )
    project.makepyfile(test_own=source)
    for options, workers in (("-n1", "1"), ("-n0", "None"), ("-n1 --pldcheck-workers 3", "3")):
        run(project, "-rP", *options.split()).stdout.fnmatch_lines([f"workers: {workers}"])


@pytest.mark.nightly
def test_the_plugin_can_be_switched_off(project):
    process = run(project, "-p", "no:pldcheck", "-o", "markers=pldcheck: of our own")
    process.assert_outcomes(passed=1, failed=1, errors=1)
    process.stdout.fnmatch_lines(FALSE)
    process.stdout.fnmatch_lines(["*fixture 'pldcheck_golden' not found"])
    process.stdout.no_fnmatch_line("pldcheck 0*cores")


@pytest.mark.nightly
def test_goldens_are_stored_in_the_folder_of_the_project(project):
    project.makeini("[pytest]\npldcheck_results = some/where\nfilterwarnings = error\n")
    source = "import pldcheck\ndef test(pldcheck_golden):\n    pldcheck_golden.check(pldcheck.Interval(1, 2), 'one')\n"
    project.makepyfile(test_own=source)
    run(project, "--pldcheck-update").assert_outcomes(passed=1)
    assert (project.path / "some" / "where" / "one.jsonl").exists()
    run(project).assert_outcomes(passed=1)
    # Narrower than what is computed; filterwarnings = error makes the warning a failure.
    Goldens(project.path / "some" / "where", update=True).check(Interval(1, 1.25), "one")
    looser = run(project)
    looser.assert_outcomes(failed=1)
    looser.stdout.fnmatch_lines(
        ["*GoldenWarning: interval is now 4 times as wide: stored [[]1.0, 1.25], computed [[]1.0, 2.0]"]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--pldcheck-workers 0", "ERROR: --pldcheck-workers must be at least 1, got 0"),
        ("--pldcheck-quick --pldcheck-update", "ERROR: --pldcheck-update needs whole grids*"),
    ],
    ids=["workers", "quick update"],
)
def test_bad_options_are_refused_in_one_line(project, options, message):
    process = run(project, *options.split())
    assert process.ret == pytest.ExitCode.USAGE_ERROR
    process.stderr.fnmatch_lines([message])
    assert len(process.stderr.str().split("\n")) <= 3


def test_a_session_that_does_not_use_the_plugin_imports_next_to_nothing():
    code = (
        "import pytest, sys\n"
        "import pldcheck.testing.plugin\n"
        "print(*sorted(name for name in sys.modules if name.split('.')[0] in ('pldcheck', 'numpy', 'scipy', 'numba')))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == [
        "pldcheck",
        "pldcheck.core",
        "pldcheck.core.lazy",
        "pldcheck.testing",
        "pldcheck.testing.plugin",
        "pldcheck.testing.plugin_settings",
    ]


@pytest.mark.parametrize(
    "first",
    [
        "pldcheck",
        "pldcheck.verification",
        "pldcheck.theorems",
        "pldcheck.verification.suites",
        "pldcheck.testing.assertions",
        "pldcheck.cli",
    ],
)
def test_the_package_is_the_same_whatever_is_imported_first(first):
    code = (
        f"import {first}, pldcheck\n"
        "from pldcheck.verification import Verdict\n"
        "from pldcheck.theorems import REGISTRY\n"
        "from pldcheck import verify, REGISTRY as theorems, theorem, HiddenSlot, Interval, ParameterError\n"
        "assert callable(verify) and verify is pldcheck.verify and theorems is pldcheck.REGISTRY is REGISTRY\n"
        "assert pldcheck.protocols.HiddenSlot is HiddenSlot and pldcheck.core.errors.ParameterError is ParameterError\n"
        "assert {'theorem', 'assert_sound', 'verify', 'REGISTRY'} <= set(dir(pldcheck))\n"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
