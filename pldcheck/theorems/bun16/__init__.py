"""Bun, Steinke (2016): concentrated differential privacy."""

from . import concentrated_tail

THEOREMS = concentrated_tail.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()
