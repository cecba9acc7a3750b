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
        """Return the smallest epsilon such that the whole composition is (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in [0, 1), or a sequence of such
            The probability with which losses above epsilon are allowed; 0 asks for pure epsilon.
        width : float in (0, 1)
            Relative width in delta that the Fourier inversion may add to that of the losses themselves.

        Returns
        -------
        Interval or AnswerTable
            The certified interval at a number, a table of intervals at a sequence.  It is infinite where the loss is
            infinite with a probability above delta.

        Raises
        ------
        ParameterError
            If ``delta`` or ``width`` is outside its range.

        Examples
        --------
        >>> from pldcheck import Gaussian, Laplace
        >>> print(Gaussian(sigma=2.0, steps=10).epsilon(delta=1e-6))
        epsilon in [8.3062..., 8.3062...]
        >>> print(Laplace(scale=2.0, steps=3).epsilon(delta=0))
        epsilon in [1.5, 1.5]

        """
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
        """Return the smallest delta such that the whole composition is (epsilon, delta)-DP.

        Parameters
        ----------
        epsilon : float, or a sequence of floats
            Below 0 it is that of the exchanged neighbours (:mod:`pldcheck.protocols.negative_epsilon`).
        width : float in (0, 1)
            Relative width that the Fourier inversion may add to that of the losses themselves.

        Returns
        -------
        Interval or AnswerTable
            The certified interval at a number, a table of intervals at a sequence, which share work.

        Raises
        ------
        ParameterError
            If ``epsilon`` is not finite, or ``width`` is outside its range.

        Examples
        --------
        >>> from pldcheck import Gaussian
        >>> print(Gaussian(sigma=2.0).delta(epsilon=1.0))
        delta in [0.0068..., 0.0068...]

        """
        return self.loss.delta(epsilon, width)

    def deltas_together(self, epsilons: Sequence[float], width: float) -> tuple[Interval, ...]:
        """Return delta at several epsilons >= 0; neighbouring ones share the work."""
        values, parameter = [PARAMETERS["epsilon"].parse(epsilon) for epsilon in epsilons], PARAMETERS["width"]
        return tuple(self.loss.deltas(values, parameter.parse(width)))

    def renyi(self, order: float, width: float = WIDTH) -> Interval:
        """Return the Rényi divergence of an order, the larger of the two directions.

        Parameters
        ----------
        order : float above 1
        width : float in (0, 1)
            It has no effect: the interval is as narrow as possible.

        Returns
        -------
        Interval

        Raises
        ------
        ParameterError
            If ``order`` is not above 1.

        Examples
        --------
        >>> from pldcheck import Gaussian
        >>> print(Gaussian(sigma=2.0).renyi(order=8.0))
        renyi in [0.99999..., 1.00000...]

        """
        return self.loss.renyi(order)
