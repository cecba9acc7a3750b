"""Gopi, Lee, Wutschitz (2021): numerical composition of differential privacy."""

from . import lattice_errors

THEOREMS = lattice_errors.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("lattice_error_scenes",)
