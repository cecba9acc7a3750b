"""Assumptions on libraries, swept against balls over the ranges that are used: the units of core.assumed."""

import ast
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pldcheck
from pldcheck.core import assumed, assumption_check, differences, fourier
from pldcheck.core.directed import UNIT
from pldcheck.hidden_slot.known import slot_increments
from pldcheck.kernels._jit import kernel

SWEEP_POINTS = 1200
# A grant is at least the largest error measured here, and at most so many times it: a larger one would say nothing.
SPARE = 64.0


def worst(grant, count):
    return max(assumption_check.units_off(grant, point) for point in assumption_check.points(grant, count))


@pytest.mark.parametrize("grant", assumed.GRANTS, ids=lambda grant: f"{grant.name} from {grant.low:g}")
def test_functions_are_within_the_units_granted(grant):
    error = worst(grant, SWEEP_POINTS)
    assert error <= grant.units
    assert grant.units <= SPARE * max(error, 0.5)


@pytest.mark.parametrize("count", [2, 3, 5, 8, 96, 1000, 2025, 4096])
def test_fft_is_within_the_units_granted(count):
    assert assumption_check.fft_units_off(count) <= fourier.FFT


# Rooms whose functions compute ends; functions whose results are exact or rounded once, by IEEE 754 or by what they do.
ENGINE = ("core", "kernels", "pld", "randomizers", "hidden_slot", "shuffling", "protocols")
NUMPY = """arctan arctan2 arcsinh arccosh arctanh cbrt convolve cos cosh exp exp2 expm1 float_power hypot interp log
log10 log1p log2 logaddexp logaddexp2 power sin sinh tan tanh""".split()
EXACT = """ceil comb copysign e fabs factorial floor fsum gcd inf isfinite isinf isnan isqrt nan nextafter pi prod
sqrt""".split()


def functions_called():
    """Yield every function of math, numpy and scipy whose values are not exact, that the engine's files name."""
    for room in ENGINE:
        for path in (Path(pldcheck.__file__).parent / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("math", "scipy", "numpy.fft")):
                    yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name not in EXACT)
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    if node.value.id == "np" and node.attr in NUMPY:
                        yield f"numpy.{node.attr}"
                    if node.value.id == "math" and node.attr not in EXACT:
                        yield f"math.{node.attr}"


def test_every_function_that_the_engine_calls_is_listed():
    names_granted = {grant.name.partition("(")[0] for grant in assumed.GRANTS} | {"numpy.fft.rfft", "numpy.fft.irfft"}
    assert set(functions_called()) - names_granted - {*assumed.HINTS, *assumed.SUMS} == set()


@pytest.mark.nightly
def test_convolutions_are_sums_of_products_in_some_order():
    draw = np.random.default_rng(0)
    # Products of whole numbers below 2^20, a thousand of them, are exact in any order; a transform's would not be.
    one, other = (draw.integers(0, 2**20, size).astype(float) for size in (3000, 1000))
    exact = [
        sum(int(one[i]) * int(other[k - i]) for i in range(max(k - 999, 0), min(k, 2999) + 1))
        for k in (0, 7, 1500, 3998)
    ]
    assert [int(value) for value in np.convolve(one, other)[[0, 7, 1500, 3998]]] == exact


@kernel
def evaluate_kernel(which, x):
    if which == 0:
        return math.exp(x)
    if which == 1:
        return math.expm1(x)
    if which == 2:
        return math.log(x)
    if which == 3:
        return math.log1p(x)
    if which == 4:
        return math.erfc(x)
    if which == 5:
        return math.sin(x)
    return math.cos(x)


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p", "erfc", "sin", "cos"])
def test_kernels_call_functions_that_are_as_good(name):
    which = ["exp", "expm1", "log", "log1p", "erfc", "sin", "cos"].index(name)
    for grant in assumed.GRANTS:
        if grant.name == f"math.{name}":
            twin = assumed.Grant(
                grant.name,
                lambda x: evaluate_kernel(which, x),
                grant.low,
                grant.high,
                grant.units,
                grant.absolute,
                grant.centre,
            )
            assert worst(twin, 300) <= grant.units


@kernel
def compiled_angle(y, x):
    return math.atan2(y, x)


def test_kernels_call_an_angle_that_is_as_good():
    calls = {"math.atan2(x, 1)": lambda x: compiled_angle(x, 1.0), "math.atan2(1, x)": lambda x: compiled_angle(1.0, x)}
    for name, call in calls.items():
        grant = next(grant for grant in assumed.GRANTS if grant.name == name)
        twin = replace(grant, call=call)
        assert worst(twin, 300) <= grant.units


def test_constants_rest_on_the_listed_functions():
    # differences.py grants every function it calls as much
    grants = [grant for grant in assumed.GRANTS if grant.name in ("numpy.exp", "numpy.expm1")]
    assert grants and all(grant.units <= differences.FUNCTION for grant in grants)
    # a tail: ndtr or erfc, and an argument of up to 38 deviations that three roundings moved
    tail = max(grant.units for grant in assumed.GRANTS if grant.name == "scipy.special.ndtr")
    assert (tail + 3.0 * 38.0**2) * UNIT <= slot_increments.TAIL


def test_numpy_sums_in_pairs():
    random = np.random.default_rng(5)
    for size in (7, 130, 5000, 10**6):
        terms = random.uniform(0.5, 1.0, size)
        error = abs(float(np.sum(terms)) - math.fsum(terms)) / math.fsum(terms)
        assert error <= (math.log2(size) + 20.0) * UNIT


def test_a_violated_assumption_is_reported(monkeypatch):
    assert assumption_check.violations(8, (96,)) == []
    worse = assumed.Grant("numpy.exp", lambda x: math.exp(x) * (1.0 + 1e-14), -1.0, 1.0, 4.0)
    monkeypatch.setattr(assumed, "GRANTS", (worse,))
    monkeypatch.setattr(fourier, "FFT", 1e-6)
    lines = assumption_check.violations(8, (96,))
    assert len(lines) == 2 and "numpy.exp" in lines[0] and "FFT of 96" in lines[1]
