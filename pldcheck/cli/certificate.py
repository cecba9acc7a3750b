"""``pldcheck certificate``: upper ends as small files that the checkers verify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from ..checkers.claim_files import MOST_SECONDS
from ..core.errors import ParameterError
from ..core.outward_decimals import safe
from ..protocols import PROTOCOLS, Protocol
from ..verification.runs import run_store
from .answer_layout import run_text
from .checkers_beside import ALONE, checkers_option, write_checkers
from .eps_delta_renyi import field_option, usual_options
from .options import Group, consistent_values, examples, number, offer_paths, print_json, switches
from .protocol_text import summary

# Protocols of which no question has a certificate yet.
WITHOUT = (
    "mixed-pair",
    "decaying-budgets",
    "gaussian-mean",
)
# The options of an example, where those of other verbs are about a question without a certificate.
OPTIONS = {"check-in": "--steps 1000 --eps0 1 --check-in-prob 0.1 --delta 1e-6"}
# The words for the statuses of the programs.
OUTCOMES = ("accepted", "not verified", "refused")
# Why a claim is above the upper end of the answer.
ROOM = " (with this room a coarse computation in integers, which the check repeats, is enough)"


def _check(context: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    from ..witness.upper_certificates import check

    results = [(file, check(file)) for file in files]
    if as_json:
        print_json(
            {
                "files": [
                    {"file": file, "outcome": OUTCOMES[verdict.status], "sentence": verdict.sentence}
                    for file, verdict in results
                ]
            }
        )
    else:
        for file, verdict in results:
            click.echo(safe(f"{file}: {verdict.sentence}"))
    context.exit(max(verdict.status for _, verdict in results))


def _write_callback(protocol: type[Protocol]) -> Callable[..., None]:
    def ask(delta: float | None, epsilon: float | None, out: str, checkers: bool, as_json: bool, **values: Any) -> None:
        from ..witness.upper_certificates import certificate

        if (delta is None) == (epsilon is None):
            raise ParameterError("delta", "given, or epsilon, and not both", delta)
        run_store.check_writable(Path(out).parent)
        instance = protocol(**consistent_values(protocol, values))
        record = certificate(instance, delta=delta, epsilon=epsilon)
        try:
            run_store.write(Path(out), record.dumps())
            command = write_checkers(Path(out).parent, [out]) if checkers else ""
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise ParameterError("out", f"a file to write to ({reason})", out) from None
        if as_json:
            print_json(
                {
                    **record.facts,
                    "file": out,
                    "sentence": record.sentence,
                    "seconds": record.seconds,
                    "margin_asked": record.asked,
                    "margin_reached": record.reached,
                    "covers_besides": record.wider,
                    "command": command,
                }
            )
            return
        quantity = "epsilon" if epsilon is None else "delta"
        click.echo(f"{out}: {record.sentence}")
        click.echo(
            f"  claim  the upper end of {quantity} times {record.reached:.6g}"
            + ("" if record.reached == record.asked else f"; {record.asked:.6g} was not reached")
            + ROOM
        )
        if run := run_text(instance):
            click.echo(f"  run    {run}")
        if record.wider:
            click.echo(f"  covers {record.wider}: no program knows the law of this one")
        click.echo(f"  check  {record.seconds:.2f} s of one core")
        if command:
            click.echo(f"  {ALONE}: {command}")

    return ask


def _certificate_command(protocol: type[Protocol]) -> click.Command:
    at = "epsilon" if "epsilon" in protocol.lacks else "delta"
    options = OPTIONS.get(protocol.name) or " ".join(usual_options(protocol, at))
    return click.Command(
        protocol.name,
        callback=_write_callback(protocol),
        params=[
            *(field_option(protocol, entry) for entry in fields(protocol)),
            number("delta", required=False),
            number("epsilon", required=False),
            click.Option(["--out"], required=True, shell_complete=offer_paths, metavar="FILE", help="Where it goes."),
            checkers_option(),
            *switches(),
        ],
        short_help=f"For the upper end. {summary(protocol)}",
        help=(
            "Write a claim a little above the upper end of epsilon at --delta, or of delta at --epsilon, with how fine "
            f"a computation verifies it.\n\n{summary(protocol)}"
        ),
        epilog=examples(f"certificate write {protocol.name} {options} --out {protocol.name}.json"),
    )


certificate_group = Group(
    "certificate",
    commands={
        "check": click.Command(
            "check",
            callback=click.pass_context(_check),
            params=[
                click.Argument(["files"], nargs=-1, required=True, shell_complete=offer_paths, metavar="FILE..."),
                *switches(),
            ],
            short_help="Whether claims are verified.",
            help=(
                "Verify certificate files in integers, every rounding upward: pldcheck certificate check FILE...\n\n"
                "Which program does it, the file says under pldcheck_certificate: upper_slot, upper_shuffle, "
                "upper_sum, upper_loss, upper_swap, upper_few, upper_epochs or upper_rounds, all in the folder "
                "pldcheck/checkers.  That folder needs the standard library alone: copied anywhere, python checkers "
                "FILE... checks files of all kinds, and so does the archive checkers.pyz that --checkers puts beside "
                "a file.  The sentence of acceptance names the statements that it rests on; pldcheck show STATEMENT "
                "prints one with its proof."
                "\n\nWork is counted before it is done: a file takes at most some "
                f"{MOST_SECONDS // 60} minutes of one core, and what would take longer is refused.\n\n"
                "Exit status: 0 if all are accepted, 1 if one is not verified, 2 if one is no certificate."
            ),
            epilog=examples("certificate check hidden-slot.json"),
        ),
        "write": Group(
            "write",
            table={name: protocol for name, protocol in PROTOCOLS.items() if name not in WITHOUT},
            build=_certificate_command,
            help="Write a certificate of an upper end.",
            epilog=examples(
                "certificate write hidden-slot --steps 1000 --eps0 1 --delta 1e-6 --out hidden-slot.json",
                "certificate write gaussian --sigma 2 --steps 1000 --delta 1e-6 --out gaussian.json",
            ),
        ),
    },
    help="Upper ends as small files, and the programs that verify them.",
    epilog=examples(
        "certificate write hidden-slot --steps 1000 --eps0 1 --delta 1e-6 --out hidden-slot.json",
        "certificate check hidden-slot.json",
    ),
)
