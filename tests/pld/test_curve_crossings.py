"""Crossings of the smallest budgets and deltas: on the safe side to the last digit, and never a division by zero."""

from math import exp, log, nextafter

import pytest
from flint import arb, ctx

from pldcheck.core.directed import Side
from pldcheck.core.roots import cross
from pldcheck.protocols import Shuffle, Swap


def test_a_crossing_is_on_its_side_though_logarithms_are_equal():
    target = 6.1e-21
    above = nextafter(target, 1.0)  # its logarithm is that of the target, rounded

    def steps(x):
        return above if x < 2.0 else 3e-21

    assert log(above) == log(target)
    assert steps(cross(steps, target, 1.0, 1.0, 1e3, side=Side.UPPER)) <= target
    assert steps(cross(steps, target, 1.0, 1.0, 1e3, side=Side.LOWER)) > target


@pytest.mark.parametrize("side", list(Side), ids=lambda side: side.name)
def test_a_search_that_need_not_be_close_ends_after_two_values(side):
    values = []

    def curve(x):
        values.append(x)
        return exp(-3.0 * x - 0.01 * x * x)

    x = cross(curve, 1e-6, 4.59, 3.1, 1e3, side=side, close=1e-3)
    assert len(values) <= 2
    share = log(curve(x) / 1e-6)
    assert -1e-3 <= share <= 0.0 if side is Side.UPPER else 0.0 < share <= 1e-3


def test_the_epsilon_of_one_message_to_the_last_digit():
    # A hunt: the end was a double too low.  delta = (x - e^epsilon)/(x + k - 1).
    delta = 6.0961711883394274e-21
    interval = Shuffle(1, 6.349045443522332e-11, "krr:5").epsilon(delta)
    with ctx.workprec(200):
        x = arb(6.349045443522332e-11).exp()
        truth = (x - arb(delta) * (x + 4)).log()
        assert arb(interval.lower) <= truth <= arb(interval.upper)


@pytest.mark.parametrize(
    ("protocol", "delta"),
    [
        # Lines of the fuzzer that ended in a division by zero.
        (Shuffle(3, 1e-20, "krr:2"), 1.4899605215739206e-204),
        (Shuffle(2, 1.73844617914608e-28), 1e-320),
        (Swap(20700, 4.093778350557642e-17), 3.5367127747778247e-219),
    ],
    ids=["K-ary response", "worst", "swap"],
)
def test_budgets_below_round_off_have_an_epsilon(protocol, delta):
    interval = protocol.epsilon(delta)
    assert 0.0 <= interval.lower <= interval.upper <= protocol.eps0
