"""Shuffling: certified divergences of the pairs that dominate it, and of those that it dominates.

Read :mod:`~pldcheck.shuffling.three_symbol_pair` first (the pairs with three symbols, in closed sums), then
:mod:`~pldcheck.shuffling.one_client_fewer` (the reduction to a hidden slot with one client fewer, with its proof) and
:mod:`~pldcheck.shuffling.shuffled_curves`, which tries all of them.  :mod:`~pldcheck.shuffling.swap_curves` has random
swapping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_parts

__all__ = [
    "few_responses",
    "known_messages",
    "shuffled_curves",
    "shuffled_renyi",
    "shuffling_rounds",
    "swap_curves",
    "worst_messages",
]

if TYPE_CHECKING:
    from . import few_responses as few_responses
    from . import known_messages as known_messages
    from . import shuffled_curves as shuffled_curves
    from . import shuffled_renyi as shuffled_renyi
    from . import shuffling_rounds as shuffling_rounds
    from . import swap_curves as swap_curves
    from . import worst_messages as worst_messages
else:
    __getattr__, __dir__ = lazy_parts(__name__, dict.fromkeys(__all__, ()), __all__)
