r"""Two-sided stop-loss transform of a sum of independent copies of lattice laws, at many thresholds at once.

The inversion of :mod:`pldcheck.pld.lattice_fourier`, at a tilt theta, of a measure P with moment generating function M:

.. math:: v(u) = E(u + Y_1 + \dots + Y_r)_+ \le \text{rule}(u) = v(u) + \sum_{k \ne 0} v(u + kT) e^{-\theta kT} .

The aliases are bounded by :math:`v(y) \le M(t)^r e^{ty}/(et)`, at a small t for k > 0 and at some t > theta for k < 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, expm1, log, log2, pi, sqrt
from typing import Any

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from ...core.arrays import Array
from ...core.assumed import FFT
from ...core.directed import UNIT, Ends, enlarge, roundoff, shrink
from ...kernels.characteristic_powers import log_characteristic
from ...kernels.half_period_inversion import beyond_bound, invert_into, log_mgf_quickly, raise_into, tilt_onto
from ...kernels.tilt_planning import Plan
from ...pld.lattice_fourier import DECAY, Tilted, inversion_kernel, moment_error, tilt
from ...pld.lattice_law import LatticeLaw

# Nanoseconds that a node visited by the FFT costs.
FFT_NODE = 25.0
# Nanoseconds that a value of the law at a single node costs.
VALUE = 25.0
# Nanoseconds that what is left out costs.
FEW = 4e5
# Frequencies that are needed at least, about.
FEWEST = 8
# Nodes of an FFT at most.
MOST = 2**22
# Nodes over terms from which on a sum over terms is less work than another FFT.
SPARSE = 20
# Tilt, over the inverse of a step, from which on nothing is known.
STEEPEST = 600.0
# Exponents beyond which there are no numbers.
LARGEST = 700.0
# Points of the grid that what is left out is bounded on, over those of the law.
FINER = 2
# Points of that grid at least.
COARSEST = 2**10
# What may be left out of the nodes, relative to the transform.
MOST_LEFT_OUT = 1e-9


@dataclass(frozen=True, eq=False)
class TiltedSum:
    """v at thresholds near the one that it was tilted for.

    ``nodes``: rule(u) without its scale at u = step n, n modulo the number of nodes; or, where few frequencies are
    enough, None and the ``terms`` of the sum over them, from 0 on.  ``visited``: the nodes of an FFT, or as
    much work.
    """

    step: float
    theta: float
    cumulant: float
    cumulant_error: float
    size: int
    visited: int
    nodes: Array | None
    terms: np.ndarray
    mean: float
    noise: float
    left_out: float
    near: tuple[float, float]
    beyond: tuple[float, float]

    def ends(self, start: float) -> Ends:
        """Both ends of E(start + sum)_+ of the measure."""
        h, theta = self.step, self.theta
        node = int(np.floor(start / h))
        exponent = self.cumulant + theta * node * h
        if theta * h > STEEPEST or not exponent < LARGEST:  # nothing is known
            return Ends(0.0, np.inf, np.inf, 0.0)
        fraction = start / h - node
        rule = self._rule(node, fraction)
        doubt = self.cumulant_error + roundoff(8, abs(self.cumulant) + abs(theta * start)) + roundoff(16)
        doubt += roundoff(8, theta * h)  # of the rise within a step; its share's rounding is charged to the start
        rise = 1.0 + fraction * expm1(theta * h)
        noise, left = self.noise * rise, self.left_out * rise
        scale = exp(exponent) / self.size
        more = expm1(min(doubt, LARGEST))  # of an exponent that is off by so much
        upper = scale * max(rule + noise + left, 0.0) * (1.0 + more)
        alias = self._alias(start)
        lower = max(scale * (rule - noise - left) / (1.0 + more) - alias, 0.0)
        return Ends(lower, upper, 2.0 * scale * left + alias, 2.0 * scale * (noise + abs(rule) * more))

    def _rule(self, node: int, fraction: float) -> float:
        growth = exp(self.theta * self.step) if self.theta * self.step < 600.0 else np.inf
        if self.nodes is not None:
            here, there = self.nodes[node % self.size], self.nodes[(node + 1) % self.size]
            return float(here + fraction * (growth * there - here))
        places, turn = np.arange(self.terms.size), 2.0 * pi / self.size
        # An angle is its own up to whole turns.
        angles = turn * (places * (node % self.size) % self.size) + places * (turn * self.mean / self.step)
        rise = 1.0 + fraction * np.expm1(self.step * self.theta + 1j * turn * places)
        return float(np.sum((self.terms * np.exp(1j * angles) * rise).real))

    def _alias(self, start: float) -> float:
        period, found = self.size * self.step, 0.0
        for log_height, t in (self.near, self.beyond):
            gap = abs(t - self.theta) * period
            size = abs(log_height) + abs(t * start) + gap
            # The gap's own rounding is in its size; that of the quotient and the sum.
            found += enlarge(bounded_exp(log_height + t * start - gap, size) / -expm1(shrink(-gap, 8)), 16)
        return found


def bounded_exp(exponent: float, size: float) -> float:
    """At least e^exponent, computed from terms whose absolute values sum to ``size``."""
    exponent += roundoff(8, size)
    return enlarge(exp(exponent), 4) if exponent < LARGEST else np.inf


def tilted_sum(parts: Sequence[tuple[LatticeLaw, int]], scheme: Plan) -> TiltedSum:
    """Of independent copies of laws on one lattice, so many of each; for thresholds near that of the scheme."""
    theta, step = scheme.theta, parts[0][0].step
    size = next_fast_len(ceil(scheme.period / step) + 2, real=True)
    if len(parts) == 1:
        found = _few(*parts[0], scheme, size)
        if found is not None:
            return found
    # A shorter period is sound as well.
    size = min(size, MOST)
    terms, doubts, cumulants = np.ones(size // 2 + 1, dtype=complex), np.zeros(size // 2 + 1), []
    for law, count in parts:
        log_mgf, _ = log_mgf_quickly(law.mass, step, law.first, theta)
        circle, noise = tilt_onto(law.mass, step, law.first, theta, log_mgf, size)
        # Of an FFT of numbers that are not negative, with sum 1, and of these numbers.
        raise_into(np.conj(rfft(circle)), count, FFT * UNIT * log2(size) + noise, terms, doubts)
        cumulants.append(count * log_mgf)
    noise = invert_into(theta, step, size, UNIT * (32.0 + FFT * log2(size)), terms, doubts)
    last = int(np.flatnonzero(terms).max(initial=0)) + 1
    sparse = SPARSE * last < size
    return TiltedSum(
        **_common(parts, scheme, size),
        cumulant=sum(cumulants),
        cumulant_error=roundoff(4, sum(map(abs, cumulants))),
        visited=size,
        nodes=None if sparse else size * irfft(terms, size),
        terms=_twice(terms[:last]) if sparse else np.empty(0),
        mean=0.0,
        noise=noise,
        left_out=0.0,
    )


def _common(parts: Sequence[tuple[LatticeLaw, int]], scheme: Plan, size: int) -> dict[str, Any]:
    short = min(1.0 / (size * parts[0][0].step), 0.5 * scheme.theta)
    return {
        "step": parts[0][0].step,
        "theta": scheme.theta,
        "size": size,
        "near": (_log_height(parts, short), short),
        "beyond": (_log_height(parts, scheme.steeper), scheme.steeper),
    }


def _twice(terms: np.ndarray) -> np.ndarray:
    """With those of the negative frequencies, but for the first."""
    terms = 2.0 * terms
    terms[:1] *= 0.5
    return terms


def _few(law: LatticeLaw, count: int, scheme: Plan, size: int) -> TiltedSum | None:
    """The sum over few frequencies, where they are enough and cheaper than all."""
    room = (size * FFT_NODE - FEW) / (law.mass.size * VALUE)
    if room < FEWEST:
        return None
    now, spacing = tilt(law, scheme.theta), 2.0 * pi / (size * law.step)
    last = sqrt(2.0 * DECAY / count) / max(now.deviation, 1e-300)
    if not last < min(room, size // 2 - 1) * spacing:
        return None
    needed = ceil(last / spacing)
    frequencies = spacing * np.arange(needed + 1.0)
    left_out = 2.0 * _left_out(law, now, count, spacing, float(frequencies[-1]))
    weights = inversion_kernel(now.theta, frequencies, law.step)
    if left_out > MOST_LEFT_OUT * abs(weights[0]):  # about what the sum comes to
        return None
    real, imaginary = log_characteristic(now.atoms, now.masses, frequencies)
    powers = np.exp(count * (real + 1j * imaginary))
    sizes = frequencies * float(np.sum(now.masses * np.abs(now.atoms))) + np.abs(real) + np.abs(imaginary)
    doubt = np.abs(powers) * ((roundoff(32) + 2 * now.noise) * count * sizes + roundoff(16))
    slack = UNIT * (48.0 + 8.0 * frequencies * count * abs(now.mean))
    noise = float(np.sum(_twice(np.abs(weights) * (doubt + np.abs(powers) * slack))))
    return TiltedSum(
        **_common([(law, count)], scheme, size),
        cumulant=count * now.log_mgf,
        cumulant_error=count * (now.log_mgf_error + roundoff(4, abs(now.log_mgf))),
        visited=ceil(law.mass.size * frequencies.size * VALUE / FFT_NODE),
        nodes=None,
        terms=_twice(weights * powers),
        mean=count * now.mean,
        noise=noise,
        left_out=left_out,
    )


def _left_out(law: LatticeLaw, now: Tilted, count: int, spacing: float, last: float) -> float:
    """A bound of the terms from the frequency ``last`` on."""
    size = 2 * next_fast_len(max(FINER * now.masses.size, COARSEST) // 2, real=True)
    # A shift has modulus 1 and is left out of phi and of its centred derivative alike.
    phi, slope = rfft(now.masses, size), -1j * rfft(now.masses * now.atoms, size)
    moments = float(np.sum(now.masses * now.atoms**2)), float(np.sum(now.masses * now.atoms**4))
    # Of both transforms, whose masses are off as well, half a cell from a frequency; and of their moduli.
    reach = 1.0 + 0.5 * pi / (law.step * (phi.size - 1)) * float(np.abs(now.atoms).max())
    slack = reach * (FFT * UNIT * log2(size) + 2.0 * now.noise) + roundoff(16)
    off = moment_error(law, now) + roundoff(16)
    return float(beyond_bound(phi, slope, moments, off, float(count), now.theta, law.step, spacing, last, slack))


def _log_height(parts: Sequence[tuple[LatticeLaw, int]], theta: float) -> float:
    """At least the log of M(t) of all of them, over e t."""
    terms = [-1.0, -log(theta)]
    for law, count in parts:
        value, error = log_mgf_quickly(law.mass, law.step, law.first, theta)
        terms.append(count * (value + error))
    return float(sum(terms) + roundoff(8, sum(map(abs, terms))))
