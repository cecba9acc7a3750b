"""Upper certificates of epochs of a known slot: the search for a fineness with which ``upper_epochs`` verifies a claim.

The program :mod:`~pldcheck.checkers.upper_epochs` says what a certificate is and why it proves its claim.  Here the
deviations of a step and of the loss of one run are found in floating point, which chooses the fineness and proves
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log, log10, sqrt
from typing import Any

from ..checkers import claim_files, run_losses, step_curves, step_lattice, upper_epochs
from ..core.errors import ParameterError
from ..protocols import HiddenSlot, RandomAllocation
from .certificate_checks import first_accepted
from .claim_decimals import decimal_text
from .sum_certificates import randomizer_of, shape_of, two_digits

# Finenesses that are tried: places of the lattice of sums in a deviation of a step, the numbers "cells" and "growth" of
# both lattices, and places of the lattice of losses in a deviation of a run.
FINER = ((8, 12, 32, 12), (16, 16, 48, 16), (32, 24, 96, 24), (64, 48, 192, 48), (128, 96, 384, 96))
# The share of delta that a tail of one run, times the number of runs, may add.
TAIL = 1e-4
# The share of delta that the excess of one run, times the number of runs, may add.
EXCESS = 3e-4
# The share of the deviation of all runs by which the lower tails of steps, which are raised, may shift their mean.
SHIFT = 1e-4
# Deviations of a sum that the lattice reaches on both sides, if a step does not reach farther.
REACH = 12.0
# The most places that are tried.
MOST = 300_000


def claim_of(protocol: RandomAllocation | HiddenSlot) -> dict[str, Any]:
    """Return the claim about a protocol but for its epsilon and delta; raise ParameterError where it has none."""
    adjacency = {"add-remove": "zero-out"}.get(protocol.adjacency, protocol.adjacency)
    if adjacency not in upper_epochs.ADJACENCIES:
        raise ParameterError("adjacency", "not replace for a certificate of epochs or selected steps", adjacency)
    claim: dict[str, Any] = {"mechanism": protocol.name, "steps": protocol.steps, "epochs": protocol.epochs}
    if isinstance(protocol, RandomAllocation):
        claim |= {"selected": protocol.selected, "weight": decimal_text(protocol.check_in_prob)}
        claim["randomizer"] = {"kind": "gaussian", "sigma": decimal_text(protocol.sigma)}
    else:
        claim |= {"selected": 1, "weight": decimal_text(protocol.weight)}
        claim["randomizer"] = randomizer_of(protocol.randomizer, protocol.eps0)
    return claim | {"adjacency": adjacency}


def search(claim: dict[str, Any]) -> tuple[dict[str, Any], claim_files.Verdict]:
    """Return a certificate of a claim with the coarsest fineness that verifies it, and the verdict."""
    return first_accepted(upper_epochs, claim, fineness_to_try(claim))


def fineness_to_try(claim: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield finenesses, from coarse to fine; the work grows with each."""
    weight, delta = Fraction(claim["weight"]), max(float(claim["delta"]), 1e-60)
    parts = upper_epochs.parts_of(claim["steps"], claim["selected"], claim["epochs"])
    steps, runs = max(n for n, _ in parts), sum(count for _, count in parts)
    laws = upper_epochs.steps_of(claim, claim["adjacency"])
    for inside, cells, growth, losses in FINER:
        sums = sum_fineness([step for _, step in laws], steps, runs, EXCESS * delta / runs / float(weight), inside)
        sums |= {"cells": cells, "growth": growth}
        yield {"sum": sums, "loss": loss_fineness(laws, steps, weight, sums, TAIL * delta / runs, losses)}


def sum_fineness(steps: list[step_curves.Step], count: int, runs: int, allowed: float, inside: int) -> dict[str, Any]:
    """Return the fineness of the sum of so many steps but for its coarsening; ``allowed`` is an excess of their mean.

    ``runs``: how often the sum is repeated.
    """
    shapes = [shape_of(step, 1e30, allowed) for step in steps]
    deviation, high = max(one for one, _, _ in shapes), max(one for _, _, one in shapes)
    low = max(shape_of(step, 1e30, SHIFT * deviation / sqrt(count * runs))[1] for step in steps)
    width = two_digits(min(deviation / inside, (low + high) / 8.0))
    reach = REACH * deviation * sqrt(count)
    cut = allowed / float(width) / 4.0
    places = max((low + high) / float(width), 2.0 * REACH * inside)
    return {
        "digits": min(max(ceil(-log10(cut) + log10(count)) + 8, 12), 90),
        "width": str(width),
        "points": min(ceil(1.2 * places) + 64, MOST),
        "bottom": ceil(max(low, reach) / width),
        "top": ceil(max(high, reach) / width),
        "cut": f"{cut:.0e}" if cut < 1.0 else "1",
    }


def loss_fineness(
    laws: list[tuple[str, step_curves.Step]],
    steps: int,
    weight: Fraction,
    sums: dict[str, Any],
    tail: float,
    inside: int,
) -> dict[str, Any]:
    """Return the fineness of the composition of runs, by the loss of one of them."""
    fine = step_lattice.read_fineness(sums, 1, len(laws))
    widths, reaches = [], []
    for change, step in laws:
        law = step_lattice.power_law(step_lattice.lattice_law(step, Fraction(0), fine), steps, fine)
        masses = run_losses.masses_of(law, weight / steps, change, fine)
        finite = [(float(Fraction(p, masses.whole)), log(p) - log(q)) for p, q in masses.pairs if q > 0]
        total = sum(p for p, _ in finite)
        mean = sum(p * loss for p, loss in finite) / total
        deviation = sqrt(sum(p * (loss - mean) ** 2 for p, loss in finite) / total)
        widths.append(deviation / inside)
        reaches.append(_reach(finite, tail) + _reach(finite[::-1], tail))
    width = two_digits(min(widths))
    places = max(max(reaches) / float(width), 10.0 * inside * sqrt(-2.0 * log(tail)))
    return {
        "digits": min(max(ceil(-log10(tail)) + 12, 12), 90),
        "width": str(width),
        "points": min(ceil(1.2 * places) + 64, MOST),
        "cells": inside,
        "growth": 2 * inside,
        "cut": f"{tail:.0e}",
    }


def _reach(finite: list[tuple[float, float]], tail: float) -> float:
    """Return the size of the loss before which there is no more than a tail."""
    total = 0.0
    for p, loss in finite:
        total += p
        if total > tail:
            return abs(loss)
    return 0.0
