"""The places of points of a round, which are farther apart where its loss matters less, and the composition's fineness.

Neither proves anything: ``upper_rounds`` verifies what is composed of any points, with any fineness.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log10
from typing import Any

from ..checkers import upper_rounds

# That loss matters most within so many deviations of its mean where all losses add up to the claim's epsilon; farther
# off the distance of points grows.
NEAR = 1.5
# The number "cells" of the composition in places of a deviation: a coarser lattice than twice these would be felt.
CELLS = 2
# The number "growth" of the composition in places of a deviation, so that points far from 0 are cells of a lattice.
GROWTH = 4
# Deviations of the loss of all rounds that the lattice holds.
REACH = 20.0


def places(last: int, inside: int, tilt: float) -> Iterator[int]:
    """Yield places from 0 to the last, whose distance grows away from ``tilt`` deviations of ``inside`` places each."""
    place = 0
    while place < last:
        yield place
        away = max(abs(place / inside - tilt) - NEAR, 0.0)
        place += max(1, int(inside * away / (2.0 + tilt)))
    yield last


def fineness(width: Fraction, last: int, inside: int, tail: float) -> dict[str, Any]:
    """Return the fineness of the composition of rounds whose points end at the place ``last``."""
    return {
        "digits": min(max(ceil(-log10(tail)) + 10, 12), 90),
        "width": upper_rounds.decimal_of(width),
        "points": ceil(max(2.2 * last, 2.0 * CELLS * inside * REACH)) + 64,
        "cells": CELLS * inside,
        "growth": GROWTH * inside,
        "cut": f"{tail:.0e}",
    }
