"""Exchange with dp_accounting: its privacy loss distributions in both directions, and its event trees.

``to_dp_accounting`` and ``from_dp_accounting`` exchange distributions (what comes in is a claim, and its name says so),
``from_event`` takes a tree of ``DpEvent``.  ``RandomCheckInDpEvent``, ``RandomAllocationDpEvent`` and
``ShuffleDpEvent`` stand for a check-in phase among other mechanisms.

>>> import dp_accounting as dpa
>>> from pldcheck.accounting import interop
>>> response = dpa.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2)
>>> interop.from_event(dpa.SelfComposedDpEvent(response, 100)).epsilon(delta=1e-6)
Interval(lower=94.2898..., upper=94.2898..., quantity='epsilon')
"""

from __future__ import annotations

from .amplification_events import RandomAllocationDpEvent as RandomAllocationDpEvent
from .amplification_events import RandomCheckInDpEvent as RandomCheckInDpEvent
from .amplification_events import ShuffleDpEvent as ShuffleDpEvent
from .dp_accounting_claims import from_dp_accounting as from_dp_accounting
from .dp_accounting_export import to_dp_accounting as to_dp_accounting
from .event_names import UnsupportedEventError as UnsupportedEventError
from .event_trees import from_event as from_event

__all__ = [
    "RandomAllocationDpEvent",
    "RandomCheckInDpEvent",
    "ShuffleDpEvent",
    "UnsupportedEventError",
    "from_dp_accounting",
    "from_event",
    "to_dp_accounting",
]
