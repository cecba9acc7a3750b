"""``pldcheck witness``: counterexamples as small files that a program of its own checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from ..batch import store
from ..errors import ParameterError, PldcheckError
from ..protocols import PROTOCOLS
from ..verify import Row, Verdict
from .answers import field_option
from .describe import summary
from .options import Group, examples, number, print_json, switches

RUN, SUFFIX = "run", ".jsonl"
# Protocols with noise, which no finite table of exact probabilities describes.
NOISY = ("random-allocation", "gaussian", "laplace", "subsampled-gaussian", "gaussian-mean")


def _check(context: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    from ..witness import examine

    found = [(file, *examine(file)) for file in files]
    if as_json:
        print_json({"files": [{"file": file, "accepted": fine, "said": said} for file, fine, said in found]})
    else:
        for file, fine, said in found:
            click.echo(f"{file}: {'accepted' if fine else 'rejected'}: {said}")
    context.exit(0 if all(fine for _, fine, _ in found) else 1)


def _run(file: str, out: str, as_json: bool) -> None:
    from ..witness import dumps, of_row

    try:
        report = store.read(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = (getattr(error, "strerror", None) or "not text").lower()
        raise ParameterError("FILE", f"the rows of a run ({reason})", file) from None
    store.check_writable(Path(out))
    violated = [(number, row) for number, row in enumerate(report.rows, 1) if row.verdict is Verdict.VIOLATED]
    made, without = {}, {}
    for place, row in violated:
        try:
            made[f"{row.subject}-{place}.json"] = dumps(of_row(row))
        except PldcheckError as error:
            without[_told(place, row)] = str(error)
    for name, content in made.items():
        store.write(Path(out) / name, content)
    paths = [str(Path(out) / name) for name in made]
    if as_json:
        print_json({"rows": len(report.rows), "violated": len(violated), "files": paths, "without": without})
        return
    for line in [*paths, *(f"no file for {told}: {why}" for told, why in without.items())]:
        click.echo(line)
    click.echo(f"{len(violated)} of {len(report.rows)} rows violated, {len(made)} files")


def _told(place: int, row: Row) -> str:
    return f"row {place}, {row.subject} at {', '.join(f'{key}={value!r}' for key, value in row.params.items())}"


def _asking(protocol: Any) -> Callable[..., None]:
    def ask(delta: float, out: str, as_json: bool, **values: Any) -> None:
        from ..witness import dumps, of_question

        folder = Path(out).parent
        store.check_writable(folder)
        facts = of_question(protocol(**values), delta)
        try:
            store.write(Path(out), dumps(facts))
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise ParameterError("out", f"a file to write to ({reason})", out) from None
        if as_json:
            print_json({**facts, "file": out})
            return
        epsilon = float(facts["claim"]["epsilon"])
        attained = float(facts["delta_attained_at_least"])
        click.echo(f"{out}: at epsilon = {epsilon:.9g} delta is at least {attained:.9g}")
        if "note" in facts:
            click.echo(facts["note"])

    return ask


def _lower(protocol: Any) -> click.Command:
    return click.Command(
        protocol.name,
        callback=_asking(protocol),
        params=[
            *(field_option(protocol, entry) for entry in fields(protocol)),
            number("delta"),
            _out("FILE"),
            *switches(),
        ],
        short_help=f"For the lower end. {summary(protocol)}",
        help=(
            "A mechanism that attains the lower end of epsilon at a given delta, or comes near it, in a file.  What "
            "attains more and is too long to be written is named.  Noise cannot be written: it has no finite table of "
            f"exact probabilities.\n\n{summary(protocol)}"
        ),
        epilog=examples(f"witness write {protocol.name} {_EXAMPLES[protocol.name]} --out {protocol.name}.json"),
    )


def _out(metavar: str) -> click.Option:
    return click.Option(["--out"], required=True, metavar=metavar, help="Where it goes.")


class _Write(Group):
    """A word that ends like the rows of a run stands for them."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """As the base class's, for ``run`` with or without its name."""
        if args[0] in NOISY:
            raise PldcheckError(f"no witness files of {args[0]}: noise has no finite table of exact probabilities")
        return super().resolve_command(ctx, [RUN, *args] if args[0].endswith(SUFFIX) else args)


_EXAMPLES = {
    "hidden-slot": "--steps 1000 --eps0 1 --delta 1e-6",
    "check-in": "--steps 1000 --eps0 1 --check-in-prob 0.1 --epochs 5 --delta 1e-6",
    "sliding-window": "--window 100 --clients 5000 --eps0 1 --delta 1e-6",
    "shuffle": "--clients 5000 --eps0 1 --delta 1e-6",
    "swap": "--clients 100 --eps0 1 --delta 1e-6",
    "averaged": "--clients 5000 --steps 1000 --eps0 1 --delta 1e-6",
    "composition": "--mechanism rr:0.1*50 --mechanism subsampled-rr:1:0.01*100 --delta 1e-6",
    "randomized-response": "--steps 1000 --eps0 0.1 --delta 1e-6",
    "subsampled-randomized-response": "--eps0 1 --rate 0.01 --steps 1000 --delta 1e-6",
    "mixed-pair": "--heads-p 0.01 --heads-q 0.5 --rate 0.5 --delta 0.1",
    "decaying-budgets": "--steps 100 --first 1 --decay 0.5 --delta 1e-6",
}

_write = _Write(
    "write",
    commands={
        RUN: click.Command(
            RUN,
            callback=_run,
            params=[click.Argument(["file"], metavar="FILE"), _out("DIR"), *switches()],
            short_help="For every violated row of a run.",
            help=(
                "A file for every violated row of a stored run (verify writes them), named by the theorem and the "
                f"number of the row.  The word {RUN} may be left out before a name that ends in {SUFFIX}."
            ),
            epilog=examples("witness write run results/paper-quick.jsonl --out witnesses"),
        ),
    },
    table={name: protocol for name, protocol in PROTOCOLS.items() if name not in NOISY},
    build=_lower,
    help="Write the mechanism that refutes a theorem, or attains a lower end, with exact numbers.",
    epilog=examples(
        "witness write results/paper-quick.jsonl --out witnesses",
        "witness write hidden-slot --steps 1000 --eps0 1 --delta 1e-6 --out hidden-slot.json",
        "witness write shuffle --clients 1000 --eps0 1 --rounds 10 --delta 1e-6 --out rounds.json",
    ),
)
_write.options_metavar, _write.subcommand_metavar = "", "FILE.jsonl|COMMAND [OPTIONS]"

witness_group = Group(
    "witness",
    commands={
        "check": click.Command(
            "check",
            callback=click.pass_context(_check),
            params=[click.Argument(["files"], nargs=-1, required=True, metavar="FILE..."), *switches()],
            short_help="Whether files show what they say.",
            help=(
                "Verify witness files in rational arithmetic: pldcheck witness check FILE...\n\n"
                "Which of three programs does it, the file says under pldcheck_witness: 1 for checker.py (one "
                "randomizer), 2 for composed.py, 3 for adaptive.py (a policy), all in pldcheck/witness.  Each has "
                "under 100 lines and runs alone as well: python checker.py FILE...  Exit status: 0 if all are "
                "accepted, 1 if one is not."
            ),
            epilog=examples("witness check witness.json"),
        ),
        "write": _write,
    },
    help="Counterexamples as small files, and the program that checks them.",
    epilog=examples(
        "witness write hidden-slot --steps 1000 --eps0 1 --delta 1e-6 --out hidden-slot.json",
        "witness write results/paper-quick.jsonl --out witnesses",
    ),
)
