"""``@pldcheck.theorem``: a plain function becomes a theorem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from inspect import Parameter, cleandoc, signature
from typing import Any

from ..core.errors import ParameterError, PldcheckError, UnknownNameError
from ..core.parameters import PARAMETERS
from ..protocols import PROTOCOLS, Protocol
from ..theorems import GIVEN, REGISTRY, Source, Theorem
from ..theorems.balle20.check_ins import full_window
from ..verification.problem import SLACKS
from . import short_conditions as short

OWN = "your own"
# What a theorem is about where it is silent: so many clients that some see all of their window released.
SUPPLIED = {"sliding-window": ("clients", full_window)}


def theorem(
    formula: object = None,
    /,
    *,
    protocol: Any = None,
    conditions: Iterable[Any] = (),
    adjacency: str | None = None,
    quantity: str = "epsilon",
    relation: str = "<=",
    id: str | None = None,
    parameters: Iterable[str] | None = None,
    source: str | Source = OWN,
    at: Callable[..., float] | None = None,
    zero: bool = False,
    notes: str = "",
    subject: Callable[..., Mapping[str, Any]] | None = None,
) -> Callable[[Callable[..., float]], Theorem]:
    """Make a theorem of the function that is decorated: what it returns is what the theorem claims.

    Its first line of documentation is the title, its name the id, and its arguments are the parameters, named as in
    :data:`pldcheck.core.parameters.PARAMETERS`; arguments of other names need a default, which they keep.

    Parameters
    ----------
    protocol : str or class
        What the theorem is about, as ``pldcheck list`` names it, or the class: ``pldcheck.HiddenSlot``.
    conditions : list
        Pairs of a text and a function of parameters, by their names: a predicate, or the amount by which the
        condition fails.  A function of one argument ``params`` is given all of them.  Or
        :class:`pldcheck.theorems.Condition`.
    adjacency : str, optional
        As the protocol has it; by default that which it is computed for.
    quantity : {"epsilon", "delta", "renyi", "error"}
        What is bounded; the function is then given ``delta``, ``epsilon``, ``order`` or ``epsilon``.
    relation : {"<=", "=", ">="}
        Whether an upper bound, the exact value or a lower bound is claimed.
    id, parameters, source, at, zero, notes
        As in :class:`pldcheck.theorems.Theorem`, where they are not to be read from the function; ``parameters`` for
        a function with ``**``.
    subject : callable, optional
        What the theorem is about, as the fields of the protocol, from its parameters; by default those of one name:
        ``subject=lambda clients, eps0, categories, delta: {"clients": clients, "eps0": eps0, "randomizer":
        f"krr:{categories}"}``.

    Raises
    ------
    ParameterError, UnknownNameError
        In one line, where a name is unknown, is taken, or is missing.

    """
    if formula is not None or protocol is None:
        raise ParameterError(
            "protocol", f"given, as in @pldcheck.theorem(protocol={next(iter(PROTOCOLS))!r})", protocol
        )
    kind = _kind(protocol)
    if quantity in GIVEN and not kind.supports(quantity):
        raise UnknownNameError(f"quantity of {kind.name}", quantity, [name for name in GIVEN if kind.supports(name)])

    def decorate(function: Callable[..., float]) -> Theorem:
        if not callable(function):
            raise ParameterError("theorem", "a function", function)
        name = str(id or getattr(function, "__name__", type(function).__name__))
        if name in REGISTRY:
            raise ParameterError("theorem id", "one that no registered theorem has", name)
        if re.search(r"\s|^-|^$", name) or name == "<lambda>":
            raise ParameterError("theorem id", "a name without spaces", name)
        given = tuple(parameters) if parameters is not None else _parameters(function, name)
        for one in given:
            if one not in PARAMETERS:
                raise UnknownNameError(f"parameter of {name}", str(one), PARAMETERS)
        if subject is None:
            _check_needed(kind, name, given)
        elif not callable(subject):
            raise ParameterError("subject", "a function of the parameters", subject)
        title, statement = _documented(function, name)
        return Theorem(
            id=name,
            title=title,
            statement=statement,
            adjacency=_usual_adjacency(kind) if adjacency is None else adjacency,
            protocol=kind.name,
            parameters=given,
            conditions=short.read(conditions, name, given),
            source=source if isinstance(source, Source) else Source(str(source), str(source), name, ""),
            formula=function,
            notes=notes,
            quantity=quantity,
            relation=relation,
            at=at,
            zero=zero,
            subject=_supplied(kind, given) if subject is None else subject,
        )

    return decorate


def _kind(protocol: object) -> type[Protocol]:
    if isinstance(protocol, type) and issubclass(protocol, Protocol):
        return protocol
    name = protocol.name if isinstance(protocol, Protocol) else protocol
    if not isinstance(name, str):
        raise ParameterError("protocol", f"one of {', '.join(PROTOCOLS)}", protocol)
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    return PROTOCOLS[name]


def _parameters(function: Callable[..., float], name: str) -> tuple[str, ...]:
    try:
        entries = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # some built-in functions do not tell
        raise ParameterError(f"the signature of {name}", "known, or parameters=(...)", function) from None
    found = []
    for entry in entries:
        if entry.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL, Parameter.POSITIONAL_ONLY):
            raise ParameterError(f"the signature of {name}", "parameters by name, or parameters=(...)", str(entry))
        if entry.default is not Parameter.empty:
            if entry.name in PARAMETERS:
                raise ParameterError(f"{entry.name} of {name}", "without a default: a grid gives it", entry.default)
            continue
        found.append(entry.name)
    return tuple(found)


def _check_needed(kind: type[Protocol], name: str, given: tuple[str, ...]) -> None:
    needed = [entry.name for entry in fields(kind) if entry.default is MISSING and entry.default_factory is MISSING]
    for one in needed:
        if one not in given and one != SUPPLIED.get(kind.name, ("",))[0]:
            if one not in PARAMETERS:
                raise PldcheckError(f"{name} cannot be about {kind.name}, whose {one} is not a number")
            raise ParameterError(f"the parameters of {name}", f"those that {kind.name} needs, {one} among them", given)
    known = {entry.name for entry in fields(kind)} | SLACKS
    for one in given:
        if one not in known:
            raise ParameterError(
                f"the parameters of {name}", f"those of {kind.name}, or with subject= what it is that has {one}", given
            )


def _supplied(kind: type[Protocol], given: tuple[str, ...]) -> Callable[..., Mapping[str, Any]] | None:
    """Return what the theorem is about where it does not say all of it."""
    field, subject = SUPPLIED.get(kind.name, ("", None))
    return None if field in given else subject


def _usual_adjacency(kind: type[Protocol]) -> str:
    """Return the default of the field; else whatever the protocol is computed for."""
    return next((str(entry.default) for entry in fields(kind) if entry.name == "adjacency"), "any")


def _documented(function: Callable[..., float], name: str) -> tuple[str, str]:
    """Return title and statement: the first line, and the first displayed formula, else the first line once more."""
    text = cleandoc(getattr(function, "__doc__", None) or "")
    title = text.partition("\n")[0].strip().rstrip(".") or name
    formula = re.search(r"\.\. math::[ ]*(.*(?:\n(?:[ ]+.*|[ ]*))*)", text)
    words = formula.group(1).split() if formula else []
    return title, " ".join(words) or rf"\text{{{title}}}"
