"""mypy and pyright on a user's script of typical use, in strict mode, and on mistakes that they must notice."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT
from typical_use import main

SCRIPT = Path(__file__).with_name("typical_use.py")
# Lines of a user, each with one mistake.
MISTAKES = [
    'pldcheck.Gaussian(sigma="a lot")',
    "pldcheck.Gaussian(sigma=1.0).epsilom(1e-6)",
    "pldcheck.Gaussian(sigma=1.0).epsilon(delta=None)",
    "number: int = pldcheck.Gaussian(sigma=1.0).epsilon(1e-6).lower",
    "table: pldcheck.Interval = pldcheck.Gaussian(sigma=1.0).epsilon([1e-6])",
    'pldcheck.calibrate("gaussian", "sigma", target_epsilon=1.0, delta=1e-6).valu',
    "pldcheck.pld.gaussian(sigma=1.0).compose()",
]


@pytest.mark.nightly
def test_the_script_runs():
    main()


@pytest.fixture
def scripts(tmp_path):
    """Copies the script, and one with a mistake a line, to a folder of their own; returns the folder."""
    shutil.copy(SCRIPT, tmp_path / "good.py")
    (tmp_path / "bad.py").write_text("\n".join(["import pldcheck", *MISTAKES]) + "\n")
    return tmp_path


@pytest.mark.long
def test_mypy_reads_the_script_and_notices_every_mistake(scripts):
    pytest.importorskip("mypy")
    # The package is read for its types alone, as where it is installed.
    options = ["--strict", "--follow-imports=silent", "--ignore-missing-imports", "--config-file=", "--cache-dir=cache"]
    process = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "good.py", "bad.py"],
        cwd=scripts,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    lines = re.findall(r"^(\w+)\.py:(\d+): error", process.stdout, re.MULTILINE)
    assert {name for name, _ in lines} == {"bad"}, process.stdout + process.stderr
    assert {int(line) for _, line in lines} == set(range(2, 2 + len(MISTAKES))), process.stdout


@pytest.mark.long
def test_pyright_reads_the_script_and_notices_every_mistake(scripts):
    program = shutil.which("pyright")
    if program is None:
        pytest.skip("pyright is not installed")
    settings = {"include": ["good.py", "bad.py"], "extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    (scripts / "pyrightconfig.json").write_text(json.dumps(settings))
    process = subprocess.run(
        [program, "--outputjson", "--pythonpath", sys.executable], cwd=scripts, capture_output=True, text=True
    )
    errors = [one for one in json.loads(process.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    places = {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in errors}
    assert places == {("bad.py", line) for line in range(2, 2 + len(MISTAKES))}, errors
