"""Gaussian random allocation: seconds and widths, beside PLD_accounting.

    python -m pytest tests/benchmarks/test_random_allocation.py --benchmark-only -o addopts="" -s

The peer runs if the environment variable ``PLDCHECK_PLD_ACCOUNTING`` names a Python interpreter that imports
PLD_accounting 2.0 (with numba, without which it is much slower).  Each of its calls is a process of its own, cut after
``LIMIT`` seconds, and timed inside of it without imports and compilation; ``times`` and ``widths`` are its figures over
ours.  It answers 10 % wide unless it is asked for more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from math import inf
from statistics import median
from time import perf_counter

import pytest

from pldcheck.protocols import RandomAllocation

PEER = os.environ.get("PLDCHECK_PLD_ACCOUNTING", "")
# Seconds after which a call of the peer is cut.
LIMIT = 400.0
SIGMAS, STEPS, DELTAS = (0.5, 1.0, 2.0, 4.0), (10, 100, 1000, 10**4, 10**5), (1e-6, 1e-10)
GRID = list(product(STEPS, SIGMAS, DELTAS))
# Relative width asked of one epoch, and what several epochs are at most.
WIDTH, WIDTH_EPOCHS = 1e-4, 0.05


def name_of(value):
    return f"{value:g}" if isinstance(value, float | int) else str(value)


def told(case, **info):
    print(f"{case:44s}", " ".join(f"{name}={value:.7g}" for name, value in info.items()))


def answered(benchmark, case, protocol, delta, rounds=5):
    found = benchmark.pedantic(protocol.epsilon, args=(delta,), rounds=rounds, warmup_rounds=1)
    info = {"lower": found.lower, "upper": found.upper, "width": found.relative_width}
    info["seconds"] = benchmark.stats.stats.median
    benchmark.extra_info.update(info)
    told(case, **info)
    return found


@pytest.mark.parametrize("delta", DELTAS, ids=name_of)
@pytest.mark.parametrize("sigma", SIGMAS, ids=name_of)
@pytest.mark.parametrize("m", STEPS, ids=name_of)
def test_epsilon(benchmark, m, sigma, delta):
    found = answered(benchmark, f"sigma={sigma:g} m={m:g} delta={delta:g}", RandomAllocation(m, sigma), delta)
    assert found.relative_width <= WIDTH


def test_whole_grid(benchmark):
    """All cells once, as a table."""

    def run():
        rows = []
        for m, sigma, delta in GRID:
            start = perf_counter()
            found = RandomAllocation(m, sigma).epsilon(delta)
            rows.append((sigma, m, delta, perf_counter() - start, found))
        return rows

    rows = benchmark.pedantic(run, rounds=1, warmup_rounds=1)
    print()
    for sigma, m, delta, seconds, found in rows:
        print(f"{sigma:4g} {m:8g} {delta:6g} {seconds:8.4f} s {found.relative_width:9.2e} {tuple(found)}")
    total, widest = sum(row[3] for row in rows), max(row[4].relative_width for row in rows)
    benchmark.extra_info.update(total=total, slowest=max(row[3] for row in rows), widest=widest)
    told("the grid", total=total, median=median(row[3] for row in rows), widest=widest)


@pytest.mark.parametrize("delta", [1e-12, 1e-20, 1e-30], ids=name_of)
@pytest.mark.parametrize(("m", "sigma"), [(10, 1.0), (1000, 1.0), (10**5, 4.0), (10**5, 1.0), (1000, 0.5)], ids=name_of)
def test_tiny_delta(benchmark, m, sigma, delta):
    found = answered(benchmark, f"sigma={sigma:g} m={m:g} delta={delta:g}", RandomAllocation(m, sigma), delta)
    assert found.relative_width <= WIDTH


@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
@pytest.mark.parametrize(("m", "sigma"), [(10, 4.0), (1000, 1.0), (10**5, 1.0), (1000, 0.5)], ids=name_of)
def test_adjacency(benchmark, m, sigma, adjacency):
    protocol = RandomAllocation(m, sigma, adjacency=adjacency)
    assert answered(benchmark, f"{adjacency} sigma={sigma:g} m={m:g}", protocol, 1e-6).relative_width <= WIDTH


@pytest.mark.parametrize("epochs", [1, 10, 100, 1000, 10**4])
@pytest.mark.parametrize(("m", "sigma"), [(100, 2.0), (1000, 1.0), (10**4, 1.0), (1000, 0.5)], ids=name_of)
def test_epochs(benchmark, m, sigma, epochs):
    protocol = RandomAllocation(m, sigma, epochs=epochs)
    found = answered(benchmark, f"sigma={sigma:g} m={m:g} epochs={epochs}", protocol, 1e-6, rounds=1)
    assert found.relative_width <= WIDTH_EPOCHS


MEMORY = """
import resource
from pldcheck.protocols import RandomAllocation
RandomAllocation({m}, {sigma}, epochs={epochs}).epsilon(1e-6)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@pytest.mark.parametrize(("m", "sigma", "epochs"), [(10, 4.0, 1), (10**5, 1.0, 1), (10**9, 1.0, 1), (1000, 1.0, 100)])
def test_memory(benchmark, m, sigma, epochs):
    """Peak of a fresh process, its imports and compilation included."""
    code = MEMORY.format(m=m, sigma=sigma, epochs=epochs)
    run = [sys.executable, "-c", code]
    done = benchmark.pedantic(subprocess.run, (run,), {"capture_output": True, "text": True, "check": True}, rounds=1)
    peak = float(done.stdout)
    benchmark.extra_info.update(megabytes=peak)
    told(f"sigma={sigma:g} m={m:g} epochs={epochs}", megabytes=peak, seconds=benchmark.stats.stats.median)
    assert peak <= 1000.0


# A first call compiles.
ASKED = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
from PLD_accounting import gaussian_allocation_epsilon_range as ask
ask(delta=1e-5, sigma=3.0, num_steps=5)
start = time.perf_counter()
upper, lower = ask(**json.loads(sys.argv[1]))
print(json.dumps([float(lower), float(upper), time.perf_counter() - start]))
"""


def peer(**given):
    """(lower, upper, seconds) of the peer; None if it had to be cut, a message if it raised."""
    try:
        done = subprocess.run([PEER, "-c", ASKED, json.dumps(given)], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    return json.loads(done.stdout)


CELLS = [
    *((m, sigma, delta, 1) for m, sigma, delta in GRID),
    *((m, 1.0, delta, 1) for m in (10, 1000) for delta in (1e-12, 1e-20, 1e-30)),
    *((100, sigma, 1e-6, epochs) for sigma in (1.0, 2.0) for epochs in (10, 100)),
]


@pytest.mark.skipif(not PEER, reason="PLDCHECK_PLD_ACCOUNTING names no interpreter with PLD_accounting")
@pytest.mark.parametrize(("m", "sigma", "delta", "epochs"), CELLS, ids=name_of)
def test_peer(benchmark, m, sigma, delta, epochs):
    case = f"sigma={sigma:g} m={m:g} delta={delta:g} epochs={epochs}"
    found = answered(benchmark, case, RandomAllocation(m, sigma, epochs=epochs), delta)
    seconds = benchmark.stats.stats.median
    theirs = peer(sigma=sigma, num_steps=m, delta=delta, num_epochs=epochs)
    if theirs is None:
        benchmark.extra_info.update(times_at_least=LIMIT / seconds)
        told(f"{case}: peer cut after {LIMIT:g} s", times_at_least=LIMIT / seconds)
        return
    if isinstance(theirs, str):
        benchmark.extra_info.update(peer=theirs)
        print(f"{case}: peer raised {theirs}")
        return
    lower, upper, spent = theirs
    width = upper / lower - 1.0 if lower > 0.0 else inf
    info = {"peer_lower": lower, "peer_upper": upper, "peer_width": width, "peer_seconds": spent}
    info |= {"times": spent / seconds, "widths": width / max(found.relative_width, 1e-16)}
    benchmark.extra_info.update(info)
    told("  PLD_accounting", **info)
    assert lower <= found.upper and found.lower <= upper
