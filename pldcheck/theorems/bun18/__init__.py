"""Bun, Dwork, Rothblum, Steinke (2018): truncated concentrated differential privacy."""

from . import truncated_sampling

THEOREMS = truncated_sampling.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("truncated_sampling_scene",)
