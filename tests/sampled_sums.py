"""Delta of a sum of losses of sampled Gaussians, enclosed in balls: no code is shared with pldcheck.

The curve of one step, f(kappa) = sup P(A) - kappa Q(A), is known in closed form.  Two polygons with knots at
kappa = e^(a + k h) enclose it: chords lie above it, and so does each chord between points below the tangents at the
middles of its two cells lie below it.  A convex polygon is the curve of a law of losses a + k h, delta of a sum is
monotone in the curve of each of its steps, and laws on grids with one h are multiplied as polynomials.

Their coefficients are tilted: the mass of loss l is multiplied by e^(c l).  A tilted mass t that is left out changes
delta(epsilon) by at most t g e^(-c epsilon), where g = max of (1 - e^-y) e^(-c y) = c^c / (1 + c)^(1 + c); the upper
end has that added.  The tilt c, the grid and where laws are cut are chosen in floating point: a bad choice makes the
enclosure wide and no end of it false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import pairwise
from math import ceil, exp, floor, log, log1p, pi, sqrt

import numpy as np
from flint import arb, arb_poly, ctx

# Bits of the curves, whose second differences cancel, and of the products.
BITS = 192
BITS_OF_PRODUCTS = 128
# Share of the tilted mass that is cut off at each end of a law or of a product.
CUT = 1e-9
# Share of delta that is put at an infinite loss.
INFINITE = 1e-6
# Relative width of delta aimed at, and about the most knots of a law, beyond which a wider one is accepted.
AIM = 2e-3
MOST_KNOTS = 8000
# Cells of a law beyond which its products would not fit into the memory.
MOST_CELLS = 10**6
# Logarithm of a delta, 1e-130, below which it is only bounded from above.
LEAST_LOG = -300.0
# Knots to the cells' width h between which the distant tail of the upper law lies.
COARSE = 64
# Cells are no narrower than this share of the losses, whose floating-point numbers say where laws are cut.
RESOLUTION = 1e-12
# Points of the floating-point law by which tilt, grid and cuts are chosen, and the deviations that it reaches to.
POINTS = 4001
REACH = 40.0


@dataclass(frozen=True)
class Step:
    """A Gaussian of deviation ``sigma`` and sensitivity 1, on a Poisson sample at ``rate``.

    ``removed``: P is the law with the record and Q that without it; else the other way round.
    """

    sigma: float
    rate: float
    removed: bool = True

    def curve(self, kappa: arb) -> tuple[arb, arb]:
        """Return f(kappa) = sup P(A) - kappa Q(A), and -f'(kappa) = Q of the best A."""
        rate, (mu, root) = arb(self.rate), _constants(self.sigma, ctx.prec)
        ratio = ((kappa if self.removed else 1 / kappa) - 1 + rate) / rate
        if ratio < 0:  # all losses are above, or below
            return (1 - kappa, arb(1)) if self.removed else (arb(0), arb(0))
        # The outcome of this loss; A is all beyond it, where there is more of the record, or less.
        x = ratio.log() / mu + mu / 2
        root = root if self.removed else -root
        base, moved = (x * root).erfc() / 2, ((x - mu) * root).erfc() / 2
        if self.removed:
            return rate * moved - (kappa - 1 + rate) * base, base
        return (1 - kappa * (1 - rate)) * base - kappa * rate * moved, (1 - rate) * base + rate * moved

    @property
    def end(self) -> arb | None:
        """The least loss if the record is removed, the largest one if it is added; None where there is none."""
        if self.rate == 1.0:
            return None
        least = (1 - arb(self.rate)).log()
        return least if self.removed else -least

    @property
    def has_largest(self) -> bool:
        """Whether there is a largest loss."""
        return self.rate < 1.0 and not self.removed

    @cached_property
    def roughly(self) -> tuple[np.ndarray, np.ndarray]:
        """Losses in increasing order and the logs of their masses, in floating point."""
        mu = 1.0 / self.sigma
        x = np.linspace(-REACH, mu + REACH, POINTS)
        exponent, step = mu * (x - 0.5 * mu), x[1] - x[0]
        with np.errstate(divide="ignore"):
            inside = np.log(self.rate) + exponent
            losses = np.logaddexp(np.log1p(-self.rate), inside)
        small = np.abs(exponent) < 1.0
        losses[small] = np.log1p(self.rate * np.expm1(exponent[small]))
        logs = -0.5 * x * x + log(step / sqrt(2 * pi))
        if self.removed:
            return losses, logs + losses
        return -losses[::-1], logs[::-1]


@dataclass(frozen=True)
class Law:
    """Tilted masses of losses ``start`` + k h, and bounds of what was left out: of tilted mass, and of mass."""

    start: arb
    masses: arb_poly
    lost: arb
    infinite: arb

    def times(self, other: Law) -> Law:
        """Return the law of the sum."""
        mine, others = self.masses(arb(1)), other.masses(arb(1))
        lost = self.lost * (others + other.lost) + mine * other.lost
        return Law(self.start + other.start, self.masses * other.masses, lost, self.infinite + other.infinite)

    def power(self, count: int, plan: Plan) -> Law:
        """Return the law of the sum of so many."""
        if count == 1:
            return self
        half = self.power(count // 2, plan)
        whole = half.times(half).trimmed(plan)
        return whole.times(self).trimmed(plan) if count % 2 else whole

    def trimmed(self, plan: Plan) -> Law:
        """Return the law without what is rare at both ends, tilted, or at the upper end by itself: that is infinite."""
        masses, h, tilt = self.masses.coeffs(), arb(plan.h), arb(plan.tilt)
        sizes = np.array([max(float(mass.mid()), 0.0) for mass in masses])
        most = plan.cut * float(np.sum(sizes))
        first = int(np.searchsorted(np.cumsum(sizes), most))
        last = sizes.size - int(np.searchsorted(np.cumsum(sizes[::-1]), most))
        with np.errstate(divide="ignore"):
            logs = np.log(sizes) - plan.tilt * (float(self.start) + plan.h * np.arange(sizes.size))
        top = int(np.sum(np.logaddexp.accumulate(logs[::-1])[::-1] > plan.log_infinite - log(plan.steps)))
        lost = sum(masses[:first], arb(0)) + sum(masses[last:], arb(0))
        infinite = arb(0)
        if top < last:
            rest = arb_poly(masses[top:last])((-tilt * h).exp())
            infinite, last = rest * (-tilt * (self.start + top * h)).exp(), max(top, first + 1)
        return Law(self.start + first * h, arb_poly(masses[first:last]), self.lost + lost, self.infinite + infinite)


class SampledSum:
    """The sum of the losses of some steps; its enclosures of delta are narrow near one epsilon."""

    def __init__(self, steps: Iterable[Step], epsilon: float, fineness: int = 0):
        self.counts = Counter(steps)
        self.plan = Plan(self.counts, epsilon, fineness)
        self.tilt, self.h = arb(self.plan.tilt), arb(self.plan.h)
        self.upper, self.lower = self._product(self._above), self._product(self._below)

    def _product(self, law_of: Callable[[Step, Window], Law]) -> Law:
        """Return the law of the sum of all steps."""
        with ctx.workprec(BITS):
            laws = [(law_of(step, self.plan.window(step)), count) for step, count in self.counts.items()]
        with ctx.workprec(BITS_OF_PRODUCTS):
            powers = [law.power(count, self.plan) for law, count in laws]
            return reduce(lambda one, other: one.times(other).trimmed(self.plan), powers)

    def _above(self, step: Step, window: Window) -> Law:
        """Return the law whose curve is the polygon of chords; what is beyond the last knot is infinite.

        A least or a largest loss is a knot.
        """
        start = step.end if step.end is not None else arb(0)
        first, last = self._numbers(step, window, start)
        end = max(round((window.top - float(start)) / float(self.h)), last)
        if end - first > MOST_CELLS:
            raise ArithmeticError(f"the losses of {step} are spread over {end - first} cells")
        numbers = [*range(first, last + 1), *range(last + COARSE, end + COARSE, COARSE)]
        if step.has_largest:
            numbers = [k for k in numbers if k < 0] + [0] * (numbers[-1] >= 0)
        kappas = [(start + k * self.h).exp() for k in numbers]
        # At the end the curve joins 0 or 1 - kappa, which is the rate.
        at_end = arb(step.rate) if step.removed else arb(0)
        values = [
            at_end if k == 0 and step.end is not None else step.curve(kappa)[0]
            for k, kappa in zip(numbers, kappas, strict=True)
        ]
        slopes = [(values[i + 1] - values[i]) / (kappas[i + 1] - kappas[i]) for i in range(len(kappas) - 1)]
        rises = [after - before for before, after in pairwise([*slopes, arb(0)])]
        masses = {k: kappa * rise for k, kappa, rise in zip(numbers[1:], kappas[1:], rises, strict=True)}
        # All mass below the first knot is put there.
        masses[first] = 1 - values[-1] - sum(masses.values(), arb(0))
        return self._tilted(start, masses, values[-1])

    def _below(self, step: Step, window: Window) -> Law:
        """Return the law whose curve is the polygon below tangents, made convex.

        Left of the first knot the polygon goes on with the slope of a tangent there: that mass is left out.
        """
        start, is_at_end = self._start_below(step, window)
        first, last = self._numbers(step, window, start)
        kappas = {k: (start + k * self.h).exp() for k in range(first, last + 1)}
        half = (self.h / 2).exp()
        # Below the curve in the cell to the left of each knot, as place, value and slope: the tangent in its middle,
        # or that at the knot, where the first one is so steep that it is far below.  It is 0 beyond the last knot, at
        # which the line before is above 0.
        lines = []
        for k, kappa in kappas.items():
            line = _tangent(step, kappa / half)
            # The curve falls: at the knot it is below its value in the middle.
            is_steep = not _at(line, kappa) > (0 if k == last else line[1] / 2)
            lines.append(_tangent(step, kappa) if is_steep else line)
        lines.append((arb(0), arb(0), arb(0)))
        if is_at_end and step.removed and first == 0:
            lines[0] = (arb(0), arb(1), arb(-1))
        hull: list[tuple[int, arb, arb]] = []  # knots, values, and slopes to the left
        for (k, kappa), nearest in zip(kappas.items(), pairwise(lines), strict=True):
            value = arb.min(*(_at(line, kappa) for line in nearest))
            slope = lines[0][2]
            while hull:
                last_kept, other, before = hull[-1]
                slope = (value - other) / (kappa - kappas[last_kept])
                if not slope < before:
                    break
                # The polygon is not convex at the last knot: without it, it is lower there.
                hull.pop()
                slope = lines[0][2]
            hull.append((k, value, slope))
        masses = {}
        for (k, _, before), (_, _, after) in pairwise([*hull, (0, arb(0), arb(0))]):
            # A ball that contains 0 leaves open whether this is convex.
            rise = after - before
            if not (rise > 0 or rise == 0):
                raise ArithmeticError(f"{BITS} bits are too few for {step} at {kappas[k].log()}")
            masses[k] = kappas[k] * rise
        return self._tilted(start, masses, arb(0))

    def _start_below(self, step: Step, window: Window) -> tuple[arb, bool]:
        """Return a loss at which the lower law has a knot, and whether it is next to the end of the losses.

        Much mass within a cell should be at the knot.  At an end of the losses that is where the tangent in the middle
        of the next cell meets 1 - kappa, or 0.
        """
        if step.end is None or not window.low - 3 * self.h <= step.end <= window.high + 3 * self.h:
            return arb(window.mean), False
        end, half = float(step.end), (self.h / 2).exp()

        def meets(loss: float) -> bool:
            kappa = arb(loss).exp()
            middle = kappa * half if step.removed else kappa / half
            return bool(_at(_tangent(step, middle), kappa) > (1 - kappa if step.removed else 0))

        inside, outside = (max(end, 0.0) + float(self.h), end) if step.removed else (-float(self.h), end)
        for _ in range(48):
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if meets(middle) else (inside, middle)
        # They meet in between: on this side the line in the next cell is no higher than 1 - kappa, or is above 0.
        return arb(outside if step.removed else inside), True

    def _numbers(self, step: Step, window: Window, start: arb) -> tuple[int, int]:
        """Return the first and the last number k of knots ``start`` + k h in the window, at least two."""
        h, place = float(self.h), float(start)
        first, last = round((window.low - place) / h) - 2, round((window.high - place) / h) + 2
        if step.end is None:
            return first, last
        end = (float(step.end) - place) / h
        return (
            (max(first, ceil(end)), max(last, ceil(end) + 1))
            if step.removed
            else (min(first, floor(end) - 1), min(last, floor(end)))
        )

    def _tilted(self, start: arb, masses: Mapping[int, arb], infinite: arb) -> Law:
        first, last = min(masses), max(masses)
        factor, weight = (self.tilt * self.h).exp(), (self.tilt * (start + first * self.h)).exp()
        tilted = []
        for k in range(first, last + 1):
            tilted.append(masses[k] * weight if k in masses else arb(0))
            weight *= factor
        return Law(start + first * self.h, arb_poly(tilted), arb(0), infinite).trimmed(self.plan)

    def delta(self, epsilon: float) -> tuple[arb, arb]:
        """Return a ball below delta and a ball above it."""
        with ctx.workprec(BITS_OF_PRODUCTS):
            c, e = self.tilt, arb(epsilon)
            gain = (c * c.log() - (1 + c) * (1 + c).log() - c * e).exp()
            above = self._excess(self.upper, e) + self.upper.lost * gain + self.upper.infinite
            return self._excess(self.lower, e), above

    def _excess(self, law: Law, epsilon: arb) -> arb:
        """Return the sum of p (1 - e^(epsilon - l)) over the losses l above epsilon."""
        masses = law.masses.coeffs()
        near = max(floor(float(((epsilon - law.start) / self.h).mid())), 0)
        # Whether the losses next to epsilon are above it is not known to all bits.
        total = arb(0)
        for k in range(max(near - 1, 0), min(near + 2, len(masses))):
            loss = law.start + k * self.h
            total += masses[k] * (-self.tilt * loss).exp() * (1 - (epsilon - loss).exp()).max(arb(0))
        if near + 2 < len(masses):
            rest, start = arb_poly(masses[near + 2 :]), law.start + (near + 2) * self.h
            here, further = (-self.tilt * self.h).exp(), (-(self.tilt + 1) * self.h).exp()
            total += (-self.tilt * start).exp() * (rest(here) - (epsilon - start).exp() * rest(further))
        return total


@cache
def _constants(sigma: float, bits: int) -> tuple[arb, arb]:
    """Return 1/sigma and 1/sqrt(2)."""
    with ctx.workprec(bits):
        return 1 / arb(sigma), 1 / arb(2).sqrt()


def _tangent(step: Step, kappa: arb) -> tuple[arb, arb, arb]:
    """Return the tangent of a step's curve there: a place, the value and the slope."""
    value, slope = step.curve(kappa)
    return kappa, value, -slope


def _at(line: tuple[arb, arb, arb], kappa: arb) -> arb:
    place, value, slope = line
    return value + slope * (kappa - place)


@dataclass(frozen=True)
class Window:
    """The losses of a step between which knots are fine, the last one of all, and about where most tilted mass is."""

    low: float
    high: float
    top: float
    mean: float


class Plan:
    """The tilt, the grid and where laws are cut, in floating point.

    A rare large loss may need a tilt at which still larger ones outweigh all others: those are infinite in the upper
    law, if they are rare beside delta.  ``fineness`` makes all finer, by factors of 2 in the grid.
    """

    def __init__(self, counts: Mapping[Step, int], epsilon: float, fineness: int):
        self.counts, self.epsilon, self.steps = counts, epsilon, sum(counts.values())
        while (low := self._log_delta()) < LEAST_LOG and self.epsilon > 0.0:
            self.epsilon *= 0.8  # what encloses delta here is above 0 there
        self.log_infinite = low + log(INFINITE) - 10.0 * fineness
        bound = self._bound()
        # Chernoff's bound is above delta, the more so the rarer the losses near epsilon.
        self.cut = CUT * exp(min(low - bound, 0.0)) / 100.0**fineness
        # A step's cells add up to h^2/8 to the variance above and about twice that below.
        self.h = sqrt(8.0 * AIM / (3.0 * self.steps * self.tilt * (self.tilt + 1.0))) / 2**fineness
        for window in map(self.window, counts):
            finest = (window.high - window.low) / (MOST_KNOTS * 2**fineness)
            self.h = max(self.h, finest, RESOLUTION * max(abs(window.low), abs(window.top)))

    def _log_delta(self) -> float:
        """Return about log delta: of the least of Chernoff's bound without losses above a top, and their chance."""
        low, high = 2.0 * LEAST_LOG, 0.0
        for _ in range(12):
            self.log_infinite = 0.5 * (low + high)
            is_rare = self.log_infinite < self._bound()
            low, high = (self.log_infinite, high) if is_rare else (low, self.log_infinite)
        return low

    def _bound(self) -> float:
        """Return the log of Chernoff's bound of delta, after choosing the tilt."""
        laws = [(*self._finite(step), count) for step, count in self.counts.items()]

        def exponent(log_tilt: float) -> float:
            tilt = exp(log_tilt)
            moments = sum(count * _log_sum(logs + tilt * losses) for losses, logs, count in laws)
            return moments - tilt * self.epsilon - log(tilt) - log1p(tilt)

        low, high = -12.0, 60.0
        for _ in range(45):
            third = (high - low) / 3.0
            is_left = exponent(low + third) <= exponent(high - third)
            low, high = (low, high - third) if is_left else (low + third, high)
        self.tilt = exp(0.5 * (low + high))
        return exponent(0.5 * (low + high))

    def _finite(self, step: Step) -> tuple[np.ndarray, np.ndarray]:
        """Return the losses and the logs of masses of a step that are not infinite."""
        losses, logs = step.roughly
        beyond = np.logaddexp.accumulate(logs[::-1])[::-1]
        number = max(int(np.sum(beyond > self.log_infinite - log(self.steps))) + 1, 2)
        return losses[:number], logs[:number]

    def window(self, step: Step) -> Window:
        """Return where a step has its knots: all mass below may be put at the low end."""
        losses, logs = self._finite(step)
        tilted = logs + self.tilt * losses
        least = _log_sum(tilted) + log(self.cut)
        below = np.maximum.accumulate(np.logaddexp.accumulate(logs) + self.tilt * losses)
        above = np.logaddexp.accumulate(tilted[::-1])[::-1]
        low = losses[max(int(np.searchsorted(below, least)) - 1, 0)]
        high = losses[min(int(np.sum(above > least)), losses.size - 1)]
        shares = np.exp(tilted - np.max(tilted))
        mean = float(np.sum(shares * losses) / np.sum(shares))
        return Window(float(low), max(float(high), float(low)), float(losses[-1]), mean)


def _log_sum(logs: np.ndarray) -> float:
    """Return the log of a sum of exponentials."""
    most = float(np.max(logs))
    return most + log(float(np.sum(np.exp(logs - most))))
