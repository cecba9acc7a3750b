"""``pldcheck figure``: one figure, drawn again from stored results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..core.errors import PldcheckError
from ..verification.runs import run_store
from . import out_files
from .compare import ABOUT
from .options import Name, examples, offer_paths, print_json, switches

if TYPE_CHECKING:
    from ..report.results_folder import Folder

# The figures of runs, waterfalls and trajectories; comparisons are drawn under their own names.
OF_RUNS = {
    "tightness": "How many times the truth each theorem claims: heat maps of one theorem, or a dot a cell.",
    "epsilon": "Claimed and certified epsilon of hidden slots against the steps.",
    "heat": "Tightness of every theorem over the two parameters that tell most.",
    "size": "Claimed and certified values against the size: steps, window, clients or rounds.",
    "privacy": "Claimed and certified values against delta, epsilon or the order.",
}
OTHERS = {
    "waterfall": ("waterfall", "Where the proofs of theorems lose."),
    "trajectories": ("trajectory", "Posterior trajectories against the envelope."),
}
FIGURES = {**ABOUT, **{name: about for name, (_, about) in OTHERS.items()}, **OF_RUNS}
# The command that computes the rows of each kind.
MAKERS = {
    "waterfall": "pldcheck waterfall THEOREM ... --out {folder}",
    "trajectories": "pldcheck trajectory ALGORITHM ... --out {folder}",
}


def _figure(name: str | None, only_list: bool, source: str, out: str | None, as_json: bool) -> None:
    if only_list or name is None:
        if as_json:
            print_json({"figures": [{"name": key, "about": about} for key, about in FIGURES.items()]})
            return
        for key, about in FIGURES.items():
            click.echo(f"{key:<14}{about}")
        return
    from ..report.results_folder import complaints, read
    from ..study.stored_studies import KINDS

    folder = read(Path(source), run_store.read, KINDS)
    drawings = [(home, files) for home, files in _draw_figures(name, folder) if files]
    damage = [line for line in complaints(folder) if not drawings or name in line]
    if not drawings:
        maker = MAKERS.get(name, f"pldcheck compare {name} --out {{folder}}" if name in ABOUT else "")
        maker = (maker or "pldcheck verify --out {folder}").format(folder=source)
        reasons = f" ({'; '.join(damage)})" if damage else ""
        raise PldcheckError(f"{source} holds no rows for the figure {name!r}{reasons}; they are made by: {maker}")
    for line in damage:
        click.echo(f"pldcheck: {line}", err=True)
    paths = [path for home, files in drawings for path in out_files.write(files, out or str(home))]
    if as_json:
        print_json({"figure": name, "files": [str(path) for path in paths]})
        return
    for path in paths:
        click.echo(path)


def _draw_figures(name: str, folder: Folder) -> Iterator[tuple[Path, dict[str, bytes]]]:
    """Yield the folder of the rows and the drawn files by name, for each stored result that the figure can show."""
    from ..report import folder_figures
    from ..report.results_folder import RUN
    from ..study.comparisons import comparison_figures
    from ..study.trajectories import trajectory_figure
    from ..study.waterfall import waterfall_figure

    kind = "comparison" if name in ABOUT else OTHERS[name][0] if name in OTHERS else RUN
    for stem, one in folder.results[kind].items() if kind != RUN else ():
        if kind == "comparison":
            drawn = comparison_figures.render(one, stem) if one.name == name else {}
        else:
            drawn = (waterfall_figure if kind == "waterfall" else trajectory_figure).render(one)
        yield folder.homes[kind, stem], drawn
    for stem, run in folder.runs.items() if kind == RUN else ():
        yield folder.homes[RUN, stem], folder_figures.render(run, name, f"{stem}-{name}")


figure_command = click.Command(
    "figure",
    callback=_figure,
    params=[
        click.Argument(["name"], type=Name("figure", lambda: FIGURES), required=False),
        click.Option(["only_list", "--list"], is_flag=True, help="The names of all figures."),
        click.Option(
            ["source", "--from"],
            default="results",
            show_default=True,
            shell_complete=offer_paths,
            metavar="DIR",
            help="The folder with the stored rows.",
        ),
        click.Option(
            ["--out"], shell_complete=offer_paths, metavar="DIR", help="Where SVG and PNG go; to the rows by default."
        ),
        *switches(),
    ],
    short_help="Draw a figure again from stored rows.",
    help=(
        "Draw a figure, as SVG and PNG, from rows that are stored; nothing is computed.  Without a name all "
        "figures are listed."
    ),
    epilog=examples("figure --list", "figure figure-2 --from results --out drawn"),
)
