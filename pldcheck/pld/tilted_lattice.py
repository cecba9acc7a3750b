"""A lattice law under an exponential tilt, with what round-off does to its probabilities, moments and cumulant."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf

import numpy as np

from ..core.arrays import Array
from ..core.directed import UNIT
from .lattice_law import LatticeLaw

# Largest tilt, in lattice steps: beyond, the start is out of the sum's reach and the answer is zero for all purposes.
STEEPEST = 100.0
# Newton steps for the saddle point: each moves the tilt by a factor of two at most.
MOST_STEPS = 40
# Relative change of the tilt that ends them.
TILT_PRECISION = 1e-3
# What products of errors, and the round-off of error bounds themselves, add to a bound: both are far below 1e-3 of it.
SECOND_ORDER = 1.001
# More than the sum of all weights that underflow, where the largest weight is 1.
UNDERFLOWS = 1e-300


@dataclass(frozen=True, eq=False)
class TiltedLaw:
    """P exponentially tilted: probabilities, centred atoms, moments; log M(theta).

    ``errors``: relative errors of the probabilities, at most; ``log_mgf_error``: absolute.
    """

    theta: float
    log_mgf: float
    log_mgf_error: float
    masses: Array
    errors: Array
    atoms: Array
    mean: float
    deviation: float

    @property
    def noise(self) -> float:
        """Return a bound of the sum of the absolute errors of the probabilities."""
        return float(np.sum(self.masses * self.errors)) * SECOND_ORDER + UNDERFLOWS

    @property
    def spread(self) -> float:
        """Return the mean absolute value of the centred atoms."""
        return float(np.sum(self.masses * np.abs(self.atoms)))

    @property
    def sway(self) -> float:
        """Return a bound of the sum of the absolute errors of the probabilities, each times its centred atom."""
        total = float(np.sum(self.masses * self.errors * np.abs(self.atoms))) * SECOND_ORDER
        return total + UNDERFLOWS * float(np.abs(self.atoms).max())


def summation_units(count: int) -> float:
    """Return by how many units a sum of so many numbers by numpy is off; see :mod:`pldcheck.core.assumed`."""
    return float(np.log2(count + 1.0)) + 20.0


def tilt(law: LatticeLaw, theta: float) -> TiltedLaw:
    r"""Return P times exp(theta y) as probabilities, with log M(theta).

    An exponent is log mass + theta y: 4 units of the log, 2 of the product (with the atom's own rounding), and the sum,
    so :math:`5 |\log p| + 3 \theta |y|`; its distance t from the top is rounded by t; exp by 4.  The sum of the weights
    is off by their mean error and that of summation, and the quotient by one more.
    """
    atoms = law.atoms
    positive = law.mass > 0.0
    logs = np.log(np.where(positive, law.mass, 1.0))
    exponents = np.where(positive, logs + theta * atoms, -inf)
    top = exponents.max()
    weights = np.exp(exponents - top)
    total = float(np.sum(weights))
    masses = weights / total
    sum_units = summation_units(atoms.size)
    units = 5.0 * np.abs(logs) + 3.0 * np.abs(theta * atoms) + np.where(positive, top - exponents, 0.0) + 4.0
    # sums of products and not dot products: those wait for idle threads when the machine has none
    typical = float(np.sum(masses * units))
    errors = SECOND_ORDER * UNIT * (units + typical + sum_units + 1.0)
    # near the identity: M - 1 from small terms
    if top < 1.0 and theta * np.abs(atoms).max() < 1.0 and np.sum(law.mass) > 0.5:
        # fsum: the masses' sum minus 1 is multiplied by the power
        terms, rest = law.mass * np.expm1(theta * atoms), fsum([-1.0, *law.mass])
        gain = float(np.sum(terms)) + rest
        log_mgf = float(np.log1p(gain))
        # A term: exponents below 1 off by 2 units move expm1 by 4, itself 4, a product; the sum as above; log1p 4.
        size = float(np.sum(np.abs(terms)))
        log_mgf_error = UNIT * (
            ((10.0 + sum_units) * size + abs(rest) + abs(gain)) / (1.0 + gain) * SECOND_ORDER + 4 * abs(log_mgf)
        )
    else:
        log_mgf = float(top + np.log(total))
        # The log is off by the sum's relative error and by 4 units of itself, and the last sum by one of its own.
        log_mgf_error = SECOND_ORDER * UNIT * float(typical + sum_units + 4.0 * np.log(total) + abs(log_mgf))
    mean = float(np.sum(masses * atoms))
    centred_atoms = atoms - mean
    deviation = float(np.sqrt(np.sum(masses * centred_atoms**2)))
    return TiltedLaw(theta, log_mgf, log_mgf_error, masses, errors, centred_atoms, mean, deviation)


def moment_error(tilted_law: TiltedLaw) -> float:
    """Return the relative error of the centred second and fourth moment, and of the square of the second.

    By Minkowski's inequality a norm of centred atoms moves by that of their errors: 4 units of an atom, and the mean's,
    of the probabilities and of a sum; the fourth power of a norm by 4.1 times as much.
    """
    if not tilted_law.deviation > 0.0:
        return inf
    mass_error = float(tilted_law.errors[tilted_law.masses > 0.0].max())
    sum_units = summation_units(tilted_law.masses.size)
    share = (mass_error + UNIT * (sum_units + 8.0)) * (1.0 + abs(tilted_law.mean) / tilted_law.deviation)
    return 2.0 * mass_error + 4.1 * share + UNIT * (2.0 * sum_units + 16.0) if share < 0.01 else inf


def saddle_point(law: LatticeLaw, count: int, start: float, guess: float) -> float:
    """Return the tilt that minimises r log M(theta) + theta u - 2 log theta, to three digits; any tilt is sound."""
    steepest = STEEPEST / law.step
    theta = min(guess, steepest)
    atoms = law.atoms
    with np.errstate(divide="ignore"):
        logs = np.log(law.mass)
    for _ in range(MOST_STEPS):
        exponents = logs + theta * atoms
        weights = np.exp(exponents - exponents.max())
        total = float(np.sum(weights))
        mean = float(np.sum(weights * atoms)) / total
        variance = float(np.sum(weights * (atoms - mean) ** 2)) / total
        slope = count * mean + start - 2.0 / theta
        curvature = count * variance + 2.0 / theta**2
        next_theta = min(max(theta - slope / curvature, 0.5 * theta), 2.0 * theta, steepest)
        if abs(next_theta - theta) < TILT_PRECISION * theta:
            break
        theta = next_theta
    return theta
