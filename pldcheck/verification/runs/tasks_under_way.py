"""Tasks given out to workers as futures, a limited number at a time, and taken back as they come."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError
from queue import SimpleQueue
from typing import Any

from ...core.errors import PldcheckError
from ..run_cells import Answer, Task
from . import cell_worker

# Tasks given out but not finished, over the workers.
AHEAD = 32

# Answers as they come, each with the number of its task.
Answers = Generator[tuple[int, Answer], None, None]


class StrangerError(PldcheckError):
    """An answer came from another program than the one that asked."""


def answers_as_they_come(
    submit: Callable[[Task], Any],
    tasks: Sequence[Task],
    most: int,
    failed: Callable[[BaseException], Answer],
    where: str,
) -> Answers:
    """Yield answers with the numbers of their tasks, while at most so many futures are under way.

    Raises StrangerError for an answer of another program.
    """
    done: SimpleQueue[tuple[int, Any]] = SimpleQueue()
    waiting, running = iter(enumerate(tasks)), 0

    def more() -> bool:
        following = next(waiting, None)
        if following is None:
            return False
        number, task = following
        submit(task).add_done_callback(lambda future: done.put((number, future)))
        return True

    while running < most and more():
        running += 1
    while running:
        number, future = done.get()
        running += more() - 1
        try:
            program, answer = future.result()
        except (Exception, CancelledError) as error:
            program, answer = cell_worker.program(), failed(error)
        if program != cell_worker.program():
            raise StrangerError(f"{where} ran another program than this one, or other libraries: its answer is refused")
        yield number, answer
