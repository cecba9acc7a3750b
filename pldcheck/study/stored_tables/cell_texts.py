"""Stored values as texts of cells: lower ends rounded down, upper ends rounded up, anything else to the nearest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.outward_decimals import down, up
from ...core.parameters import number_text
from ...report.page_table import NOTHING

# The texts that stand for infinite numbers in a file.
INFINITE = ("inf", "-inf")


def low(value: Any, digits: int = 6) -> str:
    """Return a lower end, rounded down; raise TypeError or ValueError for what is neither a number nor missing."""
    return NOTHING if value is None else value if value in INFINITE else down(_number(value), digits)


def high(value: Any, digits: int = 6) -> str:
    """Return an upper end, rounded up; raise TypeError or ValueError for what is neither a number nor missing."""
    return NOTHING if value is None else value if value in INFINITE else up(_number(value), digits)


def near(value: Any) -> str:
    """Return a value that is no end of an interval: numbers to six digits, texts as they are."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number_text(float(f"{value:.6g}"))
    return NOTHING if value is None else str(value)


def end(name: str, value: Any) -> str:
    """Return a value in the direction of its name: one that ends in ``lower`` is rounded down, in ``upper`` up."""
    return low(value) if name.endswith("lower") else high(value) if name.endswith("upper") else near(value)


def point(params: Mapping[str, Any]) -> str:
    """Return named parameters on one line."""
    return ", ".join(f"{name}={near(value)}" for name, value in params.items() if value is not None)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("an end of an interval is not a number")
    return float(value)
