"""The engines and kernels that nearly every run needs, loaded before workers are forked."""

from __future__ import annotations

from ...protocols import HiddenSlot
from . import cell_worker, process_pool  # noqa: F401 - the second one is what workers run

# The smallest question that loads the engine of hidden slots, the compiler's library and the first kernels.
STEPS, BUDGET, DELTA, WIDTH = 2, 1.0, 1e-3, 0.1


def load() -> None:
    """Load the program of a worker, the digest of its code, and the engine of hidden slots with its kernels."""
    cell_worker.program()
    HiddenSlot(steps=STEPS, eps0=BUDGET, weight=1.0).epsilon(DELTA, WIDTH)
