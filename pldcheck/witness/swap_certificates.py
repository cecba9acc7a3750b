"""Upper certificates of random swapping: the search for a fineness with which ``upper_swap`` verifies a claim.

The program :mod:`~pldcheck.checkers.upper_swap` says what a certificate is and why it proves its claim.  Here the
engine's bound of a box says how wide boxes may be, and saddle points say how fine the lattice must be; that proves
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, sqrt
from typing import Any, NamedTuple

from scipy.optimize import brentq, minimize_scalar

from ..checkers import upper_swap
from ..protocols import Swap
from ..shuffling.swap_curves import upper_of_box
from .block_plans import text
from .certificate_checks import accepts

# Tried in turn: the share of delta that boxes may take, the spacing of nodes in root mean squares of a copy's value,
# and the number of places of a law.
FINER = ((0.97, 0.12, 1000), (0.96, 0.06, 2000), (0.985, 0.03, 4000), (0.993, 0.03, 4000))
# The ratio of the ends of the first box that is tried, less 1.
WIDEST = 1.5
# Boxes are as wide as they may be, but for this factor of that ratio.
NEARLY = 1.15
# No narrower box helps.
NARROWEST = 1e-4
# The number of places at which boxes may end, where there are none whose ends are sought one after the other.
PLACES = 80
# The share of the tilted total that is left out, as a power of two, where no doubling follows; each doubles it.
CUT = 14
# Tilts are sought between these, in units of 1 / top.
TILTS = (1e-12, 100.0)
# A box that ends so near to 1 ends there.
NEXT_TO_1 = 1e-9
# In place of a delta of 0.
LEAST_DELTA = 1e-300


class Tilted(NamedTuple):
    """A box's sum under the tilt ``theta`` of its Chernoff bound; a copy that is not 0 is ``size`` in the mean."""

    theta: float
    size: float


def claim_of(protocol: Swap) -> dict[str, Any]:
    """Return a claim about random swapping but for its epsilon and delta."""
    return {"mechanism": protocol.name, "clients": protocol.clients, "eps0": repr(protocol.eps0)}


def search(claim: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a file whose program accepts a claim; None if none was found."""
    question, _ = upper_swap.read_claim(claim)
    for share, spacing, atoms in FINER:
        follows = upper_swap.one_run(question) <= question.delta
        ends = ["1"] if follows else ends_of(claim, float(question.delta) * share)
        if ends is None:
            continue
        facts = {"pldcheck_certificate": "upper_swap", "claim": dict(claim)}
        facts["fineness"] = fineness(question, ends, spacing, atoms)
        if accepts(upper_swap, facts):
            return facts
    return None


def ends_of(claim: Mapping[str, Any], delta: float) -> list[str] | None:
    """Return the ends of boxes, each about as wide as it may be at this delta; None if there are none."""
    return widest(claim, delta) or path(claim, delta)


def path(claim: Mapping[str, Any], delta: float) -> list[str] | None:
    """Return the ends of boxes between places that are the same number of times as large as the one before; or None.

    With few clients a wider box may have a lower bound than its parts, and the next one depends on where it ends.
    """
    clients, eps0, epsilon = claim["clients"], float(claim["eps0"]), float(claim["epsilon"])
    places = [exp(-eps0 * (1.0 - k / PLACES)) for k in range(PLACES)] + [1.0]
    # For each place that is reached, the one before it.
    before, ahead = {0: 0}, [0]
    while ahead and PLACES not in before:
        k = ahead.pop()
        for j in range(k + 1, PLACES + 1):
            if j not in before and upper_of_box(clients, eps0, places[k], places[j], epsilon) <= delta:
                before[j] = k
                ahead.append(j)
    if PLACES not in before:
        return None
    ends, k = [], PLACES
    while k > 0:
        ends.append("1" if k == PLACES else text(places[k]))
        k = before[k]
    return ends[::-1] if len(ends) <= upper_swap.MOST_BOXES else None


def widest(claim: Mapping[str, Any], delta: float) -> list[str] | None:
    """Return the ends of boxes, each about as wide as it may be at this delta; None if one may have no width."""
    clients, eps0, epsilon = claim["clients"], float(claim["eps0"]), float(claim["epsilon"])
    ends: list[str] = []
    low, wide = exp(-eps0), WIDEST
    while len(ends) < upper_swap.MOST_BOXES:
        good, bad, wide = 0.0, inf, min(wide, 1.0 / low - 1.0)
        while bad > NEARLY * good:
            if upper_of_box(clients, eps0, low, low * (1.0 + wide), epsilon) <= delta:
                good = wide
                if low * (1.0 + good) >= 1.0 - NEXT_TO_1:
                    return [*ends, "1"]
                wide = min(2.0 * wide, 1.0 / low - 1.0) if bad == inf else sqrt(good * bad)
            else:
                bad = wide
                wide = sqrt(good * bad) if good > 0.0 else 0.5 * wide
            if wide < NARROWEST:
                return None
        ends.append(text(low * (1.0 + good)))
        low, wide = float(ends[-1]), good
    return None


def fineness(claim: upper_swap.Claim, ends: Sequence[str], spacing: float, atoms: int) -> dict[str, Any]:
    """Return a fineness with these boxes."""
    boxes, low = [], 1 / claim.x
    for end in ends:
        high = Fraction(end)
        theta, size = tilted(claim, low, high)
        grid = text(spacing * size)
        boxes.append({"end": end, "grid": grid, "tilt": f"{1 + Decimal(text(expm1(theta * float(grid)))):f}"})
        low = high
    return {"boxes": boxes, "atoms": atoms, "cut": CUT + claim.clients.bit_length()}


def tilted(claim: upper_swap.Claim, low: Fraction, high: Fraction) -> Tilted:
    """Return the sum of a box under its best tilt."""
    constant, terms = upper_swap.terms_of(claim, low, high)
    x, kappa = float(claim.x), float(claim.kappa)
    copies = [(float(weight), count) for weight, count in terms if count > 0]
    top = float(terms[0][0]) * max(x - kappa, 1e-12)

    def height(log_theta: float) -> float:
        theta = exp(log_theta)
        total = theta * float(constant) - log_theta
        for weight, count in copies:
            up, down = expm1(theta * weight * (x - kappa)), expm1(theta * weight * (1.0 - kappa * x))
            total += count * log1p((up + down) / (x + 1.0))
        return total

    least = log(TILTS[0] / top)
    best = float(minimize_scalar(height, bounds=(least, log(TILTS[1] / top)), method="bounded").x)
    enough = log(claim.clients * max(float(claim.delta), LEAST_DELTA))
    if height(best) < enough < height(least):  # a large tilt of a box far below delta would count round-off
        best = float(brentq(lambda log_theta: height(log_theta) - enough, least, best))
    theta = exp(best)
    number = square = 0.0
    for weight, count in copies:
        values = weight * (x - kappa), weight * (1.0 - kappa * x)
        shares = [exp(theta * value) / (x + 1.0) for value in values]
        total = sum(shares) + (x - 1.0) / (x + 1.0)
        number += count * sum(shares) / total
        square += count * sum(share * value * value for share, value in zip(shares, values, strict=True)) / total
    return Tilted(theta, sqrt(square / number))
