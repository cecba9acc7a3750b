"""Gaussian noise on a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..core.directed import enlarge
from ..core.errors import ParameterError
from ..core.parameters import PARAMETERS
from .base import Randomizer

# The least standard deviation, for a sensitivity of 1, in a hidden slot.
LEAST_SIGMA = 0.1
# The least standard deviation in shuffling: below it, the gains of messages have tails too heavy to be inverted.
LEAST_SIGMA_IN_SHUFFLES = 1.0


@dataclass(frozen=True)
class Gaussian(Randomizer):
    """Gaussian noise of standard deviation ``sigma``; it does not depend on eps0.

    Parameters
    ----------
    sigma : float
        The standard deviation.  Any two records are at most a distance 1 apart, in any dimension; in shuffling they lie
        in [0, 1].  Upper ends so hold in a ball of diameter 1, too.  Lower ends may need three records of which any two
        are a distance 1 apart, which such a ball does not hold.

    Raises
    ------
    ParameterError
        If sigma is below 0.1.

    """

    sigma: float
    kind: ClassVar[str] = "gaussian"
    form: ClassVar[str] = "gaussian:S"
    needs_eps0: ClassVar[bool] = False
    pure: ClassVar[bool] = False
    finite: ClassVar[bool] = False

    def __post_init__(self) -> None:
        sigma = PARAMETERS["sigma"].parse(self.sigma)
        object.__setattr__(self, "sigma", sigma)
        if sigma < LEAST_SIGMA:
            domain = (
                f"gaussian:S with S at least {LEAST_SIGMA:g} in hidden slots, {LEAST_SIGMA_IN_SHUFFLES:g} in shuffling"
            )
            raise ParameterError("randomizer", domain, str(self))

    @property
    def renyi_growth(self) -> float:
        """1/(2 sigma^2), rounded up: of two records at a distance of at most 1."""
        return enlarge(0.5 / self.sigma**2, 4)
