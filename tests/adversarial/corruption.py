"""Corrupt stored files and read them again: ``python -m tests.adversarial.corruption --files 1000``.

Bytes are flipped, digits changed, lines cut, moved, doubled or mixed.  Whoever resumes, reports or writes witnesses
must see what was written, or be told: a row that is silently different, or silently gone, is a failure.
"""

import json
import random
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pldcheck.core import sealed_files
from pldcheck.core.errors import PldcheckError
from pldcheck.report import results_folder
from pldcheck.study.stored_studies import KINDS
from pldcheck.verification import Report
from pldcheck.verification.runs import run_store
from pldcheck.verification.runs.run_log import Log

from ..places import FIGURES, SUITES
from . import command

RUN, OTHERS = "refuted.jsonl", ("krr.json", "waterfall-thm-3.2.json", "random-replacement-CF.json")
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
    """The value of a key of one row in another one: both are what was written, together they are not."""
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
    """What became of one file: ``same``, ``noticed``, or ``SILENT`` with what is wrong; ``crash``."""

    kind: str
    ways: tuple[str, ...]
    text: str = ""


def corrupted(content, draw):
    """Another content, and how it was made."""
    ways = [draw.choice(WAYS) for _ in range(draw.choice((1, 1, 1, 2, MOST)))]
    for way in ways:
        content = way(content, draw) if content else content
    return content, tuple(way.__name__ for way in ways)


@cache
def _run():
    """A few stored rows, and the file of a run of them."""
    read_values = run_store.read(SUITES / RUN)
    rows = read_values.rows[:: max(len(read_values.rows) // ROWS, 1)]
    return rows, run_store.dumps(Report(read_values.suite, rows, read_values.header), {})


def of_run(number, seed, room):
    """One corrupted file of rows, read as by report, by witness and by resume."""
    draw = random.Random(f"{seed} run {number}")
    rows, whole = _run()
    content, ways = corrupted(whole, draw)
    shutil.rmtree(Path(room) / "refuted.cells", ignore_errors=True)  # what was set aside before
    path = Path(room) / "refuted.jsonl"
    path.write_bytes(content)
    wanted, by_cell = list(rows), {row.cell: row for row in rows}
    said = False
    try:
        try:
            if list(run_store.read(path).rows) != wanted:
                return Outcome("SILENT", ways, "read")
        except PldcheckError:
            said = True
        damage = []
        try:
            found = list(run_store.read(path, damage).rows)
            if any(row not in wanted for row in found) or (found != wanted and not damage):
                return Outcome("SILENT", ways, "report")
        except PldcheckError:
            damage.append("all of it")
        log = Log(path).read()
        if any(row != by_cell.get(cell) for cell, row in log.rows.items()):
            return Outcome("SILENT", ways, "resume")
    except Exception as error:  # a command would end with it
        return Outcome("crash", ways, repr(error))
    return Outcome("noticed" if said or damage or log.damage else "same", ways)


def of_facts(number, seed, room):
    """One corrupted comparison, waterfall or trajectory, read as by report."""
    draw = random.Random(f"{seed} facts {number}")
    name = draw.choice(OTHERS)
    whole = (FIGURES / name).read_bytes()
    content, ways = corrupted(whole, draw)
    (Path(room) / name).write_bytes(content)
    try:
        found = results_folder.read(Path(room), run_store.read, KINDS)
        same = _shown(found) == _shown([results_folder.read_values(sealed_files.unseal(whole), KINDS)[1]])
    except Exception as error:
        return Outcome("crash", ways, repr(error))
    finally:
        (Path(room) / name).unlink()
    if found.damage or found.aside:
        return Outcome("noticed", ways)
    return Outcome("same" if same else "SILENT", ways, name)


def _shown(found):
    kinds = found if isinstance(found, list) else [one for kind in found.results.values() for one in kind.values()]
    return [json.dumps(kind.to_dict(), sort_keys=True) for kind in kinds]


def fuzzed(files, seed):
    """The outcomes of so many files, three in four of them runs."""
    with tempfile.TemporaryDirectory() as runs, tempfile.TemporaryDirectory() as others:
        for number in range(files):
            yield of_facts(number, seed, others) if number % 4 == 3 else of_run(number, seed, runs)


if __name__ == "__main__":
    sys.exit(command.run(__doc__, "corrupted files", 1000, fuzzed, ("SILENT", "crash")))
