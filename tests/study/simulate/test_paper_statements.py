"""Formulas of the paper against fractions and 40 digits, and the errata the theory sheets know of."""

from fractions import Fraction
from math import comb, inf, isclose

import mpmath
import pytest

from pldcheck.study import simulate
from pldcheck.study.simulate import paper_statements

mpf = mpmath.mpf


@pytest.mark.parametrize(("n", "chance"), [(1, "1/3"), (5, "1/2"), (40, "1/7"), (300, "1/100"), (2000, "1/4")])
def test_the_inverse_load_agrees_with_its_sum(n, chance):
    q = Fraction(chance)
    law = [Fraction(comb(n, k)) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    exact = sum(law[k] / k for k in range(1, n + 1)) / (1 - law[0])
    assert isclose(paper_statements.inverse_load(n, float(q)), float(exact), rel_tol=1e-12)


def test_the_inequality_of_jensen_goes_the_other_way():
    # mpmath, Poisson loads of mean 3: exp(-3)/(1 - exp(-3)) (ei(3) - log(3) - euler) = E[1/S | S > 0] = 1.2980/3
    n, m = 3 * 10**5, 10**5
    assert paper_statements.inverse_load(n, 1 / m) * n / m == pytest.approx(1.2980, abs=1e-4)


def test_the_inverse_load_is_right_at_its_edges():
    assert paper_statements.inverse_load(7, 1.0) == 1 / 7
    assert paper_statements.inverse_load(1, 0.3) == pytest.approx(1.0, rel=1e-15)
    assert paper_statements.inverse_load(10, 1e-12) == pytest.approx(1.0, rel=1e-11)


@pytest.mark.parametrize(("m", "n", "p0"), [(100, 400, 0.9), (1000, 700, 1.0), (10**4, 10**5, 0.2)])
def test_theorems_of_utility_agree_with_their_formulas(m, n, p0):
    noise, length, diameter = 2.5, 1.0, 2.0
    with mpmath.workdps(40):
        chance = 2 * mpmath.exp(-mpf(n) * mpf(p0) / m)
        if chance >= 1:
            assert paper_statements.thm_3_5(m, float(chance), noise, length, diameter) == inf
        else:
            c = diameter * (1 - chance) / mpmath.sqrt(noise + length)
            factor = (2 + mpmath.log(m)) / mpmath.sqrt(m)
            exact = (diameter**2 / c + c * (noise + length) / (1 - chance)) * factor
            assert isclose(paper_statements.thm_3_5(m, float(chance), noise, length, diameter), exact, rel_tol=1e-13)
            # The proof's bracket has its least value at R sqrt(1 - 2 e^-l), not at the step of the theorem.
            best = diameter * mpmath.sqrt(1 - chance) / mpmath.sqrt(noise + length)
            bound = paper_statements.thm_3_5(m, float(chance), noise, length, diameter, scale=float(best))
            least = 2 * diameter * mpmath.sqrt((noise + length) / (1 - chance)) * factor
            assert isclose(bound, least, rel_tol=1e-13) and bound < exact
        c = diameter * mpmath.sqrt(n) / mpmath.sqrt(m * noise + n * length**2)
        exact = (diameter**2 / c + c * (mpf(m) * noise / n + 1)) * (2 + mpmath.log(m)) / mpmath.sqrt(m)
        assert isclose(paper_statements.thm_4_2(m, n, noise, length, diameter), exact, rel_tol=1e-13)
        exact = diameter * mpf(0.7) * mpmath.sqrt(mpf(2) / m) + mpf(0.25) * diameter**2 / m
        assert isclose(paper_statements.thm_4_2_smooth(m, 0.7, 0.25, diameter), exact, rel_tol=1e-13)


def test_the_factor_two_is_not_needed():
    """Proposition 3.4's own probability is below e^{-n p0/m}: half of what Theorem 3.5 puts in its place."""
    for m, n, p0 in ((10, 20, 1.0), (1000, 500, 0.3), (7, 100, 0.9)):
        algorithm = simulate.check_in(m, n, p0)
        assert paper_statements.empty_probability(algorithm) <= paper_statements.empty_bound(algorithm) / m
    assert paper_statements.empty_probability(simulate.check_in(1, 3)) == 0.0


def test_the_load_bound_agrees_with_its_formula():
    with mpmath.workdps(40):
        exact = mpmath.sqrt(mpf(500) + mpf(500**2) / 100) + mpmath.sqrt(500 * mpmath.log(100))
    assert isclose(paper_statements.load_norm_bound(500, 100, 0.01), exact, rel_tol=1e-13)


def test_every_statement_has_its_source():
    assert set(simulate.STATEMENTS) >= {"prop-3.4", "prop-4.4", "lem-A.6", "thm-3.5", "thm-4.2"}
    for name, statement in simulate.STATEMENTS.items():
        assert statement.id == name and statement.where.split()[0] in ("Proposition", "Lemma", "Theorem")
        assert statement.title and statement.statement.count("{") == statement.statement.count("}")
