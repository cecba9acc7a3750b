"""Liew, Takahashi (2022): the shuffle Gaussian mechanism."""

from . import shuffled_noise

THEOREMS = shuffled_noise.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("shuffled_noise_scene",)
