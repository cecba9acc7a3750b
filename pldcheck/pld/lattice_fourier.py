r"""Certified stop-loss transform of a sum of r independent copies of a lattice law, at any r.

For a positive measure P on a lattice of step H with moment generating function M, and u on the lattice,

.. math:: E(u + Y_1 + \dots + Y_r)_+ = \frac{H}{2\pi} \int_{-\pi/H}^{\pi/H}
          \frac{e^{zu} M(z)^r}{4 \sinh^2(zH/2)} ds \cdot H, \quad z = \theta + is,\ \theta > 0.

The trapezoidal rule with N nodes adds the aliases :math:`\sum_{k \ne 0} v(u + kNH) e^{-\theta kNH}`, which are
positive: the rule is an upper bound for any N and any theta (the tilt; Esscher transform, Grübel & Hermesmeier
1999).  What is left to bound is round-off and, where not all nodes are evaluated, the nodes left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum, inf

import numpy as np
from scipy.fft import next_fast_len, rfft

from ..core.arrays import Array
from ..core.assumed import FFT
from ..core.directed import UNIT, enlarge, roundoff, shrink
from ..kernels.characteristic_powers import log_characteristic
from .lattice_law import LatticeLaw

# The aliases are below e^-ALIAS_EXPONENT of the Chernoff bound; the spread covers SPREAD deviations of the tilted sum.
ALIAS_EXPONENT = 45.0
SPREAD = 22.0
# Up to this many nodes the whole period is evaluated by one FFT, whose absolute error is multiplied by the power.
LONGEST_FFT = 2**16
HIGHEST_FFT_POWER = 2**13
# Nodes left out weigh less than e^-DECAY each, where the characteristic function is that of a bulk law.
DECAY = 52.0
# Largest tilt, in lattice steps: beyond, the start is out of the sum's reach and the answer is zero for all purposes.
STEEPEST = 100.0
# Largest error of an exponent that is told from infinity: none is near it.
LARGEST = 700.0
# Grid on which the characteristic function is bounded where its nodes are left out.
BOUND_GRID = 2**14


@dataclass(frozen=True)
class StopLoss:
    """``upper >= E(u + sum)_+``; of it, ``truncation`` and ``rounding`` are error bounds that were added."""

    upper: float
    truncation: float
    rounding: float


@dataclass(frozen=True)
class Tilted:
    """P exponentially tilted: probabilities q, centred atoms, moments; log M(theta).

    ``noise``: mean relative error of the q (of their exponents, mostly); ``log_mgf_error``: absolute.
    """

    theta: float
    log_mgf: float
    log_mgf_error: float
    noise: float
    masses: Array
    atoms: Array
    mean: float
    deviation: float


def tilt(law: LatticeLaw, theta: float) -> Tilted:
    """P times exp(theta y), as probabilities, with log M(theta)."""
    atoms = law.atoms
    with np.errstate(divide="ignore"):
        exponents = np.log(law.mass) + theta * atoms
        sizes = np.where(law.mass > 0.0, np.abs(np.log(law.mass)), 0.0) + theta * np.abs(atoms)
    top = exponents.max()
    weights = np.exp(exponents - top)
    masses = weights / np.sum(weights)
    # sums of products and not dot products: those wait for idle threads when the machine has none
    # Of an exponent two units of log mass, three of theta y; e^-t t is below 1 for its distance t from the top; exp and
    # log 8 units; numpy sums in pairs, in blocks of 128 by eight, so within log2 n + 20 units.
    summed = np.log2(atoms.size + 1.0) + 20.0
    noise = UNIT * float(4.0 * np.sum(masses * sizes) + 10.0 + 2.0 * summed)
    # near the identity: M - 1 from small terms
    if top < 1.0 and theta * np.abs(atoms).max() < 1.0 and np.sum(law.mass) > 0.5:
        # fsum: the masses' sum minus 1 is multiplied by the power
        terms, rest = law.mass * np.expm1(theta * atoms), fsum([-1.0, *law.mass])
        gain = float(np.sum(terms)) + rest
        log_mgf = float(np.log1p(gain))
        # A term: exponents below 1 off by 2 units move expm1 by 4, itself 4, a product; the sum as above; log1p 4.
        size = float(np.sum(np.abs(terms)))
        log_mgf_error = UNIT * (
            ((10.0 + summed) * size + abs(rest) + abs(gain)) / (1.0 + gain) * 1.001 + 4 * abs(log_mgf)
        )
    else:
        log_mgf = float(top + np.log(np.sum(weights)))
        log_mgf_error = noise
    mean = float(np.sum(masses * atoms))
    centred = atoms - mean
    deviation = float(np.sqrt(np.sum(masses * centred**2)))
    return Tilted(theta, log_mgf, log_mgf_error, noise, masses, centred, mean, deviation)


def moment_error(law: LatticeLaw, tilted: Tilted) -> float:
    """The relative error of the centred second and fourth moment, and of the square of the second.

    Of one q: 2 units of log mass, 3 of theta y, one of the distance from the top, at most twice the largest exponent;
    8 of exp and log, and the sum.  By Minkowski's inequality a norm of centred atoms moves by that of their errors:
    4 units of an atom, and the mean's, of q and of a sum; the fourth power of a norm by 4.1 times as much.
    """
    if not tilted.deviation > 0.0:
        return inf
    kept = tilted.masses > 0.0
    exponents = np.abs(np.log(law.mass[kept])) + tilted.theta * np.abs(law.atoms[kept])
    summed = float(np.log2(law.mass.size + 1.0)) + 20.0
    off = UNIT * (6.0 * float(exponents.max()) + 10.0 + 2.0 * summed)
    share = (off + UNIT * (summed + 8.0)) * (1.0 + abs(tilted.mean) / tilted.deviation)
    return 2.0 * off + 4.1 * share + UNIT * (2.0 * summed + 16.0) if share < 0.01 else inf


def saddle_point(law: LatticeLaw, power: int, start: float, guess: float) -> float:
    """The tilt that minimises r log M(theta) + theta u - 2 log theta, to three digits; any tilt is sound."""
    steepest = STEEPEST / law.step
    theta = min(guess, steepest)
    for _ in range(40):
        tilted = tilt(law, theta)
        slope = power * tilted.mean + start - 2.0 / theta
        curvature = power * tilted.deviation**2 + 2.0 / theta**2
        moved = min(max(theta - slope / curvature, 0.5 * theta), 2.0 * theta, steepest)
        if abs(moved - theta) < 1e-3 * theta:
            break
        theta = moved
    return theta


def inversion_kernel(theta: float, frequencies: Array, step: float) -> np.ndarray:
    """H / (4 sinh^2(zH/2)) without cancellation near zero."""
    a, b = 0.5 * step * theta, 0.5 * step * frequencies
    sine = np.sinh(a) * np.cos(b) + 1j * (np.cosh(a) * np.sin(b))
    return step / (4.0 * sine * sine)


def all_nodes(law: LatticeLaw, tilted: Tilted, power: int, size: int) -> tuple[np.ndarray, Array]:
    """phi(s)^r at the nodes of half a period from one FFT, and a bound on their absolute errors."""
    wrapped = np.zeros(size)
    np.add.at(wrapped, (law.first + np.arange(law.mass.size)) % size, tilted.masses)
    phi = np.conj(rfft(wrapped))
    modulus = np.abs(phi)
    # Of an FFT of non-negative numbers with sum 1, and of these numbers.
    error = FFT * UNIT * np.log2(size) + 2 * tilted.noise
    with np.errstate(divide="ignore"):
        powers = np.where(modulus > 0, np.exp(power * np.log(np.where(modulus > 0, phi, 1.0))), 0.0)
        doubt = np.exp(power * np.log(modulus + error)) * -np.expm1(
            power * (np.log(np.maximum(modulus - error, 1e-300)) - np.log(modulus + error))
        )
    return powers, doubt + np.abs(powers) * UNIT * (8 * power + 16)


def few_nodes(tilted: Tilted, power: int, frequencies: Array) -> tuple[np.ndarray, Array]:
    """The centred phi(s)^r at the first nodes, and a bound on their absolute errors."""
    real, imaginary = log_characteristic(tilted.atoms, tilted.masses, frequencies)
    powers = np.exp(power * (real + 1j * imaginary))
    spread = float(tilted.masses @ np.abs(tilted.atoms))
    relative = (roundoff(32) + 2 * tilted.noise) * power * (
        frequencies * spread + np.abs(real) + np.abs(imaginary)
    ) + roundoff(16)
    return powers, np.abs(powers) * relative


def left_out_bound(law: LatticeLaw, tilted: Tilted, power: int, spacing: float, last: float) -> float:
    r"""Bound of sum |phi(s)|^r |kernel(s)| over the nodes s = n spacing in (last, pi/H].

    Near zero :math:`|\phi|^2 \le 1 - \sigma^2 s^2 + (2\mu_4 + 6\sigma^4) s^4/24`, decreasing up to s1; beyond, on
    cells around s_k, :math:`|\phi(s)| \le |\phi(s_k) + \phi'(s_k)(s - s_k)| + \sigma^2 (s - s_k)^2/2`, largest at a
    cell's ends.
    """
    nyquist = np.pi / law.step
    variance = tilted.deviation**2
    quartic = (2.0 * float(tilted.masses @ tilted.atoms**4) + 6.0 * variance**2) / 24.0
    turn = min(np.sqrt(variance / (2.0 * quartic)), nyquist)
    total, off = 0.0, moment_error(law, tilted) + roundoff(16)
    if last < turn:
        square = 1.0 - variance * last**2 + quartic * last**4
        weight = abs(inversion_kernel(tilted.theta, np.array([last]), law.step)[0])
        # The square is at least 1/4, and of what is subtracted the second term is at most half of the first.
        exponent = 0.5 * power * np.log(square) + 3.0 * power * variance * last**2 * off
        total += float((turn - last) / spacing + 1.0) * np.exp(exponent) * weight
    cell = 2.0 * np.pi / (BOUND_GRID * law.step)
    half = 0.5 * cell
    indices = np.arange(law.mass.size) % BOUND_GRID
    wrapped, moment = np.zeros(BOUND_GRID), np.zeros(BOUND_GRID)
    np.add.at(wrapped, indices, tilted.masses)
    np.add.at(moment, indices, tilted.masses * tilted.atoms)
    phi, slope = rfft(wrapped), -1j * rfft(moment)
    # rfft has e^{-i s k H}; the centring factor has modulus 1 and is left out of phi and of (centred) phi' alike.
    centres = cell * np.arange(phi.size)
    bound = np.maximum(np.abs(phi + half * slope), np.abs(phi - half * slope))
    # Of both transforms, and of the masses; more for what a power of a modulus near 1 is rounded by.
    slack = (1.0 + half * float(np.abs(tilted.atoms).max())) * (FFT * UNIT * np.log2(BOUND_GRID) + 2.0 * tilted.noise)
    bound += 0.5 * variance * half**2 * (1.0 + off) + slack + roundoff(16)
    ends = np.minimum(centres + half, nyquist)
    begins = np.maximum(centres - half, max(last, turn))
    inside = ends > begins
    nodes = (ends[inside] - begins[inside]) / spacing + 1.0
    weights = np.abs(inversion_kernel(tilted.theta, begins[inside], law.step))
    total += float(np.sum(nodes * np.exp(power * np.log(np.minimum(bound[inside], 1.0))) * weights))
    return enlarge(total, 128)


def stop_loss_of_sum(
    law: LatticeLaw,
    power: int,
    start: float,
    guess: float,
    log_mgf_outside: Callable[[float], float],
) -> StopLoss:
    """Upper bound of E(start + Y_1 + ... + Y_power)_+ for ``start < 0``.

    ``guess``: a tilt near the saddle point.  ``log_mgf_outside(theta)``: log of the integral of e^(theta y) over a
    measure that must be added to ``law`` to dominate (-inf if none).
    """
    start = shrink(start, 8)  # upwards by more than its share of a step is rounded by
    theta = saddle_point(law, power, start, guess)
    tilted = tilt(law, theta)
    spread = tilted.deviation * np.sqrt(power)
    period = max(ALIAS_EXPONENT / theta, SPREAD * spread)
    size = next_fast_len(int(np.ceil(period / law.step)) + 1, real=True)
    spacing = 2.0 * np.pi / (size * law.step)
    # start lies between two lattice points: the transform is linear there.
    node = int(np.floor(start / law.step))
    fraction = start / law.step - node
    whole_period = size <= LONGEST_FFT and power <= HIGHEST_FFT_POWER
    if whole_period:
        frequencies = spacing * np.arange(size // 2 + 1)
        powers, doubt = all_nodes(law, tilted, power, size)
        turns = (np.arange(frequencies.size) * (node % size)) % size
        phases = np.exp(2j * np.pi * turns / size)
        left_out = 0.0
    else:
        last = np.sqrt(2.0 * DECAY) / spread
        frequencies = spacing * np.arange(int(np.ceil(last / spacing)) + 1)
        powers, doubt = few_nodes(tilted, power, frequencies)
        phases = np.exp(1j * frequencies * (node * law.step + power * tilted.mean))
        left_out = 2.0 * left_out_bound(law, tilted, power, spacing, frequencies[-1])
    z_step = law.step * (theta + 1j * frequencies)
    weights = inversion_kernel(theta, frequencies, law.step) * (1.0 + fraction * np.expm1(z_step))
    twice = np.full(frequencies.size, 2.0)
    twice[0] = 1.0
    if whole_period and size % 2 == 0:
        twice[-1] = 1.0
    total = float(np.sum(twice * (weights * phases * powers).real))
    moduli = twice * np.abs(weights)
    # phases: an argument of size s |u| has error 2 UNIT of itself; 32 for kernel, weights, products; the sum: pairwise.
    # Centred atoms are off by units of their mean.
    slack = UNIT * (32.0 + 8.0 * frequencies * (abs(start) + power * abs(tilted.mean)))
    rounding = float(np.sum(moduli * (doubt + np.abs(powers) * slack)))
    left_out *= 1.0 + fraction * float(np.expm1(theta * law.step))
    exponent = power * tilted.log_mgf + theta * node * law.step
    exponent_error = power * (tilted.log_mgf_error + roundoff(4, abs(tilted.log_mgf))) + roundoff(4, abs(theta * start))
    exponent_error += roundoff(8, theta * law.step)  # of the rise within a step
    scale = float(np.exp(exponent) / size)
    chernoff = float(np.exp(power * tilted.log_mgf + theta * start - 1.0) / theta)
    with np.errstate(over="ignore"):  # a bound may be infinite
        outside = chernoff * float(np.expm1(power * np.exp(log_mgf_outside(theta) - tilted.log_mgf)))
    repaired = max(float(law.added @ (np.expm1(theta * law.atoms) - theta * law.atoms)), 0.0) * np.exp(-tilted.log_mgf)
    # An exponent that is off by e is a factor of e^e.
    upper = enlarge((scale * (total + rounding + left_out) + outside) * float(np.exp(min(exponent_error, LARGEST))), 32)
    return StopLoss(
        upper=upper,
        truncation=scale * left_out + outside,
        rounding=scale * (2.0 * rounding + total * float(np.expm1(min(exponent_error, LARGEST))))
        + chernoff * float(np.expm1(power * repaired)),
    )
