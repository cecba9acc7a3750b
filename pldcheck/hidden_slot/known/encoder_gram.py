r"""The inner products of what a record adds in each of several bins, after an encoder of correlated noise.

A run of n = bins * epochs steps releases C g + z: row g_s is the sum of step s, C is a lower-triangular encoder without
negative entries, and z is independent noise.  A record in bin j adds to the steps j, j + bins, j + 2 bins, ...: one of
length 1 in each, all along one line, adds the vector :math:`\mu_j`, the sum of these columns of C.

Only the largest and the least products of bins at each distance are kept:

.. math:: \mathrm{low}_d \le \mu_i \cdot \mu_{i+d} \le \mathrm{high}_d \quad \text{for all } i .

All terms are non-negative, so that a product of sums of floats has a relative error of one unit an operation.

For a Toeplitz encoder, C_ts = c_(t-s), all columns are shifts of :math:`S_u = \sum_e c_{u - e \cdot bins}`, and
:math:`\mu_i \cdot \mu_{i+d} = \sum_{u < n - i - d} S_u S_{u+d}` falls in i: its ends are at the first and last i.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from ...core import sealed_files
from ...core.arrays import Array
from ...core.directed import enlarge, shrink
from ...core.errors import ParameterError
from ...core.parameters import decimal

# The forms of an encoder, as errors print them.
FORMS = "identity, toeplitz:C0:C1:..., square-root, square-root:BANDS or file:PATH"
# The most steps of a run, and the most products of two of them.
MOST_STEPS = 1_000_000
MOST_PRODUCTS = 4_000_000_000
# The most steps of an encoder in a file, and the most bytes of the file.
MOST_ROWS = 2048
LARGEST_FILE = 100_000_000
# Entries of an encoder are 0 or between these two, so that no product leaves the range of normal floats.
ENTRIES = (1e-100, 1e6)


@dataclass(frozen=True, eq=False)
class Gram:
    """Bounds of the inner products of bins at each distance: ``low[d]`` and ``high[d]`` for d = 0, 1, ..., bins - 1.

    ``longest``: a lower bound of the largest product of a bin with itself, where ``low[0]`` is one of the least.
    """

    low: Array
    high: Array
    longest: float

    @property
    def bins(self) -> int:
        """The number of bins."""
        return int(self.low.size)


def gram(encoder: str, bins: int, epochs: int) -> Gram:
    """Return the bounds for an encoder in one of FORMS.

    Parameters
    ----------
    encoder : str
        ``toeplitz:C0:C1:...`` has these numbers on its diagonals, from the main one on, and 0 on all others.
        ``square-root`` is that with the numbers binom(2k, k)/4^k, whose square is the matrix of ones on and below the
        diagonal; ``square-root:BANDS`` has the first BANDS of them.  ``file:PATH`` holds the rows of a lower-triangular
        matrix, one a line, as many as there are steps.
    bins, epochs : int

    Raises
    ------
    ParameterError
        If the encoder has another form or size, a negative entry, or one above the diagonal; or if there are too many
        steps.

    Examples
    --------
    >>> gram("toeplitz:1:0.5", 3, 1).high.round(12).tolist()
    [1.25, 0.5, 0.0]

    """
    steps = bins * epochs
    if steps > MOST_STEPS or bins * steps > MOST_PRODUCTS:
        most = f"so many that steps * epochs is at most {MOST_STEPS:g}, and steps times that at most {MOST_PRODUCTS:g}"
        raise ParameterError("steps", most, bins)
    kind, _, rest = encoder.partition(":")
    if kind == "file" and rest:
        return _of_matrix(_matrix(encoder, rest, steps), bins, epochs)
    numbers = _toeplitz(encoder, kind, rest, steps)
    if numbers is None:
        raise ParameterError("encoder", f"one of {FORMS}", encoder)
    return _of_toeplitz(numbers, bins, epochs)


def _toeplitz(encoder: str, kind: str, rest: str, steps: int) -> Array | None:
    """Return the numbers on the diagonals of a Toeplitz encoder, none beyond the last step; None for another form."""
    if encoder == "identity":
        return np.ones(1)
    if kind == "square-root":
        bands = steps if encoder == kind else int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 10 else 0
        if bands < 1:
            raise ParameterError("encoder", "square-root:BANDS with a whole number of bands, at least 1", encoder)
        k = np.arange(1.0, min(bands, steps))
        return np.concatenate([[1.0], np.cumprod((2.0 * k - 1.0) / (2.0 * k))])
    if kind != "toeplitz":
        return None
    try:
        numbers = np.array([decimal(text) for text in rest.split(":")])
    except ValueError:
        raise ParameterError("encoder", "toeplitz:C0:C1:... with numbers in plain digits", encoder) from None
    _require(numbers, encoder)
    return numbers[:steps]


def _matrix(encoder: str, path: str, steps: int) -> Array:
    """Return the encoder of a file."""
    try:
        text = sealed_files.load(Path(path), LARGEST_FILE).decode("utf-8")
        lines = [line.partition("#")[0].replace(",", " ").split() for line in text.splitlines()]
        rows = [[decimal(word) for word in line] for line in lines if line]
    except (OSError, ValueError) as error:  # the message quotes nothing of the file, which may be any file
        reason = (error.strerror or "cannot be read").lower() if isinstance(error, OSError) else "not numbers"
        raise ParameterError("encoder", f"file:PATH, lines of numbers ({reason})", encoder) from None
    if steps > MOST_ROWS or len(rows) != steps or any(len(row) != steps for row in rows):
        domain = f"file:PATH of steps * epochs = {steps} lines of as many numbers, at most {MOST_ROWS}"
        raise ParameterError("encoder", domain, encoder)
    matrix = np.array(rows)
    if np.any(np.triu(matrix, 1)):
        raise ParameterError("encoder", "file:PATH of a lower-triangular matrix: 0 above the diagonal", encoder)
    _require(matrix, encoder)
    return matrix


def _require(numbers: Array, encoder: str) -> None:
    """Refuse entries that are negative or out of the range of ENTRIES, and an encoder of nothing but zeros."""
    least, most = ENTRIES
    allowed = (numbers == 0.0) | ((numbers >= least) & (numbers <= most))
    if not (np.all(allowed) and all(map(isfinite, numbers.ravel()[:1])) and numbers.any()):
        raise ParameterError("encoder", f"of entries that are 0 or from {least:g} to {most:g}, not all 0", encoder)


def _of_toeplitz(numbers: Array, bins: int, epochs: int) -> Gram:
    """Return the bounds of a Toeplitz encoder."""
    steps = bins * epochs
    sums = np.zeros(steps)
    for start in range(0, steps, bins):
        part = numbers[: steps - start]
        sums[start : start + part.size] += part
    whole = steps - bins + 1  # what the last bin has in common with others
    low = [float(sums[d : d + whole] @ sums[:whole]) for d in range(bins)]
    high = [float(sums[d:] @ sums[: steps - d]) for d in range(bins)]
    # Roundings of numbers that are not floats or are products of so many, of sums, and of the products' sums.
    return _rounded(np.array(low), np.array(high), 4.0 * numbers.size + 2.0 * epochs + 2.0 * steps + 16.0)


def _of_matrix(matrix: Array, bins: int, epochs: int) -> Gram:
    """Return the bounds of an encoder whose rows are given."""
    columns = matrix.reshape(matrix.shape[0], epochs, bins).sum(axis=1)
    products = columns.T @ columns
    diagonals = [np.diagonal(products, d) for d in range(bins)]
    low, high = (np.array([float(end(one)) for one in diagonals]) for end in (np.min, np.max))
    return _rounded(low, high, 2.0 * epochs + 2.0 * matrix.shape[0] + 16.0)


def _rounded(low: Array, high: Array, units: float) -> Gram:
    return Gram(shrink(low, units), enlarge(high, units), float(shrink(high[0], units)))
