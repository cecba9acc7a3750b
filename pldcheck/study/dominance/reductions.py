"""Chains of reductions from the protocol of one theorem to those of others, over all papers."""

from __future__ import annotations

from collections import deque

from ...theorems import Theorem
from ...theorems.papers import reductions, scenes
from ...theorems.reduction import Reduction


def scene(theorem: Theorem) -> str:
    """Return the name of the setting for which a theorem is stated: its protocol, or a variant of it."""
    return scenes().get(theorem.id, theorem.protocol)


def chains_from(start: str) -> dict[str, tuple[Reduction, ...]]:
    """Return the settings whose bounds hold for this one, each with a shortest chain of reductions to it."""
    chains: dict[str, tuple[Reduction, ...]] = {start: ()}
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        for reduction in reductions():
            if reduction.special == place and reduction.general not in chains:
                chains[reduction.general] = (*chains[place], reduction)
                waiting.append(reduction.general)
    return chains
