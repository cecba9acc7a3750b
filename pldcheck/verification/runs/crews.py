"""Crews: who does batches of work, in this process or elsewhere, and what is heard of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from . import cell_worker
from .cell_worker import Parts
from .sent_cells import Parcel


@dataclass(frozen=True)
class Done:
    """The parts of the batch with that number."""

    number: int
    parts: Parts


@dataclass(frozen=True)
class Lost:
    """The loss of a batch with its worker, or its error.

    ``reason`` says how the worker ended; ``place`` is the number of what was under way, if it is known.  ``late`` says
    that the worker was ended because that took too long.  A batch that was not begun was ``waiting``; one that a
    scheduler has itself given to several workers, all of which were lost, was ``tried``.
    """

    number: int
    reason: str
    place: int | None = None
    late: bool = False
    waiting: bool = False
    tried: bool = False


News = Done | Lost


class Crew(Protocol):
    """Workers that take batches."""

    # Whether batches go to other processes.
    remote: bool

    @property
    def count(self) -> int:
        """The number of workers."""

    @property
    def room(self) -> int:
        """The number of batches that can be given now, so that no worker waits."""

    @property
    def idle(self) -> int:
        """The number of workers that have nothing to do."""

    def give(self, number: int, parcel: Parcel) -> None:
        """Give a batch to a worker."""

    def ask_back(self) -> None:
        """Ask all workers for what they have not begun; a batch is then done with fewer parts, or none."""

    def forget(self, number: int) -> None:
        """Drop a batch: nothing more need be heard of it."""

    def news(self, seconds: float | None) -> Sequence[News]:
        """Return what is heard within this time; nothing if nothing is under way."""

    def close(self) -> None:
        """End all that is under way."""


class OwnProcess:
    """A crew of one, this process: a batch is done while its news is waited for."""

    remote = False
    count = 1

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Parcel]] = deque()

    @property
    def room(self) -> int:
        """The number of batches that can be given now."""
        return 1 - len(self._waiting)

    @property
    def idle(self) -> int:
        """The number of workers that have nothing to do."""
        return self.room

    def give(self, number: int, parcel: Parcel) -> None:
        """Give a batch."""
        self._waiting.append((number, parcel))

    def ask_back(self) -> None:
        """Ask for nothing: what was given is done at once."""

    def forget(self, number: int) -> None:
        """Drop nothing: what was given is done at once."""

    def news(self, seconds: float | None) -> Sequence[News]:
        """Return the parts of the batch that was given; it is done now."""
        if not self._waiting:
            return []
        number, parcel = self._waiting.popleft()
        return [Done(number, cell_worker.do(parcel))]

    def close(self) -> None:
        """End nothing: nothing is under way."""
