"""Tasks under way: a limited number is submitted to workers at a time, and answers come as they are finished."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError
from queue import SimpleQueue
from typing import Any

from ...core.errors import PldcheckError
from ..run_cells import Answer
from . import cell_worker
from .cell_worker import Work

# The number of tasks per worker that are submitted and not finished: enough that no worker waits, few enough that the
# queue of a large job stays small.
AHEAD = 32

# Answers with the numbers of their tasks.
Answers = Generator[tuple[int, Answer], None, None]


class StrangerError(PldcheckError):
    """The error of an answer that came from another program, or from other libraries, than this one."""


def answers_as_they_come(
    submit: Callable[[Work], Any],
    tasks: Sequence[Work],
    most: int,
    error_answer: Callable[[BaseException], Answer],
    where: str,
) -> Answers:
    """Yield the answers to all tasks, of which at most ``most`` are submitted at a time.

    ``error_answer`` turns an error of a task into its answer.  Raise StrangerError for an answer of another program.
    """
    futures: SimpleQueue[tuple[int, Any]] = SimpleQueue()
    waiting, running = iter(enumerate(tasks)), 0

    def more() -> bool:
        following = next(waiting, None)
        if following is None:
            return False
        number, task = following
        submit(task).add_done_callback(lambda future: futures.put((number, future)))
        return True

    while running < most and more():
        running += 1
    while running:
        number, future = futures.get()
        running += more() - 1
        try:
            program, answer = future.result()
        except (Exception, CancelledError) as error:
            program, answer = cell_worker.program(), error_answer(error)
        if program != cell_worker.program():
            raise StrangerError(f"{where} ran another program than this one, or other libraries: its answer is refused")
        yield number, answer
