"""Bu, Dong, Long, Su (2020): deep learning with Gaussian differential privacy."""

from . import sampled_limit

THEOREMS = sampled_limit.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("sampled_limit_scene",)
