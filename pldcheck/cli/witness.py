"""``pldcheck witness``: counterexamples as small files that the checkers verify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from decimal import ROUND_FLOOR, Context
from pathlib import Path
from typing import Any

import click

from ..core.errors import ParameterError, PldcheckError, Unsupported
from ..core.outward_decimals import safe
from ..protocols import PROTOCOLS, Protocol
from ..verification import Row, Verdict
from ..verification.runs import results_tree, run_store
from .answer_layout import run_text
from .checkers_beside import ALONE, checkers_option, write_checkers
from .eps_delta_renyi import field_option, usual_options
from .options import Group, consistent_values, examples, number, offer_paths, print_json, switches
from .protocol_text import summary

RUN = "run"
# The ends of the names of stored runs.
SUFFIXES = (results_tree.RUN, results_tree.LINES)


def _check(context: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    from ..witness import examine

    results = [(file, *examine(file)) for name in files for file in _files_of(name)]
    if as_json:
        print_json({"files": [{"file": file, "accepted": fine, "said": reason} for file, fine, reason in results]})
    else:
        for file, fine, reason in results:
            click.echo(safe(f"{file}: {'accepted' if fine else 'rejected'}: {reason}"))
    context.exit(0 if all(fine for _, fine, _ in results) else 1)


def _files_of(name: str) -> list[str]:
    """Return the file of that name, or all witness files of a folder of that name; raise ParameterError for neither."""
    if Path(name).is_dir():
        files = sorted(str(path) for path in Path(name).glob("*.json") if path.is_file())
        if not files:
            raise ParameterError("FILE", "a witness file or a folder of such, and this folder has no .json file", name)
        return files
    if not Path(name).is_file():
        raise ParameterError("FILE", "a witness file, and there is no such file", name)
    return [name]


def _run(file: str, out: str, as_json: bool) -> None:
    from ..witness import dumps, of_row
    from ..witness.run_files import file_name

    try:
        report = run_store.read(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = (getattr(error, "strerror", None) or "not text").lower()
        raise ParameterError("FILE", f"the rows of a run ({reason})", file) from None
    run_store.check_writable(Path(out))
    paths: list[str] = []
    without: dict[str, str] = {}
    for place, row in enumerate(report.rows, 1):
        if row.verdict is not Verdict.VIOLATED:
            continue
        name = file_name(row)
        assert name is not None  # violated rows have one
        try:
            content = dumps(of_row(row))
        except PldcheckError as error:
            without[_row_text(place, row)] = str(error)
            continue
        paths.append(str(Path(out) / Path(name).name))
        run_store.write(Path(paths[-1]), content)
    violated = len(paths) + len(without)
    command = write_checkers(Path(out), paths) if paths else ""
    if as_json:
        facts = {"rows": len(report.rows), "violated": violated, "files": paths, "without": without}
        print_json({**facts, "command": command})
        return
    for line in [*map(safe, paths), *(safe(f"no file for {label}: {why}") for label, why in without.items())]:
        click.echo(line)
    click.echo(f"{violated} of {len(report.rows)} rows violated, {len(paths)} files")
    if command:
        click.echo(f"{ALONE}: {command}")


def _floor(text: str) -> str:
    """Return nine digits of an exact text, rounded down."""
    return str(Context(prec=9, rounding=ROUND_FLOOR).create_decimal(text))


def _row_text(place: int, row: Row) -> str:
    return f"row {place}, {row.subject} at {', '.join(f'{key}={value!r}' for key, value in row.params.items())}"


def _write_callback(protocol: type[Protocol]) -> Callable[..., None]:
    def ask(delta: float, out: str, checkers: bool, as_json: bool, **values: Any) -> None:
        from ..witness import dumps, of_question

        folder = Path(out).parent
        run_store.check_writable(folder)
        instance = protocol(**consistent_values(protocol, values))
        facts = of_question(instance, delta)
        try:
            run_store.write(Path(out), dumps(facts))
            command = write_checkers(folder, [out]) if checkers else ""
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise ParameterError("out", f"a file to write to ({reason})", out) from None
        if as_json:
            print_json({**facts, "file": out, "command": command})
            return
        # Both are exact texts: a delta that is attained at a larger epsilon is attained at a smaller one.
        epsilon, attained_delta = (
            _floor(text) for text in (facts["claim"]["epsilon"], facts["delta_attained_at_least"])
        )
        click.echo(f"{out}: at epsilon = {epsilon} delta is at least {attained_delta}")
        if run := run_text(instance):
            click.echo(run)
        if "note" in facts:
            click.echo(facts["note"])
        if command:
            click.echo(f"{ALONE}: {command}")

    return ask


def _witness_command(protocol: type[Protocol]) -> click.Command:
    options = protocol.examples.witness or " ".join(usual_options(protocol, "delta"))
    return click.Command(
        protocol.name,
        callback=_write_callback(protocol),
        params=[
            *(field_option(protocol, entry) for entry in fields(protocol)),
            number("delta"),
            _out("FILE"),
            checkers_option(),
            *switches(),
        ],
        short_help=f"For the lower end. {summary(protocol)}",
        help=(
            "A mechanism that attains the lower end of epsilon at a given delta, or comes near it, in a file.  What "
            "attains more and is too long to be written is named.  Noise cannot be written: it has no finite table of "
            f"exact probabilities.\n\n{summary(protocol)}"
        ),
        epilog=examples(f"witness write {protocol.name} {options} --out {protocol.name}.json"),
    )


def _out(metavar: str) -> click.Option:
    return click.Option(["--out"], required=True, shell_complete=offer_paths, metavar=metavar, help="Where it goes.")


class _Write(Group):
    """A group of commands, in which the name of a file with rows of a run stands for ``run`` on that file."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command as the base class does; ``run`` may be given without its name."""
        if args[0] in PROTOCOLS and PROTOCOLS[args[0]].unwritten:
            raise Unsupported(args[0], "witness files", PROTOCOLS[args[0]].unwritten)
        return super().resolve_command(ctx, [RUN, *args] if args[0].rstrip("/").endswith(SUFFIXES) else args)


_write = _Write(
    "write",
    commands={
        RUN: click.Command(
            RUN,
            callback=_run,
            params=[click.Argument(["file"], shell_complete=offer_paths, metavar="FILE"), _out("DIR"), *switches()],
            short_help="For every violated row of a run.",
            help=(
                "A file for every violated row of a stored run (verify writes them), named by the theorem and a "
                "digest of the row's parameters, as pldcheck verify --certify names it.  In the folder witnesses "
                "beside the run, pldcheck report finds them.  "
                "The archive checkers.pyz lies beside them, by which Python alone checks them.  "
                f"The word {RUN} may be left out before a name in {' or '.join(SUFFIXES)}."
            ),
            epilog=examples("witness write run results/runs/paper-quick/paper-quick.sqlite --out witnesses"),
        ),
    },
    table={name: protocol for name, protocol in PROTOCOLS.items() if not protocol.unwritten},
    build=_witness_command,
    short_help="Write the mechanism behind a counterexample or a lower end.",
    help="Write the mechanism that refutes a theorem, or attains a lower end, with exact numbers.",
    epilog=examples(
        "witness write results/runs/paper-quick/paper-quick.sqlite --out witnesses",
        "witness write hidden-slot --steps 1000 --eps0 1 --delta 1e-6 --out hidden-slot.json",
        "witness write shuffle --clients 1000 --eps0 1 --rounds 10 --delta 1e-6 --out rounds.json",
    ),
)
_write.options_metavar, _write.subcommand_metavar = "", "FILE|COMMAND [OPTIONS]"

witness_group = Group(
    "witness",
    commands={
        "check": click.Command(
            "check",
            callback=click.pass_context(_check),
            params=[
                click.Argument(["files"], nargs=-1, required=True, shell_complete=offer_paths, metavar="FILE..."),
                *switches(),
            ],
            short_help="Whether files show what they say.",
            help=(
                "Verify witness files in rational arithmetic: pldcheck witness check FILE...  A folder stands for "
                "all its .json files.\n\n"
                "Which of three programs does it, the file says under pldcheck_witness: 1 for lower_single (one "
                "randomizer), 2 for lower_composed, 3 for lower_adaptive (a policy), all in the folder "
                "pldcheck/checkers.  That folder needs the standard library alone: copied anywhere, python checkers "
                "FILE... checks files of all kinds, and so does the archive checkers.pyz that --checkers puts beside a "
                "file.  Here the claim is compared with that of its theorem or protocol, too.  Exit status: 0 if all "
                "are accepted, 1 if one is not, 2 if one does not exist."
            ),
            epilog=examples("witness check witness.json"),
        ),
        "write": _write,
    },
    help="Counterexamples as small files, and the program that checks them.",
    epilog=examples(
        "witness write hidden-slot --steps 1000 --eps0 1 --delta 1e-6 --out hidden-slot.json",
        "witness write results/runs/paper-quick/paper-quick.sqlite --out witnesses",
    ),
)
