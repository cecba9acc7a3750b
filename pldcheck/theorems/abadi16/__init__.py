"""Abadi et al. (2016): the moments accountant."""

from . import moments_accountant

THEOREMS = moments_accountant.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("moments_accountant_scene",)
