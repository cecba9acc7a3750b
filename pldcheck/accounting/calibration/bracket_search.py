"""Search with a bracket of one accepted and one refused value, which is narrowed until nothing lies between them.

The upper end of an answer alone decides on a value, and both ends of the bracket were computed, so answers that are not
quite monotone within their widths cannot break the search.  The next value is a guess: the logarithm of epsilon is
taken to be linear in the logarithm of the parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, isfinite, log, log1p
from typing import Any

from ...core.interval import Interval
from .search_grid import Grid

# The factor by which a step outward goes beyond the guess, so that it is likely to pass the target.
BEYOND = 1.15
# The least factor of a step outward.
LEAST_STEP = 1.05
# The largest factor of a step outward.
MOST_STEP = 100.0
# The largest factor of a step to less privacy, which may be expensive to compute.
MOST_STEP_TO_LESS = 4.0
# The least exponent of the power law in steps outward.
FLATTEST = 0.2
# The largest exponent of the power law in steps outward.
STEEPEST = 5.0
# A bracket that has not shrunk by this factor in PATIENCE queries is halved.
SHRINK = 0.5
# The number of queries in which a bracket should shrink.
PATIENCE = 3
# If the guess is next to an end of the bracket, the next value is this share of the precision away from that end.
STRIDE = 0.95
# The steps beyond a refused value to one whose lower end should be above the target, as multiples of the estimate.
STRETCHES = (1.2, 1.5, 2.0)
# The least distance, in the logarithm of the parameter, of two answers that show how steep epsilon is.
APART = 0.02


@dataclass(frozen=True)
class Trial:
    """A value of the parameter, and the certified epsilon at that value."""

    value: float
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as plain values that JSON can hold; an infinite end is None."""
        lower, upper = (end if isfinite(end) else None for end in self.interval)
        return {"value": self.value, "lower": lower, "upper": upper}


class Search:
    """The state of a search: the answers so far, by the numbers of the grid.

    ``good`` is the number of the accepted end of the bracket and ``bad`` that of the refused end; each may be None.
    """

    def __init__(
        self,
        grid: Grid,
        rises: bool,
        target: float,
        ask: Callable[[int | float], Interval],
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin without answers; ``rises`` says whether epsilon rises, ``enough()`` whether to end the search."""
        self.grid, self.rises, self.target, self.ask, self.enough = grid, rises, target, ask, enough
        self.answers: dict[int, Interval] = {}
        self.order: list[int] = []
        self.good: int | None = None
        self.bad: int | None = None

    def run(self, start: float) -> None:
        """Find a bracket, narrow it, and look for a proof that no better value meets the target."""
        self._try(min(max(self.grid.number(start), self.grid.first), self.grid.last))
        while (self.good is None or self.bad is None) and self.order[-1] != self._end:
            if self.good is not None and self.enough():
                return
            # Before a value is accepted, the end of the range must be computed; at once, if the search took long.
            self._try(self._end if self.enough() else self._outward())
        if self.good is not None and self.bad is not None:
            self._narrow(self.good, self.bad)
            self._prove()

    @property
    def complete(self) -> bool:
        """Whether the search is finished: nothing lies between the ends, or the range has no value of one kind."""
        if self.good is None or self.bad is None:
            return self.order[-1] == self._end
        return self.grid.close(self.good, self.bad)

    @property
    def excluded(self) -> Trial | None:
        """The trial nearest to the accepted value whose lower end is above the target."""
        good = self.good
        assert good is not None
        above = [number for number, interval in self.answers.items() if interval.lower > self.target]
        if any((number > good) is not self.rises for number in above):
            raise ArithmeticError("epsilon moves in the opposite direction with the parameter")
        return self.trial(min(above, key=lambda number: abs(number - good))) if above else None

    def trial(self, number: int) -> Trial:
        """Return the value with that number and its answer."""
        return Trial(self.grid.value(number), self.answers[number])

    def _try(self, number: int) -> None:
        interval = self._answer(number)
        if interval.upper <= self.target:
            self.good = number
        else:
            self.bad = number

    def _answer(self, number: int) -> Interval:
        if number not in self.answers:
            self.answers[number] = self.ask(self.grid.value(number))
            self.order.append(number)
        return self.answers[number]

    # These methods find a bracket.

    @property
    def _outwards(self) -> int:
        """The direction of steps: 1 or -1, to more privacy until a value is accepted, then to less."""
        return 1 if (self.good is not None) == self.rises else -1

    @property
    def _end(self) -> int:
        return self.grid.last if self._outwards > 0 else self.grid.first

    def _outward(self) -> int:
        """Return the number of a value somewhat beyond the one that meets the target by the power law."""
        at, way = self.order[-1], self._outwards
        excess = abs(self._excess(at))
        most = MOST_STEP if self.good is None else MOST_STEP_TO_LESS
        factor = min(BEYOND * exp(min(excess / self._exponent(), log(most))), most)
        value = self.grid.value(at) * max(factor, LEAST_STEP) ** way
        number = self.grid.number(min(max(value, self.grid.least), self.grid.most))
        return max(number, at + 1) if way > 0 else min(number, at - 1)

    def _exponent(self) -> float:
        """Return the exponent of the power law through the last two answers, or 1 before there are two."""
        if len(self.order) > 1:
            a, b = self.order[-2:]
            rise = abs(self._excess(b) - self._excess(a)) / abs(self._log(b) - self._log(a))
            if isfinite(rise):
                return min(max(rise, FLATTEST), STEEPEST)
        return 1.0

    # These methods narrow the bracket.

    def _narrow(self, good: int, bad: int) -> None:
        sizes = [inf] * PATIENCE
        while not self.grid.close(good, bad) and not self.enough():
            size = abs(self._log(good) - self._log(bad))
            if size > SHRINK * sizes[-PATIENCE]:
                guess = 0.5 * (self._log(good) + self._log(bad))
            else:
                guess = self._guess(good, bad)
            sizes.append(size)
            self._try(self._between(good, bad, guess))
            good, bad = self.good, self.bad  # type: ignore[assignment]

    def _guess(self, good: int, bad: int) -> float:
        """Return the logarithm of the value that meets the target, from the last two answers or from the bracket."""
        low, high = sorted((self._log(good), self._log(bad)))
        for a, b in ((self.order[-2], self.order[-1]), (good, bad)):
            x, y, f, g = self._log(a), self._log(b), self._excess(a), self._excess(b)
            if isfinite(f) and isfinite(g) and f != g:
                guess = y - g * (y - x) / (g - f)
                if low <= guess <= high:
                    return guess
        return 0.5 * (low + high)

    def _between(self, good: int, bad: int, guess: float) -> int:
        """Return the number of a guess; next to an end of the bracket, that of a value one stride inside it."""
        low, high = sorted((good, bad))
        stride = STRIDE * log1p(self.grid.precision)
        for end, way in ((low, 1), (high, -1)):
            if abs(guess - self._log(end)) < 0.5 * stride:
                guess = self._log(end) + way * stride
                break
        return min(max(self.grid.number(exp(guess)), low + 1), high - 1)

    # These methods prove that no better value meets the target.

    def _prove(self) -> None:
        """Compute values beyond the refused one until a lower end is above the target."""
        assert self.bad is not None
        at, way = self.bad, 1 if self.rises else -1
        for stretch in STRETCHES:
            interval = self.answers[at]
            if interval.lower > self.target or interval.lower <= 0.0 or at in (self.grid.first, self.grid.last):
                return
            if self.enough():
                return
            # Answers vary within their widths, so a lower end next to the target would be no reliable estimate.
            missing = max(log(self.target / interval.lower), 0.5 * log1p(interval.relative_width)) + self.grid.precision
            value = self.grid.value(at) * exp(way * stretch * missing / self._steepness())
            number = self.grid.number(min(max(value, self.grid.least), self.grid.most))
            at = max(number, at + 1) if way > 0 else min(number, at - 1)
            self._answer(at)

    def _steepness(self) -> float:
        """Return the exponent of the power law of epsilon near the refused value."""
        bad = self.bad
        assert bad is not None
        far = [at for at in self.order if abs(self._log(at) - self._log(bad)) > APART and isfinite(self._excess(at))]
        if not far or not isfinite(self._excess(bad)):
            return 1.0
        near = min(far, key=lambda at: abs(at - bad))
        rise = abs(self._excess(near) - self._excess(bad)) / abs(self._log(near) - self._log(bad))
        return min(max(rise, FLATTEST), STEEPEST)

    def _excess(self, number: int) -> float:
        """Return the logarithm of epsilon over the target; it is infinite if one of them is 0 or infinite."""
        upper = self.answers[number].upper
        if upper <= 0.0 or self.target <= 0.0:
            return -inf if upper <= self.target else inf
        return log(upper) - log(self.target)

    def _log(self, number: int) -> float:
        return log(self.grid.value(number))
