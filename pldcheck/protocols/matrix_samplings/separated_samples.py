"""Samples of all steps: a record is used with some probability, unless it was in one of so many steps before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log, sqrt
from typing import TYPE_CHECKING, ClassVar

from ... import pld
from ...core.directed import Side, enlarge, shrink
from ...core.interval import Interval
from ...core.roots import cross
from ...hidden_slot import known
from ...randomizers import Gaussian as Noise
from ..hidden_slot import HiddenSlot
from ..noise_mechanisms import Gaussian, SubsampledGaussian
from .one_release import ATTAINED, NOTHING, answer_of, least_noise, noise_over
from .sampling import Sampling

if TYPE_CHECKING:
    from ...hidden_slot.known.encoder_gram import SeparatedColumns
    from ...hidden_slot.known.separated_candidates import Candidates
    from ...hidden_slot.known.separated_steps import Separation

# The sources of ends.
SUM_OF_STEPS = "a test on the sum of all steps"
SUM_OF_ROWS = "a test on the sum of all rows"
FIRST_EPOCH = "a hidden slot in the first {steps} steps"
ONE_DIRECTION = "columns in one direction, used a random number of times"
POISSON_SAMPLES = "Poisson samples in all steps"
CANDIDATES = "samples of candidate steps, which are revealed"

# The share of delta that the chance of more candidates than are counted may take.
RARE = 1e-3
# How near to delta the search for epsilon comes, relatively: a tenth of that in epsilon, or less.
CLOSE = 0.01
# The relative width that is asked of each delta.
WIDTH = 1e-3
# No probability of more candidates is asked to be less.
LEAST_DELTA = 1e-280
# Below this delta, numbers of candidates are not told apart: few runs take long there.
LEAST_MIXED = 1e-30


@dataclass(frozen=True)
class SeparatedSamples(Sampling):
    """In each step a record that was in none of the ``steps`` - 1 before is used with probability ``rate``."""

    name: ClassVar[str] = "b-min-sep"
    about: ClassVar[str] = "of all steps that are so far apart"
    has_rate: ClassVar[bool] = True
    is_one_run: ClassVar[bool] = True
    scope: ClassVar[str] = "samples in as many steps as can be candidates, with the longest column"

    @cached_property
    def _columns(self) -> SeparatedColumns:
        return known.encoder_gram.separated_columns(self.encoder, self.steps * self.epochs, self.steps)

    @property
    def longest_square(self) -> float:
        """The square, rounded up, of the longest column."""
        return self._columns.most

    def answer(self, quantity: str, at: float, width: float) -> Interval:
        """Return the best ends of those that ``separated_steps`` and ``separated_candidates`` prove."""
        columns, every = self._columns, self.steps * self.epochs
        run = known.separated_steps.Separation(every, self.steps, self.rate)
        above = [(self._mixture(run, Side.UPPER, sqrt(columns.most), quantity, at).upper, ONE_DIRECTION)]
        if columns.apart:
            noise = least_noise(self.sigma, columns.most)
            samples: Interval = getattr(SubsampledGaussian(noise, self.rate, every), quantity)(at)
            above.append((samples.upper, POISSON_SAMPLES))
        others_cost = self.rate**2 if columns.apart else inf
        if min(above)[0] > 0.0 and self._candidates.chance < 1.0 and self._candidates.cost < others_cost:
            above.append((self._samples_of_candidates(quantity, at), CANDIDATES))
        upper, reason = min(above)
        first = known.separated_steps.Separation(columns.rounds, self.steps, self.rate)
        step, reason_below = max(
            (shrink(sqrt(columns.least), 2) / sqrt(columns.rounds), SUM_OF_STEPS),
            (columns.sums / sqrt(every), SUM_OF_ROWS),
        )
        below = [
            (self._mixture(first, Side.LOWER, step, quantity, at).lower, reason_below),
            (self._first_steps(first, columns.least, quantity, at, width), FIRST_EPOCH.format(steps=self.steps)),
        ]
        if self.rate == 1.0:
            square = shrink(columns.least * first.most, 2)
            below.append((answer_of(Gaussian, self.sigma, square, Side.LOWER, quantity, at).lower, ATTAINED))
        lower, source = max(below)
        return Interval(lower, upper, quantity, None, None, (source, reason))

    @property
    def dominating_run(self) -> SubsampledGaussian:
        """Poisson samples in as many steps as there can be candidates, or in all where no two columns share a row."""
        noise = least_noise(self.sigma, self._columns.most)
        candidates = self._candidates
        if self._columns.apart and self.rate**2 * candidates.steps <= candidates.chance**2 * candidates.most:
            return SubsampledGaussian(noise, self.rate, candidates.steps)
        return SubsampledGaussian(noise, candidates.chance, candidates.most)

    @cached_property
    def _candidates(self) -> Candidates:
        every, span = self.steps * self.epochs, self._columns.span
        return known.separated_candidates.best_candidates(every, self.steps, span, self.rate)

    def _samples_of_candidates(self, quantity: str, at: float) -> float:
        """Return the upper end of Poisson samples of the candidates, whose number is random and revealed."""
        one = pld.subsampled_gaussian(least_noise(self.sigma, self._columns.most), self._candidates.chance)
        rare = RARE * (at if quantity == "epsilon" else one.delta(at).upper)
        counts, chances, more = known.separated_candidates.candidate_law(self._candidates, max(rare, LEAST_DELTA))
        if rare < RARE * LEAST_MIXED:
            counts, chances = counts[-1:], [1.0]
        runs = [one.compose(count) for count in counts]

        def delta(epsilon: float) -> float:
            values = [chance * run.delta(epsilon, WIDTH).upper for run, chance in zip(runs, chances, strict=True)]
            return min(enlarge(sum(values) + more, len(runs) + 4), 1.0)

        if quantity == "delta":
            return delta(at)
        if more >= at:
            return inf
        largest = runs[-1].epsilon(shrink(at - more, 2)).upper
        if len(runs) == 1:
            return largest
        start = runs[len(runs) // 3].epsilon(at).upper
        return cross(delta, at, start, -2.0 * log(at) / max(start, LEAST_DELTA), largest, side=Side.UPPER, close=CLOSE)

    def _mixture(self, run: Separation, side: Side, step: float, quantity: str, at: float) -> Interval:
        """Return the answer of noise on a random number of uses: of their root from above, and of them from below.

        ``step`` is the length of one.  Where the longest is too long for the engine, all are as long, or 0.
        """
        counts, chances = run.law(side)
        if side is Side.UPPER:
            lengths = [enlarge(sqrt(count) * step, 4) for count in counts]
        else:
            lengths = [shrink(count * step, 4) for count in counts]
        if max(lengths) == 0.0:  # a column may be empty
            return NOTHING
        if max(lengths) > pld.sampled_mechanisms.LARGEST_MU * self.sigma:
            if side is Side.LOWER:
                return NOTHING
            return answer_of(Gaussian, self.sigma, enlarge(step * step * run.most, 8), side, quantity, at)
        answer: Interval = getattr(pld.gaussian_mixture(self.sigma, lengths, chances), quantity)(at)
        return answer

    def _first_steps(self, run: Separation, square: float, quantity: str, at: float, width: float) -> float:
        """Return the lower end of the first steps, of which at most one is used."""
        noise = noise_over(self.sigma, square, Side.LOWER)
        if noise is None or run.weight() == 0.0:
            return 0.0
        slot = HiddenSlot(
            min(self.steps, run.steps), weight=run.weight(), adjacency="zero-out", randomizer=Noise(noise)
        )
        answer: Interval = getattr(slot, quantity)(at, width)
        return answer.lower
