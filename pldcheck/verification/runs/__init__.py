"""Runs on disk: cells computed by processes or a scheduler's workers, stored as they come, resumed by identity.

Read :mod:`~pldcheck.verification.runs.run_job` first, then :mod:`~pldcheck.verification.runs.run_store` (the files) and
:mod:`~pldcheck.verification.runs.executors`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_parts

__all__ = [
    "process_pool",
]

if TYPE_CHECKING:
    from . import process_pool as process_pool
else:
    __getattr__, __dir__ = lazy_parts(__name__, dict.fromkeys(__all__, ()), __all__)
