"""What the protocols have in common whose privacy loss distribution is known: epsilon, delta and Rényi from it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..core.interval import Interval
from .base import Protocol

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution


# Relative width in delta asked of the Fourier inversion; exact losses reach it, cells of continuous ones come close.
WIDTH = 1e-6


@dataclass(frozen=True)
class Composed(Protocol):
    """What composed protocols have in common: their answers come from ``loss``."""

    default_width: ClassVar[float] = WIDTH

    @property
    @abstractmethod
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """As :meth:`pldcheck.pld.PrivacyLossDistribution.epsilon`."""
        return self.loss.epsilon(delta, width)

    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """As :meth:`pldcheck.pld.PrivacyLossDistribution.delta`."""
        return self.loss.delta(epsilon, width)

    def renyi(self, order: float, width: float = WIDTH) -> Interval:
        """As :meth:`pldcheck.pld.PrivacyLossDistribution.renyi`; as narrow as it can be, whatever the width."""
        return self.loss.renyi(order)
