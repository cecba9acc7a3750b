"""Dong, Roth, Su (2019): Gaussian differential privacy."""

from . import many_steps

THEOREMS = many_steps.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("many_steps_scenes",)
