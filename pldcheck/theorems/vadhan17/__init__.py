"""Vadhan (2017): the complexity of differential privacy."""

from . import groups_of_records

THEOREMS = groups_of_records.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("group_scenes",)
