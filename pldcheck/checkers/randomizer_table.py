"""Tables of the output probabilities of a randomizer, a row for each input.

Every entry is an exact rational number.  An output is possible on all inputs or on none, so that all ratios of the
probabilities of one output are finite.
"""

from fractions import Fraction
from re import fullmatch

from .claim_files import require

# The most inputs of a table, and the most outputs.
MOST_ROWS = 8
MOST_COLUMNS = 64


def rows_of(table, entry):
    """Return the rows of a table as rational numbers, whose texts have the form ``entry``; each has the sum 1."""
    fits = type(table) is list and 2 <= len(table) <= MOST_ROWS
    require(fits, f"a table must have from 2 to {MOST_ROWS} rows")
    for row in table:
        require(type(row) is list and len(row) <= MOST_COLUMNS, f"a row must have at most {MOST_COLUMNS} entries")
        require(all(type(one) is str and fullmatch(entry, one) for one in row), "an entry must be a text of a number")
    rows = [[*map(Fraction, row)] for row in table]
    require(len({*map(len, rows)}) == 1 and all(sum(row) == 1 for row in rows), "rows must have one length and sum 1")
    possible = all(all(column) or not any(column) for column in zip(*rows, strict=True))
    require(possible, "an output must be possible on all inputs or on none")
    return rows
