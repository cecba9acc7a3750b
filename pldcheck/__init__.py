"""Is this privacy amplification theorem true, how tight is it, and where does its proof lose? Certified.

>>> import pldcheck
>>> pldcheck.HiddenSlot(steps=1000, eps0=1.0).epsilon(delta=1e-6)  # doctest: +SKIP
Interval(lower=0.13056..., upper=0.13066..., quantity='epsilon')
"""

from typing import Any

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
from .theorems import REGISTRY
from .verify import verify as verify

theorems = REGISTRY


def __getattr__(name: str) -> Any:
    """Submodules, imported when first asked for: they need numpy and scipy, and `pldcheck --help` does not."""
    if name in ("pld", "interop", "trajectories", "waterfall", "calibration"):
        from importlib import import_module

        return import_module(f".{name}", __name__)
    if name == "calibrate":
        from .calibration import calibrate

        return calibrate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.1.0"
