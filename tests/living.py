"""Which processes live, as Linux tells it."""

from pathlib import Path
from time import monotonic, sleep

# Seconds that something may take on a machine that is busy.
LONG = 600.0


def lives(pid):
    """Return whether a process has not ended; one that nobody has waited for yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(is_so, seconds=LONG):
    """Wait until something is so; raise AssertionError if it is not within this time."""
    start = monotonic()
    while not is_so():
        assert monotonic() - start < seconds, "what is waited for does not come"
        sleep(0.02)


def wait_for_end(pid, seconds=LONG):
    """Wait until a process has ended; raise AssertionError if it has not within this time."""
    wait_until(lambda: not lives(pid), seconds)
