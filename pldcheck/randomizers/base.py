"""What every local randomizer is: a kind, a text form, and the facts that protocols and engines ask of it."""

from __future__ import annotations

from abc import ABC
from dataclasses import fields
from typing import Any, ClassVar


class Randomizer(ABC):  # noqa: B024  a leaf states facts; what its law looks like is a matter of its family
    """A local randomizer: what a client does with its record before anything is released.

    A leaf is a frozen dataclass whose fields are the numbers after the colon of its text form.  Engines dispatch on the
    classes of this package (``functools.singledispatch``) and on the facts below, never on texts.

    Attributes
    ----------
    kind : str
        Its name, with which its text form begins.
    form : str
        How the text form is written, for help and error messages.
    known : bool
        Whether it is one randomizer; False for the worst of all that keep some promise.
    needs_eps0 : bool
        Whether ``eps0`` decides its law.  Where it does, the law at a smaller ``eps0`` is a post-processing of that at
        a larger one (or a member of the larger class), so that epsilon and delta rise with it.
    pure : bool
        Whether the probabilities of an output have bounded ratios: where they have not, it keeps no budget ``eps0``.
    finite : bool
        Whether its outputs are finitely many, so that witness files can list their exact probabilities.
    in_hidden_slots, in_shuffles : bool
        Which protocols serve it.

    """

    kind: ClassVar[str]
    form: ClassVar[str]
    known: ClassVar[bool] = True
    needs_eps0: ClassVar[bool] = True
    pure: ClassVar[bool] = True
    finite: ClassVar[bool] = True
    in_hidden_slots: ClassVar[bool] = True
    in_shuffles: ClassVar[bool] = True

    def __str__(self) -> str:
        """Return the text form, such as ``krr:10``."""
        given = (getattr(self, entry.name) for entry in fields(self))  # type: ignore[arg-type] # leaves are dataclasses
        return ":".join([self.kind, *map(_written, given)])


def _written(value: Any) -> str:
    """Return one number or name as a text form has it: whole numbers without a point."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
