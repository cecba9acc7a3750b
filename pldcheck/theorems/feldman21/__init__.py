"""Feldman, McMillan, Talwar (2021): amplification by shuffling, by clones."""

from . import clones

THEOREMS = clones.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()
