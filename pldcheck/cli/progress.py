"""The progress of a run on stderr: a bar on a terminal, elsewhere an occasional line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from ..verification import Row, Verdict

# Seconds between lines.
SECONDS = 10.0
# Seconds after which a bar or a line is shown at all.
PATIENCE = 2.0

Step = Callable[[Row, int], None]


@contextmanager
def progress(quiet: bool) -> Iterator[Step | None]:
    """Yield a function to call with each finished row and the number of all rows."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as step:
            yield step
    else:
        yield _lines()


def verdict_text(counts: dict[Verdict, int]) -> str:
    """Return how often each verdict was given."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def _lines() -> Step:
    counts = dict.fromkeys(Verdict, 0)
    start = last = 0.0

    def step(row: Row, total: int) -> None:
        nonlocal start, last
        counts[row.verdict] += 1
        now = perf_counter()
        if not start:  # what was before it was not work on cells
            start = last = now
        if now - last < SECONDS:
            return
        last, count = now, sum(counts.values())
        seconds_left = (now - start) * (total - count) / count
        rate = count / max(now - start, 1e-9)
        print(
            f"{count} of {total} cells, {rate:.3g} a second, {seconds_left:.0f} s left: {verdict_text(counts)}",
            file=sys.stderr,
        )

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
        TimeRemainingColumn,
    )

    counts = dict.fromkeys(Verdict, 0)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, rate="")
        start = last = perf_counter()

        def step(row: Row, total: int) -> None:
            nonlocal last
            counts[row.verdict] += 1
            now, count = perf_counter(), sum(counts.values())
            if now - last > 0.1 or count == total:  # a million cells must not wait for the screen
                last = now
                rate = f"{count / (now - start):.3g} cells/s"
                bar.update(task, total=total, completed=count, description=verdict_text(counts), rate=rate)

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
                last, seconds_left = now, (now - start) * (total - count) / (count - 1)
                print(f"{count} of {total} {what}, {seconds_left:.0f} s left", file=sys.stderr)

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
