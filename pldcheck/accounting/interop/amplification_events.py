"""Events that dp_accounting lacks: a record is hidden among steps, slots or clients.

They are subclasses of its events, so they can stand in trees of its composed and self-composed events.  ``from_event``
accounts for them; the accountants of dp_accounting report that they do not support them.
"""

from __future__ import annotations

import attr
from dp_accounting import DpEvent


@attr.s(frozen=True, slots=True, auto_attribs=True)
class RandomCheckInDpEvent(DpEvent):
    """Represents one epoch of random check-ins with a fixed window (Algorithm 1 of Balle et al. 2020).

    Each client checks in with probability ``check_in_prob`` to one of ``steps`` slots, chosen uniformly, without
    telling which.  In each slot one of those that checked in is chosen, or a reference record if there is none, and
    used by an ``eps0``-DP randomizer that sees all earlier outputs; all outputs are released.  The number of clients is
    not known.  One record is replaced.
    """

    steps: int
    eps0: float
    check_in_prob: float = 1.0


@attr.s(frozen=True, slots=True, auto_attribs=True)
class RandomAllocationDpEvent(DpEvent):
    """Represents one epoch of random allocation, also known as balls-in-bins sampling where one step is selected.

    Each record takes part in ``num_selected`` of ``num_steps`` steps, chosen uniformly at random and independently of
    the other records.  In each step ``event`` is applied to those that take part.  One record is added or removed.
    """

    num_steps: int
    num_selected: int
    event: DpEvent


@attr.s(frozen=True, slots=True, auto_attribs=True)
class ShuffleDpEvent(DpEvent):
    """Represents one round of shuffling: ``clients`` records go through a randomizer each, in uniformly random order.

    ``randomizer`` is a number eps0 for any eps0-DP randomizers, each of which may depend on all earlier outputs, or the
    event of one mechanism, applied to every record by itself: randomized response, or Laplace or Gaussian noise on
    numbers in an interval, whose length is the sensitivity.  One record is replaced.
    """

    clients: int
    randomizer: float | DpEvent
