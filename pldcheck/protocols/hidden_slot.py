"""One hidden slot: the record is used in one of ``steps`` slots, all of them released."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import PARAMETERS, parse
from . import known_slot

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

ADJACENCIES = ("replace", "zero-out")


@dataclass(frozen=True)
class HiddenSlot:
    r"""A record placed in one uniform slot of ``steps`` and used there with probability ``weight``.

    Every slot is released through an ``eps0``-DP randomizer that sees all earlier outputs; the other slots hold known
    reference records.  ``epsilon`` and ``delta`` are those of the worst of all such adaptive randomizers:

    .. math:: \delta(\epsilon) = \sup E_{Q_0}\Big[1 + \tfrac1m \sum_i w(a_i - 1)
              - e^\epsilon \big(1 + \tfrac1m \sum_i w(a'_i - 1)\big)\Big]_+

    ``randomizer``: the ``worst`` there are, or a known one: ``rr``, ``krr:K``, ``laplace`` (of scale 1/eps0 on [0, 1]),
    ``table:FILE`` (a line of output probabilities for each input), ``gaussian:S`` (of deviation S, the records in a
    ball of diameter 1) or ``discrete-gaussian:S`` (records 0 or 1); the last three have no use for ``eps0``.
    ``sources`` of an answer says what its ends are from.
    ``delta0``: that much of (eps0, delta0)-DP randomizers (:mod:`pldcheck.protocols.approximate`).
    ``adjacency``: ``"replace"`` (one record changed for another, the paper's) or ``"zero-out"`` (record there or
    not, the worse direction).  ``epochs``: the record is hidden anew so often, and everything is released.
    """

    steps: int
    eps0: float | None = None
    weight: float = 1.0
    adjacency: str = "replace"
    epochs: int = 1
    delta0: float = 0.0
    randomizer: str = "worst"
    name: ClassVar[str] = "hidden-slot"
    usual_width: ClassVar[float] = 0.005

    def __post_init__(self) -> None:
        given = {key: value for key, value in asdict(self).items() if key in PARAMETERS}
        if self.eps0 is None:
            del given["eps0"]
        for key, value in parse(**given).items():
            object.__setattr__(self, key, value)
        known_slot.checked(self.randomizer, self.eps0, self.epochs, self.delta0)
        if self.adjacency not in ADJACENCIES:
            raise ParameterError("adjacency", f"one of {', '.join(ADJACENCIES)}", self.adjacency)
        if self.epochs > 1 and self.adjacency != "replace" and self.randomizer == "worst":
            raise ParameterError("epochs", "1 with adjacency zero-out", self.epochs)

    @property
    def reduced(self) -> HiddenSlot:
        """Itself: other protocols reduce to this one."""
        return self

    def losses(self, delta: float) -> tuple[PrivacyLossDistribution, ...]:
        """One epoch as privacy loss distributions, to be composed with other mechanisms.

        All have the same upper side, which dominates every adaptive adversary; the lower side of each is one
        adversary.  ``delta``: the least one of use, below which the curve is known coarsely.  Replacement adjacency.
        """
        from . import approximate_epochs, epochs

        least = parse(delta=delta)["delta"]
        if self.randomizer != "worst":
            return known_slot.losses(self, least)
        if self.delta0 > 0.0:
            return approximate_epochs.losses(self._slot, self.delta0, least)
        return epochs.losses(self._slot, least)

    @property
    def _slot(self):
        from ..minimax.slot import Slot

        assert self.eps0 is not None  # or the randomizer is known
        return Slot(self.steps, self.eps0, self.weight)

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """The smallest epsilon such that every adaptive (eps0, delta0)-DP randomizer gives (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in (0, 1)
        width : float in (0, 1)
            Relative width asked of the interval, in epsilon or, where that cannot be had (near epsilon = 0), in delta.
            Block length and grid follow from it.  If it cannot be reached the interval is wider, and still certified;
            with several epochs it is what the curve of one epoch allows, 0.2 to 10 %.

        Returns
        -------
        Interval
            With the error budget and a witness that attains the lower end; infinite where a randomizer that reveals
            the record with probability delta0 does so more often than delta.

        Raises
        ------
        ParameterError
            If ``delta`` or ``width`` is not in (0, 1).

        """
        from ..minimax import bracket

        given = parse(delta=delta, width=width)
        if self.randomizer != "worst":
            return known_slot.epsilon(self, given["delta"], given["width"])
        if self.delta0 > 0.0:
            from . import approximate, approximate_epochs

            if self.epochs > 1:
                return approximate_epochs.epsilon(self._slot, self.delta0, self.epochs, given["delta"])
            return approximate.epsilon(self._slot, self.adjacency, self.delta0, given["delta"], given["width"])
        if self.epochs > 1:
            from . import epochs

            return epochs.epsilon(self._slot, self.epochs, given["delta"])
        return bracket.epsilon(self._slot, self.adjacency, given["delta"], given["width"])

    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """The smallest delta such that every adaptive (eps0, delta0)-DP randomizer gives (epsilon, delta)-DP.

        ``epsilon`` >= 0; ``width`` as in :meth:`epsilon`, first in delta, then in epsilon.
        """
        from ..minimax import bracket

        given = parse(epsilon=epsilon, width=width)
        if self.randomizer != "worst":
            return known_slot.delta(self, given["epsilon"], given["width"])
        if self.delta0 > 0.0:
            from . import approximate, approximate_epochs

            if self.epochs > 1:
                return approximate_epochs.delta(self._slot, self.delta0, self.epochs, given["epsilon"])
            return approximate.delta(self._slot, self.adjacency, self.delta0, given["epsilon"], given["width"])
        if self.epochs > 1:
            from . import epochs

            return epochs.delta(self._slot, self.epochs, given["epsilon"])
        return bracket.delta(self._slot, self.adjacency, given["epsilon"], given["width"])
