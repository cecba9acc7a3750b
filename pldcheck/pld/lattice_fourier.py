r"""The one certified inversion of sums of lattice laws: nodes of the rule of :mod:`pldcheck.pld.lattice_contour`.

All nodes of a period come from one FFT; or, where that is more work, only those near zero are evaluated and the others
are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil, exp, expm1, inf, log, log2, pi, sqrt

import numpy as np
from numpy.fft import irfft, rfft

from ..core.arrays import Array
from ..core.directed import LARGEST, UNIT, enlarge, exp_upper, roundoff
from ..core.fourier import FFT, fast_length
from ..kernels.characteristic_powers import log_characteristic
from ..kernels.half_period_inversion import beyond_bound, invert_into, log_mgf_by_blocks, raise_into, tilt_onto
from .lattice_contour import Contour
from .lattice_law import LatticeLaw
from .tilted_lattice import SECOND_ORDER, UNDERFLOWS, TiltedLaw, moment_error, saddle_point, summation_units, tilt

# Aliases are below e^-ALIAS_EXPONENT of the Chernoff bound.
ALIAS_EXPONENT = 45.0
# A period is at least so many deviations of the tilted sum.
SPREAD = 22.0
# Nodes left out weigh less than e^-DECAY each, where the characteristic function is that of a bulk law.
DECAY = 52.0
# Nanoseconds that a node visited by the FFT costs.
FFT_NODE_COST = 25.0
# Nanoseconds that a value of the law at a single node costs.
VALUE_COST = 25.0
# Nanoseconds that a bound of what is left out costs.
BOUND_COST = 4e5
# Frequencies that are needed at least, about.
FEWEST_FREQUENCIES = 8
# Nodes of an FFT at most.
MOST_NODES = 2**22
# Nodes of a period at most, where few are evaluated: their places times each other stay whole numbers of 64 bits.
LONGEST_PERIOD = 2**40
# Nodes over terms from which on a sum over terms is less work than another FFT.
SPARSITY = 20
# Points of the grid that what is left out is bounded on, over those of the law.
GRID_FINENESS = 2
# Points of that grid at least.
LEAST_GRID = 2**10
# How much finer it is where a first one shows that too much may be left out: nearly lattice laws have narrow peaks.
SECOND_FINENESS = 16
# What may be left out of the nodes, relative to the transform, where both ends are asked for; more asks a finer grid.
MOST_LEFT_OUT = 1e-9
# The same of a law that dominates: it does so by 1e-4 of its variance, or more, which is more far from the mean.
MOST_LEFT_OUT_ABOVE = 1e-3
# Nodes from which on the FFT of such a law is more work than an end without what is left out is worth.
COSTLY_NODES = 2**18
# Units of a term's kernel, apart from 3 theta H/2.  sinh(zH/2) = sinh a cos b + i cosh a sin b: a is off by one unit,
# which moves sinh a by (1 + a), and sinh and cosh are within 8; b, with its frequency, by 5, which moves cos b and
# sin b, relatively to the whole, by 5 b <= 8, and they are within 4; two products.  So 22 + a and 18 + a for the parts,
# 29 + 1.5 a for the whole; twice that for its square, 3 for the product and 5 for the quotient.
KERNEL = 68.0
# Units of a term's size and phase.  An angle up to 2 pi is off by 3 units of itself and one of a sum with another, 26;
# exp of an imaginary number by 4 in both parts, 6; that of a turn to the next lattice point, up to pi, by 10 and 6;
# exp of both parts of a power's log by 4 and 6; one product of a number and three of complex numbers, of 3 each.
PHASE = 80.0
# Units of s E|c| by which phi may be off for frequencies (4), atoms (2) and the kernel's sums and logs (42), and more.
CHARACTERISTIC = 56.0


def contour(parts: Sequence[tuple[LatticeLaw, int]], theta: float, steeper: float, period: float) -> Contour:
    """Return the contour, with both ends, at a tilt of a sum of independent copies of laws on one lattice.

    ``parts`` are laws with the numbers of their copies; ``steeper`` is another tilt, which bounds aliases.
    """
    step = parts[0][0].step
    size = fast_length(ceil(period / step) + 2)
    alone = len(parts) == 1 and _room(parts[0][0], size) > 0.0
    rule_of_few = _rule_of_few(*parts[0], tilt(parts[0][0], theta), size, MOST_LEFT_OUT) if alone else None
    rule = rule_of_few or _rule_of_all(parts, theta, size)
    flat = min(1.0 / (rule.size * step), 0.5 * theta)
    return replace(rule, aliases=tuple((_log_height(parts, t), t) for t in (flat, steeper)))


def dominating_contour(
    law: LatticeLaw, count: int, start: float, guess: float, log_outside: Callable[[float], float] | None = None
) -> Contour:
    r"""Return the contour through the saddle point of a start, for upper ends only; ``guess``: a tilt near it.

    ``log_outside(theta)``: log of the integral of e^(theta y) over a measure Q that must be added to the law to
    dominate; it adds :math:`v_{P+Q} - v_P \le ((M_P + M_Q)^r - M_P^r) e^{\theta u}/(e\theta)`, so
    :math:`e^{r M_Q/M_P} - 1` of the Chernoff bound.  What was added to the law against round-off, of mass and mean
    zero, adds e^(theta y) - theta y - 1 to M: it is part of v already, and reported as round-off.
    """
    tilted_law = tilt(law, saddle_point(law, count, start, guess))
    theta = tilted_law.theta
    period = max(ALIAS_EXPONENT / theta, SPREAD * tilted_law.deviation * sqrt(count))
    size = fast_length(ceil(period / law.step) + 2)
    most_left_out = MOST_LEFT_OUT_ABOVE if size < COSTLY_NODES else inf
    rule = _rule_of_few(law, count, tilted_law, size, most_left_out) or _rule_of_all([(law, count)], theta, size)
    terms = count * tilted_law.log_mgf, -1.0, -log(theta)
    log_mgf = tilted_law.log_mgf - tilted_law.log_mgf_error
    outside = log_outside(theta) if log_outside else -inf
    lack = count * exp_upper(outside - log_mgf, abs(outside) + abs(log_mgf)) if outside > -inf else 0.0
    places = theta * law.atoms[law.repair != 0.0]
    repair_moment = float(np.sum(law.repair[law.repair != 0.0] * (np.expm1(places) - places)))
    return replace(
        rule,
        height=sum(terms) + count * tilted_law.log_mgf_error + roundoff(8, sum(map(abs, terms))),
        lack=_growth(lack),
        repair=_growth(count * max(repair_moment, 0.0) * exp_upper(-log_mgf, 0.0)),
    )


def _growth(exponent: float) -> float:
    """Return an upper bound of e^exponent - 1 for an exponent with a few units of round-off."""
    return enlarge(expm1(exponent), 16.0 + 8.0 * exponent) if exponent < LARGEST else inf


def _room(law: LatticeLaw, size: int) -> float:
    """Return how many frequencies are less work than an FFT; 0 where hardly any."""
    frequencies = (size * FFT_NODE_COST - BOUND_COST) / (law.mass.size * VALUE_COST)
    return frequencies if frequencies >= FEWEST_FREQUENCIES else 0.0


def _rule_of_all(parts: Sequence[tuple[LatticeLaw, int]], theta: float, size: int) -> Contour:
    """Return the rule at all nodes of a period; a shorter one is sound as well."""
    step, size = parts[0][0].step, min(size, MOST_NODES)
    terms, doubts, cumulants = np.ones(size // 2 + 1, dtype=complex), np.zeros(size // 2 + 1), []
    for law, count in parts:
        log_mgf, _ = log_mgf_by_blocks(law.mass, step, law.first, theta)
        circle, noise = tilt_onto(law.mass, step, law.first, theta, log_mgf, size)
        # The error of an FFT of non-negative numbers with sum 1, and the error of these numbers.
        raise_into(np.conj(rfft(circle)), count, FFT * UNIT * log2(size) + noise, terms, doubts)
        cumulants.append(count * log_mgf)
    # Units of a term (its kernel and product), and of the sum over the terms, which is an FFT or a sum by numpy.
    slack = KERNEL + 1.5 * theta * step + PHASE + FFT * log2(size) + summation_units(size)
    noise = invert_into(theta, step, size, UNIT * slack, terms, doubts)
    last = int(np.flatnonzero(terms).max(initial=0)) + 1
    sparse = SPARSITY * last < size
    return Contour(
        step=step,
        theta=theta,
        size=size,
        cumulant=sum(cumulants),
        cumulant_error=roundoff(4, sum(map(abs, cumulants))),
        nodes=None if sparse else size * irfft(terms, size),
        terms=_with_negative_frequencies(terms[:last]) if sparse else np.empty(0),
        mean=0.0,
        noise=noise,
        left_out=0.0,
        visits=size,
    )


def _with_negative_frequencies(terms: np.ndarray) -> np.ndarray:
    """Return terms with those of the negative frequencies, but for the first."""
    terms = 2.0 * terms
    terms[:1] *= 0.5
    return terms


def _rule_of_few(law: LatticeLaw, count: int, tilted_law: TiltedLaw, size: int, most_left_out: float) -> Contour | None:
    r"""Return the rule over few frequencies, or None where they are not enough, or no less work than all.

    With centred atoms c around the mean m, a frequency is off by 4 units and an atom by 2 units of itself and one of
    the mean, so phi is off by s times 6 units of E|c| and one of |m|; the probabilities' errors count with
    :math:`|e^{isc} - 1| \le s|c|`; and :func:`log_characteristic` adds 42 units of s E|c|.  With b as computed and
    |a - b| at most e, :math:`|a^r - b^r| \le |b|^r (e^{r \log(1 + e/|b|)} - 1)`.  The logs of
    the computed b^r are off by 6 units, and products with r by one.
    """
    theta, size = tilted_law.theta, min(size, LONGEST_PERIOD)
    spacing = 2.0 * pi / (size * law.step)
    last = sqrt(2.0 * DECAY / count) / max(tilted_law.deviation, 1e-300)
    if not last < min(_room(law, size), size // 2 - 1) * spacing:
        return None
    frequencies = spacing * np.arange(ceil(last / spacing) + 1.0)
    weights = inversion_kernel(theta, frequencies, law.step)
    points, left_out = max(GRID_FINENESS * law.mass.size, LEAST_GRID), inf
    for grid in (points, SECOND_FINENESS * points):
        # The first weight is about what the sum comes to.
        if left_out > MOST_LEFT_OUT * abs(weights[0]):
            left_out = 2.0 * _left_out(law, tilted_law, count, spacing, float(frequencies[-1]), grid)
    # Where the period of all nodes would be cut, their aliases grow.
    if left_out > max(most_left_out, exp(-ALIAS_EXPONENT * MOST_NODES / size) if size > MOST_NODES else 0.0) * abs(
        weights[0]
    ):
        return None
    real, imaginary = log_characteristic(tilted_law.atoms, tilted_law.masses, frequencies)
    characteristic_error = (
        frequencies
        * SECOND_ORDER
        * (tilted_law.sway + UNIT * (CHARACTERISTIC * tilted_law.spread + abs(tilted_law.mean)))
    )
    moduli, exponents = np.exp(count * real), count * np.log1p(characteristic_error / np.exp(real))
    doubts = np.where(exponents < 1.0, moduli * np.expm1(exponents), np.exp(count * real + exponents)) + UNDERFLOWS
    slack = KERNEL + 1.5 * theta * law.step + PHASE + summation_units(frequencies.size)
    slack += count * (8.0 * frequencies * abs(tilted_law.mean) + 7.0 * (np.abs(real) + np.abs(imaginary)))
    return Contour(
        step=law.step,
        theta=theta,
        size=size,
        cumulant=count * tilted_law.log_mgf,
        cumulant_error=count * (tilted_law.log_mgf_error + roundoff(4, abs(tilted_law.log_mgf))),
        nodes=None,
        terms=_with_negative_frequencies(weights * (moduli * np.exp(1j * count * imaginary))),
        mean=count * tilted_law.mean,
        noise=float(np.sum(_with_negative_frequencies(np.abs(weights) * (doubts + moduli * slack * UNIT))))
        * SECOND_ORDER,
        left_out=left_out,
        visits=ceil(law.mass.size * frequencies.size * VALUE_COST / FFT_NODE_COST),
    )


def inversion_kernel(theta: float, frequencies: Array, step: float) -> np.ndarray:
    """Return H / (4 sinh^2(zH/2)), without cancellation near zero."""
    a, b = 0.5 * step * theta, 0.5 * step * frequencies
    sine = np.sinh(a) * np.cos(b) + 1j * (np.cosh(a) * np.sin(b))
    return step / (4.0 * sine * sine)


def _left_out(law: LatticeLaw, tilted_law: TiltedLaw, count: int, spacing: float, last: float, points: int) -> float:
    """Return a bound of the terms from the frequency ``last`` on, by so many points of a grid."""
    size = 2 * fast_length(points // 2)
    # A shift has modulus 1 and is left out of phi and of its centred derivative alike.
    phi, slope = rfft(tilted_law.masses, size), -1j * rfft(tilted_law.masses * tilted_law.atoms, size)
    moments = (
        float(np.sum(tilted_law.masses * tilted_law.atoms**2)),
        float(np.sum(tilted_law.masses * tilted_law.atoms**4)),
    )
    # The errors of both transforms, whose masses are off as well, half a cell from a frequency; of the atoms; and of
    # their moduli.
    half, widest = 0.5 * pi / (law.step * (phi.size - 1)), float(np.abs(tilted_law.atoms).max())
    slack = (1.0 + half * widest) * (FFT * UNIT * log2(size) + 2.0 * tilted_law.noise) + roundoff(16)
    slack += roundoff(4, half * (widest + abs(tilted_law.mean)))
    relative_error = moment_error(tilted_law) + roundoff(16)
    return float(
        beyond_bound(
            phi, slope, moments, relative_error, float(count), tilted_law.theta, law.step, spacing, last, slack
        )
    )


def _log_height(parts: Sequence[tuple[LatticeLaw, int]], theta: float) -> float:
    """Return an upper bound of log(M(t)/(e t)), M being the moment generating function of the whole sum."""
    terms = [-1.0, -log(theta)]
    for law, count in parts:
        value, error = log_mgf_by_blocks(law.mass, law.step, law.first, theta)
        terms.append(count * (value + error))
    return float(sum(terms) + roundoff(8, sum(map(abs, terms))))
