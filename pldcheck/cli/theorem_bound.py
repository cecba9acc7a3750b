"""``pldcheck bound``: one command for every theorem."""

from __future__ import annotations

from typing import Any

import click

from ..core.parameters import number_text
from ..report.decimal_ends import down, up
from ..theorems import GIVEN, REGISTRY, Theorem
from . import answer_layout
from .eps_delta_renyi import SAMPLE
from .options import Group, examples, number, print_json, switches

# The signs with which relations of claims are printed.
SYMBOLS = {"<=": "≤", ">=": "≥", "=": "="}


def bound_line(theorem: Theorem) -> str:
    """Return a line that evaluates a theorem at sample values inside its conditions, without the program's name."""
    values = SAMPLE | {name: repr(value) for name, value in theorem.example.items()}
    options = [f"--{name.replace('_', '-')} {values[name]}" for name in theorem.parameters]
    return " ".join(["bound", theorem.id, *options])


def _bound_command(theorem: Theorem) -> click.Command:
    def bound(as_json: bool, **values: Any) -> None:
        claim = theorem(**values)
        if as_json:
            print_json(claim.to_dict())
            return
        # A bound is printed as a bound, an exact value to the nearest.
        value = {"<=": up, ">=": down}.get(theorem.relation, "{:.6g}".format)(claim.value)
        source = f"{theorem.source.where}, {theorem.source.title}"
        about = [
            (
                "at",
                f"{GIVEN[claim.quantity]} = {number_text(claim.at)}, {answer_layout.adjacency_text(theorem.adjacency)}",
            ),
            ("source", source),
        ]
        head = f"{claim.quantity} {SYMBOLS[theorem.relation]} {value}, claimed by {theorem.id} and not verified here"
        for line in answer_layout.lines(head, about):
            click.echo(line)

    return click.Command(
        theorem.id,
        callback=bound,
        params=[*(number(name, with_engine=False) for name in theorem.parameters), *switches()],
        short_help=theorem.title,
        help=f"What {theorem.id} claims: {theorem.title[:1].lower()}{theorem.title[1:]}.",
        epilog=examples(bound_line(theorem), f"{bound_line(theorem)} --json"),
    )


bound = Group(
    "bound",
    kind="theorem",
    table=REGISTRY,
    build=_bound_command,
    help="What a theorem claims; nothing is verified.",
    epilog=examples("bound thm-3.2 --steps 1000 --eps0 1 --check-in-prob 1 --delta 1e-6", "bound thm-4.3 --help"),
)
