"""Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta (2019): amplification by shuffling."""

from . import composed_steps

THEOREMS = composed_steps.THEOREMS
PROOFS: tuple[str, ...] = ("composed_steps_proof",)
REDUCTIONS: tuple[str, ...] = ()
