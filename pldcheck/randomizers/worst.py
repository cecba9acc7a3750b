"""The worst-case randomizer of a budget, which may depend on all earlier outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Randomizer


@dataclass(frozen=True)
class Worst(Randomizer):
    """The worst case over all eps0-DP randomizers: a certified upper bound holds for each of them."""

    kind: ClassVar[str] = "worst"
    form: ClassVar[str] = "worst"
    known: ClassVar[bool] = False
