"""Which theorem is implied by which other, by the reductions between their protocols, over the built-in grids."""

from __future__ import annotations

from .dominance_table import Dominance as Dominance
from .dominance_table import dominance as dominance
from .theorem_order import Comparison as Comparison
from .theorem_order import Order as Order
from .theorem_order import Turn as Turn

__all__ = [
    "Comparison",
    "Dominance",
    "Order",
    "Turn",
    "dominance",
]
