"""The matrix mechanism: DP-SGD whose noise an encoder correlates, each record in the same batch in every epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from .. import pld
from ..core.directed import Side, enlarge, shrink
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, Parameter, Text, Words, parse
from ..hidden_slot import known
from ..hidden_slot.known.encoder_text import FORMS
from ..randomizers import Gaussian as Noise
from ..randomizers.gaussian import LEAST_SIGMA
from .base import Protocol
from .capabilities import MIXTURE, MORE_NOISE, MORE_RELEASES, NOISE_HAS_NO_TABLE, Direction, Examples, falls, rises
from .hidden_slot import HiddenSlot
from .noise_mechanisms import Gaussian, SubsampledGaussian
from .random_allocation import RandomAllocation

if TYPE_CHECKING:
    from ..hidden_slot.known.correlated_slots import OneFactor
    from ..hidden_slot.known.encoder_gram import Gram, SeparatedColumns
    from ..hidden_slot.known.separated_steps import Separation

# The width asked for by default: both ends seldom meet nearer than that.
WIDTH = 1e-3
NEIGHBOURS = ("remove", "add", "both")
# A record is in one random batch, the same in all epochs.
BINS = "balls-in-bins"
# Nothing is random.
ORDER = "known-order"
# A record is in its batch with some probability, anew in each epoch.
SAMPLES = "cyclic-poisson"
# A record is in each step with some probability, unless it was in one of the steps of an epoch before.
SEPARATED = "b-min-sep"
# The share of delta down to which the curve of an allocation is fine where it is composed.
TAIL = 1e-4
# The least delta for which an allocation is composed.
LEAST_DELTA = 1e-200
# Where delta is asked for, its first estimate.
FIRST_DELTA = 1e-6
# The most noise that is computed with, and the answer about no release.
MOST_NOISE = float(PARAMETERS["sigma"].high)
NOTHING = Interval(0.0, 0.0)
# The sources of ends.
ATTAINED = "the largest record, which attains it"
SUM_OF_STEPS = "a test on the sum of all steps"
FIRST_EPOCH = "a hidden slot in the first {steps} steps"
ONE_DIRECTION = "columns in one direction, used a random number of times"
POISSON_SAMPLES = "Poisson samples in all steps"


@dataclass(frozen=True)
class MatrixMechanism(Protocol):
    """DP-SGD whose noise is correlated by an encoder: the sums of all steps, times the encoder, get independent noise.

    Each of ``steps`` batches is used once in each of ``epochs`` epochs, the same batch at the same step.  The rows of C
    g + z are released, where g_s is the sum of step s, C the ``encoder``, lower-triangular and not negative, and z has
    independent entries of deviation ``sigma`` over the largest norm of what a record adds to a step, which may depend
    on all earlier outputs.  ``encoder``: ``identity`` (DP-SGD), ``toeplitz:C0:C1:...`` (numbers of its diagonals),
    ``square-root[:BANDS]`` (the root of the matrix of prefix sums, cut to some bands) or ``file:PATH`` (lines of
    numbers).  Columns are not normalised: ``sigma`` is the noise of C g as it is.

    ``sampling``: with ``cyclic-poisson`` a record's batch is known, and it is in the batch with probability ``rate``,
    anew in each epoch; encoders have at most ``steps`` bands, and the answer is that of one run on a Poisson sample in
    each epoch, with the noise over the longest column.  With ``b-min-sep`` there are steps * epochs steps, and in each
    of them a record that was in none of the ``steps`` - 1 before is used with probability ``rate``; for ``identity``
    the upper end is that of Poisson samples of that rate in all steps, and for more bands that of a random number of
    uses along one direction, which does not amplify.  With ``balls-in-bins`` each record is in a batch that is chosen
    uniformly, once, and not seen.  With ``known-order`` nothing is random, and bands may be more.
    ``adjacency`` is that of random-allocation but for replacement, and ``both`` for samples of either kind.

    For balls in bins both ends are by Kahane's comparison: they meet where batches have nothing in common and are as
    long, as for ``identity``, and where all have everything in common.  Proofs, for adaptive vectors, are in
    :mod:`pldcheck.hidden_slot.known.correlated_slots`; ``pldcheck simulate matrix-mechanism`` estimates delta by
    sampling.
    """

    steps: int
    sigma: float
    encoder: str = "identity"
    epochs: int = 1
    sampling: str = SAMPLES
    adjacency: str = "both"
    rate: float = 1.0
    name: ClassVar[str] = "matrix-mechanism"
    numbers: ClassVar[tuple[Parameter, ...]] = (
        replace(PARAMETERS["steps"], help="number of batches, which are the steps of one epoch"),
    )
    default_width: ClassVar[float] = WIDTH
    adjacencies: ClassVar[tuple[str, ...]] = NEIGHBOURS
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Text("encoder", f"How noise is correlated: {FORMS}."),
        Words(
            "sampling",
            "Whether samples of known batches are drawn, or of all steps that are so far apart, or a record stays in a "
            "random batch, or nothing is random",
            (SAMPLES, SEPARATED, BINS, ORDER),
        ),
        Words("adjacency", "What becomes of the record", NEIGHBOURS),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 8.0, least=1.0),
            "epochs": rises(MORE_RELEASES, 1),
            "rate": rises(MIXTURE, 0.01, unproved_at=("sampling", SEPARATED)),
        }
    )
    unwritten: ClassVar[str] = NOISE_HAS_NO_TABLE
    examples: ClassVar[Examples] = Examples(
        options="--encoder square-root:8",
        calibrate=("sigma", 2.0),
        compare="--steps 100 --sigma 4 --encoder square-root:8 --rate 0.1 --delta 1e-6",
    )

    def _check(self) -> None:
        if type(self.encoder) is not str:
            raise ParameterError("encoder", f"one of {FORMS}, in a text", self.encoder)
        if self.rate < 1.0 and self.sampling not in (SAMPLES, SEPARATED):
            raise ParameterError("rate", f"1 unless sampling is {SAMPLES} or {SEPARATED}", self.rate)
        if self.adjacency != "both" and self.sampling in (SAMPLES, SEPARATED):
            raise ParameterError("adjacency", f"both where sampling is {self.sampling}", self.adjacency)
        longest = sqrt(self._longest_square)
        if longest == 0.0:
            raise ParameterError("encoder", "with an entry that is not 0 in the steps that there are", self.encoder)
        if not self.sigma > 2.0 * LEAST_SIGMA * longest:
            allowed = f"above {2.0 * LEAST_SIGMA * longest:.3g}, a share of the longest sum of columns"
            raise ParameterError("sigma", allowed, self.sigma)

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        return "batches that have less in common, by fewer bands, narrow it"

    @cached_property
    def _gram(self) -> Gram:
        return known.encoder_gram.gram(self.encoder, self.steps, self.epochs)

    @cached_property
    def _columns(self) -> tuple[float, float]:
        return known.encoder_gram.column_squares(self.encoder, self.steps, self.epochs)

    @cached_property
    def _separated_columns(self) -> SeparatedColumns:
        return known.encoder_gram.separated_columns(self.encoder, self.steps * self.epochs, self.steps)

    @property
    def _longest_square(self) -> float:
        if self.sampling == SEPARATED:
            return self._separated_columns.most
        return self._columns[1] if self.sampling == SAMPLES else float(self._gram.high[0])

    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon at a delta; parameters are those of :meth:`ShuffledBatches.epsilon`.

        ``sources`` of the answer says which comparison each end is from.
        """
        return self._answer("epsilon", parse(delta=delta)["delta"], width)

    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta at an epsilon; ``width`` in delta."""
        return self._answer("delta", parse(epsilon=epsilon)["epsilon"], width)

    def _answer(self, quantity: str, at: float, width: float) -> Interval:
        if self.sampling == BINS:
            return self._between_models(quantity, at, width)
        if self.sampling == SEPARATED:
            return self._of_separated(quantity, at, width)
        least, most = self._columns if self.sampling == SAMPLES else (self._gram.longest, float(self._gram.high[0]))
        upper = self._run(most, Side.UPPER, quantity, at)
        lower = self._run(least, Side.LOWER, quantity, at).lower
        return replace(upper, lower=lower, budget=None, sources=(ATTAINED, ATTAINED))

    def _of_separated(self, quantity: str, at: float, width: float) -> Interval:
        """Return the best ends of those that :mod:`pldcheck.hidden_slot.known.separated_steps` proves."""
        columns, every = self._separated_columns, self.steps * self.epochs
        run = known.separated_steps.Separation(every, self.steps, self.rate)
        above = [(self._mixture(run, Side.UPPER, sqrt(columns.most), quantity, at).upper, ONE_DIRECTION)]
        if columns.apart:
            noise = self._noise(columns.most, Side.UPPER)
            assert noise is not None
            samples: Interval = getattr(SubsampledGaussian(noise, self.rate, every), quantity)(at)
            above.append((samples.upper, POISSON_SAMPLES))
        upper, reason = min(above)
        first = known.separated_steps.Separation(columns.rounds, self.steps, self.rate)
        step = shrink(sqrt(columns.least), 2)
        below = [
            (self._mixture(first, Side.LOWER, step / sqrt(columns.rounds), quantity, at).lower, SUM_OF_STEPS),
            (self._first_steps(first, columns.least, quantity, at, width), FIRST_EPOCH.format(steps=self.steps)),
        ]
        if self.rate == 1.0:
            below.append((self._run(shrink(columns.least * first.most, 2), Side.LOWER, quantity, at).lower, ATTAINED))
        lower, source = max(below)
        return Interval(pld.distribution.checked_lower(lower, upper), upper, quantity, None, None, (source, reason))

    def _mixture(self, run: Separation, side: Side, step: float, quantity: str, at: float) -> Interval:
        """Return the answer of noise on a random number of uses: of their root from above, and of them from below.

        ``step`` is the length of one.  Where the longest is too long for the engine, all are as long, or 0.
        """
        counts, chances = run.law(side)
        if side is Side.UPPER:
            lengths = [enlarge(sqrt(count) * step, 4) for count in counts]
        else:
            lengths = [shrink(count * step, 4) for count in counts]
        if max(lengths) > pld.sampled_mechanisms.LARGEST_MU * self.sigma:
            return self._run(enlarge(step * step * run.most, 8), side, quantity, at) if side is Side.UPPER else NOTHING
        answer: Interval = getattr(pld.gaussian_mixture(self.sigma, lengths, chances), quantity)(at)
        return answer

    def _first_steps(self, run: Separation, square: float, quantity: str, at: float, width: float) -> float:
        """Return the lower end of the first steps, of which at most one is used."""
        noise = self._noise(square, Side.LOWER)
        if noise is None or run.weight() == 0.0:
            return 0.0
        slot = HiddenSlot(
            min(self.steps, run.steps), weight=run.weight(), adjacency="zero-out", randomizer=Noise(noise)
        )
        answer: Interval = getattr(slot, quantity)(at, width)
        return answer.lower

    def _between_models(self, quantity: str, at: float, width: float) -> Interval:
        """Return the largest end of models from below and the smallest of those from above."""
        models = known.correlated_slots.models_below(self._gram), known.correlated_slots.models_above(self._gram)
        below = [(self._model(one, Side.LOWER, quantity, at, width).lower, one) for one in models[0]]
        above = [(self._model(one, Side.UPPER, quantity, at, width).upper, one) for one in models[1]]
        lower, dominated = max(below, key=itemgetter(0))
        upper, dominating = min(above, key=itemgetter(0))
        sources = self._words(dominated, Side.LOWER), self._words(dominating, Side.UPPER)
        return Interval(pld.distribution.checked_lower(lower, upper), upper, quantity, None, None, sources)

    def _words(self, one: OneFactor, side: Side) -> str:
        allocation = f"random allocation to {one.bins} of {self.steps} batches"
        if one.bins == 1 and side is Side.UPPER:
            return "Gaussian noise on the longest sum of a batch's columns, the batch revealed"
        if one.own == 0.0 or one.bins == 1:
            return "Gaussian noise on what all batches have in common"
        return allocation if one.common == 0.0 else f"{allocation}, after Gaussian noise on what they have in common"

    def _noise(self, square: float, side: Side) -> float | None:
        """Return the noise over a number whose square is given, rounded to the side of the end.

        More noise than is computed with counts as the most for an upper end, and as no release at all, None, for a
        lower one.
        """
        noise = self.sigma / sqrt(square) if square > 0.0 else inf
        if side is Side.UPPER:
            return min(shrink(noise, 4), MOST_NOISE)
        return enlarge(noise, 4) if noise < shrink(MOST_NOISE, 8) else None

    @property
    def dominating_run(self) -> Gaussian | SubsampledGaussian:
        """Gaussian noise on the longest column, in samples if these are drawn.

        Raises ParameterError for balls in bins and for uses that are far apart, which no single run dominates.
        """
        if self.sampling in (BINS, SEPARATED):
            raise ParameterError("sampling", f"{SAMPLES} or {ORDER}: no single run dominates it", self.sampling)
        most = self._columns[1] if self.sampling == SAMPLES else float(self._gram.high[0])
        noise = self._noise(most, Side.UPPER)
        assert noise is not None
        return self._run_with(noise)

    def _run_with(self, noise: float) -> Gaussian | SubsampledGaussian:
        return SubsampledGaussian(noise, self.rate, self.epochs) if self.sampling == SAMPLES else Gaussian(noise)

    def _run(self, square: float, side: Side, quantity: str, at: float) -> Interval:
        """Return the answer of Gaussian noise on a number whose square is given, in samples if these are drawn."""
        noise = self._noise(square, side)
        if noise is None:
            return NOTHING
        answer: Interval = getattr(self._run_with(noise), quantity)(at)
        return answer

    def _model(self, one: OneFactor, side: Side, quantity: str, at: float, width: float) -> Interval:
        """Return the answer of a model, with its noise rounded to the side of the end that it is for."""
        answer: Interval
        own = self._noise(one.own, side) if one.own > 0.0 and one.bins > 1 else None
        if own is None:
            whole = one.common + (one.own if one.bins == 1 else 0.0)
            return self._run(enlarge(whole, 2) if side is Side.UPPER else shrink(whole, 2), side, quantity, at)
        allocation = RandomAllocation(one.bins, own, adjacency=self.adjacency)
        common = self._noise(one.common, side) if one.common > 0.0 else None
        if common is None:
            answer = getattr(allocation, quantity)(at, width)
            return answer
        noise = pld.gaussian(common)

        def ask(delta: float) -> Interval:
            least = max(min(TAIL * delta, 1e-3), LEAST_DELTA)
            answer: Interval = getattr(pld.compose_all([*allocation.losses(least), noise]), quantity)(at)
            return answer

        if quantity == "epsilon":
            return ask(at)
        first = ask(FIRST_DELTA)
        return first if first.upper >= FIRST_DELTA else ask(max(first.upper, LEAST_DELTA))
