"""Biswas, Jung, Palamidessi (2023): shuffled K-ary randomized response under histogram queries."""

from . import count_of_one_value

THEOREMS = count_of_one_value.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("count_scene",)
