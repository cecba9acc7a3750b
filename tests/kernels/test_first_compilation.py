"""What happens once: the line in the log at the first compilation, the dispatcher of a kernel, and its place on a disk.

``tests/cli/test_cli_process.py`` sees the line on a terminal.
"""

import errno
import importlib.util
import os
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from numba import njit
from numba.core.caching import IndexDataCacheFile
from places import ROOT

from pldcheck.kernels import _jit

# Two kernels, of which one calls the other.
KERNELS = """
from pldcheck.kernels._jit import kernel

@kernel
def inner(x):
    return x + 1.0

@kernel
def outer(x):
    return inner(x) * 2.0
"""


def kernels(folder):
    """Return a fresh module with the kernels, whose cache is a folder beside it."""
    path = folder / "two_kernels.py"
    path.write_text(KERNELS)
    spec = importlib.util.spec_from_file_location("two_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EDQUOT])
def test_a_kernel_that_cannot_be_stored_answers_all_the_same(tmp_path, monkeypatch, caplog, number):
    def fail(*arguments):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", fail)
    with caplog.at_level("INFO", "pldcheck"):
        assert kernels(tmp_path).outer(1.0) == 4.0
    assert [line for line in caplog.messages if os.strerror(number) in line]


@pytest.mark.parametrize("end", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05cut"])
def test_a_stored_kernel_that_cannot_be_read_is_compiled_anew(tmp_path, end, content):
    assert kernels(tmp_path).outer(1.0) == 4.0
    stored = list((tmp_path / "__pycache__").glob(f"*.{end}"))
    assert len(stored) == 2
    for path in stored:
        path.write_bytes(content)
    assert kernels(tmp_path).outer(1.0) == 4.0


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_limit_of_the_size_of_files_ends_no_answer(tmp_path):
    (tmp_path / "two_kernels.py").write_text(KERNELS)
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); from two_kernels import outer; "
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    words = [sys.executable, "-B", "-c", f"{code} print(outer(1.0))"]
    result = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "4.0\n", "")


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX folders")
def test_code_in_an_archive_without_a_home_ends_no_answer(tmp_path):
    with zipfile.ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("two_kernels.py", KERNELS)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": os.pathsep.join([str(tmp_path / "code.zip"), str(ROOT)])}
    environment |= {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache"}
    words = [sys.executable, "-c", "from two_kernels import outer; print(outer(1.0))"]
    result = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "4.0\n", "")
