"""The parser of the text form of a randomizer, such as "krr:10"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from ..core.errors import MissingError, ParameterError
from ..core.parameters import PARAMETERS
from . import KINDS, Randomizer

# The classes by the name with which their text form begins.
_BY_NAME = {one.kind: one for one in KINDS}
# The classes that protocols with hidden slots accept.
IN_HIDDEN_SLOTS = tuple(one for one in KINDS if one.in_hidden_slots)
# The classes that shuffling accepts.
IN_SHUFFLES = tuple(one for one in KINDS if one.in_shuffles)


def forms(kinds: Iterable[type[Randomizer]]) -> str:
    """Return the text forms of some kinds as one phrase: "worst, rr or krr:K"."""
    *others, last = (one.form for one in kinds)
    return f"{', '.join(others)} or {last}"


def beginnings(kinds: Iterable[type[Randomizer]]) -> tuple[str, ...]:
    """Return how the text forms of some kinds begin: "worst", "rr", "krr:"."""
    return tuple(one.kind + ":" * (one.form != one.kind) for one in kinds)


def kind_of(randomizer: object) -> type[Randomizer] | None:
    """Return the class that a text names, or the class of an object; None for an unknown name."""
    if isinstance(randomizer, Randomizer):
        return type(randomizer)
    return _BY_NAME.get(str(randomizer).partition(":")[0])


def parse(randomizer: object, kinds: Iterable[type[Randomizer]] = KINDS) -> Randomizer:
    """Return the randomizer that a text stands for.

    Parameters
    ----------
    randomizer : str or Randomizer
        A text such as ``krr:10``; an object is returned as it is.
    kinds : iterable of classes
        The classes that the text may name.

    Raises
    ------
    ParameterError
        If the text names none of the classes, or a parameter is outside its domain.

    Examples
    --------
    >>> parse("krr:10")
    Krr(categories=10)
    >>> str(parse("krr:10"))
    'krr:10'

    """
    if isinstance(randomizer, Randomizer):
        return randomizer
    kinds, kind = tuple(kinds), kind_of(randomizer)
    text = str(randomizer).partition(":")[2]
    count = len(fields(kind)) if kind else 0  # type: ignore[arg-type] # leaves are dataclasses
    arguments = text.split(":", count - 1) if count else [text] if text else []
    if kind not in kinds or len(arguments) != count or not all(arguments):
        raise ParameterError("randomizer", kind.form if kind in kinds else forms(kinds), randomizer)
    return kind(*arguments)


def in_hidden_slot(text: object, eps0: object, delta0: float) -> Randomizer:
    """Return the randomizer of a hidden slot; raise ParameterError where it does not fit ``eps0`` and ``delta0``."""
    randomizer = parse(text, IN_HIDDEN_SLOTS)
    if not randomizer.in_hidden_slots:
        raise ParameterError("randomizer", forms(IN_HIDDEN_SLOTS), str(randomizer))
    if eps0 is None and randomizer.needs_eps0:
        raise MissingError("eps0", PARAMETERS["eps0"].domain)
    if randomizer.known and delta0 > 0.0:
        raise ParameterError("delta0", "0 with a known randomizer", delta0)
    return randomizer


def in_shuffle(text: object) -> Randomizer:
    """Return the randomizer of shuffled messages; raise ParameterError for one that shuffling does not accept."""
    randomizer = parse(text, IN_SHUFFLES)
    if not randomizer.in_shuffles:
        raise ParameterError("randomizer", forms(IN_SHUFFLES), str(randomizer))
    return randomizer
