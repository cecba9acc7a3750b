"""Composition beside dp_accounting in one run: the same losses, our certified width beside its two estimates.

    python -m pytest tests/benchmarks/test_composition.py --benchmark-only -o addopts=""

Each benchmark's ``extra_info`` has the peer's time and answers, the ratio of the times, and the ratio of ours to the
bare work: the values of the characteristic function that the inversion visits, at the cost of a sine and a cosine each.
"""

from __future__ import annotations

from functools import reduce
from time import perf_counter

import numpy as np
import pytest
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as dpa

from pldcheck import pld
from pldcheck.pld import contour

DELTA = 1e-6


def spread_budgets(count, total=3.0):
    """Budgets whose composition has a standard deviation of about ``total``."""
    rng = np.random.default_rng(count)
    return (rng.uniform(0.5, 1.5, count) * total / np.sqrt(count)).tolist()


def timed(run):
    start = perf_counter()
    answer = run()
    return answer, perf_counter() - start


def bare(visits):
    """Seconds of as many sines and cosines as the inversion takes."""
    angles = np.linspace(0.0, 9.0, 10**6)
    _, seconds = timed(lambda: (np.sin(angles), np.cos(angles)))
    return seconds * visits / angles.size


@pytest.fixture
def visits(monkeypatch):
    """Counts values times nodes of every contour."""
    counted = []
    original = contour._values

    def count(state, h, s):
        counted.append(s.size * max(state.total.size, 1))
        return original(state, h, s)

    monkeypatch.setattr(contour, "_values", count)
    return counted


def report(benchmark, visits, ours, peer=None):
    found = benchmark.pedantic(ours, rounds=5, warmup_rounds=1)
    seconds = benchmark.stats.stats.median
    info = {"lower": found.lower, "upper": found.upper, "width": found.relative_width}
    each = sum(visits) / 6
    if each:
        info["ratio to the bare sines"] = seconds / bare(each)
    if peer:
        (low, high), theirs = timed(peer)
        info |= {"peer optimistic": low, "peer pessimistic": high, "peer seconds": theirs}
        info["times faster"] = theirs / seconds
    benchmark.extra_info.update(info)
    print({name: float(f"{value:.6g}") for name, value in info.items()}, f"seconds={seconds:.4g}")


def both(make, h):
    """The peer's two estimates."""
    return tuple(make(estimate, h).get_epsilon_for_delta(DELTA) for estimate in (False, True))


def responses_of_peer(budgets, h):
    """Heterogeneous randomized responses; the peer has only a pessimistic form of these."""

    def pair(budget):
        p = 1.0 / (1.0 + np.exp(-budget))
        return {0: np.log(p), 1: np.log1p(-p)}, {0: np.log1p(-p), 1: np.log(p)}

    def make(pessimistic, h):
        parts = [
            dpa.from_two_probability_mass_functions(
                *pair(budget)[::-1], pessimistic_estimate=pessimistic, value_discretization_interval=h
            )
            for budget in budgets
        ]
        return reduce(lambda a, b: a.compose(b), parts)

    return lambda: both(make, h)


@pytest.mark.parametrize("count", [100, 1000])
def test_heterogeneous_responses(benchmark, visits, count):
    budgets = spread_budgets(count)

    def ours():
        return pld.compose_all(map(pld.randomized_response, budgets)).epsilon(DELTA)

    report(benchmark, visits, ours, responses_of_peer(budgets, 1e-4))


def test_a_hundred_thousand_responses(benchmark, visits):
    budgets = spread_budgets(10**5)

    def ours():
        return pld.compose_all(map(pld.randomized_response, budgets)).epsilon(DELTA)

    report(benchmark, visits, ours)


@pytest.mark.parametrize("count", [1000, 10**6])
def test_gaussian(benchmark, visits, count):
    sigma = np.sqrt(count) / 2
    make = dpa.from_gaussian_mechanism
    h = 1e-3 if count == 1000 else 1e-4

    def peer():
        return both(
            lambda up, h: make(
                sigma, pessimistic_estimate=up, value_discretization_interval=h, use_connect_dots=up
            ).self_compose(count),
            h,
        )

    report(benchmark, visits, lambda: pld.gaussian(sigma).compose(count).epsilon(DELTA), peer)


@pytest.mark.parametrize("count", [1000, 10**6])
def test_laplace(benchmark, visits, count):
    scale = np.sqrt(count) / 2

    def peer():
        return both(
            lambda up, h: dpa.from_laplace_mechanism(
                scale, pessimistic_estimate=up, value_discretization_interval=h, use_connect_dots=up
            ).self_compose(count),
            1e-4,
        )

    report(benchmark, visits, lambda: pld.laplace(scale).compose(count).epsilon(DELTA), peer)


@pytest.mark.parametrize(("sigma", "rate", "count"), [(1.0, 0.01, 1000), (2.0, 0.01, 10**5), (10.0, 0.01, 10**6)])
def test_subsampled_gaussian(benchmark, visits, sigma, rate, count):
    def peer():
        return both(
            lambda up, h: dpa.from_gaussian_mechanism(
                sigma,
                pessimistic_estimate=up,
                value_discretization_interval=h,
                sampling_prob=rate,
                use_connect_dots=up,
            ).self_compose(count),
            1e-4,
        )

    report(benchmark, visits, lambda: pld.subsampled_gaussian(sigma, rate).compose(count).epsilon(DELTA), peer)


def test_response_of_a_million(benchmark, visits):
    budget = 3e-3

    def peer():
        made = dpa.from_privacy_parameters(common.DifferentialPrivacyParameters(budget, 0.0), 1e-4)
        return (float("nan"), made.self_compose(10**6).get_epsilon_for_delta(DELTA))

    report(benchmark, visits, lambda: pld.randomized_response(budget).compose(10**6).epsilon(DELTA), peer)
