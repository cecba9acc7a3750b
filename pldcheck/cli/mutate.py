"""``pldcheck mutate``: formulas changed on purpose, and the guards that notice the changes."""

from __future__ import annotations

import click

from ..theorems import REGISTRY
from . import out_files
from .options import Name, examples, switches
from .progress import item_progress


@click.pass_context
def _mutate(context: click.Context, theorem: tuple[str, ...], stored: str, out: str | None, as_json: bool) -> None:
    from ..study.mutation import mutate
    from ..study.mutation.kill_table_text import lines

    out_files.check(out)
    with item_progress("theorems") as step:
        result = mutate(theorem or None, stored, step)
    facts = result.to_dict()
    files = {"mutation.json": out_files.text("mutation", facts)}
    out_files.print_answer(facts, lambda: lines(result), lambda: files, out, as_json)
    context.exit(1 if result.survivors else 0)


mutate_command = click.Command(
    "mutate",
    callback=_mutate,
    params=[
        click.Argument(["theorem"], type=Name("theorem", lambda: REGISTRY), nargs=-1, metavar="[THEOREM]..."),
        out_files.stored("The folder with runs of the suites; those that it has not are made."),
        out_files.out("Write mutation.json there."),
        *switches(),
    ],
    short_help="Which guard notices a wrong formula.",
    help=(
        "Formulas are made wrong on purpose, one change at a time, and each guard is asked whether it notices: the "
        "certified truth and the audited proof, which are independent of the formula, and the stored runs and pinned "
        "points, which are what it said before.  A change that no point comes to is told apart.\n\n"
        "Exit status: 0 if every change that makes a difference is noticed, 1 if one is not."
    ),
    epilog=examples("mutate thm-5.1", "mutate basic-1 zcdp-16 --json"),
)
