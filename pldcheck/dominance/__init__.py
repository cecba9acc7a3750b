"""Which theorem is implied by which other, by the reductions between their protocols, over the built-in grids."""

from __future__ import annotations

from .answer import Dominance as Dominance
from .answer import dominance as dominance
from .order import Comparison as Comparison
from .order import Order as Order
from .order import Turn as Turn
