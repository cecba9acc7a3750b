"""Upper certificates of compositions: the search for a fineness with which ``upper_loss`` verifies a claim.

The program :mod:`~pldcheck.witness.upper_loss` says what a certificate is and why it proves its claim.  Here the
deviation of each loss is found in floating point, which chooses the fineness and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, log, log10, sqrt
from types import ModuleType
from typing import Any

from ..core.errors import ParameterError
from ..protocols.composed import ComposedMechanism
from . import upper_loss

# Losses of the lattice in a deviation that are tried.
CELLS = (16, 24, 32, 64, 128, 256)
# The share of delta that a tail of one run, times the number of runs, may add.
TAIL = 1e-5
# The losses, in deviations from the mean, that a lattice holds of a normal law with that tail, and of fatter tails.
FATTER = 3.0
# What a mechanism of the engine is called in a certificate, and the names of its numbers.
NAMES = {
    "rr": ("rr", ("eps0", "delta0")),
    "gaussian": ("gaussian", ("sigma",)),
    "laplace": ("laplace", ("scale",)),
    "discrete-laplace": ("discrete-laplace", ("scale",)),
    "discrete-gaussian": ("discrete-gaussian", ("sigma",)),
    "subsampled-gaussian": ("gaussian", ("sigma", "rate")),
    "fixed-size-gaussian": ("fixed-size-gaussian", ("sigma", "rate")),
    "subsampled-rr": ("rr", ("eps0", "delta0", "rate")),
}


@dataclass(frozen=True)
class Shape:
    """The facts on which the fineness depends: a loss's deviation, its largest and least likely value, and its runs."""

    deviation: float
    high: float
    low: float
    count: int


def decimal_text(value: float | int) -> str:
    """Return the shortest decimal that a float is read from, without an exponent sign."""
    return f"{Decimal(repr(value)):f}" if 1e-9 < abs(value) < 1e25 else repr(value).replace("+", "")


def rounds_of(protocol: ComposedMechanism) -> list[dict[str, Any]]:
    """Return the rounds of a certificate's claim; raise ParameterError for what has none."""
    rounds = []
    for part in protocol.parts:
        if part.kind not in NAMES:
            raise ParameterError("protocol", f"composed of {', '.join(NAMES)}", part.kind)
        name, keys = NAMES[part.kind]
        numbers = {key: decimal_text(float(dict(part.numbers).get(key, 0.0))) for key in keys}
        rounds.append({"mechanism": name, "rate": "1", "count": part.count, **numbers})
    return rounds


def claim_of(rounds: list[dict[str, Any]], epsilon: str, delta: str, times: int = 1) -> dict[str, Any]:
    """Return a claim in the form that the program reads."""
    return {"mechanism": "composition", "rounds": rounds, "times": times, "epsilon": epsilon, "delta": delta}


def search(claim: dict[str, Any]) -> tuple[dict[str, Any], upper_loss.Verdict]:
    """Return a certificate of a claim with the coarsest fineness that verifies it, and the verdict."""
    return first_accepted(upper_loss, claim, fineness_to_try(claim))


def first_accepted(
    program: ModuleType, claim: dict[str, Any], finenesses: Iterable[dict[str, Any]]
) -> tuple[dict[str, Any], Any]:
    """Return the first certificate that a program accepts, or the last that it did not refuse, and the verdict."""
    facts: dict[str, Any] = {"pldcheck_certificate": program.__name__.rpartition(".")[2], "claim": claim}
    verdict = program.Verdict(2, "refused: no fineness")
    for fineness in finenesses:
        trial = {**facts, "fineness": fineness}
        outcome = program.verify(trial)
        if outcome.status == 2 and verdict.status == 1:
            break
        facts, verdict = trial, outcome
        if verdict.status == 0 or verdict.sentence.startswith("false"):
            break
    return facts, verdict


def fineness_to_try(claim: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield finenesses, from coarse to fine; the work grows with each."""
    rounds = [upper_loss.read_round(entry) for entry in claim["rounds"]]
    runs, delta = sum(entry[3] for entry in rounds) * claim["times"], float(claim["delta"])
    tail = max(delta, 1e-60) * TAIL / runs
    digits = min(max(ceil(-log10(tail) + log10(runs)) + 8, 10), 90)
    shapes, spaces = [], []
    for direction in ("removed", "added"):
        for law, count in upper_loss.laws(rounds, claim["times"], direction):
            shapes.append(shape_of(law, count, tail))
            spaces += [abs(loss) for loss in law.atoms if loss and len(law.atoms) <= 3]
    total = sum(shape.count * shape.deviation**2 for shape in shapes) / 2.0
    exact = lattice_of(spaces)
    for cells in CELLS:
        widths = []
        for shape in shapes:
            once = total / (8.0 * cells**2 * shape.count * shape.deviation)
            widths.append(max(shape.deviation / cells, once))
        width = commensurate(min(widths), spaces, exact)
        reach = max(shape.high - shape.low for shape in shapes) / float(width)
        normal = FATTER * 4.0 * cells * sqrt(-2.0 * log(tail))
        yield {
            "digits": digits,
            "width": str(width),
            "points": ceil(max(reach * 1.1, normal)) + 64,
            "cells": cells,
            "growth": 2 * cells,
            "cut": f"{tail:.0e}",
        }


def shape_of(law: upper_loss.Law, count: int, tail: float) -> Shape:
    """Return the shape of a law; its losses are cut where they double."""
    sizes = [2.0**power for power in range(-40, 12)]
    fine = [size * (1.0 + part / 4.0) for size in sizes for part in range(4)]

    def above(t: float) -> float:
        return float(law.tails(Fraction(t), Fraction(t))[0][1])

    right, left = [(t, above(t)) for t in fine], [(t, 1.0 - above(-t)) for t in fine]
    moments = []
    for side in (right, left):
        moments.append(sum(2.0 * a * max(p, 0.0) * (b - a) for (a, p), (b, _) in zip(side, side[1:], strict=False)))
    high = next((t for t, p in right if p <= tail), fine[-1])
    low = next((t for t, p in left if p <= tail), fine[-1])
    return Shape(max(sqrt(sum(moments)), 1e-12), high, -low, count)


def lattice_of(spaces: list[Fraction]) -> Fraction | None:
    """Return the largest number of which all losses are multiples; None if there is none of a useful size."""
    if not spaces:
        return None
    common = spaces[0]
    for space in spaces[1:]:
        while space:
            common, space = space, common % space
    return common if common * 4096 > max(spaces) else None


def commensurate(width: float, spaces: list[Fraction], exact: Fraction | None) -> Fraction:
    """Return a width near this one, or below it, of which the losses of atoms are multiples if that is possible."""
    if exact is not None:
        parts = max(1, ceil(float(exact) / width))
        if parts == 1 or len(spaces) > 0:
            return exact / parts
    digits = floor(log10(width)) - 1
    return Fraction(f"{floor(width / 10.0**digits)}e{digits}")
