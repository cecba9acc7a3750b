"""Tests that run by default, that are nightly, and that run because they are named."""

import subprocess
import sys
from shlex import split

import pytest
from default_set import MANY, SOME, cases_by_default, function_of, is_named, long_cases
from places import ROOT

pytest_plugins = ("pytester",)

TESTS = """
import pytest

def test_alone():
    pass

@pytest.mark.nightly
def test_slow():
    pass

@pytest.mark.long
def test_longest():
    pass

@pytest.mark.parametrize("number", range(SOME))
def test_sweep(number):
    pass

class TestGroup:
    @pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.nightly)])
    def test_pair(self, number):
        pass
"""


def cases(function, number):
    return [f"tests/test_of.py::{function}[{case}]" for case in range(number)]


def test_few_cases_of_each_function_are_kept():
    nodes = ["tests/test_of.py::alone", *cases("pair", 2), *cases("some", SOME), *cases("many", MANY)]
    default = cases_by_default(nodes)
    assert [
        sum(function_of(node).endswith(name) for node in default) for name in ("alone", "pair", "some", "many")
    ] == [*(1, 1, 2, 3)]
    # Neither the order of the cases nor the other tests matter.
    assert cases_by_default(reversed(nodes)) == default
    assert cases_by_default(cases("many", MANY)) == {node for node in default if "::many" in node}


def test_cases_that_are_wanted_are_kept_first():
    many = cases("many", MANY)
    for extra in many:
        default = cases_by_default(many, [extra, "tests/test_other.py::gone"])
        assert extra in default and len(default) == 3 and len(default - cases_by_default(many)) <= 1
    # All that are wanted are kept, however many.
    assert cases_by_default(many, many[:5]) == set(many[:5])


@pytest.mark.parametrize(
    ("argument", "is_match"),
    [
        ("tests/test_of.py", False),
        ("tests", False),
        ("tests/test_of.py::many", True),
        ("tests/test_of.py::many[3]", True),
        ("./tests/../tests/test_of.py::many[3]", True),
        ("tests/test_of.py::man", False),
        ("tests/test_of.py::many[4]", False),
        ("tests/test_if.py::many", False),
    ],
)
def test_what_is_named_by_two_colons_is_named(argument, is_match, tmp_path):
    path = (tmp_path / "tests" / "test_of.py").resolve()
    assert is_named("tests/test_of.py::many[3]", path, ["tests/other.py::x", argument], tmp_path) is is_match


@pytest.fixture
def project(pytester, monkeypatch):
    """Return a project with this one's rule, and five tests, one of them with ``SOME`` cases."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    markers = "markers =\n    nightly: left to -m nightly\n    long: nightly as well\n"
    pytester.makeini(f"[pytest]\n{markers}addopts = --strict-markers\n")
    folder = pytester.mkpydir("tests")
    for name in ("conftest.py", "default_set.py", "quicker_processes.py"):
        (folder / name).write_text((ROOT / "tests" / name).read_text())
    (folder / "long_cases.txt").write_text("tests/test_of.py::TestGroup::test_pair[2]\n")
    (folder / "mutants").mkdir()
    (folder / "mutants" / "__init__.py").touch()
    (folder / "mutants" / "mutant.py").write_text("def all_mutants():\n    return []\n")
    (folder / "test_of.py").write_text(TESTS.replace("SOME", str(SOME)))
    return pytester


SWEEP = "tests/test_of.py::test_sweep"
# Three tests alone, the sweep, and a pair.
ALL = 3 + SOME + 2


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "passes"),
    [
        ("", 4),
        ("tests/test_of.py", 4),
        ("-m nightly", ALL - 4),
        ("-m long", 2),
        ("-m 'nightly and not long'", ALL - 2 - 4),
        ("-m 'not nightly'", 4),
        ("-m 'nightly or not nightly'", ALL),
        ("-k sweep", 2),
        (SWEEP, SOME),
        (f"{SWEEP}[7] {SWEEP}[8] {SWEEP}[9] {SWEEP}[10]", 4),
        ("tests/test_of.py::test_slow", 1),
        ("tests/test_of.py::TestGroup", 2),
        ("-n 2", 4),
        (f"-n 2 {SWEEP}[7] tests/test_of.py::test_slow", 2),
    ],
)
def test_what_runs_is_what_one_asks_for(project, words, passes):
    result = project.runpytest_subprocess("-p", "no:cacheprovider", *split(words))
    assert result.parseoutcomes().get("passed") == passes


def nodes(*options):
    """Return the nodes of this project that options select."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", "-p", "no:cacheprovider", *options]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line for line in result.stdout.splitlines() if "::" in line}


@pytest.mark.long
def test_the_default_set_is_small_and_touches_much():
    """Count the cases of this project: whoever adds many marks others nightly."""
    assert 1500 <= len(nodes()) <= 2600


@pytest.mark.long
def test_all_long_cases_exist():
    assert long_cases() <= nodes("-m", "long")
