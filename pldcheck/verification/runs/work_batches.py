"""Batches of work: cells to plan and tasks to solve, put together so that a batch takes a fraction of a second."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from ..suites import Cell
from .cell_costs import UNKNOWN_PLAN, UNKNOWN_TASK, Costs, kind_of_cell, kind_of_work
from .sent_cells import Parcel, Work, strips_of

# The least and the largest expected seconds of a batch.  A batch costs some milliseconds besides its work, and so much
# work is lost if its worker is.
SHORTEST = 0.2
LONGEST = 1.0
# A batch is at most this share of what one worker would have to do if all got equal parts: near the end, batches become
# short.
SHARE = 0.25
# The most cells or tasks of a batch.
MOST = 4096
# Tasks are sorted anew when the number of measurements has grown by this factor.
GROWTH = 1.25


@dataclass(slots=True)
class Unit:
    """A cell to plan or a task to solve, with a number of its own.

    ``is_cell`` says which of them it is, ``losses`` counts the workers that were lost with it.
    """

    number: int
    entry: Cell | Work
    is_cell: bool
    kind: Hashable
    of: Hashable = None
    family: Hashable = None
    losses: int = 0


def unit(number: int, entry: Cell | Work) -> Unit:
    """Return the unit of a cell or a task."""
    if isinstance(entry, Cell):
        return Unit(number, entry, True, kind_of_cell(entry))
    return Unit(number, entry, False, *kind_of_work(entry))


def parcel(units: Iterable[Unit], limit: float | None) -> Parcel:
    """Return the work of units, all of which are cells or all of which are tasks."""
    entries = [one.entry for one in units]
    cells = [entry for entry in entries if isinstance(entry, Cell)]
    tasks = tuple(entry for entry in entries if not isinstance(entry, Cell))
    return Parcel(strips_of(cells), tasks, limit)


class Waiting:
    """Units that wait: cells in their order, then tasks, those that share caches together and the longest first."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._cells: deque[Unit] = deque()
        self._tasks: list[Unit] = []
        # The number of tasks and of measurements at which tasks were sorted.
        self._sorted_at = (0, 0)
        self._seconds = 0.0

    def __len__(self) -> int:
        return len(self._cells) + len(self._tasks)

    @property
    def has_cells(self) -> bool:
        """Whether cells wait, which are done before all tasks."""
        return bool(self._cells)

    def add(self, units: Iterable[Unit]) -> None:
        """Add units."""
        for one in units:
            if one.is_cell:
                self._cells.append(one)
            else:
                self._tasks.append(one)
                self._sorted_at = (0, 0)

    def expected(self, one: Unit) -> float:
        """Return the expected seconds of a unit."""
        return self.costs.expected(one.kind, one.of, UNKNOWN_PLAN if one.is_cell else UNKNOWN_TASK)

    @property
    def seconds(self) -> float:
        """The expected seconds of all units."""
        self._sort()
        ahead = len(self._cells) * self.expected(self._cells[0]) if self._cells else 0.0
        return self._seconds + ahead

    def batch(self, workers: int, single: bool) -> list[Unit]:
        """Take the next batch for one of so many workers; ``single`` asks for one task at a time."""
        if not self._cells:
            self._sort()
        most = min(max(SHARE * self.seconds / workers, SHORTEST), LONGEST)
        source = self._cells if self._cells else self._tasks
        units: list[Unit] = []
        seconds = 0.0
        while source and len(units) < (1 if single else MOST):
            one = source[0] if source is self._cells else source[-1]
            cost = self.expected(one)
            if units and seconds + cost > most:
                break
            units.append(self._cells.popleft() if source is self._cells else self._tasks.pop())
            seconds += cost
            if source is self._tasks:
                self._seconds = max(self._seconds - cost, 0.0) if source else 0.0
        return units

    def _sort(self) -> None:
        """Sort the tasks if there are new ones, or much was measured: the last one is taken first."""
        count, measured = self._sorted_at
        if count and self.costs.count <= GROWTH * measured:
            return
        costs = {one.number: self.expected(one) for one in self._tasks}
        families: dict[Hashable, float] = {}
        firsts: dict[Hashable, int] = {}
        for one in self._tasks:
            family = one.number if one.family is None else one.family
            families[family] = max(families.get(family, 0.0), costs[one.number])
            firsts.setdefault(family, one.number)
        keyed = []
        for one in self._tasks:
            family = one.number if one.family is None else one.family
            keyed.append((families[family], -firsts[family], costs[one.number], -one.number, one))
        keyed.sort(key=lambda key: key[:4])
        self._tasks = [key[-1] for key in keyed]
        self._seconds = sum(costs.values())
        self._sorted_at = (len(self._tasks) or 1, self.costs.count)
