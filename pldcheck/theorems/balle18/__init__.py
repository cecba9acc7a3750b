"""Balle, Barthe, Gaboardi (2018): amplification by subsampling, by couplings and divergences."""

from . import drawn_samples, drawn_with_replacement

THEOREMS = (*drawn_samples.THEOREMS, *drawn_with_replacement.THEOREMS)
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("drawn_sample_scenes",)
