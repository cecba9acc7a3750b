"""Figure 2 of Balle et al.: the theory sheet's numbers, and the order of the bounds."""

from math import exp, expm1, log, sqrt

import pytest

from pldcheck.study.comparisons import figure_2
from pldcheck.theorems import REGISTRY

# Theory sheet 4, section 5.1: (n, eps0) -> EFMRTT Theorem 7, Theorem 5.1, FMT21 closed, FMT21, FMT22 closed, FMT22,
# 2-ary and 3-ary randomized response; delta = 1e-6.
SHEET = {
    (1000, 0.2): (0.1102, 0.0497, 0.1040, 0.022772, 0.0994, 0.021630, 0.020700, 0.017680),
    (1000, 1.0): (4.8740, 1.3097, 0.5662, 0.182412, 0.4876, 0.148671, 0.126614, 0.130566),
    (10000, 0.6): (0.2899, 0.1065, 0.1161, 0.025982, 0.1028, 0.022627, 0.019842, 0.019198),
    (10000, 0.8): (0.6529, 0.2147, 0.1634, 0.038552, 0.1406, 0.032407, 0.027504, 0.028007),
    (100000, 0.4): (0.0364, 0.0149, 0.0235, 0.004337, 0.0215, 0.003927, 0.003559, 0.003258),
    (100000, 1.0): (0.4285, 0.1283, 0.0726, 0.015282, 0.0604, 0.012430, 0.010142, 0.010917),
}
CLOSE = {"abs": 5.01e-5}
CLOSER = {"abs": 5.01e-7}


@pytest.mark.parametrize(("n", "eps0"), SHEET)
def test_published_numbers_are_reproduced(n, eps0):
    (row,) = figure_2(clients=[n], eps0=[eps0]).rows
    efmrtt, balle, closed21, number21, closed22, number22, binary, ternary = SHEET[n, eps0]
    assert row.efmrtt_7 == pytest.approx(efmrtt, **CLOSE) and row.thm_5_1 == pytest.approx(balle, **CLOSE)
    assert row.fmt21_3_1 == pytest.approx(closed21, **CLOSE) and row.fmt22_closed == pytest.approx(closed22, **CLOSE)
    assert row.fmt21_upper == pytest.approx(number21, **CLOSER)
    assert row.upper <= row.fmt22_upper == pytest.approx(number22, **CLOSER)
    assert row.lower == pytest.approx(max(binary, ternary), **CLOSER)


@pytest.mark.nightly
def test_the_bounds_of_the_published_figure_are_in_order_and_the_closed_forms_cross():
    comparison = figure_2()
    assert [(row.clients, row.eps0) for row in comparison.rows][:11:10] == [(1000, 0.1), (10000, 0.1)]
    for row in comparison.rows:
        # Theorem 5.1 improves Theorem 7, the clones improve Theorem 5.1, the stronger clones the clones.
        assert row.lower <= row.upper <= row.fmt22_upper < row.fmt21_lower < row.thm_5_1 < row.efmrtt_7
        assert row.fmt22_upper < row.fmt22_closed < row.fmt21_3_1 > row.fmt21_upper
        assert row.upper <= 1.17 * row.lower
    # The closed forms lose to Theorem 5.1 where the budget is small.
    assert comparison.rows[0].thm_5_1 < comparison.rows[0].fmt22_closed
    assert comparison.rows[-1].fmt21_3_1 < comparison.rows[-1].thm_5_1


@pytest.mark.parametrize(("n", "eps0"), [(1000, 0.874), (10000, 1.419), (100000, 1.955)])
def test_theorem_5_1_is_vacuous_above_a_budget_of_the_sheet(n, eps0):
    for nearby, sign in ((eps0 - 0.002, 1), (eps0 + 0.002, -1)):
        (row,) = figure_2(clients=[n], eps0=[nearby]).rows
        assert sign * (nearby - row.thm_5_1) > 0


def test_formulas_agree_with_values_by_hand():
    (row,) = figure_2(clients=[5000], eps0=[0.7], delta=1e-5).rows
    x, x_1, logs = exp(0.7), expm1(0.7), log(1e5)
    assert row.thm_5_1 == pytest.approx(x**3 * x_1**2 / 10000 + x**1.5 * x_1 * sqrt(2 * logs / 5000))
    a = 2 * x * x * x_1
    assert row.efmrtt_7 == pytest.approx(a * expm1(a / 5000) + a * sqrt(2 * logs / 5000))


def test_outside_its_conditions_a_closed_form_is_left_out():
    (row,) = figure_2(clients=[500], eps0=[1.0]).rows
    assert row.fmt21_3_1 is None
    assert row.fmt22_closed == REGISTRY["fmt22-closed"](clients=500, eps0=1, delta=1e-6).value
