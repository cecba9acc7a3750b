"""Certified numbers in decimal, as reports print them; see :mod:`pldcheck.core.outward_decimals`."""

from __future__ import annotations

from math import isinf

from ..core.interval import Interval
from ..core.outward_decimals import DIGITS as DIGITS
from ..core.outward_decimals import MOST_DIGITS as MOST_DIGITS
from ..core.outward_decimals import down as down
from ..core.outward_decimals import ends
from ..core.outward_decimals import near as near
from ..core.outward_decimals import up as up


def outward(interval: Interval) -> tuple[str, str]:
    """Return both ends as decimals that enclose the interval, with digits enough to widen it by a fifth at most."""
    return ends(interval.lower, interval.upper)


def width(interval: Interval) -> str:
    """Return the relative width, or the absolute one where the lower end is zero; rounded up to two digits."""
    if isinf(interval.relative_width):
        return up(interval.width, 2)
    return f"{up(100 * interval.relative_width, 2)} %"
