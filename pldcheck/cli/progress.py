"""The progress of a run on stderr: a bar on a terminal, elsewhere an occasional line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from ..verification import Row
from .opening_line import opening_line
from .run_tally import Tally, time_left, verdict_text

# Seconds between lines.
SECONDS = 10.0
# Seconds after which a bar or a line is shown at all.
PATIENCE = 2.0
Step = Callable[[Row, int], None]


@contextmanager
def progress(quiet: bool, work: str, tally: Tally | None = None) -> Iterator[Step | None]:
    """Yield a function to call with each finished row and the number of all rows; ``work`` says what the run does.

    The function adds the row to the ``tally``, which it prints now and then.
    """
    tally = tally or Tally()
    if quiet:
        yield tally.add
    elif sys.stderr.isatty():
        with _bar(tally) as step:
            yield step
    else:
        with opening_line(f"{work}; no cell is finished yet: a first run compiles kernels, once") as begin:
            yield _lines(tally, begin)


def _lines(tally: Tally, begin: Callable[[], None]) -> Step:
    """Return a function that prints a line now and then; it calls ``begin`` with every row."""
    start = last = 0.0

    def step(row: Row, total: int) -> None:
        nonlocal start, last
        begin()
        tally.add(row, total)
        now = perf_counter()
        if not start:  # what was before it was not work on cells
            start = last = now
        if now - last >= SECONDS:
            last = now
            print(tally.line(now - start), file=sys.stderr)

    return step


@contextmanager
def _bar(tally: Tally) -> Iterator[Step]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, rate="", left="")
        start = last = perf_counter()

        def step(row: Row, total: int) -> None:
            nonlocal last
            tally.add(row, total)
            now = perf_counter()
            if now - last > 0.1 or tally.count == total:  # a million cells must not wait for the screen
                last, seconds = now, now - start
                left = ", ".join(word for word in (tally.left(seconds), tally.workers()) if word)
                text = "\n".join([verdict_text(tally.counts), *filter(None, [escape(tally.slowest_text())])])
                rate = f"{tally.rate(seconds)} cells/s"
                bar.update(task, total=total, completed=tally.count, description=text, rate=rate, left=left)

        yield step


@contextmanager
def item_progress(what: str = "cells") -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with the numbers of finished and of all items; short work is not reported."""
    start = last = perf_counter()
    if not sys.stderr.isatty():

        def line(count: int, total: int) -> None:
            nonlocal start, last
            now = perf_counter()
            if count <= 1:  # what was before it was compiling, or another stage
                start = now
            elif now - last > SECONDS and count < total:
                last, left = now, time_left(count - 1, total - 1, now - start)
                print(", ".join([f"{count} of {total} {what}", *([left] if left else [])]), file=sys.stderr)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    bar = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None)

    def show(count: int, total: int) -> None:
        bar.update(task, total=total, completed=count)
        if perf_counter() - start > PATIENCE:
            bar.start()

    try:
        yield show
    finally:
        bar.stop()


@contextmanager
def stage_progress() -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of the work, which is printed once the work takes long."""
    start = last = perf_counter()
    if not sys.stderr.isatty():

        def line(what: str) -> None:
            nonlocal last
            now = perf_counter()
            if now - last > SECONDS:
                last = now
                print(f"{what}, {now - start:.0f} s so far", file=sys.stderr)

        yield line
        return
    from rich.console import Console
    from rich.status import Status

    status = Status("", console=Console(stderr=True))

    def show(what: str) -> None:
        status.update(what)
        if perf_counter() - start > PATIENCE:
            status.start()

    try:
        yield show
    finally:
        status.stop()
