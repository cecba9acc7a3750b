"""One hidden slot: the record is used in one of ``steps`` slots, all of them released."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import parse

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

    ``adjacency``: ``"replace"`` (one record changed for another, the paper's) or ``"zero-out"`` (record there or
    not, the worse direction).  ``epochs``: the record is hidden anew so often, and everything is released.
    """

    steps: int
    eps0: float
    weight: float = 1.0
    adjacency: str = "replace"
    epochs: int = 1
    name: ClassVar[str] = "hidden-slot"
    usual_width: ClassVar[float] = 0.005

    def __post_init__(self) -> None:
        values = parse(steps=self.steps, eps0=self.eps0, weight=self.weight, epochs=self.epochs)
        for key, value in values.items():
            object.__setattr__(self, key, value)
        if self.adjacency not in ADJACENCIES:
            raise ParameterError("adjacency", f"one of {', '.join(ADJACENCIES)}", self.adjacency)
        if self.epochs > 1 and self.adjacency != "replace":
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
        from . import epochs

        return epochs.losses(self._slot, parse(delta=delta)["delta"])

    @property
    def _slot(self):
        from ..minimax.slot import Slot

        return Slot(self.steps, self.eps0, self.weight)

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """The smallest epsilon such that every adaptive eps0-DP randomizer gives (epsilon, delta)-DP.

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
            With the error budget and a witness that attains the lower end.

        Raises
        ------
        ParameterError
            If ``delta`` or ``width`` is not in (0, 1).

        """
        from ..minimax import bracket

        given = parse(delta=delta, width=width)
        if self.epochs > 1:
            from . import epochs

            return epochs.epsilon(self._slot, self.epochs, given["delta"])
        return bracket.epsilon(self._slot, self.adjacency, given["delta"], given["width"])

    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """The smallest delta such that every adaptive eps0-DP randomizer gives (epsilon, delta)-DP.

        ``epsilon`` >= 0; ``width`` as in :meth:`epsilon`, first in delta, then in epsilon.
        """
        from ..minimax import bracket

        given = parse(epsilon=epsilon, width=width)
        if self.epochs > 1:
            from . import epochs

            return epochs.delta(self._slot, self.epochs, given["epsilon"])
        return bracket.delta(self._slot, self.adjacency, given["epsilon"], given["width"])
