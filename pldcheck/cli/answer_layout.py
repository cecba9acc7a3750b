"""The layout of every answer on a terminal: the certified ends, and below them one line for each further fact.

A line has a label and a text; :func:`lines` aligns the texts.  Ends are rounded outward, so that what is printed
contains the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, isinf
from textwrap import wrap
from typing import Any

from ..core.interval import Interval
from ..core.outward_decimals import ends
from ..core.parameters import number_text
from ..protocols import Protocol
from ..report.decimal_ends import width

# Columns that a line's label takes, two of them before it: "  lower bound  ".
LABEL = 15
# Columns of a terminal that an answer takes.
COLUMNS = 100
# Reasons for a wide answer: both bounds are from one computation, or they are not, or there is no upper one, or the
# answer is 0.
SAME_ARGUMENT = "the two bounds come from one computation, on the finest grid that was tried"
OTHER_ARGUMENT = "the two bounds come from different arguments"
NO_UPPER = "here no finite number is known from above"
NEAR_ZERO = "next to 0 no relative accuracy is possible; a width asked for applies to delta"
# The relative width above which an answer is explained even if nobody asked for a width of it.
WIDE = 0.05

# The printed texts of adjacencies whose names alone are not clear.
ADJACENCIES = {
    "any": "any (neighbours are the data that the sensitivity or the eps0 is stated for)",
}
# The parameters that are one text where there are several epochs.
ONE_RUN = ("steps", "epochs")
# A space at which no line ends.
FIRM_SPACE = "\N{NO-BREAK SPACE}"

Line = tuple[str, str]


def lines(head: str, rest: Iterable[Line]) -> Iterator[str]:
    """Return the head and below it each label with its text; a long text continues on further lines.

    No line begins with a percent sign.
    """
    yield head
    for label, text in rest:
        parts = wrap(text.replace(" %", f"{FIRM_SPACE}%"), COLUMNS - LABEL, break_long_words=False)
        first, *more = [part.replace(FIRM_SPACE, " ") for part in parts] or [""]
        yield f"  {label}".ljust(LABEL) + first
        for line in more:
            yield " " * LABEL + line


def adjacency_text(adjacency: str) -> str:
    """Return the printed text of an adjacency."""
    return f"adjacency {ADJACENCIES.get(adjacency, adjacency)}"


def question_text(protocol: Protocol) -> str:
    """Return a protocol's name and its parameters, those that were left at their defaults too."""
    run = run_text(protocol)
    left_out = ("adjacency", *(ONE_RUN if run else ()))
    values = [(name, one) for name, one in protocol.params().items() if one is not None and name not in left_out]
    texts = [*([run] if run else []), *(f"{name} {_value_text(value)}" for name, value in values)]
    return f"{protocol.name}: {', '.join(text.replace(' ', FIRM_SPACE) for text in texts)}"


def run_text(protocol: Protocol) -> str:
    """Return the steps of several epochs, as "15 epochs × 235 = 3525 steps"; no text for a protocol of one or none."""
    values = protocol.params()
    if protocol.total_steps is None or values["epochs"] == 1:
        return ""
    epochs, steps, total = map(number_text, (values["epochs"], values["steps"], protocol.total_steps))
    return f"{epochs} epochs × {steps} = {total} steps"


def _value_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " + ".join(map(_value_text, value))
    return str(value) if isinstance(value, str) else number_text(value)


def headline(interval: Interval) -> str:
    """Return the quantity between its certified ends, in one line."""
    lower, upper = ends(interval.lower, interval.upper)
    return f"{interval.quantity} in [{lower}, {upper}], certified"


def width_lines(interval: Interval, protocol: Protocol, target_width: float, own_width: bool) -> Iterator[Line]:
    """Return the width reached and the width asked; a missed one is said in words, with what would narrow it.

    Without a width of the user's own (``own_width`` is false) a missed default is said, and a wide answer explained.
    """
    asked = f"{number_text(float(f'{100 * target_width:.6g}'))} %"
    if own_width:
        yield "width", f"{width(interval)} reached, {asked} asked"
        if interval.relative_width > target_width:
            yield "missed", why_wide(interval, protocol)
        return
    is_missed = target_width < interval.relative_width < inf
    yield "width", f"{width(interval)}, where {asked} is the default" if is_missed else width(interval)
    if interval.relative_width > WIDE:
        yield "because", why_wide(interval, protocol)


def why_wide(interval: Interval, protocol: Protocol) -> str:
    """Return why an answer is as wide as it is, and what would narrow it."""
    if isinf(interval.upper):
        return NO_UPPER
    if interval.lower == 0.0:
        return NEAR_ZERO
    below, above = interval.sources or protocol.bound_sources
    return f"{SAME_ARGUMENT if below == above else OTHER_ARGUMENT}; {protocol.narrowing}"


def source_lines(interval: Interval, protocol: Protocol) -> Iterator[Line]:
    """Return the source of each end, in one line if both have the same."""
    below, above = (
        source or usual for source, usual in zip(interval.sources or ("", ""), protocol.bound_sources, strict=True)
    )
    if below == above:
        yield "both bounds", below
        return
    yield "lower bound", below
    yield "upper bound", above


def answer(
    interval: Interval,
    protocol: Protocol,
    at_name: str,
    at: float,
    target_width: float,
    seconds: float,
    own_width: bool,
) -> list[str]:
    """Return the lines of an answer.

    Parameters
    ----------
    interval : Interval
        The answer of ``protocol``.
    protocol : Protocol
        What was asked, and what it says of its bounds.
    at_name : str
        The name of what the quantity was asked at, ``delta`` for an epsilon.
    at : float
        Its value.
    target_width : float
        The relative width that was asked for.
    seconds : float
        How long the answer took.
    own_width : bool
        Whether the user chose the width.

    """
    scope = f", {protocol.scope}" if protocol.scope else ""
    about = [("of", question_text(protocol))]
    about += [("at", f"{at_name} = {number_text(at)}, {adjacency_text(protocol.reduced.adjacency)}{scope}")]
    if not isinf(interval.lower):
        about += [*width_lines(interval, protocol, target_width, own_width), *source_lines(interval, protocol)]
    return list(lines(headline(interval), [*about, ("time", f"{seconds:.1f} s, not counting the start of Python")]))
