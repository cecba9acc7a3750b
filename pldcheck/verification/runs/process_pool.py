"""Processes of this machine that are replaced when they end or take too long.

pebble loads asyncio, which a run in this process does without: so this file is reached through the package's table.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures import BrokenExecutor, TimeoutError
from functools import partial

from pebble import ProcessExpired, ProcessPool

from ..run_cells import Answer
from . import cell_worker
from .cell_worker import Work
from .tasks_under_way import AHEAD, Answers, answers_as_they_come

# A run ends with the error of a pool that breaks down if there was no answer between so many breakdowns.  A pool may
# break down when a process is killed before the pool has heard which task it began.
POOLS = 5
# The beginning of the reason of a task whose process ended.
PROCESS_END = "its process ended"
# The signal that ends a process which took too long.
ALARM = getattr(signal, "SIGALRM", 0)


def solve_in_processes(tasks: dict[int, Work], count: int, memory: float | None, cell_timeout: float | None) -> Answers:
    """Yield the answers to all tasks, solved on ``count`` processes with the limits of ``Cores``."""

    def error_answer(error: BaseException) -> Answer:
        if isinstance(error, BrokenExecutor):
            raise error  # it says nothing of the task
        late = isinstance(error, TimeoutError) or getattr(error, "exitcode", None) == -ALARM
        if late and cell_timeout is not None:
            return cell_worker.timeout_answer(cell_timeout)
        if isinstance(error, ProcessExpired):
            return Answer(None, 0.0, f"{PROCESS_END} ({_ending(error.exitcode)})")
        return Answer(None, 0.0, f"{type(error).__name__}: {error}")

    # The limit of pebble follows the wall clock, so it is used only on systems without a timer.
    limit = None if cell_worker.HAS_TIMER else cell_timeout
    breakdowns = 0
    while True:
        # Processes beyond the number of tasks would have nothing to do.
        pool = ProcessPool(
            max_workers=min(count, max(len(tasks), 1)),
            initializer=cell_worker.begin,
            initargs=[memory, os.getpid()],
            context=multiprocessing.get_context("spawn"),
        )
        numbers = list(tasks)
        try:
            submit = partial(pool.schedule, cell_worker.answer_or_end, timeout=limit)
            todo, most = list(tasks.values()), AHEAD * count
            for place, answer in answers_as_they_come(
                lambda task: submit(args=[task, cell_timeout]),  # noqa: B023
                todo,
                most,
                error_answer,
                "processes of this machine",
            ):
                del tasks[numbers[place]]
                breakdowns = 0
                yield numbers[place], answer
            pool.close()
            return
        except RuntimeError:  # the pool itself broke down, as it may when a process is killed: a new pool goes on
            pool.stop()
            breakdowns += 1
            if breakdowns == POOLS:
                raise
        except BaseException:
            pool.stop()
            raise
        finally:
            pool.join()


def _ending(exitcode: int | None) -> str:
    return f"signal {-exitcode}" if exitcode is not None and exitcode < 0 else f"exit status {exitcode}"
