"""Settings of hypothesis and of processes, and the rule for nightly tests, which all tests share."""

import gc
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import settings

from .default_set import cases_by_default, is_named, long_cases
from .mutants.mutant import all_mutants
from .quicker_processes import compile_kernels_once, search_less_for_garbage

# The engine compiles on first use and CI machines are noisy: no deadlines.  Derandomised: a failure repeats.
settings.register_profile("pldcheck", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("pldcheck")
search_less_for_garbage()
compile_kernels_once()


@pytest.fixture(autouse=True)
def digits_of_mpmath():
    """Give the next test back the digits that this one may change."""
    with mpmath.workdps(mpmath.mp.dps):
        yield


# The generators of modules, by their identity, and the states in which their imports left them.
GENERATORS: dict[int, tuple[Any, Any]] = {}


@pytest.fixture(autouse=True)
def draws_of_a_module(request):
    """Give every test the generators of its module as the import left them: it draws the same in any order."""
    module = getattr(request, "module", None)
    for value in list(vars(module).values()) if module else ():
        if type(value) is Random:
            value.setstate(GENERATORS.setdefault(id(value), (value, value.getstate()))[1])
        elif isinstance(value, np.random.Generator):
            bits = value.bit_generator
            bits.state = GENERATORS.setdefault(id(value), (value, bits.state))[1]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark as nightly what ``tests/default_set.py`` says, and leave it out where no ``-m`` asks for anything else."""
    long = long_cases()
    for item in items:
        if item.nodeid in long:
            item.add_marker("long")
        if item.get_closest_marker("long"):
            item.add_marker("nightly")
    candidates = [item for item in items if not item.get_closest_marker("nightly")]
    noticing = {test for mutant in all_mutants() for test in mutant.tests}
    default = cases_by_default((item.nodeid for item in candidates), noticing)
    for item in candidates:
        if item.nodeid not in default:
            item.add_marker("nightly")
    if config.option.markexpr:
        return
    default_items, left_out = [], []
    for item in items:
        is_selected = is_named(item.nodeid, item.path, config.args, config.invocation_params.dir)
        (left_out if item.get_closest_marker("nightly") and not is_selected else default_items).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = default_items


def pytest_collection_finish():
    """Search no more for garbage among the tests, of which there are thousands."""
    gc.freeze()
