"""The theorems pldcheck verifies, by id.

>>> REGISTRY["thm-3.2"](steps=1000, eps0=1, check_in_prob=1, delta=1e-6)
Bound('thm-3.2', epsilon=0.474925, delta_total=1e-06)
"""

from . import balle20
from .registry import Bound, Condition, Registry, Source, Theorem

REGISTRY = Registry(balle20.THEOREMS)

__all__ = ["REGISTRY", "Bound", "Condition", "Source", "Theorem"]
