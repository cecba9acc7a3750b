r"""What a reduction is: a theorem on one protocol that bounds another one too.

A scene is what a theorem is stated for: a protocol, where need be of one kind.  Each paper's files of reductions have
``REDUCTIONS``, and ``SCENES`` for theorems on a part of what their protocol is, or on more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Params = Mapping[str, float]


@dataclass(frozen=True)
class Reduction:
    r"""``special`` at some parameters is at most as revealing as ``general`` at ``mapped`` ones.

    ``mapped`` gives all parameters of the general scene; :math:`\delta`, :math:`\epsilon`, an order and what is slack
    go over as they are.  ``pure``: for :math:`\epsilon_0`-DP randomizers only.
    """

    special: str
    general: str
    mapped: Callable[[Params], dict[str, float]]
    reason: str
    pure: bool = False
