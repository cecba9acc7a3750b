"""Girgis, Data, Diggavi, Suresh, Kairouz (2021): Renyi differential privacy of the shuffled model."""

from . import renyi_of_shuffling

THEOREMS = renyi_of_shuffling.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("fixed_randomizer_scenes",)
