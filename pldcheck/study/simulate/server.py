"""The servers: they see how many stand in each slot and what those asked send, and keep the model.

They know nothing of clients: neither who they are, nor how many there are, nor who abstained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...core.arrays import Array
from .party_draws import Draws

# Roles of the streams of a server: its choices, its dummies.
SERVER = 2
DUMMY = 3


class Channel(Protocol):
    """All that a server can do with clients."""

    def open(self, slot: int) -> int:
        """Return the number of clients in the next slot."""

    def ask(self, place: int, model: Array) -> Array:
        """Return the answer of one of them."""


class Server(Protocol):
    """A server: it is given a channel and releases models."""

    def serve(self, wire: Channel) -> Array:
        """Return the released models, one row a slot."""


class Dummies(Protocol):
    """The local randomizer as far as the server runs it: on nobody's gradient."""

    def dummy(self, size: int, draws: Draws) -> Array:
        """Return A(0)."""


@dataclass(frozen=True)
class Descent:
    """Model Update of Algorithm 1: steps ``rates``, one a ``batch`` of slots, back to a ball in ``size`` dimensions."""

    rates: Array
    radius: float
    size: int
    batch: int = 1

    def moved(self, slot: int, model: Array, gathered: Array) -> Array:
        """Return the next model."""
        model = model - self.rates[slot] / self.batch * gathered
        length = float(np.sqrt(model @ model))
        return model * (self.radius / length) if length > self.radius else model


@dataclass(frozen=True)
class OneOfThem:
    """A_fix and its kin: one uniform client of each slot answers, a dummy where there is none.

    ``dummies``: None leaves a dummy out of the update.  ``choices``, ``noise``: its own draws, the latter a family
    with a member for each slot.
    """

    descent: Descent
    dummies: Dummies | None
    choices: Draws
    noise: Draws

    def serve(self, wire: Channel) -> Array:
        """Return the released models, one row a slot."""
        size = self.descent.size
        models, model, gathered = [], np.zeros(size), np.zeros(size)
        for slot in range(len(self.descent.rates)):
            arrivals = wire.open(slot)
            if arrivals:
                gathered = gathered + wire.ask(self.choices.below(slot, arrivals) if arrivals > 1 else 0, model)
            elif self.dummies:
                gathered = gathered + self.dummies.dummy(size, self.noise.member(slot))
            if (slot + 1) % self.descent.batch == 0:
                model, gathered = self.descent.moved(slot, model, gathered), np.zeros(size)
            models.append(model)
        return np.array(models)


@dataclass(frozen=True)
class AllOfThem:
    """A_avg and A_bin: all of a slot answer at one model, their average is applied, an empty slot is skipped."""

    descent: Descent

    def serve(self, wire: Channel) -> Array:
        """Return the released models, one row a slot."""
        size = self.descent.size
        models, model, gathered = [], np.zeros(size), np.zeros(size)
        for slot in range(len(self.descent.rates)):
            arrivals = wire.open(slot)
            if arrivals:
                gathered = gathered + sum(wire.ask(place, model) for place in range(arrivals)) / arrivals
            if (slot + 1) % self.descent.batch == 0:
                model, gathered = self.descent.moved(slot, model, gathered), np.zeros(size)
            models.append(model)
        return np.array(models)
