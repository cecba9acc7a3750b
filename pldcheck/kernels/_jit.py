"""The one decorator of all kernels, which holds their compiler flags, and a line in the log when compiling starts."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.event import Event, Listener, register, unregister

LOG = logging.getLogger(__name__)

# fastmath stays off: it lets LLVM delete compensation terms and reorder sums whose error was bounded.
# nogil: kernels of independent cells run on both cores under plain threads.
# No kernel is handed to C as a callback: the wrapper for that is not compiled.
_FLAGS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "nogil": True, "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call and cache on disk; without a writable cache folder, compile in every process."""
    try:
        return njit(cache=True, **_FLAGS)(function)
    except RuntimeError:  # numba's "no locator available": read-only package and read-only home
        return njit(**_FLAGS)(function)


class _FirstCompilation(Listener):
    """Writes a line to the log when the first kernel of a process is compiled; those of the disk cache are not."""

    def on_start(self, event: Event) -> None:
        """Write the line, and hear of no further compilation."""
        LOG.info("compiling kernels, once: later starts take them from the disk")
        unregister("numba:compile", self)

    def on_end(self, event: Event) -> None:
        """Return at once: the end of a compilation is not reported."""


register("numba:compile", _FirstCompilation())
