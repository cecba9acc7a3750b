"""``pldcheck bench``: the speed of pldcheck, of other accountants and of the bare work, by a checkout's benchmarks."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ..core.errors import ParameterError, PldcheckError
from ..verification.runs import run_store
from .options import Name, Number, examples, offer_paths, print_json, switches
from .peers import LIMIT, interpreters

# The program that runs the benchmarks of a checkout, which is not installed with the package.
RUNNER = "tests.benchmarks"
# The part of it that measures widths in place of speed.
WIDTHS = "tests.benchmarks.widths"
# The folder of its rows, its page and its figure.
OUT = "results/benchmarks"
TASKS = {
    "a": "The hidden slot over the number of steps.",
    "b": "Gaussian random allocation, beside PLD_accounting.",
    "c": "Shuffling, beside the published codes.",
    "d": "Composition: heterogeneous responses, a million steps; beside dp_accounting, prv and autodp.",
    "e": "Whole suites with no compiled kernels, and a report on 1e5 rows.",
    "f": "Import, help, first answers with no compiled kernels and with them, memory.",
    "g": "Cost curves: time against sizes, 1/delta and 1/width, with fitted exponents.",
}


@click.pass_context
def _bench(
    context: click.Context,
    tasks: Sequence[str],
    quick: bool,
    out: str,
    python: Sequence[str],
    seconds: float | None,
    no_peers: bool,
    only_list: bool,
    widths: bool,
    as_json: bool,
) -> None:
    if only_list:
        _list(as_json)
        return
    if widths and (tasks or python or no_peers):
        raise ParameterError("--widths", "without tasks and without options for peers", "both")
    paths = _check_interpreters(interpreters(python))
    if not Path(*RUNNER.split("."), "__main__.py").is_file():
        raise ParameterError("the current folder", f"a checkout of pldcheck, with {RUNNER}", str(Path.cwd()))
    run_store.check_writable(Path(out))
    words = [sys.executable, "-m", WIDTHS if widths else RUNNER, *dict.fromkeys(tasks), "--out", out]
    words += [word for name, path in paths.items() for word in ("--python", f"{name}={path}")]
    words += ["--seconds", repr(seconds)] if seconds is not None else []
    words += [word for word, flag in (("--quick", quick), ("--no-peers", no_peers), ("--json", as_json)) if flag]
    words += ["--command", shlex.join(("pldcheck", *context.obj))]
    # The runner is a separate process with this checkout's code; its messages on progress go straight to stderr.
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "."}) as process:
        try:
            output, _ = process.communicate()
        except KeyboardInterrupt:
            process.wait()  # it was interrupted as well, and ends what it has started
            raise
    if process.returncode:
        raise PldcheckError(f"the benchmarks ended with exit status {process.returncode}")
    click.echo(output, nl=False)


def _check_interpreters(paths: Mapping[str, str]) -> dict[str, str]:
    """Return the interpreters by peer; raise ParameterError if one cannot be run."""
    from ..accounting.peers import PEERS

    return {name: PEERS[name].interpreter(path) for name, path in paths.items()}


def _list(as_json: bool) -> None:
    if as_json:
        print_json({"tasks": TASKS})
        return
    for letter, about in TASKS.items():
        click.echo(f"{letter}  {about}")


bench_command = click.Command(
    "bench",
    callback=_bench,
    params=[
        click.Argument(["tasks"], type=Name("task", lambda: TASKS), nargs=-1, metavar="[TASK]..."),
        click.Option(["--quick"], is_flag=True, help="A few cases of each task."),
        click.Option(
            ["--out"],
            default=OUT,
            show_default=True,
            shell_complete=offer_paths,
            metavar="DIR",
            help="Where rows, page and figure go.",
        ),
        click.Option(
            ["--python"],
            multiple=True,
            metavar="NAME=PATH",
            help="An interpreter that has a peer, as of pldcheck compare; may be given several times.",
        ),
        click.Option(
            ["--seconds"],
            type=Number(LIMIT),
            metavar="X",
            help=f"Seconds after which an answer of a peer is given up; {LIMIT.domain}; 20, or 10 of a quick run, "
            "unless given; of --widths, after which any answer is; 20 unless given.",
        ),
        click.Option(["--no-peers"], is_flag=True, help="Only ours."),
        click.Option(["only_list", "--list"], is_flag=True, help="Print the tasks and run nothing."),
        click.Option(
            ["--widths"],
            is_flag=True,
            help="Measure how wide answers are instead: known randomizers, shuffles and swaps, in half an hour.",
        ),
        *switches(),
    ],
    short_help="Measure speed, beside other accountants and the bare work.",
    help=(
        "Measure speed: ours, every peer's and that of the bare work an answer needs, in turns in one run, so that a "
        "busy machine slows all of them.\n\n"
        "In a checkout of pldcheck: pldcheck bench --quick takes two minutes, pldcheck bench a d only these tasks, all "
        "of it up to half an hour.  Writes rows as JSON lines, a page and a figure; prints them as a table, with the "
        "fitted exponents of cost curves and what was aimed at.  A peer that fails, takes too long or answers outside "
        "the certified interval is shown as such.  Published codes for shuffling are fetched by git, or taken from the "
        "folder that PLDCHECK_PEERS names.  With --widths it is measured how wide our answers are instead."
    ),
    epilog=examples("bench --list"),
)
