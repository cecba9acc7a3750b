"""The facts on protocols that the reference site shows, gathered from their classes and from the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import Field, fields
from inspect import getdoc
from typing import Any

import click

from ..protocols import PROTOCOLS, Protocol
from ..report.site.protocol_pages import ParameterFacts, ProtocolFacts
from .eps_delta_renyi import delta, eps, renyi, usual_options
from .options import consistent_values
from .protocol_text import NEEDED_EPS0, default_text, domain_text

# The verbs that ask a protocol for a number: the group of commands, the quantity, and what it is asked at.
VERBS: dict[str, tuple[click.Group, str, str]] = {
    "eps": (eps, "epsilon", "delta"),
    "delta": (delta, "delta", "epsilon"),
    "renyi": (renyi, "renyi", "order"),
}
# The meaning of each quantity, in words.
QUANTITIES = {
    "epsilon": "the smallest epsilon at a given delta, as an interval",
    "delta": "the smallest delta at a given epsilon, as an interval",
    "renyi": "the Rényi divergence of a given order, as an interval",
    "error": "the error of what is released at a given epsilon, as an interval",
    "losses": "privacy loss distributions, to be composed with other mechanisms",
}


def protocol_facts() -> tuple[ProtocolFacts, ...]:
    """Return the facts on all protocols, in the order in which they are listed."""
    return tuple(map(_facts, PROTOCOLS.values()))


def _facts(protocol: type[Protocol]) -> ProtocolFacts:
    command, python = _example(protocol)
    return ProtocolFacts(
        protocol.name,
        protocol.__name__,
        protocol.__module__,
        getdoc(protocol) or "",
        tuple(_parameter(protocol, entry) for entry in fields(protocol)),
        protocol.adjacencies,
        tuple(_answers(protocol)),
        tuple(_lacks(protocol)),
        command,
        python,
    )


def _parameter(protocol: type[Protocol], entry: Field) -> ParameterFacts:
    parameter = protocol.parameters()[entry.name]
    default = default_text(entry)
    if default == "None":
        default = NEEDED_EPS0 if entry.name == "eps0" else "none"
    return ParameterFacts(entry.name, parameter.help, domain_text(parameter), default)


def _answers(protocol: type[Protocol]) -> Iterator[tuple[str, str]]:
    verbs = {quantity: verb for verb, (_, quantity, _) in VERBS.items()}
    for quantity, words in QUANTITIES.items():
        if protocol.supports(quantity):
            verb = f" (pldcheck {verbs[quantity]} {protocol.name})" if quantity in verbs else ""
            yield quantity, f"{words}{verb}"
    if protocol.directions:
        names = ", ".join(protocol.directions)
        yield "calibrate", f"the value of {names} at which a target is met (pldcheck calibrate {protocol.name})"
    if not protocol.unwritten:
        yield (
            "witness",
            f"a file that proves the lower end, for a checker of its own (pldcheck witness write {protocol.name})",
        )


def _lacks(protocol: type[Protocol]) -> Iterator[tuple[str, str]]:
    for quantity in QUANTITIES:
        if not protocol.supports(quantity) and quantity in protocol.lacks:
            yield quantity, protocol.lacks[quantity]
    if protocol.unwritten:
        yield "witness", protocol.unwritten


def _example(protocol: type[Protocol]) -> tuple[str, str]:
    """Return a command line and the same question in Python, both empty where no verb serves the protocol."""
    for verb, (group, quantity, at_name) in VERBS.items():
        if protocol.supports(quantity):
            options = " ".join(usual_options(protocol, at_name))
            values = _values(group, protocol, options)
            at = values.pop(at_name)
            instance = protocol(**consistent_values(protocol, values))
            call = f"pldcheck.{protocol.__name__}({_arguments(instance)}).{quantity}({at_name}={at!r})"
            return f"pldcheck {verb} {protocol.name} {options}", f"import pldcheck\n\n{call}"
    return "", ""


def _values(group: click.Group, protocol: type[Protocol], options: str) -> dict[str, Any]:
    """Return the values of the command line's options, without those on how the answer is computed or printed."""
    context = click.Context(group)
    command = group.get_command(context, protocol.name)
    assert command is not None
    with command.make_context(protocol.name, shlex.split(options)) as inner:
        return {name: value for name, value in inner.params.items() if name not in ("as_json", "width")}


def _arguments(instance: Protocol) -> str:
    """Return the parameters that are not at their defaults, as Python writes them."""
    own = {entry.name: vars(instance)[entry.name] for entry in fields(instance)}
    names = [entry.name for entry in fields(instance) if own[entry.name] != entry.default]
    return ", ".join(f"{name}={instance.params()[name]!r}" for name in names)
