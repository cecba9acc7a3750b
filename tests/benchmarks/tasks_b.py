"""(b) Gaussian random allocation on the grid of 40 cells, beside PLD_accounting, and where that has no answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from . import limits
from .case import Case, Question

GROUP = "random allocation, 40 cells"
FURTHER = "random allocation, further"
SIGMAS = (0.5, 1.0, 2.0, 4.0)
STEPS = (10, 100, 1000, 10**4, 10**5)
DELTAS = (1e-6, 1e-10)
QUICK = ((1.0, 100, 1e-6),)
# (sigma, steps, delta, more): tiny deltas, other neighbours, epochs.
MORE: tuple[tuple[float, int, float, dict[str, Any]], ...] = (
    *((1.0, 1000, delta, {}) for delta in (1e-20, 1e-30)),
    *((1.0, 1000, 1e-6, {"adjacency": adjacency}) for adjacency in ("remove", "add", "replace")),
    *((1.0, 1000, 1e-6, {"epochs": epochs}) for epochs in (10, 100, 1000)),
    (1.0, 10**9, 1e-6, {}),
)
PEER = "PLD_accounting"


def cases(quick: bool) -> list[Case]:
    """Return the grid; and what lies beyond it, without the peer."""
    if quick:
        return [case(*cell) for cell in QUICK]
    grid = [case(sigma, steps, delta) for steps, sigma, delta in product(STEPS, SIGMAS, DELTAS)]
    return grid + [case(sigma, steps, delta, **more) for sigma, steps, delta, more in MORE]


def case(sigma: float, steps: int, delta: float, **more: Any) -> Case:
    """Return one cell; the peer is asked on those of the grid."""
    on_grid = not more and sigma in SIGMAS and steps in STEPS and delta in DELTAS
    protocol = {"name": "random-allocation", "params": {"steps": steps, "sigma": sigma, **more}, "delta": delta}
    more_text = "".join(f" {name}={value}" for name, value in more.items())
    name = f"m={steps:.0e} sigma={sigma:g} delta={delta:g}{more_text}"
    params = {"steps": steps, "sigma": sigma, "delta": delta, **more}
    return Case("b", GROUP if on_grid else FURTHER, name, params, (Question(PEER, protocol),) if on_grid else ())


def ours(params: Mapping[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], limits.Limit | None]]:
    """Return what is run, and its limit."""
    from pldcheck.protocols import RandomAllocation

    more = {name: value for name, value in params.items() if name not in ("delta", "width")}
    protocol, width = RandomAllocation(**more), {name: params[name] for name in ("width",) if name in params}

    def run() -> Any:
        return protocol.epsilon(params["delta"], **width)

    return run, lambda answer: limit(run) if params.get("epochs", 1) == 1 else None


def limit(run: Callable[[], Any]) -> limits.Limit | None:
    """Return the limit: one inversion an end, as fine as the last ones were, or one doubling an end; None of a step or
    two.
    """
    from pldcheck.hidden_slot.known import doubled_sums, increment_stoploss, uneven_sums

    sides: dict[bool, Any] = {}
    doublings: dict[Any, list[tuple[Any, ...]]] = {}
    sums: list[tuple[Any, ...]] = []

    def in_doubling(result: object, self: object, increment: object, at: float, doubt: float, about: float, side: Any):
        doublings[side] = list(sums)
        sums.clear()

    with (
        limits.watch(increment_stoploss, "upper_side", lambda side, *arguments: sides.update({True: side})),
        limits.watch(increment_stoploss, "lower_side", lambda side, *arguments: sides.update({False: side})),
        limits.watch(uneven_sums, "pair_sums", lambda result, *arguments: sums.append(arguments)),
        limits.watch(doubled_sums.Doubling, "_ends", in_doubling),
    ):
        run()
    if doublings:
        calls = [call for one in doublings.values() for call in one]
        pairs = sum(float(call[0].size) * call[2].size * (0.5 if call[6] else 1.0) for call in calls)
        return limits.repeat_kernel("pairs of atoms", uneven_sums.pair_sums, calls, pairs, 32.0)
    sides_present = [side for side in sides.values() if side is not None]
    if not sides_present:
        return None
    totals = [side.total for side in sides_present]
    cells = sum(side.placed_law.law.mass.size for side in sides_present)
    if any(one.visits for one in totals):
        return transforms([(one.visits, one.nodes is not None) for one in totals if one.visits], cells)
    return limits.exponentials(sum(float(one.terms.size) for one in totals) * cells / len(sides_present))


def transforms(sizes: Sequence[tuple[int, bool]], cells: int) -> limits.Limit:
    """Return the limit: a real FFT of each size, for some back again, and a normal tail for each cell of a law."""
    import numpy as np
    from scipy.fft import irfft, rfft
    from scipy.special import ndtr

    inputs = [(np.random.default_rng(size).random(size), back) for size, back in sizes]
    points, ends = float(sum(one.size * (1 + back) for one, back in inputs)), np.linspace(-9.0, 9.0, cells)

    def bare() -> object:
        transforms_of_inputs = [(rfft(one), one.size, back) for one, back in inputs]
        return [irfft(one, size) for one, size, back in transforms_of_inputs if back], ndtr(ends)

    return limits.Limit("FFT points and normal tails", points + cells, 16.0 * (points + cells), bare)
