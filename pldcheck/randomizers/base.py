"""The base class of local randomizers: a kind, a text form, and the facts that protocols and engines need."""

from __future__ import annotations

from abc import ABC
from dataclasses import fields
from math import inf
from typing import Any, ClassVar


class Randomizer(ABC):  # noqa: B024  a leaf declares facts; the form of its law is a matter of its family
    """A local randomizer: the mechanism that a client applies to its record before anything is released.

    A leaf is a frozen dataclass whose fields are the numbers after the colon of its text form.  Engines dispatch on the
    classes of this package (``functools.singledispatch``) and on the facts below, never on texts.

    Attributes
    ----------
    kind : str
        The name with which the text form begins.
    form : str
        The pattern of the text form, for help and error messages.
    known : bool
        Whether it is a single randomizer; False for the worst-case randomizer of a class.
    needs_eps0 : bool
        Whether its law depends on ``eps0``.  If so, the law at a smaller ``eps0`` is a post-processing of the law at a
        larger one (or a member of the larger class), so that epsilon and delta are monotone in ``eps0``.
    pure : bool
        Whether the ratios of the probabilities of an output are bounded; otherwise no finite budget ``eps0`` exists.
    finite : bool
        Whether it has finitely many outputs, so that witness files can list their exact probabilities.
    in_hidden_slots, in_shuffles : bool
        Whether protocols with hidden slots, and shuffling, accept it.

    """

    kind: ClassVar[str]
    form: ClassVar[str]
    known: ClassVar[bool] = True
    needs_eps0: ClassVar[bool] = True
    pure: ClassVar[bool] = True
    finite: ClassVar[bool] = True
    in_hidden_slots: ClassVar[bool] = True
    in_shuffles: ClassVar[bool] = True

    @property
    def renyi_growth(self) -> float:
        """An upper bound rho: the Renyi divergence of order beta of two records is at most rho beta; inf if unknown."""
        return inf

    def __str__(self) -> str:
        """Return the text form, such as ``krr:10``."""
        # Every leaf is a dataclass.
        arguments = (getattr(self, entry.name) for entry in fields(self))  # type: ignore[arg-type]
        return ":".join([self.kind, *map(_text, arguments)])


def _text(value: Any) -> str:
    """Return a parameter as the text form writes it: integers without a point."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
