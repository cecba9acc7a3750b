"""Interrupts that a library drops."""

import signal
import threading

import pytest

from pldcheck.cli import interrupts
from pldcheck.cli.progress import progress


@pytest.fixture
def handler(monkeypatch):
    """Restore the handler of interrupts, and forget those of the test."""
    monkeypatch.setattr(interrupts, "_arrival", threading.Event())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Finalized:
    """Its finalizer is interrupted, which Python prints and forgets."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("quiet", [True, False])
def test_a_lost_interrupt_is_raised_with_the_next_cell(quiet, handler):
    interrupts.remember_interrupts()
    with progress(quiet, "two cells") as step:
        interrupts.raise_again()
        Finalized()
        with pytest.raises(KeyboardInterrupt):
            step(None, 2)


def test_an_interrupt_is_raised_as_ever(handler):
    interrupts.remember_interrupts()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_handler_of_another_program_stays(handler):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupts.remember_interrupts()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
