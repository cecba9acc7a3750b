"""Feldman, McMillan, Talwar (2022): amplification by shuffling, by stronger clones."""

from . import stronger_clones

THEOREMS = stronger_clones.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()
