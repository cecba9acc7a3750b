r"""The assumptions on floating-point arithmetic and on libraries, in one place, and a test of them on this machine.

Arithmetic is IEEE 754 double precision, rounded to nearest: normal sums, products, quotients and square roots have a
relative error of at most one unit, 2^-53.  No standard bounds the errors of functions: the table below states the bound
for each function and the range on which it is used.  Outside of this range a value is used only where it is certainly 0
or has no influence on the answer.

An FFT of N numbers (:func:`numpy.fft.rfft` and ``irfft`` times N, where N has no prime factor beyond 5) has outputs
within ``FFT`` log2(N) units of the sum of the absolute values of the numbers; the constant is in
:mod:`pldcheck.core.fourier`.  Each output is a sum over paths through log2 N butterflies; each butterfly multiplies by
a root of unity, within 4 units, and adds.

numpy sums n numbers pairwise, in blocks of 128 with eight accumulators: the error is at most log2(n) + 20 units of the
sum of the absolute values.  Each value of :func:`numpy.convolve` is a sum of products of two doubles in some order.

tests/ledger/test_library_functions.py sweeps every assumption against balls over its range;
:func:`pldcheck.core.assumption_check.violations`, which ``pldcheck doctor`` calls, tests a few hundred points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special


@dataclass(frozen=True)
class Grant:
    """A function, the range on which it is used, and the bound of its error in units.

    Points of the range are evenly spaced or, with a ``centre``, evenly spaced in the logarithm of their distance from
    it.  An ``absolute`` bound is in units of 1, any other in units of the value.  ``exact`` is the function of balls,
    where it does not have the same name.
    """

    name: str
    call: Callable[[Any], Any]
    low: float
    high: float
    units: float
    absolute: bool = False
    centre: float | None = None
    exact: Callable[[Any], Any] | None = None


def _log2(x: Any) -> Any:
    return x.log() / type(x)(2).log()


def _angle(x: Any) -> Any:
    return type(x).atan2(type(x)(1), x)


def _hypot(x: Any) -> Any:
    return (x * x + 1).sqrt()


def _power(x: Any) -> Any:
    return x**7


GRANTS: tuple[Grant, ...] = (
    # Elementary functions, where their results are normal numbers.
    Grant("numpy.exp", np.exp, -708.0, 709.0, 4.0),
    Grant("numpy.exp", np.exp, 1e-18, 1.0, 4.0, centre=0.0),
    Grant("math.exp", math.exp, -708.0, 709.0, 4.0),
    Grant("numpy.expm1", np.expm1, -708.0, 709.0, 4.0),
    Grant("numpy.expm1", np.expm1, 1e-300, 1.0, 4.0, centre=0.0),
    Grant("math.expm1", math.expm1, 1e-300, 700.0, 4.0, centre=0.0),
    Grant("numpy.log", np.log, 1e-307, 1e308, 4.0, centre=0.0),
    Grant("numpy.log", np.log, 1e-16, 0.5, 4.0, centre=1.0),
    Grant("math.log", math.log, 1e-307, 1e308, 4.0, centre=0.0),
    Grant("numpy.log1p", np.log1p, 1e-300, 0.999, 4.0, centre=0.0),
    Grant("numpy.log1p", np.log1p, 1e-16, 0.5, 4.0, centre=-1.0),
    Grant("math.log1p", math.log1p, 1e-300, 0.999, 4.0, centre=0.0),
    Grant("numpy.sqrt", np.sqrt, 1e-300, 1e300, 1.0, centre=0.0),
    Grant("numpy.sinh", np.sinh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("numpy.cosh", np.cosh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("numpy.tanh", np.tanh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("math.sinh", math.sinh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("math.cosh", math.cosh, 1e-300, 700.0, 8.0, centre=0.0),
    # Angles may have any size, as the argument is reduced exactly.
    Grant("numpy.sin", np.sin, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("numpy.cos", np.cos, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("math.sin", math.sin, 1e-300, 1.6, 4.0, centre=0.0),
    Grant("numpy.sin", np.sin, 1e-300, 1.6, 4.0, centre=0.0),
    Grant("math.sin", math.sin, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("math.cos", math.cos, 1e-10, 1e15, 4.0, absolute=True, centre=0.0),
    Grant("numpy.exp(ix).real", lambda x: np.exp(1j * x).real, 1e-10, 1e15, 4.0, True, 0.0, lambda x: x.cos()),
    Grant("numpy.exp(ix).imag", lambda x: np.exp(1j * x).imag, 1e-10, 1e15, 4.0, True, 0.0, lambda x: x.sin()),
    # Functions of two numbers: only their quotient or difference matters, or one of them is a count.
    Grant("math.atan2(x, 1)", lambda x: math.atan2(x, 1.0), 1e-300, 1e300, 4.0, False, 0.0, lambda x: x.atan()),
    Grant("math.atan2(1, x)", lambda x: math.atan2(1.0, x), 1e-300, 1e300, 4.0, False, 0.0, _angle),
    Grant("numpy.arctan2(x, 1)", lambda x: np.arctan2(x, 1.0), 1e-300, 1e300, 4.0, False, 0.0, lambda x: x.atan()),
    Grant("numpy.arctan2(1, x)", lambda x: np.arctan2(1.0, x), 1e-300, 1e300, 4.0, False, 0.0, _angle),
    Grant("math.hypot(x, 1)", lambda x: math.hypot(x, 1.0), 1e-300, 1e150, 4.0, False, 0.0, _hypot),
    Grant("numpy.hypot(x, 1)", lambda x: np.hypot(x, 1.0), 1e-300, 1e150, 4.0, False, 0.0, _hypot),
    Grant("numpy.logaddexp(x, 0)", lambda x: np.logaddexp(x, 0.0), -700.0, 700.0, 8.0, exact=lambda x: x.exp().log1p()),
    Grant("numpy.power(x, 7)", lambda x: np.power(x, 7), 1e-40, 1.0, 4.0, exact=_power),
    # Functions of sizes, in error bounds of sums and of FFTs.
    Grant("math.log2", math.log2, 2.0, 2.0**62, 4.0, exact=_log2),
    Grant("numpy.log2", np.log2, 2.0, 2.0**62, 4.0, exact=_log2),
    Grant("math.tanh", math.tanh, 1e-300, 700.0, 8.0, centre=0.0),
    Grant("math.erf", math.erf, 1e-300, 6.0, 8.0, centre=0.0),
    Grant("math.erfc", math.erfc, -6.0, 26.5, 8.0),
    # The normal law has exp(-x^2/2) of a rounded square, which is up to 704.
    Grant("scipy.special.ndtr", scipy.special.ndtr, -37.5, 8.5, 3072.0),
    Grant("scipy.special.ndtr", scipy.special.ndtr, -2.0, 8.5, 16.0),
)


# Functions that only choose where to evaluate, how many points to take, or what a message says: no end rests on them.
HINTS = ("scipy.special.ndtri", "numpy.cbrt", "numpy.interp")
# Sums of products in some order, with the errors that any such order has.
SUMS = ("numpy.convolve",)
