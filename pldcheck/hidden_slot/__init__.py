"""One record in one of many slots, all of them released: the engines behind hidden slots, check-ins and allocations.

Read :mod:`~pldcheck.hidden_slot.worst` first, the worst case over all adaptive eps0-DP randomizers; then
:mod:`~pldcheck.hidden_slot.worst_epochs`, :mod:`~pldcheck.hidden_slot.approximate` ((eps0, delta0)-DP randomizers) and
:mod:`~pldcheck.hidden_slot.population` (the number of clients is known).  :mod:`~pldcheck.hidden_slot.known` has sums
of likelihood ratios of known randomizers, :mod:`~pldcheck.hidden_slot.replaced` those where the other records lie in a
ball.  :mod:`~pldcheck.hidden_slot.hidden_slot_answers` chooses among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_parts

__all__ = [
    "hidden_slot_answers",
    "hidden_slot_problem",
    "known",
    "known_randomizer_slot",
    "known_slot_answers",
    "population",
    "slot_renyi",
    "worst_answers",
]

if TYPE_CHECKING:
    from . import hidden_slot_answers as hidden_slot_answers
    from . import hidden_slot_problem as hidden_slot_problem
    from . import known as known
    from . import known_randomizer_slot as known_randomizer_slot
    from . import known_slot_answers as known_slot_answers
    from . import population as population
    from . import slot_renyi as slot_renyi
    from . import worst_answers as worst_answers
else:
    __getattr__, __dir__ = lazy_parts(__name__, dict.fromkeys(__all__, ()), __all__)
