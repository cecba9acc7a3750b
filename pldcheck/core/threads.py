"""The number of threads that one answer may use."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

# The environment variable that sets the number of threads.  It is 1 in runs that start one process a core.
VARIABLE = "PLDCHECK_THREADS"
# The number of threads where the variable is not set: the reference machine has two cores.
DEFAULT = 2


def pool() -> ThreadPoolExecutor:
    """Return a pool of as many threads as one answer may use; threads suffice, as kernels release the global lock."""
    text = os.environ.get(VARIABLE, "")
    return ThreadPoolExecutor(max(int(text), 1) if text.isdecimal() else DEFAULT)
