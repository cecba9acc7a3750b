"""Spot checks of what a user states about two densities on the line: what is visibly false is refused in one line.

A check that passes proves nothing: it looks at finitely many points.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core.directed import roundoff
from ..core.errors import ParameterError
from .step_losses import Array

# Points at which losses and cdfs are looked at.
POINTS = 5001
# Points around which the density is compared with the increase of the cdf.
SPOTS = 501
# Half the width around such a point, over the distance of the ends.
NARROW = 1e-5
# Factor within which the density must be constant there, for the comparison to say something.
EVEN = 1.02
# Factor between density and increase from which the statement is visibly false.
FALSE = 1.1
# The least probability that is a cdf or a tail with all its digits; smaller ones underflow in some of its factors.
LEAST = 1e-290


class Density(Protocol):
    """A law on the line as three functions of arrays: log density, cdf and tail; frozen laws of scipy.stats have them.

    ``sf`` is the probability above a point.
    """

    def logpdf(self, x: Array) -> Any:
        """Return the log density at each point."""

    def cdf(self, x: Array) -> Any:
        """Return the probability of at most x, for each point."""

    def sf(self, x: Array) -> Any:
        """Return the probability above x, for each point."""


class Stated(NamedTuple):
    """Statements of a user: the direction of p/q, the relative error of cdfs, the absolute one of losses."""

    ratio: str
    cdf_error: float
    loss_error: float

    @property
    def sign(self) -> float:
        """1 where the loss increases, -1 where it decreases."""
        return 1.0 if self.ratio == "increasing" else -1.0


def check_losses(p: Density, q: Density, ends: tuple[float, float], stated: Stated) -> None:
    """Raise ParameterError where a log density is not finite, or the loss is seen to run against its direction."""
    x = np.linspace(*ends, POINTS)
    logs = [_numbers(name, "logpdf", law.logpdf(x), x) for name, law in (("p", p), ("q", q))]
    for name, values in zip("pq", logs, strict=True):
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise ParameterError(name, f"finite in logpdf between {ends}", f"{values[bad[0]]} at {float(x[bad[0]])!r}")
    losses = stated.sign * (logs[0] - logs[1])
    # Each of two losses may be off by its error.
    fall = np.maximum.accumulate(losses) - losses
    worst = int(np.argmax(fall))
    if fall[worst] > 2.0 * stated.loss_error + roundoff(8, float(np.max(np.abs(losses)))):
        peak = int(np.argmax(losses[: worst + 1]))
        raise ParameterError(
            "ratio",
            f"a true statement: p/q is not {stated.ratio}",
            f"log p/q = {stated.sign * losses[peak]:.6g} at {x[peak]:.6g} and {stated.sign * losses[worst]:.6g} "
            f"at {x[worst]:.6g}",
        )


def check_masses(name: str, law: Density, ends: tuple[float, float], stated: Stated) -> None:
    """Raise ParameterError where cdf, tail and density of one law are seen to contradict each other."""
    x = np.linspace(*ends, POINTS)
    below, above = _numbers(name, "cdf", law.cdf(x), x), _numbers(name, "sf", law.sf(x), x)
    slack = 2.0 * stated.cdf_error + roundoff(8)
    for word, values in (("cdf", below), ("sf", above)):
        if not (np.all(values >= 0.0) and np.all(values <= 1.0 + slack)):
            raise ParameterError(name, f"a law whose {word} is from 0 to 1", float(values[np.argmax(np.abs(values))]))
        if np.any((values > 0.0) & (values < LEAST)):
            raise ParameterError("between", f"such that {name}.{word} is 0 or at least {LEAST:g} there", ends)
    wrong = np.abs(below + above - 1.0) > slack
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ParameterError(name, "a law with cdf + sf = 1", f"{below[place] + above[place]!r} at {x[place]:.6g}")
    _check_density(name, law, ends, stated)


def _check_density(name: str, law: Density, ends: tuple[float, float], stated: Stated) -> None:
    half = NARROW * (ends[1] - ends[0])
    x = np.linspace(ends[0] + half, ends[1] - half, SPOTS)
    left, right = x - half, x + half
    densities = np.exp(np.stack([np.asarray(law.logpdf(at), dtype=np.float64) for at in (left, x, right)]))
    below, above = ([np.asarray(part(at)) for at in (left, right)] for part in (law.cdf, law.sf))
    by_tails = below[1] > above[0]
    masses = np.where(by_tails, above[0] - above[1], below[1] - below[0])
    sizes = np.where(by_tails, above[0], below[1])
    expected = densities[1] * (right - left)
    clear = (densities.max(axis=0) <= EVEN * densities.min(axis=0)) & (
        (stated.cdf_error + roundoff(4)) * sizes < 0.01 * expected
    )
    false = clear & ~((masses > expected / FALSE) & (masses < expected * FALSE))
    if false.any():
        place = int(np.argmax(false))
        raise ParameterError(
            name,
            "a law whose cdf has the stated density as its slope",
            f"{masses[place] / (right - left)[place]:.6g} in place of {densities[1][place]:.6g} at {x[place]:.6g}",
        )


def check_cells(
    p: Array,
    q: Array,
    losses: Array,
    p_tails: tuple[float, float],
    q_tails: tuple[float, float],
    margin: float,
) -> None:
    """Raise ParameterError where log(p/q) of a cell, or of a tail, is not between the losses at its ends."""
    masses_p, masses_q = (np.concatenate([[tails[0]], one, [tails[1]]]) for one, tails in ((p, p_tails), (q, q_tails)))
    low, high = np.append(-np.inf, losses), np.append(losses, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(masses_p) - np.log(masses_q)
    slack = 2.0 * margin + roundoff(16, 700.0)
    # Where neither law has anything there is nothing to compare.
    wrong = ~((ratio >= low - slack) & (ratio <= high + slack)) & ((masses_p > 0.0) | (masses_q > 0.0))
    # A mass may underflow before the other one does.
    wrong &= np.maximum(masses_p, masses_q) >= LEAST
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ParameterError(
            "p and q",
            "such that log p/q of a cell lies between the losses at its ends",
            f"{ratio[place]:.6g} beside {low[place]:.6g} and {high[place]:.6g}",
        )


def _numbers(name: str, part: str, values: object, x: Array) -> Array:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, f"a law whose {part} returns numbers", values) from None
    if array.shape != x.shape or np.isnan(array).any():
        raise ParameterError(name, f"a law whose {part} returns a number for each point", f"shape {array.shape}")
    return array
