"""Random check-ins with a sliding window (section 4.2 of Balle et al. 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nextafter
from types import MappingProxyType
from typing import ClassVar

from ..core.errors import ParameterError
from ..core.interval import Interval
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import LARGER_BUDGET, MORE_SLOTS, WORST_BOUNDS, Direction, Examples, falls, rises
from .hidden_slot import HiddenSlot


@dataclass(frozen=True)
class SlidingWindow(Protocol):
    """Each client checks in to one slot of its own window, which begins one slot after the client before.

    The window of client j has the slots j to j + ``window`` - 1.  Slots ``window`` to ``clients`` are released, so that
    a client sees at most ``visible`` slots of its window released: all of them if there are at least 2 window - 1
    clients.  Answers hold whichever of the other clients take part, and are attained where none of them does: then the
    record is in a hidden slot of ``visible`` slots, and in one of them with probability visible / window.  Replacement
    adjacency.

    Parameters
    ----------
    window : int
        Slots of one client.
    clients : int
        How many there may be, the record's own included; at least ``window``.
    eps0, delta0 : float
        The guarantee of every local randomizer.

    """

    window: int
    clients: int
    eps0: float
    delta0: float = 0.0
    name: ClassVar[str] = "sliding-window"
    default_width: ClassVar[float] = 0.005
    bounds: ClassVar[tuple[str, str]] = WORST_BOUNDS
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "window": falls(MORE_SLOTS, 1000, most="clients"),
            "eps0": rises(LARGER_BUDGET, 1.0),
        }
    )
    unwritten: ClassVar[str] = ""
    examples: ClassVar[Examples] = Examples(
        calibrate=("window", 0.2), witness="--window 100 --clients 5000 --eps0 1 --delta 1e-6"
    )

    def _check(self) -> None:
        if self.clients < self.window:
            raise ParameterError("clients", f"at least window = {self.window}", self.clients)

    @property
    def visible(self) -> int:
        """The largest number of slots of one window that are released."""
        return min(self.window, self.clients - self.window + 1)

    @property
    def slots(self) -> tuple[HiddenSlot, HiddenSlot]:
        """Two hidden slots, the first at most and the second at least as revealing; they are often the same one.

        Revealing less often reveals less, so that visible / window may be rounded down in one and up in the other.
        """
        exact = Fraction(self.visible, self.window)
        nearest = float(exact)
        below = nearest if Fraction(nearest) <= exact else nextafter(nearest, 0.0)
        above = nearest if Fraction(nearest) >= exact else nextafter(nearest, inf)
        less = HiddenSlot(self.visible, self.eps0, below, delta0=self.delta0)
        return less, replace(less, weight=above)

    @property
    def reduced(self) -> HiddenSlot | SlidingWindow:
        """The equivalent hidden slot; the protocol itself if that slot's weight is not a floating-point number."""
        less, more = self.slots
        return less if less == more else self

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """Return the smallest epsilon such that check-ins to sliding windows are (epsilon, delta)-DP."""
        less, more = self.slots
        upper = more.epsilon(delta, width)
        return upper if less == more else upper.with_lower(less.epsilon(delta, width), upper.budget)

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0, that of the hidden slots."""
        less, more = self.slots
        return more.pure_epsilon().with_lower(less.pure_epsilon())

    @delta_at_each
    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """Return the smallest delta such that check-ins to sliding windows are (epsilon, delta)-DP."""
        less, more = self.slots
        upper = more.delta(epsilon, width)
        return upper if less == more else upper.with_lower(less.delta(epsilon, width), upper.budget)

    def renyi(self, order: float, width: float = 0.005) -> Interval:
        """Return the Renyi divergence of an order, the larger of the two directions.

        Parameters
        ----------
        order : float above 1
        width : float in (0, 1)
            Relative width that computations may add, about.

        Returns
        -------
        Interval

        Raises
        ------
        ParameterError
            If ``order`` is not above 1, ``width`` is not in (0, 1), or ``delta0`` is positive.

        """
        less, more = self.slots
        upper = more.renyi(order, width)
        return upper if less == more else upper.with_lower(less.renyi(order, width), upper.budget)
