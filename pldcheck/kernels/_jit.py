"""The one decorator of all kernels, which holds their compiler flags, and a line in the log when compiling starts.

numba is imported when a kernel is first compiled or loaded from the disk: that takes a quarter of a second, and answers
whose kernels all run in plain Python (:mod:`pldcheck.kernels.interpreted_first`) do without it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from threading import RLock
from typing import Any

LOG = logging.getLogger(__name__)

# fastmath stays off: it lets LLVM delete compensation terms and reorder sums whose error was bounded.
# nogil: kernels of independent cells run on both cores under plain threads.
# No kernel is handed to C as a callback: the wrapper for that is not compiled.
_FLAGS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "nogil": True, "no_cfunc_wrapper": True}
# Two threads must not have two dispatchers of one kernel: each would compile it.
_LOCK = RLock()


class Kernel:
    """A function that is compiled on its first call, and by kernels that call it.

    ``py_func`` is the function itself, in plain Python.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function

    def __call__(self, *arguments: Any) -> Any:
        """Return the value of the compiled function."""
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's object for the function, which has a compiled version for each kind of arguments."""
        with _LOCK:
            if "dispatcher" not in self.__dict__:
                self.__dict__["dispatcher"] = _dispatcher_of(self.py_func)
            return self.__dict__["dispatcher"]


def kernel(function: Callable[..., Any]) -> Kernel:
    """Return the function as a kernel, which is compiled on first call and cached on disk."""
    return Kernel(function)


class _Store:
    """Numba's cache of a kernel, whose errors end no answer: what cannot be stored or read is compiled anew.

    A disk is full, a file too large, a folder read-only, or a file was cut: then pickle raises errors of any kind.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *arguments: Any) -> Any:
        """Return the compiled version for some kind of arguments, or None where there is none that can be read."""
        try:
            return self._cache.load_overload(*arguments)
        except Exception as error:
            _report_unstored(f"{type(error).__name__}: {error}")
            return None

    def save_overload(self, *arguments: Any) -> None:
        """Store a compiled version if that is possible."""
        try:
            self._cache.save_overload(*arguments)
        except Exception as error:
            _report_unstored(f"{type(error).__name__}: {error}")


@cache
def _report_unstored(reason: str) -> None:
    """Write a line to the log, once for each reason."""
    LOG.info("a compiled kernel cannot be stored or read, and is compiled in every process: %s", reason)


def _dispatcher_of(function: Callable[..., Any]) -> Any:
    """Return numba's object; where the cache cannot be written, it compiles in every process."""
    _introduce_kernels()
    from numba import njit

    try:
        dispatcher = njit(cache=True, **_FLAGS)(function)
    except (RuntimeError, OSError):  # numba's "no locator available": read-only package and read-only home
        return njit(**_FLAGS)(function)
    if hasattr(dispatcher, "_cache"):  # with NUMBA_DISABLE_JIT it is the function itself
        dispatcher._cache = _Store(dispatcher._cache)
    return dispatcher


@cache
def _introduce_kernels() -> None:
    """Register with numba, once, the type of a kernel that another one calls, and the report of a compilation."""
    from numba.core.types import Dispatcher
    from numba.extending import typeof_impl

    typeof_impl.register(Kernel)(lambda value, context: Dispatcher(value.dispatcher))
    _report_first_compilation()


def _report_first_compilation() -> None:
    """Write a line to the log when numba next compiles a function; one from the disk is not compiled."""
    from numba.core.event import Event, Listener, register, unregister

    class FirstCompilation(Listener):
        """Writes a line to the log and hears of no further compilation."""

        def on_start(self, event: Event) -> None:
            """Write the line."""
            LOG.info("compiling kernels, once: later starts take them from the disk")
            unregister("numba:compile", self)

        def on_end(self, event: Event) -> None:
            """Return at once: the end of a compilation is not reported."""

    register("numba:compile", FirstCompilation())
