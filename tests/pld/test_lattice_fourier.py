"""The inversion of sums of lattice laws against balls and fractions: terms, nodes, and both ends."""

import math
from fractions import Fraction

import naive
import numpy as np
import pytest
from flint import acb, arb, ctx

from pldcheck.core.directed import UNIT
from pldcheck.kernels.characteristic_powers import log_characteristic
from pldcheck.pld import lattice_contour, lattice_fourier
from pldcheck.pld.lattice_fourier import KERNEL, contour, dominating_contour, inversion_kernel
from pldcheck.pld.lattice_law import LatticeLaw
from pldcheck.pld.tilted_lattice import tilt

BITS = 300


@pytest.fixture(autouse=True)
def many_bits():
    with ctx.workprec(BITS):
        yield


@pytest.fixture
def few_frequencies(monkeypatch):
    """Use few frequencies wherever they are enough: the work of an FFT counts for more than there is."""
    monkeypatch.setattr(lattice_fourier, "BOUND_COST", -1e12)


def law_of(random, size, first):
    masses = random.dirichlet(np.full(size, 0.7))
    return LatticeLaw(float(random.uniform(0.01, 1.0)), first, masses / masses.sum(), np.zeros(size))


def transform(law, z):
    """Return M(z) of the floats as they are."""
    step = arb(law.step)
    total = acb(0)
    for i, mass in enumerate(law.mass.tolist()):
        total += arb(mass) * (z * step * (law.first + i)).exp()
    return total


def exact_term(law, count, theta, size, n):
    """Return the n-th term of the rule without its scale, the tilted sum's characteristic function times the kernel."""
    step = arb(law.step)
    z = acb(arb(theta), 2 * arb.pi() * n / (size * step))
    kernel = step / (4 * (z * step / 2).sinh() ** 2)
    return (transform(law, z) / transform(law, acb(arb(theta)))) ** count * kernel


@pytest.mark.parametrize("seed", range(12))
def test_logs_of_characteristic_functions_are_as_near_as_they_say(seed):
    random = np.random.default_rng(seed)
    worst = 0.0
    for size in (2, 3, 17, 300):
        masses = random.dirichlet(np.ones(size)) if size > 2 else np.array([0.5, 0.5])
        values = np.sort(random.normal(size=size)) * 10.0 ** random.uniform(-6, 3)
        values -= masses @ values
        spread = float(masses @ np.abs(values))
        # Among them some at which a law of two values has a transform of nearly 0.
        frequencies = np.concatenate(
            [np.geomspace(1e-6, 30.0, 20) / spread, math.pi / np.ptp(values) * np.array([1.0])]
        )
        real, imaginary = log_characteristic(values, masses, frequencies)
        for s, re, im in zip(frequencies.tolist(), real.tolist(), imaginary.tolist(), strict=True):
            exact = acb(1)
            for value, mass in zip(values.tolist(), masses.tolist(), strict=True):
                exact += arb(mass) * ((acb(0, 1) * arb(s) * arb(value)).exp() - 1)
            error = abs(acb(re, im).exp() - exact)
            charge = UNIT * (42.0 * s * spread + 6.0 * (abs(re) + abs(im)) * math.exp(re)) * (1.0 + 1e-9)
            assert error <= charge
            worst = max(worst, float(error) / charge)
    assert worst > 0.005


@pytest.mark.parametrize("seed", range(6))
def test_kernels_are_as_near_as_they_say(seed):
    random = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(20):
        step, theta, size = 10.0 ** random.uniform(-6, 3), 0.0, int(10.0 ** random.uniform(0.5, 9))
        theta = 10.0 ** random.uniform(-9, 2) / step
        places = np.unique((size // 2 * random.random(8) ** 4).astype(int))
        kernel = inversion_kernel(theta, 2.0 * math.pi / (size * step) * places, step)
        for n, value in zip(places.tolist(), kernel.tolist(), strict=True):
            z = acb(arb(theta), 2 * arb.pi() * n / (size * arb(step)))
            exact = arb(step) / (4 * (z * arb(step) / 2).sinh() ** 2)
            error = abs(acb(value) - exact) / abs(exact)
            assert error <= UNIT * (KERNEL + 1.5 * theta * step)
            worst = max(worst, float(error) / UNIT)
    assert worst > 1.0


@pytest.mark.parametrize("seed", range(8))
def test_tilted_masses_are_as_near_as_they_say(seed):
    random = np.random.default_rng(seed)
    law = law_of(random, int(random.integers(2, 200)), -int(random.integers(0, 10**4)))
    law.mass[:] *= 10.0 ** -random.uniform(0, 80, law.mass.size)
    for theta in 10.0 ** random.uniform(-4, 1.5, 4) / law.step:
        tilt_of_law = tilt(law, float(theta))
        total = transform(law, acb(arb(float(theta)))).real
        for i, (mass, error) in enumerate(zip(tilt_of_law.masses.tolist(), tilt_of_law.errors.tolist(), strict=True)):
            exact = arb(law.mass[i]) * (arb(float(theta)) * arb(law.step) * (law.first + i)).exp() / total
            assert abs(arb(mass) - exact) <= arb(error) * exact * (1 + 1e-9) + 1e-300
        assert abs(arb(tilt_of_law.log_mgf) - total.log()) <= arb(tilt_of_law.log_mgf_error)


@pytest.mark.parametrize("count", [40, 10**3, 10**5, 10**7])
@pytest.mark.parametrize("first", [-4, -3000, 500])
def test_terms_over_few_frequencies_are_as_near_as_they_say(few_frequencies, count, first):
    random = np.random.default_rng([count, first + 4000])
    law = law_of(random, 9, first)
    mean, spread = float(law.mass @ law.atoms), math.sqrt(count) * float(np.std(law.atoms))
    period_contour = dominating_contour(law, count, -count * mean - 5.0 * spread, 5.0 / spread)
    assert period_contour.nodes is None
    error = arb(0)
    for n, term in enumerate(period_contour.terms.tolist()):
        exact = exact_term(law, count, period_contour.theta, period_contour.size, n) * (1 if n == 0 else 2)
        shift = acb(0, 2 * arb.pi() * n / (period_contour.size * arb(law.step)) * arb(period_contour.mean))
        error += abs(acb(term) - exact * (-shift).exp())
    assert error <= arb(period_contour.noise)
    assert float(error) > 1e-5 * period_contour.noise  # it is of the size of what it covers


@pytest.mark.parametrize("count", [1, 2, 5, 100])
@pytest.mark.parametrize("seed", range(4))
def test_nodes_of_a_whole_period_are_as_near_as_they_say(count, seed):
    random = np.random.default_rng(10 * count + seed)
    law = law_of(random, 7, -3)
    theta = float(random.uniform(0.05, 2.0)) / law.step
    period_contour = contour([(law, count)], theta, 2.0 * theta, 60.0 * law.step)
    assert period_contour.nodes is not None
    exact = [exact_term(law, count, theta, period_contour.size, n) for n in range(period_contour.size // 2 + 1)]
    # Of what it is of: exp of the cumulant, which any number near log M may be.
    scale = (transform(law, acb(arb(theta))).real ** count) / arb(period_contour.cumulant).exp()
    for node in (0, 1, period_contour.size // 3, period_contour.size - 1):
        total = arb(0)
        for n, term in enumerate(exact):
            twice = 1 if n == 0 or 2 * n == period_contour.size else 2
            total += twice * (term * (acb(0, 2) * arb.pi() * n * node / period_contour.size).exp()).real
        assert abs(arb(period_contour.nodes[node]) - total * scale) <= arb(period_contour.noise)


MASSES = [Fraction(k, 32) for k in (1, 2, 9, 12, 6, 2)]


@pytest.mark.parametrize("count", [2, 7, 30])
@pytest.mark.parametrize("shift", [0, 1, -1, 10**-3, 10**-12])
def test_both_inversions_give_both_ends(monkeypatch, count, shift):
    law = LatticeLaw(0.25, -3, np.array([float(mass) for mass in MASSES]), np.zeros(6))
    atoms = [Fraction(1, 4) * (i - 3) for i in range(6)]
    for start in (-0.25, -1.5, -2.0, -2.37):
        start += shift * 2.0**-30
        exact = naive.sum_stop_loss(atoms, MASSES, count, Fraction(start))
        if not exact:
            continue
        spread = math.sqrt(count * 0.08)
        for bound in (lattice_fourier.BOUND_COST, -1e12):
            monkeypatch.setattr(lattice_fourier, "BOUND_COST", bound)
            ends = contour([(law, count)], 1.0 / spread, 3.0 / spread, 60.0 * spread).at(start)
            assert ends.lower <= exact <= ends.upper
            assert ends.upper - ends.lower <= 1e-6 * ends.upper + ends.truncation
        monkeypatch.undo()


def test_places_just_beside_a_lattice_point_are_enclosed():
    """The place in steps is rounded to the other side of the point, where the transform is another line."""
    law = LatticeLaw(0.1, -3, np.array([float(mass) for mass in MASSES]), np.zeros(6))
    atoms = [Fraction(0.1) * (i - 3) for i in range(6)]
    period_contour = contour([(law, 5)], 3.0, 6.0, 40.0)
    for place in range(1, 12):
        for start in (
            -0.1 * place,
            math.nextafter(-0.1 * place, 0.0),
            math.nextafter(-0.1 * place, -9.0),
            -1e-17 * place,
        ):
            exact = naive.sum_stop_loss(atoms, MASSES, 5, Fraction(start))
            ends = period_contour.at(start)
            assert ends.lower <= exact <= ends.upper <= ends.lower + 1e-12


@pytest.mark.parametrize("start", [-0.5, -1.5, -3.25, -7.875])
def test_rare_steps_among_many_are_enclosed(few_frequencies, start):
    """The transform does not die out within half a period; a rule of more frequencies than that counts some twice."""
    rare, count = Fraction(1, 2**30), 10**4
    law = LatticeLaw(1.0, -1, np.array([float(rare), float(1 - 2 * rare), float(rare)]), np.zeros(3))
    stay = arb(1 - 2 * float(rare))
    exact = arb(0)
    for ups in range(40):
        for downs in range(12):
            gain = Fraction(start) + ups - downs
            if gain > 0:
                ways = math.comb(count, ups) * math.comb(count - ups, downs)
                exact += (
                    arb(ways) * arb(float(rare)) ** (ups + downs) * stay ** (count - ups - downs) * arb(float(gain))
                )
    for guess in (0.01, 1.0, 10.0):
        ends = dominating_contour(law, count, start, guess).at(start)
        assert exact <= ends.upper and ends.upper <= exact * (1 + 1e-6)


def test_a_start_beyond_all_bounds_gives_the_trivial_ends():
    law = LatticeLaw(1.0, 0, np.array([0.5, 0.5]), np.zeros(2))
    assert contour([(law, 2)], 2.0 * lattice_contour.STEEPEST, 2e3, 40.0).at(-1.0).upper == math.inf
    assert contour([(law, 2000)], 2.0, 3.0, 40.0).at(-1.0).upper == math.inf


def test_ends_that_underflow_are_above_zero():
    law = LatticeLaw(1.0, -1, np.array([1.0 - 2.0**-50, 0.0, 2.0**-50]), np.zeros(3))
    period_contour = contour([(law, 30)], 34.0, 36.0, 80.0)
    for start in (-10.0, -20.0, -25.5, -29.0):
        exact = sum(
            Fraction(math.comb(30, k)) * Fraction(1, 2**50) ** k * (1 - Fraction(1, 2**50)) ** (30 - k)
            * max(2 * k - 30 + Fraction(start), 0) for k in range(31)
        )  # fmt: skip
        ends = period_contour.at(start)
        assert ends.lower <= exact <= ends.upper
