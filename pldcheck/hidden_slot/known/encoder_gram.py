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

import numpy as np

from ...core.arrays import Array
from ...core.directed import enlarge, shrink
from ...core.errors import ParameterError
from .encoder_text import diagonals_of, rows_of

# The most steps of a run, whose columns' sums are held in memory.
MOST_STEPS = 1_000_000
# The most numbers of an array with what each bin adds to each row.
MOST_NUMBERS = 100_000_000
# The most products of two numbers that are added, bins times steps: a few seconds.
MOST_PRODUCTS = 4_000_000_000


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
    """Return the bounds for an encoder.

    Parameters
    ----------
    encoder : str
        In one of the forms of :mod:`~pldcheck.hidden_slot.known.encoder_text`.
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
    numbers = diagonals_of(encoder, steps)
    if numbers is not None:
        return _of_toeplitz(np.array(numbers), bins, epochs)
    return _of_matrix(np.array(rows_of(encoder, steps)), bins, epochs)


def bin_vectors(encoder: str, bins: int, epochs: int) -> Array:
    """Return what a record of each bin adds to all rows, one row of the array a bin; parameters as in :func:`gram`.

    Raises ParameterError also if the array would have more than a hundred million numbers.
    """
    steps = bins * epochs
    if bins * steps > MOST_NUMBERS:
        raise ParameterError("steps", f"so many that steps * steps * epochs is at most {MOST_NUMBERS:g}", bins)
    numbers = diagonals_of(encoder, steps)
    vectors = np.zeros((bins, steps))
    if numbers is None:
        matrix = np.array(rows_of(encoder, steps))
        vectors += matrix.reshape(steps, epochs, bins).sum(axis=1).T
        return vectors
    for first in range(bins):
        for start in range(first, steps, bins):
            part = numbers[: steps - start]
            vectors[first, start : start + len(part)] += part
    return vectors


def column_squares(encoder: str, bins: int, epochs: int) -> tuple[float, float]:
    """Return two bounds of the sums of squares of an encoder's columns, for bins that are used apart in each epoch.

    The first is at most the largest, over bins, of the least such sum over epochs; the second is at least all of them.
    Both are about the same for a Toeplitz encoder.  Raises ParameterError if two columns of a bin have a row in common.
    """
    most = min(bins if epochs > 1 else MOST_STEPS, MOST_STEPS)
    numbers = diagonals_of(encoder, min(bins * epochs, most + 1))
    if numbers is not None:
        entries = np.trim_zeros(np.array(numbers), "b")
        if entries.size > most:
            raise ParameterError(
                "encoder", f"of at most {most} bands, so that no two columns of one batch share a row", encoder
            )
        whole = float(entries @ entries)
        # Each entry has up to 2 units a place, twice in a square, and sums have one an addition.
        units = 4.0 * len(numbers) + 2.0 * entries.size + 16.0
        return shrink(whole, units), enlarge(whole, units)
    columns = np.array(rows_of(encoder, bins * epochs)).reshape(bins * epochs, epochs, bins)
    if np.any(np.count_nonzero(columns, axis=1) > 1):
        raise ParameterError("encoder", "without a row that two columns of one batch share", encoder)
    squares = (columns**2).sum(axis=0)
    units = 2.0 * bins * epochs + 16.0  # of entries, squares and sums of so many
    return float(shrink(squares.min(axis=0).max(), units)), float(enlarge(squares.max(), units))


@dataclass(frozen=True)
class SeparatedColumns:
    """Columns of an encoder of which any two at some distance have no row in common.

    The sums of squares of the first ``rounds`` columns are at least ``least``, and those of all at most ``most``.  The
    sums of their entries are at least ``sums``.  No two columns at a distance of ``span`` have a row in common.
    """

    least: float
    most: float
    sums: float
    rounds: int
    span: int

    @property
    def apart(self) -> bool:
        """Whether no two columns at all have a row in common."""
        return self.span == 1


def separated_columns(encoder: str, steps: int, gap: int) -> SeparatedColumns:
    """Return bounds of an encoder's columns; raise ParameterError if two at a distance of ``gap`` share a row."""
    bands = min(gap, steps) if steps > gap else min(steps, MOST_STEPS)
    numbers = diagonals_of(encoder, min(steps, bands + 1))
    if numbers is not None:
        entries = np.trim_zeros(np.array(numbers), "b")
        if entries.size > bands:
            raise ParameterError("encoder", f"of at most {bands} bands, so that two uses share no row", encoder)
        whole, units = float(entries @ entries), 4.0 * len(numbers) + 2.0 * entries.size + 16.0
        ends = shrink(whole, units), enlarge(whole, units), shrink(float(entries.sum()), units)
        span = max(int(np.trim_zeros(entries, "f").size), 1)
        return SeparatedColumns(*ends, steps - int(entries.size) + 1, span)
    rows = np.array(rows_of(encoder, steps))
    places = [np.flatnonzero(row) for row in rows]
    if any(used.size and used[-1] - used[0] >= gap for used in places):
        raise ParameterError("encoder", f"without a row that two columns at a distance of {gap} share", encoder)
    squares, units = (rows**2).sum(axis=0), 2.0 * steps + 16.0
    rounds = max(steps - gap + 1, 1)
    least, most, sums = float(squares[:rounds].min()), float(squares.max()), float(rows.sum(axis=0)[:rounds].min())
    ends = shrink(least, units), enlarge(most, units), shrink(sums, units)
    span = max(int(used[-1] - used[0]) + 1 for used in places if used.size)
    return SeparatedColumns(*ends, rounds, span)


def separated_vectors(encoder: str, steps: int, gap: int) -> Array:
    """Return an array whose row s has what a use in step s adds to the rows s, s + 1, ..., and 0 after the last one.

    Raises ParameterError as :func:`separated_columns` does, and if it would have more than a hundred million numbers.
    """
    separated_columns(encoder, steps, gap)
    numbers, width = diagonals_of(encoder, min(steps, gap)), min(steps, gap)
    if numbers is not None:
        width = max(np.trim_zeros(np.array(numbers), "b").size, 1)
    if steps * width > MOST_NUMBERS:
        raise ParameterError("steps", f"so many that steps times bands is at most {MOST_NUMBERS:g}", steps)
    vectors = np.zeros((steps, width))
    if numbers is not None:
        vectors += np.array(numbers[:width])
        for short in range(1, width):
            vectors[steps - short, short:] = 0.0
        return vectors
    rows = np.array(rows_of(encoder, steps))
    for place in range(width):
        vectors[: steps - place, place] = np.diagonal(rows, -place)
    return vectors


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
    # Each number has up to 2 units a place and each sum one an epoch, both twice in a product; a sum of products has
    # one an addition.
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
