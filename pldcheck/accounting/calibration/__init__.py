"""Calibration: the least noise or the largest budget whose certified epsilon meets a target.

>>> import pldcheck
>>> pldcheck.calibrate("gaussian", "sigma", target_epsilon=1.0, delta=1e-6)  # doctest: +SKIP
Calibration(Gaussian(sigma=4.225, steps=1), sigma=4.225, epsilon in [0.999946, 0.999947] <= 1.0 at delta=1e-06)
"""

from __future__ import annotations

from .calibrated_value import PRECISION as PRECISION
from .calibrated_value import TARGET as TARGET
from .calibrated_value import Calibration as Calibration
from .calibrated_value import Trial as Trial
from .calibrated_value import UnreachableError as UnreachableError
from .calibrated_value import calibrate as calibrate

__all__ = [
    "Calibration",
    "PRECISION",
    "TARGET",
    "Trial",
    "UnreachableError",
    "calibrate",
]
