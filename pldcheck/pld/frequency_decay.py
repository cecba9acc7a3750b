r"""A proof that a characteristic function is small at most frequencies, cheaper than computing it there.

Where a bound is large no node need be visited: for a sum of many losses all but a few dozen of up to a quarter of a
million.  For one part, with the tilted probabilities q,

.. math:: -\log|\varphi(s)| \ge \tfrac12 (1 - |\varphi(s)|^2) = \sum_{j<k} q_j q_k (1 - \cos(s (l_j - l_k))),

which is linear in the pairs (and so is :math:`-\log|\varphi|` itself of a few responses, in its harmonics): those of
all parts are laid on one circular lattice and summed by one FFT.  Splitting a weight between two lattice points a
distance b apart changes cos(s.) by at most (bs)^2/8.

The bounds are computed at the ends of intervals of many nodes.  A function with second derivative at most B is, on an
interval of length d, within B d^2/8 of the chord: here B is twice the variance of a part for :math:`-|\varphi|^2`, and
the sum of weights times squared lags for the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.fft import rfft

from ..core.directed import UNIT
from .laplace_mgf import laplace_cumulant
from .response_sums import response_pairs
from .step_losses import Array
from .tilted_total import TiltedTotal

# Parts with more atoms than this are not taken apart into pairs: |phi| itself is computed, on the lattice.
MOST_ATOMS_FOR_PAIRS = 8
# Lattice points on the circle for every frequency: (b s)^2/8 <= (pi/2)^2/8 = 0.31 at the last one.
OVERSAMPLING = 4
# Responses of which the pairs are taken: every term is positive, so that some of them bound all.
MOST_RESPONSES = 2**11
# Those responses are chosen at multiples of the golden ratio, which no periodic list is in step with.
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
# Pairs up to which the cosines are summed one by one: exact where a part occurs very often.
FEW_LAGS = 16
# Pairs times frequencies up to which the cosines are summed one by one, as that costs no more than the FFT.
DIRECT_WORK = 2e4
# The most FFT points that are spent on parts with many atoms.
MOST_FFT_POINTS = 1e8
# How much |phi|^2 of a part may be larger on an interval than at its ends, if it is to bound anything.
MOST_BETWEEN = 0.5
# Parts in a row that lift so few intervals that to visit their nodes takes no longer than the part's bound.
MOST_USELESS = 2
# They are looked for where this share of the intervals or less is left.
FEW_LOW = 0.1
# How far from its chord the sum of the cosines may be on one interval, which determines the interval's length.
SLACK = 1.0
# Length of an interval in deviations of one part.
LENGTH_IN_PART = 0.2
# Of fewer parts the product is small only where each |phi| is very small: it is bounded node by node.
MANY_COPIES = 16.0
# Frequencies of an octave at which errors of nodes are computed.
BREAKS_PER_OCTAVE = 2
# The frequency 0 in a quotient.
SMALLEST = 1e-300
# Round-offs of a sum of cosines with weights that sum to 1, by FFT: 8 for each of its levels (a product and a sum of
# complex numbers), of which a real transform of 2^40 points would have 40.
_TRANSFORM = 8.0 * 40.0
# Round-offs of the angle of each cosine, by its size.
_ANGLE = 4.0
# Relative errors of weights, which are positive.  Tilted masses have 16 round-offs, two are in a product, and with
# count, sine, square and variance there are fewer than 32 more; sums have one for each term at most.
_WEIGHTS = 64.0
# Tilted masses have 8 round-offs of their exponents as well, and two are in a product: this is twice those 16.
_EXPONENTS = 32.0


@dataclass(frozen=True, eq=False)
class Decay:
    """A lower bound of -log|phi|: sum of weights (1 - cos(s lags)), less ``deficit``, plus parts of many atoms.

    ``curvature``: the largest second derivative of that sum.
    """

    state: TiltedTotal
    lags: Array
    weights: Array
    deficit: float
    curvature: float

    @classmethod
    def of(cls, state: TiltedTotal) -> Decay:
        """Return the bound from all pairs of the sum, or from enough of them."""
        lags, weights, deficit = _pairs(state)
        return cls(state, lags, weights, deficit, float(np.sum(np.abs(weights) * lags**2)))

    def stride(self, spacing: float) -> int:
        """Return how many nodes, this far apart, may share a bound."""
        large_parts = np.diff(self.state.total.offsets) > MOST_ATOMS_FOR_PAIRS
        counts, variances = self.state.total.counts[large_parts], self.state.variances[large_parts]
        order = np.argsort(variances)
        copies = np.cumsum(counts[order])
        # The half of smaller variance decides: a tilt may widen others by much, whose bounds then come to nothing.
        order = order[: 1 + int(np.searchsorted(copies, 0.5 * copies[-1]))] if copies.size else order
        curvature = self.curvature + float(counts[order] @ variances[order])
        length = (8.0 * SLACK / curvature) ** 0.5 if curvature > 0.0 else np.inf
        if copies.size:
            if copies[-1] < MANY_COPIES:
                return 1
            length = min(length, LENGTH_IN_PART / max(float(variances[order[-1]]), 1e-300) ** 0.5)
        return int(min(max(length / spacing, 1.0), 2.0**40))

    def bounds(
        self, length: float, size: int, *, between: bool, beside: Array | float = 0.0, enough: float = np.inf
    ) -> Array:
        """Return lower bounds of -log|phi|, without Gaussian parts, on [i length, (i + 1) length] for i < size.

        If ``between`` is False, they are bounds at the frequencies i length only.  Parts of many atoms are taken one
        after another until the next ones lift hardly any more intervals to ``enough``, together with ``beside``, what
        other factors add to the bounds.
        """
        total = self.state.total
        frequencies: Array = length * np.arange(size + 1, dtype=np.float64)
        bound = self._of_pairs(length, frequencies) - self.deficit
        if between:
            bound = np.minimum(bound[:-1], bound[1:]) - length**2 / 8.0 * self.curvature
        budget, points = MOST_FFT_POINTS, _points(frequencies)
        spacing = 2.0 * np.pi / (length * points)
        large_parts = np.flatnonzero(np.diff(total.offsets) > MOST_ATOMS_FOR_PAIRS)
        if between:
            large_parts = large_parts[length**2 / 4.0 * self.state.variances[large_parts] < MOST_BETWEEN]
        large_parts = large_parts[np.argsort(-total.counts[large_parts] * self.state.variances[large_parts])]
        # Nodes of a quadrature are off by so much at each frequency; the true value is at most high/s as well.
        errors, high = self._node_errors(frequencies), self.state.high_frequencies
        low, useless = size, 0
        for i in large_parts:
            budget -= points
            if budget < 0.0:
                break
            part = slice(total.offsets[i], total.offsets[i + 1])
            lattice = spread_on_circle(self.state.centred_losses[part], self.state.tilted_masses[part], spacing, points)
            reach = float(np.max(np.abs(self.state.centred_losses[part])))
            square = (np.abs(rfft(lattice)[: frequencies.size]) + _blur(spacing, frequencies, reach)) ** 2
            if between:
                square = np.maximum(square[:-1], square[1:]) + length**2 / 4.0 * float(self.state.variances[i])
            if errors is not None:
                # Errors rise with the frequency, so that an interval has that of its end.
                off = errors[i][1:] if between else errors[i]
                square = (np.sqrt(square) + off[: square.size]) ** 2
                steep = np.minimum(high[i] / np.maximum(frequencies[: square.size], SMALLEST), 1.0)
                square = np.minimum(square, steep * steep)
            bound = bound[:size] - 0.5 * total.counts[i] * np.log(np.minimum(square[:size], 1.0))
            before, low = low, int(np.count_nonzero(bound + beside < enough))
            useless = 0 if (before - low) * total.size > points else useless + 1
            if useless > MOST_USELESS and low < FEW_LOW * size:
                break
        # Round-off of masses moves a bound by a share of it, unless they are tilted beyond any share.
        reaches = (total.reach, total.laplace, total.responses)
        largest = max((float(np.max(reach)) for reach in reaches if reach.size), default=0.0)
        share = UNIT * (_WEIGHTS + self.lags.size + total.losses.size)
        share += _EXPONENTS * UNIT * (1.0 + abs(self.state.theta)) * largest
        share += 4.0 * float(np.max(total.mass_errors, initial=0.0))
        return np.maximum((1.0 - min(share, 1.0)) * bound[:size], 0.0)

    def _node_errors(self, frequencies: Array) -> Array | None:
        """Return how far E exp(isL) of the nodes is off, a row a part, a column a frequency, if there are nodes."""
        if self.state.total.nodes is None or frequencies.size < 2:
            return None
        count = 2 + int(np.ceil(BREAKS_PER_OCTAVE * np.log2(frequencies.size)))
        breaks = np.geomspace(frequencies[1], frequencies[-1], count)
        breaks[-1] = frequencies[-1]
        return self.state.node_errors(breaks)[:, np.searchsorted(breaks, frequencies)]

    def _of_pairs(self, length: float, frequencies: Array) -> Array:
        if self.lags.size <= FEW_LAGS or self.lags.size * frequencies.size <= DIRECT_WORK:
            angles = np.minimum(_ANGLE * UNIT * frequencies * float(np.max(self.lags, initial=0.0)), 2.0)
            angle_error = float(np.sum(np.abs(self.weights))) * angles
            return pair_decay(self.lags, self.weights, frequencies) - angle_error
        mass, size = float(np.sum(self.weights)), float(np.sum(np.abs(self.weights)))
        points = _points(frequencies)
        spacing = 2.0 * np.pi / (length * points)
        lattice = spread_on_circle(self.lags, self.weights, spacing, points)
        blur = _blur(spacing, frequencies, float(np.max(self.lags)))
        return mass - rfft(lattice)[: frequencies.size].real - size * blur


def _points(frequencies: Array) -> int:
    return 1 << int(np.ceil(np.log2(OVERSAMPLING * frequencies.size)))


def _blur(spacing: float, frequencies: Array, reach: float) -> Array:
    """Return how much the lattice and round-off change a sum of cosines at points up to ``reach``, weights of sum 1."""
    split = np.minimum((spacing * frequencies) ** 2 / 8.0, 2.0)
    return split + UNIT * (_TRANSFORM + _ANGLE * frequencies * reach)


def pairs_of(offsets: Array, losses: Array, masses: Array, counts: Array, most: int) -> tuple[Array, Array]:
    """Return the lags between the atoms of each part with at most ``most`` of them, and their weights.

    The weight of a lag is the count of the part times the product of the two masses.
    """
    sizes = np.diff(offsets)
    lags, weights = [np.zeros(0)], [np.zeros(0)]
    for size in range(2, most + 1):
        parts = np.flatnonzero(sizes == size)
        above, below = (offsets[parts, None] + rank for rank in np.tril_indices(size, -1))
        lags.append(np.abs(losses[above] - losses[below]).ravel())
        weights.append((counts[parts, None] * masses[above] * masses[below]).ravel())
    return np.concatenate(lags), np.concatenate(weights)


def pair_decay(lags: Array, weights: Array, frequencies: Array) -> Array:
    """Return the sum over j of weights[j] (1 - cos(s lags[j])) for each s."""
    decay: Array = np.sin(0.5 * np.outer(frequencies, lags)) ** 2 @ (2.0 * weights)
    return decay


def spread_on_circle(points: Array, weights: Array, spacing: float, size: int) -> Array:
    """Return weights split linearly between the two lattice points next to each point, on a circle of ``size``."""
    places = points / spacing
    floors = np.floor(places)
    shares, indices = places - floors, floors.astype(np.int64) % size
    lattice: Array = np.bincount(indices, weights * (1.0 - shares), size).astype(np.float64)
    return lattice + np.bincount((indices + 1) % size, weights * shares, size)


def _pairs(state: TiltedTotal) -> tuple[Array, Array, float]:
    """Return lags, weights, and the number to subtract.

    A Laplace loss counts by its two atoms, which have a share of its mass.
    """
    total, theta = state.total, state.theta
    lags, weights = pairs_of(total.offsets, total.losses, state.tilted_masses, total.counts, MOST_ATOMS_FOR_PAIRS)
    deficit = 0.0
    if total.responses.size:
        eps0, counts = total.responses, total.response_counts
        if eps0.size > MOST_RESPONSES:
            indices = np.unique((np.arange(MOST_RESPONSES) * _GOLDEN % 1.0 * eps0.size).astype(np.int64))
            eps0, counts = eps0[indices], counts[indices]
        more, extra, deficit = response_pairs(eps0, counts, theta)
        lags, weights = np.concatenate([lags, more]), np.concatenate([weights, extra])
    if not total.laplace.size:
        return lags, weights, deficit
    # q+ = e^(theta e)/2/M, q- = e^(-e (1 + theta))/2/M; with a their sum, 1 - |phi| >= a (1 - |phi_a|) and that is at
    # least q+ q- (1 - cos 2es)/a.

    eps0 = total.laplace
    scale = np.array([laplace_cumulant(e, theta)[0] for e in eps0])
    above, below = 0.5 * np.exp(theta * eps0 - scale), 0.5 * np.exp(-(1.0 + theta) * eps0 - scale)
    extra = total.laplace_counts * above * below / (above + below)
    return np.concatenate([lags, 2.0 * eps0]), np.concatenate([weights, extra]), deficit
