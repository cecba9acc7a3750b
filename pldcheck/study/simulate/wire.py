"""The channel between clients and server, and all messages that pass over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...core.arrays import Array


class Client(Protocol):
    """A client as the channel sees it."""

    def answer(self, model: Array) -> Array:
        """Return a randomized gradient at a model."""


@dataclass(frozen=True)
class Opened:
    """Message from the channel to the server: the number of clients in a slot, without their names."""

    slot: int
    arrivals: int


@dataclass(frozen=True, eq=False)
class Reply:
    """Message from the channel to the server: the answer of a client."""

    gradient: Array


@dataclass(frozen=True, eq=False)
class Request:
    """Message from the server, by the channel, to one client: its place in the open slot, and the model."""

    place: int
    model: Array


Message = Opened | Request | Reply


@dataclass
class Wire:
    """The trusted channel of the paper's model: it knows the slot of each client, and reveals only their number.

    Each slot can be opened once, in order.  A client without a slot, or in a slot that is not opened, leaves no trace
    at the server.  ``log`` has every message in order.
    """

    _queues: Sequence[Sequence[Client]] = field(repr=False)
    log: list[Message] = field(default_factory=list, repr=False)
    _slot: int = -1

    def open(self, slot: int) -> int:
        """Open the next slot and return the number of its clients."""
        if slot != self._slot + 1:
            raise RuntimeError(f"slot {slot} is opened after slot {self._slot}: slots are opened in order")
        self._slot = slot
        self.log.append(Opened(slot, len(self._queues[slot])))
        return len(self._queues[slot])

    def ask(self, place: int, model: Array) -> Array:
        """Ask one client of the open slot and return its answer."""
        self.log.append(Request(place, model.copy()))
        gradient = self._queues[self._slot][place].answer(model.copy())
        self.log.append(Reply(gradient.copy()))
        return gradient

    @property
    def to_server(self) -> Iterator[Opened | Reply]:
        """All messages that the server receives."""
        return (message for message in self.log if not isinstance(message, Request))
