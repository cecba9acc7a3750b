"""How many threads one answer may take."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

# Set to 1 where there is a process a core.
VARIABLE, USUAL = "PLDCHECK_THREADS", 2


def pool() -> ThreadPoolExecutor:
    """Threads are enough: the kernels release the interpreter lock."""
    given = os.environ.get(VARIABLE, "")
    return ThreadPoolExecutor(max(int(given), 1) if given.isdecimal() else USUAL)
