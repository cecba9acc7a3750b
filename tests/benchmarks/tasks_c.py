"""(c) Shuffling: the two pairs of clones beside the published codes, and whole protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from . import limits
from .case import Case, Question

CLONES = "clones"
STRONGER = "stronger clones"
WHOLE = "shuffle, any randomizer"
DELTA = 1e-6
BUDGETS = (1.0, 3.0)
SIZES = (1e3, 1e4, 1e5)
ALONE = (1e6, 1e8, 1e10, 1e12)
# Which codes are about which pair, and up to which size they are asked.
CODES = {
    CLONES: (("apple step=100", 1e5), ("apple step=10", 1e5), ("wangsw clones", 1e4)),
    STRONGER: (("wangsw stronger", 1e5), ("dpbayes", 1e4), ("decomposition", 1e3), ("bennett", 1e5)),
}
# (clients, eps0, more) of whole protocols.
PROTOCOLS: tuple[tuple[float, float, dict[str, Any]], ...] = (
    (1e4, 1.0, {}),
    (1e6, 1.0, {}),
    (1e4, 3.0, {"randomizer": "krr:3"}),
    (1e4, 3.0, {"randomizer": "krr:10"}),
    (1e4, 1.0, {"randomizer": "laplace"}),
    (1e6, 3.0, {"rounds": 100}),
    (1e6, 3.0, {"rounds": 10**4}),
)


def cases(quick: bool) -> list[Case]:
    """Return both pairs, then the protocols."""
    if quick:
        return [pair(STRONGER, 1e3, 1.0)]
    pairs = [pair(group, n, eps0) for group, n, eps0 in product((CLONES, STRONGER), SIZES, BUDGETS)]
    pairs += [pair(group, n, 1.0) for group, n in product((CLONES, STRONGER), ALONE)]
    return pairs + [whole(*one) for one in PROTOCOLS]


def pair(group: str, n: float, eps0: float) -> Case:
    """Return one epsilon of a pair."""
    arguments = {"n": int(n), "eps0": eps0, "delta": DELTA}
    peers = tuple(Question(name, arguments, code=True) for name, most in CODES[group] if n <= most)
    return Case("c", group, f"{group} n={n:.0e} eps0={eps0:g} delta={DELTA:g}", {"pair": group, **arguments}, peers)


def whole(n: float, eps0: float, more: dict[str, Any]) -> Case:
    """Return one epsilon of a protocol."""
    more_text = "".join(f" {name}={value}" for name, value in more.items())
    params = {"clients": int(n), "eps0": eps0, "delta": DELTA, **more}
    return Case("c", WHOLE, f"shuffle n={n:.0e} eps0={eps0:g}{more_text} delta={DELTA:g}", params, rounds=3)


def ours(params: Mapping[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], limits.Limit | None]]:
    """Return what is run, and its limit."""
    from pldcheck.core.interval import Interval
    from pldcheck.protocols import Shuffle
    from pldcheck.shuffling import binomial_cells, one_client_fewer, pair_excess, shuffling_rounds
    from pldcheck.shuffling import three_symbol_pair as pairs

    delta = params["delta"]
    if "pair" not in params:
        more = {name: value for name, value in params.items() if name != "delta"}
        shuffle = Shuffle(**more)
        with_cache = [
            one
            for module in (binomial_cells, one_client_fewer, pair_excess, shuffling_rounds)
            for one in vars(module).values()
            if hasattr(one, "cache_clear")
        ]

        def whole() -> Any:
            for one in with_cache:  # between questions: each is to be the first one
                one.cache_clear()
            return shuffle.epsilon(delta)

        return whole, lambda answer: None
    make = {CLONES: pairs.clones, STRONGER: pairs.stronger_clones}[params["pair"]]
    pair = make(params["n"], params["eps0"])
    return lambda: Interval(*pair.epsilon(delta)[:2]), lambda answer: limit(lambda: pair.epsilon(delta))


def limit(run: Callable[[], Any]) -> limits.Limit:
    """Return the limit: two sweeps over the counts at the answer, one an end; a single one where epsilon is 0."""
    from pldcheck.kernels.thinned_binomial import _thinned_tails
    from pldcheck.shuffling import three_symbol_pair as pairs

    calls: list[tuple[Any, ...]] = []
    with limits.watch(pairs, "thinned_tails", lambda result, *arguments: calls.append(arguments)):
        run()
    last_calls = calls[-2:]
    counts = float(sum(last - first + 1 for *_, first, last in last_calls))
    return limits.repeat_kernel("counts swept over", _thinned_tails, last_calls, counts, 64.0)
