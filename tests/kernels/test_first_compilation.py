"""What happens once: the line in the log at the first compilation, and the dispatcher of a kernel.

``tests/cli/test_cli_process.py`` sees the line on a terminal.
"""

import time
from concurrent.futures import ThreadPoolExecutor

from numba import njit

from pldcheck.kernels import _jit


def test_the_first_compilation_is_said_once(caplog):
    # The package listens as well, in a process in which nothing was compiled before.
    njit(lambda x: x + 1.0)(1.0)
    _jit._report_first_compilation()
    with caplog.at_level("INFO", "pldcheck"):
        assert [njit(lambda x: x + 2.0)(1.0), njit(lambda x: x + 3.0)(1.0)] == [3.0, 4.0]
    assert caplog.messages == ["compiling kernels, once: later starts take them from the disk"]


def test_threads_share_the_dispatcher_of_a_kernel(monkeypatch):
    creations = []

    def slow_dispatcher(function):
        creations.append(function)
        time.sleep(0.05)
        return lambda x: x + 4.0

    monkeypatch.setattr(_jit, "_dispatcher_of", slow_dispatcher)
    kernel = _jit.kernel(lambda x: x + 5.0)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(kernel, [0.0] * 4)) == [4.0] * 4
    assert creations == [kernel.py_func]
