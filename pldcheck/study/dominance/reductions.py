"""From what one theorem is stated for to what others are stated for, by the reductions of all papers."""

from __future__ import annotations

from collections import deque

from ...theorems import Theorem
from ...theorems.papers import reductions, scenes
from ...theorems.reduction import Reduction


def scene(theorem: Theorem) -> str:
    """Return what a theorem is stated for."""
    return scenes().get(theorem.id, theorem.protocol)


def reached(start: str) -> dict[str, tuple[Reduction, ...]]:
    """Return the scenes whose bounds hold for this one, each with a shortest chain of reductions to it."""
    found: dict[str, tuple[Reduction, ...]] = {start: ()}
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        for reduction in reductions():
            if reduction.special == place and reduction.general not in found:
                found[reduction.general] = (*found[place], reduction)
                waiting.append(reduction.general)
    return found
