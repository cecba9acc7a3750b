"""The base class of protocols whose privacy loss distribution is known, from which all their answers come."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, Parameter
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import REPETITIONS, UNBOUNDED_KINDS
from .pure_epsilon import LARGEST_LOSS, UNBOUNDED

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution


# Relative width in delta asked of the Fourier inversion; exact losses reach it, cells of continuous ones come close.
WIDTH = 1e-6


@dataclass(frozen=True)
class ComposedMechanism(Protocol):
    """The base class of composed protocols, whose answers come from ``loss``."""

    default_width: ClassVar[float] = WIDTH
    numbers: ClassVar[tuple[Parameter, ...]] = (REPETITIONS,)

    @property
    @abstractmethod
    def loss(self) -> PrivacyLossDistribution:
        """The privacy loss distribution."""

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon at a delta: :meth:`pldcheck.pld.PrivacyLossDistribution.epsilon` of ``loss``."""
        return self.loss.epsilon(delta, width)

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0: the largest loss, infinite where there is none or an infinite one is possible.

        The upper end is infinite as well where tails of losses are cut off before they are added.
        """
        if any(part.kind in UNBOUNDED_KINDS for part in self.parts):
            return UNBOUNDED
        return replace(pld.certain_levels.epsilon_of_zero(self.loss), sources=(LARGEST_LOSS, LARGEST_LOSS))

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta at an epsilon: :meth:`pldcheck.pld.PrivacyLossDistribution.delta` of ``loss``."""
        return self.loss.delta(epsilon, width)

    def deltas_together(self, epsilons: Sequence[float], width: float) -> tuple[Interval, ...]:
        """Return delta at several epsilons >= 0; neighbouring ones share the work."""
        values, parameter = [PARAMETERS["epsilon"].parse(epsilon) for epsilon in epsilons], PARAMETERS["width"]
        return tuple(self.loss.deltas(values, parameter.parse(width)))

    def renyi(self, order: float, width: float = WIDTH) -> Interval:
        """Return the Rényi divergence of this order > 1, as narrow as possible whatever the width."""
        return self.loss.renyi(order)
