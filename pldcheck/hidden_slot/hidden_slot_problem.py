"""The parameters of one hidden slot, as its engines pass them around."""

from __future__ import annotations

from dataclasses import dataclass

from ..randomizers import Randomizer, Response, Worst
from .worst.slot_problem import Slot
from .worst.step_laws import ALL_LAWS, BINARY_LAWS


@dataclass(frozen=True)
class HiddenSlotProblem:
    """A record in one of ``steps`` slots, used there with probability ``weight``; ``epochs`` times, all released.

    ``eps0`` is None where only the randomizer determines the loss.  The protocols check the parameters.
    """

    steps: int
    eps0: float | None
    weight: float = 1.0
    adjacency: str = "replace"
    epochs: int = 1
    delta0: float = 0.0
    randomizer: Randomizer = Worst()

    @property
    def slot(self) -> Slot:
        """One epoch against pure worst-case randomizers, or binary randomized response where that is the randomizer."""
        assert self.eps0 is not None  # only known randomizers have no eps0
        return Slot(self.steps, self.eps0, self.weight, BINARY_LAWS if self.is_binary_response else ALL_LAWS)

    @property
    def is_binary_response(self) -> bool:
        """Whether the randomizer is binary randomized response, whose laws are two of the worst case's three."""
        return isinstance(self.randomizer, Response) and self.randomizer.categories == 2
