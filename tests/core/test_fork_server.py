"""Forks of a server do their work, have what it has loaded, and end alone, or with the server and its parent."""

import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from living import wait_for_end
from places import ROOT

from pldcheck.core.fork_server import AVAILABLE, ForkServer

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="a fork server needs Linux")


def load():
    """Load something that nothing else does."""
    sys.modules["loaded by the server"] = sys


def tell(descriptor, word):
    """Say who this process is, and wait until it is killed."""
    threads = len(os.listdir(f"/proc/{os.getppid()}/task"))
    loaded = "loaded by the server" in sys.modules
    Connection(descriptor).send((word, os.getpid(), threads, loaded))
    signal.pause()


def leave(descriptor, status):
    """End this process."""
    os._exit(status)


def fail(descriptor):
    """Raise an error."""
    raise ArithmeticError


@pytest.fixture(scope="module")
def one():
    server = ForkServer(f"{__name__}:load")
    yield server
    server.close()


def fork(server, work, *values):
    """Return the number of a fork, a pipe to it, and the pipe that says how it ended."""
    (here, there), (ending, ends) = multiprocessing.Pipe(), multiprocessing.Pipe(duplex=False)
    with there, ends:
        return server.fork(work, [there.fileno(), ends.fileno()], *values), here, ending


def begin(server, word):
    number, pipe, ending = fork(server, tell, word)
    said, pid, threads, loaded = pipe.recv()
    assert said == word and loaded
    assert threads == 1, "a process with threads must not be forked"
    return number, pid, ending


def test_forks_have_what_was_loaded_and_end_when_they_are_killed_even_if_suspended(one, capfd):
    number, pid, ending = begin(one, "first")
    os.kill(pid, signal.SIGSTOP)
    one.kill(number)
    assert ending.recv() == -signal.SIGKILL
    one.kill(number)  # it has ended, and what has its number now is not killed
    # An error ends its own worker, with a status that says so.
    for work, values, status in ((leave, [3], 3), (fail, [], 1), (os.strerror, [], 1)):
        assert fork(one, work, *values)[2].recv() == status
    assert one.lives and begin(one, "last")


@pytest.mark.nightly
def test_forks_end_with_a_server_that_is_killed():
    server = ForkServer(f"{__name__}:load")
    _, pid, ending = begin(server, "alone")
    server.process.kill()
    wait_for_end(pid)
    with pytest.raises(EOFError):
        ending.recv()
    server.process.wait()
    assert not server.lives
    with pytest.raises(OSError):
        fork(server, tell, "too late")
    server.close()


@pytest.mark.nightly
def test_an_error_while_it_loads_ends_no_server():
    server = ForkServer(f"{__name__}:no such function")
    assert fork(server, leave, 0)[2].recv() == 0
    server.close()


PARENT = """
import os, threading
from test_fork_server import ForkServer, begin
def work():
    server = ForkServer("test_fork_server:load")
    print(server.process.pid, begin(server, "child")[1], flush=True)
    holds.set()
    threading.Event().wait()
holds = threading.Event()
threading.Thread(target=work, daemon=True).start()
holds.wait()
if os.fork() == 0:  # a child of the parent's own has the socket to the server, which hears nothing of the parent's end
    print("child", os.getpid(), flush=True)
threading.Event().wait()
"""


def test_a_server_and_its_forks_end_with_a_parent_that_is_killed():
    """Whichever thread began the server, and though a child of the parent keeps the socket to it open."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(ROOT), *sys.path])}
    parent = subprocess.Popen([sys.executable, "-c", PARENT], env=environment, stdout=subprocess.PIPE, text=True)
    server, fork = map(int, parent.stdout.readline().split())
    child = int(parent.stdout.readline().split()[1])
    parent.kill()
    parent.wait()
    try:
        wait_for_end(server)
        wait_for_end(fork)
    finally:
        os.kill(child, signal.SIGKILL)
        parent.stdout.close()
