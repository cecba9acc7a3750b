"""What spares processes of the tests work: one of them compiles a kernel for all, and garbage is sought less often."""

from __future__ import annotations

import gc
from pathlib import Path

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

try:
    import fcntl
except ImportError:  # Windows: each process compiles what it needs
    fcntl = None

# New objects between two searches for cycles of garbage; with Python's 700 collection takes half as long again.
NEW_OBJECTS = 100_000


def search_less_for_garbage() -> None:
    """Let garbage be searched for when many objects are new, as the command line does."""
    gc.set_threshold(NEW_OBJECTS)


def compile_kernels_once() -> None:
    """Let one process compile a kernel while others that need it wait, and then take it from the disk.

    The lock of a kernel is a file beside what is cached of it.  A kernel calls others but never, through them, itself:
    no two processes wait for each other.  The compiler's own lock comes first, so that no two threads do.
    """
    if fcntl is None:
        return
    compile_one, compiling = Dispatcher.compile, set()

    def compile_alone(dispatcher, signature):
        folder, name = dispatcher.stats.cache_path, f"{dispatcher.__module__}.{dispatcher.__qualname__}"
        if folder is None or name in compiling:
            return compile_one(dispatcher, signature)
        with global_compiler_lock, Path(folder, f"{name}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            compiling.add(name)
            try:
                return compile_one(dispatcher, signature)
            finally:
                compiling.remove(name)

    Dispatcher.compile = compile_alone
