"""The refusal of a name that a verb does not take: what it is elsewhere, or which names the verb takes."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import PldcheckError, UnknownNameError
from ..core.usual_names import similar_names, usual_name

# What a kind of names is called where they could be those of theorems, protocols or statements.
OF_IDS = ("theorem", "protocol", "statement", "proof", "command")
# The quantities that some protocols do not have.
QUANTITIES = ("epsilon", "delta", "renyi")
# How a training run is asked about.
TRAINING = "pldcheck training --records 60000 --batch 256 --epochs 15 --sigma 1.1 --delta 1e-5 [--solve sigma]"
# The most names that are listed beside a similar one.
FEW = 6
# The most names that are listed where none is similar.
MANY = 40


def unknown_name(kind: str, name: str, choices: Iterable[str], what: str) -> PldcheckError:
    """Return the error for a name that is not among the choices of a verb.

    Parameters
    ----------
    kind : str
        What the verb takes, in words.
    name : str
        The name that it does not take.
    choices : iterable of str
        The names that it takes.
    what : str
        What the verb shows of them, in words; empty if it takes all there are.

    """
    from ..protocols import PROTOCOLS
    from ..theorems import REGISTRY, REMARKS
    from ..theorems.statements import STATEMENTS

    names = tuple(choices)
    if name == "help" and kind == "command":
        return PldcheckError("help is no command; pldcheck --help has all, and pldcheck COMMAND --help has examples")
    if name == "training" and "protocol" in kind:
        return PldcheckError(f"training is a command of its own: {TRAINING}")
    if not any(word in kind for word in OF_IDS):
        return UnknownNameError(kind, name, names)
    if name in PROTOCOLS and what in QUANTITIES:
        return PROTOCOLS[name].refusal(what)
    if name in PROTOCOLS and "theorem" in kind:
        return PldcheckError(f"{name} is a protocol, not a theorem; pldcheck show {name} lists the theorems on it")
    if name in REGISTRY and "protocol" in kind:
        return PldcheckError(f"{name} is a theorem, not a protocol; pldcheck bound {name} computes what it claims")
    if name in STATEMENTS:
        lacks = f", and has no {what}" if what else f", not a {kind}"
        return PldcheckError(
            f"{name} is a statement that certificates rest on{lacks}; pldcheck show {name} has its proof"
        )
    if name in REMARKS:
        lacks = f", and has no {what}" if what else f", not a {kind}"
        return PldcheckError(
            f"{name} is a {REMARKS[name].kind} of a paper{lacks}; pldcheck show {name} says what judges it"
        )
    if what and (name in PROTOCOLS or name in REGISTRY):
        return PldcheckError(f"{name} is known, but has no {what}; those that have one: {', '.join(names)}")
    if len(names) > MANY and not (usual_name(name, names) or similar_names(name, names)):
        return PldcheckError(f"unknown {kind} {name!r}; pldcheck list has all names")
    return UnknownNameError(kind, name, names)


def with_all_names(error: UnknownNameError) -> str:
    """Return the message of the error; where there are few names, it lists them all."""
    message = str(error)
    few = message.endswith("?") and len(error.choices) <= FEW
    return f"{message} known: {', '.join(error.choices)}" if few else message
