"""A bracket of one accepted and one refused value, narrowed until nothing lies between them.

Queries are told apart by the upper end of their answers alone, and each end of the bracket was asked for, so answers
that are not quite monotone within their widths cannot break it.  Where to ask next is a guess: log epsilon is taken to
be linear in the log of the parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, isfinite, log, log1p
from typing import Any

from ...core.interval import Interval
from .search_grid import Grid

# Factor by which a step outward goes beyond what the guess says.
BEYOND = 1.15
# Least factor of a step outward.
LEAST_STEP = 1.05
# Largest factor of a step outward.
MOST_STEP = 100.0
# Largest factor of a step to less privacy, which may cost much to compute.
MOST_STEP_TO_LESS = 4.0
# Least exponent of the power law when stepping outward.
FLATTEST = 0.2
# Largest exponent of the power law when stepping outward.
STEEPEST = 5.0
# A bracket that has not become smaller by this factor in PATIENCE queries is halved.
SHRINK = 0.5
# Queries in which a bracket is to shrink.
PATIENCE = 3
# Part of the precision by which the other side of an end is tried where the guess is next to it.
STRIDE = 0.95
# How far beyond a refused value to ask for one whose lower end is above the target, in what seems enough.
STRETCHES = (1.2, 1.5, 2.0)
# Answers this far apart in the log of the parameter tell how steep epsilon is.
APART = 0.02


@dataclass(frozen=True)
class Tried:
    """A value, and the certified epsilon there."""

    value: float
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers; an infinite end is None."""
        lower, upper = (end if isfinite(end) else None for end in self.interval)
        return {"value": self.value, "lower": lower, "upper": upper}


class Search:
    """What was found so far, by the numbers of the grid; ``good`` is accepted and ``bad`` refused, or None."""

    def __init__(
        self,
        grid: Grid,
        rises: bool,
        target: float,
        ask: Callable[[int | float], Interval],
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        """``rises``: whether epsilon does, with the parameter; ``enough``: whether no more is to be asked."""
        self.grid, self.rises, self.target, self.ask, self.enough = grid, rises, target, ask, enough
        self.found: dict[int, Interval] = {}
        self.order: list[int] = []
        self.good: int | None = None
        self.bad: int | None = None

    def run(self, start: float) -> None:
        """Finds a bracket, narrows it, and looks for a proof that no more is to be had."""
        self._try(min(max(self.grid.number(start), self.grid.first), self.grid.last))
        while (self.good is None or self.bad is None) and self.order[-1] != self._end:
            if self.good is not None and self.enough():
                return
            # Without one that is accepted, the end of the range has to be asked for: at once where it took long.
            self._try(self._end if self.enough() else self._outward())
        if self.good is not None and self.bad is not None:
            self._narrow(self.good, self.bad)
            self._prove()

    @property
    def complete(self) -> bool:
        """Whether nothing was left to try: the two are next to each other, or one is missing for good."""
        if self.good is None or self.bad is None:
            return self.order[-1] == self._end
        return self.grid.close(self.good, self.bad)

    @property
    def excluded(self) -> Tried | None:
        """The value nearest to the accepted one whose lower end is above the target."""
        good = self.good
        assert good is not None
        found = [number for number, interval in self.found.items() if interval.lower > self.target]
        if any((number > good) is not self.rises for number in found):
            raise ArithmeticError("epsilon moves the other way with the parameter")
        return self.tried(min(found, key=lambda number: abs(number - good))) if found else None

    def tried(self, number: int) -> Tried:
        """Return the value of that number, and its answer."""
        return Tried(self.grid.value(number), self.found[number])

    def _try(self, number: int) -> None:
        interval = self._answer(number)
        if interval.upper <= self.target:
            self.good = number
        else:
            self.bad = number

    def _answer(self, number: int) -> Interval:
        if number not in self.found:
            self.found[number] = self.ask(self.grid.value(number))
            self.order.append(number)
        return self.found[number]

    # Finding a bracket

    @property
    def _outwards(self) -> int:
        """Upward or downward: to more privacy as long as nothing is accepted, else to less."""
        return 1 if (self.good is not None) == self.rises else -1

    @property
    def _end(self) -> int:
        return self.grid.last if self._outwards > 0 else self.grid.first

    def _outward(self) -> int:
        """Where the target is by the power law, and somewhat beyond."""
        at, way = self.order[-1], self._outwards
        excess = abs(self._excess(at))
        most = MOST_STEP if self.good is None else MOST_STEP_TO_LESS
        factor = min(BEYOND * exp(min(excess / self._exponent(), log(most))), most)
        value = self.grid.value(at) * max(factor, LEAST_STEP) ** way
        number = self.grid.number(min(max(value, self.grid.least), self.grid.most))
        return max(number, at + 1) if way > 0 else min(number, at - 1)

    def _exponent(self) -> float:
        """That of the power law through the last two answers, 1 where there are not two."""
        if len(self.order) > 1:
            a, b = self.order[-2:]
            rise = abs(self._excess(b) - self._excess(a)) / abs(self._log(b) - self._log(a))
            if isfinite(rise):
                return min(max(rise, FLATTEST), STEEPEST)
        return 1.0

    # Narrowing it

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
        """The log of the value where the target is met: by the last two answers, else by those of the bracket."""
        low, high = sorted((self._log(good), self._log(bad)))
        for a, b in ((self.order[-2], self.order[-1]), (good, bad)):
            x, y, f, g = self._log(a), self._log(b), self._excess(a), self._excess(b)
            if isfinite(f) and isfinite(g) and f != g:
                guess = y - g * (y - x) / (g - f)
                if low <= guess <= high:
                    return guess
        return 0.5 * (low + high)

    def _between(self, good: int, bad: int, guess: float) -> int:
        """The number of a guess; where it is next to an end, what is a step from there, to have both sides of it."""
        low, high = sorted((good, bad))
        stride = STRIDE * log1p(self.grid.precision)
        for end, way in ((low, 1), (high, -1)):
            if abs(guess - self._log(end)) < 0.5 * stride:
                guess = self._log(end) + way * stride
                break
        return min(max(self.grid.number(exp(guess)), low + 1), high - 1)

    # Proving it

    def _prove(self) -> None:
        """Asks beyond the refused value, until an answer is above the target for certain."""
        assert self.bad is not None
        at, way = self.bad, 1 if self.rises else -1
        for stretch in STRETCHES:
            interval = self.found[at]
            if interval.lower > self.target or interval.lower <= 0.0 or at in (self.grid.first, self.grid.last):
                return
            if self.enough():
                return
            # Where answers jitter within their widths, a lower end next to the target tells little.
            missing = max(log(self.target / interval.lower), 0.5 * log1p(interval.relative_width)) + self.grid.precision
            value = self.grid.value(at) * exp(way * stretch * missing / self._steepness())
            number = self.grid.number(min(max(value, self.grid.least), self.grid.most))
            at = max(number, at + 1) if way > 0 else min(number, at - 1)
            self._answer(at)

    def _steepness(self) -> float:
        """Return the power of the parameter with which epsilon moves, near the answer."""
        bad = self.bad
        assert bad is not None
        far = [at for at in self.order if abs(self._log(at) - self._log(bad)) > APART and isfinite(self._excess(at))]
        if not far or not isfinite(self._excess(bad)):
            return 1.0
        near = min(far, key=lambda at: abs(at - bad))
        rise = abs(self._excess(near) - self._excess(bad)) / abs(self._log(near) - self._log(bad))
        return min(max(rise, FLATTEST), STEEPEST)

    def _excess(self, number: int) -> float:
        """Return log of epsilon over the target; infinite where one of them is 0 or infinite."""
        upper = self.found[number].upper
        if upper <= 0.0 or self.target <= 0.0:
            return -inf if upper <= self.target else inf
        return log(upper) - log(self.target)

    def _log(self, number: int) -> float:
        return log(self.grid.value(number))
