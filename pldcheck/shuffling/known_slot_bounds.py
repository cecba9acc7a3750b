"""Upper ends of one hidden slot of a known randomizer, for all choices of the slots' own records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf

from ..hidden_slot.known import reference_blocks, two_group_blocks
from ..hidden_slot.known.output_probabilities import Question, Reference
from ..hidden_slot.known.two_group_blocks import Groups

# An upper bound of delta at an epsilon.
Upper = Callable[[float], float]

# Relative width asked of sums of blocks.
WIDTH = 1e-4
# The length of a block in a first bound, which decides in which order kinds of neighbours are tried.
SHORT_BLOCK = 16
# About the products of one bound, at 1 to 2 ns each: longer blocks are nearer.
WORK = 1e8
# Slots up to which one block holds twice as many, where there are two groups.
ONE_BLOCK = 300
# The same for one point of a curve.
QUICK_WORK = 1e7
# Lengths of a block that are worth while.
LENGTHS = (64, 4096)


@dataclass(frozen=True)
class Cells:
    """The width of a cell of slots, as a share of them, that is not halved, and the largest length of a block."""

    narrow: float
    longest: int


# Cells for one answer.
NEAR = Cells(1.0 / 16.0, 1024)
# Cells for one point of a curve.
QUICK = Cells(0.25, 64)


def upper(kinds: Sequence[Sequence[Reference]], slots: int, work: float = WORK) -> Upper:
    """Return an upper bound of delta of one record hidden in slots, for the worst of several kinds of neighbours.

    Parameters
    ----------
    kinds : sequence of sequences of Reference
        For each kind of neighbours laws of gains; each record that a slot may hold has its gains dominated by one.
    slots : int
        The number of slots.
    work : float
        About the products of one bound: more are nearer and take longer.

    Returns
    -------
    callable
        Takes an epsilon of at least 0 and returns the bound there, which is infinite where there is none.

    """

    def bound_of(kind: Sequence[Reference], question: Question) -> float:
        size = sum(one.gains(question)[1].size for one in kind)
        # The windows of a block of b slots have up to about 4/3 SPAN/GRID b^1.5 nodes.
        length = (0.75 * work * reference_blocks.GRID / (reference_blocks.SPAN * size)) ** (2.0 / 3.0)
        length = int(min(max(length, LENGTHS[0]), LENGTHS[1]))
        return _upper_of(kind, slots, question, length)

    @cache
    def delta(epsilon: float) -> float:
        question, worst = Question(epsilon, 1.0), 0.0
        if len(kinds) == 1:
            return bound_of(kinds[0], question)
        first = [_upper_of(kind, slots, question, SHORT_BLOCK) for kind in kinds]
        for short, kind in sorted(zip(first, kinds, strict=True), key=lambda one: one[0], reverse=True):
            if short <= worst:  # and so are all that follow
                break
            worst = max(worst, min(short, bound_of(kind, question)))
            if worst == inf:
                break
        return worst

    return delta


def _upper_of(kind: Sequence[Reference], slots: int, question: Question, length: int) -> float:
    """Return the bound for one kind of neighbours, with blocks of a length where there are more slots than two."""
    laws = [one.gains(question) for one in kind]
    shapes = ((length, reference_blocks.GRID),)
    return reference_blocks.delta_upper(laws, kind[0].bits, slots, question.weight, WIDTH, shapes).upper


def upper_of_groups(groups: Groups, slots: int, cells: Cells = NEAR) -> Upper:
    """Return an upper bound of delta of one record hidden in slots, whose own records are of two groups.

    Parameters
    ----------
    groups : two sequences of Reference
        Laws of gains for one kind of neighbours; each record that a slot may hold has its gains dominated by one.
    slots : int
        The number of slots.
    cells : Cells
        How wide cells of slots and how long blocks are.

    Returns
    -------
    callable
        Takes an epsilon of at least 0 and returns the bound there, which is infinite where there is none.

    """
    either = {id(one): one for group in groups for one in group}.values()

    @cache
    def delta(epsilon: float) -> float:
        question = Question(epsilon, 1.0)
        if slots <= ONE_BLOCK:
            return _upper_of(list(either), slots, question, ONE_BLOCK)
        return two_group_blocks.delta_upper(groups, slots, question, WIDTH, cells.narrow, cells.longest)

    return delta
