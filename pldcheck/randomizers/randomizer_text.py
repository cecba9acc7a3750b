"""The text form of a randomizer, such as "krr:10": the only place that takes it apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from ..core.errors import MissingError, ParameterError
from ..core.parameters import PARAMETERS
from . import KINDS, Randomizer

_BY_NAME = {one.kind: one for one in KINDS}
IN_HIDDEN_SLOTS = tuple(one for one in KINDS if one.in_hidden_slots)
IN_SHUFFLES = tuple(one for one in KINDS if one.in_shuffles)


def forms(kinds: Iterable[type[Randomizer]]) -> str:
    """Returns the text forms of some kinds as one phrase: "worst, rr or krr:K"."""
    *others, last = (one.form for one in kinds)
    return f"{', '.join(others)} or {last}"


def kind_of(given: object) -> type[Randomizer] | None:
    """Returns the class that a text names, or that an object is of; None where there is none."""
    return type(given) if isinstance(given, Randomizer) else _BY_NAME.get(str(given).partition(":")[0])


def parse(given: object, kinds: Iterable[type[Randomizer]] = KINDS) -> Randomizer:
    """Returns the randomizer that a text stands for.

    Parameters
    ----------
    given : str or Randomizer
        A text such as ``krr:10``; an object is returned as it is.
    kinds : iterable of classes
        Those that the text may name.

    Raises
    ------
    ParameterError
        Where the text names none of them, or their parameters are not in their domains.

    Examples
    --------
    >>> parse("krr:10")
    Krr(categories=10)
    >>> str(parse("krr:10"))
    'krr:10'

    """
    if isinstance(given, Randomizer):
        return given
    kinds, kind = tuple(kinds), kind_of(given)
    text = str(given).partition(":")[2]
    count = len(fields(kind)) if kind else 0  # type: ignore[arg-type] # leaves are dataclasses
    arguments = text.split(":", count - 1) if count else [text] if text else []
    if kind not in kinds or len(arguments) != count or not all(arguments):
        raise ParameterError("randomizer", forms(kinds), given)
    return kind(*arguments)


def in_hidden_slot(given: object, eps0: object, delta0: float) -> Randomizer:
    """Returns the randomizer of a hidden slot; raises ParameterError for one that does not go with the rest."""
    found = parse(given, IN_HIDDEN_SLOTS)
    if not found.in_hidden_slots:
        raise ParameterError("randomizer", forms(IN_HIDDEN_SLOTS), str(found))
    if eps0 is None and found.needs_eps0:
        raise MissingError("eps0", PARAMETERS["eps0"].allowed)
    if found.known and delta0 > 0.0:
        raise ParameterError("delta0", "0 with a known randomizer", delta0)
    return found


def in_shuffle(given: object) -> Randomizer:
    """Returns the randomizer of shuffled messages; raises ParameterError for one that is not served."""
    found = parse(given, IN_SHUFFLES)
    if not found.in_shuffles:
        raise ParameterError("randomizer", forms(IN_SHUFFLES), str(found))
    return found
