r"""A proof as data: chains of named inequalities, each between two functions of the parameters.

The functions take the parameters of the box as keywords and are made of ``+ - * / **`` and the methods ``exp``,
``expm1``, ``log``, ``log1p`` and ``sqrt`` (those of :class:`flint.arb`), with the quotients of
:mod:`pldcheck.theorems.removable_quotients` where a common factor is divided out.  The same function is then evaluated
at a point, on a ball, and with its derivatives.  Integers are exact; a decimal such as 0.1 is to be written as a
quotient of integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from ..core.errors import ParameterError

SCALES = ("linear", "log")

# A function of the parameters: balls in, a ball out.
Function = Callable[..., Any]


@dataclass(frozen=True)
class Axis:
    """The range of one parameter in the box: ``low <= value <= high``, divided evenly on its ``scale``.

    A ``whole`` parameter counts things: the proof covers all reals, counterexamples are integers.
    """

    low: float
    high: float
    scale: str = "linear"
    whole: bool = False

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise ParameterError("scale", " or ".join(SCALES), self.scale)
        if not -inf < self.low <= self.high < inf:
            raise ParameterError("low, high", "finite and in order", (self.low, self.high))
        if self.scale == "log" and self.low <= 0:
            raise ParameterError("low", "above 0 on a log scale", self.low)


@dataclass(frozen=True)
class Premise:
    """A condition of a step, in words; it holds where ``excess`` is at most 0."""

    text: str
    excess: Function


@dataclass(frozen=True)
class Step:
    """The inequality ``left <= right`` wherever the premises hold, in a box of parameters.

    Parameters
    ----------
    id
        A permanent name, such as "A.4/posterior".
    name, statement, source
        The name for readers, the statement in LaTeX, and the place where it is printed.
    left, right
        The two sides, as functions of the parameters.
    box
        The range of each parameter.  A step that is proved on the box is proved for all reals in it.
    premises
        The conditions that the text names for the step, or that the theorem has.
    margin
        A function with the sign of ``right - left``, where common factors are divided out, so that it stays away from
        zero where both sides tend to the same limit; by default, the difference itself.  Tests compare the signs.
    conditional
        Whether the margin has that sign only where the premises hold; without one of them, the difference is proved.
    notes
        Remarks for readers.
    readings
        Other right sides that the text could mean (two meanings of a misprint); each is audited by itself.
    equal
        Whether the step is an equality; it is checked on a grid, to many digits.
    quantities
        Other quantities at a point, by name, for readers of a counterexample.

    """

    id: str
    name: str
    statement: str
    source: str
    left: Function
    right: Function
    box: Mapping[str, Axis] = field(hash=False)
    premises: tuple[Premise, ...] = ()
    margin: Function | None = None
    notes: str = ""
    readings: Mapping[str, Function] = field(default_factory=dict, hash=False)
    equal: bool = False
    quantities: Mapping[str, Function] = field(default_factory=dict, hash=False)
    conditional: bool = False

    def with_premises(self, premises: tuple[Premise, ...]) -> Step:
        """Return the step with some of its premises, and without its margin where that needs the others."""
        keep_margin = premises == self.premises or not self.conditional
        return replace(self, premises=premises, margin=self.margin if keep_margin else None)


@dataclass(frozen=True)
class Measured:
    """A step that is no inequality of elementary functions and is checked at points, by certified numbers.

    The code that encloses its two sides at a point is in :mod:`pldcheck.study.audit.measured`, by the id of the step.
    ``why`` is the reason why there is no proof on a box.
    """

    id: str
    name: str
    statement: str
    source: str
    points: tuple[Mapping[str, float], ...] = field(hash=False)
    why: str
    notes: str = ""


@dataclass(frozen=True)
class Chain:
    """The proof of a theorem, from its first step to its last; ``title`` names a theorem that is not registered."""

    theorem: str
    steps: tuple[Step | Measured, ...]
    title: str = ""

    def __post_init__(self) -> None:
        ids = [step.id for step in self.steps]
        if len(set(ids)) < len(ids):
            raise ParameterError("step ids", "unique", ids)
