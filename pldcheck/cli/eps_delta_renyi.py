"""``pldcheck eps``, ``delta`` and ``renyi``: one command for every protocol that has the quantity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, replace
from math import isinf
from time import perf_counter
from typing import Any

import click

from ..core.errors import PldcheckError
from ..core.parameters import PARAMETERS, Text, Words, number_text
from ..protocols import PROTOCOLS, Protocol
from . import answer_layout
from .opening_line import opening_line
from .options import Group, Name, consistent_values, examples, is_own_choice, number, offer, print_json, switches
from .protocol_text import NEEDED_EPS0, summary

# The values at which the examples in --help ask.
SAMPLE = {
    "steps": "1000",
    "window": "1000",
    "clients": "5000",
    "records": "60000",
    "largest_batch": "700",
    "batch": "600",
    "group": "2",
    "rounds": "10",
    "categories": "4",
    "eps0": "1",
    "weight": "0.1",
    "check_in_prob": "0.1",
    "delta": "1e-6",
    "epsilon": "0.02",
    "eps0_last": "0.5",
    "delta0": "1e-9",
    "delta0_last": "1e-8",
    "delta1": "1e-13",
    "delta2": "1e-7",
    "releases": "10",
    "rate": "0.01",
    "sigma": "2",
    "scale": "100",
    "epochs": "5",
    "dimension": "1000",
    "heads_p": "0.01",
    "heads_q": "0.5",
    "first": "1",
    "decay": "0.5",
    "bin_norm": "100",
    "tv": "0.25",
    "beta": "1e-8",
    "order": "3",
    "selected": "2",
}
# What is said on stderr where an answer takes long.
SLOW_ANSWER = (
    "computing {quantity} of {protocol}: a first answer compiles kernels, once; a larger --width takes less time"
)
# The reasons for an infinite epsilon: at a delta above 0, and at 0.
INFINITE = ("the loss is infinite too often", "losses have no largest value; give a delta above 0")
# The delta at which epsilon is asked.
DELTA = replace(PARAMETERS["delta"], help="the delta of (epsilon, delta)-DP, 0 of pure epsilon", low_open=False)
# Parameters of protocols that examples leave at their defaults.
OPTIONAL = ("epochs", "eps0_last", "delta0", "rounds", "selected", "group")


def usual_options(protocol: type[Protocol], at_name: str) -> list[str]:
    """Return the options of an example: sample values of all parameters that are not left at their defaults.

    An option that the protocol's examples give takes the place of its sample value.
    """
    own = protocol.examples.options
    names = [entry.name for entry in fields(protocol) if entry.name in SAMPLE and entry.name not in OPTIONAL]
    samples = [f"--{name.replace('_', '-')} {SAMPLE[name]}" for name in [*names, at_name]]
    return ([own] if own else []) + [sample for sample in samples if sample.split()[0] not in own.split()]


def field_option(protocol: type[Protocol], entry: Field) -> click.Option:
    """Return the option of one field of a protocol."""
    required = entry.default is MISSING
    default: Any = None if required else entry.default
    option = "--" + entry.name.replace("_", "-")
    parameter = protocol.parameters()[entry.name]
    presence: dict[str, Any] = {"required": True} if required else {"default": default, "show_default": True}
    if isinstance(parameter, Text):
        several = {"multiple": True} if parameter.several else {}
        begins = offer(parameter.beginnings)
        return click.Option([option], metavar="TEXT", help=parameter.help, shell_complete=begins, **several, **presence)
    if isinstance(parameter, Words):
        kind = Name(entry.name, lambda: parameter.values)
        words = f"{parameter.help}; {' or '.join(parameter.values)}."
        return click.Option([option], type=kind, metavar="NAME", help=words, **presence)
    option_of_number = number(parameter, default, required=required)
    if entry.name == "eps0" and default is None and not required:
        option_of_number.help = f"{str(option_of_number.help)[:-1]}; {NEEDED_EPS0}."
    return option_of_number


def _answer_builder(verb: str, quantity: str, at_name: str) -> Callable[[type[Protocol]], click.Command]:
    """Return a function that builds the commands of one verb: the interval of one quantity, given the other."""

    def build(protocol: type[Protocol]) -> click.Command:
        def answer(as_json: bool, **values: Any) -> None:
            target_width, at = values.pop("width"), values.pop(at_name)
            instance = protocol(**consistent_values(protocol, values))
            start = perf_counter()
            with opening_line(SLOW_ANSWER.format(quantity=quantity, protocol=protocol.name)):
                interval = instance.answer(quantity, at, target_width)
            seconds = perf_counter() - start
            if isinf(interval.lower):
                raise PldcheckError(f"no finite {quantity} at {at_name} = {number_text(at)}: {INFINITE[at == 0]}")
            if as_json:
                head = {"protocol": protocol.name, "params": instance.params(), at_name: at}
                if instance.total_steps is not None:
                    head["total_steps"] = instance.total_steps
                print_json({**head, **interval.to_dict(), "seconds": seconds})
                return
            own_width = is_own_choice("width")
            for line in answer_layout.answer(interval, instance, at_name, at, target_width, seconds, own_width):
                click.echo(line)

        about = summary(protocol)
        line = " ".join([verb, protocol.name, *usual_options(protocol, at_name)])
        return click.Command(
            protocol.name,
            callback=answer,
            params=[
                *(field_option(protocol, entry) for entry in fields(protocol)),
                number(DELTA if at_name == DELTA.name else at_name),
                number("width", protocol.default_width),
                *switches(),
            ],
            short_help=about,
            help=f"The least {quantity} at a given {at_name}, as an interval that contains it.\n\n{about}",
            epilog=examples(line, f"{line} --json"),
        )

    return build


def _protocols_with(quantity: str) -> dict[str, type[Protocol]]:
    """Return the protocols that have a quantity."""
    return {name: protocol for name, protocol in PROTOCOLS.items() if protocol.supports(quantity)}


eps = Group(
    "eps",
    kind="protocol",
    what="epsilon",
    table=_protocols_with("epsilon"),
    build=_answer_builder("eps", "epsilon", "delta"),
    help="The certified epsilon of a protocol at a given delta.",
    epilog=examples("eps hidden-slot --steps 1000 --eps0 1 --delta 1e-6", "eps check-in --help"),
)

delta = Group(
    "delta",
    kind="protocol",
    what="delta",
    table=_protocols_with("delta"),
    build=_answer_builder("delta", "delta", "epsilon"),
    help="The certified delta of a protocol at a given epsilon.",
    epilog=examples("delta hidden-slot --steps 1000 --eps0 1 --epsilon 0.1", "delta check-in --help"),
)

renyi = Group(
    "renyi",
    kind="protocol",
    what="renyi",
    table=_protocols_with("renyi"),
    build=_answer_builder("renyi", "renyi", "order"),
    help="The certified Renyi divergence of a protocol at a given order.",
    epilog=examples("renyi subsampled-gaussian --sigma 2 --rate 0.01 --steps 1000 --order 8", "renyi gaussian --help"),
)
