"""A theorem of one's own, from a file or a notebook to a counterexample that a program without pldcheck confirms."""

import json
import subprocess
from hashlib import sha256

import pytest

import pldcheck
from pldcheck.cli import run
from pldcheck.core.errors import PldcheckError
from pldcheck.testing.own_claims import load_claim
from pldcheck.verification import Verdict

CLAIMS = """
from math import expm1, log, sqrt

import pldcheck


@pldcheck.theorem(protocol="hidden-slot", grid={"steps": [10, 1000], "eps0": 0.5, "delta": 1e-6})
def my_bound(steps, eps0, delta):
    return 0.7 * expm1(eps0) * sqrt(-log(delta) / steps)


protocol = "gaussian"
grid = {"sigma": 2.0, "steps": [1, 2], "epsilon": 1.0}


def plain(sigma, steps, epsilon):
    return 0.1 * steps


def responses(eps0, steps):
    return pldcheck.Composition([pldcheck.RandomizedResponse(steps, eps0), "gaussian:4"])


@pldcheck.theorem(protocol=responses)
def of_function(eps0, steps, delta):
    return 2.0
"""


def verify(capsys, *words):
    """Return the status of a command and what it printed."""
    status = run(["verify", *words, "--quiet", "--workers", "0"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out) if "--json" in words else printed


def test_a_claim_in_a_file_is_judged_and_its_files_are_checked_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.py").write_text(CLAIMS)
    status, answer = verify(capsys, "claims.py:my_bound", "--certify", "--json")
    assert status == 1 and (answer["counts"]["VIOLATED"], answer["counts"]["HOLDS"]) == (1, 1)
    assert answer["provenance"]["sources"] == {"claims.py:my_bound": sha256(CLAIMS.encode()).hexdigest()}
    assert len(answer["certify"]["files"]) == 2
    (command,) = answer["certify"]["commands"]
    alone = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (alone.returncode, alone.stderr, alone.stdout.count(": accepted: ")) == (0, "", 2)
    assert verify(capsys, "claims.py:my_bound", "--resume", "--certify", "--json")[1]["provenance"]["resumed"] == 2
    # The same cells of a function that was edited are other questions, even if it claims the same there.
    (tmp_path / "claims.py").write_text(CLAIMS + "# edited\n")
    assert verify(capsys, "claims.py:my_bound", "--resume", "--json")[1]["provenance"]["resumed"] == 0
    status, answer = verify(capsys, "claims.py:plain", "--cell", "steps=2", "--json")
    assert status == 0 and answer["provenance"]["cells"] == 1 and "-cell-" in answer["files"][0]


@pytest.mark.nightly
def test_python_gives_the_same_report_with_its_files_and_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.py").write_text(CLAIMS)
    report = pldcheck.verify("claims.py:my_bound", certify=True)
    assert [row.verdict for row in report.rows] == [Verdict.HOLDS, Verdict.VIOLATED]
    assert report.files[0] == "results/runs/my_bound/my_bound.sqlite" and all(map(len, report.commands))
    assert all((tmp_path / path).is_file() for path in report.files) and len(report.commands) == 1
    assert report.commands[0] in str(report)
    with pytest.raises(PldcheckError, match="holds other cells than these; out= names another folder"):
        pldcheck.verify(load_claim("claims.py:my_bound"), grid={"steps": 9, "eps0": 0.5, "delta": 1e-6}, certify=True)
    # A function of a notebook has no file: its code, and that of the functions it calls, is its identity.
    cell = CLAIMS.replace("0.7 * expm1(eps0)", "share() * expm1(eps0)")
    for share, resumed in ((0.7, 0), (0.7, 2), (0.71, 0)):
        names = {"__name__": "__main__"}
        exec(compile(f"{cell}\ndef share():\n    return {share}\n", "<cell>", "exec"), names)
        report = pldcheck.verify(names["my_bound"], certify=True, out="notebook", resume=True)
        assert report.header["resumed"] == resumed and len(report.commands) == 1
    rows = pldcheck.verify(names["of_function"], grid={"eps0": 0.1, "steps": [2, 3], "delta": 1e-3}, certify=True).rows
    truths = [pldcheck.Composition([f"rr:0.1*{steps}", "gaussian:4"]).epsilon(1e-3) for steps in (2, 3)]
    assert all(row.lower <= truth.upper and truth.lower <= row.upper for row, truth in zip(rows, truths, strict=True))
    assert len([*(tmp_path / "results/runs/of_function/certificates").iterdir()]) == 2


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["claims.py"], "claims.py needs the name of a theorem: claims.py:NAME, one of my_bound, of_function, plain"),
        (["claims.py:mybound"], "unknown theorem or function in claims.py 'mybound'; did you mean my_bound?"),
        (["other.py:f"], "FILE.py must be a Python file, and there is no such file, got 'other.py'"),
        (["broken.py:f"], "broken.py, line 2: ModuleNotFoundError: No module named 'no_such_module'"),
        (["bare.py:f"], "f is about no protocol: give --protocol NAME"),
        (["wide.py:f"], "the grid of wide.py:f: grid.eps0 must be above 0 and at most 20, got 30"),
        (["bare.py:f", "--protocol", "gaussian"], "f lacks sigma, which gaussian needs"),
        (["claims.py:my_bound", "--protocol", "gaussian"], "protocol must be left out: my_bound is about hidden-slot"),
        (["claims.py:my_bound", "--cell", "steps"], "--cell must be PARAMETER=VALUE"),
        (["claims.py:my_bound", "--cell", "step=1"], "unknown parameter of my_bound 'step'; did you mean steps?"),
        (["claims.py:my_bound", "thm-3.2"], "one theorem alone for FILE.py:NAME"),
        (["--cell", "steps=1"], "one theorem alone for --cell"),
        (["thm-3.2", "--protocol", "gaussian"], "--protocol is for a function, FILE.py:NAME"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_a_file_lacks_is_said_in_one_line(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.py").write_text(CLAIMS)
    (tmp_path / "broken.py").write_text("\nimport no_such_module\n")
    (tmp_path / "bare.py").write_text("def f(steps, eps0, delta):\n    return eps0\n")
    (tmp_path / "wide.py").write_text(
        'protocol, grid = "hidden-slot", {"steps": 9, "eps0": [1, 30], "delta": 0.01}\n\n'
        "def f(steps, eps0, delta):\n    return eps0\n"
    )
    status, printed = verify(capsys, *words)
    assert status == 2 and message in printed.err and not (tmp_path / "results").exists()


@pytest.mark.nightly
def test_a_function_that_computes_a_loss_stays_in_this_process(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.py").write_text(CLAIMS)
    words = [
        "verify",
        "claims.py:of_function",
        "--quiet",
        "--cell",
        "eps0=0.1",
        "--cell",
        "steps=2",
        "--cell",
        "delta=1e-3",
    ]
    assert run([*words, "--workers", "2"]) == 2
    assert "is known to this process alone: --workers 0" in capsys.readouterr().err
    assert run(words) == 0 and "1 of" not in capsys.readouterr().err


def test_the_id_of_a_theorem_is_judged_in_the_suite_that_has_it():
    report = pldcheck.verify("gauss-8", quick=True)
    assert {row.theorem for row in report.rows} == {"gauss-8"} and report.suite == "composition-quick"
