"""README and notebooks say what is so."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest
from places import ROOT

from pldcheck.testing import Goldens

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, flags=re.DOTALL)
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


@pytest.mark.parametrize(
    "command", [line[2:] for _, body in BLOCKS for line in body.splitlines() if line.startswith("$ ")]
)
def test_commands_of_the_readme_run(command, tmp_path):
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr
    # Of what takes long on a busy machine it is said how far it is.
    assert done.stdout.strip() and all(re.search(r"\d s (left|so far)", line) for line in done.stderr.splitlines())


def test_python_of_the_readme_runs(tmp_path):
    snippet, losses, shuffling, noise, own = (body for language, body in BLOCKS if language == "python")
    names = {}
    exec(snippet, names)
    for number in re.findall(r"([0-9.]+)\.\.\.", snippet):
        found = (
            names["lower"],
            names["upper"],
            names["pldcheck"].REGISTRY["thm-3.2"](steps=1000, eps0=1.0, check_in_prob=1.0, delta=1e-6).epsilon,
        )
        assert any(repr(value).startswith(number) for value in found), number
    exec(losses, names)
    lower, upper = map(float, re.search(r"# \[([0-9.]+), ([0-9.]+)\]", losses).groups())
    answer = names["pld"].randomized_response(0.1).compose(1024).epsilon(delta=1e-12)
    assert lower <= answer.lower <= answer.upper <= upper
    exec("\n".join(line for line in (shuffling + noise).splitlines() if line.startswith("from ")), names)
    *questions, solved = [line for line in (shuffling + noise).splitlines() if "  # " in line]
    for line in questions:
        question, ends = line.split("  # ")
        lower, upper = map(float, ends.split(", "))
        answer = eval(question, names)
        assert lower <= answer.lower <= answer.upper <= upper <= 1.2 * lower
    question, value = solved.split("  # sigma = ")
    assert f"{eval(question, names).value:g}" == value
    exec(own, names)
    names["test_my_bound"](Goldens(tmp_path, update=True))


def test_pictures_of_the_readme_exist():
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).exists()


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
    said = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert not re.search(r"(?<!Theorem )\b[0-9]+\.[0-9]", said)
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
