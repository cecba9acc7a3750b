"""The mean of binary vectors with Gaussian noise: what a lower bound on every mechanism's error must not exceed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any, ClassVar

from ..interval import Interval
from ..parameters import parse


@dataclass(frozen=True)
class GaussianMean:
    """The mean of ``clients`` records in {0,1}^dimension, with the least Gaussian noise that is private enough.

    Private enough: (epsilon, 1/(100 clients))-DP when one record is replaced, by which the mean moves by
    sqrt(dimension)/clients at most.  A constant 1/2 is released instead where that errs less.
    """

    clients: int
    dimension: int
    name: ClassVar[str] = "gaussian-mean"
    adjacency: ClassVar[str] = "replace"

    def __post_init__(self) -> None:
        for key, value in parse(**asdict(self)).items():
            object.__setattr__(self, key, value)

    @property
    def reduced(self) -> GaussianMean:
        """Itself."""
        return self

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def error(self, epsilon: float, width: float = 1e-6) -> Interval:
        """The root-mean-square error of one coordinate at this epsilon > 0."""
        from .. import pld

        given = parse(epsilon=epsilon, width=width)
        delta = 0.01 / self.clients
        low, high = 1e-3, 1e3
        while pld.gaussian(high).epsilon(delta).upper > given["epsilon"] and high < 1e8:
            high *= 10.0
        enough, too_little = high, low
        while enough > too_little * (1.0 + given["width"]):
            middle = sqrt(enough * too_little)
            found = pld.gaussian(middle).epsilon(delta)
            if found.upper <= given["epsilon"]:
                enough = middle
            elif found.lower > given["epsilon"]:
                too_little = middle
            else:
                break
        move = sqrt(self.dimension) / self.clients
        return Interval(min(0.5, too_little * move * (1.0 - 1e-15)), min(0.5, enough * move * (1.0 + 1e-15)), "error")
