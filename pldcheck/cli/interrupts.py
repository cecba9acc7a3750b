"""An interrupt that Python drops, since it arrives in a library's callback, is raised again at the next finished item.

Python prints an exception in a finalizer, or in a callback that C code makes, and goes on: of some hundred interrupts
of a run that compiles kernels one was lost in this way.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType

_arrival = threading.Event()


def remember_interrupts() -> None:
    """Make the process remember that it was interrupted; the interrupt is raised as ever."""

    def handle(number: int, frame: FrameType | None) -> None:
        _arrival.set()
        signal.default_int_handler(number, frame)

    # Where a shell starts it in the background, or another program has a handler of its own, nothing changes.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, handle)


def raise_again() -> None:
    """Raise KeyboardInterrupt if there was an interrupt, after which the process goes on nevertheless."""
    if _arrival.is_set():
        raise KeyboardInterrupt
