"""The one decorator of all kernels, which holds their compiler flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

# fastmath stays off: it lets LLVM delete compensation terms and reorder sums whose error was bounded.
# nogil: kernels of independent cells run on both cores under plain threads.
_FLAGS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "nogil": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call and cache on disk; without a writable cache folder, compile in every process."""
    try:
        return njit(cache=True, **_FLAGS)(function)
    except RuntimeError:  # numba's "no locator available": read-only package and read-only home
        return njit(**_FLAGS)(function)
