"""The servers: they see how many clients are in each slot and the answers to their requests, and they keep the model.

They do not know who the clients are, how many there are, or who abstained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...core.arrays import Array
from .party_draws import Draws

# The role of the random numbers with which a server chooses clients.
SERVER = 2
# The role of the random numbers of dummy updates.
DUMMY = 3


class Channel(Protocol):
    """The channel as a server sees it: all that a server can do with clients."""

    def open(self, slot: int) -> int:
        """Open the next slot and return the number of its clients."""

    def ask(self, place: int, model: Array) -> Array:
        """Ask the client at a place in the open slot and return its answer."""


class Server(Protocol):
    """A server, which releases models after an exchange over a channel."""

    def serve(self, wire: Channel) -> Array:
        """Return the released models, with a row for each slot."""


class Dummies(Protocol):
    """The part of a local randomizer that the server runs: dummy updates, which need no gradient."""

    def dummy(self, size: int, draws: Draws) -> Array:
        """Return a dummy update, A(0)."""


@dataclass(frozen=True)
class Descent:
    """The model update of Algorithm 1: a step of ``rates[slot]`` for each ``batch`` of slots, projected to a ball."""

    rates: Array
    radius: float
    size: int
    batch: int = 1

    def step(self, slot: int, model: Array, total: Array) -> Array:
        """Return the model after a step, projected to the ball."""
        model = model - self.rates[slot] / self.batch * total
        length = float(np.sqrt(model @ model))
        return model * (self.radius / length) if length > self.radius else model


@dataclass(frozen=True)
class OneOfThem:
    """The server that asks one uniform client of each slot, and applies a dummy update where there is none (A_fix).

    If ``dummies`` is None, an empty slot has no update.  ``choices`` and ``noise`` are the draws of the server; the
    latter has a member for each slot.
    """

    descent: Descent
    dummies: Dummies | None
    choices: Draws
    noise: Draws

    def serve(self, wire: Channel) -> Array:
        """Return the released models, with a row for each slot."""
        size = self.descent.size
        models, model, total = [], np.zeros(size), np.zeros(size)
        for slot in range(len(self.descent.rates)):
            arrivals = wire.open(slot)
            if arrivals:
                total = total + wire.ask(self.choices.below(slot, arrivals) if arrivals > 1 else 0, model)
            elif self.dummies:
                total = total + self.dummies.dummy(size, self.noise.member(slot))
            if (slot + 1) % self.descent.batch == 0:
                model, total = self.descent.step(slot, model, total), np.zeros(size)
            models.append(model)
        return np.array(models)


@dataclass(frozen=True)
class AllOfThem:
    """The server that asks all clients of a slot at one model and applies their average (A_avg and A_bin).

    An empty slot has no update.
    """

    descent: Descent

    def serve(self, wire: Channel) -> Array:
        """Return the released models, with a row for each slot."""
        size = self.descent.size
        models, model, total = [], np.zeros(size), np.zeros(size)
        for slot in range(len(self.descent.rates)):
            arrivals = wire.open(slot)
            if arrivals:
                total = total + sum(wire.ask(place, model) for place in range(arrivals)) / arrivals
            if (slot + 1) % self.descent.batch == 0:
                model, total = self.descent.step(slot, model, total), np.zeros(size)
            models.append(model)
        return np.array(models)
