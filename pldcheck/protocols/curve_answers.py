"""Answers that follow from delta at many epsilons: the privacy profile, the trade-off function, Gaussian parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import pld
from .answer_relations import Relation
from .answer_tables import AnswerTable, sweep
from .gaussian_dominance import GaussianDominance, gaussian_dominance
from .profile_points import SEVERAL, profile_points
from .tradeoff import TradeOff

# The delta up to which the epsilons of a trade-off function reach, where they are not given.
LEAST = 1e-6


class CurveAnswers:
    """The questions that any object with certified ``epsilon`` and ``delta`` can be asked.

    Attributes
    ----------
    exchanged : object
        The same for the exchanged pairs of neighbours.
    gaussian_ends : pair of float, optional
        Floats around the mu of what is exactly mu-GDP.

    """

    if TYPE_CHECKING:
        # What the classes below declare, each in its own way.
        exchanged: Any
        gaussian_ends: Any
        delta: Any
        epsilon: Any

    def relations(self, reached: float, width: float) -> Iterable[Relation]:
        """Return the relations that may lower the upper end of an answer: none."""
        return ()

    def profile(self, epsilons: Iterable[float], width: float | None = None) -> AnswerTable:
        """Return the privacy profile, delta as a function of epsilon, at the given values of epsilon.

        Parameters
        ----------
        epsilons : iterable of float
            The values of epsilon.
        width : float, optional
            The relative width asked of each answer; the default is the protocol's own width.

        Returns
        -------
        AnswerTable
            A table of ``delta(epsilon)``, which can be plotted.

        Raises
        ------
        Unsupported
            If the protocol has no answer for delta.
        ParameterError
            If a value is not allowed, or there is none.

        Examples
        --------
        >>> from pldcheck import Gaussian
        >>> print(Gaussian(sigma=2.0).profile([0.0, 1.0]))
        epsilon  delta
              0  [0.197412, 0.197413]
              1  [0.00682959, 0.0068296]

        """
        return sweep(lambda epsilon: self.delta(epsilon, width), epsilon=epsilons)

    def tradeoff(
        self, epsilons: Iterable[float] | None = None, width: float | None = None, points: int = SEVERAL
    ) -> TradeOff:
        """Return the trade-off function: the least false negative rate of a test at every false positive rate.

        Parameters
        ----------
        epsilons : iterable of float, optional
            The epsilons >= 0 whose deltas are computed; by default ``points`` of them, evenly spaced from 0 to that
            at delta = 1e-6.  0 is always among them.
        width : float, optional
            The relative width asked of each delta; the default is the protocol's own width.
        points : int
            The number of epsilons: twice as many make the ends four times as narrow where deltas are narrow.

        Returns
        -------
        TradeOff
            Both ends at every rate.  The epsilons decide how narrow they are, and not whether they hold.

        Raises
        ------
        Unsupported
            If the protocol has no answer for delta.
        ParameterError
            If an epsilon is not from 0 to 700.

        """
        forward, backward = profile_points(self, LEAST, points, width, epsilons)
        lines = pld.tradeoff_lines
        return TradeOff(lines.lines_below(forward, backward), lines.lines_above(forward, backward))

    def gdp(self, delta: float = 0.0, width: float | None = None, points: int = SEVERAL) -> GaussianDominance:
        """Return which Gaussian mechanisms N(mu, 1) against N(0, 1) dominate the protocol, or are dominated by it.

        Parameters
        ----------
        delta : float in [0, 1)
            What is allowed beside the Gaussian: mu dominates if the protocol is (epsilon, G_mu(epsilon) + delta)-DP at
            every epsilon >= 0.
        width : float, optional
            The relative width asked of each delta; the default is the protocol's own width.
        points : int
            The number of epsilons whose deltas are computed; the more, the narrower.

        Returns
        -------
        GaussianDominance
            The least mu that dominates, and the largest that is dominated.  Certified at every epsilon, between those
            that were computed, too.  With delta = 0 the upper end is infinite unless the loss is certified to be
            bounded, or the protocol is Gaussian noise.

        Raises
        ------
        Unsupported
            If the protocol has no answer for delta.

        """
        if delta == 0.0 and self.gaussian_ends is not None:
            return GaussianDominance.exactly(*self.gaussian_ends)
        return gaussian_dominance(*profile_points(self, delta, points, width), delta)
