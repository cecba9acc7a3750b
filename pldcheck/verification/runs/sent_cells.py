"""Work in the form in which it is sent to workers: cells as strips of plain values, and tasks; and what comes back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count, groupby
from typing import Any, NamedTuple, Protocol

from ...theorems import REGISTRY
from ..run_cells import Answer, Plan, Task, plan_of, solve
from ..suites import Cell


class OtherWork(Protocol):
    """Work of a run that is no numeric problem: a file beside a row, say."""

    def solve(self) -> Answer:
        """Return the outcome; its reason, if there is one, says why it is none."""


# What a worker does at a time, besides the planning of cells.
Work = Task | OtherWork


# What is known of a cell or of a task once a worker has done it.
Outcome = Plan | Answer


class Strip(NamedTuple):
    """Cells that differ in the values of their parameters only: a millionth of a second each to send and to read."""

    theorem: str | None
    protocol: str | None
    quantity: str
    width: float | None
    judged: bool
    names: tuple[str, ...]
    values: list[tuple[Any, ...]]

    def cells(self) -> Iterator[Cell]:
        """Yield the cells."""
        theorem = REGISTRY[self.theorem] if self.theorem is not None else None
        for values in self.values:
            params = dict(zip(self.names, values, strict=True))
            yield Cell(theorem, self.protocol, self.quantity, params, self.width, self.judged)


@dataclass(frozen=True)
class Parcel:
    """The work of one batch: cells to plan, and tasks, after them; ``limit`` is the time in seconds that each may take.

    A worker that has had it for ``budget`` seconds hands back what it has not begun.  No two parcels of a process have
    the same ``number``.
    """

    strips: tuple[Strip, ...] = ()
    tasks: tuple[Work, ...] = ()
    limit: float | None = None
    budget: float = 1.0
    number: int = field(default_factory=count().__next__)

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the outcomes in their order; each is computed when it is asked for."""
        for strip in self.strips:
            yield from map(plan_of, strip.cells())
        for task in self.tasks:
            yield outcome_of(task)


@dataclass(frozen=True)
class Parts:
    """The outcomes of a parcel in their order; fewer than its cells and tasks if the worker hands back the rest.

    ``answers`` is the digest of the parcel, ``program`` that of the code; ``seconds`` is the time for all of them.  A
    computation that took too long has None as the last outcome, and may go on in its process.
    """

    answers: str
    program: str
    outcomes: list[Outcome | None]
    seconds: float

    @property
    def is_late(self) -> bool:
        """Whether the last outcome took too long."""
        return self.outcomes[-1:] == [None]


def digest(sent: bytes | Parcel) -> str:
    """Return the digest of a pickled parcel; of one that is not sent, but handed over in this process, its number."""
    return blake2b(sent).hexdigest() if isinstance(sent, bytes) else f"parcel {sent.number}"


def outcome_of(task: Work) -> Answer:
    """Return the answer to a task, or the reason why there is none."""
    if isinstance(task, Task):
        return solve(task)
    try:
        return task.solve()
    except Exception as error:  # an error in one piece of work must not end the run
        return Answer(None, 0.0, " ".join(f"{type(error).__name__}: {error}".split()))


def can_be_sent(cell: Cell) -> bool:
    """Return whether another process knows the cell's theorem by its id."""
    return cell.theorem is None or REGISTRY.get(cell.theorem.id) is cell.theorem


def strips_of(cells: Sequence[Cell]) -> tuple[Strip, ...]:
    """Return cells, whose theorems are registered, as strips in their order."""
    strips = []
    for head, group in groupby(cells, key=_head):
        strips.append(Strip(*head, [tuple(cell.params.values()) for cell in group]))
    return tuple(strips)


def _head(cell: Cell) -> tuple[str | None, str | None, str, float | None, bool, tuple[str, ...]]:
    theorem = cell.theorem.id if cell.theorem else None
    return theorem, cell.protocol, cell.quantity, cell.width, cell.judged, tuple(cell.params)
