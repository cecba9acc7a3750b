"""Privacy loss distributions with both sides in one object, composed without being computed until they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError, PldcheckError
from ..interval import UNDERFLOW, ErrorBudget, Interval
from ..parameters import PARAMETERS, parse
from . import solve
from .contour import Ends
from .losses import UNIT, Array, Law
from .total import Total, tilt

# Relative width in delta asked of the inversion by default.
WIDTH = 1e-6
# Asked of it where the losses themselves are known less well than that: cells of a continuous mechanism.
WIDTH_OF_CELLS = 2e-5
# Tails of cells that are trimmed, relative to delta.
TRIM = 1e-6
# Relative width of a delta from which on trimming is tried.
WIDE = 1e-3
MOST_COPIES = 10**15


@dataclass(frozen=True, eq=False, slots=True)
class Sided:
    """One step: a loss that dominates it and one that it dominates, in every hockey-stick divergence.

    They are the same object where the loss is represented exactly.
    """

    upper: Law
    lower: Law

    @classmethod
    def exact(cls, law: Law) -> Sided:
        """Both sides from one law."""
        return cls(law, law)


Parts = tuple[tuple[Sided, int], ...]


@dataclass(frozen=True, eq=False)
class DeltaCurve:
    """delta at many epsilons: ``lower <= delta <= upper``, arrays of one length."""

    epsilons: Array
    lower: Array
    upper: Array

    def to_pandas(self):
        """A pandas DataFrame with the columns epsilon, lower, upper."""
        try:
            from pandas import DataFrame  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError:
            raise PldcheckError("to_pandas needs pandas, which is not installed") from None
        return DataFrame({"epsilon": self.epsilons, "lower": self.lower, "upper": self.upper})

    def __len__(self) -> int:
        return self.epsilons.size

    def _repr_html_(self) -> str:
        rows = zip(self.epsilons, self.lower, self.upper, strict=True)
        body = "".join(f"<tr><td>{e:.6g}</td><td>{low:.10g}</td><td>{high:.10g}</td></tr>" for e, low, high in rows)
        head = "<tr><th>epsilon</th><th>delta, lower</th><th>upper</th></tr>"
        return f"<table><caption>certified delta</caption>{head}{body}</table>"


@dataclass(frozen=True, eq=False, slots=True)
class PrivacyLossDistribution:
    """The loss of a mechanism, or of mechanisms composed; its answers are intervals that contain the truth.

    ``forward`` holds the steps for (P, Q), each with the number of its occurrences, ``backward`` those for (Q, P), or
    None where the two are alike.  Answers are for the worse direction.  Composition is valid for adaptively chosen
    mechanisms, too, each dominated by the given one.
    """

    name: str
    forward: Parts = field(repr=False)
    backward: Parts | None = field(repr=False, default=None)

    def compose(self, other: PrivacyLossDistribution | int) -> PrivacyLossDistribution:
        """With another mechanism, or ``other`` times with itself."""
        if isinstance(other, PrivacyLossDistribution):
            return compose_all([self, other])
        if isinstance(other, bool) or not isinstance(other, Integral) or not 1 <= other <= MOST_COPIES:
            raise ParameterError("copies", f"a PrivacyLossDistribution or an integer in [1, {MOST_COPIES:g}]", other)
        copies = int(other)

        def repeated(parts: Parts) -> Parts:
            return tuple((sided, count * copies) for sided, count in parts)

        backward = None if self.backward is None else repeated(self.backward)
        return PrivacyLossDistribution(f"{copies} x {self.name}", repeated(self.forward), backward)

    @property
    def reversed(self) -> PrivacyLossDistribution:
        """The same for (Q, P)."""
        if self.backward is None:
            return self
        return PrivacyLossDistribution(f"{self.name}, reversed", self.backward, self.forward)

    @property
    def one_way(self) -> PrivacyLossDistribution:
        """The direction (P, Q) alone."""
        return PrivacyLossDistribution(f"{self.name}, one way", self.forward, None)

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """The smallest epsilon at which the mechanism is (epsilon, delta)-DP.

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
        given = parse(delta=delta, width=width)
        sides = [_Sides.of(parts, given["delta"], given["width"]) for parts in self._ways]
        # The worse direction first: the other one need only be shown to be better.
        sides.sort(key=lambda one: -one.above.start)
        found = [sides[0].answer()]
        for one in sides[1:]:
            if not one.above.at(found[0].lower).upper <= given["delta"] - UNDERFLOW:
                found.append(one.answer())
        return _worse(found)

    def delta(self, epsilon: float | ArrayLike, width: float = WIDTH) -> Any:
        """The smallest delta at which the mechanism is (epsilon, delta)-DP.

        An Interval for a number ``epsilon`` >= 0, a DeltaCurve for a sequence of them; neighbouring ones share the
        work.
        """
        width = PARAMETERS["width"].parse(width)
        if np.ndim(epsilon) == 0:  # type: ignore[arg-type]
            return self._deltas([PARAMETERS["epsilon"].parse(epsilon)], width)[0]
        values = [PARAMETERS["epsilon"].parse(value) for value in np.asarray(epsilon).ravel().tolist()]
        found = self._deltas(values, width)
        return DeltaCurve(
            np.array(values), np.array([one.lower for one in found]), np.array([one.upper for one in found])
        )

    def renyi(self, order: float) -> Interval:
        r"""The Renyi divergence of this order > 1, the larger of the two directions.

        :math:`D_\alpha(P\|Q) = K(\alpha - 1)/(\alpha - 1)` with K the log of the loss's moment generating function.
        """
        order = parse(order=order)["order"]
        return _worse([self._renyi(parts, order) for parts in self._ways])

    @property
    def _ways(self) -> tuple[Parts, ...]:
        return (self.forward,) if self.backward is None else (self.forward, self.backward)

    def _deltas(self, epsilons: Sequence[float], width: float) -> list[Interval]:
        points, sides, answers = np.array(epsilons), [], []
        for parts in self._ways:
            above, below, wide = _totals(parts, width)
            high = solve.delta(above, points, wide)
            low = high if below is above else solve.delta(below, points, wide)
            sides.append((above, below, wide, sum(count for _, count in parts)))
            answers.append([_delta_interval(a, b) for a, b in zip(low, high, strict=True)])
        for at, epsilon in enumerate(epsilons):
            for _ in range(2):  # the second time with a better idea of delta
                least = max(found[at].lower for found in answers)
                for found, (above, below, wide, count) in zip(answers, sides, strict=True):
                    if below is not above and count > 1 and found[at].upper > (1.0 + WIDE) * least > 0.0:
                        found[at] = _retried(above, below, epsilon, found[at], TRIM * least, wide)
        return [_worse(list(found)) for found in zip(*answers, strict=True)]

    def _renyi(self, parts: Parts, order: float) -> Interval:
        ends = []
        cut_off = order > min(getattr(sided.upper, "largest_order", np.inf) for sided, _ in parts)
        for total in _totals(parts, WIDTH)[:2]:
            if total.infinity > 0.0:
                ends.append((np.inf, np.inf))
                continue
            state = tilt(total, order - 1.0)
            slack = (state.error + 16 * UNIT * abs(state.cumulant)) / (order - 1.0)
            value = state.cumulant / (order - 1.0)
            ends.append((max(value - slack, 0.0), value + slack))
        return Interval(ends[1][0], np.inf if cut_off else ends[0][1], "renyi")

    def __repr__(self) -> str:
        return f"<PrivacyLossDistribution: {self.name}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{delta:g}</td><td>{found.lower:.8g}</td><td>{found.upper:.8g}</td></tr>"
            for delta, found in ((delta, self.epsilon(delta)) for delta in (1e-3, 1e-6, 1e-9))
        )
        head = "<tr><th>delta</th><th>epsilon, lower</th><th>upper</th></tr>"
        return f"<table><caption>{escape(self.name)}</caption>{head}{rows}</table>"


def compose_all(losses: Iterable[PrivacyLossDistribution]) -> PrivacyLossDistribution:
    """All of them, run one after another on the same data; the same object given twice costs no more than once."""
    given = list(losses)
    if not given:
        raise ParameterError("losses", "at least one PrivacyLossDistribution", "none")
    for loss in given:
        if not isinstance(loss, PrivacyLossDistribution):
            raise ParameterError("losses", "PrivacyLossDistributions", loss)
    forward = tuple(part for loss in given for part in loss.forward)
    backward = None
    if any(loss.backward is not None for loss in given):
        backward = tuple(part for loss in given for part in (loss.forward if loss.backward is None else loss.backward))
    name = " + ".join(loss.name for loss in given) if len(given) <= 3 else f"{len(given)} mechanisms composed"
    return PrivacyLossDistribution(name, forward, backward)


def _totals(parts: Parts, width: float) -> tuple[Total, Total, float]:
    """The sum that dominates, the one that is dominated (the same if exact), and the width to ask of both."""
    upper = Total.of((sided.upper, count) for sided, count in parts)
    if all(sided.upper is sided.lower for sided, _ in parts):
        return upper, upper, width
    lower = Total.of((sided.lower, count) for sided, count in parts)
    return upper, lower, max(width, WIDTH_OF_CELLS)


@dataclass(frozen=True, eq=False)
class _Sides:
    """The search for epsilon in one direction, from above; and what to ask from below, None if the losses are exact."""

    above: solve.Search
    below: Total | None
    delta: float
    width: float

    @classmethod
    def of(cls, parts: Parts, delta: float, width: float) -> _Sides:
        above, below, width = _totals(parts, width)
        if below is above:
            return cls(solve.Search(above, delta, width), None, delta, width)
        if sum(count for _, count in parts) > 1:
            above, below = above.trimmed(TRIM * delta, dropped=False), below.trimmed(TRIM * delta, dropped=True)
        return cls(solve.Search(above, delta, width), below, delta, width)

    def answer(self) -> Interval:
        """The epsilon of this direction."""
        high, ends = self.above.upper()
        if self.below is None:
            return Interval(min(self.above.lower(high), high), high, "epsilon", _budget(ends))
        below = solve.Search(self.below, self.delta, self.width, like=self.above)
        low = agreed(below.lower(high), high)
        if np.isfinite(high):
            ends = Ends(below.at(high).lower, ends.upper, ends.truncation, ends.rounding)
        return Interval(low, high, "epsilon", _budget(ends))


def agreed(low: float, high: float) -> float:
    """A lower end found apart from the upper one; above it by more than the noise of both one of them is wrong."""
    if low > high * (1.0 + 1e-9) + 1e-300:
        raise ArithmeticError(f"the two sides contradict each other: {low!r} > {high!r}")
    return min(low, high)


def _worse(found: list[Interval]) -> Interval:
    """The larger end of each kind, with the budget of the direction that has the upper one."""
    worst = max(found, key=lambda one: one.upper)
    return Interval(max(one.lower for one in found), worst.upper, worst.quantity, worst.budget)


def _retried(above: Total, below: Total, epsilon: float, found: Interval, mass: float, width: float) -> Interval:
    """A wide answer again, with tails trimmed that are too rare to matter; the narrower one."""
    high = _delta_at(above.trimmed(mass, dropped=False), epsilon, width)
    low = _delta_at(below.trimmed(mass, dropped=True), epsilon, width)
    again = _delta_interval(low, high)
    return again if again.width < found.width else found


def _delta_at(total: Total, epsilon: float, width: float) -> Ends:
    return solve.delta(total, np.array([epsilon]), width)[0]


def _budget(ends: Ends) -> ErrorBudget:
    rest = max(ends.upper - ends.lower - ends.truncation - ends.rounding, 0.0)
    return ErrorBudget(rest, ends.truncation, ends.rounding)


def _delta_interval(low: Ends, high: Ends) -> Interval:
    upper = min(high.upper + UNDERFLOW, 1.0)
    ends = Ends(agreed(low.lower, upper), upper, high.truncation + low.truncation, high.rounding + low.rounding)
    return Interval(ends.lower, upper, "delta", _budget(ends))
