"""The law of d and d' each against g: its parts, and its sum against enumeration in exact fractions."""

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest
from flint import arb, ctx

from pldcheck.hidden_slot.approximate.approximate_slot import square_upper
from pldcheck.hidden_slot.approximate.square_steps import gains, pair, square
from pldcheck.hidden_slot.worst.slot_problem import Slot


def canonical(x, delta0):
    """Return the worst pair, as ratios and their probabilities (Kairouz, Oh, Viswanath 2017, Theorem 3.3)."""
    return [(Fraction(0), delta0), (1 / x, (1 - delta0) * x / (1 + x)), (x, (1 - delta0) / (1 + x))]


def coupling(x, delta0):
    """Return the coupling in which A' falls as A rises: both are cut at each other's steps."""
    up, down = canonical(x, delta0), canonical(x, delta0)[::-1]
    cuts = set()
    for row in (up, down):
        place = Fraction(0)
        for _, mass in row:
            place += mass
            cuts.add(place)
    parts, before = [], Fraction(0)
    for end in sorted(cuts):
        middle, values = (before + end) / 2, []
        for row in (up, down):
            place = Fraction(0)
            for value, mass in row:
                place += mass
                if middle < place:
                    values.append(value)
                    break
        parts.append((*values, end - before))
        before = end
    return parts


@pytest.mark.parametrize("delta0", [Fraction(0), Fraction(1, 1000), Fraction(1, 7), Fraction(3, 10), Fraction(49, 100)])
@pytest.mark.parametrize("x", [Fraction(11, 10), Fraction(3), Fraction(50)])
def test_atoms_are_those_of_the_coupling(x, delta0):
    atoms = square(log(x), float(delta0))
    assert atoms is not None
    exact = {}
    for a, b, mass in coupling(x, delta0):
        exact[round(float(a - 1), 12), round(float(b - 1), 12)] = float(mass)
    for first, second, mass in zip(*atoms, strict=True):
        assert mass == pytest.approx(exact.pop((round(first, 12), round(second, 12)), 0.0), rel=1e-11, abs=1e-300)
    assert all(mass == 0.0 for mass in exact.values())


def test_near_ties_and_large_delta0_are_left_alone():
    tie = 1.0 / (2.0 + exp(1.0))  # there P(A = 0) = P(A = x)
    assert square(1.0, tie) is None and square(1.0, tie * (1 + 1e-3)) is not None
    assert square(1.0, 0.6) is None
    assert square_upper(Slot(5, 1.0, 1.0), 0.6, 0.3) == 1.0


def test_the_pair_keeps_what_is_not_revealed():
    values, masses = pair(0.7, 0.01)
    assert masses.sum() == pytest.approx(1.0, rel=1e-15)
    assert (values + 1.0) @ masses == pytest.approx(0.99, rel=1e-14)


def enumerate_outcomes(x, m, w, delta0, kappa):
    """Return delta of the formula, by all outcomes of all slots."""
    law = coupling(x, delta0)
    total = Fraction(0)
    for outcome in product(law, repeat=m):
        chance, value = Fraction(1), 1 - kappa
        for a, b, mass in outcome:
            chance *= mass
            value += Fraction(w) / m * ((a - 1) - kappa * (b - 1))
        total += chance * max(value, Fraction(0))
    return w * delta0 + total


@pytest.mark.parametrize("delta0", [Fraction(1, 10**8), Fraction(1, 50), Fraction(2, 5)])
@pytest.mark.parametrize(("m", "x", "w"), [(1, 3, 1), (3, 2, Fraction(1, 2)), (4, 5, 1), (5, Fraction(11, 10), 1)])
def test_the_sum_agrees_with_enumeration(m, x, w, delta0):
    x, w = Fraction(x), Fraction(w)
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)):
        kappa = 1 + share * w * (x - 1)
        exact = float(enumerate_outcomes(x, m, w, delta0, kappa))
        upper = square_upper(Slot(m, log(x), float(w)), float(delta0), log(kappa))
        assert exact * (1 - 1e-13) <= upper <= exact * (1 + 2e-5)


@pytest.mark.parametrize("eps0", [1e-9, 1e-6, 0.1, 3.0])
@pytest.mark.parametrize("weight", [1e-6, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [1e-15, 1e-9, 1e-3, 0.05])
def test_gains_do_not_cancel_on_the_diagonal(eps0, weight, epsilon):
    """The values in float are taken as exact: the gains are rounded forms of them, a few units off where A = A'."""
    first, second, _ = square(eps0, 1e-9)
    w, unit = arb(weight), arb(2) ** -53
    with ctx.workprec(300):
        for a, b, gain in zip(first, second, gains(Slot(7, eps0, weight), epsilon, first, second), strict=True):
            kappa_1, a, b = arb(epsilon).expm1(), arb(float(a)), arb(float(b))
            exact = -kappa_1 + w * ((a - b) - kappa_1 * b)
            # two terms where A = A', of which the one that is subtracted is at most w times the other
            size = kappa_1 * (1 + w * abs(b)) + w * abs(a - b)
            assert abs(arb(float(gain)) - exact) <= 8 * unit * size
