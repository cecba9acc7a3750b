"""Batches of work: cells to plan and tasks to solve, put together so that a batch takes a fraction of a second.

What a cell or a task is expected to take follows from those of its kind that were measured before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import frexp

from ..run_cells import Task
from ..suites import Cell
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
# The seconds that the planning of a cell is expected to take before one of its kind was measured: most take a hundredth
# of this.
UNKNOWN_PLAN = 5e-3
# The seconds that a task is expected to take before one of its kind was measured.  It is more than a batch, so the
# first ones of each kind are batches of their own.
UNKNOWN_TASK = 5.0
# The weight of a new measurement against those before it.
NEW = 0.25
# Powers of 2 that one class of a parameter spans: the cost rarely changes by more than this within a class.
SPAN = 3


@dataclass(slots=True)
class Unit:
    """A cell to plan or a task to solve, with a number of its own.

    Those of one ``kind`` and of one class ``of`` parameters are expected to take the same time, those of one ``family``
    share caches; ``losses`` counts the workers that were lost with it.
    """

    number: int
    entry: Cell | Work
    kind: Hashable
    of: Hashable = None
    family: Hashable = None
    losses: int = 0

    @property
    def is_cell(self) -> bool:
        """Whether it is a cell to plan."""
        return isinstance(self.entry, Cell)


def unit(number: int, entry: Cell | Work) -> Unit:
    """Return the unit of a cell or a task."""
    if isinstance(entry, Cell):
        return Unit(number, entry, (entry.theorem.id if entry.theorem else entry.protocol, entry.judged))
    if not isinstance(entry, Task):
        return Unit(number, entry, type(entry).__name__, family=number)
    problem = entry.problem
    classes = (
        frexp(value)[1] // SPAN if isinstance(value, int | float) else str(value)
        for value in problem.protocol.params().values()
    )
    kind = problem.protocol.name, problem.quantity
    return Unit(number, entry, kind, (*classes, entry.width), problem.protocol)


def parcel(units: Iterable[Unit], limit: float | None) -> Parcel:
    """Return the work of units, all of which are cells or all of which are tasks."""
    entries = [one.entry for one in units]
    cells = [entry for entry in entries if isinstance(entry, Cell)]
    tasks = tuple(entry for entry in entries if not isinstance(entry, Cell))
    return Parcel(strips_of(cells), tasks, limit, LONGEST)


@dataclass
class Costs:
    """Means of measured seconds, by kind and by class of parameters.

    A class that has not been measured is expected to cost as much as the most expensive one of its kind, so that it is
    begun early: what takes long must not be the last to begin.
    """

    means: dict[Hashable, float] = field(default_factory=dict)
    most: dict[Hashable, float] = field(default_factory=dict)
    count: int = 0

    def expected(self, one: Unit) -> float:
        """Return the expected seconds of a unit."""
        known = self.means.get((one.kind, one.of))
        return known if known is not None else self.most.get(one.kind, UNKNOWN_PLAN if one.is_cell else UNKNOWN_TASK)

    def measure(self, one: Unit, seconds: float) -> None:
        """Take into account what a unit took."""
        key = one.kind, one.of
        before = self.means.get(key, seconds)
        self.means[key] = before + NEW * (seconds - before)
        self.most[one.kind] = max(self.most.get(one.kind, 0.0), self.means[key])
        self.count += 1


class Waiting:
    """Units that wait: cells in their order, then tasks, those that share caches together and the longest first."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._cells: deque[Unit] = deque()
        self._tasks: list[Unit] = []  # the last one is taken first
        self._task_seconds = 0.0
        # The number of measurements at which tasks were sorted; none if they are not sorted.
        self._sorted_at: int | None = None

    def __len__(self) -> int:
        return len(self._cells) + len(self._tasks)

    @property
    def has_cells(self) -> bool:
        """Whether cells wait, which are done before all tasks."""
        return bool(self._cells)

    @property
    def seconds(self) -> float:
        """The expected seconds of all units."""
        self._sort()
        return self._task_seconds + (len(self._cells) * self.costs.expected(self._cells[0]) if self._cells else 0.0)

    def add(self, units: Iterable[Unit]) -> None:
        """Add units."""
        for one in units:
            if one.is_cell:
                self._cells.append(one)
            else:
                self._tasks.append(one)
                self._sorted_at = None

    def batch(self, workers: int, single: bool) -> list[Unit]:
        """Take the next batch for one of so many workers; ``single`` asks for one task at a time."""
        most = min(max(SHARE * self.seconds / workers, SHORTEST), LONGEST)
        source, end = (self._cells, 0) if self._cells else (self._tasks, -1)
        units: list[Unit] = []
        seconds = 0.0
        while source and len(units) < (1 if single else MOST):
            cost = self.costs.expected(source[end])
            if units and seconds + cost > most:
                break
            units.append(self._cells.popleft() if source is self._cells else self._tasks.pop())
            seconds += cost
        if source is self._tasks:
            self._task_seconds = max(self._task_seconds - seconds, 0.0) if source else 0.0
        return units

    def _sort(self) -> None:
        """Sort the tasks if there are new ones, or much was measured."""
        if self._sorted_at is not None and self.costs.count <= GROWTH * self._sorted_at:
            return
        costs = {one.number: self.costs.expected(one) for one in self._tasks}
        families: dict[Hashable, tuple[float, int]] = {}
        for one in self._tasks:
            most, first = families.get(one.family, (0.0, one.number))
            families[one.family] = max(most, costs[one.number]), min(first, one.number)

        def place(one: Unit) -> tuple[float, int, float, int]:
            most, first = families[one.family]
            return most, -first, costs[one.number], -one.number

        self._tasks.sort(key=place)
        self._task_seconds = sum(costs.values())
        self._sorted_at = self.costs.count
