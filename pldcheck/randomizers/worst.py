"""The worst of all randomizers of a budget, each of which may depend on all earlier outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Randomizer


@dataclass(frozen=True)
class Worst(Randomizer):
    """Any eps0-DP randomizers: what is certified holds for all of them."""

    kind: ClassVar[str] = "worst"
    form: ClassVar[str] = "worst"
    known: ClassVar[bool] = False
