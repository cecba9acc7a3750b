"""``pldcheck dominance``: which theorem is implied by which other."""

from __future__ import annotations

import click

from ..theorems import REGISTRY
from . import out_files
from .options import Name, examples, offer_paths, print_json, switches


def _dominance(theorem: str | None, out: str | None, as_json: bool) -> None:
    from ..study.dominance import dominance
    from ..study.dominance.dominance_table import lines

    result = dominance(theorem)
    facts = result.to_dict()
    stem = f"dominance-{theorem}" if theorem else "dominance"
    paths = out_files.write({f"{stem}.json": out_files.text("dominance", facts)}, out) if out else []
    if as_json:
        print_json({**facts, "files": [str(path) for path in paths]})
        return
    for line in (*lines(result), *map(str, paths)):
        click.echo(line)


dominance_command = click.Command(
    "dominance",
    callback=_dominance,
    params=[
        click.Argument(["theorem"], type=Name("theorem", lambda: REGISTRY), required=False, metavar="[THEOREM]"),
        click.Option(["--out"], shell_complete=offer_paths, metavar="DIR", help="Write all comparisons as JSON there."),
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
