r"""Gaussian mechanisms that dominate a protocol, or are dominated by it, certified at every epsilon.

Let G_mu be the delta of N(mu, 1) against N(0, 1), f_mu its trade-off function, f that of the protocol, and delta_0 >=
0 an allowance. mu *dominates* if :math:`\delta(\epsilon) \le G_\mu(\epsilon) + \delta_0` for every epsilon >= 0 and
both orders of the laws; it *is dominated* if :math:`G_\mu(\epsilon) \le \delta(\epsilon) + \delta_0` there. G_mu grows
with mu, so there is a least mu of the first kind and a largest of the second.

**Upper end of the first.** Let h be the largest of the lines below f (:mod:`pldcheck.pld.tradeoff_lines`) and 0: it is
piecewise linear, and :math:`f_\mu - \delta_0` is convex, so that it is at most h on [0, 1] if it is at the corners of
h. Then :math:`f_\mu - \delta_0 \le f`, and the conjugates give :math:`\delta \le G_\mu + \delta_0`. At a corner
(alpha, beta) it says :math:`\mu \ge -\Phi^{-1}(\alpha) - \Phi^{-1}(\beta + \delta_0)`. Where exchanged pairs have
another curve, the same is asked of the inverse of h.

**Lower end of the second.** Let the lines :math:`1 - d - \kappa \alpha` be above f. Each of them is at most
:math:`f_\mu + \delta_0` if and only if :math:`G_\mu(\log \kappa) \le d + \delta_0`; then :math:`f \le f_\mu +
\delta_0`, and the conjugates give the claim.

**The other ends** are necessary conditions at single epsilons: :math:`G_\mu(\epsilon) \ge l - \delta_0` with a lower
end l of delta, :math:`G_\mu(\epsilon) \le u + \delta_0` with an upper end u.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

from .. import pld
from ..core.directed import Side
from ..core.interval import Interval
from ..core.parameters import number_text
from .profile_points import Points

if TYPE_CHECKING:
    from ..pld.tradeoff_lines import Lines

# The names of the two numbers.
DOMINATING = "least dominating mu"
DOMINATED = "largest dominated mu"


@dataclass(frozen=True)
class GaussianDominance:
    """The Gaussian mechanisms N(mu, 1) against N(0, 1) above and below a protocol.

    Attributes
    ----------
    dominating : Interval
        The least mu that dominates the protocol: with its upper end the protocol is mu-GDP, up to ``delta``; with less
        than its lower end it is not.
    dominated : Interval
        The largest mu that the protocol dominates: it is at least as revealing, up to ``delta``, as the Gaussian
        mechanism of the lower end, and not at least as revealing as that of any mu above the upper end.
    delta : float
        What is allowed beside the Gaussian, in both.

    Examples
    --------
    >>> from pldcheck import Gaussian
    >>> print(Gaussian(sigma=2.0, steps=16).gdp())
    least dominating mu in [2, 2]
    largest dominated mu in [2, 2]

    """

    dominating: Interval
    dominated: Interval
    delta: float = 0.0

    @classmethod
    def exactly(cls, lower: float, upper: float) -> GaussianDominance:
        """Return the answer of a Gaussian mechanism whose mu is between two floats."""
        return cls(Interval(lower, upper, DOMINATING), Interval(lower, upper, DOMINATED))

    def to_dict(self) -> dict[str, Any]:
        """Return both intervals and delta as plain numbers and mappings that JSON can store."""
        return {"dominating": self.dominating.to_dict(), "dominated": self.dominated.to_dict(), "delta": self.delta}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GaussianDominance:
        """Return the answer that :meth:`to_dict` wrote, bit by bit."""
        read = Interval.from_dict
        return cls(read(values["dominating"]), read(values["dominated"]), float(values["delta"]))

    def __str__(self) -> str:
        beside = f", with {number_text(self.delta)} beside it" if self.delta else ""
        return f"{self.dominating!s}{beside}\n{self.dominated!s}{beside}"

    def _repr_html_(self) -> str:
        lines = "".join(f"<tr><td>{escape(line)}</td></tr>" for line in str(self).splitlines())
        return f"<table><caption>certified Gaussian parameters</caption>{lines}</table>"


def gaussian_dominance(forward: Points, backward: Points, delta: float) -> GaussianDominance:
    """Return the answer for deltas of the pairs and of the exchanged pairs, up to an allowance."""
    below = pld.tradeoff_lines.lines_below(forward, backward)
    above = pld.tradeoff_lines.lines_above(forward, backward)
    allowance, points = Fraction(delta), [*forward, *backward] if backward is not forward else list(forward)
    both = (below,) if backward is forward else (below, below.exchanged)
    least = max(_at_corners(lines, allowance) for lines in both)
    most = _smallest(((epsilon, Fraction(one.upper) + allowance) for epsilon, one in points), Side.UPPER)
    return GaussianDominance(
        Interval(_largest(points, allowance), least, DOMINATING),
        Interval(_at_lines(above, allowance), most, DOMINATED),
        delta,
    )


def _at_corners(lines: Lines, allowance: Fraction) -> float:
    """Return a mu with f_mu - allowance at most the largest of the lines, or infinity if there is none."""
    quantile, least = pld.gaussian_parameter.quantile_below, 0.0
    for alpha, beta in lines.corners:
        allowed = beta + allowance
        if alpha == 1 or allowed >= 1:
            continue
        if alpha == 0 or allowed == 0:
            return inf
        least = max(least, nextafter(-(quantile(alpha) + quantile(allowed)), inf))
    return least


def _largest(points: Iterable[tuple[float, Interval]], allowance: Fraction) -> float:
    """Return a mu that no dominating mu is below."""
    parameter, most = pld.gaussian_parameter, 0.0
    for epsilon, one in points:
        needed = Fraction(one.lower) - allowance
        if needed > 0 and (most == 0.0 or parameter.is_enough(most, epsilon, needed, Side.LOWER)):
            most = max(most, parameter.parameter_of(epsilon, needed, Side.LOWER))
    return most


def _at_lines(above: Lines, allowance: Fraction) -> float:
    """Return a mu such that each of the lines is at most f_mu + allowance."""
    lines, log = {*above.forward, *above.backward}, pld.gaussian_parameter.log
    pairs = ((log(line.kappa), Fraction(line.delta) + allowance) for line in lines)
    return _smallest(pairs, Side.LOWER)


def _smallest(pairs: Iterable[tuple[Any, Fraction]], side: Side) -> float:
    """Return the least mu of some epsilons and deltas, each rounded to the side."""
    parameter, least = pld.gaussian_parameter, inf
    for epsilon, height in sorted(pairs, key=lambda pair: pair[1]):
        if height < 1 and (least == inf or not parameter.is_enough(least, epsilon, height, Side.LOWER)):
            least = min(least, parameter.parameter_of(epsilon, height, side))
    return least
