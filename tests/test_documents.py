"""README says what is so; tests/notebooks has what notebooks say."""

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
from places import RESULTS, ROOT

import pldcheck
from pldcheck.verification.problem import unjudgeable

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, flags=re.DOTALL)
# What is not in blocks.
OUTSIDE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
# Commands with what is shown below them, and those of the table.
SHOWN = [
    tuple(shown.split("\n", 1))
    for language, body in BLOCKS
    if not language and body.startswith("$ ")
    for shown in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
]
WANTED = re.findall(r"^\| .+ \| `([a-z].*)` \|$", README.partition("| I want to")[2], flags=re.MULTILINE)


def test_ci_runs_the_commands_of_the_readme():
    set_up = [body.strip() for language, body in BLOCKS if not language and "venv" in body]
    assert len(set_up) == 2
    script = (ROOT / ".ci" / "run").read_text()
    tests = set_up[1].split(" && ")
    assert "-m pytest" in tests[-1] and "'.[test]'" in tests[1]
    for command in tests[1:]:
        words = shlex.split(command.replace(".venv/", ".ci-venv/"))
        assert all(word in script for word in words), command


def run(command, folder, status=0):
    """What a command prints, in a folder of its own."""
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == status, done.stderr
    # Of what takes long on a busy machine it is said how far it is.
    progress = r"\d s (left|so far)|^\d+ of \d+ \w+|no cell is finished yet|^computing \w+ of"
    assert all(re.search(progress, line) for line in done.stderr.splitlines())
    return done.stdout


def masked(text):
    """The text without its seconds."""
    return re.sub(r"\d+\.\d s\b", "… s", text)


def test_the_readme_is_short():
    lines = README.splitlines()
    assert len(lines) <= 110 and max(map(len, lines)) <= 100
    # Both commands are on the first screen.
    assert max(place for place, line in enumerate(lines) if "-m venv" in line) < 24


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_commands_of_the_readme_print_what_it_shows(command, output, tmp_path):
    """A line of three dots stands for the rest."""
    beginning, dots, _ = masked(output).partition("…\n")
    printed = masked(run(command, tmp_path))
    assert printed.startswith(beginning) if dots else printed == beginning


@pytest.mark.parametrize("command", WANTED)
def test_commands_of_the_table_run(command, tmp_path):
    """A counterexample ends with status 1, as it is to."""
    printed = run(f"pldcheck {command}", tmp_path, status=int("vr-wang" in command))
    assert ("VIOLATED: vr-wang" in printed) == ("vr-wang" in command) and printed.strip()


def test_every_row_of_the_table_is_tested():
    rows = README.partition("| I want to")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) == len(WANTED) == 6


def test_python_of_the_readme_prints_what_it_shows():
    claims, session = (body for language, body in BLOCKS if language == "python")
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    said = []
    found = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert found.attempted == 5 and not found.failed, "".join(said)
    names = {}
    exec(claims, names)
    with pytest.raises(AssertionError, match="VIOLATED"):
        pldcheck.assert_sound(names["my_bound"], grid={"steps": [10, 1000], "eps0": [0.5, 2.0], "delta": 1e-6})


def test_every_block_of_the_readme_is_tested():
    assert [language for language, _ in BLOCKS] == ["", "", "", "python", "python"] and len(SHOWN) == 1


def test_links_of_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)]+)\)|^\[\w+\]: (\S+)$", OUTSIDE, flags=re.MULTILINE)
    assert len(links) >= 8 and all((ROOT / (inline or named)).exists() for inline, named in links)


def test_a_package_index_gets_the_readme_without_what_is_in_the_repository_alone():
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]
    text = README
    for substitution in hook["fancy-pypi-readme"]["substitutions"]:
        text, count = re.subn(substitution["pattern"], substitution["replacement"], text)
        assert count, substitution["pattern"]
    assert not re.findall(r"!\[|\]\((?!https?:)|\]\[|^\[|^Links", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.M)
    # Nothing else is missing: a dozen lines at most, and no block and no row of a table.
    assert len(text.splitlines()) >= len(README.splitlines()) - 12
    kept = re.compile(r"```[^`]*```|^\|.*$|^#.*$", re.MULTILINE)
    links = re.compile(r"\[([^\]]+)\]\([^)]+\)")
    assert kept.findall(text) == [links.sub(r"\1", part) for part in kept.findall(README)]


# The stored cases of the table of speed, each with the other accountant that it names.
SPEED = (
    ("subsampled-gaussian sigma=1 rate=0.01 k=1e+03 delta=1e-06", "prv"),
    ("1e+03 responses as array delta=1e-06", "dp_accounting"),
    ("m=1e+03 sigma=0.5 delta=1e-06", "PLD_accounting"),
    ("m=1e+08 eps0=1 w=1 delta=1e-06", None),
)


def is_rounded(shown, value):
    """Return whether a text such as "0.13 %" or "11 ms" is a number rounded to its digits."""
    number, unit = shown.split()
    unit = {"s": 1.0, "ms": 1e-3, "%": 1e-2}[unit]
    last = 10.0 ** -len(number.partition(".")[2])
    return abs(float(number) - value / unit) <= last / 2


def test_the_table_of_speed_is_of_the_stored_run():
    lines = README.partition("## Speed")[2].partition("Links:")[0].splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| ")][1:]
    stored = [json.loads(line) for line in (RESULTS / "benchmarks" / "benchmarks.jsonl").read_text().splitlines()]
    assert len(rows) == len(SPEED)
    header = stored[0]
    (commit,) = re.findall(r"^## Speed .*benchmarks\.md\) of commit ([0-9a-f]{7,})\)$", README, re.MULTILINE)
    assert header["commit"].startswith(commit)
    assert header["commit"][:12] in (RESULTS / "benchmarks" / "benchmarks.md").read_text(encoding="utf-8")
    for (_, own, others), (case, peer) in zip(rows, SPEED, strict=True):
        (row,) = (row for row in stored if row.get("case") == case and row["peer"] == (peer or ""))
        for text, kind in ((own, ""), (others, "peer_")):
            for shown in re.findall(r"[\d.]+ m?s\b", text):
                assert is_rounded(shown, row[f"{kind}seconds"]), (case, shown)
            for shown in re.findall(r"[\d.]+ %", text):
                assert is_rounded(shown, row[f"{kind}width"]), (case, shown)
        assert (peer or "none known").split(".")[0] in others


def test_the_readme_counts_the_theorems_that_cannot_be_judged():
    assert f"UNJUDGEABLE: no value, or no protocol ({len(unjudgeable())} theorems)" in README


def test_rounded_numbers_are_told_from_others():
    assert is_rounded("11 ms", 0.011026) and is_rounded("0.13 %", 0.0013184) and is_rounded("5 s", 5.4)
    assert not is_rounded("11 ms", 0.01151) and not is_rounded("0.12 %", 0.0013184) and not is_rounded("5 s", 5.6)
