r"""Two-sided stop-loss transform of a sum of independent copies of lattice laws, at many thresholds at once.

The inversion of :mod:`pldcheck.fourier`, at a tilt theta, of a measure P with moment generating function M:

.. math:: v(u) = E(u + Y_1 + \dots + Y_r)_+ \le \text{rule}(u) = v(u) + \sum_{k \ne 0} v(u + kT) e^{-\theta kT} .

The aliases are bounded by :math:`v(y) \le M(t)^r e^{ty}/(et)`, at a small t for k > 0 and at some t > theta for k < 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log
from typing import Any

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from ..fourier import DECAY, UNIT, Tilted, few_nodes, inversion_kernel, left_out_bound, tilt
from ..kernels.increments import log_mgf
from ..kernels.inversion import invert_into, raise_into
from ..laws import Array, LatticeLaw
from ..pld.contour import Ends
from .plan import Plan

# Costs, in nanoseconds: of a node visited by the FFT, of a value of the law at a single node.
FFT_NODE, VALUE = 70.0, 25.0
# Tilt, over the inverse of a step, from which on nothing is known.
STEEPEST = 600.0
# Exponents beyond which there are no numbers.
LARGEST = 700.0
# What may be left out of the nodes, relative to the transform.
MOST_LEFT_OUT = 1e-9


@dataclass(frozen=True, eq=False)
class TiltedSum:
    """v at thresholds near the one that it was tilted for.

    ``nodes``: rule(u) without its scale at u = step n, n modulo the number of nodes; or, where few frequencies are
    enough, None and the ``terms`` of the sum over them.
    """

    step: float
    theta: float
    cumulant: float
    cumulant_error: float
    size: int
    nodes: Array | None
    frequencies: Array
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
        doubt = self.cumulant_error + 8 * UNIT * (abs(self.cumulant) + abs(theta * start)) + 16 * UNIT
        rise = 1.0 + fraction * expm1(theta * h)
        noise, left = self.noise * rise, self.left_out * rise
        scale = exp(exponent) / self.size
        upper = scale * max(rule + noise + left, 0.0) * (1.0 + doubt)
        alias = self._alias(start)
        lower = max(scale * (rule - noise - left) * (1.0 - doubt) - alias, 0.0)
        return Ends(lower, upper, 2.0 * scale * left + alias, 2.0 * scale * (noise + abs(rule) * doubt))

    def _rule(self, node: int, fraction: float) -> float:
        growth = exp(self.theta * self.step) if self.theta * self.step < 600.0 else np.inf
        if self.nodes is not None:
            here, there = self.nodes[node % self.size], self.nodes[(node + 1) % self.size]
            return float(here + fraction * (growth * there - here))
        z = self.step * (self.theta + 1j * self.frequencies)
        phases = np.exp(1j * self.frequencies * (node * self.step + self.mean)) * (1.0 + fraction * np.expm1(z))
        return float(np.sum((self.terms * phases).real))

    def _alias(self, start: float) -> float:
        period, found = self.size * self.step, 0.0
        for log_height, t in (self.near, self.beyond):
            gap = abs(t - self.theta) * period
            size = abs(log_height) + abs(t * start) + gap
            found += bounded_exp(log_height + t * start - gap, size) / -expm1(-gap * (1.0 - 8 * UNIT))
        return found


def bounded_exp(exponent: float, size: float) -> float:
    """At least e^exponent, computed from terms whose absolute values sum to ``size``."""
    exponent += 8 * UNIT * size
    return exp(exponent) * (1.0 + 4 * UNIT) if exponent < LARGEST else np.inf


def tilted_sum(parts: Sequence[tuple[LatticeLaw, int]], start: float, scheme: Plan) -> TiltedSum:
    """Of independent copies of laws on one lattice, so many of each; for thresholds ``start`` < 0 and near it."""
    theta, step = scheme.theta, parts[0][0].step
    tilted = [tilt(law, theta) for law, _ in parts]
    counts = [count for _, count in parts]
    size = next_fast_len(int(np.ceil(scheme.period / step)) + 2, real=True)
    spacing = 2.0 * np.pi / (size * step)
    short = min(1.0 / (size * step), 0.5 * theta)
    common = {
        "step": step,
        "theta": theta,
        "cumulant": sum(count * one.log_mgf for one, count in zip(tilted, counts, strict=True)),
        "cumulant_error": sum(
            count * (one.log_mgf_error + 4 * UNIT * abs(one.log_mgf)) for one, count in zip(tilted, counts, strict=True)
        ),
        "size": size,
        "near": (_log_height(parts, short), short),
        "beyond": (_log_height(parts, scheme.steeper), scheme.steeper),
    }
    if len(parts) == 1:
        found = _few(parts[0][0], counts[0], tilted[0], start, size, spacing)
        if found is not None:
            return TiltedSum(**common, **found)
    terms, doubts = np.ones(size // 2 + 1, dtype=complex), np.zeros(size // 2 + 1)
    for (law, count), one in zip(parts, tilted, strict=True):
        places = (law.first + np.arange(law.mass.size)) % size
        # Of an FFT of numbers that are not negative, with sum 1, and of these numbers.
        error = 8 * UNIT * np.log2(size) + 2 * one.noise
        raise_into(np.conj(rfft(np.bincount(places, one.masses, size))), count, error, terms, doubts)
    noise = invert_into(theta, step, size, UNIT * (32.0 + 8.0 * log(size)), terms, doubts)
    none = np.empty(0)
    return TiltedSum(
        **common, nodes=size * irfft(terms, size), frequencies=none, terms=none, mean=0.0, noise=noise, left_out=0.0
    )


def _few(law: LatticeLaw, count: int, now: Tilted, start: float, size: int, spacing: float) -> dict[str, Any] | None:
    """The sum over few frequencies, where they are enough and cheaper than all."""
    last = np.sqrt(2.0 * DECAY / count) / max(now.deviation, 1e-300)
    needed = int(np.ceil(last / spacing)) if last < 1e9 * spacing else 10**9
    if needed * law.mass.size * VALUE >= size * FFT_NODE or needed >= size // 2:
        return None
    frequencies = spacing * np.arange(needed + 1.0)
    left_out = 2.0 * left_out_bound(law, now, count, spacing, frequencies[-1])
    weights = inversion_kernel(now.theta, frequencies, law.step)
    if left_out > MOST_LEFT_OUT * abs(weights[0]):  # about what the sum comes to
        return None
    powers, doubt = few_nodes(now, count, frequencies)
    twice = np.full(frequencies.size, 2.0)
    twice[0] = 1.0
    slack = UNIT * (32.0 + 4.0 * frequencies * (abs(start) + count * abs(now.mean)))
    noise = float(np.sum(twice * np.abs(weights) * (doubt + np.abs(powers) * slack)))
    return {
        "nodes": None,
        "frequencies": frequencies,
        "terms": twice * weights * powers,
        "mean": count * now.mean,
        "noise": noise,
        "left_out": left_out,
    }


def _log_height(parts: Sequence[tuple[LatticeLaw, int]], theta: float) -> float:
    """At least the log of M(t) of all of them, over e t."""
    terms = [-1.0, -log(theta)]
    for law, count in parts:
        value, error = log_mgf(law.mass, law.step, law.first, theta)
        terms.append(count * (value + error))
    return float(sum(terms) + 8 * UNIT * sum(map(abs, terms)))
