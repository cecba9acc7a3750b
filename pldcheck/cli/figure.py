"""``pldcheck figure``: one figure drawn again from what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..batch import store
from ..errors import PldcheckError
from . import files
from .compare import ABOUT
from .options import Name, examples, print_json, switches

if TYPE_CHECKING:
    from ..report.folder import Folder

# What is drawn of runs, waterfalls and trajectories; comparisons are drawn under their own names.
OF_RUNS = {
    "tightness": "How many times the truth each theorem claims: heat maps of one theorem, or a dot a cell.",
    "epsilon": "Claimed and certified epsilon of hidden slots against the steps.",
    "heat": "Tightness of every theorem over the two parameters that tell most.",
    "size": "Claimed and certified values against the size: steps, window, clients or rounds.",
    "privacy": "Claimed and certified values against delta, epsilon or the order.",
}
OTHERS = {
    "waterfall": "Where the proofs of theorems lose.",
    "trajectories": "Posterior trajectories against the envelope.",
}
FIGURES = {**ABOUT, **OTHERS, **OF_RUNS}
# What makes the rows of each kind.
MAKERS = {
    "waterfall": "pldcheck waterfall THEOREM ... --out {folder}",
    "trajectories": "pldcheck trajectory ALGORITHM ... --out {folder}",
}


def _figure(name: str | None, listed: bool, source: str, out: str | None, as_json: bool) -> None:
    if listed or name is None:
        if as_json:
            print_json({"figures": [{"name": key, "about": about} for key, about in FIGURES.items()]})
        for key, about in () if as_json else FIGURES.items():
            click.echo(f"{key:<14}{about}")
        return
    from ..report.folder import complaints, read

    found = read(Path(source), store.read)
    drawn = {file: content for each in _drawn(name, found) for file, content in each.items()}
    damage = [line for line in complaints(found) if not drawn or name in line]
    if not drawn:
        maker = MAKERS.get(name, f"pldcheck compare {name} --out {{folder}}" if name in ABOUT else "")
        maker = (maker or "pldcheck verify --out {folder}").format(folder=source)
        told = f" ({'; '.join(damage)})" if damage else ""
        raise PldcheckError(f"{source} holds no rows for the figure {name!r}{told}; they are made by: {maker}")
    for line in damage:
        click.echo(f"pldcheck: {line}", err=True)
    paths = files.write(drawn, out or source)
    if as_json:
        print_json({"figure": name, "files": [str(path) for path in paths]})
        return
    for path in paths:
        click.echo(path)


def _drawn(name: str, folder: Folder) -> Iterator[dict[str, bytes]]:
    """Files by name for everything in the folder that the figure can show."""
    from ..report import comparisons, pictures, trajectories, waterfall

    if name in ABOUT:
        for stem, found in folder.comparisons.items():
            if found.name == name:
                yield comparisons.render(found, stem)
        return
    if name == "waterfall":
        yield from map(waterfall.render, folder.waterfalls.values())
        return
    if name == "trajectories":
        yield from map(trajectories.render, folder.trajectories.values())
        return
    for stem, run in folder.runs.items():
        yield pictures.render(run, name, f"{stem}-{name}")


figure_command = click.Command(
    "figure",
    callback=_figure,
    params=[
        click.Argument(["name"], type=Name("figure", lambda: FIGURES), required=False),
        click.Option(["listed", "--list"], is_flag=True, help="The names of all figures."),
        click.Option(
            ["source", "--from"],
            default="results",
            show_default=True,
            metavar="DIR",
            help="The folder with the stored rows.",
        ),
        click.Option(["--out"], metavar="DIR", help="Where SVG and PNG go; to the rows by default."),
        *switches(),
    ],
    short_help="Draw a figure again from stored rows.",
    help=(
        "Draw a figure, as SVG and PNG, from rows that are stored; nothing is computed.  Without a name all "
        "figures are listed."
    ),
    epilog=examples("figure --list", "figure figure-2 --from results --out drawn"),
)
