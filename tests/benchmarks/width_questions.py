"""The questions whose widths are measured: known randomizers, shuffles and swaps over sizes, budgets and deltas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

# Budgets, and deltas of everyday and in far tails.
EPS0 = (0.1, 1.0, 5.0)
DELTAS = (1e-6, 1e-12)
STEPS = (1, 10, 100, 10_000, 1_000_000)
EPOCHS = (10, 1_000)
CLIENTS = (30, 1_000, 100_000, 10**9)
# Tables by the names of their files, with the probabilities of outputs, an input a line.
TABLES = {
    "two-inputs.csv": "0.75,0.25\n0.5,0.5\n",
    "four-outputs.csv": "0.4,0.3,0.2,0.1\n0.1,0.2,0.3,0.4\n0.25,0.25,0.25,0.25\n",
}
RESPONSES = ("rr", "krr:3", "krr:10")
BALLS = ("gaussian:0.2", "gaussian:0.65", "gaussian:1", "gaussian:3", "gaussian:10")


@dataclass(frozen=True)
class WidthQuestion:
    """One question for epsilon(delta); ``group`` is a line of the map and ``size`` its place there.

    ``aim`` is the largest relative width that is wanted, and ``seconds`` the longest time.
    """

    group: str
    protocol: str
    params: Mapping[str, Any]
    size: int
    delta: float
    aim: float
    seconds: float


def questions(quick: bool) -> list[WidthQuestion]:
    """Return all questions, or every 17th."""
    each = [*_slots(), *_balls(), *_epochs(), *_shuffles(), *_others()]
    return each[::17] if quick else each


def _slots() -> Iterator[WidthQuestion]:
    for randomizer, m, eps0, delta in product((*RESPONSES, "laplace"), STEPS, EPS0, DELTAS):
        params = {"steps": m, "eps0": eps0, "randomizer": randomizer}
        yield WidthQuestion(f"hidden slot, {randomizer}", "hidden-slot", params, m, delta, 0.01, 1.0)
    for name, m, weight, delta in product(TABLES, STEPS, (1.0, 0.3), DELTAS):
        params = {"steps": m, "weight": weight, "randomizer": f"table:{name}"}
        yield WidthQuestion(f"hidden slot, table of {name}", "hidden-slot", params, m, delta, 0.01, 1.0)


def _balls() -> Iterator[WidthQuestion]:
    for randomizer, m, delta in product(BALLS, STEPS, DELTAS):
        params = {"steps": m, "randomizer": randomizer}
        yield WidthQuestion(f"hidden slot in a ball, {randomizer}", "hidden-slot", params, m, delta, 0.01, 3.0)


def _epochs() -> Iterator[WidthQuestion]:
    for randomizer, m, epochs, delta in product(("rr", "krr:10", "laplace"), (10, 1_000, 100_000), EPOCHS, DELTAS[:1]):
        params = {"steps": m, "eps0": 1.0, "randomizer": randomizer, "epochs": epochs}
        yield WidthQuestion(f"{epochs} epochs, {randomizer}", "hidden-slot", params, m, delta, 0.02, 5.0)
    for m, epochs, delta in product((10, 1_000, 100_000), EPOCHS, DELTAS[:1]):
        params = {"steps": m, "randomizer": "table:four-outputs.csv", "epochs": epochs}
        yield WidthQuestion(f"{epochs} epochs, table of four-outputs.csv", "hidden-slot", params, m, delta, 0.02, 5.0)


def _shuffles() -> Iterator[WidthQuestion]:
    for randomizer, n, eps0, delta in product(("laplace", "krr:10", "tv:0.2"), CLIENTS, EPS0, DELTAS):
        if randomizer == "tv:0.2" and eps0 == 0.1:  # the total variation of two of its laws is at most 0.05
            continue
        params = {"clients": n, "eps0": eps0, "randomizer": randomizer}
        aim = 0.02 if n >= 1_000 else 0.05
        yield WidthQuestion(f"shuffle, {randomizer}", "shuffle", params, n, delta, aim, 5.0)
    for name, n, delta in product(TABLES, CLIENTS, DELTAS):
        params = {"clients": n, "eps0": 2.0, "randomizer": f"table:{name}"}
        aim = 0.02 if n >= 1_000 else 0.05
        yield WidthQuestion(f"shuffle, table of {name}", "shuffle", params, n, delta, aim, 5.0)
    for n, eps0, delta in product((100, 10_000, 10**6, 10**9, 10**12), (*EPS0, 8.0), DELTAS):
        params = {"clients": n, "eps0": eps0, "randomizer": "rr"}
        yield WidthQuestion("shuffle, rr", "shuffle", params, n, delta, 0.002, 5.0)


def _others() -> Iterator[WidthQuestion]:
    for n, eps0, delta in product((10, 100, 1_000, 100_000, 10**6), (*EPS0, 8.0), DELTAS):
        yield WidthQuestion("swap", "swap", {"clients": n, "eps0": eps0}, n, delta, 0.03, 5.0)
    for n, eps0, delta in product((30, 100, 300, 1_000, 3_000), EPS0, DELTAS):
        yield WidthQuestion("shuffle, worst", "shuffle", {"clients": n, "eps0": eps0}, n, delta, 0.05, 5.0)
    for m, eps0, delta0, delta in product((2, 6, 20, 60), EPS0, (1e-8, 1e-5), DELTAS[:1]):
        params = {"steps": m, "eps0": eps0, "delta0": delta0}
        yield WidthQuestion(f"hidden slot, delta0 {delta0:g}", "hidden-slot", params, m, delta, 0.02, 5.0)
    for m, n, eps0, delta in product((2, 5, 10), (2, 5, 10), EPS0, DELTAS[:1]):
        params = {"steps": m, "eps0": eps0, "clients": n}
        yield WidthQuestion(f"check-in, {n} clients", "check-in", params, m, delta, 0.05, 5.0)
