"""Imports, signals and closed pipes, which only a process of its own can show."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
HEAVY = ("numpy", "scipy", "numba", "matplotlib")

# Seconds after which a process that should have ended is given up: no measurement, whatever the machine does besides.
HANG = 600.0

# What an interrupted command leaves on stderr: its words, and the lines before the last one.
FAREWELL = r"{count} of {total} cells are finished and stored.*\nto go on: pldcheck verify {words}\npldcheck: {end}\n"
# What ends a command from outside, with the last line and the status.
SIGNALS = [(signal.SIGINT, "interrupted", 130), (signal.SIGTERM, "terminated", 143)]

# A verify whose engine says when it has begun, and does not come back by itself.
ENDLESS = r"""
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from pldcheck.cli import main
from pldcheck.protocols import HiddenSlot

def endless(slot, delta, width):
    os.write(1, b"begun\n")  # at once: two workers begin together
    time.sleep(3600)

HiddenSlot.epsilon = endless
sys.argv = ["pldcheck", "verify", "--quick", "--workers", "0"]
main()
"""


def running(group):
    """Return the processes of a group that have not ended."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = path.read_text().rpartition(") ")
        except OSError:  # it has just ended
            continue
        state, _, process_group, *_ = rest.split()
        if int(process_group) == group and state != "Z":
            processes.append(path.parent.name)
    return processes


def wait_for(condition):
    for _ in range(int(10 * HANG)):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("what is waited for does not come")


def python(*words, **options):
    if os.name == "posix":  # a shell's background job ignores interrupts, and so would its children
        options |= {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    return subprocess.Popen(
        [sys.executable, *words],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["verify", "--help"],
        ["eps", "hidden-slot", "--help"],
        ["compare", "krr", "--help"],
        ["list"],
        ["show", "thm-3.2"],
        ["bound", "thm-4.3", "--window", "9", "--eps0", "1", "--delta", "0.1"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported_to_print_text(words):
    code = f"import sys; from pldcheck.cli import run; run({words!r}); print(*sys.modules, sep='\\n')"
    out, err = python("-c", code).communicate(timeout=HANG)
    assert err == ""
    assert not set(HEAVY) & set(out.splitlines())


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize(("number", "end", "status"), SIGNALS)
def test_an_interrupt_stops_at_once_and_keeps_what_is_finished(tmp_path, number, end, status):
    with python("-c", ENDLESS, cwd=tmp_path) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            process.send_signal(number)
            _, err = process.communicate(timeout=HANG)
        finally:
            process.kill()
    assert process.returncode == status
    assert re.fullmatch(FAREWELL.format(count=12, total=120, words="--quick --workers 0 --resume", end=end), err)
    assert [path.name for path in (tmp_path / "results" / "runs" / "paper-quick").iterdir()] == ["paper-quick.sqlite"]


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(("number", "end", "status"), SIGNALS)
def test_an_interrupt_ends_all_processes(tmp_path, number, end, status):
    """A terminal sends it to all of them, and so do those that end a group of processes."""
    words = ["-m", "pldcheck", "verify", "--suite", "paper", "--workers", "2", "--out", str(tmp_path)]
    process = python(*words, start_new_session=True)
    try:
        wait_for(lambda: any(b'"lower":0.' in path.read_bytes() for path in tmp_path.glob("paper.sqlite*")))
        os.killpg(process.pid, number)
        _, err = process.communicate(timeout=HANG)
    finally:
        process.kill()
    words = f"--suite paper --workers 2 --out {tmp_path} --resume"
    assert process.returncode == status
    assert re.fullmatch(FAREWELL.format(count=r"[1-9]\d*", total=2016, words=words, end=end), err, re.DOTALL)
    wait_for(lambda: not running(process.pid))


@pytest.mark.skipif(os.name != "posix", reason="POSIX pipes")
def test_a_closed_pipe_is_no_error_to_talk_about():
    process = python("-m", "pldcheck", "list")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=HANG) == 141
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("words", "redirection", "message"),
    [
        ("list", ">&-", "standard output is closed; "),
        ("eps --help", "> /dev/full", "the output cannot be written: No space left on device"),
        ("show thm-3.2 --json", "> /dev/full", "the output cannot be written: No space left on device"),
        ("eps nothing", "> /dev/full", "unknown protocol 'nothing'"),
        ("eps nothing", "2>&-", ""),
        ("eps nothing", "2> /dev/full", ""),
    ],
)
def test_where_nothing_can_be_printed_the_status_says_so_and_one_line_at_most(words, redirection, message):
    command = f'"{sys.executable}" -m pldcheck {words} {redirection}'
    result = subprocess.run(["sh", "-c", command], env=ENVIRONMENT, capture_output=True, text=True, timeout=HANG)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr and result.stderr.count("\n") == bool(message)


def test_the_module_runs_and_returns_the_status():
    process = python("-m", "pldcheck", "show", "thm-9")
    out, err = process.communicate(timeout=HANG)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)


# A question whose losses have too many values for the answer to be had without a kernel.
SAMPLED = "subsampled-gaussian --sigma 2 --rate 0.1 --steps 3 --delta 1e-6"


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_is_told_once_that_kernels_are_compiled(tmp_path):
    import pty

    texts = []
    for _ in range(2):
        reader, terminal = pty.openpty()
        process = subprocess.run(
            [sys.executable, "-m", "pldcheck", "eps", *SAMPLED.split()],
            env={**ENVIRONMENT, "NUMBA_CACHE_DIR": str(tmp_path)},
            stderr=terminal,
            stdout=subprocess.PIPE,
            timeout=HANG,
        )
        os.close(terminal)
        try:
            texts.append(os.read(reader, 10_000).decode())
        except OSError:  # the terminal is closed and nothing was written to it
            texts.append("")
        os.close(reader)
        assert process.returncode == 0 and process.stdout.startswith(b"epsilon in")
    # A slow machine says as well what it computes.
    texts = [[line for line in text.splitlines() if not line.startswith("computing")] for text in texts]
    assert texts == [["compiling kernels, once: later starts take them from the disk"], []]
