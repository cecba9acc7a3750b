"""Laplace noise on a record in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Randomizer


@dataclass(frozen=True)
class Laplace(Randomizer):
    """Laplace noise of scale 1/eps0 on a record in [0, 1]: the density at y is (eps0/2) e^(-eps0 |y - x|)."""

    kind: ClassVar[str] = "laplace"
    form: ClassVar[str] = "laplace"
    finite: ClassVar[bool] = False
