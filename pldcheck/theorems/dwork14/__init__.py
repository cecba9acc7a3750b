"""Dwork, Roth (2014): the algorithmic foundations of differential privacy."""

from . import classic_bounds

THEOREMS = classic_bounds.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("classic_scenes",)
