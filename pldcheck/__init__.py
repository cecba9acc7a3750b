"""Is this privacy amplification theorem true, how tight is it, and where does its proof lose? Certified.

>>> import pldcheck
>>> pldcheck.HiddenSlot(steps=1000, eps0=1.0).epsilon(delta=1e-6)  # doctest: +SKIP
Interval(lower=0.13056..., upper=0.13064..., quantity='epsilon')
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from .accounting.calibration import calibrate
    from .core.errors import ConditionError, ParameterError, PldcheckError, UnknownNameError
    from .core.interval import ErrorBudget, Interval
    from .protocols import (
        Averaged,
        CheckIn,
        Composition,
        DecayingBudgets,
        Gaussian,
        GaussianMean,
        HiddenSlot,
        Laplace,
        MixedPair,
        RandomAllocation,
        RandomizedResponse,
        Shuffle,
        SlidingWindow,
        SubsampledGaussian,
        SubsampledRandomizedResponse,
        Swap,
    )
    from .study.audit import audit
    from .testing import assert_sound, assert_tightness, theorem
    from .theorems import REGISTRY
    from .verification import verify
    from .verification.suites import Grid, Job

__version__ = "0.1.0"

__all__ = [
    "Averaged",
    "CheckIn",
    "Composition",
    "ConditionError",
    "DecayingBudgets",
    "ErrorBudget",
    "Gaussian",
    "GaussianMean",
    "Grid",
    "HiddenSlot",
    "Interval",
    "Job",
    "Laplace",
    "MixedPair",
    "ParameterError",
    "PldcheckError",
    "REGISTRY",
    "RandomAllocation",
    "RandomizedResponse",
    "Shuffle",
    "SlidingWindow",
    "SubsampledGaussian",
    "SubsampledRandomizedResponse",
    "Swap",
    "UnknownNameError",
    "assert_sound",
    "assert_tightness",
    "audit",
    "calibrate",
    "theorem",
    "verify",
]

# Everything is imported when first asked for: `pldcheck --help` needs no numpy, and where pldcheck is installed every
# start of pytest imports this file.  Rooms that are not named here hold protocols.
_ROOMS = {
    "accounting.calibration": ("calibrate",),
    "core.errors": ("ConditionError", "ParameterError", "PldcheckError", "UnknownNameError"),
    "core.interval": ("ErrorBudget", "Interval"),
    "study.audit": ("audit",),
    "testing": ("assert_sound", "assert_tightness", "theorem"),
    "theorems": ("REGISTRY",),
    "verification": ("verify",),
    "verification.suites": ("Grid", "Job"),
}
_PLACES = dict.fromkeys(__all__, "protocols") | {name: room for room, names in _ROOMS.items() for name in names}
# Rooms that can be reached as attributes without being imported first.
_SUBPACKAGES = {
    *("accounting", "core", "hidden_slot", "pld", "protocols", "randomizers", "report", "shuffling", "study"),
    *("testing", "theorems", "verification", "witness"),
}


def __getattr__(name: str) -> _Any:
    if name in _PLACES:
        value = getattr(_import_module(f".{_PLACES[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _SUBPACKAGES:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
