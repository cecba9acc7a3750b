"""``pldcheck reference``: all results in results/, computed anew."""

from __future__ import annotations

import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import click

from ..verification.runs import results_tree, run_store
from ..verification.runs.results_tree import FIGURES, STUDY, SUITES
from ..verification.suites import NAMES
from .compare import ABOUT
from .options import examples, offer_paths, print_json, switches
from .report import TABLES

# Waterfalls and trajectories at the places that results/README.md names.
_EXAMPLE_LINES = (
    "waterfall thm-3.2 --steps 1000 --eps0 1 --check-in-prob 1 --delta 1e-6",
    "waterfall thm-5.1 --clients 10000 --eps0 1 --delta 1e-6",
    "trajectory random-replacement --steps 1000 --eps0 1",
    "training --records 60000 --batch 256 --epochs 15 --sigma 1.1 --delta 1e-5",
)
# The runs of these suites end in violations, as intended.
VIOLATED = ("field", "refuted")
# The runs of these suites have a certificate or a witness beside every row.
CERTIFIED = ("paper", "refuted")
# The folder of each verb's files, for verbs that do not study the proofs.
HOMES = {"verify": SUITES, "compare": FIGURES, "waterfall": FIGURES, "trajectory": FIGURES}


def lines(quick: bool) -> list[tuple[str, int]]:
    """Return the commands, and the exit status that each is to have."""
    small = " --quick" if quick else ""
    certify = dict.fromkeys(CERTIFIED, " --certify")
    words = "--resume --figures --export jsonl"
    runs = [(f"verify --suite {name} {words}{certify.get(name, '')}{small}", int(name in VIOLATED)) for name in NAMES]
    return [*runs, *((f"compare {name}{small}", 0) for name in ABOUT), *((line, 0) for line in _EXAMPLE_LINES)]


def _last_lines(out: str) -> list[tuple[str, int]]:
    """Return the commands that read the runs, with their exit statuses.

    Without a table of mutants, a first ``mutate`` finds survivors and pins points for the second.
    """
    option = f"--stored {shlex.quote(out)}"
    first = [] if results_tree.locate(Path(out), "mutation.json").is_file() else [(f"mutate {option}", 1)]
    steps = [("audit", 1), ("dominance", 0), *first, (f"mutate {option}", 0), (f"findings {option}", 0)]
    return [*steps, ("simulate agreement", 0)]


def _reference(context: click.Context, out: str, quick: bool, as_json: bool) -> None:
    run_store.check_writable(Path(out))
    runs = []
    for line, target_status in [*lines(quick), *([] if quick else _last_lines(out)), ("report", 0)]:
        words = shlex.split(line)
        if line == "report":  # JSON lines are what is kept: runs that are exported alone are gone on with
            for path in Path(out, SUITES).glob(f"*{results_tree.RUN}"):
                path.unlink()
        if words[0] == "training":
            words += ["--figure", str(Path(out, FIGURES, "training.svg"))]
        else:
            words += [out] if line == "report" else ["--out", str(Path(out, HOMES.get(words[0], STUDY)))]
        status = _run_line(words, as_json)
        if status > 3:  # interrupted, or an internal error
            context.exit(status)
        runs.append({"command": shlex.join(("pldcheck", *words)), "status": status, "expected": target_status})
    other = [one for one in runs if one["status"] != one["expected"]]
    if as_json:
        print_json({"commands": runs, "files": sorted(map(str, _files(Path(out))))})
    for one in other:
        click.echo("exit status {status} in place of {expected}: {command}".format_map(one), err=True)
    context.exit(3 if other else 0)


def _files(out: Path) -> list[Path]:
    """Return all files of a folder of results."""
    rooms = [out, *(out / name for name in results_tree.FOLDERS if (out / name).is_dir())]
    inner = [out / results_tree.SUITES / name for name in results_tree.BESIDE_ROWS]
    inner += [out / f"report{TABLES}"]
    rooms += [room for room in inner if room.is_dir()]
    return [path for room in rooms for path in room.iterdir() if path.is_file()]


def _run_line(words: list[str], quietly: bool) -> int:
    """Return the exit status of a command line."""
    from . import run

    if not quietly:
        click.echo(f"$ pldcheck {shlex.join(words)}")
        return run(words)
    with redirect_stdout(StringIO()):
        return run(words)


reference_command = click.Command(
    "reference",
    callback=click.pass_context(_reference),
    params=[
        click.Option(
            ["--out"],
            default="results",
            show_default=True,
            shell_complete=offer_paths,
            metavar="DIR",
            help="Where all of it goes.",
        ),
        click.Option(["--quick"], is_flag=True, help="A small sample of each."),
        *switches(),
    ],
    short_help="All built-in runs, comparisons and waterfalls.",
    help=(
        "Every built-in suite, comparison, waterfall and trajectory, the audit of all proofs, the table of mutants, "
        "findings and attacks, stored in the folders suites, figures and study of one folder, and the report on it: "
        "what results/ of the repository holds.\n\n"
        "Half an hour on two cores; runs that are stored already are taken over if they still hold.  Exit "
        "status: 0 if all ends as it is to, 3 if not."
    ),
    epilog=examples("reference --quick --out sample"),
)
