"""The class of all eps0-DP randomizers with a bound of total variation between the outputs on two inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..core.parameters import PARAMETERS
from .base import Randomizer


@dataclass(frozen=True)
class Narrow(Randomizer):
    """The worst case over eps0-DP randomizers whose outputs on the two records are within ``tv`` in total variation.

    Parameters
    ----------
    tv : float
        The largest total variation distance of the outputs on the record and on its replacement, in (0, 1).

    """

    tv: float
    kind: ClassVar[str] = "tv"
    form: ClassVar[str] = "tv:T"
    known: ClassVar[bool] = False
    in_hidden_slots: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "tv", PARAMETERS["tv"].parse(self.tv))
