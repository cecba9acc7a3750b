"""A table of a report: texts under heads, with what the page needs to know of its columns."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.outward_decimals import safe

# The text of a cell that has nothing to say.
NOTHING = "–"
# The column of a run's name, which is left out where all lines are of one run.
RUN = "run"
# The columns that are left out where no line has anything in them.
OFTEN_EMPTY = ("file", "remark")
# The column of names of files, which the page makes links.
FILE = "file"
# The column of command lines, which the page offers to copy.
COMMAND = "command"

# The space between thousands.
THIN = "\u202f"
# The end of the digits before which there is a multiple of three of them, up to the point.
THOUSANDS = re.compile(r"(?<=[0-9])(?=(?:[0-9]{3})+(?![0-9]))")
# The digits before the point, of a number that may have a sign or a relation before it.
WHOLE = re.compile(r"^[^0-9]*[0-9]{4,}")

# An exponent with what its digits do not need: a plus, and zeros in front.
EXPONENT = re.compile(r"(?<=[0-9])e\+?(-?)0*(?=[0-9])")

Line = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Texts under heads.

    ``name`` tells it from all others of a report.  ``numeric``: which columns hold numbers; ``row_head``: the column
    that says what a line is about; ``note``: what stands below it.  ``every`` has all lines where the page shows only
    some of them.  A page shows the lines of a table that is ``folded`` when they are asked for.
    """

    name: str
    caption: str
    heads: Line
    lines: tuple[Line, ...]
    numeric: tuple[int, ...] = ()
    note: str = ""
    row_head: int = 0
    every: tuple[Line, ...] = ()
    folded: bool = False

    @property
    def all_lines(self) -> tuple[Line, ...]:
        """The lines of the table, with those that the page leaves out."""
        return self.every or self.lines

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of the cells of each column on the page: ``head``, ``file``, ``command`` or ``text``."""
        forms = {FILE: "file", COMMAND: "command"}
        return tuple(
            "head" if place == self.row_head else forms.get(head, "text") for place, head in enumerate(self.heads)
        )


def make_table(
    name: str,
    caption: str,
    heads: Sequence[str],
    lines: Sequence[Sequence[str]],
    numeric: Sequence[int],
    note: str = "",
    row_head: int = 0,
    every: Sequence[Sequence[str]] = (),
    folded: bool = False,
) -> Table | None:
    """Return a table, or None without lines.

    The column of the run is left out if all lines are of one run, and those of files and remarks if they are empty.
    """
    if not lines:
        return None
    most = every or lines
    places = list(range(len(heads)))
    for place, head in enumerate(heads):
        texts = {line[place] for line in most} if head == RUN or head in OFTEN_EMPTY else set()
        if (head == RUN and len(texts) == 1) or (head in OFTEN_EMPTY and texts == {NOTHING}):
            places.remove(place)
    if COMMAND in heads:
        lines, every = (_with_harmless_commands(part, heads.index(COMMAND)) for part in (lines, every))
    columns = tuple(place for place, column in enumerate(places) if column in numeric)
    lines, every = (_with_page_numbers(part, numeric) for part in (lines, every))
    return Table(
        name,
        caption,
        tuple(heads[column] for column in places),
        _safe_lines(lines, places),
        columns,
        note,
        places.index(row_head),
        _safe_lines(every, places),
        folded,
    )


def page_number(text: str) -> str:
    """Return a number as the page has all of them, such as 12 345.6 or 9.1e7: thousands apart, exponents bare."""
    return WHOLE.sub(lambda digits: THOUSANDS.sub(THIN, digits[0]), EXPONENT.sub(r"e\1", text))


def harmless_command(text: str) -> str:
    """Return a command line if it calls pldcheck and nothing else, whatever shell it is copied to; else nothing.

    Commands come from stored files, which others may have written.

    Examples
    --------
    >>> harmless_command("pldcheck audit thm-3.2"), harmless_command("pldcheck audit x; ls")
    ('pldcheck audit thm-3.2', '–')

    """
    try:
        words = shlex.split(text)
    except ValueError:
        return NOTHING
    return text if words[:1] == ["pldcheck"] and shlex.join(words) == text else NOTHING


def _with_harmless_commands(lines: Sequence[Sequence[str]], place: int) -> list[Line]:
    return [(*line[:place], harmless_command(line[place]), *line[place + 1 :]) for line in lines]


def _with_page_numbers(lines: Sequence[Sequence[str]], numeric: Sequence[int]) -> list[Line]:
    return [tuple(page_number(text) if place in numeric else text for place, text in enumerate(line)) for line in lines]


def _safe_lines(lines: Sequence[Sequence[str]], places: Sequence[int]) -> tuple[Line, ...]:
    return tuple(tuple(safe(line[column]) for column in places) for line in lines)
