"""Privacy loss distributions with an upper and a lower law for every step; composition and evaluation are lazy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import inf, isfinite
from numbers import Integral
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from ..core.directed import Ends, enlarge, roundoff, shrink
from ..core.errors import ParameterError
from ..core.interval import ErrorBudget, Interval, apply_cap
from ..core.outward_decimals import down, up
from ..core.parameters import PARAMETERS, parse, range_words
from . import curve_inversion, one_large_loss
from .delta_curve import DeltaCurve
from .direction_search import TRIM, WIDE, DirectionSearch, budget_of
from .law_bounds import CutBounds, Parts
from .loss_total import Total
from .step_losses import Atoms, Law
from .step_totals import LEAST_OF_FEW_CELLS, WIDTH_OF_CELLS, on_nodes, totals
from .tilted_total import tilt

# Relative width in delta asked of the inversion by default.
WIDTH = 1e-6
# Relative widths beyond which an answer of nodes is left for cells: of an epsilon, and of a delta.
WIDE_ON_NODES = 1e-4
WIDE_OF_DELTA = 1e-3
# Relative width beyond which an answer of few cells, or of steps folded into two, is left for the finest cells: of a
# record added, eight sampled steps folded had 70 % of delta and 2.6 % of epsilon, the finest cells .03 and .001 %.
WIDE_OF_CELLS = 1e-2
# The most copies of a mechanism that are composed by one call.
MOST_COPIES = 10**15


@dataclass(frozen=True, eq=False, slots=True)
class PrivacyLossDistribution:
    """The loss of a mechanism, or of mechanisms composed; its answers are intervals that contain the truth.

    ``forward`` holds the steps for (P, Q), each with the number of its occurrences, ``backward`` those for (Q, P), or
    None where the two are alike.  Answers are for the worse direction.  ``is_one_way``: only (P, Q) is meant, nothing
    is said of (Q, P), and the same holds for compositions.  Composition is valid for adaptively chosen mechanisms, too,
    each dominated by the given one.
    """

    name: str
    forward: Parts = field(repr=False)
    backward: Parts | None = field(repr=False, default=None)
    is_one_way: bool = field(repr=False, default=False, kw_only=True)

    def compose(self, other: PrivacyLossDistribution | int) -> PrivacyLossDistribution:
        """Return the composition with another mechanism, or of ``other`` copies of this one.

        Parameters
        ----------
        other : PrivacyLossDistribution or int
            A mechanism that is released independently, or the number of copies, from 1 to 10^15.

        Raises
        ------
        ParameterError
            If ``other`` is neither of them.

        """
        if isinstance(other, PrivacyLossDistribution):
            return compose_all([self, other])
        if isinstance(other, bool) or not isinstance(other, Integral) or not 1 <= other <= MOST_COPIES:
            raise ParameterError(
                "copies", f"a PrivacyLossDistribution or an integer {range_words(1, MOST_COPIES)}", other
            )
        copies = int(other)

        def repeat(parts: Parts) -> Parts:
            return tuple((bounds, count * copies) for bounds, count in parts)

        backward = None if self.backward is None else repeat(self.backward)
        return replace(self, name=f"{copies} x {self.name}", forward=repeat(self.forward), backward=backward)

    @property
    def reversed(self) -> PrivacyLossDistribution:
        """The distribution for (Q, P) in place of (P, Q).

        Raises ParameterError if only (P, Q) is known.
        """
        if self.is_one_way:
            raise ParameterError("loss", "of both directions: take reversed before one_way", self.name)
        if self.backward is None:
            return self
        return PrivacyLossDistribution(f"{self.name}, reversed", self.backward, self.forward)

    @property
    def one_way(self) -> PrivacyLossDistribution:
        """The direction (P, Q) alone."""
        return PrivacyLossDistribution(f"{self.name}, one way", self.forward, is_one_way=True)

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon at which the mechanism is (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in (0, 1)
        width : float in (0, 1)
            Relative width in delta that the Fourier inversion may add to that of the losses themselves.

        Returns
        -------
        Interval
            Infinite where the loss is infinite with a probability above delta.

        Raises
        ------
        ParameterError
            If ``delta`` or ``width`` is not in (0, 1).

        """
        parameters = parse(delta=delta, width=width)
        nodes = self._on_nodes
        if nodes is not None:
            interval = nodes.epsilon(parameters["delta"], max(parameters["width"], WIDTH_OF_CELLS))
            if interval.upper <= (1.0 + WIDE_ON_NODES) * interval.lower:
                return interval
            return interval.meet(self._epsilon_of_cells(parameters["delta"], parameters["width"]))
        return self._epsilon_of_cells(parameters["delta"], parameters["width"])

    def _epsilon_of_cells(self, delta: float, width: float) -> Interval:
        """Return epsilon by laws of cells, by the finest ones as well where it is wide."""
        interval = self._epsilon_down_to(delta, width, delta)
        if self._has_cells and interval.upper > (1.0 + WIDE_OF_CELLS) * interval.lower:
            return interval.meet(self._epsilon_down_to(delta, width, 0.0))
        return interval

    def _epsilon_down_to(self, delta: float, width: float, least: float) -> Interval:
        """Return epsilon by cells that reach a delta of ``least``."""
        sides = [DirectionSearch.of(parts, delta, width, least) for parts in self._ways]
        # The worse direction first: the other one need only be shown to be better.
        sides.sort(key=lambda one: -one.above.start)
        intervals = [sides[0].answer()]
        for one in sides[1:]:
            if not one.above.at(intervals[0].lower).upper <= delta:
                intervals.append(one.answer())
        return Interval.largest(intervals)

    def delta(self, epsilon: float | ArrayLike, width: float = WIDTH) -> Any:
        """Return the smallest delta at which the mechanism is (epsilon, delta)-DP.

        Parameters
        ----------
        epsilon : float, or an array of floats
            At least 0.
        width : float in (0, 1)
            Relative width asked of each interval.

        Returns
        -------
        Interval or DeltaCurve
            A DeltaCurve for an array, whose neighbouring epsilons share the work.

        Raises
        ------
        ParameterError
            If ``epsilon`` or ``width`` is out of its range.

        """
        width = PARAMETERS["width"].parse(width)
        if np.ndim(epsilon) == 0:  # type: ignore[arg-type]
            return self.deltas([PARAMETERS["epsilon"].parse(epsilon)], width)[0]
        values = [PARAMETERS["epsilon"].parse(value) for value in np.asarray(epsilon).ravel().tolist()]
        intervals = self.deltas(values, width)
        return DeltaCurve(
            np.array(values), np.array([one.lower for one in intervals]), np.array([one.upper for one in intervals])
        )

    def renyi(self, order: float) -> Interval:
        r"""Return the Renyi divergence of this order > 1, the larger of the two directions.

        :math:`D_\alpha(P\|Q) = K(\alpha - 1)/(\alpha - 1)` with K the log of the loss's moment generating function.

        Parameters
        ----------
        order : float
            Above 1.

        Raises
        ------
        ParameterError
            If ``order`` is out of its range.

        """
        order = parse(order=order)["order"]
        return Interval.largest(self._renyi(parts, order) for parts in self._ways)

    @property
    def _on_nodes(self) -> PrivacyLossDistribution | None:
        """The same composition with nodes in place of cells, or None where cells are as good."""
        ways = [parts for parts in map(on_nodes, self._ways) if parts is not None]
        if len(ways) < len(self._ways):
            return None
        return replace(self, forward=ways[0], backward=None if self.backward is None else ways[1])

    @property
    def _ways(self) -> tuple[Parts, ...]:
        return (self.forward,) if self.backward is None else (self.forward, self.backward)

    def deltas(self, epsilons: Sequence[float], width: float) -> list[Interval]:
        """Return delta at every epsilon >= 0."""
        nodes = self._on_nodes
        if nodes is not None:
            answers = nodes.deltas(epsilons, max(width, WIDTH_OF_CELLS))
            wide = [i for i, answer in enumerate(answers) if answer.upper > (1.0 + WIDE_OF_DELTA) * answer.lower]
            for i, answer in zip(wide, self._deltas_of_cells([epsilons[i] for i in wide], width), strict=True):
                answers[i] = answers[i].meet(answer)
            return answers
        return self._deltas_of_cells(epsilons, width)

    def _deltas_of_cells(self, epsilons: Sequence[float], width: float) -> list[Interval]:
        """Return delta at every epsilon by laws of cells, by the finest ones as well where it may be tiny or wide."""
        if not epsilons:
            return []
        answers = self._deltas_down_to(epsilons, width, LEAST_OF_FEW_CELLS)
        wide = [
            i
            for i, answer in enumerate(answers)
            if answer.lower < LEAST_OF_FEW_CELLS or answer.upper > (1.0 + WIDE_OF_CELLS) * answer.lower
        ]
        if wide and self._has_cells:
            for i, answer in zip(wide, self._deltas_down_to([epsilons[i] for i in wide], width, 0.0), strict=True):
                answers[i] = answers[i].meet(answer)
        return answers

    @property
    def _has_cells(self) -> bool:
        """Whether the laws of some parts may be cut into finer cells."""
        return any(isinstance(bounds, CutBounds) for parts in self._ways for bounds, _ in parts)

    def _deltas_down_to(self, epsilons: Sequence[float], width: float, least: float) -> list[Interval]:
        points, sides, answers = np.array(epsilons), [], []
        for parts in self._ways:
            above, below, wide = totals(parts, width, least)
            high = curve_inversion.delta(above, points, wide, include_cuts=True)
            low = high if below is above else curve_inversion.delta(below, points, wide)
            sides.append((above, below, wide, sum(count for _, count in parts)))
            answers.append([_delta_interval(a, b) for a, b in zip(low, high, strict=True)])
        for place, epsilon in enumerate(epsilons):
            for _ in range(2):  # the second round has a better estimate of delta
                least = max(intervals[place].lower for intervals in answers)
                for intervals, (above, below, wide, count) in zip(answers, sides, strict=True):
                    if below is not above and count > 1 and intervals[place].upper > (1.0 + WIDE) * least > 0.0:
                        intervals[place] = _retry(above, below, epsilon, intervals[place], TRIM * least, wide)
                    if intervals[place].upper > (1.0 + WIDE) * intervals[place].lower:
                        intervals[place] = _with_large_loss(below, epsilon, intervals[place])
        return [Interval.largest(intervals) for intervals in zip(*answers, strict=True)]

    def _renyi(self, parts: Parts, order: float) -> Interval:
        """Return the Renyi divergence of one direction, from the sum of the log moments of its parts.

        A law whose tails are cut off gives the log moment without the cut at orders that would see the cut.
        """
        theta, ends = order - 1.0, []
        above, below = [(bounds.upper, n) for bounds, n in parts], [(bounds.lower, n) for bounds, n in parts]
        for laws in (above, below):
            high = low = 0.0
            whole = [(law, count) for law, count in laws if not _is_cut(law, order)]
            for law, count in laws:
                if not _is_cut(law, order):
                    continue
                down, up = law.moment(theta) if law.moment is not None else (0.0, inf)
                low, high = low + shrink(count * down, 4), high + enlarge(count * up, 4)
            if whole:
                down, up = _moment(Total.of(whole), theta)
                low, high = low + down, high + up
            ends.append((max(shrink(low, 4), 0.0) / theta, enlarge(high, 4) / theta))
        upper = ends[0][1] if isfinite(ends[0][1]) else inf
        return apply_cap(Interval(_representable(ends[1][0]), upper, "renyi"))

    def __repr__(self) -> str:
        return f"<PrivacyLossDistribution: {self.name}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{delta:g}</td><td>{down(interval.lower, 8)}</td><td>{up(interval.upper, 8)}</td></tr>"
            for delta, interval in ((delta, self.epsilon(delta)) for delta in (1e-3, 1e-6, 1e-9))
        )
        head = "<tr><th>delta</th><th>epsilon, lower</th><th>upper</th></tr>"
        return f"<table><caption>{escape(self.name)}</caption>{head}{rows}</table>"


def compose_all(losses: Iterable[PrivacyLossDistribution]) -> PrivacyLossDistribution:
    """Return the composition of mechanisms that run one after another on the same data.

    The same object given twice costs no more than once.  The composition is of the direction (P, Q) alone if one of
    them is.  Raises ParameterError if there are none, or if one of them is not a PrivacyLossDistribution.
    """
    chain = list(losses)
    if not chain:
        raise ParameterError("losses", "at least one PrivacyLossDistribution", "none")
    for loss in chain:
        if not isinstance(loss, PrivacyLossDistribution):
            raise ParameterError("losses", "PrivacyLossDistributions", loss)
    forward = tuple(part for loss in chain for part in loss.forward)
    backward, is_one_way = None, any(loss.is_one_way for loss in chain)
    if not is_one_way and any(loss.backward is not None for loss in chain):
        backward = tuple(part for loss in chain for part in (loss.forward if loss.backward is None else loss.backward))
    name = " + ".join(loss.name for loss in chain) if len(chain) <= 3 else f"{len(chain)} mechanisms composed"
    return PrivacyLossDistribution(name, forward, backward, is_one_way=is_one_way)


def _is_cut(law: Law, order: float) -> TypeGuard[Atoms]:
    """Return whether tails of the law are cut off that this order would see."""
    return isinstance(law, Atoms) and order > law.largest_order


def _moment(total: Total, theta: float) -> tuple[float, float]:
    """Return log E exp(theta L) of a sum, rounded down and up."""
    if total.infinity > 0.0:
        return inf, inf
    state = tilt(total, theta)
    slack = state.error + roundoff(16, abs(state.cumulant))
    low, high = state.cumulant - slack, state.cumulant + slack
    # At most theta times the largest loss; what is not a number is known no better.
    most = enlarge(theta * total.largest, 4)
    return (low if isfinite(low) else 0.0), (min(high, most) if isfinite(high) else most)


def _representable(value: float) -> float:
    """Return a lower end, or 0 where it is minus infinity or not a number."""
    return value if value == inf or isfinite(value) else 0.0


def _retry(above: Total, below: Total, epsilon: float, interval: Interval, mass: float, width: float) -> Interval:
    """Return a wide answer or, if that is narrower, the answer without tails that are too rare to matter."""
    high = _delta_at(above.trim(mass, drop=False), epsilon, width, include_cuts=True)
    low = _delta_at(below.trim(mass, drop=True), epsilon, width)
    trimmed_interval = _delta_interval(low, high)
    return trimmed_interval if trimmed_interval.width < interval.width else interval


def _with_large_loss(below: Total, epsilon: float, interval: Interval) -> Interval:
    """Return a wide answer with the lower end of a test on single steps, where that is larger."""
    lower = one_large_loss.delta(below, epsilon)
    if not lower > interval.lower:
        return interval
    upper = interval.upper
    return Interval(lower, upper, "delta", ErrorBudget(upper - lower, 0.0, 0.0))


def _delta_at(total: Total, epsilon: float, width: float, *, include_cuts: bool = False) -> Ends:
    return curve_inversion.delta(total, np.array([epsilon]), width, include_cuts=include_cuts)[0]


def _delta_interval(low: Ends, high: Ends) -> Interval:
    ends = Ends(low.lower, high.upper, high.truncation + low.truncation, high.rounding + low.rounding)
    return apply_cap(Interval(low.lower, high.upper, "delta", budget_of(ends)))
