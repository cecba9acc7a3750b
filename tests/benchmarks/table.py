"""The table: a line a case and peer, the cost curves, the aims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .case import Row

HEADS = ("", "case", "ours", "width", "x limit", "MB", "peer", "theirs", "width", "verdict", "faster")
LEFT_COLUMNS = {1, 6, 9}
FITS = ("cost curve", "from", "to", "seconds", "", "exponent", "upper half")
AIMS = ("aim", "", "wanted", "measured", "")
MOST = 46


def lines(rows: Sequence[Row], fits: Sequence[dict[str, Any]], aims: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield all lines of the table."""
    yield from align([HEADS, *(cells(row) for row in rows if not row.curve)], LEFT_COLUMNS)
    if fits:
        yield ""
        yield from align([FITS, *map(fit, fits)], {0})
    yield ""
    yield from align([AIMS, *map(aim, aims)], {1, 4})


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of one row."""
    has_answer = row.peer_seconds is not None
    return (
        row.task,
        row.case[:MOST],
        seconds(row.seconds) if not row.status else row.status,
        share(row.width),
        "-" if row.limit_ratio is None else f"{row.limit_ratio:.3g}",
        "-" if row.megabytes is None else f"{row.megabytes:.0f}",
        row.peer or "-",
        seconds(row.peer_seconds) if has_answer else "-",
        share(row.peer_width),
        row.verdict or "-",
        "-" if row.ratio is None else f"{'' if has_answer else '>'}{row.ratio:.3g}",
    )


def seconds(value: float | None) -> str:
    """Return seconds to three digits."""
    return "-" if value is None else f"{value:.3g} s"


def share(value: float | None) -> str:
    """Return a relative width to two digits."""
    return "-" if value is None else f"{value:.1e}"


def fit(one: dict[str, Any]) -> tuple[str, ...]:
    """Return one cost curve: its ends, and the exponent of all of it and of its upper half."""
    (first, quick), (last, slow) = one["points"][0], one["points"][-1]
    ends = (f"{first:.3g}", f"{last:.3g}", seconds(quick), seconds(slow))
    return (one["curve"], *ends, f"{one['exponent']:.2f}", f"{one['upper_half']:.2f}")


def aim(one: dict[str, Any]) -> tuple[str, ...]:
    """Return what is wanted, what was measured, and whether that meets it."""
    figure, unit = one["figure"], one["unit"]
    sign = "<=" if one["at_most"] else ">="
    figure_text = "-" if figure is None else f"{'>' if one['at_least'] else ''}{figure:.3g} {unit}".strip()
    unknown = "not measured" if figure is None else "not decided: cut too soon"
    outcome = {True: "met", False: "NOT MET", None: unknown}[one["met"]]
    return one["task"], one["aim"], f"{sign} {one['target']:.3g} {unit}".strip(), figure_text, outcome


def align(rows: Iterable[Sequence[str]], left_columns: set[int]) -> Iterator[str]:
    """Yield lines of columns, numbers to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if at in left_columns else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
