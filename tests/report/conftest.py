"""Runs that look like real ones, made without an engine."""

import math

import pytest

from pldcheck.core.interval import ErrorBudget, Interval
from pldcheck.protocols import HiddenSlot
from pldcheck.report.run_figures import render
from pldcheck.verification import verify


def plausible(slot, delta, width=0.005):
    """Return values of the size and shape of the truth: capped for few steps, zero for many."""
    at_zero = slot.weight * -math.expm1(-slot.eps0) / math.sqrt(math.pi * slot.steps)
    if delta >= at_zero:
        return Interval(0.0, 0.0)
    cap = math.log1p(slot.weight * math.expm1(slot.eps0))
    growth = slot.weight * 2 * math.sinh(slot.eps0 / 2)
    lower = min(0.98 * cap, growth * math.sqrt(2 * math.log(at_zero / delta) / slot.steps))
    return Interval(lower, lower * (1 + width), budget=ErrorBudget(delta * width, 0.0, 0.0))


@pytest.fixture(scope="session")
def quick_run():
    """Return a quick run of the paper suite, which is made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HiddenSlot, "epsilon", plausible)
        return verify(quick=True)


@pytest.fixture(scope="session")
def drawn(quick_run):
    """Return the files of its figures, which are drawn once."""
    return render(quick_run)


@pytest.fixture
def report(quick_run, monkeypatch):
    """Return the quick run; others are made without an engine as well."""
    monkeypatch.setattr(HiddenSlot, "epsilon", plausible)
    return quick_run
