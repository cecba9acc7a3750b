"""Zhu, Wang (2019): Poisson subsampled Rényi differential privacy."""

from . import poisson_samples

THEOREMS = poisson_samples.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ()
