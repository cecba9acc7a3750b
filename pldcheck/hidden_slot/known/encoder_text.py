"""Encoders of correlated noise as texts and files: lower-triangular matrices without negative entries.

``toeplitz:C0:C1:...`` has these numbers on its diagonals, from the main one on, and 0 on all others; ``identity`` is
``toeplitz:1``.  ``square-root`` is that with the numbers binom(2k, k)/4^k, whose square is the matrix of ones on and
below the diagonal, and ``square-root:BANDS`` has the first BANDS of them.  ``file:PATH`` holds the rows of a matrix,
one a line, as many as there are steps; commas or blanks separate numbers, and ``#`` begins a comment.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core import number_lines
from ...core.errors import ParameterError
from ...core.parameters import decimal

# The forms of an encoder, as errors print them.
FORMS = "identity, toeplitz:C0:C1:..., square-root, square-root:BANDS or file:PATH"
# The most steps of an encoder in a file: four million numbers, which are read in seconds.
MOST_ROWS = 2048
# The most bytes of such a file: 24 for each number.
LARGEST_FILE = 24 * MOST_ROWS**2
# Entries of an encoder are 0 or between these two, so that no product leaves the range of normal floats.
LEAST_ENTRY = 1e-100
LARGEST_ENTRY = 1e6


def diagonals_of(encoder: str, steps: int) -> list[float] | None:
    """Return the numbers on the diagonals of a Toeplitz encoder, none beyond the last step; None for a file.

    Those of ``square-root`` have a relative error of two units for each place; the others are the nearest floats.

    Raises
    ------
    ParameterError
        If the encoder has none of the forms, or an entry that is negative.

    """
    kind, _, rest = encoder.partition(":")
    if encoder == "identity":
        return [1.0]
    if kind == "file" and rest:
        return None
    if kind == "square-root":
        bands = steps if encoder == kind else int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 10 else 0
        if bands < 1:
            raise ParameterError("encoder", "square-root:BANDS with a whole number of bands, at least 1", encoder)
        numbers = [1.0]
        for k in range(1, min(bands, steps)):
            numbers.append(numbers[-1] * ((2 * k - 1) / (2 * k)))
        return numbers
    if kind != "toeplitz":
        raise ParameterError("encoder", f"one of {FORMS}", encoder)
    try:
        numbers = [decimal(text) for text in rest.split(":")]
    except ValueError:
        raise ParameterError("encoder", "toeplitz:C0:C1:... with numbers in plain digits", encoder) from None
    _require([numbers], encoder)
    return numbers[:steps]


def rows_of(encoder: str, steps: int) -> list[list[float]]:
    """Return the rows of an encoder in a file, as many as there are steps; raise ParameterError for another file."""
    try:
        rows = number_lines.read(encoder.partition(":")[2], LARGEST_FILE)
    except ValueError as error:
        raise ParameterError("encoder", f"file:PATH, lines of numbers ({error})", encoder) from None
    if steps > MOST_ROWS or len(rows) != steps or any(len(row) != steps for row in rows):
        domain = f"file:PATH of steps * epochs = {steps} lines of as many numbers, at most {MOST_ROWS}"
        raise ParameterError("encoder", domain, encoder)
    if any(any(row[t + 1 :]) for t, row in enumerate(rows)):
        raise ParameterError("encoder", "file:PATH of a lower-triangular matrix: 0 above the diagonal", encoder)
    _require(rows, encoder)
    return rows


def _require(rows: Sequence[Sequence[float]], encoder: str) -> None:
    """Refuse entries that are negative or out of range, and an encoder of nothing but zeros."""
    entries = [entry for row in rows for entry in row if entry != 0.0]
    if not entries or not all(LEAST_ENTRY <= entry <= LARGEST_ENTRY for entry in entries):
        domain = f"of entries that are 0 or from {LEAST_ENTRY:g} to {LARGEST_ENTRY:g}, not all 0"
        raise ParameterError("encoder", domain, encoder)
