"""Whitehouse, Ramdas, Rogers, Wu (2023): fully adaptive composition."""

from . import adaptive_composition

THEOREMS = adaptive_composition.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()
