"""Shuffling: pairs at any size, beside the sweep they cannot do without and beside the published codes.

    python -m pytest tests/benchmarks/test_shuffle.py --benchmark-only -o addopts="" -s

``ratio``: the time of one epsilon, both ends certified, over that of two sweeps over the counts at the answer, one for
each end (a single one where epsilon is 0); ``sweeps``: how many it took.  Widths of whole protocols contain the
distance between the pair that dominates and those that are attained, which no arithmetic closes.

Peers run if the environment variable ``PLDCHECK_PEERS`` names a folder with their checkouts, under the names of the
repositories, each in its own words and unmodified; ``faster`` is their time over ours for the same pair:

* apple/ml-shuffling-amplification, the clones, bisection in 20 steps over blocks of ``step`` counts (its lower bound is
  the right end of the bisection, so it may exceed the truth);
* wangsw/PrivacyAmplification, both pairs as variation-ratio reductions, bisection in 20 steps;
* DPBayes/numerical-shuffler-experiments, the stronger clones on a grid of 10^7 losses, from above only (it tabulates
  delta; the search for epsilon is added here);
* Optimal-amplification-bound/Decomposition-Based-Optimal-Bounds-for-Shuffle-DP, numpy in place of cupy, binary
  randomized response, whose blanket is the stronger clones (its clones are another pair; at eps0 = 3 it takes minutes);
* BorjaBalle/amplification-by-shuffling, Bennett's inequality for the same blanket, from above only.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from math import exp, inf, isnan, nan
from multiprocessing import TimeoutError, get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import bisect

from pldcheck.protocols.shuffle import Shuffle
from pldcheck.protocols.swap import Swap
from pldcheck.shuffle import pair as pairs
from pldcheck.shuffle import rounds

FOLDER = os.environ.get("PLDCHECK_PEERS", "")
# Seconds after which a peer is cut.
LIMIT = 60.0
DELTAS = (1e-6, 1e-8)
BUDGETS = (1.0, 3.0)
# Timings of one answer, of which the median counts; five times as many up to MANY clients.
REPEATS, MANY = 5, 1e6


def timed(run):
    start = perf_counter()
    answer = run()
    return answer, perf_counter() - start


def relative(lower, upper):
    if upper == 0.0:
        return 0.0
    return upper / lower - 1.0 if lower > 0.0 else inf


def told(case, **info):
    print(f"{case:46s}", " ".join(f"{name}={value:.6g}" for name, value in info.items()))


def name_of(value):
    return value.__name__ if callable(value) else f"{value:g}" if isinstance(value, float) else str(value)


# --- one epsilon of a pair ---


@pytest.fixture
def sweeps(monkeypatch):
    """Arguments of every sweep over the counts."""
    seen = []
    original = pairs.thinned_tails

    def remember(*arguments):
        seen.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(pairs, "thinned_tails", remember)
    yield seen
    seen.clear()


def bare(arguments):
    """Seconds of one sweep, with everything it needs already known."""
    sweep = pairs.thinned_tails
    return median(timed(lambda: sweep(*arguments))[1] for _ in range(4 * REPEATS + 1))


@pytest.mark.parametrize("delta", DELTAS, ids=name_of)
@pytest.mark.parametrize("eps0", BUDGETS, ids=name_of)
@pytest.mark.parametrize("n", [1e3, 1e4, 1e5, 1e6, 1e8, 1e10, 1e12], ids=name_of)
@pytest.mark.parametrize("make", [pairs.clones, pairs.stronger_clones], ids=name_of)
def test_pair(benchmark, sweeps, make, n, eps0, delta):
    pair = make(int(n), eps0)
    repeats = REPEATS if n > MANY else 5 * REPEATS
    low, high, _ = benchmark.pedantic(pair.epsilon, args=(delta,), rounds=repeats, warmup_rounds=1)
    seconds, needed = benchmark.stats.stats.median, len(sweeps) / (repeats + 1)
    limit = (2.0 if high > 0.0 else 1.0) * bare(sweeps[-1])
    info = {"seconds": seconds, "width": relative(low, high), "sweeps": needed, "ratio": seconds / limit}
    benchmark.extra_info.update(info, lower=low, upper=high)
    told(f"{make.__name__} n={n:g} eps0={eps0:g} delta={delta:g}", epsilon=high, **info)


# --- whole protocols ---


def protocol(benchmark, case, ask, setup=None):
    found = benchmark.pedantic(ask, setup=setup, rounds=3, warmup_rounds=1)
    info = {"seconds": benchmark.stats.stats.median, "width": found.relative_width}
    benchmark.extra_info.update(info, lower=found.lower, upper=found.upper, sources=found.sources)
    told(case, lower=found.lower, upper=found.upper, **info)


@pytest.mark.parametrize(("n", "count"), [(1e6, 1e2), (1e6, 1e4), (1e6, 1e6), (1e7, 1e4)], ids=name_of)
def test_rounds(benchmark, n, count):
    """The losses of a pair are kept between questions: forgotten here, so each is the first one."""
    shuffle = Shuffle(int(n), 3.0, rounds=int(count))
    case = f"Shuffle n={n:g} eps0=3 rounds={count:g} delta=1e-08"
    protocol(benchmark, case, lambda: shuffle.epsilon(1e-8), rounds._loss.cache_clear)


@pytest.mark.parametrize("eps0", BUDGETS, ids=name_of)
@pytest.mark.parametrize("randomizer", ["worst", "krr:3", "krr:10", "laplace"])
def test_randomizer(benchmark, randomizer, eps0):
    shuffle = Shuffle(10**4, eps0, randomizer)
    protocol(benchmark, f"Shuffle {randomizer} n=10000 eps0={eps0:g} delta=1e-08", lambda: shuffle.epsilon(1e-8))


@pytest.mark.parametrize("eps0", BUDGETS, ids=name_of)
def test_swap(benchmark, eps0):
    swap = Swap(10**4, eps0)
    protocol(benchmark, f"Swap n=10000 eps0={eps0:g} delta=1e-08", lambda: swap.epsilon(1e-8))


# --- peers: each takes (n, eps0, delta) and answers (lower, upper), nan where it has no such end ---


@cache
def published(path: str) -> ModuleType:
    """A peer's file as a module: what it imports and defines, without what it runs as a script."""
    tree = ast.parse((Path(FOLDER) / path).read_text(encoding="utf-8"))
    tree.body = [
        node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)
    ]
    module = ModuleType(Path(path).stem)
    exec(compile(tree, path, "exec"), module.__dict__)
    return module


def apple(n, eps0, delta, step):
    ask = published("ml-shuffling-amplification/computeamplification.py").numericalanalysis
    return lambda: tuple(ask(n, eps0, delta, 20, step, upper) for upper in (False, True))


def wangsw(n, eps0, delta, share):
    """``share``: W(up) = W(down), from e^eps0."""
    code, x = published("PrivacyAmplification/unifiedamplification.py"), exp(eps0)
    given = (x, 1.0 / (x + 1.0), share(x), share(x), n, delta, 20)
    return lambda: (code.amplificationLBCore(*given), code.amplificationUBCore(*given))


def dpbayes(n, eps0, delta):
    code = published("numerical-shuffler-experiments/clones_comparison_fig1/delta_shuffler_fa.py")

    def ask():
        masses, losses, _ = code.get_omega(n, 1, eps0, 10**7, 20)
        kept = (losses > 0.0) & (masses > 0.0)
        masses, losses = masses[kept], losses[kept]
        end = bisect(lambda e: masses @ np.maximum(-np.expm1(e - losses), 0.0) - delta, 0.0, eps0, xtol=1e-9)
        return nan, end + 1e-9

    return ask


def decomposition(n, eps0, delta):
    sys.modules["cupy"] = np
    folder = "Decomposition-Based-Optimal-Bounds-for-Shuffle-DP"
    code, response = published(f"{folder}/amplification_bounds.py"), published(f"{folder}/mechanisms.py").RRMechanism
    bounds = [make(response(eps0, 2)) for make in (code.FFTLowerBound, code.FFTbound)]
    return lambda: tuple(bound.get_eps(eps0, n, delta) for bound in bounds)


def bennett(n, eps0, delta):
    folder = "amplification-by-shuffling/shuffleddp"
    code, response = published(f"{folder}/amplification_bounds.py"), published(f"{folder}/mechanisms.py").RRMechanism
    return lambda: (nan, code.BennettExact(response(eps0=eps0, k=2)).get_eps(eps0, n, delta))


class Peer(NamedTuple):
    """Which pair it is about, how it is called, on which cells, and whether its lower end claims to be one."""

    pair: Callable[[int, float], pairs.Pair]
    prepare: Callable[..., Callable[[], tuple[float, float]]]
    sizes: tuple[float, ...]
    lower_holds: bool = True
    deltas: tuple[float, ...] = DELTAS
    budgets: tuple[float, ...] = BUDGETS


USUAL = (1e3, 1e4, 1e5)
PEERS = {
    "apple step=100": Peer(pairs.clones, partial(apple, step=100), USUAL, lower_holds=False),
    "apple step=10": Peer(pairs.clones, partial(apple, step=10), USUAL, lower_holds=False),
    "wangsw clones": Peer(pairs.clones, partial(wangsw, share=lambda x: 0.5 / x), USUAL[:2]),
    "wangsw stronger": Peer(pairs.stronger_clones, partial(wangsw, share=lambda x: 1.0 / (x + 1.0)), USUAL),
    "dpbayes": Peer(pairs.stronger_clones, dpbayes, USUAL[:2], deltas=DELTAS[:1]),
    "decomposition": Peer(pairs.stronger_clones, decomposition, USUAL[:1], deltas=DELTAS[:1], budgets=BUDGETS[:1]),
    "bennett": Peer(pairs.stronger_clones, bennett, USUAL),
}
CELLS = [(name, *cell) for name, peer in PEERS.items() for cell in product(peer.sizes, peer.budgets, peer.deltas)]


def asked(name, n, eps0, delta):
    """A peer's (lower, upper) and its seconds, without those of its imports."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        (lower, upper), seconds = timed(PEERS[name].prepare(n, eps0, delta))
    return float(lower), float(upper), seconds


@pytest.fixture(scope="module")
def within_limit():
    """``asked`` in a process of its own; None if that had to be cut."""
    workers = []

    def run(*cell):
        if not workers:
            workers.append(get_context("spawn").Pool(1))
        try:
            return workers[-1].apply_async(asked, cell).get(LIMIT)
        except TimeoutError:
            stop()
            return None

    def stop():
        worker = workers.pop()
        worker.terminate()
        worker.join()

    yield run
    if workers:
        stop()


@pytest.mark.skipif(not FOLDER, reason="PLDCHECK_PEERS names no folder with checkouts of the published codes")
@pytest.mark.parametrize(("name", "n", "eps0", "delta"), CELLS, ids=name_of)
def test_peer(benchmark, within_limit, name, n, eps0, delta):
    peer = PEERS[name]
    pair = peer.pair(int(n), eps0)
    low, high, _ = benchmark.pedantic(pair.epsilon, args=(delta,), rounds=5 * REPEATS, warmup_rounds=1)
    seconds = benchmark.stats.stats.median
    ours = {"lower": low, "upper": high, "width": relative(low, high), "seconds": seconds}
    case = f"{name} n={n:g} eps0={eps0:g} delta={delta:g}"
    found = within_limit(name, int(n), eps0, delta)
    if found is None:
        info = ours | {"faster_at_least": LIMIT / seconds}
        benchmark.extra_info.update(info)
        told(f"{case}: cut after {LIMIT:g} s", **info)
        return
    lower, upper, theirs = found
    # Where they have no lower end: how far the upper one is from the truth.
    width = relative(low if isnan(lower) else lower, upper)
    info = {"peer_lower": lower, "peer_upper": upper, "peer_width": width, "peer_seconds": theirs}
    info |= ours | {"faster": theirs / seconds}
    benchmark.extra_info.update(info)
    told(case, **info)
    assert low <= upper
    assert isnan(lower) or not peer.lower_holds or lower <= high
