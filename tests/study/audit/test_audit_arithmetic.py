"""Spans and jets: they contain what mpmath finds at random points, and are not much wider than that."""

import random

import mpmath
import pytest
from flint import ctx

from pldcheck.study.audit.jets import Jet
from pldcheck.study.audit.spans import BOX_BITS, POINT_BITS, exactly, span
from pldcheck.theorems.removable_quotients import expm1_over, log1p_over, log1p_remainder

FUNCTIONS = {
    "quotient": (lambda x, y: (x - y) / (1 + x * y), lambda x, y: (x - y) / (1 + x * y)),
    "powers": (lambda x, y: (x - 2) ** 2 * y**3 - 3 * x**-1, lambda x, y: (x - 2) ** 2 * y**3 - 3 / x),
    "exponential": (lambda x, y: (x * y).exp() - y.expm1(), lambda x, y: mpmath.exp(x * y) - mpmath.expm1(y)),
    "logarithm": (
        lambda x, y: x.log() * y.log1p() + (x / y).sqrt(),
        lambda x, y: mpmath.log(x) * mpmath.log1p(y) + mpmath.sqrt(x / y),
    ),
    "expm1_over": (lambda x, y: expm1_over(x - y), lambda x, y: mpmath.expm1(x - y) / (x - y) if x != y else 1),
    "log1p_over": (lambda x, y: log1p_over(x * y), lambda x, y: mpmath.log1p(x * y) / (x * y)),
    "log1p_remainder": (
        lambda x, y: log1p_remainder(x * y),
        lambda x, y: (x * y - mpmath.log1p(x * y)) / (x * y) ** 2,
    ),
}


def boxes(count=40):
    """Yield boxes from tiny to wide, away from zero."""
    draw = random.Random(7)
    for _ in range(count):
        size = 10 ** draw.uniform(-9, 0)
        x, y = 10 ** draw.uniform(-3, 0.5), 10 ** draw.uniform(-3, 0.5)
        yield (x, x * (1 + size)), (y, y * (1 + size))


def jets(xs, ys):
    one = span(1.0, 1.0)
    return Jet(span(*xs), {"x": one}), Jet(span(*ys), {"y": one})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_derivatives_are_inside_and_nearly_fill_small_boxes(name):
    ours, theirs = FUNCTIONS[name]
    draw = random.Random(3)
    with ctx.workprec(BOX_BITS), mpmath.workdps(50):
        for xs, ys in boxes():
            ball = ours(*jets(xs, ys))
            values = []
            for _ in range(5):
                x, y = (mpmath.mpf(draw.uniform(*ends)) for ends in (xs, ys))
                values.append(theirs(x, y))
                inside(ball.value, values[-1])
                inside(ball.slopes["x"], mpmath.diff(theirs, (x, y), (1, 0)), slack=1e-12)
                inside(ball.slopes["y"], mpmath.diff(theirs, (x, y), (0, 1)), slack=1e-12)
            size = xs[1] / xs[0] - 1
            width = float(ball.value.high - ball.value.low)
            steep = sum(float(ball.slopes[each].size()) * ends[1] for each, ends in (("x", xs), ("y", ys)))
            # Not wider than a few times what the derivatives make of the box, once it is small.
            assert size > 1e-2 or width <= 200 * size * (steep + abs(float(values[0])))


def inside(ball, value, slack=0.0):
    low, high = (mpmath.mpf(str(end.str(40, radius=False))) for end in (ball.low, ball.high))
    room = slack * (1 + abs(value)) + mpmath.mpf(10) ** -20 * (1 + abs(value))
    assert low - room <= value <= high + room


def test_the_sign_of_a_product_is_kept_at_zero_and_wide_ranges_do_not_reach_below_it():
    with ctx.workprec(BOX_BITS):
        assert (span(0.0, 1.0) * span(2.0, 3.0)).sign() == 1
        assert (span(-1.0, 0.0) * span(2.0, 3.0)).sign() == -1
        assert span(1.0, 1e12).sqrt().down() > 0.999999
        assert (span(-1.0, 2.0) ** 2).down() >= 0


def test_an_undefined_value_gives_no_bound():
    with ctx.workprec(BOX_BITS):
        for bad in (span(-1.0, 1.0).inverse(), span(-1.0, 1.0).log(), span(-1.0, 1.0).sqrt()):
            assert not bad.is_finite() and bad.down() == float("-inf")


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-30, 1e-9, 0.05, 0.07, 1.0, 30.0])
def test_quotients_at_points_have_55_digits(x):
    pairs = (
        (expm1_over, lambda t: mpmath.expm1(t) / t, 1.0),
        (log1p_over, lambda t: mpmath.log1p(t) / t, 1.0),
        (log1p_remainder, lambda t: (t - mpmath.log1p(t)) / t**2, 0.5),
    )
    with ctx.workprec(POINT_BITS), mpmath.workdps(1000):
        for ours, theirs, limit in pairs:
            ball = ours(exactly(x))
            exact = theirs(mpmath.mpf(repr(x))) if x else mpmath.mpf(limit)
            assert abs(mpmath.mpf(ball.str(60, radius=False)) - exact) <= mpmath.mpf(10) ** -55 * exact
            assert float(ball.rad()) <= 1e-80


def test_decimals_are_exact():
    with ctx.workprec(POINT_BITS):
        assert (exactly(0.1) * 10 - 1).contains(0) and not (exactly(0.1) - 0.1).contains(0)
        assert (exactly(1e-300).log() + 300 * exactly(10.0).log()).contains(0)
