r"""Upper ends for slots of two groups of own records, for every number of slots of either group.

The gains of slots whose own records do not depend on outputs are independent, and only their numbers matter: f slots
hold a record of the first group and m - f one of the second.  With s the gains about their mean 1 - c, which is the
same for all records,

.. math:: m \delta = E\Big(\sum_{i \le f} s_i + \sum_{i \le m - f} s_i' - m (c - 1)\Big)_+ .

For all f from f_0 to f_1 at least f_0 slots hold a record of the first group, at least m - f_1 one of the second, and
the rest one of either: that is a sum of three parts, in each of which the best choices of the records that it may have
(:mod:`.reference_blocks`) bound the sum.  Cells of f are halved where the bound is largest, until they are narrow.
Where the records of a group are alike their blocks lose little, and only the rest, in which the groups differ, loses
more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import inf

from ...core.directed import float_above
from .output_probabilities import Question, Reference
from .reference_blocks import block_law, sum_upper

# Numbers of slots from which a length of blocks is used, and that length.
LENGTHS = ((1 << 20, 1024), (1 << 14, 256), (1 << 11, 128), (0, 64))
# The length of the blocks of slots that fill no longer one.
SHORT = 8
# Cells at first.
FIRST_CELLS = 4
# The width of a cell, as a share of the slots, that is not halved.
NARROW = 1.0 / 32.0

Groups = tuple[Sequence[Reference], Sequence[Reference]]


def delta_upper(
    groups: Groups, steps: int, question: Question, width: float, narrow: float = NARROW, longest: int = LENGTHS[0][1]
) -> float:
    """Return an upper bound of delta, whatever own records of the two groups the slots hold.

    Parameters
    ----------
    groups : two sequences of Reference
        Each record that a slot may hold has its gains dominated by one of them.
    steps : int
        The number of slots.
    question : Question
        Its weight is 1.
    width : float
        Relative width asked of sums.
    narrow : float
        The width of a cell, as a share of the slots, that is not halved.
    longest : int
        The largest length of a block.

    Returns
    -------
    float
        The bound, which is infinite where a group has none.

    """
    long = min(next(length for least, length in LENGTHS if steps >= least), longest)
    first_laws, second_laws = ([one.gains(question) for one in group] for group in groups)
    bits, either = groups[0][0].bits, [*first_laws, *second_laws]
    laws = [block_law(group, bits, steps, long) for group in (first_laws, second_laws, either)]
    laws.append(block_law(either, bits, steps, SHORT))
    if any(law is None for law in laws):
        return inf
    # The mean is the same but for the round-off of integers.
    start = -steps * min(law.cost for law in laws if law is not None)

    def bound(first: int, last: int) -> float:
        copies = [first // long, (steps - last) // long]
        rest = steps - sum(copies) * long
        copies += [rest // long, -(-(rest % long) // SHORT)]
        return sum_upper([(law, count) for law, count in zip(laws, copies, strict=True) if law], start, width)

    marks = [steps * k // FIRST_CELLS for k in range(FIRST_CELLS + 1)]
    cells = [(-bound(first, last), first, last) for first, last in zip(marks, marks[1:], strict=False)]
    heapify(cells)
    while cells[0][2] - cells[0][1] > max(narrow * steps, 1.0):
        _, first, last = heappop(cells)
        middle = (first + last) // 2
        for cell in ((first, middle), (middle, last)):
            heappush(cells, (-bound(*cell), *cell))
    worst = -cells[0][0]
    return min(float_above(Fraction(worst) / steps), 1.0) if worst < inf else inf
