r"""Reductions between what theorems are stated for: whatever bounds the general one bounds the special one too.

A scene is a protocol, where need be of one kind.  Each reduction maps the parameters of the special scene to those of
the general one; x stands for :math:`e^{\epsilon_0}`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, expm1, log1p, sqrt

from ..theorems import Theorem

Params = Mapping[str, float]

# Theorems on a part of what their protocol is, or on more.
SCENES: Mapping[str, str] = {
    "thm-A.5": "binned-swap",
    "cor-3.3": "repeated-check-in",
    "girgis-ub1": "shuffle-fixed",
    "girgis-ub2": "shuffle-fixed",
    "girgis-lb": "shuffle-fixed",
    "vr-wang": "shuffle-tv",
    "krr-merged": "shuffle-krr",
    "chen-gdp": "shuffle-many",
}


def scene(theorem: Theorem) -> str:
    """What a theorem is stated for."""
    return SCENES.get(theorem.id, theorem.protocol)


@dataclass(frozen=True)
class Reduction:
    r"""``special`` at some parameters is at most as revealing as ``general`` at ``mapped`` ones.

    ``mapped`` gives all parameters of the general scene; :math:`\delta`, :math:`\epsilon`, an order and what is slack
    go over as they are.  ``pure``: for :math:`\epsilon_0`-DP randomizers only.
    """

    special: str
    general: str
    mapped: Callable[[Params], dict[str, float]]
    reason: str
    pure: bool = False


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
    ),
    Reduction(
        "hidden-slot",
        "shuffle",
        lambda params: {"clients": params["steps"], "eps0": params["eps0"]},
        "a record used less often tells less, and shuffling with all others known is a hidden slot of weight 1",
    ),
    Reduction("shuffle", "swap", _clients, "given the order of the others, shuffling is a random swap"),
    Reduction("averaged", "shuffle", _clients, "averages over bins are made from shuffled answers"),
    Reduction(
        "binned-swap",
        "swap",
        _clients,
        "averages over bins are made from swapped answers",
    ),
    Reduction(
        "swap",
        "binned-swap",
        lambda params: {**_clients(params), "bin_norm": sqrt(params["clients"])},
        "swapping is swapping into bins of one",
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
    Reduction(
        "laplace",
        "randomized-response",
        lambda params: {"steps": params["steps"], "eps0": 1 / params["scale"]},
        "Laplace noise is 1/scale-DP, and randomized response dominates",
    ),
    Reduction(
        "gaussian",
        "subsampled-gaussian",
        lambda params: {"sigma": params["sigma"] / sqrt(params.get("steps", 1)), "rate": 1.0},
        "k releases of Gaussian noise are one with sigma / sqrt(k)",
    ),
    Reduction(
        "subsampled-gaussian",
        "gaussian",
        lambda params: {"sigma": params["sigma"], "steps": 1},
        "a record that is sampled tells at most what one that is always used tells",
    ),
)


def reached(start: str) -> dict[str, tuple[Reduction, ...]]:
    """The scenes whose bounds hold for this one, each with a shortest chain of reductions to it."""
    found: dict[str, tuple[Reduction, ...]] = {start: ()}
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        for reduction in REDUCTIONS:
            if reduction.special == place and reduction.general not in found:
                found[reduction.general] = (*found[place], reduction)
                waiting.append(reduction.general)
    return found
