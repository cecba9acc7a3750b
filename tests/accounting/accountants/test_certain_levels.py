"""Epsilon at delta = 0 and delta at infinite epsilon, against fractions without slack."""

from fractions import Fraction
from math import inf

import attr
import dp_accounting as dpa
import pytest
from mpmath import mp, mpf

from pldcheck.accounting import Accountant

pytestmark = pytest.mark.nightly


@attr.s(frozen=True, auto_attribs=True)
class EpsilonDeltaDpEvent(dpa.DpEvent):  # of later versions
    epsilon: float
    delta: float


@attr.s(frozen=True, auto_attribs=True)
class DiscreteGaussianDpEvent(dpa.DpEvent):  # of later versions
    sigma: float
    sensitivity: float
    dimension: int


def test_infinite_losses_and_tails_that_are_cut_off_have_no_largest_loss():
    assert tuple(Accountant().compose(EpsilonDeltaDpEvent(0.1, 0.25)).epsilon(0.0)) == (inf, inf)
    # The loss of noise on all integers is unbounded, though never infinite; what was cut off is a tail of it.
    discrete = Accountant().compose(DiscreteGaussianDpEvent(3.0, 1.0, 1))
    assert discrete.loss.forward[0][0].upper.cut > 0.0 == discrete.loss.forward[0][0].upper.infinity
    assert discrete.epsilon(0.0).upper == inf > discrete.epsilon(0.0).lower > 10.0


def test_the_largest_loss_is_enclosed_without_slack():
    for scale, count in ((0.3, 7), (0.7, 3), (1.1, 11), (3.7, 1)):
        interval, exact = Accountant().compose(dpa.LaplaceDpEvent(scale), count).epsilon(0.0), count / Fraction(scale)
        assert Fraction(interval.lower) <= exact <= Fraction(interval.upper) and interval.relative_width < 1e-13


def test_the_probability_of_infinite_losses_is_enclosed_without_slack():
    for chance, count in ((0.1, 7), (0.3, 3), (1e-9, 5), (0.7, 2)):
        interval = Accountant().compose(EpsilonDeltaDpEvent(0.1, chance), count).delta(inf)
        exact = 1 - (1 - Fraction(chance)) ** count
        assert Fraction(interval.lower) <= exact <= Fraction(interval.upper) and interval.relative_width < 1e-12
        assert interval.lower < interval.upper  # so that an end in place of the other one would be noticed


def test_the_worse_direction_counts():
    # Of four buckets with noise 1/5, the true one has 0.85 and each other 0.05; a special record has 1/4 of each.
    interval = Accountant("REPLACE_SPECIAL").compose(dpa.RandomizedResponseDpEvent(0.2, 4)).epsilon(0.0)
    mp.dps = 30
    noise = mpf(0.2)
    assert interval.lower <= mp.log(1 / noise) <= interval.upper and interval.width < 1e-12
    assert mp.log(4 * (1 - noise + noise / 4)) < interval.lower


def test_what_is_composed_in_turn_is_added_up():
    seen, bare = dpa.PoissonSampledDpEvent(0.1, dpa.GaussianDpEvent(0)), Accountant()
    for _ in range(3):
        bare.compose(seen)
    assert 0.271 * (1 - 1e-6) < bare.delta(1.0).lower <= 1 - (1 - Fraction(0.1)) ** 3
    # What the other outputs show is not known from above, at a delta beyond the chance to be seen as well.
    assert bare.epsilon(0.5).upper == inf > bare.epsilon(0.5).lower and bare.delta(1.0).upper == 1.0
    many = Accountant().compose(dpa.ZCDpEvent(0.125, 0.25), 2).compose(dpa.ZCDpEvent(0.25, 0.5))
    assert many.epsilon(1e-6) == Accountant().compose(dpa.ZCDpEvent(0.5, 1.0)).epsilon(1e-6)
