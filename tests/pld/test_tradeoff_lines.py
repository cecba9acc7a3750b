"""Lines on either side of a trade-off function, beside the exact one of random pairs in fractions."""

import random
from fractions import Fraction
from math import inf, nextafter

import flint
import pytest

from pldcheck import Interval
from pldcheck.core.directed import float_above, float_below
from pldcheck.pld.gaussian_balls import outward_floats
from pldcheck.pld.tradeoff_lines import Line, Lines, lines_above, lines_below


def random_pair(draw, outcomes):
    """Return two laws on a few outcomes, as fractions; each may miss outcomes of the other."""
    laws = []
    for _ in range(2):
        weights = [draw.choice([0, 1, draw.randint(1, 1000)]) for _ in range(outcomes)]
        weights[draw.randrange(outcomes)] += 1
        laws.append([Fraction(weight, sum(weights)) for weight in weights])
    return laws


def least_false_negatives(first, second, alpha):
    """Return the least false negative rate, by the lemma of Neyman and Pearson: likely outcomes are rejected first."""
    outcomes = sorted(zip(first, second, strict=True), key=lambda pair: pair[1] / pair[0] if pair[0] else inf)
    left, power = alpha, Fraction(0)
    for p, q in outcomes:
        share = min(left / q, Fraction(1)) if q else Fraction(1)
        power, left = power + share * p, left - share * q
    return 1 - power


def delta_ends(first, second, epsilon, width=0.0):
    """Return floats around delta of a pair, by balls, moved outward by a relative width."""
    with flint.ctx.workprec(200):
        kappa = flint.arb(epsilon).exp()
        total = flint.arb(0)
        for p, q in zip(first, second, strict=True):
            gain = flint.arb(flint.fmpq(p.numerator, p.denominator)) - kappa * flint.fmpq(q.numerator, q.denominator)
            total += flint.arb.max(gain, flint.arb(0))
        low, high = outward_floats(total)
    return Interval(max(low, 0.0) * (1.0 - width), min(max(high, 0.0) * (1.0 + width), 1.0), "delta")


def both_lines(first, second, epsilons, width=0.0):
    forward = [(epsilon, delta_ends(first, second, epsilon, width)) for epsilon in epsilons]
    backward = [(epsilon, delta_ends(second, first, epsilon, width)) for epsilon in epsilons]
    return lines_below(forward, backward), lines_above(forward, backward)


def rates(draw, many):
    return [Fraction(0), Fraction(1), *(Fraction(draw.random() ** draw.choice([1, 4, 16])) for _ in range(many))]


def test_the_exact_function_is_between_the_lines():
    draw = random.Random(20261127)
    for _ in range(25):
        first, second = random_pair(draw, draw.randint(2, 5))
        epsilons = [0.0, *(draw.random() * draw.choice([0.1, 1.0, 8.0]) for _ in range(draw.randint(1, 8)))]
        below, above = both_lines(first, second, epsilons, draw.choice([0.0, 1e-9, 0.1]))
        for alpha in rates(draw, 20):
            exact = least_false_negatives(first, second, alpha)
            assert below.height(alpha) <= exact <= above.height(alpha) <= 1 - alpha
            inverse = least_false_negatives(second, first, alpha)
            assert below.exchanged.height(alpha) <= inverse <= above.exchanged.height(alpha)


@pytest.mark.nightly
def test_lines_meet_where_every_slope_is_seen():
    # Randomized response: its profile is one line between kappa = 1 and the largest ratio, which two deltas decide.
    share = Fraction(3, 4)
    first, second = [share, 1 - share], [1 - share, share]
    below, above = both_lines(first, second, [0.0, 0.5, 1.0, 1.09861, 1.2])
    for alpha in rates(random.Random(1), 50):
        assert 0 <= above.height(alpha) - below.height(alpha) < Fraction(1, 10**5)


@pytest.mark.nightly
def test_many_deltas_make_the_ends_narrow():
    first, second = [Fraction(n + 1, 55) for n in range(10)], [Fraction(10 - n, 55) for n in range(10)]
    gaps = []
    for many in (16, 64):
        below, above = both_lines(first, second, [3.0 * n / many for n in range(many + 1)])
        gaps.append(max(above.height(Fraction(n, 97)) - below.height(Fraction(n, 97)) for n in range(98)))
    assert gaps[1] < gaps[0] / 6 and gaps[1] < Fraction(1, 500)


@pytest.mark.nightly
def test_corners_are_those_of_the_largest_line():
    draw = random.Random(7)
    for _ in range(20):
        below, _ = both_lines(*random_pair(draw, 4), [0.0, *(3.0 * draw.random() for _ in range(6))])
        corners = below.corners
        assert [corners[0][0], corners[-1][0]] == [0, 1] and sorted(corners) == corners
        assert all(height == below.height(place) for place, height in corners)
        for (left, at_left), (right, at_right) in zip(corners, corners[1:], strict=False):
            share = Fraction(draw.random())
            between = left + share * (right - left)
            assert below.height(between) == at_left + share * (at_right - at_left)


@pytest.mark.nightly
def test_what_is_stored_is_read_again():
    below, above = both_lines(*random_pair(random.Random(3), 3), [0.0, 0.3, 2.0])
    assert Lines.from_dict(below.to_dict()) == below and Lines.from_dict(above.to_dict()) == above


def test_numbers_of_lines_are_rounded_to_their_side():
    (forward,) = lines_below([(0.3, Interval(0.1, 0.2, "delta"))], []).forward
    with flint.ctx.workprec(200):
        kappa = flint.arb(0.3).exp()
        assert flint.arb(forward.kappa) >= kappa and forward.kappa <= nextafter(float(kappa), inf) * (1 + 1e-14)
    assert forward.delta == 0.2
    assert Lines((Line(2.0, 0.25),), ()).height(Fraction(1, 4)) == Fraction(1, 4)
    assert Lines((), (Line(2.0, 0.25),)).height(Fraction(1, 4)) == Fraction(1, 4)
    assert float_below(Fraction(1, 3)) < Fraction(1, 3) < float_above(Fraction(1, 3))


@pytest.mark.nightly
def test_wide_deltas_of_many_pairs():
    draw = random.Random(11)
    for _ in range(60):
        first, second = random_pair(draw, draw.randint(2, 7))
        epsilons = sorted({0.0, *(draw.random() * draw.choice([1e-9, 0.1, 2.0, 30.0]) for _ in range(12))})
        below, above = both_lines(first, second, epsilons, draw.choice([0.0, 1e-15, 1e-3, 0.5]))
        for alpha in rates(draw, 30):
            assert below.height(alpha) <= least_false_negatives(first, second, alpha) <= above.height(alpha)
