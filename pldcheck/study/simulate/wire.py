"""What goes over between clients and server, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...core.arrays import Array


class Client(Protocol):
    """What the channel needs of a client."""

    def answer(self, model: Array) -> Array:
        """Return a randomized gradient at a model."""


@dataclass(frozen=True)
class Opened:
    """Channel to server: so many clients stand in this slot, whoever they are."""

    slot: int
    arrivals: int


@dataclass(frozen=True, eq=False)
class Reply:
    """Channel to server: what the client that was asked has sent."""

    gradient: Array


@dataclass(frozen=True, eq=False)
class Request:
    """Server to channel, and on to one client: the place asked, in the queue of the open slot, and the model."""

    place: int
    model: Array


Message = Opened | Request | Reply


@dataclass
class Wire:
    """The privileged channel of the paper's model: it knows who stands where, and routes without telling.

    A slot can be opened once, in order; a client who stands in none, or in one that is never opened, leaves no trace on
    the server's side.  ``log``: every message in order.
    """

    _queues: Sequence[Sequence[Client]] = field(repr=False)
    log: list[Message] = field(default_factory=list, repr=False)
    _slot: int = -1

    def open(self, slot: int) -> int:
        """Return the number of clients in the next slot."""
        if slot != self._slot + 1:
            raise RuntimeError(f"slot {slot} opened after slot {self._slot}")
        self._slot = slot
        self.log.append(Opened(slot, len(self._queues[slot])))
        return len(self._queues[slot])

    def ask(self, place: int, model: Array) -> Array:
        """Return the answer of one client of the open slot."""
        self.log.append(Request(place, model.copy()))
        gradient = self._queues[self._slot][place].answer(model.copy())
        self.log.append(Reply(gradient.copy()))
        return gradient

    @property
    def to_server(self) -> Iterator[Opened | Reply]:
        """All that the server is ever told."""
        return (message for message in self.log if not isinstance(message, Request))
