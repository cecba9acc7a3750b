"""Random check-ins with a fixed window (Algorithm 1 of Balle et al. 2020), the number of clients known or not."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..errors import ParameterError
from ..interval import Interval
from ..parameters import PARAMETERS, parse
from . import known_slot
from .hidden_slot import HiddenSlot


@dataclass(frozen=True)
class CheckIn:
    """Each client checks in with probability ``check_in_prob`` to one uniform slot of ``steps``.

    Whatever the number of clients, this is at most as revealing as ``HiddenSlot(steps, eps0, check_in_prob)``, and
    equal to it when there is one client.  ``clients``: their number, the record's own included, if it is known: the
    more there are in a slot, the less often the record is the one that is used.  Replacement adjacency.
    ``epochs``: the whole protocol so often, with fresh check-ins.  ``randomizer``, ``delta0``: as for
    :class:`HiddenSlot`; with delta0 the number of clients lowers the lower end only.
    """

    steps: int
    eps0: float | None = None
    check_in_prob: float = 1.0
    epochs: int = 1
    clients: int | None = None
    delta0: float = 0.0
    randomizer: str = "worst"
    name: ClassVar[str] = "check-in"
    usual_width: ClassVar[float] = 0.005
    adjacency: ClassVar[str] = "replace"

    def __post_init__(self) -> None:
        given = {key: value for key, value in asdict(self).items() if key in PARAMETERS}
        given = {key: value for key, value in given.items() if value is not None or key not in ("eps0", "clients")}
        for key, value in parse(**given).items():
            object.__setattr__(self, key, value)
        known_slot.checked(self.randomizer, self.eps0, self.epochs, self.delta0)
        if self.clients is not None and self.randomizer != "worst":
            raise ParameterError("clients", "left out with a known randomizer", self.clients)

    @property
    def reduced(self) -> CheckIn | HiddenSlot:
        """The hidden slot it reduces to, where the number of clients is not known."""
        return self if self.clients is not None else self.alone

    @property
    def alone(self) -> HiddenSlot:
        """What it is with one client."""
        return HiddenSlot(
            self.steps,
            self.eps0,
            self.check_in_prob,
            epochs=self.epochs,
            delta0=self.delta0,
            randomizer=self.randomizer,
        )

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)

    def epsilon(self, delta: float, width: float = 0.005) -> Interval:
        """As :meth:`HiddenSlot.epsilon`; ``sources`` says what the ends are from where ``clients`` are known."""
        if self.clients is None:
            return self.alone.epsilon(delta, width)
        from . import populated

        given = parse(delta=delta, width=width)
        return populated.epsilon(self, self.clients, given["delta"], given["width"])

    def delta(self, epsilon: float, width: float = 0.005) -> Interval:
        """As :meth:`HiddenSlot.delta`."""
        if self.clients is None:
            return self.alone.delta(epsilon, width)
        from . import populated

        given = parse(epsilon=epsilon, width=width)
        return populated.delta(self, self.clients, given["epsilon"], given["width"])
