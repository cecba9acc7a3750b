"""The matrix mechanism: DP-SGD whose noise an encoder correlates, each record in the same batch in every epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from types import MappingProxyType
from typing import ClassVar

from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import Parameter, Text, Words, parse
from ..hidden_slot.known.encoder_text import FORMS
from ..randomizers.gaussian import LEAST_SIGMA
from .answers_at_each import delta_at_each, epsilon_at_each
from .base import Protocol
from .capabilities import (
    MIXTURE,
    MORE_NOISE,
    MORE_RELEASES,
    NOISE_HAS_NO_TABLE,
    Direction,
    Examples,
    falls,
    rises,
    steps_of_epoch,
)
from .matrix_samplings import SAMPLINGS, CyclicSamples, Sampling, SeparatedSamples
from .noise_mechanisms import Gaussian, SubsampledGaussian
from .pure_epsilon import UNBOUNDED

# The width asked for by default: both ends seldom meet nearer than that.
WIDTH = 1e-3
NEIGHBOURS = ("remove", "add", "add-remove")


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
    of them a record that was in none of the ``steps`` - 1 before is used with probability ``rate``, from the first step
    on; the upper end, which holds for a warm start too, is the least of those of Poisson samples of all steps (for
    ``identity``), of candidate steps, and of a random number of uses along one direction, which does not amplify.  With
    ``balls-in-bins`` each record is in a batch that is chosen uniformly, once, and not seen.  With ``known-order``
    nothing is random, and bands may be more.
    ``adjacency`` is that of random-allocation but for replacement, and ``add-remove`` for samples of either kind.

    For balls in bins both ends are by Kahane's comparison: they meet where batches have nothing in common and are as
    long, as for ``identity``, and where all have everything in common.  Proofs, for adaptive vectors, are in
    :mod:`pldcheck.hidden_slot.known.correlated_slots`, and of b-min-sep in
    :mod:`pldcheck.hidden_slot.known.separated_candidates`; ``pldcheck simulate matrix-mechanism`` estimates delta of
    both by sampling.
    """

    steps: int
    sigma: float
    encoder: str = "identity"
    epochs: int = 1
    sampling: str = CyclicSamples.name
    adjacency: str = "add-remove"
    rate: float = 1.0
    name: ClassVar[str] = "matrix-mechanism"
    numbers: ClassVar[tuple[Parameter, ...]] = (steps_of_epoch("number of batches, which are the steps of one epoch"),)
    default_width: ClassVar[float] = WIDTH
    adjacencies: ClassVar[tuple[str, ...]] = NEIGHBOURS
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Text(
            "encoder",
            f"How noise is correlated: {FORMS}.",
            beginnings=("identity", "toeplitz:", "square-root", "square-root:", "file:"),
        ),
        Words(
            "sampling",
            f"Whether {', or '.join(one.about for one in SAMPLINGS.values())}",
            tuple(SAMPLINGS),
        ),
        Words("adjacency", "What becomes of the record", NEIGHBOURS),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {
            "sigma": falls(MORE_NOISE, 8.0, least=1.0),
            "epochs": rises(MORE_RELEASES, 1),
            "rate": rises(MIXTURE, 0.01, unproved_at=("sampling", SeparatedSamples.name)),
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
        kind = type(self._uses)
        if self.rate < 1.0 and not kind.has_rate:
            names = " or ".join(one.name for one in SAMPLINGS.values() if one.has_rate)
            raise ParameterError("rate", f"1 unless sampling is {names}", self.rate)
        if self.adjacency != "add-remove" and not kind.has_adjacency:
            raise ParameterError("adjacency", f"add-remove where sampling is {self.sampling}", self.adjacency)
        longest = sqrt(self._uses.longest_square)
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
    def _uses(self) -> Sampling:
        kind = SAMPLINGS[self.sampling]
        return kind(self.steps, self.sigma, self.encoder, self.epochs, self.adjacency, self.rate)

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon such that the released steps are (epsilon, delta)-DP.

        ``sources`` of the answer says which comparison each end is from.
        """
        return self._uses.answer("epsilon", parse(delta=delta)["delta"], width)

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0: infinite, as Gaussian noise has no largest loss."""
        return UNBOUNDED

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta such that the released steps are (epsilon, delta)-DP."""
        return self._uses.answer("delta", parse(epsilon=epsilon)["epsilon"], width)

    @property
    def dominating_run(self) -> Gaussian | SubsampledGaussian:
        """Gaussian noise on the longest column, in samples if these are drawn.

        For b-min-sep it is that of as many samples of candidate steps as there can be, and above the upper end.  Raises
        ParameterError for balls in bins, which no single run dominates.
        """
        run = self._uses.dominating_run
        if run is None:
            names = " or ".join(one.name for one in SAMPLINGS.values() if one.is_one_run)
            raise ParameterError("sampling", f"{names}: no single run dominates it", self.sampling)
        return run

    @property
    def dominating_scope(self) -> str:
        """Whom an end of the dominating run is about besides, in words."""
        return self._uses.scope
