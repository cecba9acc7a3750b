"""Whatever a peer does, there is a claim with a status, in time, and nothing of it is left running."""

import os
import time
from pathlib import Path

import pytest

from pldcheck.accounting.peers import PEERS, Question, ask, ask_all, point
from pldcheck.accounting.peers.peer_processes import (
    ANSWERED,
    FAILED,
    LARGEST,
    NO_NUMBER,
    NOT_INSTALLED,
    TIME_LIMIT,
    UNSUPPORTED,
)
from pldcheck.protocols import Composition, Gaussian, HiddenSlot

POINT = point(Gaussian(2.0, 3), 1e-6)


def ask_peer(body, fake_prv, start="", **limits):
    fake_prv(body, start)
    return ask("prv", POINT, **{"seconds": 30, **limits})


def test_a_peer_answers_a_question(fake_prv):
    claim = ask_peer("return 0.125, 0.2, 0.25", fake_prv)
    assert (claim.status, claim.lower, claim.upper) == (ANSWERED, 0.125, 0.25)
    assert (claim.version, claim.adjacency) == ("9.9", "any")
    assert claim.seconds >= 0.0 and claim.note.startswith("PRVAccountant, eps_error 0.01")


def test_numbers_arrive_as_they_are(fake_prv):
    # The decimals nearest to these are others.
    sigma, delta = 0.1 + 0.2, 1e-6 * (1 + 2**-52)
    body = "return SIGMA[0], 0, delta"
    start = "SIGMA = []"
    fake_prv(body, start)
    source = Path(os.environ["PYTHONPATH"]) / "prv_accountant" / "__init__.py"
    source.write_text(source.read_text().replace("given): pass", "given): SIGMA.append(given[0])"))
    claim = ask("prv", point(Gaussian(sigma, 3), delta), seconds=30)
    assert (claim.lower, claim.upper) == (sigma, delta)


def test_imports_are_not_timed(fake_prv):
    # The clock that the peer's process reads is set forward by a million seconds while the peer is imported.
    start = "import time; clock = time.perf_counter; time.perf_counter = lambda: clock() + 1e6"
    claim = ask_peer("return 0.1, 0.2, 0.3", fake_prv, start=start)
    assert claim.status == ANSWERED and claim.seconds < 1e6
    later = "import time; clock = time.perf_counter; time.perf_counter = lambda: clock() + 1e6; return 0.1, 0.2, 0.3"
    assert ask_peer(later, fake_prv).seconds >= 1e6


@pytest.mark.parametrize(
    ("body", "status", "note"),
    [
        ("return float('nan'), 0.0, 0.1", NO_NUMBER, "gave epsilon nan"),
        ("return 0.0, 0.1, float('nan')", NO_NUMBER, "gave epsilon nan"),
        ("return -3.0, -2.5, -2.0", NO_NUMBER, "gave epsilon -2.0"),
        ("raise ValueError('two\\nlines')", FAILED, "ValueError: two lines"),
        ("raise SystemExit(0)", FAILED, "SystemExit: 0"),
        ("import os; os._exit(0)", FAILED, "its process ended (exit status 0)"),
        ("import os; os.abort()", FAILED, "its process ended (signal 6)"),
        ("import os; os.write(2, b'bad\\nworse\\n'); os.kill(os.getpid(), 11)", FAILED, "(signal 11): worse"),
        ("return 'many', 0, 'few'", FAILED, "ValueError: could not convert string to float: 'many'"),
        ("return bytearray(2**33)", FAILED, "MemoryError"),
        ("return 0.1, 0.2", FAILED, "ValueError: not enough values to unpack (expected 3, got 2)"),
    ],
    ids=lambda value: value.split("(")[0].replace(" ", "-") if isinstance(value, str) else value,
)
def test_failures_of_a_peer_are_reported_in_one_line(fake_prv, body, status, note):
    claim = ask_peer(body, fake_prv, memory=1.0)
    assert (claim.status, claim.lower, claim.upper) == (status, None, None)
    assert note in claim.note and "\n" not in claim.note


def test_a_negative_lower_end_and_an_infinite_upper_one_are_answers(fake_prv):
    claim = ask_peer("return -0.5, 1.0, float('inf')", fake_prv)
    assert (claim.status, claim.lower, claim.upper) == (ANSWERED, -0.5, float("inf"))


def test_what_a_peer_prints_is_no_answer(fake_prv):
    body = "print('{\"lower\": 9}'); import os; os.write(1, b'rubbish\\n'); return 0.1, 0.2, 0.3"
    claim = ask_peer(body, fake_prv, start="print('hello')")
    assert (claim.status, claim.upper) == (ANSWERED, 0.3)


CHILD = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {code!r}]); time.sleep(60)"


@pytest.mark.nightly
@pytest.mark.parametrize("start", [False, True], ids=["answer", "import"])
def test_a_peer_that_hangs_is_killed_with_its_children(fake_prv, tmp_path, start):
    mark = tmp_path / "alive"
    code = f"import time, pathlib\nwhile True: pathlib.Path({str(mark)!r}).touch(); time.sleep(0.05)"
    hang = CHILD.format(code=code)
    # On a busy machine the child needs longer than 2 s to begin: the limit is doubled until it has begun.
    for seconds in (2, 4, 8, 16, 32):
        claim = ask_peer("pass" if start else hang, fake_prv, start=hang if start else "", seconds=seconds)
        assert (claim.status, claim.note) == (TIME_LIMIT, f"no answer within {seconds} s")
        if mark.exists():
            break
    mark.unlink()
    time.sleep(0.5)
    assert not mark.exists()


def test_a_child_that_leaves_the_group_does_not_hold_us_up(fake_prv, tmp_path):
    # The child ends when it is allowed to, which is after the answer.
    permit, end_mark = tmp_path / "allowed", tmp_path / "ended"
    code = (
        "import pathlib, time\n"
        f"while pathlib.Path({str(tmp_path)!r}).exists() and not pathlib.Path({str(permit)!r}).exists():\n"
        "    time.sleep(0.05)\n"
        f"pathlib.Path({str(end_mark)!r}).touch()"
    )
    body = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {code!r}], start_new_session=True)"
    claim = ask_peer(f"{body}; return 0.1, 0.2, 0.3", fake_prv)
    assert claim.status == ANSWERED and not end_mark.exists()
    permit.touch()


def test_a_peer_that_prints_without_end_is_killed(fake_prv):
    claim = ask_peer("import os; [os.write(2, b'x' * 65536) for _ in iter(int, 1)]", fake_prv)
    assert (claim.status, claim.note) == (FAILED, f"printed more than {LARGEST >> 20} MiB")


@pytest.mark.nightly
def test_the_limit_is_for_each_question_and_the_others_are_asked_again(fake_prv):
    # delta says what to do.
    fake_prv(
        "import time, os; time.sleep(60 if delta == 0.25 else 0); os.abort() if delta == 0.5 else 0; return 0, 0, delta"
    )
    questions = [Question(point(Gaussian(2.0), delta)) for delta in (0.125, 0.25, 0.375, 0.5, 0.625)]
    claims = ask_all(PEERS["prv"], questions, seconds=3)
    assert [claim.status for claim in claims] == [ANSWERED, TIME_LIMIT, ANSWERED, FAILED, ANSWERED]
    assert [claim.upper for claim in claims] == [0.125, None, 0.375, None, 0.625]


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ("echo rubbish", "its answer cannot be read"),
        ("echo '[1]'", "its answer cannot be read"),
        ("echo '{\"lower\": 1}'", "its answer cannot be read"),
        ('echo \'{"lower": null, "upper": [], "how": "", "adjacency": "any", "seconds": 1}\'', "cannot be read"),
        ("echo no such thing >&2; exit 3", "its process ended (exit status 3): no such thing"),
        ("", "its process ended (exit status 0)"),
    ],
    ids=["rubbish", "list", "short", "types", "status", "nothing"],
)
def test_a_path_that_is_no_interpreter_is_reported(tmp_path, script, note):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    claim = ask("prv", POINT, python=str(python), seconds=10)
    assert claim.status == FAILED and note in claim.note


def test_a_file_that_cannot_be_run(tmp_path):
    python = tmp_path / "python"
    python.write_bytes(b"\x7fELF")
    python.chmod(0o755)
    claim = ask("prv", POINT, python=str(python))
    assert claim.status == FAILED and "cannot be run" in claim.note


def test_not_installed_and_not_supported_need_no_process(monkeypatch):
    monkeypatch.setattr("subprocess.Popen", None)
    monkeypatch.setattr("importlib.metadata.version", lambda name: _missing())
    assert ask("opendp", POINT).status == NOT_INSTALLED
    assert ask("opendp", point(HiddenSlot(9, 1.0), 0.01)).note == "has nothing for hidden-slot"
    mixture = point(Composition(("rr:1", "subsampled-gaussian:1:0.1")), 0.01)
    assert mixture.adjacency == "mixed" and ask("dp_accounting", mixture).status == UNSUPPORTED


def _missing():
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError


def test_an_interpreter_without_the_peer(tmp_path, monkeypatch):
    import sys

    if PEERS["opendp"].version:
        pytest.skip("opendp is installed")
    claim = ask("opendp", POINT, python=sys.executable)
    assert (claim.status, claim.note) == (NOT_INSTALLED, "no module opendp")
