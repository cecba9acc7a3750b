"""``pldcheck suites``: the built-in suites, and their files."""

from __future__ import annotations

from typing import Any

import click

from ..verification.problem import unjudgeable
from ..verification.suites import SUITES, Grid, Job, find, suite_text
from .options import Group, Name, debug, examples, print_json, switches


def facts(job: Job) -> dict[str, Any]:
    """Return a short description of a job."""
    return {"name": job.name, "cells": count(job), "summary": job.summary}


def count(job: Job, quick: bool = False) -> int:
    """Return the number of cells; a cell that two grids share counts once."""
    return len(job.cells(quick))


def grids(job: Job) -> list[dict[str, Any]]:
    """Return the grids with their values written out."""
    return [_grid(grid) for grid in job.grids]


def _grid(grid: Grid) -> dict[str, Any]:
    if grid.protocol is not None:
        about: dict[str, Any] = {"protocol": grid.protocol, "quantity": grid.quantity}
    else:
        about = {"theorems": [theorem.id for theorem in grid.theorems], "judge": grid.judge}
    return {
        **about,
        "cells": grid.size,
        "width": grid.width,
        "axes": {name: list(values) for name, values in grid.axes.items()},
        "zip": [list(group) for group in grid.zip],
        "quick": {name: list(values) for name, values in grid.quick.items()},
    }


@click.pass_context
def _list(context: click.Context, as_json: bool) -> None:
    if context.invoked_subcommand is not None:
        if as_json:
            raise click.UsageError(f"--json goes after {context.invoked_subcommand}")
        return
    rows = [facts(job) for job in SUITES.values()]
    reasons = unjudgeable()
    if as_json:
        print_json({"suites": rows, "unjudgeable": reasons})
        return
    column = 2 + max(map(len, SUITES))
    for row in rows:
        click.echo(f"{row['name']:<{column}}{row['cells']:>5} cells  {row['summary']}")
    click.echo(f"in no suite, since no protocol here is what they are about: {', '.join(reasons)}")


def _show(name: str, as_json: bool) -> None:
    if as_json:
        job = find(name)
        print_json({**facts(job), "quick": count(job, quick=True), "grids": grids(job)})
    else:
        click.echo(suite_text(name), nl=False)


_show_command = click.Command(
    "show",
    callback=_show,
    params=[click.Argument(["name"], type=Name("suite", lambda: SUITES), metavar="NAME"), *switches()],
    short_help="Print the file of a suite.",
    help="The file of a built-in suite, which may be the beginning of one of your own.",
    epilog=examples("suites show paper", "suites show shuffle --json"),
)

suites_group = Group(
    "suites",
    callback=_list,
    invoke_without_command=True,
    commands={"show": _show_command},
    params=[click.Option(["as_json", "--json"], is_flag=True, help="Print one JSON object and nothing else."), debug()],
    short_help="The built-in suites.",
    help="The suites that pldcheck verify has, with the number of their cells.",
    epilog=examples("suites", "suites --json", "suites show paper"),
)
