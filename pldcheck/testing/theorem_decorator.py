"""``@pldcheck.theorem`` turns a plain function into a theorem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from inspect import Parameter, cleandoc, signature
from types import FunctionType
from typing import Any

from ..core.errors import ParameterError, PldcheckError, UnknownNameError
from ..core.parameters import PARAMETERS
from ..protocols import JUDGEABLE, PROTOCOLS, OwnMechanism, Protocol
from ..theorems import GIVEN, REGISTRY, Source, Theorem
from ..theorems.balle20.check_ins import full_window
from ..verification.problem import SLACKS
from . import short_conditions as short

# The source of a theorem whose author names none.
OWN = "your own"
# A field of a protocol that theorems leave out, and the function that supplies it: a theorem on sliding windows holds
# for every number of clients, so it is tested with enough of them that some windows are released as a whole.
DEFAULT_FIELDS = {"sliding-window": ("clients", full_window)}


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
    grid: Any = None,
) -> Callable[[Callable[..., float]], Theorem]:
    """Return a decorator that turns a function into a theorem, whose claim is the value that the function returns.

    The first line of the function's docstring becomes the title, the function's name the id, and its arguments the
    parameters, which have the names of :data:`pldcheck.core.parameters.PARAMETERS`.  An argument with another name must
    have a default, which it keeps.

    Parameters
    ----------
    protocol : str, class, Protocol or callable
        The protocol that the theorem is about: its name in ``pldcheck list``, its class, as ``pldcheck.HiddenSlot``, or
        an object, whose fields hold where the theorem has no parameter of that name.  For a mechanism of your own it is
        a :class:`pldcheck.TableMechanism`, or a function of parameters of the theorem, by name, that returns what
        :class:`pldcheck.OwnMechanism` describes.
    conditions : list
        Pairs of a text and a function whose arguments are parameters, by name.  The function is a predicate, or returns
        the amount by which the condition fails.  A function of the single argument ``params`` receives the mapping of
        all parameters.  Entries may also be objects of :class:`pldcheck.theorems.Condition`.
    adjacency : str, optional
        An adjacency of the protocol; the default is that of the object, or the one that the protocol has by default.
    quantity : {"epsilon", "delta", "renyi", "error"}
        The quantity that is bounded; the function then has the parameter ``delta``, ``epsilon``, ``order`` or
        ``epsilon``, respectively.
    relation : {"<=", "=", ">="}
        Whether the claim is an upper bound, the exact value or a lower bound.
    id, parameters, source, at, zero, notes
        The fields of :class:`pldcheck.theorems.Theorem` of these names, if they cannot be read from the function;
        ``parameters`` is needed for a function with ``**``.
    subject : callable, optional
        A function from the theorem's parameters to the fields of the protocol.  By default fields and parameters of
        one name are the same.  An example is ``subject=lambda clients, eps0, categories, delta: {"clients": clients,
        "eps0": eps0, "randomizer": f"krr:{categories}"}``.

    Returns
    -------
    callable
        The decorator; it returns a :class:`pldcheck.theorems.Theorem`, which can still be called by parameter names.

    Raises
    ------
    ParameterError, UnknownNameError
        If a name is unknown or is already in use, or the protocol is not given.
    PldcheckError
        If the function lacks a parameter of the protocol, or has one that the protocol has not.

    Examples
    --------
    >>> @theorem(protocol="hidden-slot", conditions=[("eps0 <= 1", lambda eps0: eps0 <= 1)])
    ... def one_budget(steps, eps0, delta):
    ...     "Epsilon of a hidden slot is at most the budget of one step."
    ...     return eps0
    >>> one_budget(steps=10, eps0=0.5, delta=1e-6).value
    0.5

    """
    if formula is not None or protocol is None:
        raise ParameterError(
            "protocol", f"given, as in @pldcheck.theorem(protocol={next(iter(PROTOCOLS))!r})", protocol
        )
    if isinstance(protocol, FunctionType):
        if subject is not None:
            raise ParameterError("subject", "left out: the function says what the parameters mean", subject)
        kind: type[Protocol] = OwnMechanism
    else:
        kind = _kind(protocol)
    own = protocol.params() if isinstance(protocol, Protocol) else {}
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
        arguments = tuple(parameters) if parameters is not None else _parameters(function, name)
        for one in arguments:
            if one not in PARAMETERS:
                raise UnknownNameError(f"parameter of {name}", str(one), PARAMETERS)
        if subject is not None and not callable(subject):
            raise ParameterError("subject", "a function of the parameters", subject)
        if isinstance(protocol, FunctionType):
            fields_of: Callable[..., Mapping[str, Any]] | None = _subject_of_function(protocol, name, arguments)
        else:
            if subject is None:
                _check_parameters(kind, name, arguments, own)
            fields_of = _subject(kind, arguments, own, subject)
        title, statement = _title_and_statement(function, name)
        return Theorem(
            id=name,
            title=title,
            statement=statement,
            adjacency=own.get("adjacency", _usual_adjacency(kind)) if adjacency is None else adjacency,
            protocol=kind.name,
            parameters=arguments,
            conditions=short.read(conditions, name, arguments),
            source=source if isinstance(source, Source) else Source(str(source), str(source), name, ""),
            formula=function,
            notes=notes,
            quantity=quantity,
            relation=relation,
            at=at,
            zero=zero,
            subject=fields_of,
            grid=grid,
        )

    return decorate


def _kind(protocol: object) -> type[Protocol]:
    if isinstance(protocol, type) and issubclass(protocol, Protocol):
        return protocol
    name = protocol.name if isinstance(protocol, Protocol) else protocol
    if not isinstance(name, str):
        raise ParameterError("protocol", f"one of {', '.join(PROTOCOLS)}", protocol)
    if name not in JUDGEABLE:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    return JUDGEABLE[name]


def _parameters(function: Callable[..., float], name: str) -> tuple[str, ...]:
    try:
        entries = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # some built-in functions have no signature
        raise ParameterError(f"the signature of {name}", "known, or parameters=(...)", function) from None
    names = []
    for entry in entries:
        if entry.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL, Parameter.POSITIONAL_ONLY):
            raise ParameterError(f"the signature of {name}", "parameters by name, or parameters=(...)", str(entry))
        if entry.default is not Parameter.empty:
            if entry.name in PARAMETERS:
                raise ParameterError(f"{entry.name} of {name}", "without a default: a grid gives it", entry.default)
            continue
        names.append(entry.name)
    return tuple(names)


def _check_parameters(kind: type[Protocol], name: str, parameters: tuple[str, ...], own: Mapping[str, Any]) -> None:
    mandatory = [entry.name for entry in fields(kind) if entry.default is MISSING and entry.default_factory is MISSING]
    for one in mandatory:
        if one not in parameters and one not in own and one != DEFAULT_FIELDS.get(kind.name, ("",))[0]:
            if one not in PARAMETERS:
                raise PldcheckError(f"{name} cannot be about {kind.name}, whose {one} is not a number")
            raise PldcheckError(f"{name} lacks {one}, which {kind.name} needs")
    names = {entry.name for entry in fields(kind)} | SLACKS
    for one in parameters:
        if one not in names:
            raise PldcheckError(f"{name} has {one}, which {kind.name} has not; subject= says what it means there")


def _subject(
    kind: type[Protocol],
    parameters: tuple[str, ...],
    own: Mapping[str, Any],
    given: Callable[..., Mapping[str, Any]] | None,
) -> Callable[..., Mapping[str, Any]] | None:
    """Return the function from parameters to fields: what is given, and an object's own fields for all others.

    Without either, it is the one that supplies a field which the theorem leaves out, if there is one.
    """
    if own:
        return lambda **params: {**own, **(given(**params) if given else params)}
    field, usual = DEFAULT_FIELDS.get(kind.name, ("", None))
    return given or (None if field in parameters else usual)


def _subject_of_function(
    mechanism: FunctionType, name: str, parameters: tuple[str, ...]
) -> Callable[..., Mapping[str, Any]]:
    """Return the function from a theorem's parameters to the fields of a mechanism that a function computes."""
    entries = signature(mechanism).parameters
    for one in entries.values():
        if one.default is Parameter.empty and one.name not in parameters:
            raise PldcheckError(f"{name} lacks {one.name}, which {mechanism.__name__} needs")
    for given in parameters:
        if given not in entries and given not in SLACKS:
            raise PldcheckError(f"{name} has {given}, which {mechanism.__name__} has not")
    return lambda **params: {
        "function": mechanism,
        "arguments": tuple((key, value) for key, value in params.items() if key in entries),
    }


def _usual_adjacency(kind: type[Protocol]) -> str:
    """Return the default of the protocol's field ``adjacency``, or "any" if the protocol has no such field."""
    return next((str(entry.default) for entry in fields(kind) if entry.name == "adjacency"), "any")


def _title_and_statement(function: Callable[..., float], name: str) -> tuple[str, str]:
    """Return the first line of the docstring, and its first displayed formula, or the first line again without one."""
    text = cleandoc(getattr(function, "__doc__", None) or "")
    title = text.partition("\n")[0].strip().rstrip(".") or name
    formula = re.search(r"\.\. math::[ ]*(.*(?:\n(?:[ ]+.*|[ ]*))*)", text)
    words = formula.group(1).split() if formula else []
    return title, " ".join(words) or rf"\text{{{title}}}"
