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
    """One parameter's range in the box: ``low <= value <= high``, divided evenly on its ``scale``.

    A ``whole`` parameter is a number of things: the proof is for all reals, counterexamples are integers.
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
    r"""``left <= right`` wherever the premises hold, in a box of parameters.

    Parameters
    ----------
    id
        Permanent, such as "A.4/posterior".
    name, statement, source
        What it is called, what it says in LaTeX, and where it is printed.
    left, right
        The two sides.
    box
        The range claimed, by parameter.  A step proved on it is proved for reals between.
    premises
        The conditions that the text names for it, or that the theorem has.
    margin
        A function with the sign of ``right - left``, common factors divided out, so that it stays away from zero where
        both sides tend to the same limit; the difference itself by default.  Tests compare the signs.
    conditional
        Whether the margin has that sign only where the premises hold: when one is dropped, the difference is proved.
    notes
        What a reader should know.
    readings
        Other right sides the text could mean (a misprint's two meanings); each is audited by itself.
    equal
        Whether an equality is claimed; it is checked on the grid, to many digits.
    shown
        Other quantities at a point, by name, for whoever reads a counterexample.

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
    shown: Mapping[str, Function] = field(default_factory=dict, hash=False)
    conditional: bool = False

    def given(self, premises: tuple[Premise, ...]) -> Step:
        """Return the step with some of its premises, and without its margin where that needs the others."""
        kept = premises == self.premises or not self.conditional
        return replace(self, premises=premises, margin=self.margin if kept else None)


@dataclass(frozen=True)
class Measured:
    """A step that is no inequality of elementary functions: checked at points, by certified numbers.

    What encloses its two sides at a point is not with the theorem but in :mod:`pldcheck.study.audit.measured`, by the
    id of the step.  ``why`` says why there is no proof on a box.
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
    """The proof of a theorem, from its first line to its last; ``title`` where it is not registered."""

    theorem: str
    steps: tuple[Step | Measured, ...]
    title: str = ""

    def __post_init__(self) -> None:
        ids = [step.id for step in self.steps]
        if len(set(ids)) < len(ids):
            raise ParameterError("step ids", "unique", ids)
