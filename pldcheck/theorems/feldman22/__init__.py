"""Feldman, McMillan, Talwar (2022): amplification by shuffling, by stronger clones."""

from . import approximate_clones, clones_divergences, stronger_clones

THEOREMS = (*stronger_clones.THEOREMS, *approximate_clones.THEOREMS, *clones_divergences.THEOREMS)
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("clones_scenes",)
