"""Tables of output probabilities: the reader of their files and the exact randomizer that each stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, isfinite
from typing import ClassVar

from ..core import number_lines
from ..core.errors import ParameterError
from .finite import Finite, Rows

# The largest size of a file with a table, in bytes: a million probabilities with 16 digits.
LARGEST_TABLE = 16 << 20
# The sum of a line may differ from 1 by so much, for the rounding of its decimals.
SUM_ERROR = 1e-9


@dataclass(frozen=True)
class Table(Finite):
    """A randomizer in a file with a line of output probabilities for each input; each line is divided by its sum.

    Parameters
    ----------
    path : str
        The file; commas or blanks separate the numbers of a line, and ``#`` begins a comment.

    """

    path: str
    kind: ClassVar[str] = "table"
    form: ClassVar[str] = "table:FILE"

    def rows(self) -> Rows:
        """Return the exact probabilities that the file stands for; every call reads the file again."""
        return exact_rows(read_table(self.path))


def exact_rows(rows: Sequence[Sequence[float]]) -> Rows:
    """Return the exact probabilities that a table stands for: each row, taken as exact, divided by its sum.

    Outputs that have probability 0 for every input are left out.
    """
    possible = [j for j, column in enumerate(zip(*rows, strict=True)) if any(column)]
    fractions = [[Fraction(value) for value in row] for row in rows]
    return [[row[j] / total for j in possible] for row, total in ((row, sum(row)) for row in fractions)]


def read_table(path: str) -> list[list[float]]:
    """Return the numbers of a file with the output probabilities of one input a line.

    Commas or blanks separate the numbers, and ``#`` begins a comment.

    Raises
    ------
    ParameterError
        If the file cannot be read, or is no table of probabilities; the message quotes nothing of the file.

    """
    format_text = "table:FILE, lines of output probabilities, one input each"
    try:
        rows = number_lines.read(path, LARGEST_TABLE)
    except ValueError as error:
        raise ParameterError("randomizer", f"{format_text} ({error})", f"table:{path}") from None
    if not rows or any(len(row) != len(rows[0]) or not all(map(isfinite, row)) or min(row) < 0.0 for row in rows):
        raise ParameterError("randomizer", f"{format_text}, as many in every line and none negative", f"table:{path}")
    if any(abs(fsum(row) - 1.0) > SUM_ERROR for row in rows):
        raise ParameterError("randomizer", f"{format_text}, of sum 1 (to 1e-9) in every line", f"table:{path}")
    return rows
