"""Where theorems are tried: grids of points, and how a point's numbers become a theorem's parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType

from .errors import PldcheckError, UnknownNameError
from .theorems import Theorem

# Names under which theorems know a point's numbers.
_STEPS, _WEIGHT = ("steps", "window"), ("weight", "check_in_prob")


@dataclass(frozen=True)
class Point:
    """The numbers one certified answer depends on: a hidden slot and a delta."""

    steps: int
    eps0: float
    weight: float
    delta: float

    @classmethod
    def of(cls, params: Mapping[str, float]) -> Point:
        """The inverse of :meth:`params`."""
        steps = next(params[name] for name in _STEPS if name in params)
        weight = next((params[name] for name in _WEIGHT if name in params), 1.0)
        return cls(int(steps), params["eps0"], weight, params["delta"])

    def params(self, theorem: Theorem) -> dict[str, float] | None:
        """The theorem's parameters at this point; None if it is stated for weight 1 only and this is not."""
        values: dict[str, float] = {"eps0": self.eps0, "delta": self.delta}
        values |= dict.fromkeys(_STEPS, self.steps) | dict.fromkeys(_WEIGHT, self.weight)
        unknown = [name for name in theorem.parameters if name not in values]
        if unknown:
            raise PldcheckError(f"{theorem.id} cannot be tried on a grid: no values for {', '.join(unknown)}")
        if self.weight != 1 and not any(name in theorem.parameters for name in _WEIGHT):
            return None
        return {name: values[name] for name in theorem.parameters}


def grid(
    *, steps: Iterable[int], eps0: Iterable[float], weight: Iterable[float], delta: Iterable[float]
) -> tuple[Point, ...]:
    """All combinations, the last name varying fastest."""
    return tuple(Point(*numbers) for numbers in product(steps, eps0, weight, delta))


@dataclass(frozen=True)
class Suite:
    """A named collection of points; ``sample`` is the small part of it that ``quick`` asks for."""

    name: str
    summary: str
    points: tuple[Point, ...] = field(repr=False)
    sample: tuple[Point, ...] = field(repr=False)


PAPER = Suite(
    name="paper",
    summary="m from 10 to 1e9, eps0 from 0.1 to 6, delta from 1e-4 to 1e-12, w from 0.01 to 1",
    points=grid(
        steps=(10, 100, 1000, 10**4, 10**6, 10**9),
        eps0=(0.1, 0.5, 1.0, 2.0, 4.0, 6.0),
        weight=(0.01, 0.1, 1.0),
        delta=(1e-4, 1e-6, 1e-8, 1e-12),
    ),
    # One delta, so that both figures are complete; eps0 = 4 is outside the conditions of the simple forms.
    sample=grid(steps=(10, 1000, 10**6, 10**9), eps0=(0.5, 1.0, 4.0), weight=(0.1, 1.0), delta=(1e-6,)),
)

SUITES: Mapping[str, Suite] = MappingProxyType({suite.name: suite for suite in (PAPER,)})


def find(name: str) -> Suite:
    """The suite of that name; raises UnknownNameError."""
    if name not in SUITES:
        raise UnknownNameError("suite", name, SUITES)
    return SUITES[name]
