"""Vadhan (2017): the complexity of differential privacy."""

from . import group_privacy

THEOREMS = group_privacy.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("group_scenes",)
