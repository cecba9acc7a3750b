"""Warm times of one answer, beside the bare sweep it cannot do without.

    python -m pytest tests/benchmarks --benchmark-only -o addopts=""

``ratio`` in the extra columns is the time over that of the node-steps of one recursion (7 reads, 14 products a node),
measured in the same run: one certified evaluation cannot be cheaper than one recursion of its block.
"""

from time import perf_counter

import numpy as np
import pytest

from pldcheck import HiddenSlot
from pldcheck.kernels.minimax import potential
from pldcheck.laws import Steps
from pldcheck.minimax import bracket, upper

CASES = [
    (10, 1.0, 1.0, 1e-6),
    (60, 1.0, 1.0, 1e-6),
    (1000, 1.0, 1.0, 1e-6),
    (10**4, 1.0, 1.0, 1e-6),
    (10**4, 4.0, 1.0, 1e-6),
    (10**6, 1.0, 0.1, 1e-12),
    (10**9, 1.0, 1.0, 1e-6),
    (10**9, 1.0, 1.0, 1e-100),
    (10**12, 1.0, 1.0, 1e-12),
]


def bare_recursion(m, eps0, weight, epsilon):
    """Seconds of one recursion of the first plan's block, with the windows already known."""
    plan = next(bracket._plans(m, 0.005))
    block = min(m, plan.block)
    steps = Steps(eps0, epsilon)
    step = plan.grid * steps.deviation
    shifts, fractions = upper.moves(steps.values, step)
    edge = (6.0 * np.sqrt(np.arange(block + 1)) / plan.grid).astype(np.int64) + 2
    none = np.zeros(0, np.int64)
    times = []
    for _ in range(5):
        start = perf_counter()
        potential(shifts, fractions, *steps.probabilities, -edge, edge, none, none, 0, 1)
        times.append(perf_counter() - start)
    return sorted(times)[2]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"m={case[0]:.0e} eps0={case[1]:g} w={case[2]:g} delta={case[3]:g}"
)
def test_epsilon(benchmark, case):
    m, eps0, weight, delta = case
    slot = HiddenSlot(m, eps0, weight)
    answer = slot.epsilon(delta)  # compiles
    benchmark.pedantic(slot.epsilon, args=(delta,), rounds=7, iterations=1)
    benchmark.extra_info["relative_width"] = answer.relative_width
    if m > 60:
        benchmark.extra_info["ratio"] = benchmark.stats.stats.median / bare_recursion(m, eps0, weight, answer.upper)
