"""Kairouz, Oh, Viswanath (2015): the composition theorem for differential privacy."""

from . import simplified_composition

THEOREMS = simplified_composition.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()
