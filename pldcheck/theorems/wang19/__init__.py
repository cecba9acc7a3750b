"""Wang, Balle, Kasiviswanathan (2019): subsampled Rényi differential privacy."""

from . import drawn_without_replacement

THEOREMS = drawn_without_replacement.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("drawn_without_replacement_scene",)
