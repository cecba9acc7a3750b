"""``pldcheck mutate``: formulas changed on purpose, and the guards that notice the changes."""

from __future__ import annotations

from pathlib import Path

import click

from ..theorems import REGISTRY
from ..verification.runs import run_store
from . import out_files
from .options import Name, examples, offer_paths, print_json, switches
from .progress import item_progress


@click.pass_context
def _mutate(context: click.Context, theorem: tuple[str, ...], stored: str, out: str | None, as_json: bool) -> None:
    from ..study.mutation import mutate
    from ..study.mutation.kill_table_text import lines, markdown

    if out:
        run_store.check_writable(Path(out))
    with item_progress("theorems") as step:
        result = mutate(theorem or None, stored, step)
    facts = result.to_dict()
    files = {"mutation.json": out_files.text("mutation", facts), "mutation.md": markdown(result).encode()}
    paths = out_files.write(files, out) if out else []
    if as_json:
        print_json({**facts, "files": [str(path) for path in paths]})
    else:
        for line in (*lines(result), *map(str, paths)):
            click.echo(line)
    context.exit(1 if result.survivors else 0)


mutate_command = click.Command(
    "mutate",
    callback=_mutate,
    params=[
        click.Argument(["theorem"], type=Name("theorem", lambda: REGISTRY), nargs=-1, metavar="[THEOREM]..."),
        click.Option(
            ["--stored"],
            default="results",
            show_default=True,
            shell_complete=offer_paths,
            metavar="DIR",
            help="The folder with runs of the suites; those that it has not are made.",
        ),
        click.Option(
            ["--out"], shell_complete=offer_paths, metavar="DIR", help="Write mutation.json and mutation.md there."
        ),
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
