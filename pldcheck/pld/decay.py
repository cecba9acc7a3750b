r"""A proof that a characteristic function is small at most frequencies, cheaper than computing it there.

Where a node's bound is large the node need not be visited: for a sum of many losses all but a few dozen of up to a
quarter of a million.  For one part, with the tilted probabilities q,

.. math:: -\log|\varphi(s)| \ge \tfrac12 (1 - |\varphi(s)|^2) = \sum_{j<k} q_j q_k (1 - \cos(s (l_j - l_k))),

which is linear in the pairs: those of all parts are laid on one circular lattice and summed by one FFT.  Splitting a
weight between two lattice points a distance b apart changes cos(s.) by at most (bs)^2/8.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import rfft

from ..kernels import losses as kernels
from .losses import Array
from .total import Tilted, laplace_log_mgf

# Parts with more atoms than this are not taken apart into pairs: |phi| itself is computed, on the lattice.
MOST_PAIRED = 8
# Lattice points on the circle for every node: (b s)^2/8 <= (pi/2)^2/8 = 0.31 at the last node.
OVERSAMPLED = 4
# Pairs times nodes up to which the cosines are summed one by one; FFT points spent on parts with many atoms.
DIRECT = 1.7e7
MOST_TRANSFORMED = 1e8
# What floating point can have added to a sum of cosines with weights that sum to 1.
_ROUNDING = 1e-12


def decay(state: Tilted, period: float, nodes: Array) -> Array:
    """At each node 2 pi n/period, a lower bound of minus the log of |phi|, Gaussian parts left aside."""
    total = state.total
    size = 1 << int(np.ceil(np.log2(OVERSAMPLED * nodes.size)))
    spacing = period / size
    blur = np.minimum((spacing * nodes) ** 2 / 8.0, 2.0) + _ROUNDING
    lags, weights = _pairs(state)
    if lags.size * nodes.size <= DIRECT:
        bound = kernels.pair_decay(lags, weights, nodes)
    else:
        mass = float(np.sum(weights))
        lattice = kernels.spread_on_circle(lags, weights, spacing, size)
        bound = mass - rfft(lattice)[: nodes.size].real - mass * blur
    budget = MOST_TRANSFORMED
    for i in np.flatnonzero(np.diff(total.offsets) > MOST_PAIRED):
        budget -= size
        if budget < 0.0:
            break
        part = slice(total.offsets[i], total.offsets[i + 1])
        lattice = kernels.spread_on_circle(state.centred[part], state.tilted[part], spacing, size)
        modulus = np.abs(rfft(lattice)[: nodes.size]) + blur
        bound -= total.counts[i] * np.log(np.minimum(modulus, 1.0))
    return np.maximum(bound, 0.0)


def _pairs(state: Tilted) -> tuple[Array, Array]:
    """Lags and weights of all pairs; a Laplace loss counts by its two atoms, which have a share of its mass."""
    total, theta = state.total, state.theta
    lags, weights = kernels.pairs_of(total.offsets, total.losses, state.tilted, total.counts, MOST_PAIRED)
    if not total.laplace.size:
        return lags, weights
    # q+ = e^(theta e)/2/M, q- = e^(-e (1 + theta))/2/M; with a their sum, 1 - |phi| >= a (1 - |phi_a|) and that is at
    # least q+ q- (1 - cos 2es)/a.

    eps0 = total.laplace
    scale = np.array([float(laplace_log_mgf(e, theta).real) for e in eps0])
    above, below = 0.5 * np.exp(theta * eps0 - scale), 0.5 * np.exp(-(1.0 + theta) * eps0 - scale)
    extra = total.laplace_counts * above * below / (above + below)
    return np.concatenate([lags, 2.0 * eps0]), np.concatenate([weights, extra])
