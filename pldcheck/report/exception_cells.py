"""The table of violated and undecided cells: each with its witness, where one is stored, and a command."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import PurePosixPath

from ..theorems import REGISTRY
from ..verification import Row, suites
from .claim_curves import quantity
from .page_fold import standing
from .page_table import NOTHING, Table, make_table
from .report_tables import judgement, parameters, rank, rest_note, row_claim, row_ends, row_remark, symbol
from .results_folder import Folder

# The most lines of the table on the page.
MOST = 400
# A function of a row that returns the name of the file beside its run that shows its verdict, or None.
Evidence = Callable[[Row], str | None]
HEADS = (
    *("verdict", "theorem", "statement", "run", "parameters", "quantity", "claimed", "lower end", "upper end"),
    *("file", "command", "why, or witness"),
)
# What is said of files and commands.
ABOUT = (
    "A file is a counterexample with exact probabilities, which its command has checked by a program of the standard "
    "library, and lies where the results are. Noise has none, since no finite table has its laws, nor has a Rényi "
    "divergence. The other commands judge the theorem anew at all of its cells."
)


def no_evidence(row: Row) -> str | None:
    """Return None: no row has a file."""
    return None


def exceptions(folder: Folder, evidence: Evidence) -> Table | None:
    """Return the violated cells, those of published theorems first, then the undecided ones."""
    page = folder.page
    lines = tuple(_lines(folder, evidence))
    rest = page.wrong.count + page.undecided.count - len(lines[:MOST])
    note = " ".join(filter(None, (rest_note(rest), ABOUT)))
    caption, every = "Cells that are violated or undecided", lines if len(lines) > MOST else ()
    return make_table("exceptions", caption, HEADS, lines[:MOST], (6, 7, 8), note, row_head=1, every=every)


def _lines(folder: Folder, evidence: Evidence) -> Iterator[tuple[str, ...]]:
    wrong = sorted(folder.page.wrong.entries, key=lambda entry: rank(str(entry[1].theorem)))
    for stem, row in (*wrong, *folder.page.undecided.entries):
        file = folder.file_beside(stem, evidence(row))
        yield (
            *(judgement(row), row.subject, standing(str(row.theorem)) or NOTHING, stem),
            *(parameters(row), symbol(quantity(row)), row_claim(row)),
            *(*row_ends(row), file or NOTHING, _command(folder, stem, row, file), row_remark(row)),
        )


def _command(folder: Folder, stem: str, row: Row, file: str | None) -> str:
    """Return the command that shows a cell's verdict again."""
    if file:
        # A folder that is named from the root of the machine says nothing to others but its own name.
        home = folder.path.name if folder.path.is_absolute() else folder.path.as_posix()
        return shlex.join(("pldcheck", "witness", "check", str(PurePosixPath(home, file))))
    suite = folder.runs[stem].suite
    if row.theorem in _subjects(suite):
        return shlex.join(("pldcheck", "verify", "--suite", suite, "--theorem", str(row.theorem), "--out", "checked"))
    if row.theorem in REGISTRY:
        return str(folder.runs[stem].header.get("command"))
    return NOTHING


@cache
def _subjects(suite: str) -> tuple[str, ...]:
    """Return the theorems of a built-in suite; none of any other."""
    return suites.find(suite).subjects if suite in suites.NAMES else ()
