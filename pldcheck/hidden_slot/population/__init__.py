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
]

if TYPE_CHECKING:
    from . import populated_epochs as populated_epochs
else:
    __getattr__, __dir__ = lazy_parts(__name__, dict.fromkeys(__all__, ()), __all__)
