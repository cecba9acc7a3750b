"""The origin of a run."""

import json
import shutil
import subprocess
from datetime import datetime

import pytest

from pldcheck.verification.runs import provenance


def test_everything_asked_for_is_there_and_fits_in_json():
    facts = provenance.provenance("pldcheck verify --quick")
    assert list(facts) == ["version", "commit", "command", "created", "python", "libraries", "machine"]
    assert facts["command"] == "pldcheck verify --quick"
    assert datetime.fromisoformat(facts["created"]).utcoffset().total_seconds() == 0
    assert {"numpy", "scipy", "numba"} <= set(facts["libraries"]) and facts["libraries"]["numpy"]
    assert facts["machine"]["cores"] >= 1
    json.dumps(facts, allow_nan=False)


def test_what_is_not_installed_has_no_version():
    assert provenance.version("no-such-library-here") is None


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return a git to call in a repository with a copy of this package, which is what runs."""
    if not shutil.which("git"):
        pytest.skip("needs git")
    package = tmp_path / "checkout" / "pldcheck"
    shutil.copytree(provenance.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "PACKAGE", package)
    monkeypatch.chdir(tmp_path)

    def git(*words):
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(package.parent), *identity, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    return git


def test_commit_of_a_checkout(checkout):
    assert provenance.commit() is None
    checkout("init")
    assert provenance.commit() is None
    checkout("add", ".")
    checkout("commit", "-m", "first")
    head = checkout("rev-parse", "HEAD")
    assert provenance.commit() == head
    (provenance.PACKAGE.parent / "results.jsonl").touch()
    assert provenance.commit() == head
    (provenance.PACKAGE / "new.py").touch()
    assert provenance.commit() == f"{head}-dirty"


@pytest.mark.nightly
def test_commit_of_an_installed_copy_run_in_its_checkout(checkout, tmp_path, monkeypatch):
    for words in (("init",), ("add", "."), ("commit", "-m", "first")):
        checkout(*words)
    source = provenance.PACKAGE
    site_package = tmp_path / "site-packages" / "pldcheck"
    shutil.copytree(source, site_package)
    monkeypatch.setattr(provenance, "PACKAGE", site_package)
    assert provenance.commit() is None
    monkeypatch.chdir(source.parent)
    assert provenance.commit() == checkout("rev-parse", "HEAD")
    (source / "core" / "errors.py").write_text("changed = True\n")
    assert provenance.commit() is None
