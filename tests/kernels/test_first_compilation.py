"""The line in the log when the first kernel is compiled; ``tests/cli/test_cli_process.py`` sees it on a terminal."""

from numba import njit
from numba.core.event import register

from pldcheck.kernels import _jit


def test_the_first_compilation_is_said_once(caplog):
    # The package listens as well, in a process in which nothing was compiled before.
    njit(lambda x: x + 1.0)(1.0)
    register("numba:compile", _jit._FirstCompilation())
    with caplog.at_level("INFO", "pldcheck"):
        assert [njit(lambda x: x + 2.0)(1.0), njit(lambda x: x + 3.0)(1.0)] == [3.0, 4.0]
    assert caplog.messages == ["compiling kernels, once: later starts take them from the disk"]
