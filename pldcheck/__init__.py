"""Is this privacy amplification theorem true, how tight is it, and where does its proof lose? Certified.

>>> import pldcheck
>>> pldcheck.HiddenSlot(steps=1000, eps0=1.0).epsilon(delta=1e-6)  # doctest: +SKIP
Interval(lower=0.13056..., upper=0.13064..., quantity='epsilon')
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audit import audit as audit
    from .calibration import calibrate as calibrate
    from .errors import ConditionError as ConditionError
    from .errors import ParameterError as ParameterError
    from .errors import PldcheckError as PldcheckError
    from .errors import UnknownNameError as UnknownNameError
    from .interval import ErrorBudget as ErrorBudget
    from .interval import Interval as Interval
    from .protocols import Averaged as Averaged
    from .protocols import CheckIn as CheckIn
    from .protocols import HiddenSlot as HiddenSlot
    from .protocols import Shuffle as Shuffle
    from .protocols import SlidingWindow as SlidingWindow
    from .protocols import Swap as Swap
    from .testing import assert_sound as assert_sound
    from .testing import assert_tightness as assert_tightness
    from .testing import theorem as theorem
    from .theorems import REGISTRY
    from .verify import verify as verify

    theorems = REGISTRY

__version__ = "0.1.0"

# Everything is imported when first asked for: `pldcheck --help` needs no numpy, and where pldcheck is installed every
# start of pytest imports this file.
_NAMES = {
    "errors": ("ConditionError", "ParameterError", "PldcheckError", "UnknownNameError"),
    "interval": ("ErrorBudget", "Interval"),
    "protocols": ("Averaged", "CheckIn", "HiddenSlot", "Shuffle", "SlidingWindow", "Swap"),
    "calibration": ("calibrate",),
    "testing": ("assert_sound", "assert_tightness", "theorem"),
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = (
    *(*_NAMES, "attack", "dominance", "interop", "parameters", "peers", "pld", "simulate"),
    *("suites", "trajectories", "waterfall"),
)
# Names of modules that stand for what is in them.
_STANDS_FOR = {"audit": "audit", "theorems": "REGISTRY", "verify": "verify"}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        value = getattr(import_module(f".{_PLACES[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _STANDS_FOR:
        return getattr(import_module(f".{name}", __name__), _STANDS_FOR[name])
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES, *_STANDS_FOR, *_MODULES})


class _Package(ModuleType):
    """The import system binds a submodule to its name in the package whenever it is first imported, by anyone."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _STANDS_FOR and isinstance(value, ModuleType):
            value = getattr(value, _STANDS_FOR[name])
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
