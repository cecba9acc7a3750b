"""Girgis, Data, Diggavi, Suresh, Kairouz (2021): Renyi differential privacy of the shuffled model."""

from . import reduction_to_equal_records, renyi_of_shuffling, section_lemmas

THEOREMS = (*renyi_of_shuffling.THEOREMS, *reduction_to_equal_records.THEOREMS)
REMARKS = section_lemmas.REMARKS
PROOFS: tuple[str, ...] = ("reduction_proof",)
REDUCTIONS: tuple[str, ...] = ("fixed_randomizer_scenes",)
