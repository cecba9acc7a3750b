"""A dask scheduler and its workers as processes of their own, which tests may kill."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# The folder of modules that tests share, and that are imported by their names alone or from the package.
TESTS = Path(__file__).parent
# Seconds that a scheduler and its workers may take to begin on a busy machine.
BEGINNING = 120.0
# Seconds that a client waits for a scheduler that is gone.
GONE = 5.0


@contextmanager
def scheduler_and_workers(count: int, *paths: str) -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    """Begin a scheduler and workers, which no nanny begins again; yield its process and a client.

    ``workers`` is an attribute of the process.  Workers find modules in ``paths`` as well.
    """
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    names = os.pathsep.join([str(TESTS.parent), str(TESTS), *paths])
    environment = {**os.environ, "PYTHONPATH": names, "OMP_NUM_THREADS": "1", "PLDCHECK_THREADS": "1"}
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--host", f"tcp://{address}"]
    scheduler: Any = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    words = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://{address}", "--nthreads", "1"]
    words += ["--no-nanny", "--no-dashboard", "--death-timeout", f"{BEGINNING}"]
    scheduler.workers = [subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) for _ in range(count)]
    try:
        with Client(f"tcp://{address}", timeout=BEGINNING, set_as_default=False) as client:
            client.wait_for_workers(count, BEGINNING)
            client._timeout = GONE
            yield scheduler, client
    finally:
        for process in (*scheduler.workers, scheduler):
            process.send_signal(signal.SIGKILL)
            process.wait()
