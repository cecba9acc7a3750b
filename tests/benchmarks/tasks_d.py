"""(d) Composition: heterogeneous randomized responses, and the same mechanism a million times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import limits
from .case import Case, Question

HETEROGENEOUS = "heterogeneous responses"
FEW = "heterogeneous, a hundred"
SELF = "self-composition"
DELTA = 1e-6
# Standard deviation of the sum, about.
TOTAL = 3.0
# Up to so many the sum is far from smooth; nothing is aimed at.
FEWEST = 100
MANY = 10**6
# Mechanism, params, steps: noise that gives an epsilon of a few, and settings of DP-SGD.
MECHANISMS: tuple[tuple[str, dict[str, float], int], ...] = (
    ("gaussian", {"sigma": 500.0}, MANY),
    ("laplace", {"scale": 500.0}, MANY),
    ("randomized-response", {"eps0": 3e-3}, MANY),
    ("subsampled-gaussian", {"sigma": 1.0, "rate": 0.01}, 1000),
    ("subsampled-gaussian", {"sigma": 2.0, "rate": 0.01}, 10**5),
    ("subsampled-gaussian", {"sigma": 10.0, "rate": 0.01}, MANY),
)
SELF_PEERS = ("dp_accounting", "dp_accounting:both", "prv", "autodp", "opendp")
PEERS = ("dp_accounting", "prv", "autodp:fourier", "opendp")
# Rényi and concentrated composition: formulas, far above the truth or for few mechanisms; shown, and not aimed at.
FORMULAS = ("autodp", "opendp")


def cases(quick: bool) -> list[Case]:
    """Lists of budgets, as an array and as objects; then self-compositions."""
    if quick:
        return [responses(30, "array"), compose_mechanism(*MECHANISMS[3])]
    lists = [responses(count, form) for count in (100, 1000, 10**5) for form in ("array", "objects")]
    return [*lists, responses(MANY, "array")] + [compose_mechanism(*one) for one in MECHANISMS]


def responses(count: int, form: str) -> Case:
    """Return a case of randomized responses, no two alike; the peers are asked beside the array, and not about a
    million.
    """
    peers = tuple(Question(peer, {"responses": count, "delta": DELTA}) for peer in PEERS if count < MANY)
    name = f"{count:.0e} responses as {form} delta={DELTA:g}"
    group = FEW if count <= FEWEST else HETEROGENEOUS
    return Case("d", group, name, {"count": count, "given": form}, peers if form == "array" else ())


def compose_mechanism(name: str, params: Mapping[str, float], steps: int) -> Case:
    """Return the case of one mechanism many times."""
    protocol = {"name": name, "params": {**params, "steps": steps}, "delta": DELTA}
    params_text = " ".join(f"{key}={value:g}" for key, value in params.items())
    peers = tuple(Question(peer, protocol) for peer in SELF_PEERS)
    return Case("d", SELF, f"{name} {params_text} k={steps:.0e} delta={DELTA:g}", {"name": name, **protocol}, peers)


def budgets(count: int) -> list[float]:
    """Return budgets drawn between 0.5 and 1.5 of their mean; the same every time."""
    import random

    source = random.Random(count)
    return [source.uniform(0.5, 1.5) * TOTAL / count**0.5 for _ in range(count)]


def ours(params: Mapping[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], limits.Limit | None]]:
    """Return what is run, and its limit."""
    import numpy as np

    from pldcheck import pld
    from pldcheck.protocols import PROTOCOLS

    delta = params.get("delta", DELTA)
    if "count" in params:
        list_of_budgets = budgets(params["count"])
        if params["given"] == "array":
            array = np.array(list_of_budgets)

            def run() -> Any:
                return pld.randomized_responses(array).epsilon(delta)
        else:

            def run() -> Any:
                return pld.compose_all(map(pld.randomized_response, list_of_budgets)).epsilon(delta)
    else:
        protocol = PROTOCOLS[params["name"]](**params["params"])

        def run() -> Any:
            return protocol.epsilon(delta)

    return run, lambda answer: limit(run)


def limit(run: Callable[[], Any]) -> limits.Limit | None:
    """Return the limit: one contour for each law inverted, a sine and a cosine for each pair of values visited at each
    node.

    Two values, those of a response, are one pair.  Of responses that are not visited one by one: their power sums, a
    product and an addition each.  A node without values costs one exponential.
    """
    from pldcheck.pld import loss_inversion

    totals: list[Any] = []
    visits: list[tuple[float, float, float]] = []  # nodes, pairs of values visited, and powers, by law

    def see(result: object, state: Any, h: float, s: Any) -> None:
        total = state.total
        parts = total.offsets.size - 1
        pairs = parts if total.losses.size == 2 * parts else total.losses.size
        pairs = float(s.size) * (pairs + 8 * total.laplace.size)
        pairs += sum(rung.eps0.size * rung.beyond(state.theta, s) for rung in total.rungs)
        nearest = [rung for rung in total.rungs if rung.reach(state.theta) >= 0.0]
        powers = sum(rung.eps0.size * rung.terms(abs(complex(state.theta + 0.5, s[-1]))) for rung in nearest)
        sizes = (float(s.size), float(pairs), float(powers))
        position = next((at for at, one in enumerate(totals) if one is total), None)
        if position is None:
            totals.append(total)
            visits.append(sizes)
        else:
            visits[position] = max(visits[position], sizes)

    with limits.watch(loss_inversion, "_values", see):
        run()
    nodes, pairs, powers = (sum(column) for column in zip(*visits, strict=True)) if visits else (0.0, 0.0, 0.0)
    if pairs > powers:
        return limits.sines(pairs)
    if powers > nodes:
        return _powers(powers)
    return limits.exponentials(nodes) if nodes > 0.0 else None


def _powers(count: float) -> limits.Limit:
    """Return the limit of so many powers of numbers, each added up."""
    import numpy as np

    block = np.linspace(1.0 - 2.0**-20, 1.0, 2**14)  # in the cache, and its powers are no subnormal numbers
    power, times = block.copy(), max(round(count / block.size), 1)

    def bare() -> None:
        for _ in range(times):
            np.multiply(power, block, out=power)
            power.sum()

    return limits.Limit("powers added", count, 16.0 * count, bare, times * block.size / count)
