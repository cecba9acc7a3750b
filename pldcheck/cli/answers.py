"""``pldcheck eps``, ``delta`` and ``bound``: a command for every protocol and every theorem there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from time import perf_counter
from typing import Any

import click

from ..parameters import PARAMETERS
from ..protocols import PROTOCOLS
from ..protocols.hidden_slot import ADJACENCIES
from ..report.numbers import outward, up, width
from ..theorems import REGISTRY, Theorem
from ..verify import WIDTH
from .describe import summary
from .options import Group, Name, examples, number, print_json, switches

# What the examples in --help ask for.
SAMPLE = {
    "steps": "1000",
    "window": "1000",
    "clients": "5000",
    "eps0": "1",
    "weight": "0.1",
    "check_in_prob": "0.1",
    "delta": "1e-6",
    "epsilon": "0.02",
}


def _example(verb: str, name: str, parameters: list[str]) -> str:
    options = [f"--{key.replace('_', '-')} {SAMPLE[key]}" for key in parameters]
    line = " ".join([verb, name, *options])
    return examples(line, f"{line} --json")


def _field(entry: Field) -> click.Option:
    default = None if entry.default is MISSING else entry.default
    if entry.name in PARAMETERS:
        return number(entry.name, default)
    return click.Option(
        ["--adjacency"],
        type=Name("adjacency", lambda: ADJACENCIES),
        default=default,
        show_default=True,
        metavar="NAME",
        help=f"What becomes of the record; {' or '.join(ADJACENCIES)}.",
    )


def _answering(verb: str, quantity: str, given: str) -> Callable[[Any], click.Command]:
    """Builds the commands of one verb: the interval of one quantity, given the other."""

    def build(protocol: Any) -> click.Command:
        def answer(as_json: bool, **values: Any) -> None:
            asked, at = values.pop("width"), values.pop(given)
            instance = protocol(**values)
            start = perf_counter()
            interval = getattr(instance, quantity)(at, asked)
            seconds = perf_counter() - start
            if as_json:
                head = {"protocol": protocol.name, "params": instance.params(), given: at}
                print_json({**head, **interval.to_dict(), "seconds": seconds})
                return
            lower, upper = outward(interval)
            click.echo(
                f"{quantity} in [{lower}, {upper}]  certified  {given}={at!r}  "
                f"adjacency={instance.hidden_slot.adjacency}  width {width(interval)}  {seconds:.1f} s"
            )

        about = summary(protocol)
        names = [entry.name for entry in fields(protocol) if entry.name in PARAMETERS]
        return click.Command(
            protocol.name,
            callback=answer,
            params=[*map(_field, fields(protocol)), number(given), number("width", WIDTH), *switches()],
            short_help=about,
            help=f"The least {quantity} at a given {given}, as an interval that contains it.\n\n{about}",
            epilog=_example(verb, protocol.name, [*names, given]),
        )

    return build


def _bounding(theorem: Theorem) -> click.Command:
    def bound(as_json: bool, **values: Any) -> None:
        claim = theorem(**values)
        if as_json:
            print_json(claim.to_dict())
            return
        click.echo(
            f"epsilon <= {up(claim.epsilon)}  claimed by {theorem.id}  delta={claim.delta_total!r}  "
            f"adjacency={theorem.adjacency}"
        )

    return click.Command(
        theorem.id,
        callback=bound,
        params=[*map(number, theorem.parameters), *switches()],
        short_help=theorem.title,
        help=f"What {theorem.id} claims: {theorem.title[:1].lower()}{theorem.title[1:]}.",
        epilog=_example("bound", theorem.id, list(theorem.parameters)),
    )


eps = Group(
    "eps",
    kind="protocol",
    table=PROTOCOLS,
    build=_answering("eps", "epsilon", "delta"),
    help="The certified epsilon of a protocol at a given delta.",
    epilog=examples("eps hidden-slot --steps 1000 --eps0 1 --delta 1e-6", "eps check-in --help"),
)

delta = Group(
    "delta",
    kind="protocol",
    table=PROTOCOLS,
    build=_answering("delta", "delta", "epsilon"),
    help="The certified delta of a protocol at a given epsilon.",
    epilog=examples("delta hidden-slot --steps 1000 --eps0 1 --epsilon 0.1", "delta check-in --help"),
)

bound = Group(
    "bound",
    kind="theorem",
    table=REGISTRY,
    build=_bounding,
    help="The epsilon a theorem claims; nothing is verified.",
    epilog=examples("bound thm-3.2 --steps 1000 --eps0 1 --check-in-prob 1 --delta 1e-6", "bound thm-4.3 --help"),
)
