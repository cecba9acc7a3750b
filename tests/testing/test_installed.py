"""A wheel in an environment of its own, and a user's project that knows nothing of this repository."""

import fnmatch
import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from places import ROOT
from projects import FALSE, OWN, TESTS

import pldcheck


def call(*words, cwd, ok=True):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST"))}
    process = subprocess.run(
        [*map(str, words)], cwd=cwd, env={**environment, "COLUMNS": "200"}, capture_output=True, text=True
    )
    assert process.returncode == 0 or not ok, process.stdout + process.stderr
    return process.stdout


@pytest.mark.nightly
def test_the_wheel_is_a_plugin(tmp_path):
    if not all(importlib.util.find_spec(tool) for tool in ("pip", "hatchling")):
        pytest.skip("pip and hatchling build the wheel")
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path / "wheel")
    call(sys.executable, *build, ROOT, cwd=tmp_path)
    [wheel] = (tmp_path / "wheel").glob("pldcheck-*.whl")

    venv.create(tmp_path / "venv", symlinks=os.name != "nt")
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    paths = {"base": str(tmp_path / "venv"), "platbase": str(tmp_path / "venv")}
    site = Path(sysconfig.get_path("purelib", "venv", vars=paths))
    call(
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "install",
        "--no-deps",
        "--no-index",
        "--target",
        site,
        wheel,
        cwd=tmp_path,
    )
    # Dependencies are taken from here: plain paths, which come last and whose own .pth files are not read.
    (site / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))

    project = tmp_path / "project"
    project.mkdir()
    (project / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    (project / "own.py").write_text(OWN)
    (project / "test_own.py").write_text(TESTS)
    python = scripts / "python"
    location = call(python, "-c", "import pldcheck; print(pldcheck.__file__)", cwd=project)
    assert Path(location.strip()) == site / "pldcheck" / "__init__.py"
    assert "3 passed" not in call(python, "-m", "pytest", "--pldcheck-update", cwd=project, ok=False)
    lines = call(python, "-m", "pytest", cwd=project, ok=False).splitlines()
    assert any(fnmatch.fnmatch(line, f"plugins:*pldcheck-{pldcheck.__version__}*") for line in lines), lines
    for pattern in (*FALSE, "pldcheck * cores", "*1 failed, 2 passed*"):
        assert any(fnmatch.fnmatch(line, pattern) for line in lines), (pattern, lines)
    assert (project / "results" / "whole.jsonl").exists()
