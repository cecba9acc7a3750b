"""The seconds that a cell or a task is expected to take, from those that were measured before."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import frexp
from typing import Any

from ..run_cells import Task
from ..suites import Cell
from .sent_cells import Work

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


@dataclass
class Costs:
    """Means of measured seconds, by kind and by class of parameters.

    A class that has not been measured is expected to cost as much as the most expensive one of its kind, so that it is
    begun early: what takes long must not be the last to begin.
    """

    means: dict[Hashable, float] = field(default_factory=dict)
    most: dict[Hashable, float] = field(default_factory=dict)
    count: int = 0

    def expected(self, kind: Hashable, of: Hashable, unknown: float) -> float:
        """Return the expected seconds of a class of this kind."""
        known = self.means.get((kind, of))
        return known if known is not None else self.most.get(kind, unknown)

    def measure(self, kind: Hashable, of: Hashable, seconds: float) -> None:
        """Take a measurement into account."""
        key = (kind, of)
        before = self.means.get(key)
        self.means[key] = seconds if before is None else before + NEW * (seconds - before)
        self.most[kind] = max(self.most.get(kind, 0.0), self.means[key])
        self.count += 1


def kind_of_cell(cell: Cell) -> Hashable:
    """Return the kind of a cell to be planned."""
    return cell.theorem.id if cell.theorem else cell.protocol, cell.judged


def kind_of_work(work: Work) -> tuple[Hashable, Hashable, Hashable]:
    """Return the kind of a task, its class of parameters, and what names the tasks that share caches with it."""
    if not isinstance(work, Task):
        return type(work).__name__, None, None
    problem = work.problem
    own = problem.protocol.params()
    return (problem.protocol.name, problem.quantity), (*_classes(own), work.width), problem.protocol


def _classes(params: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return the coarse class of each parameter: a range of numbers, or the word itself."""
    return tuple(frexp(value)[1] // SPAN if isinstance(value, int | float) else str(value) for value in params.values())
