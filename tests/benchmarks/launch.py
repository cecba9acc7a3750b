"""Runs one command and tells its seconds and its peak memory: a small process of its own.

Linux counts what a process held before it became another program: started from a large one, nothing looks small.
"""

import json
import os
import subprocess
import sys
import tempfile
import time


def main() -> None:
    """Read one request and write one answer."""
    request = json.loads(sys.stdin.readline())
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            request["words"], stdin=subprocess.DEVNULL, stdout=out, stderr=errors, cwd=request["folder"]
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        answer = {
            "seconds": seconds,
            "status": process.returncode,
            "megabytes": usage.ru_maxrss / (1024.0 if sys.platform != "darwin" else 2.0**20),
            "out": out.read()[-65536:].decode(errors="replace"),
            "errors": errors.read()[-4096:].decode(errors="replace"),
        }
    print(json.dumps(answer), flush=True)


main()
