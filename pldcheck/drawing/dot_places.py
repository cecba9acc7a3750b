"""The places of dots on a logarithmic axis, from ratios one by one: of very many, those close together merge."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log10

# Claims this many times the truth are drawn at the edge.
MOST = 1e4
# The most dots of a line that are drawn one by one.
DOTS = 600
# The number of places in a decade to which more dots than that are rounded.
HAIR = 40


@dataclass
class DotPlaces:
    """The ratios of one line: all of them while they are at most ``DOTS``, then the places to which they are rounded.

    Examples
    --------
    >>> places = DotPlaces()
    >>> for ratio in (2.0, 1e9):
    ...     places.add(ratio)
    >>> places.values
    (2.0, 1000000000.0)

    """

    _ratios: list[float] = field(default_factory=list)
    _hairs: set[int] = field(default_factory=set)

    def add(self, ratio: float) -> None:
        """Add a positive ratio."""
        if self._hairs:
            self._hairs.add(_hair(ratio))
        else:
            self._ratios.append(ratio)
            if len(self._ratios) > DOTS:
                self._hairs = set(map(_hair, self._ratios))
                self._ratios = []

    @property
    def values(self) -> tuple[float, ...]:
        """The ratios, or the places that stand for them, which are at most a few hundred."""
        return tuple(10.0 ** (hair / HAIR) for hair in sorted(self._hairs)) if self._hairs else tuple(self._ratios)


def clip(ratio: float) -> float:
    """Return a ratio within the axis."""
    return min(max(ratio, 1.0 / MOST), MOST)


def _hair(ratio: float) -> int:
    return round(HAIR * log10(clip(ratio)))
