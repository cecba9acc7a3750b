"""Decimal texts of numbers, as the files of certificates have them."""

from __future__ import annotations

from decimal import Decimal

# Numbers above this, and below its inverse, are written without an exponent.
PLAIN = 1e-4


def decimal_text(value: float | int) -> str:
    """Return the shortest decimal that a float is read from, without an exponent sign."""
    return f"{Decimal(repr(value)):f}" if 1e-9 < abs(value) < 1e25 else repr(value).replace("+", "")


def decimal_form(number: Decimal) -> str:
    """Return a number as the programs read it, without an exponent if it is neither small nor large."""
    return f"{number:f}" if PLAIN < number < 1.0 / PLAIN else f"{number:e}".replace("e+", "e")
