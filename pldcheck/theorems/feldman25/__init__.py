"""Feldman, Shenfeld (2025): privacy amplification by random allocation."""

from . import allocation_divergences, poisson_beside_allocation

THEOREMS = (*allocation_divergences.THEOREMS, *poisson_beside_allocation.THEOREMS)
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("allocation_scenes",)
