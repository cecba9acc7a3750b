"""Tables of what figures are drawn from: comparisons and waterfalls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ...report.page_table import Table, make_table
from ..comparisons import CONCLUSIONS, ROWS, Comparison
from ..comparisons.comparison import heads as column_heads
from ..waterfall.waterfall import Waterfall
from .cell_texts import end, high, low


def comparison(name: str, stored: Comparison[Any]) -> Iterator[Table | None]:
    """Yield the rows of a comparison; the ends of certified intervals are named by their last word."""
    texts = {
        entry.name for entry in fields(ROWS[stored.name]) if str(entry.type).removesuffix(" | None") in ("str", "bool")
    }
    # What a row is about, or whether a bound is false there, stands before its numbers.
    names = sorted((entry.name for entry in fields(ROWS[stored.name])), key=lambda name: name not in texts)
    lines = [tuple(end(column, getattr(row, column)) for column in names) for row in stored.rows]
    heads = [column_heads(ROWS[stored.name])[name] for name in names]
    numeric = [place for place, column in enumerate(names) if column not in texts]
    note = "Columns that end in lower or upper are certified ends, rounded outward; the others are formulas."
    if stored.name in CONCLUSIONS and (told := CONCLUSIONS[stored.name](stored)):
        note += f" {told[0].upper()}{told[1:]}."
    yield make_table(f"{name}-rows", f"Rows of: {stored.title}", heads, lines, numeric, note, folded=True)


def waterfall(name: str, fall: Waterfall) -> Iterator[Table | None]:
    """Yield the levels of a proof with their certified ends."""
    lines = [(level.name, level.title, low(level.interval.lower), high(level.interval.upper)) for level in fall.levels]
    heads = ("level", "what it is", "lower end", "upper end")
    yield make_table(f"{name}-levels", f"Levels of the proof of {fall.theorem}", heads, lines, (2, 3), folded=True)
