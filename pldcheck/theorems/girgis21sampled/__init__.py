"""Girgis, Data, Diggavi (2021): Renyi differential privacy of the subsampled shuffle model."""

from . import sampled_clients

THEOREMS = sampled_clients.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("sampled_scenes",)
