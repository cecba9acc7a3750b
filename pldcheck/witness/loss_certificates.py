"""Upper certificates of compositions: the search for a fineness with which ``upper_loss`` verifies a claim.

The program :mod:`~pldcheck.checkers.upper_loss` says what a certificate is and why it proves its claim.  Here the
deviation of each loss is found in floating point, which chooses the fineness and proves nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log, log2, log10, sqrt
from typing import Any

from ..checkers import claim_files, composition_rounds, lattice_sums, loss_lattice, loss_laws, upper_loss
from .certificate_checks import first_accepted

# Losses of the lattice in a deviation that are tried.
CELLS = (16, 24, 32, 64, 128, 256)
# The share of delta that a tail of one run, times the number of runs, may add.
TAIL = 1e-4
# The losses, in deviations from the mean, that a lattice holds of a normal law with that tail, and of fatter tails.
FATTER = 3.0
# Powers of two among which the largest and the least loss of one run are.
OCTAVES = range(-40, 50)
# A loss above all finite ones, but for nothing.
LARGEST = Fraction(2**52)
# The number of halvings by which a median is found.
BISECTIONS = 40
# The places that a lattice has over those of one run: where rare runs have far larger losses, two of them matter too.
ROOM = 3.0
# The places that a lattice has over those of the farthest losses, where these are put on a wider one.
FIT = 1.1
# The share of a mean square that may be left out.
LITTLE = 1e-3
# Up to this multiple of the number of which all atoms are multiples, the lattice has that width, not a wider one.
COARSEST = 8
# The most atoms of a law for which the lattice is made to fit them.
FEW = 3
# The largest growth that the program takes, and the factor by which it falls until a law has few enough cells.
MOST_GROWTH = 4096
SLOWER = 0.9
# The share of the most cells that cells of spaces may be; places next to atoms are others.
SHARE_OF_CELLS = 0.95
# How much a place is above the farthest atom, as a share of it: more than the round-off of either.
JUST_BELOW = 1e-12


@dataclass(frozen=True)
class Shape:
    """The facts on which the fineness depends: a loss's median and its deviation from that, its ends, and its runs.

    ``few``: it has atoms, but few of them.
    """

    median: float
    deviation: float
    high: float
    low: float
    count: int
    few: bool


def search(claim: dict[str, Any]) -> tuple[dict[str, Any], claim_files.Verdict]:
    """Return a certificate of a claim with the coarsest fineness that verifies it, and the verdict."""
    return first_accepted(upper_loss, claim, fineness_to_try(claim))


def fineness_to_try(claim: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield finenesses, from coarse to fine; the work grows with each."""
    rounds = [composition_rounds.read_round(entry) for entry in claim["rounds"]]
    runs, exact_delta = sum(entry[3] for entry in rounds) * claim["times"], Fraction(claim["delta"])
    delta = float(exact_delta)
    tail = max(delta, 1e-60) * TAIL / runs
    digits = min(max(ceil(-log10(tail) + log10(runs)) + 8, 10), 90)
    pairs = [
        composition_rounds.laws(rounds, claim["times"], direction, exact_delta) for direction in ("removed", "added")
    ]
    if all(len(laws) == 1 and laws[0][1] == 1 for laws in pairs):
        yield {"digits": 10, "width": "1", "points": 2, "cells": 1, "growth": 1, "cut": "0"}  # no lattice is needed
        return
    shapes = [shape_of(law, count, tail) for laws in pairs for law, count in laws]
    few = [law.atoms for laws in pairs for law, _ in laws if len(law.atoms) <= FEW]
    exact = lattice_of([abs(loss) for atoms in few for loss in atoms if loss])
    farthest_atom = max((float(abs(loss)) for atoms in few for loss in atoms), default=0.0)
    # Losses of responses are multiples of it: no narrower lattice holds them better.
    responses = all(entry["mechanism"] == "rr" and Fraction(entry["rate"]) == 1 for entry in claim["rounds"])
    finest = float(exact) if exact and responses else 0.0
    total = sum(shape.count * shape.deviation**2 for shape in shapes) / 2.0
    most_cells = int(SHARE_OF_CELLS * lattice_sums.MOST_CELLS / len(rounds))
    most = lattice_sums.MOST_DIGITS // (2 * (2 * digits + loss_lattice.SPARE)) - 64
    for cells in CELLS:
        widths = []
        for shape in shapes:
            once = total / (8.0 * cells**2 * shape.count * shape.deviation)
            widths.append(max(shape.deviation / cells, once))
        finest_width = max(min(widths), finest)
        # A law with more places than that goes to a lattice that is wider by a power of two.  Atoms would move there: a
        # law with few of them has room for all its places.
        reach = max(
            (shape.high - shape.low) / (finest_width if shape.few else max(own, finest_width))
            for own, shape in zip(widths, shapes, strict=True)
        )
        normal = FATTER * 4.0 * cells * sqrt(-2.0 * log(tail))
        # Cells become wider away from zero: they must be narrow at the median too.
        farther = 1.0 + max(abs(shape.median) / shape.deviation for shape in shapes)
        points = min(ceil(max(reach * ROOM, normal)), most) + 64
        # On the wider lattice the farthest losses just fit.
        wide = max(shape.high - shape.low for shape in shapes) * FIT / points
        doublings = max(0, ceil(log2(wide / finest_width)))
        width = commensurate(wide / 2.0**doublings if doublings else finest_width, exact, farthest_atom)
        yield {
            "digits": digits,
            "width": str(width),
            "points": points,
            "cells": cells,
            "growth": finest_growth(min(ceil(2 * cells * farther), MOST_GROWTH), points, most_cells),
            "cut": f"{tail:.0e}",
        }


def shape_of(law: loss_laws.Law, count: int, tail: float) -> Shape:
    """Return the shape of a law; its losses are cut where their probability is at most ``tail``."""
    infinite = float(law.tails(LARGEST, LARGEST)[0][1])

    def above(t: float) -> float:
        return float(law.tails(Fraction(t), Fraction(t))[0][1])

    reach = 2.0 ** _octave(lambda t: above(t) <= 0.5 <= above(-t))
    low, high = -reach, reach
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if above(middle) > 0.5 else (low, middle)
    median = high

    def right(t: float) -> float:
        return above(median + t) - infinite

    def left(t: float) -> float:
        return 1.0 - above(median - t)

    (up, high), (down, low) = _side(right, tail), _side(left, tail)
    return Shape(median, max(sqrt(up + down), 1e-12), median + high, median - low, count, 0 < len(law.atoms) <= FEW)


def _octave(holds: Callable[[float], bool]) -> int:
    """Return the least power of two at which what holds from some number on does so."""
    return OCTAVES[min(bisect_left(OCTAVES, True, key=lambda power: holds(2.0**power)), len(OCTAVES) - 1)]


def _side(beyond: Callable[[float], float], tail: float) -> tuple[float, float]:
    """Return the mean square of a positive part and its largest value, but for ``tail``, from its tail probabilities.

    The square is the integral of 2 t ``beyond`` (t); steps of a quarter of an octave are fine enough.  What is below t
    adds at most t^2, which is left out where that is little.
    """
    t = high = 2.0 ** _octave(lambda t: beyond(t) <= tail)
    square = 0.0
    while t > 2.0 ** OCTAVES[0] and t * t > LITTLE * square:
        below = t / 2.0**0.25
        probability = beyond(below)
        if probability <= tail:
            high = below
        square += 2.0 * below * max(probability, 0.0) * (t - below)
        t = below
    return square, high


def lattice_of(spaces: list[Fraction]) -> Fraction | None:
    """Return the largest number of which all losses are multiples; None if there is none of a useful size."""
    if not spaces:
        return None
    common = spaces[0]
    for space in spaces[1:]:
        while space:
            common, space = space, common % space
    return common if common * 4096 > max(spaces) else None


def commensurate(width: float, exact: Fraction | None, farthest: float) -> Fraction:
    """Return a width near this one, or below it, of which the losses of atoms are multiples if that is possible.

    Otherwise the ``farthest`` atom, if there is any, is just below a multiple: sums of few runs may come near to its.
    """
    if exact is not None and width < exact * COARSEST:
        return exact / max(1, ceil(float(exact) / width))
    if exact is None and 0.0 < width < farthest:
        return Fraction(f"{farthest * (1.0 + JUST_BELOW):.15e}") / ceil(farthest / width)
    digits = floor(log10(width)) - 1
    return Fraction(f"{floor(width / 10.0**digits)}e{digits}")


def finest_growth(growth: int, points: int, most: int) -> int:
    """Return the largest growth up to this one with which a law of so many points has at most so many cells."""
    # As many cells as ``growth`` are one place wide, half as many two places, and so on.
    while growth > 1 and 2.0 * min(points, growth * (1.0 + log(max(1.0, points / growth)))) + 2.0 > most:
        growth = floor(SLOWER * growth)
    return growth
