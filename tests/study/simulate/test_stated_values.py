"""Formulas of the paper against fractions and 40 digits, and the erratum on the factor 2."""

from fractions import Fraction
from itertools import product
from math import exp, inf, isclose

import mpmath
import protocol_twins
import pytest

from pldcheck.study import simulate
from pldcheck.study.simulate import stated_values

mpf = mpmath.mpf


@pytest.mark.parametrize(("m", "n", "p0"), [(100, 400, 0.9), (1000, 700, 1.0), (10**4, 10**5, 0.2)])
def test_theorems_of_utility_agree_with_their_formulas(m, n, p0):
    noise, diameter = 2.5, 2.0
    fixed, averaged = simulate.check_in(m, n, p0), simulate.averaged(n, m)
    with mpmath.workdps(40):
        factor = (2 + mpmath.log(m)) / mpmath.sqrt(m)
        none, error = 2 * mpmath.exp(-mpf(n) * mpf(p0) / m), stated_values.gradient_error(fixed, noise, 1.0)
        assert isclose(error, mpmath.sqrt(noise + 1), rel_tol=1e-14)
        bound = stated_values.risk_bound(m, float(none), error, diameter)
        if none >= 1:
            assert bound == inf
        else:
            c = diameter * (1 - none) / mpmath.sqrt(noise + 1)
            assert isclose(bound, (diameter**2 / c + c * (noise + 1) / (1 - none)) * factor, rel_tol=1e-13)
            assert isclose(stated_values.step_sizes(m, float(none), error, diameter)[8], c / 3, rel_tol=1e-13)
        error = stated_values.gradient_error(averaged, noise, 1.0)
        c = diameter * mpmath.sqrt(n) / mpmath.sqrt(m * noise + n)
        exact = (diameter**2 / c + c * (mpf(m) * noise / n + 1)) * factor
        assert isclose(stated_values.risk_bound(m, 0.0, error, diameter), exact, rel_tol=1e-13)
        assert isclose(stated_values.step_sizes(m, 0.0, error, diameter)[0], c, rel_tol=1e-13)


def test_the_factor_two_is_not_needed():
    """Proposition 3.4's own probability is below e^{-n p0/m}: half of what Theorem 3.5 puts in its place."""
    for m, n, p0 in ((10, 20, 1.0), (1000, 500, 0.3), (7, 100, 0.9)):
        algorithm = simulate.check_in(m, n, p0)
        assert stated_values.empty_probability(algorithm) <= stated_values.empty_bound(algorithm) / m
    assert stated_values.empty_probability(simulate.check_in(1, 3)) == 0.0


def test_the_load_bound_agrees_with_its_formula():
    with mpmath.workdps(40):
        exact = mpmath.sqrt(mpf(500) + mpf(500**2) / 100) + mpmath.sqrt(500 * mpmath.log(100))
    assert isclose(stated_values.load_norm_bound(500, 100, 0.01), exact, rel_tol=1e-13)


def squares(outcome, slots):
    return sum(outcome.count(slot) ** 2 for slot in range(1, slots + 1))


@pytest.mark.parametrize(("n", "m", "p0"), [(3, 2, Fraction(1)), (3, 2, Fraction(3, 5)), (4, 3, Fraction(1, 4))])
def test_what_is_stated_of_check_ins_is_exact(n, m, p0):
    """The statements agree with enumeration in fractions, as does the variance from which an interval is made."""
    law = list(protocol_twins.check_ins(n, m, p0))
    empty = sum(chance * sum(slot not in places for slot in range(1, m + 1)) for places, chance in law)
    meetings = sum(chance * squares(places, m) for places, chance in law)
    algorithm = simulate.check_in(m, n, float(p0))
    assert m * stated_values.empty_probability(algorithm) == pytest.approx(float(empty), rel=1e-14)
    assert empty == m * (1 - p0 / m) ** n
    assert stated_values.mean_load_square(algorithm) == pytest.approx(float(meetings), rel=1e-14)
    if p0 == 1:
        exact = sum(chance * (squares(places, m) - meetings) ** 2 for places, chance in law)
        learner = simulate.default_learner(algorithm, simulate.median(1), simulate.randomizer("gaussian:1"))
        row = simulate.counts(simulate.repeat(algorithm, learner, 100, 1))[2]
        # z of a two-sided error of 1e-6: mpmath, sqrt(2) erfinv(1 - 1e-6)
        assert row.measured.upper - row.measured.value == pytest.approx(4.891638 * float(exact) ** 0.5 / 10, rel=1e-6)


@pytest.mark.parametrize(("n", "m"), [(4, 2), (3, 3), (5, 3)])
def test_what_is_stated_of_sliding_windows_is_exact(n, m):
    empty = Fraction(0)
    for steps in product(range(m), repeat=n):
        slots_of_clients = {j + 1 + step for j, step in enumerate(steps)}
        empty += Fraction(sum(slot not in slots_of_clients for slot in range(m, n + 1)), m**n)
    algorithm = simulate.sliding_window(m, n)
    assert empty == (n - m + 1) * (1 - Fraction(1, m)) ** m
    mean = algorithm.slots * stated_values.empty_probability(algorithm)
    assert mean == pytest.approx(float(empty), rel=1e-14)
    assert mean <= stated_values.empty_bound(algorithm) == pytest.approx((n - m + 1) / exp(1), rel=1e-14)
