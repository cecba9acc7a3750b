"""How many threads one answer may take."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

# The variable of the environment that sets the number of threads; set to 1 where there is a process a core.
VARIABLE = "PLDCHECK_THREADS"
# Threads where the variable is not set.
USUAL = 2


def pool() -> ThreadPoolExecutor:
    """Threads are enough: the kernels release the interpreter lock."""
    given = os.environ.get(VARIABLE, "")
    return ThreadPoolExecutor(max(int(given), 1) if given.isdecimal() else USUAL)
