"""Mironov (2017): Rényi differential privacy."""

from . import basic_mechanisms

THEOREMS = basic_mechanisms.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("basic_mechanism_scenes",)
