"""Balle, Bell, Gascón, Nissim (2019): the privacy blanket of the shuffle model."""

from . import blanket_of_responses

THEOREMS = blanket_of_responses.THEOREMS
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("blanket_scene",)
