"""Keywords of constructors: names of other accountants are read as the ones here, others are refused in one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

from ..core.errors import MissingKeywordError, ParameterError, UnknownKeywordError
from ..core.parameters import Text
from ..core.usual_names import understood_name

if TYPE_CHECKING:
    from .base import Protocol


# Words by which protocols of batches of a fixed size are told among names and values of parameters: the group of
# fixed-batches, or the sampling of subsampled-gaussian, which has a rate.  In a training run sigma is over the norm.
GROUP, RATE, FIXED_SIZE = {"group", "--group"}, {"rate", "--rate"}, {"fixed-size", "--sampling=fixed-size"}


def check_noise(name: str, here: str, facts: Iterable[object]) -> None:
    """Raise ParameterError for a noise multiplier in the place of a sigma that is over another length.

    Where batches have a fixed size a record is replaced, and sigma is over what that changes: twice the clipping norm.

    Parameters
    ----------
    name, here : str
        The name that was given, and the one that it would be read as.
    facts : iterable
        Names and values of parameters.

    """
    is_noise = name.strip("-").replace("_", "-").lower() == "noise-multiplier" and here.strip("-") == "sigma"
    words = {one for one in facts if isinstance(one, str)}
    if is_noise and (GROUP & words or (RATE & words and FIXED_SIZE & words)):
        raise ParameterError("sigma", "half of the noise multiplier here: it is over twice the clipping norm", name)


def read_usual_keywords(protocol: type[Protocol]) -> None:
    """Change the constructor of a protocol: it reads ``noise_multiplier`` and the like; its signature stays.

    A keyword that it does not know raises UnknownKeywordError, a parameter that is missing MissingKeywordError; both
    are a TypeError as well.
    """
    init = protocol.__init__
    names = tuple(entry.name for entry in fields(protocol))
    needed = tuple(entry.name for entry in fields(protocol) if entry.default is MISSING)

    @wraps(init)
    def __init__(self: Protocol, *given: Any, **values: Any) -> None:
        for name in values.keys() - set(names):
            meant = understood_name(name, names)
            if meant is None or meant in values or meant in names[: len(given)]:
                raise UnknownKeywordError(f"parameter of {protocol.name}", name, names)
            check_noise(name, meant, (*names, *given, *values.values()))
            values[meant] = values.pop(name)
        for name in needed[len(given) :]:
            if name not in values:
                raise MissingKeywordError(name, _domain(protocol, name))
        init(self, *given, **values)

    protocol.__init__ = __init__  # type: ignore[assignment]


def _domain(protocol: type[Protocol], name: str) -> str:
    parameter = protocol.parameters()[name]
    if not isinstance(parameter, Text):
        return parameter.domain
    words = parameter.help.rstrip(".")
    return words[:1].lower() + words[1:] if words[1:2].islower() else words
