"""The text of click's complaints in our words, with the allowed values and similar names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from ..core.adjacencies import NEIGHBOURS
from ..core.errors import ParameterError, UnknownNameError
from ..core.parameters import PARAMETERS
from ..core.usual_names import PER_EPOCH, similar_names, usual_name
from .options import Group, Name, Number

if TYPE_CHECKING:
    from ..protocols import Protocol

# What a verb computes, the options of what others are asked at, and the option that it takes in their place.
COMPUTED = {
    "eps": ("epsilon", ("--epsilon",), "--delta"),
    "delta": ("delta", ("--delta",), "--epsilon"),
    "renyi": ("the Rényi divergence", ("--epsilon", "--delta"), "--order"),
}
# The usual texts of a delta of 0, and what is said of it.
ZEROS = ("0", "0.0")
PURE = "epsilon at delta = 0 (pure epsilon) is computed by pldcheck eps alone"
# A number with a comma in the place of its decimal point, and one with commas before thousands.
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+")
# A power of ten as mathematics and Python write it.
POWER = re.compile(r"(?:(\d+(?:\.\d+)?)(?:\*|x|·))?10(?:\^|\*\*)\(?(-?\d+)\)?")
# The most protocols that are named for an option which another one has.
FEW = 4
# The beginnings of domains of numbers.
NUMBERS = re.compile("(an integer )?(from|above|at least|at most)")
# Click's complaint about words that are no option.
EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)")
# The quantity that a verb computes of a protocol.
QUANTITY_OF = {"eps": "epsilon", "delta": "delta", "renyi": "renyi"}
# What is said of a refused rate.
RATE = "rate = batch / records, and 1 % is 0.01"
# Options of those who count steps, and what is said of them where a run counts epochs.
OF_STEPS = ("--rate", "--steps")
STEPS_OF_A_RUN = (
    "a run has --records, --batch and --epochs; of a rate and steps: pldcheck eps subsampled-gaussian --sigma 1 "
    "--rate 0.01 --steps 1000 --delta 1e-5"
)
# How alike an option and the one that was meant must be where a command is missing.
ALIKE = 0.7


def error_text(error: click.UsageError, arguments: Sequence[str]) -> str:
    """Return one line on a complaint of click about a command line."""
    if isinstance(error, click.NoSuchOption) and error.ctx:
        return _unknown_option(error.option_name, error.ctx)
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
        kind = error.param.type
        domain = kind.parameter.domain if isinstance(kind, Number) else ""
        if isinstance(kind, Name):
            domain = f"one of {', '.join(kind.choices())}"
        text = missing_option(error.param.opts[0], domain, arguments)
        return text if domain else f"{text} {error.param.metavar}: {str(error.param.help).rstrip('.')}"
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Argument) and error.ctx:
        metavar = error.param.make_metavar(error.ctx)
        return f"missing {metavar}; type {error.ctx.command_path} {metavar}, or --help for examples"
    if isinstance(error, click.BadOptionUsage):
        missing = error.option_name.lstrip("-").replace(PER_EPOCH, "steps").replace("-", "_")
        if missing in PARAMETERS:
            return f"missing value of {error.option_name}, which must be {PARAMETERS[missing].domain}"
        if error.message.endswith("does not take a value."):
            return f"{error.option_name} takes no value; write {error.option_name} alone"
        return f"missing value of {error.option_name}; --help says what it takes"
    extra = EXTRA.fullmatch(error.format_message())
    if extra and error.ctx:
        named = [one.opts[0] for one in error.ctx.command.params if isinstance(one, click.Option)]
        return f"unexpected {extra[1]!r}; {error.ctx.command_path} takes options: {', '.join(named)}"
    return error.format_message()


def missing_option(name: str, domain: str, arguments: Sequence[str]) -> str:
    """Return one line on an option that is missing; it may have been typed without its dashes."""
    option = name if name.startswith("-") else "--" + name.replace("_", "-")
    text = f"missing option {option}" + (f", which must be {domain}" if domain else "")
    word = option.lstrip("-")
    typed = next((one for one in arguments if one == word or one.startswith(f"{word}=")), "")
    return f"{text}; write --{typed} and not {typed}" if typed else text


def parameter_text(error: ParameterError) -> str:
    """Return one line on a refused value, with a hint where it is a usual mistake."""
    text, value = str(error), str(error.value)
    if error.name == "delta" and value in ZEROS:
        return f"{text}; {PURE}"
    readings = []
    if power := POWER.fullmatch(value):
        readings.append(f"powers of ten are written {power[1] or 1}e{power[2]}")
    if not NUMBERS.match(error.domain):
        return text
    if THOUSANDS.fullmatch(value):
        readings.append(f"thousands have no comma: {value.replace(',', '')}")
    if DECIMAL_COMMA.fullmatch(value) and not (error.name in PARAMETERS and PARAMETERS[error.name].integer):
        readings.append(f"decimals have a point: {value.replace(',', '.')}")
    if readings:
        return f"{text}; {', '.join(readings)}"
    return f"{text}; {RATE}" if error.name == "rate" else text


def _adjacency_text(protocol: type[Protocol]) -> str:
    """Return one line on the adjacency of a protocol that has no option for it."""
    if "sampling" in protocol.parameters():
        words = "--sampling poisson is for a record added or removed, poisson-replaced and fixed-size for one replaced"
        return f"unknown option '--adjacency'; {words}"
    meant = " or ".join(f"{one} ({NEIGHBOURS[one]})" for one in protocol.adjacencies)
    return f"unknown option '--adjacency'; leave it out: the adjacency of {protocol.name} is {meant}"


def _those_with(option: str, verb: str) -> str:
    """Return which protocols have an option that one lacks, as a clause; empty where none has, or many have."""
    from ..protocols import PROTOCOLS

    name = option.lstrip("-").replace("-", "_")
    having = [one for one, kind in PROTOCOLS.items() if verb in QUANTITY_OF and kind.supports(QUANTITY_OF[verb])]
    having = [one for one in having if name in PROTOCOLS[one].parameters()]
    return f"; {', '.join(having[:FEW])} {'have' if having[1:] else 'has'} it" if having else ""


def _unknown_option(option: str, context: click.Context) -> str:
    names = [text for parameter in context.command.get_params(context) for text in parameter.opts]
    if isinstance(context.command, Group) and not get_close_matches(option, names, cutoff=ALIKE):
        known = ", ".join(context.command.list_commands(context))
        return f"{context.command.kind} missing before {option}; known: {known}"
    verb = context.parent.info_name if context.parent else None
    quantity, refused, at = COMPUTED.get(str(verb), ("", (), ""))
    if option in refused:
        return f"{verb} computes {quantity}; give {at} and not {option}"
    if option == "--adjacency":
        from ..protocols import PROTOCOLS

        if protocol := PROTOCOLS.get(str(context.info_name)):
            return _adjacency_text(protocol)
    if context.info_name == "training" and (option in OF_STEPS or usual_name(option, OF_STEPS)):
        return f"unknown option {option!r}; {STEPS_OF_A_RUN}"
    options = [one for one in context.command.get_params(context) if isinstance(one, click.Option)]
    named = [text for one in options for text in one.opts]
    needed = [one.opts[0] for one in options if one.required]
    if not needed or usual_name(option, named) or similar_names(option, named):
        return str(UnknownNameError("option", option, named))
    return f"unknown option {option!r}{_those_with(option, str(verb))}; required: {', '.join(needed)}; --help has all"
