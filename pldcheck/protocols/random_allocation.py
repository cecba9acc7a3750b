"""Random allocation of Gaussian noise: a record takes part in one uniform step of many, or in several."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import parse

if TYPE_CHECKING:
    from ..pld import PrivacyLossDistribution

# Below, the ratios leave the range of numbers.
LEAST_SIGMA = 0.1
NEIGHBOURS = ("remove", "add", "both", "replace")
WIDTH = 1e-4


@dataclass(frozen=True)
class RandomAllocation:
    r"""A record is in ``selected`` random steps of ``steps``, each released with Gaussian noise, ``epochs`` times.

    ``sigma``: the noise's deviation over the largest norm of what a record adds to a step, which may depend on all
    earlier outputs.  ``check_in_prob``: the probability that the record takes part at all.  ``adjacency``: ``remove``
    (the record is there under P and not under Q), ``add`` (the reverse), ``both`` (the worse), or ``replace`` (another
    one is there, its contribution anywhere in the same ball: opposite vectors are worst).

    All four are exact for one selected step.  For more, the upper end is that of as many compositions of one step among
    ``steps``/``selected`` (Feldman and Shenfeld 2025), the lower end that of one selected step, which reveals less.
    """

    steps: int
    sigma: float
    selected: int = 1
    epochs: int = 1
    check_in_prob: float = 1.0
    adjacency: str = "both"
    name: ClassVar[str] = "random-allocation"
    usual_width: ClassVar[float] = WIDTH

    def __post_init__(self) -> None:
        given = {key: value for key, value in asdict(self).items() if key != "adjacency"}
        for key, value in parse(**given).items():
            object.__setattr__(self, key, value)
        if self.adjacency not in NEIGHBOURS:
            raise ParameterError("adjacency", f"one of {', '.join(NEIGHBOURS)}", self.adjacency)
        if self.sigma < LEAST_SIGMA:
            raise ParameterError("sigma", f"at least {LEAST_SIGMA:g} for random allocation", self.sigma)
        if self.selected > self.steps:
            raise ParameterError("selected", f"at most steps = {self.steps}", self.selected)
        if self.selected > 1 and self.check_in_prob < 1.0:
            raise ParameterError("selected", "1 with a check-in probability below 1", self.selected)

    @property
    def reduced(self) -> RandomAllocation:
        """Itself: it is reduced to no other protocol."""
        return self

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def losses(self, delta: float) -> tuple[PrivacyLossDistribution, ...]:
        """All epochs as a privacy loss distribution, to be composed with other mechanisms.

        ``delta``: the least one of use, below which the loss is known coarsely.
        """
        from ..allocation import epochs

        least = parse(delta=delta)["delta"]
        if self.selected == 1:
            return (epochs.one_epoch(self._slots, least).compose(self.epochs),)
        return (epochs.dominating(self._slots, self._parts, least),)

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """The smallest epsilon such that the released steps are (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in (0, 1)
        width : float in (0, 1)
            Relative width asked of the interval in epsilon.  With epochs it is what the curve of one of them allows.

        Returns
        -------
        Interval
            With the error budget; ``sources`` says which neighbours the ends are from.

        Raises
        ------
        ParameterError
            If ``delta`` or ``width`` is not in (0, 1).

        """
        from ..allocation import answer

        given = parse(delta=delta, width=width)
        return answer.epsilon(self._slots, self._parts, self.epochs, given["delta"], given["width"])

    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """The smallest delta such that the released steps are (epsilon, delta)-DP; ``width`` in delta."""
        from ..allocation import answer

        given = parse(epsilon=epsilon, width=width)
        return answer.delta(self._slots, self._parts, self.epochs, given["epsilon"], given["width"])

    @property
    def _slots(self):
        from ..allocation.pairs import Slots
        from ..allocation.randomizers import GaussianNoise

        return Slots(GaussianNoise(1.0 / self.sigma), self.steps, self.check_in_prob, self.adjacency)

    @property
    def _parts(self) -> tuple[tuple[int, int], ...]:
        """(steps, how often): one step among so many, composed; from above."""
        each, more = divmod(self.steps, self.selected)
        found = ((each, (self.selected - more) * self.epochs), (each + 1, more * self.epochs))
        return tuple(part for part in found if part[1])
