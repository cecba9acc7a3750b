"""A protocol on a terminal: what is run and seen, its parameters with their defaults, and which data are neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from inspect import getdoc

from ..core.adjacencies import NEIGHBOURS
from ..core.parameters import Parameter, Text, Words
from ..protocols import Protocol
from ..randomizers import randomizer_text
from ..report.unicode_formulas import unicode_formula

REQUIRED = "required"
# What is said of a budget that some randomizers have by themselves.
OWN_BUDGET = randomizer_text.forms(one for one in randomizer_text.IN_HIDDEN_SLOTS if not one.needs_eps0)
NEEDED_EPS0 = f"required unless --randomizer is {OWN_BUDGET}"
# A name with its role in reStructuredText: of a module the whole is shown, of others the last part.
ROLE = re.compile(r":(?:mod:`|\w+:`~?(?:[\w.]*\.)?)([^`]*)`")
# The sections of a docstring, which repeat the parameters.
SECTION = re.compile(r"\n\n\w+\n-+\n.*", re.S)
FORMULA = ".. math::"


def default_text(entry: Field) -> str:
    """Return the default of a parameter as Python writes it, or that it is required."""
    if entry.default is MISSING:
        return REQUIRED
    return repr(entry.default) if isinstance(entry.default, str | int | float | None) else repr(str(entry.default))


def domain_text(parameter: Parameter | Words | Text) -> str:
    """Return which values a parameter takes, in words."""
    return "text" if isinstance(parameter, Text) else parameter.domain


def summary(protocol: type[Protocol]) -> str:
    """Return the first paragraph of the docstring, as plain text."""
    return (getdoc(protocol) or "").partition("\n\n")[0].replace("\n", " ").replace("``", "")


def paragraphs(protocol: type[Protocol]) -> Iterator[str]:
    """Yield the paragraphs of the class's docstring as plain text, formulas as Unicode mathematics."""
    for paragraph in SECTION.sub("", getdoc(protocol) or "").split("\n\n"):
        text = " ".join(paragraph.split())
        if text.startswith(FORMULA):
            yield unicode_formula(text.removeprefix(FORMULA).strip())
        else:
            yield ROLE.sub(r"\1", text).replace("``", "")


def parameter_lines(protocol: type[Protocol]) -> Iterator[str]:
    """Yield a line for each parameter: its name, its meaning, its values and its default."""
    for entry in fields(protocol):
        parameter = protocol.parameters()[entry.name]
        help_text, default = parameter.help.rstrip("."), default_text(entry)
        presence = {REQUIRED: REQUIRED, "None": NEEDED_EPS0 if entry.name == "eps0" else "optional"}.get(default)
        yield f"{entry.name}: {help_text}; {domain_text(parameter)}; {presence or f'default {default}'}"


def adjacency_lines(protocol: type[Protocol]) -> Iterator[str]:
    """Yield a line for each adjacency of the protocol, with its meaning."""
    for name in protocol.adjacencies:
        yield f"{name}: {NEIGHBOURS[name]}"
