"""Random check-ins with a sliding window (section 4.2 of Balle et al. 2020)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import parse
from .hidden_slot import HiddenSlot


@dataclass(frozen=True)
class SlidingWindow:
    """Client j of ``clients`` checks in to one uniform slot of {j, ..., j + window - 1}.

    Releases start at slot ``window``.

    At most as revealing as ``HiddenSlot(window, eps0, 1, delta0=delta0)``; clients at the edges see fewer released
    slots.  Replacement adjacency.
    """

    window: int
    clients: int
    eps0: float
    delta0: float = 0.0
    name: ClassVar[str] = "sliding-window"
    usual_width: ClassVar[float] = 0.005
    adjacency: ClassVar[str] = "replace"

    def __post_init__(self) -> None:
        for key, value in parse(**asdict(self)).items():
            object.__setattr__(self, key, value)
        if self.clients < self.window:
            raise ParameterError("clients", f"at least window = {self.window}", self.clients)

    @property
    def reduced(self) -> HiddenSlot:
        """The hidden slot it reduces to."""
        return HiddenSlot(self.window, self.eps0, 1.0, delta0=self.delta0)

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """As :meth:`HiddenSlot.epsilon`."""
        return self.reduced.epsilon(delta, width)

    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """As :meth:`HiddenSlot.delta`."""
        return self.reduced.delta(epsilon, width)
