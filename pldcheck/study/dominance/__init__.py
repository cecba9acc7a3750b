"""Comparison of theorems: one implies another, by the reductions between their protocols, over the built-in grids.

Read ``theorem_order`` first (two theorems on one grid), then ``carried_values`` (how the parameters of one become those
of the other, by which chain of reductions), and ``dominance_table`` (all pairs, in words).
"""

from __future__ import annotations

from .dominance_table import Dominance, dominance
from .theorem_order import Comparison, Order, Turn

__all__ = ["Comparison", "Dominance", "Order", "Turn", "dominance"]
