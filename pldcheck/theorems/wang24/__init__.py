"""Wang, Peng, Li, Wen, Li, Yu, Wang, Yang (2024): variation-ratio reduction of shuffling, which is false."""

from . import variation_ratio

THEOREMS = variation_ratio.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("response_scenes",)
