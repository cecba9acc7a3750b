"""The progress of a run on stderr: a bar on a terminal, elsewhere an occasional line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from ..verification import Row, Verdict
from .opening_line import opening_line

# Seconds between lines.
SECONDS = 10.0
# Seconds after which a bar or a line is shown at all.
PATIENCE = 2.0
# The share of the items that must be finished before the time that is left is estimated, and the seconds that they
# must have taken: the first few items are no sample of all.
LEAST_SHARE = 0.1
LEAST_SECONDS = 5.0

Step = Callable[[Row, int], None]


@contextmanager
def progress(quiet: bool, work: str) -> Iterator[Step | None]:
    """Yield a function to call with each finished row and the number of all rows; ``work`` says what the run does."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as step:
            yield step
    else:
        with opening_line(f"{work}; no cell is finished yet: a first run compiles kernels, once") as begin:
            yield _lines(begin)


def time_left(count: int, total: int, seconds: float) -> str:
    """Return an estimate of the time that is left, in words; no text where too little is finished for one."""
    if count < LEAST_SHARE * total or seconds < LEAST_SECONDS:
        return ""
    return f"{seconds * (total - count) / count:.0f} s left"


def verdict_text(counts: dict[Verdict, int]) -> str:
    """Return how often each verdict was given."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def _lines(begin: Callable[[], None]) -> Step:
    """Return a function that prints a line now and then; it calls ``begin`` with every row."""
    counts = dict.fromkeys(Verdict, 0)
    start = last = 0.0

    def step(row: Row, total: int) -> None:
        nonlocal start, last
        begin()
        counts[row.verdict] += 1
        now = perf_counter()
        if not start:  # what was before it was not work on cells
            start = last = now
        if now - last < SECONDS:
            return
        last, count, seconds = now, sum(counts.values()), now - start
        parts = [f"{count} of {total} cells", f"{count / max(seconds, 1e-9):.3g} a second"]
        parts += [left] if (left := time_left(count, total, seconds)) else []
        print(f"{', '.join(parts)}: {verdict_text(counts)}", file=sys.stderr)

    return step


@contextmanager
def _bar() -> Iterator[Step]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    counts = dict.fromkeys(Verdict, 0)
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
            counts[row.verdict] += 1
            now, count = perf_counter(), sum(counts.values())
            if now - last > 0.1 or count == total:  # a million cells must not wait for the screen
                last, seconds = now, now - start
                rate, left = f"{count / max(seconds, 1e-9):.3g} cells/s", time_left(count, total, seconds)
                text = verdict_text(counts)
                bar.update(task, total=total, completed=count, description=text, rate=rate, left=left)

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
