"""The verdicts of a run as a table in plain text, which ``print(report)`` shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.outward_decimals import down, safe

if TYPE_CHECKING:
    from .run_rows import Report

# Digits of a tightness.
DIGITS = 3
TIGHTNESS = ("min", "median", "max")


def text(report: Report) -> str:
    """Return a line a theorem: its cells, how often each verdict was given, and its claim over the truth."""
    verdicts = [verdict for verdict, count in report.counts.items() if count]
    table = [["theorem", "cells", *map(str, verdicts), *TIGHTNESS]]
    for entry in report.summary():
        tightness = [down(value, DIGITS) for value in entry.tightness] if entry.tightness else ["–"] * len(TIGHTNESS)
        counts = [str(entry.counts.get(verdict, 0)) for verdict in verdicts]
        table.append([safe(entry.theorem), str(entry.cells), *counts, *tightness])
    return "\n".join([f"suite {safe(report.suite)}; min, median, max: claim / certified upper bound", *_aligned(table)])


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, names to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for name, *numbers in table:
        cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *cells]))
    return lines
