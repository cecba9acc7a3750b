"""Upper certificates of a hidden slot with a known law: the search for a fineness with which ``upper_sum`` verifies.

The program :mod:`~pldcheck.checkers.upper_sum` says what a certificate is and why it proves its claim.  Here the
deviation of a step is found in floating point, which chooses the fineness and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import singledispatch
from math import ceil, floor, inf, log, log10, sqrt
from typing import Any

from ..checkers import claim_files, directed_decimals, step_curves, upper_sum
from ..core.errors import ParameterError
from ..protocols import BallsInBins, HiddenSlot, RandomAllocation
from ..randomizers import DiscreteGaussian, Finite, Gaussian, Laplace, Randomizer, Response
from .certificate_checks import first_accepted
from .claim_decimals import decimal_text

# Widths of the lattice that are tried, as their numbers from 0 to the threshold or in a deviation of a step, whichever
# are wider; with the numbers "cells", "growth" and "block" of the fineness.  Blocks serve steps with several choices.
FINER = (
    (500, 8, 8, 16, 1),
    (1500, 16, 16, 16, 1),
    (1500, 16, 32, 16, 16),
    (5000, 32, 32, 32, 1),
    (5000, 32, 64, 32, 64),
    (5000, 32, 64, 32, 256),
    (20000, 128, 64, 64, 256),
    (8000, 64, 512, 128, 1),
    (20000, 128, 64, 64, 1),
    (80000, 512, 64, 64, 512),
    (80000, 512, 256, 128, 1),
    (160000, 1024, 512, 256, 1),
    (300000, 2048, 2048, 256, 1),
)
# The share of delta that a tail of one step, times the number of steps, may add.
TAIL = 1e-5
# The most places that are tried.
MOST = 400_000


@singledispatch
def randomizer_of(randomizer: Randomizer, eps0: float | None) -> dict[str, Any]:
    """Return a randomizer in the form that the program reads; raise ParameterError for one that it does not know."""
    raise ParameterError("randomizer", "krr:K, a table, or laplace for a certificate", str(randomizer))


@randomizer_of.register(Response)
def _(randomizer: Response, eps0: float) -> dict[str, Any]:
    return {"kind": "krr", "eps0": decimal_text(eps0), "outputs": str(randomizer.categories)}


@randomizer_of.register(Laplace)
def _(_: Laplace, eps0: float) -> dict[str, Any]:
    return {"kind": "laplace", "eps0": decimal_text(eps0)}


@randomizer_of.register(Gaussian)
def _(randomizer: Gaussian, _: float | None) -> dict[str, Any]:
    return {"kind": "gaussian-records", "sigma": decimal_text(randomizer.sigma)}


@randomizer_of.register(DiscreteGaussian)
def _(randomizer: DiscreteGaussian, _: float | None) -> dict[str, Any]:
    return {"kind": "discrete-gaussian", "sigma": decimal_text(randomizer.sigma)}


@randomizer_of.register(Finite)
def _(randomizer: Finite, _: float | None) -> dict[str, Any]:
    return {"kind": "table", "rows": [[str(mass) for mass in row] for row in randomizer.rows()]}


def claim_of(protocol: RandomAllocation | BallsInBins | HiddenSlot) -> dict[str, Any]:
    """Return the claim about a protocol but for its epsilon and delta; raise ParameterError where it has none."""
    if isinstance(protocol, BallsInBins):
        passes = str(protocol.epochs)
        weight, randomizer = 1.0, {"kind": "repeated-gaussian", "sigma": decimal_text(protocol.sigma), "passes": passes}
    elif protocol.epochs > 1:
        raise ParameterError("epochs", "1 for a certificate", protocol.epochs)
    elif isinstance(protocol, HiddenSlot):
        weight, randomizer = protocol.weight, randomizer_of(protocol.randomizer, protocol.eps0)
    elif protocol.selected > 1:
        raise ParameterError("selected", "1 for a certificate", protocol.selected)
    else:
        weight, randomizer = protocol.check_in_prob, {"kind": "gaussian", "sigma": decimal_text(protocol.sigma)}
    return {
        "mechanism": protocol.name,
        "steps": protocol.steps,
        "weight": decimal_text(weight),
        # The programs that check know the worse of a record that is removed and one that is added by this word.
        "adjacency": {"add-remove": "zero-out"}.get(protocol.adjacency, protocol.adjacency),
        "randomizer": randomizer,
    }


def search(claim: dict[str, Any]) -> tuple[dict[str, Any], claim_files.Verdict]:
    """Return a certificate of a claim with the coarsest fineness that verifies it, and the verdict."""
    return first_accepted(upper_sum, claim, fineness_to_try(claim))


def fineness_to_try(claim: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield finenesses, from coarse to fine; the work grows with each."""
    steps, share = claim["steps"], float(claim["weight"]) / claim["steps"]
    kappa = directed_decimals.exp_of(Fraction(claim["epsilon"])).lower
    kappa = max(Decimal(1), kappa)
    threshold = float(kappa - 1) / share
    laws = step_curves.steps_of(claim["randomizer"], kappa, claim["adjacency"])
    # What the sum of all excesses may be.
    allowed = max(float(claim["delta"]), 1e-60) / share * TAIL / steps
    # Near epsilon = 0 the sum's own deviation takes the threshold's place.
    spread = max(shape_of(law, inf, allowed)[0] for law in laws) * sqrt(steps)
    threshold = max(threshold, spread / 8.0)
    shapes = [shape_of(law, threshold, allowed) for law in laws]
    deviation = max(deviation for deviation, _, _ in shapes)
    low, high = max(low for _, low, _ in shapes), max(high for _, _, high in shapes)
    whole = deviation * sqrt(steps)
    top, bottom = threshold + 6.0 * whole, max(threshold, 12.0 * whole)
    choices = max(len(law.choices) for law in laws)
    for parts, inside, cells, growth, block in FINER:
        if block > 1 and choices < 2:
            continue
        width = max(threshold / parts, min(deviation / inside, (low + high) / 8.0))
        width = two_digits(width)
        cut = allowed / float(width)
        # Sums with a tail like a normal one have so many places; with fatter ones, a step has the most.
        reach = min(high, top) + min(low, bottom) + threshold / steps
        normal = 8.0 * cells * sqrt(-2.0 * log(min(cut, 0.1)))
        places = max(1.5 * reach / float(width), min(normal, (top + bottom) / float(width)))
        yield {
            "digits": min(max(ceil(-log10(cut) + log10(steps)) + 8, 12), 90),
            "width": str(width),
            "points": min(ceil(1.2 * places) + 64, MOST),
            "bottom": ceil(bottom / width),
            "top": ceil(top / width),
            "cells": cells,
            "growth": growth,
            "cut": f"{cut:.0e}" if cut < 1.0 else "1",
            **({"block": block} if block > 1 else {}),
        }


def shape_of(step: step_curves.Step, threshold: float, allowed: float) -> tuple[float, float, float]:
    """Return the deviation of a step, as far as the threshold on both sides, and how far it goes down and up."""
    places = [2.0**power * (1.0 + part / 4.0) for power in range(-40, 200) for part in range(4)]

    def above(x: float) -> float:
        return float(step.curve(Fraction(x))[1])

    right, left = [], []
    for x in places:
        right.append((x, above(x)))
        if right[-1][1] <= allowed or x > threshold:
            break
    for x in places:
        left.append((x, above(-x) - x))
        if left[-1][1] <= allowed:
            break
    variance = 0.0
    for side in (right, left):
        near = [(x, p) for x, p in side if x <= threshold]
        variance += sum(2.0 * max(p, 0.0) * (b - a) for (a, p), (b, _) in zip(near, near[1:], strict=False))
    return max(sqrt(variance), 1e-12), left[-1][0], right[-1][0]


def two_digits(width: float) -> Fraction:
    """Return a width with two digits, not above this one."""
    digits = floor(log10(width)) - 1
    return Fraction(f"{floor(width / 10.0**digits)}e{digits}")
