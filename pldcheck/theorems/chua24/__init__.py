"""Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha, Zhang (2024): batches that are shuffled, and that are cut."""

from . import cut_samples, shuffled_as_poisson

THEOREMS = (*shuffled_as_poisson.THEOREMS, *cut_samples.THEOREMS)
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("batch_scenes",)
