"""Tables of output probabilities: how a file is read, and which exact randomizer it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, isfinite
from pathlib import Path
from typing import ClassVar

from ..core import sealed_files
from ..core.errors import ParameterError
from ..core.parameters import decimal
from .finite import Finite, Rows

# Bytes of a file with a table at most.
LARGEST_TABLE = 16 << 20
# By how much the sum of a line may differ from 1.
SUM_ERROR = 1e-9


@dataclass(frozen=True)
class Table(Finite):
    """A file with a line of output probabilities for each input, each line divided by its sum."""

    path: str
    kind: ClassVar[str] = "table"
    form: ClassVar[str] = "table:FILE"

    def rows(self) -> Rows:
        """Return the exact randomizer that the file means; it is read again each time."""
        return exact_rows(read_table(self.path))


def exact_rows(rows: Sequence[Sequence[float]]) -> Rows:
    """Return the randomizer that a table means: each of its rows, taken as exact, divided by its sum.

    Outputs that no input has are left out.
    """
    kept = [j for j, column in enumerate(zip(*rows, strict=True)) if any(column)]
    fractions = [[Fraction(value) for value in row] for row in rows]
    return [[row[j] / total for j in kept] for row, total in ((row, sum(row)) for row in fractions)]


def read_table(path: str) -> list[list[float]]:
    """A file with one input a line: its output probabilities, separated by commas or blanks; ``#`` begins a comment."""
    what = "table:FILE, lines of output probabilities, one input each"
    try:
        text = sealed_files.load(Path(path), LARGEST_TABLE).decode("utf-8")
        lines = [line.partition("#")[0].replace(",", " ").split() for line in text.splitlines()]
        rows = [[decimal(word) for word in line] for line in lines if line]
    except (OSError, ValueError) as error:  # nothing of the file is quoted: it may be any file
        why = (error.strerror or "cannot be read").lower() if isinstance(error, OSError) else "not numbers"
        why = str(error) if isinstance(error, sealed_files.Spoiled) else why
        raise ParameterError("randomizer", f"{what} ({why})", f"table:{path}") from None
    if not rows or any(len(row) != len(rows[0]) or not all(map(isfinite, row)) or min(row) < 0.0 for row in rows):
        raise ParameterError("randomizer", f"{what}, as many in every line and none negative", f"table:{path}")
    if any(abs(fsum(row) - 1.0) > SUM_ERROR for row in rows):
        raise ParameterError("randomizer", f"{what}, of sum 1 (to 1e-9) in every line", f"table:{path}")
    return rows
