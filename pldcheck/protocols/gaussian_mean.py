"""The mean of binary vectors with Gaussian noise: what a lower bound on every mechanism's error must not exceed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt
from types import MappingProxyType
from typing import ClassVar

from .. import pld
from ..core.interval import Interval
from ..core.parameters import parse
from .base import Protocol
from .capabilities import NOISE_HAS_NO_TABLE

_ONLY_ERROR = "its noise is chosen for an epsilon, and only its error at that epsilon is computed"


@dataclass(frozen=True)
class GaussianMean(Protocol):
    """The mean of binary vectors, one a client, is released with the least Gaussian noise that meets a target.

    The target is (epsilon, 1/(100 clients))-DP when one record is replaced, by which the mean moves by
    sqrt(dimension)/clients at most.  A constant 1/2 is released instead where that errs less.
    """

    clients: int
    dimension: int
    bounds: ClassVar[tuple[str, str]] = ("closed form", "closed form")
    name: ClassVar[str] = "gaussian-mean"
    adjacencies: ClassVar[tuple[str, ...]] = ("replace",)
    default_width: ClassVar[float] = 1e-6
    lacks: ClassVar[Mapping[str, str]] = MappingProxyType(dict.fromkeys(("epsilon", "delta", "renyi"), _ONLY_ERROR))
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE

    def error(self, epsilon: float, width: float = 1e-6) -> Interval:
        """Return the root-mean-square error of one coordinate at an epsilon.

        Parameters
        ----------
        epsilon : float above 0
        width : float in (0, 1)
            Relative width asked of the interval.

        Returns
        -------
        Interval

        Raises
        ------
        ParameterError
            If ``epsilon`` or ``width`` is outside its range.

        """
        values = parse(epsilon=epsilon, width=width)
        delta = 0.01 / self.clients
        low, high = 1e-3, 1e3
        while pld.gaussian(high).epsilon(delta).upper > values["epsilon"] and high < 1e8:
            high *= 10.0
        while not pld.gaussian(low).epsilon(delta).lower > values["epsilon"] and low > 1e-90:
            low *= 1e-3
        # Both ends of the search are ends of the answer: each is certified to be on its side, or is infinite or 0.
        enough = high if pld.gaussian(high).epsilon(delta).upper <= values["epsilon"] else inf
        too_little = low if pld.gaussian(low).epsilon(delta).lower > values["epsilon"] else 0.0
        while 0.0 < too_little and enough < inf and enough > too_little * (1.0 + values["width"]):
            middle = sqrt(enough * too_little)
            interval = pld.gaussian(middle).epsilon(delta)
            if interval.upper <= values["epsilon"]:
                enough = middle
            elif interval.lower > values["epsilon"]:
                too_little = middle
            else:
                break
        move = sqrt(self.dimension) / self.clients
        return Interval(min(0.5, too_little * move * (1.0 - 1e-15)), min(0.5, enough * move * (1.0 + 1e-15)), "error")
