"""Forks of a nursery do their work, end alone or with the nursery, and have what it has loaded."""

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pldcheck.core.nursery import AVAILABLE, Nursery

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="a nursery needs Linux")


def load():
    """Load something that nothing else does."""
    sys.modules["loaded by the nursery"] = sys


def tell(descriptors, word):
    """Write a line about this process, and wait until the pipe is closed."""
    threads = len(os.listdir(f"/proc/{os.getppid()}/task"))
    loaded = "loaded by the nursery" in sys.modules
    os.write(descriptors[0], f"{word} {os.getpid()} {threads} {loaded}\n".encode())
    time.sleep(600.0)


def leave(descriptors, status):
    """End this process."""
    os._exit(status)


def fail(descriptors):
    """Raise an error."""
    raise ArithmeticError


@pytest.fixture(scope="module")
def one():
    nursery = Nursery(f"{__name__}:load")
    yield nursery
    nursery.close()


def begin(nursery, word):
    reads, writes = os.pipe()
    number = nursery.fork(tell, [writes], word)
    os.close(writes)
    with os.fdopen(reads) as lines:
        said, pid, threads, loaded = lines.readline().split()
    assert said == word and loaded == "True"
    assert threads == "1", "a process with threads must not be forked"
    return number, int(pid)


def has_ended(pid):
    for _ in range(600):
        with suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.1)
                continue
        return True
    return False


def test_forks_have_what_was_loaded_and_end_when_they_are_told(one, capfd):
    first, pid = begin(one, "first")
    assert one.end(first) == -signal.SIGKILL and has_ended(pid)
    assert one.end(first) is None  # it is waited for once
    # An error ends its own worker, with a status that says so.
    ends = [one.fork(leave, [], 3), one.fork(fail, []), one.fork(os.strerror, [])]
    time.sleep(0.5)
    codes = [one.end(number) for number in ends]
    assert codes[0] in (3, -signal.SIGKILL) and all(code in (1, -signal.SIGKILL) for code in codes[1:])
    assert one.lives


@pytest.mark.nightly
def test_forks_end_with_a_nursery_that_is_killed():
    nursery = Nursery(f"{__name__}:load")
    _, pid = begin(nursery, "alone")
    nursery.process.kill()
    assert has_ended(pid)
    nursery.process.join()
    assert not nursery.lives and nursery.end(0) is None
    with pytest.raises(OSError):
        nursery.fork(tell, [], "too late")
    nursery.close()


@pytest.mark.nightly
def test_an_error_while_it_loads_ends_no_nursery():
    nursery = Nursery(f"{__name__}:no such function")
    assert nursery.end(nursery.fork(leave, [], 0)) in (0, -signal.SIGKILL)
    nursery.close()


@pytest.mark.nightly
def test_a_nursery_that_does_not_listen_lives_no_more():
    # As when it is killed and the system has not removed it yet.
    nursery = Nursery(f"{__name__}:load")
    begin(nursery, "first")
    nursery._control.shutdown(socket.SHUT_WR)
    with pytest.raises(OSError):
        nursery.fork(leave, [], 0)
    assert not nursery.lives
    nursery.close()
