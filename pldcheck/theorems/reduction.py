"""Reductions: a theorem on one protocol that bounds another one too.

A scene is the mechanism that a theorem is stated for: a protocol, where need be of one kind.  Each file of reductions
of a paper has ``REDUCTIONS``, and ``SCENES`` for theorems whose scene is not the whole of their protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Params = Mapping[str, float]


@dataclass(frozen=True)
class Reduction:
    r"""The statement that ``special`` at some parameters reveals at most as much as ``general`` at its own.

    ``map_parameters`` returns all parameters of the general scene; :math:`\delta`, :math:`\epsilon`, an order and slack
    parameters are the same in both.  A ``pure`` reduction holds for :math:`\epsilon_0`-DP randomizers only.
    ``statement`` is the id of a registered statement whose proof is that of the reduction; where it is empty, the
    ``reason`` has to do.
    """

    special: str
    general: str
    map_parameters: Callable[[Params], dict[str, float]]
    reason: str
    pure: bool = False
    statement: str = ""
