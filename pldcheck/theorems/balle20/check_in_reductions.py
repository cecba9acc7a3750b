r"""Reductions between check-ins, hidden slots, shuffling and swapping; x stands for :math:`e^{\epsilon_0}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, expm1, log1p, sqrt

from ..reduction import Params, Reduction

SCENES: Mapping[str, str] = {
    "thm-A.5": "binned-swap",
    "thm-A.5-approx": "binned-swap",
    "thm-A.5-approx-printed": "binned-swap",
    "cor-3.3": "repeated-check-in",
    "cor-3.3-printed": "repeated-check-in",
}


def _one_step(weight: Callable[[Params], float]) -> Callable[[Params], dict[str, float]]:
    return lambda params: {"steps": 1, "eps0": log1p(weight(params) * expm1(params["eps0"]))}


def _clients(params: Params) -> dict[str, float]:
    return {"clients": params["clients"], "eps0": params["eps0"]}


REDUCTIONS = (
    Reduction(
        "check-in",
        "hidden-slot",
        lambda params: {"steps": params["steps"], "eps0": params["eps0"], "weight": params["check_in_prob"]},
        "given the other check-ins, the record is in a hidden slot and used with probability at most p0",
        statement="check-in-slot",
    ),
    Reduction(
        "hidden-slot",
        "check-in",
        lambda params: {"steps": params["steps"], "eps0": params["eps0"], "check_in_prob": params["weight"]},
        "a bound for any number of clients holds for one, whose check-in is a hidden slot",
    ),
    Reduction(
        "sliding-window",
        "hidden-slot",
        lambda params: {"steps": params["window"], "eps0": params["eps0"], "weight": 1.0},
        "given the other check-ins, the record is in a hidden slot of its window",
        statement="sliding-window-slot",
    ),
    Reduction(
        "hidden-slot",
        "shuffle",
        lambda params: {"clients": params["steps"], "eps0": params["eps0"]},
        "a record used less often reveals less, and shuffling with all others known is a hidden slot of weight 1",
    ),
    Reduction(
        "shuffle",
        "swap",
        _clients,
        "given the order of the others, shuffling is a random swap",
        statement="shuffle-by-swaps",
    ),
    Reduction(
        "averaged",
        "shuffle",
        _clients,
        "averages over bins are a function of the shuffled answers",
        statement="averaged-shuffle",
    ),
    Reduction(
        "binned-swap",
        "swap",
        _clients,
        "averages over bins are a function of the swapped answers",
    ),
    Reduction(
        "swap",
        "binned-swap",
        lambda params: {**_clients(params), "bin_norm": sqrt(params["clients"])},
        "swapping is swapping into bins of one client",
    ),
    Reduction(
        "hidden-slot",
        "decaying-budgets",
        lambda params: {
            "steps": params["steps"],
            "first": params["weight"] * expm1(params["eps0"]),
            "decay": -params["weight"] * expm1(-params["eps0"]),
        },
        "the posterior of slot i is at most 1/(m - w(1 - 1/x)(i-1)), so its step is log(1 + w(x-1) times that)-DP",
        pure=True,
    ),
    Reduction(
        "swap",
        "decaying-budgets",
        lambda params: {
            "steps": params["clients"],
            "first": exp(params["eps0"]) * expm1(params["eps0"]),
            "decay": -expm1(-params["eps0"]),
        },
        "the posterior of place i is at most x/(n - (1 - 1/x)(i-1)), so its step is log(1 + (x-1) times that)-DP",
        pure=True,
    ),
    Reduction(
        "hidden-slot",
        "randomized-response",
        _one_step(lambda params: params["weight"]),
        "one randomizer sees the record, with probability w: log(1 + w(x-1))-DP",
        pure=True,
    ),
    Reduction(
        "swap",
        "randomized-response",
        _one_step(lambda params: 1.0),
        "one randomizer sees the record: eps0-DP",
        pure=True,
    ),
)
