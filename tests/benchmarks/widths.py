"""Widths and seconds of known randomizers, shuffles and swaps: ``python -m tests.benchmarks.widths [--quick]``.

``pldcheck bench --widths`` is the same.  Each question is asked in a process of its group, which has loaded its kernels
by an answer that is not timed, and is given up after ``--seconds``; another process answers the next one.
``--only TEXT`` asks the groups whose names contain a text.  Rows, page and map go to the folder of ``--out``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as LateError
from math import inf
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from pebble import ProcessPool

from pldcheck.core import stored_formats
from pldcheck.core.errors import PldcheckError
from pldcheck.protocols import PROTOCOLS
from pldcheck.verification.runs import run_store
from pldcheck.verification.runs.provenance import provenance

from . import width_map
from .case import FAILURE, LATE
from .table import align
from .width_questions import TABLES, WidthQuestion, questions

OUT = "results/benchmarks"
# Seconds after which a question is given up, beside those that a cold start may take.
SECONDS = 20.0
# The cell of a group none of whose questions has an answer in time.
NO_ANSWER = "-"
HEADS = ("questions", "how many", "median width", "largest", "wanted", "as wanted", "median s", "most s", "no answer")


def enter(folder: str) -> None:
    """Make a folder, with the tables, that of this process."""
    os.chdir(folder)
    for name, text in TABLES.items():
        Path(name).write_text(text)


def ask(question: WidthQuestion) -> tuple[float, float, float]:
    """Return both ends of epsilon and the seconds of an answer, the first of its kind or not."""
    protocol = PROTOCOLS[question.protocol](**question.params)
    start = perf_counter()
    interval = protocol.answer("epsilon", question.delta)
    return interval.lower, interval.upper, perf_counter() - start


def measure(asked: Sequence[WidthQuestion], limit: float, report: Callable[[str], None]) -> list[dict[str, Any]]:
    """Return a row for every question: its parameters, ends, width and seconds, or why it has no answer."""
    rows: list[dict[str, Any]] = []
    for group in dict.fromkeys(one.group for one in asked):
        each = [one for one in asked if one.group == group]
        with (
            TemporaryDirectory(prefix="pldcheck-widths-") as folder,
            ProcessPool(max_workers=1, context=get_context("spawn"), initializer=enter, initargs=(folder,)) as pool,
        ):
            is_cold = True  # a process is, at first and after an answer that was given up, which ends it
            for question in each:
                if is_cold:  # an answer that is not timed loads the kernels of the group
                    _outcome(pool, each[0], 3 * limit)
                row = {
                    "group": group,
                    "protocol": question.protocol,
                    "params": dict(question.params),
                    "size": question.size,
                    "delta": question.delta,
                    "aim": question.aim,
                    "aim_seconds": question.seconds,
                }
                outcome = _outcome(pool, question, limit)
                rows.append(row | outcome)
                is_cold = outcome["status"] == LATE
        report(f"{len(rows)}/{len(asked)} {group}")
    return rows


def _outcome(pool: ProcessPool, question: WidthQuestion, limit: float) -> dict[str, Any]:
    try:
        lower, upper, seconds = pool.schedule(ask, args=(question,), timeout=limit).result()
    except LateError:
        return {"status": LATE}
    except PldcheckError as error:
        return {"status": FAILURE, "detail": str(error)}
    return row_of_answer(lower, upper, seconds)


def row_of_answer(lower: float, upper: float, seconds: float) -> dict[str, Any]:
    """Return what a row has of an answer; an infinite end is "inf", and an infinite width is None.

    The width is upper / lower - 1, and 0 for equal ends: epsilon is certainly infinite where delta is less than the
    mass that no epsilon covers.
    """
    width = 0.0 if lower == upper else upper / lower - 1.0 if lower > 0.0 else inf
    ends = {name: end if end < inf else "inf" for name, end in (("lower", lower), ("upper", upper))}
    return {"status": "", **ends, "width": width if width < inf else None, "seconds": seconds}


def summary(rows: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return the lines of the table: a group a line, with its widths, its seconds and what is not as wanted."""
    lines = [HEADS]
    for group in dict.fromkeys(row["group"] for row in rows):
        each = [row for row in rows if row["group"] == group]
        answers = [row for row in each if not row["status"]]
        widths = [inf if row["width"] is None else row["width"] for row in answers]
        seconds = [row["seconds"] for row in answers]
        good = sum(width_map.is_as_wanted(row) for row in each)
        lines.append(
            (
                group,
                str(len(each)),
                _percent(median(widths)) if widths else NO_ANSWER,
                _percent(max(widths)) if widths else NO_ANSWER,
                _percent(max(row["aim"] for row in each)),
                f"{good}/{len(each)}",
                f"{median(seconds):.2f}" if seconds else NO_ANSWER,
                f"{max(seconds):.1f}" if seconds else NO_ANSWER,
                str(len(each) - len(answers)),
            )
        )
    return lines


def _percent(width: float) -> str:
    return "no lower end" if width == inf else f"{100.0 * width:.2g} %"


def main(words: list[str]) -> int:
    """Ask, write, print."""
    options = _parse(words)
    asked = [one for one in questions(options.quick) if options.only in one.group]
    start = perf_counter()
    rows = measure(asked, options.seconds, lambda line: print(line, file=sys.stderr, flush=True))
    header = {**provenance(options.command), "limit": options.seconds, "seconds": perf_counter() - start}
    text = "\n".join(align(summary(rows), {0}))
    machine = f"{header['machine']['cpu']}, pldcheck {header['version']}"
    values = [{**stored_formats.opening("widths"), **header}, *({"kind": "row", **row} for row in rows)]
    files = {
        "widths.jsonl": "".join(json.dumps(one, allow_nan=False) + "\n" for one in values).encode(),
        "widths.md": f"# Widths of epsilon, relative to its lower end\n\n{machine}\n\n```\n{text}\n```\n".encode(),
        **width_map.render(rows, machine),
    }
    for name, content in files.items():
        run_store.write(Path(options.out) / name, content)
    print(json.dumps({"rows": rows, "provenance": header}, allow_nan=False) if options.json else text)
    return 0


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.widths")
    parser.add_argument("--quick", action="store_true", help="every 17th question")
    parser.add_argument("--only", default="", metavar="TEXT", help="only groups whose names contain this")
    parser.add_argument("--out", default=OUT, help="folder of rows, page and map")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"limit of an answer; {SECONDS:g}")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--command", default="python -m tests.benchmarks.widths", help="told in the rows' header")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
