"""``pldcheck training --history FILE``: epsilon of a training run that a framework has recorded."""

from __future__ import annotations

from math import isinf
from time import perf_counter
from typing import Any

import click

from ..core.errors import PldcheckError
from ..core.parameters import number_text
from ..report.decimal_ends import width
from . import answer_layout
from .opening_line import opening_line
from .options import print_json

# What is said on stderr where an answer takes long.
SLOW = "computing epsilon: a first answer compiles kernels, once"
# The most kinds of steps of a recorded run that are printed.
SHOWN = 3
RECORDED_SAMPLING = (
    "a record of rates is about Poisson samples; for shuffled batches epsilon is far larger: pldcheck training "
    "--records N --batch N --epochs N --sigma X lists it"
)


def answer(path: str, delta: float, as_json: bool) -> None:
    """Print epsilon at a delta of the run in a file; raise PldcheckError if it cannot be read, or is without noise."""
    from ..accounting import Accountant
    from ..accounting.interop.event_files import read_event
    from ..accounting.interop.event_leaves import leaves_of

    start = perf_counter()
    event = read_event(path)
    steps = sum(leaf.count for leaf in leaves_of(event))
    with opening_line(SLOW):
        try:
            epsilon = Accountant().compose(event).epsilon(delta)
        except ValueError as error:
            raise PldcheckError(f"{path}: {error}") from None
    if isinf(epsilon.lower):
        raise PldcheckError(f"no finite epsilon at delta = {delta!r}: a step without noise shows the record")
    if as_json:
        print_json({"history": path, "steps": steps, "delta": delta, "adjacency": "add-remove", **epsilon.to_dict()})
        return
    about = [
        ("run", f"{steps:,} steps, recorded in {path}"),
        ("steps", _recorded_steps(event)),
        ("sampling", RECORDED_SAMPLING),
        ("at", f"delta = {number_text(delta)}, adjacency add-remove"),
        ("width", width(epsilon)),
        ("time", f"{perf_counter() - start:.1f} s, not counting the start of Python"),
    ]
    for line in answer_layout.lines(f"{answer_layout.headline(epsilon)}, if batches are what the record says", about):
        click.echo(line)


def _recorded_steps(event: Any) -> str:
    """Return the first kinds of steps of a recorded run, each with its number."""
    from ..accounting.interop.event_leaves import leaves_of

    texts = [f"{leaf.count:,} × {leaf.event}" for leaf in leaves_of(event)]
    more = [f"{len(texts) - SHOWN} more kinds"] if len(texts) > SHOWN else []
    return "; ".join([*texts[:SHOWN], *more])
