"""README and notebooks say what is so."""

import doctest
import json
import os
import re
import shlex
import subprocess
import sys

import pytest
from places import ROOT

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, flags=re.DOTALL)
# What is not in blocks.
OUTSIDE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
# Commands with what is shown below them, and those of the table.
EXAMPLES = [
    tuple(example.split("\n", 1))
    for language, body in BLOCKS
    if not language and body.startswith("$ ")
    for example in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
]
COMMANDS_OF_TABLE = re.findall(r"^\| .+ \| `([a-z].*)` \|$", README.partition("## I want to")[2], flags=re.MULTILINE)
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


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
    """Return what a command prints, in a folder of its own."""
    words = [sys.executable, "-m", *shlex.split(command)]
    process = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.returncode == status, process.stderr
    # Of what takes long on a busy machine it is said how far it is.
    assert all(re.search(r"\d s (left|so far)", line) for line in process.stderr.splitlines())
    return process.stdout


def mask(text):
    """Return the text without its seconds."""
    return re.sub(r"\d+\.\d s\b", "… s", text)


def test_the_readme_is_short():
    lines = README.splitlines()
    assert len(lines) <= 120 and max(map(len, lines)) <= 100
    # Both commands are on the first screen.
    assert max(place for place, line in enumerate(lines) if "-m venv" in line) < 24


@pytest.mark.parametrize(("command", "output"), EXAMPLES)
def test_commands_of_the_readme_print_what_it_shows(command, output, tmp_path):
    assert mask(run(command, tmp_path)) == mask(output)


@pytest.mark.parametrize("command", COMMANDS_OF_TABLE)
def test_commands_of_the_table_run(command, tmp_path):
    """A counterexample ends with status 1, as it is to."""
    text = run(f"pldcheck {command}", tmp_path, status=int("vr-wang" in command))
    assert ("VIOLATED: vr-wang" in text) == ("vr-wang" in command) and text.strip()


def test_every_row_of_the_table_is_tested():
    rows = README.partition("| I want to")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) == 8 and len(COMMANDS_OF_TABLE) == 7 and "@pldcheck.theorem" in rows[5]


def test_python_of_the_readme_prints_what_it_shows():
    (body,) = (body for language, body in BLOCKS if language == "python")
    test = doctest.DocTestParser().get_doctest(body, {}, "README.md", "README.md", 0)
    report = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert results.attempted == 8 and not results.failed, "".join(report)


def test_every_block_of_the_readme_is_tested():
    assert [language for language, _ in BLOCKS] == ["", "", "", "python"] and len(EXAMPLES) == 1


def test_links_of_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)]+)\)|^\[\w+\]: (\S+)$", OUTSIDE, flags=re.MULTILINE)
    assert len(links) >= 8 and all((ROOT / (inline or target)).exists() for inline, target in links)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.nightly] if path.name == "04_dp_sgd.ipynb" else [])
        for path in NOTEBOOKS
    ],
)
def test_notebook_runs_and_is_stored_without_outputs(path):
    """Its cells assert what its text says, numbers are left to the cells, and the last of them draws a figure."""
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("agg")
    cells = json.loads(path.read_text())["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert not re.search(r"(?<!Theorem )\b[0-9]+\.[0-9]", text)
    names = {}
    with matplotlib.rc_context():
        for place, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [] and cell["execution_count"] is None
                exec(compile("".join(cell["source"]), f"{path.name}, cell {place}", "exec"), names)
        pyplot.close("all")
    assert cells[-1]["cell_type"] == "code" and "\nfigure, " in "\n" + "".join(cells[-1]["source"])
    figure = names["figure"]
    assert all(axes.get_xlabel() for axes in figure.axes) and figure.axes[0].get_ylabel()
    assert figure.legends or all(axes.get_legend() for axes in figure.axes)
    assert any("assert" in "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
