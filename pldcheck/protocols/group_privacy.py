r"""Answers for a group of records: data sets that differ in at most k records.

**In general.** A chain of k + 1 data sets, neighbours one by one, leads from one data set to the other. If each step
is (epsilon, delta)-DP, then for every event :math:`P_0 \le e^\epsilon P_1 + \delta \le \dots \le e^{k \epsilon} P_k +
\delta \sum_{i < k} e^{i \epsilon}`: the group has :math:`(k \epsilon, \delta (e^{k \epsilon} - 1)/(e^\epsilon - 1))`.
Source: Vadhan, The complexity of differential privacy (2017), Lemma 2.2, whose :math:`k e^{k \epsilon} \delta` is the
same sum, each term rounded up; Dwork and Roth (2014), Theorem 2.2, for delta = 0. At most k records may be one, so the
lower end is that of a single record.

**Exactly.** k records move a sum by k times as much as one: Gaussian and Laplace noise have a k-th of their size over
the sensitivity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from ..core.directed import enlarge, exp_upper, float_above, float_below
from ..core.errors import Unsupported
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, parse
from ..core.roots import halve
from .answers_at_each import delta_at_each, epsilon_at_each
from .curve_answers import CurveAnswers
from .pure_epsilon import repeated

# Adjacencies that leave the number of records as it is, so that all data sets of a chain have the same number.
SAME_NUMBER = ("replace", "zero-out")
# Parameters that are a number of records.
NUMBERS_OF_RECORDS = ("clients", "records")
# The factor between trials for an upper end of epsilon: its bracket is a quarter wide.
GROWTH = 1.25
# The most trials, which reach some 600,000 times the first epsilon.
TRIALS = 60
# An upper end of epsilon is searched to this relative width at least.
CLOSE = 1e-3
# The sources of both ends, in words.
SOURCES = ("a single record", "group privacy, along a chain of data sets (Vadhan 2017, Lemma 2.2)")


@dataclass(frozen=True)
class GroupPrivacy(CurveAnswers):
    """A protocol for data sets that differ in at most ``records`` records.

    ``epsilon``, ``delta``, ``profile``, ``tradeoff`` and ``gdp`` are asked as of a protocol.

    Attributes
    ----------
    protocol : Protocol
        The protocol, whose own answers are for one record.
    records : int
        The number of records of the group.

    Examples
    --------
    >>> from pldcheck import RandomizedResponse
    >>> print(RandomizedResponse(steps=1, eps0=0.5).for_group(2).epsilon(1e-300))
    epsilon in [0.499999, 1]

    """

    protocol: Any
    records: int

    @property
    def default_width(self) -> float:  # type: ignore[override]
        """Relative width asked of answers of the protocol by default."""
        width: float = self.protocol.default_width
        return width

    @property
    def exchanged(self) -> GroupPrivacy:  # type: ignore[override]
        """The group for the exchanged pairs of data sets."""
        other = self.protocol.exchanged
        return self if other is self.protocol else GroupPrivacy(other, self.records)

    @property
    def gaussian_ends(self) -> tuple[float, float] | None:  # type: ignore[override]
        """Floats around the mu of what is exactly mu-GDP, or None."""
        exact = self._exact
        if exact is None or exact[0].gaussian_ends is None:
            return None
        return exact[0].gaussian_ends[0], exact[1].gaussian_ends[1]

    def deltas_together(self, epsilons: Any, width: float) -> None:
        """Return None: one by one is as fast."""

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = 0.0) -> Interval:
        """Return the smallest epsilon such that the protocol is (epsilon, delta)-DP for the group."""
        if self._exact is not None:
            return _between(*self._exact, lambda one: one.epsilon(delta, width))
        target = parse(delta=delta)["delta"]
        single = self.protocol.epsilon(delta, width)
        return Interval(single.lower, self._least_epsilon(target, single.upper, width), "epsilon", sources=SOURCES)

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0: that of one record from below, so many times as much from above."""
        if self._exact is not None:
            return _between(*self._exact, lambda one: one.pure_epsilon())
        single: Interval = self.protocol.pure_epsilon()
        return Interval(single.lower, repeated(0.0, single.upper, self.records).upper, "epsilon", sources=SOURCES)

    @delta_at_each
    def delta(self, epsilon: float, width: float = 0.0) -> Interval:
        """Return the smallest delta such that the protocol is (epsilon, delta)-DP for the group."""
        if self._exact is not None:
            return _between(*self._exact, lambda one: one.delta(epsilon, width))
        single = self.protocol.delta(epsilon, width)
        upper = self._delta_above(parse(epsilon=epsilon)["epsilon"], width)
        return Interval(single.lower, upper, "delta", sources=SOURCES)

    @property
    def _exact(self) -> tuple[Any, Any] | None:
        exact: tuple[Any, Any] | None = self.protocol.with_group(self.records)
        return exact

    def _delta_above(self, epsilon: float, width: float) -> float:
        """Return an upper end of delta at an epsilon, by the bound at a k-th of it, rounded down."""
        share = float_below(Fraction(epsilon) / self.records)
        single: float = self.protocol.delta(share, width).upper
        if single == 0.0:
            return 0.0
        terms = sum(exp_upper(step * share, step * share) for step in range(self.records))
        return min(enlarge(single * enlarge(terms, 2 * self.records), 4), 1.0)

    def _least_epsilon(self, target: float, start: float, width: float) -> float:
        """Return an epsilon whose upper end of delta is at most the target; it is infinite where none is met."""
        if not isfinite(start):
            return start
        # Where the loss is bounded, its multiple is enough.
        multiple = float_above(Fraction(start) * self.records)
        low, high = (0.0, start) if self._delta_above(multiple, width) > target else (start, multiple)
        for _ in range(TRIALS):
            if self._delta_above(high, width) <= target:
                break
            low, high = high, max(high * GROWTH, 1e-9)
        else:
            return float("inf")
        if high == 0.0:
            return high
        close = max(width, CLOSE)
        return halve(lambda one: self._delta_above(one, width) > target, low, high, relative=close)[1]


def group_of(protocol: Any, records: object) -> GroupPrivacy:
    """Return the protocol for a group; see :meth:`pldcheck.protocols.base.Protocol.for_group`."""
    count = PARAMETERS["group"].parse(records)
    if not protocol.supports("delta"):
        raise protocol.refusal("delta")
    fixed = [name for name in NUMBERS_OF_RECORDS if protocol.params().get(name) is not None]
    if fixed and protocol.adjacency not in SAME_NUMBER:
        reason = f"data sets between the two have another number of {fixed[0]}"
        raise Unsupported(protocol.name, "answer for a group of records", reason)
    return GroupPrivacy(protocol, int(count))


def _between(below: Any, above: Any, ask: Callable[[Any], Interval]) -> Interval:
    """Return the interval from the lower answer of one protocol to the upper answer of another, perhaps the same."""
    least = ask(below)
    if above == below:
        return least
    return ask(above).with_lower(least)
