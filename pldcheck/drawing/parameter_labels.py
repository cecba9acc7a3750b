"""Symbols and labels of parameters and quantities, in the terms of the field."""

from __future__ import annotations

from math import inf
from typing import Any

from .figure_style import plain

# Parameters that measure the size of a protocol; a figure prefers the first of them for its horizontal axis.
SIZES = ("steps", "window", "clients", "rounds", "epochs", "dimension")
# The symbols of quantities.
SYMBOLS = {"epsilon": "ε", "delta": "δ", "renyi": "Rényi", "error": "error"}
# The symbols of parameters.
NAMES = {
    "eps0": "ε₀", "delta": "δ", "delta0": "δ₀", "delta1": "δ₁", "delta2": "δ₂", "epsilon": "ε", "sigma": "σ",
    "steps": "m", "window": "m", "clients": "n", "rounds": "T", "epochs": "E", "order": "α", "check_in_prob": "p₀",
    "weight": "w", "categories": "K",
}  # fmt: skip
# Words for axes, where a name is not said plainly by itself.
WORDS = {
    "eps0": "local budget",
    "sigma": "noise multiplier",
    "order": "Rényi order",
    "check_in_prob": "check-in probability",
    "rate": "sampling rate q",
    "scale": "Laplace scale",
    "renyi": "Rényi divergence",
    "error": "error",
    "delta": "",
    "epsilon": "",
}


def has_place(value: Any) -> bool:
    """Return whether a parameter's value has a place on a logarithmic axis."""
    return type(value) in (int, float) and 0.0 < value < inf


def axis_label(name: str) -> str:
    """Return the label of an axis: the parameter or quantity in words, and its symbol."""
    words = (WORDS.get(name, plain(name)), NAMES.get(name, ""))
    return " ".join(word for word in words if word)


def name_and_symbol(name: str) -> str:
    """Return a parameter's own name, and its symbol where it has one."""
    return f"{plain(name)} {NAMES[name]}" if name in NAMES else plain(name)
