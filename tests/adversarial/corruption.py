"""Corrupt stored files and read them again: ``python -m tests.adversarial.corruption --files 1000``.

Bytes are flipped, digits changed, lines cut, moved, doubled or mixed.  Whoever resumes, reports or writes witnesses
must see what was written, or be told: a row that is silently different, or silently gone, is a failure.
"""

import json
import random
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pldcheck.core import sealed_files
from pldcheck.core.errors import PldcheckError
from pldcheck.report import results_folder
from pldcheck.study.stored_studies import KINDS
from pldcheck.verification import Report
from pldcheck.verification.runs import run_store
from pldcheck.verification.runs.row_encoding import decode, encode
from pldcheck.verification.runs.run_database import to_write

from ..places import FIGURES, SUITES
from . import command

RUN = "refuted.jsonl"
OTHERS = ("krr.json", "waterfall-thm-3.2.json", "random-replacement-CF.json")
# Most files have one thing wrong with them, some have several.
MOST = 4
# Rows of a run.
ROWS = 6


def _place(content, draw):
    return draw.randrange(len(content))


def flip_bit(content, draw):
    at = _place(content, draw)
    return content[:at] + bytes([content[at] ^ (1 << draw.randrange(8))]) + content[at + 1 :]


def change_byte(content, draw):
    at = _place(content, draw)
    return content[:at] + bytes([draw.randrange(256)]) + content[at + 1 :]


def change_digit(content, draw):
    places = [at for at, byte in enumerate(content) if 48 <= byte < 58]
    at = draw.choice(places) if places else 0
    return content[:at] + str(draw.randrange(10)).encode() + content[at + 1 :]


def insert_byte(content, draw):
    at = _place(content, draw)
    return content[:at] + bytes([draw.choice([*range(256), *b'0123456789,:"{}[]'])]) + content[at:]


def delete_bytes(content, draw):
    at = _place(content, draw)
    return content[:at] + content[at + draw.choice((1, 1, 2, 8, 300)) :]


def cut_the_end(content, draw):
    return content[: _place(content, draw)]


def cut_lines(content, draw):
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    return b"\n".join(lines[:at] + lines[at + draw.choice((1, 1, 3)) :])


def swap_lines(content, draw):
    lines = content.split(b"\n")
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def double_a_line(content, draw):
    lines = content.split(b"\n")
    lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))
    return b"\n".join(lines)


def mix_two_lines(content, draw):
    """Change the value of a key of one row to that of another one: both were written, but not together."""
    lines = content.split(b"\n")
    try:
        one, other = (json.loads(draw.choice(lines)) for _ in range(2))
        key = draw.choice(sorted(one))
        at = draw.randrange(len(lines))
        lines[at] = json.dumps({**other, key: one[key]}).encode()
    except (ValueError, TypeError, RecursionError):
        return content[::-1]
    return b"\n".join(lines)


def exchange_values(content, draw):
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    try:
        values = json.loads(lines[at])
        one, other = draw.choice(sorted(values)), draw.choice(sorted(values))
        values[one], values[other] = values[other], values[one]
        lines[at] = json.dumps(values).encode()
    except (ValueError, TypeError, RecursionError):
        return content + content
    return b"\n".join(lines)


def spoil_a_value(content, draw):
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    try:
        values = json.loads(lines[at])
        values[draw.choice(sorted(values))] = draw.choice(
            [None, True, -1, 1e308, "inf", "\ud800", [[]], {}, 0.5, 10**400]
        )
        lines[at] = json.dumps(values).encode()
    except (ValueError, TypeError, OverflowError, RecursionError):
        return b"[" * 5000
    return b"\n".join(lines)


def zero_a_block(content, draw):
    at = _place(content, draw)
    size = draw.choice((1, 16, 512))
    return content[:at] + b"\0" * len(content[at : at + size]) + content[at + size :]


WAYS = (
    flip_bit,
    change_byte,
    change_digit,
    change_digit,
    insert_byte,
    delete_bytes,
    cut_the_end,
    cut_lines,
    swap_lines,
    double_a_line,
    mix_two_lines,
    exchange_values,
    spoil_a_value,
    zero_a_block,
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one file: ``same``, ``noticed``, or ``SILENT`` with what is wrong; ``crash``."""

    kind: str
    ways: tuple[str, ...]
    text: str = ""


def corrupt(content, draw):
    """Return another content, and how it was made."""
    ways = [draw.choice(WAYS) for _ in range(draw.choice((1, 1, 1, 2, MOST)))]
    for way in ways:
        content = way(content, draw) if content else content
    return content, tuple(way.__name__ for way in ways)


@cache
def _run():
    """Return a few stored rows, a file of a run of them as JSON lines, and one as a database."""
    run = run_store.read(SUITES / RUN)
    rows = run.rows[:: max(len(run.rows) // ROWS, 1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "refuted.sqlite"
        database = to_write(path)
        database.insert(encode(number, row) for number, row in enumerate(rows))
        database.write_head({**run.header, "cells": len(rows), "ended": True})
        database.settle()
        database.close()
        return rows, run_store.dumps(Report(run.suite, rows, run.header), {}), path.read_bytes()


def of_run(number, seed, room):
    """Return the outcome of one corrupted file of rows, read as by report, by witness and by resume."""
    draw = random.Random(f"{seed} run {number}")
    rows, lines, database = _run()
    suffix, whole = draw.choice((("jsonl", lines), ("sqlite", database)))
    content, ways = corrupt(whole, draw)
    path = Path(room) / f"refuted.{suffix}"
    path.write_bytes(content)
    rows_before = list(rows)
    complaint = False
    try:
        try:
            if list(run_store.read(path).rows) != rows_before:
                return Outcome("SILENT", ways, "read")
        except PldcheckError:
            complaint = True
        damage = []
        try:
            rows_after = list(run_store.read(path, damage).rows)
            if any(row not in rows_before for row in rows_after) or (rows_after != rows_before and not damage):
                return Outcome("SILENT", ways, "report")
        except PldcheckError:
            damage.append("all of it")
        if suffix == "sqlite":
            complaint |= _is_refused_or_right(path, rows_before)
    except Exception as error:  # a command would end with it
        return Outcome("crash", ways, repr(error))
    # Of a database's bytes some have no meaning, such as those of free pages.
    return Outcome("noticed" if complaint or damage else "same", ways)


def _is_refused_or_right(path, rows):
    """Return whether a writer, such as a resumed run, refuses a file; raise AssertionError if it has other rows."""
    try:
        database = to_write(path)
        try:
            for number, *columns in database.rows(0, 10**9):
                with suppress(sealed_files.DamageError):
                    assert decode(number, *columns) == rows[number]
            database.undo()
        finally:
            database.close()
    except PldcheckError:
        return True
    return False


def of_facts(number, seed, room):
    """Return the outcome of one corrupted comparison, waterfall or trajectory, read as by report."""
    draw = random.Random(f"{seed} facts {number}")
    name = draw.choice(OTHERS)
    whole = (FIGURES / name).read_bytes()
    content, ways = corrupt(whole, draw)
    (Path(room) / name).write_bytes(content)
    try:
        reading = results_folder.read(Path(room), run_store.read, KINDS)
        same = _text_of(reading) == _text_of([results_folder.read_values(sealed_files.unseal(whole), KINDS)[1]])
    except Exception as error:
        return Outcome("crash", ways, repr(error))
    finally:
        (Path(room) / name).unlink()
    if reading.damage or reading.aside:
        return Outcome("noticed", ways)
    return Outcome("same" if same else "SILENT", ways, name)


def _text_of(content):
    lists = [list(kind.values()) for kind in content.results.values()] if not isinstance(content, list) else [content]
    return [json.dumps(one.to_dict(), sort_keys=True) for kind in lists for one in kind]


def fuzz(files, seed):
    """Yield the outcomes of so many files, three in four of them runs."""
    with tempfile.TemporaryDirectory() as runs, tempfile.TemporaryDirectory() as others:
        for number in range(files):
            yield of_facts(number, seed, others) if number % 4 == 3 else of_run(number, seed, runs)


if __name__ == "__main__":
    sys.exit(command.run(__doc__, "corrupted files", 1000, fuzz, ("SILENT", "crash")))
