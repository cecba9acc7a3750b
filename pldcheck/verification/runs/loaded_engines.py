"""The engines and kernels that nearly every run needs, loaded before workers are forked."""

from __future__ import annotations

from ...protocols import HiddenSlot
from . import cell_worker, local_processes  # noqa: F401 - the second one is what workers run

# The smallest question that loads the engine of hidden slots, the compiler's library and the first kernels.
QUESTION = HiddenSlot(steps=2, eps0=1.0)
# The delta at which it is asked: any is answered by the same kernels.
DELTA = 1e-3
# The relative width that is asked for, so wide that the first answer will do.
WIDTH = 0.1


def load() -> None:
    """Load the program of a worker, the digest of its code, and the engine of hidden slots with its kernels."""
    cell_worker.program()
    QUESTION.epsilon(DELTA, WIDTH)
