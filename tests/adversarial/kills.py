"""Workers, parents and groups of processes that are killed or suspended at random while a job runs.

    python -m tests.adversarial.kills --kills 40 --seed 1
    python -m tests.adversarial.kills --kills 40 --where dask
    python -m tests.adversarial.kills --kills 10 --where scheduler

A run that loses its workers must have each row once, equal to that of a plain loop in one process, and no row may say
that there was no answer.  With ``--where commands``, whole commands are killed and begun again with ``--resume``; with
``--where scheduler``, the scheduler itself, and the run goes on with another one.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

from pldcheck.core.errors import ParameterError
from pldcheck.verification import Row, verify
from pldcheck.verification.runs import run_store
from pldcheck.verification.runs.client_executors import DaskClient, WorkersLostError
from pldcheck.verification.runs.executors import Cores, InProcess
from pldcheck.verification.runs.row_encoding import decode
from pldcheck.verification.runs.rows_of_cells import rows_of
from pldcheck.verification.runs.run_database import to_read
from pldcheck.verification.suites import Job, parse

from ..scheduler_processes import scheduler_and_workers

# Theorems whose cells take milliseconds, and bounds that take microseconds.
JOB = """
name = "many"
summary = "many short cells"
[[grid]]
theorems = ["thm-3.2", "thm-3.2-improved"]
steps = { from = 10, to = 2000, points = POINTS }
eps0 = [0.5, 1.0, 2.0]
check_in_prob = 1
delta = [1e-5, 1e-6]
[[grid]]
theorems = ["thm-A.4"]
steps = { from = 10, to = 2000, points = POINTS }
eps0 = [0.1, 0.2]
weight = 1
delta = [1e-5, 1e-6]
judge = false
"""
# Seconds between two kills, drawn from this range: shorter than it takes to begin a process, and longer.
BETWEEN = (0.1, 4.0)
# After so many, all processes have the time to begin, on a loaded machine too: a run ends with an error where eight of
# them end, one after the other, before they have begun.
IN_A_ROW, PAUSE = 4, 20.0
# The share of processes that are suspended for a while, in place of being killed.
SUSPENDED = 0.3
# The largest number of seconds for which they are.
LONGEST = 6.0
# The limit of a cell in seconds: more than a cell takes, and less than all processes are suspended for together.
LIMIT = 20.0
# Seconds without a kill after which something hangs.
HANG = 600.0
# Seconds in which all processes of a command end that is killed.
ENDING = 2.0


def job(points: int) -> Job:
    """Return a job with that number of points on its longest axis."""
    return parse(JOB.replace("POINTS", str(points)), "many")


def children(parent: int) -> list[int]:
    """Return the processes that a process has begun, from the system's table."""
    own = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and fields[0] != "Z":
                own.append(int(entry.name))
    return own


def workers(parent: int) -> list[int]:
    """Return the processes of a pool: fork servers and their forks, or those that multiprocessing began otherwise."""
    own = []
    for child in children(parent):
        with suppress(OSError):
            words = Path(f"/proc/{child}/cmdline").read_bytes()
            if b"fork_server" in words or b"spawn_main" in words:
                own += [child, *children(child)]
    return own


def hit(pid: int, draw: random.Random, wait: Callable[[float], object]) -> str:
    """Kill a process, or suspend it for a while; return what was done."""
    with suppress(OSError):
        if draw.random() < SUSPENDED:
            os.kill(pid, signal.SIGSTOP)
            wait(draw.uniform(0.1, LONGEST))
            os.kill(pid, signal.SIGCONT)
            return "suspended"
        os.kill(pid, signal.SIGKILL)
        return "killed"
    return ""


@contextmanager
def kills(pids: Callable[[], list[int]], count: int, seed: int) -> Iterator[list[str]]:
    """Kill or suspend so many processes, one after the other, while the block runs; yield what was done."""
    draw, end, done = random.Random(seed), Event(), []

    def work() -> None:
        while len(done) < count and not end.wait(draw.uniform(*BETWEEN)):
            if (own := pids()) and (word := hit(draw.choice(own), draw, end.wait)):
                done.append(word)
                end.wait(PAUSE if len(done) % IN_A_ROW == 0 else 0.0)

    thread = Thread(target=work)
    thread.start()
    try:
        yield done
    finally:
        end.set()
        thread.join()


def plain(row: Row) -> Row:
    """Return a row without what differs from run to run."""
    return replace(row, seconds=0.0, cell=None)


def rows_by_number(executor: Any, cells: list[Any]) -> dict[int, Row]:
    """Return the rows of cells; raise AssertionError if one comes twice."""
    rows: dict[int, Row] = {}
    for finished in rows_of(iter(enumerate(cells)), executor):
        for number, row in finished:
            assert number not in rows, f"row {number} came twice"
            rows[number] = plain(row)
    return rows


def in_pool(count: int, seed: int, points: int) -> int:
    """Hit processes of pools until there were so many hits, and return the number of runs."""
    return _runs(count, seed, points, lambda: Cores(2, LIMIT), lambda: workers(os.getpid()))


def on_dask(count: int, seed: int, points: int) -> int:
    """Hit the workers of a dask scheduler, which its nannies begin again, and return the number of runs."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):

        def pids() -> list[int]:
            # A worker that is killed before it has begun is not begun again.
            return workers(os.getpid()) if len(client.nthreads()) == 2 else []

        def executor() -> DaskClient:
            cluster.scale(2)  # a nanny gives up where its worker is killed while it begins
            return DaskClient(client, LIMIT)

        return _runs(count, seed, points, executor, pids)


def _runs(count: int, seed: int, points: int, executor: Callable[[], Any], pids: Callable[[], list[int]]) -> int:
    cells = list(job(points).cells())
    expected = rows_by_number(InProcess(), cells)
    assert all(row.analytic is not None for row in expected.values())
    hits, runs = 0, 0
    while hits < count:
        with kills(pids, count - hits, seed + runs) as done:
            rows = rows_by_number(executor(), cells)
        differing = [number for number in expected if rows.get(number) != expected[number]]
        assert not differing, f"{len(differing)} rows differ, such as {rows.get(differing[0])}"
        assert rows.keys() == expected.keys()
        hits, runs = hits + len(done), runs + 1
        print(f"run {runs}: {len(rows)} rows, each once; hit: {done}", flush=True)
    return runs


def commands(count: int, seed: int, points: int) -> int:
    """Kill commands, their groups or their workers, begin them again with --resume, and return how often."""
    draw, runs, hits = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "many.toml").write_text(JOB.replace("POINTS", str(points)))
        words = [sys.executable, "-m", "pldcheck", "verify", f"{folder}/many.toml", "--out", folder, "--resume"]
        words += ["--quiet", "--workers", "2", "--cell-timeout", str(LIMIT)]
        while True:
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
            runs += 1
            start = time.monotonic()
            while process.poll() is None:
                time.sleep(draw.uniform(0.5, 10.0))
                if hits == count:
                    process.wait(HANG)
                    break
                hits += 1
                target = draw.choice(["parent", "group", "worker", "suspend all"])
                with suppress(OSError):
                    _hit_command(process.pid, target, draw)
                assert time.monotonic() - start < HANG, "the command does not end"
            assert process.wait() in (0, -signal.SIGKILL)
            _wait_for_end(process.pid)
            if process.returncode == 0:
                report = run_store.read(Path(folder, "many.sqlite"))
                assert [plain(row) for row in report.rows] == [plain(row) for row in verify(job(points)).rows]
                if hits == count:
                    return runs
                Path(folder, "many.sqlite").unlink()


def schedulers(count: int, seed: int, points: int) -> int:
    """Kill schedulers in the midst of runs, which others go on with, and return the number of runs."""
    draw, hits, runs = random.Random(seed), 0, 0
    expected = [plain(row) for row in verify(job(points)).rows]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "many.sqlite")
        while True:
            with scheduler_and_workers(2) as (scheduler, client):
                begun = Event()
                # It is killed so long after the first row, or before there is one.
                delay = draw.uniform(0.0, 3.0) if draw.random() < 0.8 else None
                if hits < count:
                    Thread(target=_kill_later, args=(scheduler, delay, begun), daemon=True).start()
                runs += 1
                try:
                    report = verify(
                        job(points),
                        client=client,
                        log=log,
                        resume=True,
                        progress=lambda row, total, begun=begun: begun.set(),
                    )
                except (WorkersLostError, ParameterError) as error:
                    assert "\n" not in str(error) and "scheduler" in str(error)
                    hits += 1
                    print(f"run {runs}: {error}; {_stored(log)} of {len(expected)} rows are stored", flush=True)
                    continue
            assert [plain(row) for row in report.rows] == expected
            print(f"run {runs}: {len(expected)} rows, {report.header['resumed']} of them of runs before", flush=True)
            if hits >= count:
                return runs
            log.unlink()


def _kill_later(scheduler: subprocess.Popen[bytes], delay: float | None, begun: Event) -> None:
    if delay is not None:
        begun.wait(HANG)
        time.sleep(delay)
    scheduler.kill()


def _stored(log: Path) -> int:
    """Return the number of rows that are stored; each must be whole and of another cell, and have an answer."""
    if not log.exists():
        return 0
    database = to_read(log)
    rows = [decode(*stored) for stored in database.select("SELECT * FROM rows")]
    database.close()
    assert len({row.cell for row in rows}) == len(rows)
    assert all(row.analytic is not None for row in rows)
    return len(rows)


def _hit_command(pid: int, target: str, draw: random.Random) -> None:
    own = workers(pid)
    if target == "parent":
        os.kill(pid, signal.SIGKILL)
    elif target == "group":
        os.killpg(pid, signal.SIGKILL)
    elif target == "worker" and own:
        os.kill(draw.choice(own), signal.SIGKILL)
    elif target == "suspend all":
        os.killpg(pid, signal.SIGSTOP)
        time.sleep(draw.uniform(0.5, LONGEST))
        os.killpg(pid, signal.SIGCONT)


def _wait_for_end(group: int) -> None:
    """Wait until no process of a group lives: workers end soon after their parent, however that ended."""
    start = time.monotonic()
    while time.monotonic() - start < ENDING:
        if not any(_group(int(path.name)) == group for path in Path("/proc").glob("[0-9]*")):
            return
        time.sleep(0.1)
    raise AssertionError(f"a process lives {ENDING:g} s after its parent")


def _group(pid: int) -> int | None:
    with suppress(OSError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else int(fields[2])
    return None


WHERE = {"pool": in_pool, "dask": on_dask, "commands": commands, "scheduler": schedulers}


def main() -> None:
    """Kill what the options say, and print how many runs there were."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=300)
    parser.add_argument("--where", choices=sorted(WHERE), default="pool")
    options = parser.parse_args()
    runs = WHERE[options.where](options.kills, options.seed, options.points)
    print(f"{options.kills} kills and suspensions in {runs} runs: nothing lost, nothing twice, no answer missing")


if __name__ == "__main__":
    main()
