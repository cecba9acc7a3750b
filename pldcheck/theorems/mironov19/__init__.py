"""Mironov, Talwar, Zhang (2019): Rényi differential privacy of the sampled Gaussian mechanism."""

from . import sampled_gaussian

THEOREMS = sampled_gaussian.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("sampled_gaussian_scenes",)
