r"""What a party sees that is shown the last model only: the sum of what the slots sent, not each of them.

A sum D of m independent outputs is one output of one slot: under Q0 it has the law f_m, and with the record in one of
the slots :math:`(1 - w) f_m(D) + w \sum_v p_v f_{m-1}(D - v)`.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array
from ...core.errors import ParameterError
from .attacked_mechanism import Law
from .attacked_slots import OneLaw

VOTES = "the last model only: the sum of all outputs, +1 where the record is likelier, -1 its replacement, else 0"
SUM = "the last model only: the sum of all outputs"
# The law of a sum takes the square of the steps.
MOST_STEPS = 20_000
# Masses below this are those of neighbouring sums, merged.
TINY = 1e-30


def votes(attacked: OneLaw) -> OneLaw:
    """Return the slots' outputs as votes, and their sum alone."""
    law = attacked.law
    if attacked.slots > MOST_STEPS:
        raise ParameterError("view", f"all with more than {MOST_STEPS} slots", "last")
    sign = np.sign(law.rows[0] - law.rows[1])

    def three(masses: Array) -> Array:
        return np.array([masses[sign == vote].sum() for vote in (-1.0, 0.0, 1.0)])  # a vote may be nobody's

    reference = three(law.reference)
    others = _sums(reference, attacked.slots - 1)
    rows = [_convolved(others, three(row)) for row in (law.reference, *law.rows)]
    # Sums that are never drawn, and those that cannot be: each with the next one that can.
    seen = np.flatnonzero(rows[0] > TINY)
    merged = [np.add.reduceat(row[: seen[-1] + 1], [0, *(seen[:-1] + 1)]) for row in rows]
    for row, whole in zip(merged, rows, strict=True):
        row[-1] += whole[seen[-1] + 1 :].sum()
    return OneLaw(attacked.name, 1, attacked.weight, Law(merged[0], np.array(merged[1:])), VOTES)


def _sums(masses: Array, count: int) -> Array:
    """Return the law of the sum of so many, from -count to count; positive terms only."""
    found = np.ones(1)
    for _ in range(count):
        found = _convolved(found, masses)
    return found


def _convolved(law: Array, three: Array) -> Array:
    found = np.zeros(law.size + 2)
    for shift in range(3):
        found[shift : shift + law.size] += three[shift] * law
    return found
