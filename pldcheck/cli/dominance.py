"""``pldcheck dominance``: which theorem is implied by which other."""

from __future__ import annotations

import click

from ..theorems import REGISTRY
from . import out_files
from .options import Name, examples, switches


def _dominance(theorem: str | None, out: str | None, as_json: bool) -> None:
    from ..study.dominance import dominance
    from ..study.dominance.dominance_table import lines

    result = dominance(theorem)
    facts = result.to_dict()
    files = {f"dominance-{theorem}.json" if theorem else "dominance.json": out_files.text("dominance", facts)}
    out_files.print_answer(facts, lambda: lines(result), lambda: files, out, as_json)


dominance_command = click.Command(
    "dominance",
    callback=_dominance,
    params=[
        click.Argument(["theorem"], type=Name("theorem", lambda: REGISTRY), required=False, metavar="[THEOREM]"),
        out_files.out("Write all comparisons as JSON there."),
        *switches(),
    ],
    short_help="Which theorem is implied by which other.",
    help=(
        "Which theorem is implied by which other, through the reductions between what they are stated for.\n\n"
        "The values of both formulas are compared at every point that the built-in suites have for the first; nothing "
        "is said of other points.  Of one theorem all is told: by which reductions, and where the order turns."
    ),
    epilog=examples("dominance thm-4.1", "dominance thm-A.5 --json"),
)
