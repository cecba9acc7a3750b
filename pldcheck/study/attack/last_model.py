r"""The observation of the last model only: the sum of all outputs in place of each of them.

A sum D of m independent outputs is one output of one slot: under Q0 it has the law f_m, and with the record in one of
the slots :math:`(1 - w) f_m(D) + w \sum_v p_v f_{m-1}(D - v)`.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array
from ...core.errors import ParameterError
from .attacked_mechanism import Law
from .attacked_slots import OneLaw

# The words for the observation of a sum of votes.
VOTES = "the last model only: the sum of all outputs, +1 where the record is likelier, -1 its replacement, else 0"
# The words for the observation of a sum of outputs.
SUM = "the last model only: the sum of all outputs"
# Most slots: the time for the law of a sum grows with their square.
MOST_STEPS = 20_000
# Mass below which a sum is merged with its neighbour.
TINY = 1e-30


def votes(target: OneLaw) -> OneLaw:
    """Return the target in which each output is a vote and only the sum of all votes is observed."""
    law = target.law
    if target.slots > MOST_STEPS:
        raise ParameterError("view", f"all with more than {MOST_STEPS} slots", "last")
    sign = np.sign(law.rows[0] - law.rows[1])

    def three(masses: Array) -> Array:
        return np.array([masses[sign == vote].sum() for vote in (-1.0, 0.0, 1.0)])  # a vote may have no output

    reference = three(law.reference)
    others = _sums(reference, target.slots - 1)
    rows = [_convolve(others, three(row)) for row in (law.reference, *law.rows)]
    # Sums that are almost never drawn are merged with the next one that is.
    likely = np.flatnonzero(rows[0] > TINY)
    merged_rows = [np.add.reduceat(row[: likely[-1] + 1], [0, *(likely[:-1] + 1)]) for row in rows]
    for row, whole in zip(merged_rows, rows, strict=True):
        row[-1] += whole[likely[-1] + 1 :].sum()
    return OneLaw(target.name, 1, target.weight, Law(merged_rows[0], np.array(merged_rows[1:])), VOTES)


def _sums(masses: Array, count: int) -> Array:
    """Return the law of the sum of ``count`` votes, from -count to count, by additions of positive terms."""
    law = np.ones(1)
    for _ in range(count):
        law = _convolve(law, masses)
    return law


def _convolve(law: Array, three: Array) -> Array:
    result = np.zeros(law.size + 2)
    for shift in range(3):
        result[shift : shift + law.size] += three[shift] * law
    return result
