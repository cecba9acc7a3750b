"""The tables of a report as CSV files: the texts of the page, certified ends rounded outward, and all lines."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO

from .page_table import Table

# The spaces that set thousands and units apart on the page, and which no program reads as part of a number.
SPACES = str.maketrans("", "", "\u202f\u00a0")
# The first characters of a text that spreadsheets take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def file_name(table: Table) -> str:
    """Return the name of a table's file."""
    return f"{table.name}.csv"


def csv_text(table: Table) -> str:
    """Return a table as CSV after RFC 4180, but for lines that end in a line feed alone.

    Numbers are those of the page, without the spaces between thousands.  A text that a spreadsheet would take for a
    formula begins with an apostrophe.
    """
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.heads)
    for line in table.all_lines:
        writer.writerow(
            text.translate(SPACES) if place in table.numeric else _inert(text) for place, text in enumerate(line)
        )
    return buffer.getvalue()


def csv_files(tables: Iterable[Table]) -> dict[str, bytes]:
    """Return the files of tables by their names."""
    return {file_name(table): csv_text(table).encode() for table in tables}


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) else text
