"""Protocols: frozen dataclasses of parameters with ``epsilon(delta)`` and ``delta(epsilon)`` as certified intervals."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .check_in import CheckIn as CheckIn
from .hidden_slot import HiddenSlot as HiddenSlot
from .sliding_window import SlidingWindow as SlidingWindow

PROTOCOLS: Mapping[str, type] = MappingProxyType(
    {protocol.name: protocol for protocol in (HiddenSlot, CheckIn, SlidingWindow)}
)
