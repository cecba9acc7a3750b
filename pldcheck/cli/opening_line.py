"""One line on stderr that says what goes on, where the first result takes long to come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

# Seconds of silence after which the line is written.
SILENCE = 5.0


@contextmanager
def opening_line(text: str) -> Iterator[Callable[[], None]]:
    """Print a text unless the block ends soon, or the function that is yielded is called soon."""
    timer = Timer(SILENCE, print, (text,), {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield timer.cancel
    finally:
        timer.cancel()
