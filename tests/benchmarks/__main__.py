"""Benchmarks: ``python -m tests.benchmarks [a b ...] [--quick] [--out DIR] [--python NAME=PATH] [--seconds N]``.

Progress goes to stderr; the table, or one JSON object, to stdout; rows, page and figure to the folder.  ``pldcheck
bench`` is the same with its options checked.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from pldcheck.core import stored_formats
from pldcheck.verification.runs import run_store
from pldcheck.verification.runs.provenance import provenance

from . import aims, page, picture, table, tasks_g
from .case import FAILURE, TASKS, Case, Row
from .peers import Peers
from .runner import Runner

OUT = "results/benchmarks"
# A peer may take so many seconds for an answer.
SECONDS = 20.0
# In a quick run a peer may take so many seconds for an answer.
QUICK_SECONDS = 10.0
ROWS = "benchmarks.jsonl"
PAGE = "benchmarks.md"
INTERRUPT_STATUS = 130


def main(words: list[str]) -> int:
    """Run, write, print."""
    options = _parse(words)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what it has started is to end with it
    seconds = options.seconds or (QUICK_SECONDS if options.quick else SECONDS)
    start, load, tasks = perf_counter(), os.getloadavg(), list(options.tasks or TASKS)
    rows: list[Row] = []
    with TemporaryDirectory(prefix="pldcheck-bench-") as scratch:
        peers = Peers({} if options.no_peers else dict(options.python), seconds, Path(scratch))
        runner = Runner(peers, Path(scratch), options.quick, lambda line: print(line, file=sys.stderr, flush=True))
        try:
            for letter in tasks:
                rows += _run_task(runner, letter, options)
        except KeyboardInterrupt:
            return INTERRUPT_STATUS
        finally:
            peers.close()
    fits, figures = tasks_g.fits(rows), aims.measure_aims(rows, tasks)
    header = {
        **provenance(options.command),
        "tasks": tasks,
        "quick": options.quick,
        "peer_seconds": seconds,
        "load": {"before": load[0], "after": os.getloadavg()[0]},
        "seconds": perf_counter() - start,
    }
    machine = f"{header['machine']['cpu']}, pldcheck {header['version']}"
    folder, paths = Path(options.out), []
    # Rows that took half an hour are not to be lost to a figure.
    texts_of_files = {ROWS: _lines(header, rows, fits, figures), PAGE: page.render(header, rows, fits, figures)}
    for files in (texts_of_files, picture.render(rows, figures, machine, seconds)):
        for name, content in files.items():
            run_store.write(folder / name, content)
            paths.append(str(folder / name))
    if options.json:
        facts = {"rows": [row.to_dict() for row in rows], "fits": fits, "aims": _plain(figures), "files": paths}
        print(json.dumps({**facts, "provenance": header}, allow_nan=False))
        return 0
    for line in [*table.lines(rows, fits, figures), "", f"{len(rows)} rows, {header['seconds']:.0f} s", *paths]:
        print(line)
    return 0


def _run_task(runner: Runner, letter: str, options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows of a task; what stops it stops no other."""
    cases: list[Case] = import_module(f".tasks_{letter}", __package__).cases(options.quick)
    if options.no_peers:
        cases = [replace(case, peers=()) for case in cases]
    try:
        yield from runner.rows(cases)
    except Exception as error:
        traceback.print_exc()
        yield Row(letter, "", f"all of {letter}", {}, FAILURE, f"{type(error).__name__}: {error}")


def _lines(header: dict[str, Any], rows: list[Row], fits: list[dict[str, Any]], figures: list[dict[str, Any]]) -> bytes:
    """Return the header, then rows, fits and aims, each a JSON object a line with its kind."""
    values = [{**stored_formats.opening("benchmarks"), **header}]
    values += [{"kind": "row", **row.to_dict()} for row in rows]
    values += [{"kind": "fit", **one} for one in fits]
    values += [{"kind": "aim", **one} for one in _plain(figures)]
    return "".join(json.dumps(one, allow_nan=False) + "\n" for one in values).encode()


def _plain(figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**one, "figure": str(one["figure"]) if one["figure"] == float("inf") else one["figure"]} for one in figures
    ]


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.benchmarks")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {TASKS}; all by default")
    parser.add_argument("--quick", action="store_true", help="few cases of each")
    parser.add_argument("--out", default=OUT, help="folder of rows, page and figure")
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH", help="a peer's interpreter")
    parser.add_argument("--seconds", type=float, help=f"limit of a peer's answer; {SECONDS:g}, quick {QUICK_SECONDS:g}")
    parser.add_argument("--no-peers", action="store_true", help="only ours")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--command", default="python -m tests.benchmarks", help="told in the rows' header")
    options = parser.parse_args(words)
    unknown = [task for task in options.tasks if task not in TASKS]
    if unknown:
        parser.error(f"task must be one of {', '.join(TASKS)}, got {unknown[0]!r}")
    options.python = [tuple(one.split("=", 1)) for one in options.python]
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
