"""Random check-ins with a fixed window (Algorithm 1 of Balle et al. 2020), without knowledge of the population."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..interval import Interval
from ..parameters import parse
from .hidden_slot import HiddenSlot


@dataclass(frozen=True)
class CheckIn:
    """Each client checks in with probability ``check_in_prob`` to one uniform slot of ``steps``.

    Whatever the number of clients, this is at most as revealing as ``HiddenSlot(steps, eps0, check_in_prob)``, and
    equal to it when there is one client.  Replacement adjacency.  ``epochs``: the whole protocol so often, with fresh
    check-ins.
    """

    steps: int
    eps0: float
    check_in_prob: float = 1.0
    epochs: int = 1
    name: ClassVar[str] = "check-in"
    usual_width: ClassVar[float] = 0.005
    adjacency: ClassVar[str] = "replace"

    def __post_init__(self) -> None:
        for key, value in parse(**asdict(self)).items():
            object.__setattr__(self, key, value)

    @property
    def reduced(self) -> HiddenSlot:
        """The hidden slot it reduces to."""
        return HiddenSlot(self.steps, self.eps0, self.check_in_prob, epochs=self.epochs)

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """As :meth:`HiddenSlot.epsilon`."""
        return self.reduced.epsilon(delta, width)

    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """As :meth:`HiddenSlot.delta`."""
        return self.reduced.delta(epsilon, width)
