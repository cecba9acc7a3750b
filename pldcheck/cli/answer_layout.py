"""One layout for every answer on a terminal: the certified ends, then a line for each thing that a reader asks next.

A line has a label and a text; :func:`lines` aligns the texts.  Ends are rounded outward, so that what is printed
contains the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isinf

from ..core.interval import Interval
from ..core.outward_decimals import ends, up
from ..core.parameters import typed
from ..protocols import Protocol
from ..report.decimal_ends import width

# Columns that a line's label takes, two of them before it: "  lower bound  ".
LABEL = 15
# What a missed width means where both bounds are of one kind, and where they are not.
SAME_ARGUMENT = "the grid of the computation is as fine as it gets"
OTHER_ARGUMENT = "the two bounds come from different arguments"
# What a relative width means next to zero.
NEAR_ZERO = "next to 0 no relative accuracy is possible; the width asked applies to delta there"

Line = tuple[str, str]


def lines(head: str, rest: Iterable[Line]) -> Iterator[str]:
    """Return the head, and below it each label with its text."""
    yield head
    for label, text in rest:
        yield f"  {label}".ljust(LABEL) + text


def headline(interval: Interval) -> str:
    """Return the quantity between its certified ends, in one line."""
    lower, upper = ends(interval.lower, interval.upper)
    return f"{interval.quantity} in [{lower}, {upper}], certified"


def width_line(interval: Interval, protocol: Protocol, asked: float) -> Line:
    """Return the width reached and the width asked; a missed one is said in words, with what would narrow it."""
    text = f"{width(interval)} reached, {up(100 * asked, 6)} % asked"
    if interval.relative_width <= asked:
        return "width", text
    if isinf(interval.upper):
        return "width", f"{text}: missed, because no finite upper bound is known here"
    if interval.lower == 0.0:
        return "width", f"{text}: missed; {NEAR_ZERO}"
    below, above = interval.sources or protocol.bounds
    reason = SAME_ARGUMENT if below == above else OTHER_ARGUMENT
    return "width", f"{text}: missed, because {reason}; {protocol.narrowing}"


def source_lines(interval: Interval, protocol: Protocol) -> Iterator[Line]:
    """Return what each end is from, in one line where both are from the same."""
    below, above = (
        source or usual for source, usual in zip(interval.sources or ("", ""), protocol.bounds, strict=True)
    )
    if below == above:
        yield "both bounds", below
        return
    yield "lower bound", below
    yield "upper bound", above


def answer(interval: Interval, protocol: Protocol, given: str, at: float, asked: float, seconds: float) -> list[str]:
    """Return the lines of an answer.

    Parameters
    ----------
    interval : Interval
        The answer of ``protocol``.
    protocol : Protocol
        What was asked, and what it says of its bounds.
    given : str
        The name of what the quantity was asked at, ``delta`` for an epsilon.
    at : float
        Its value.
    asked : float
        The relative width that was asked for.
    seconds : float
        How long the answer took.

    """
    about = [
        ("at", f"{given} = {typed(at)}, adjacency {protocol.reduced.adjacency}"),
        width_line(interval, protocol, asked),
        *source_lines(interval, protocol),
        ("time", f"{seconds:.1f} s"),
    ]
    return list(lines(headline(interval), about))
