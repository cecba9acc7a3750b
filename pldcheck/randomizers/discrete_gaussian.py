"""Discrete Gaussian noise on a record that is 0 or 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..core.errors import ParameterError
from ..core.parameters import PARAMETERS
from .base import Randomizer

# Noise with a smaller standard deviation is refused: it has too few likely values.
LEAST_SIGMA = 0.5
# Noise with a larger standard deviation is refused: it has too many likely values.
LARGEST_SIGMA = 1000.0


@dataclass(frozen=True)
class DiscreteGaussian(Randomizer):
    """Integer noise, k with probability proportional to e^(-k^2/(2 sigma^2)), on a record that is 0 or 1.

    Parameters
    ----------
    sigma : float
        The parameter of the law, from 0.5 to 1000.

    Raises
    ------
    ParameterError
        If sigma is outside of this range.

    """

    sigma: float
    kind: ClassVar[str] = "discrete-gaussian"
    form: ClassVar[str] = "discrete-gaussian:S"
    needs_eps0: ClassVar[bool] = False
    pure: ClassVar[bool] = False
    finite: ClassVar[bool] = False
    in_shuffles: ClassVar[bool] = False

    def __post_init__(self) -> None:
        sigma = PARAMETERS["sigma"].parse(self.sigma)
        object.__setattr__(self, "sigma", sigma)
        if not LEAST_SIGMA <= sigma <= LARGEST_SIGMA:
            domain = f"discrete-gaussian:S with S from {LEAST_SIGMA:g} to {LARGEST_SIGMA:g}"
            raise ParameterError("randomizer", domain, str(self))
