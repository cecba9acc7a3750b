"""Random check-ins with a known number of clients: the number of empty slots, and its effect on privacy.

Read :mod:`~pldcheck.hidden_slot.population.occupied_pattern` first (the proof), then
:mod:`~pldcheck.hidden_slot.population.populated_upper`.  For few slots
:mod:`~pldcheck.hidden_slot.population.hidden_occupants` is exact or nearly so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_parts

__all__ = [
    "populated_epochs",
    "populated_intervals",
    "slot_occupancy",
]

if TYPE_CHECKING:
    from . import populated_epochs as populated_epochs
    from . import populated_intervals as populated_intervals
    from . import slot_occupancy as slot_occupancy
else:
    __getattr__, __dir__ = lazy_parts(__name__, dict.fromkeys(__all__, ()), __all__)
