"""A user's densities on the line: against closed forms without slack, and statements that are false."""

import doctest
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from certificates import contains
from flint import arb, ctx
from scipy.stats import laplace, logistic, norm, t

from pldcheck import pld
from pldcheck.core.errors import ParameterError
from pldcheck.pld import line_densities

# What is stated of the laws of scipy.stats here.
STATED = {"cdf_error": 1e-13, "loss_error": 1e-12}
ENDS = {norm: (-30, 31), laplace: (-70, 71), logistic: (-60, 61)}
EPSILONS = (0.0, 0.3, 0.7, 0.95, 1.0, 2.5, 4.0)


def mechanism(family, shift=1.0, scale=1.0, **changes):
    """Return a law about the shift against the one about 0."""
    low, high = ENDS[family]
    arguments = {"between": (low, high), "ratio": "increasing", **STATED, **changes}
    return pld.from_density(family(shift, scale), family(0.0, scale), **arguments)


def event_delta(family, scale, epsilon):
    """Return delta in balls, by the half-line on which the loss of a shift by 1 exceeds epsilon."""
    with ctx.workprec(200):
        s, e = arb(scale), arb(epsilon)
        if family is norm:
            edge = s * s * e + arb(1) / 2
            tail = [((edge - shift) / (s * arb(2).sqrt())).erfc() / 2 for shift in (1, 0)]
        elif family is laplace:
            if not e < 1 / s:
                return arb(0)
            edge = (s * e + 1) / 2
            tail = [1 - (-(1 - edge) / s).exp() / 2, (-edge / s).exp() / 2]
        else:
            if not e < 1 / s:
                return arb(0)
            # The loss is 1/s + 2 log((1 + y)/(1 + y e^(1/s))), with y = e^(-x/s).
            root = ((e - 1 / s) / 2).exp()
            y = (1 - root) / (root * (1 / s).exp() - 1)
            tail = [odds / (1 + odds) for odds in (y * (1 / s).exp(), y)]
        return tail[0] - e.exp() * tail[1]


@pytest.mark.parametrize("scale", [1.0, 2.5])
@pytest.mark.parametrize("family", [norm, laplace, logistic], ids=lambda family: family.name)
def test_closed_forms_are_enclosed_and_near(family, scale):
    loss = mechanism(family, scale=scale, between=tuple(scale * end for end in ENDS[family]))
    for epsilon in EPSILONS:
        truth, interval = event_delta(family, scale, epsilon), loss.delta(epsilon)
        assert contains(interval, truth), (epsilon, interval, truth)
        # What is beyond the cells and within the stated error of a loss is all that is charged where delta is 0.
        assert interval.width <= 1e-3 * float(truth) + 2e-12, (epsilon, interval)


@pytest.mark.nightly
@pytest.mark.parametrize("family", [norm, laplace, logistic], ids=lambda family: family.name)
def test_a_falling_ratio_and_the_reverse_have_the_same_curve(family):
    # These laws are mirror images of each other.
    low, high = ENDS[family]
    falling = pld.from_density(family(0.0), family(1.0), between=(low, high), ratio="decreasing", **STATED)
    for one in (falling, falling.reversed.one_way, falling.one_way, mechanism(family).reversed.one_way):
        for epsilon in (0.0, 0.5, 0.9):
            assert contains(one.delta(epsilon), event_delta(family, 1.0, epsilon))


@pytest.mark.nightly
@pytest.mark.parametrize("copies", [10, 300])
@pytest.mark.parametrize(("family", "twin"), [(norm, pld.gaussian), (laplace, pld.laplace)])
def test_compositions_agree_with_closed_forms(family, twin, copies):
    loss, exact = mechanism(family, scale=4.0, between=(-110, 111)), twin(4.0).compose(copies).epsilon(1e-5)
    interval = loss.compose(copies).epsilon(1e-5)
    assert interval.lower <= exact.upper and exact.lower <= interval.upper
    assert interval.width <= 1e-3 * exact.upper


@pytest.mark.nightly
def test_many_different_densities_compose():
    # More than eight different steps have fewer cells each.
    steps = [mechanism(norm, scale=s, between=(-36 * s, 36 * s)) for s in np.linspace(3.0, 4.0, 12)]
    exact = pld.compose_all([pld.gaussian(s) for s in np.linspace(3.0, 4.0, 12)]).epsilon(1e-5)
    interval = pld.compose_all(steps).epsilon(1e-5)
    assert interval.lower <= exact.upper and exact.lower <= interval.upper and interval.width < 0.02 * exact.upper


@pytest.mark.nightly
def test_a_tail_is_charged_to_infinity_from_above_and_is_one_output_from_below():
    loss = mechanism(norm, between=(-3.0, 4.0), cells=200)
    tail = float(norm(1.0).sf(4.0))
    assert tail <= loss.one_way.delta(20.0).upper <= 1.0001 * tail
    # From below it has a finite loss, log(p/q).
    assert loss.one_way.delta(20.0).lower == 0.0
    p, q = norm(1.0).sf(4.0), norm(0.0).sf(4.0)
    assert loss.one_way.delta(3.0).lower >= 0.9999 * (p - np.exp(3.0) * q) > 0.0
    assert loss.epsilon(0.5 * tail).upper == inf
    for epsilon in (0.0, 1.0, 3.0):
        assert contains(loss.delta(epsilon), event_delta(norm, 1.0, epsilon))


@pytest.mark.nightly
@pytest.mark.parametrize("cdf_error", [1e-6, 1e-9])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_errors_that_are_stated_are_covered(cdf_error, sign):
    # cdfs and log densities that are as wrong as stated, in a way that changes from point to point.
    def wrong(law, phase):
        return SimpleNamespace(
            logpdf=lambda x: law.logpdf(x) + sign * 4e-5 * np.sin(1e3 * x + phase),
            cdf=lambda x: law.cdf(x) * (1.0 - 0.99 * sign * cdf_error * np.cos(50.0 * x + phase)),
            sf=lambda x: law.sf(x) * (1.0 + 0.99 * sign * cdf_error * np.cos(50.0 * x + phase)),
        )

    stated = {"between": (-10.0, 11.0), "ratio": "increasing", "cdf_error": cdf_error, "loss_error": 1e-4}
    loss = pld.from_density(wrong(norm(1.0), 0.0), wrong(norm(0.0), 2.0), **stated)
    for epsilon in EPSILONS:
        assert contains(loss.delta(epsilon), event_delta(norm, 1.0, epsilon)), epsilon
    exact = pld.gaussian(1.0).compose(20).epsilon(1e-6)
    interval = loss.compose(20).epsilon(1e-6)
    assert interval.lower <= exact.upper and exact.lower <= interval.upper


@pytest.mark.parametrize("p_error", [0.0, 3e-5])
def test_masses_that_are_as_wrong_as_stated_leave_both_laws_on_their_side(p_error):
    # A cell with a ten-thousandth of P at its upper end and the rest at its lower one, whose masses hide just that.
    share, error = 1e-4, 7e-5
    q = 1.0 - share * (1.0 - np.exp(-1.0))

    def bounds(sign):
        cells = line_densities.LineCells(
            p=np.array([1.0 - sign * p_error]),
            q=np.array([q * (1.0 + sign * (error - p_error))]),
            losses=np.array([0.0, 1.0]),
            p_tails=(0.0, 0.0),
            q_tails=(0.0, 0.0),
            p_error=p_error,
            q_error=error - p_error,
            loss_error=0.0,
        )
        return cells.law_bounds()

    upper = bounds(1.0).upper
    gain = float(np.sum(upper.masses * np.maximum(-np.expm1(0.5 - upper.losses - upper.loss_error), 0.0)))
    assert gain >= share * -np.expm1(-0.5)
    lower = bounds(-1.0).lower
    assert lower.losses.size == 1 and 0.0 <= lower.losses[0] <= -np.log(q)


@pytest.mark.nightly
def test_losses_that_are_as_wrong_as_stated_leave_both_laws_on_their_side():
    # All losses are at the upper, or at the lower end, which are as much higher or lower than they look.
    for loss in (1.01, -0.01):
        ends, tails = np.array([0.0, 1.0]), (0.0, 0.0)
        cells = line_densities.LineCells(
            np.ones(1), np.exp([-loss]), ends, tails, tails, p_error=0.0, q_error=0.0, loss_error=0.01
        )
        both = cells.law_bounds()
        assert np.max(both.upper.losses) + both.upper.loss_error >= loss >= both.lower.losses[0]


@pytest.mark.nightly
def test_a_tail_that_is_as_wrong_as_stated_is_charged_whole():
    # Tails and masses look smaller than they are by what is stated, which is more of Q than of P.
    errors = {"p_error": 1e-6, "q_error": 1e-4}
    cells = line_densities.LineCells(
        p=np.array([0.75]),
        q=np.array([0.625]),
        losses=np.array([0.1, 0.3]),
        p_tails=(0.0, 0.25 * (1.0 - 1e-6)),
        q_tails=(0.375 * (1.0 - 1e-4), 0.0),
        **errors,
        loss_error=0.0,
    )
    for one, tail, error in ((cells, 0.25, 1e-6), (cells.reversed, 0.375, 1e-4)):
        upper = one.law_bounds().upper
        assert tail <= upper.infinity <= tail * (1.0 + 1e-6 * 1e-2 + 2.1 * error)
        assert 2.0 * error <= upper.mass_error <= 2.1 * error + 1e-12


@pytest.mark.nightly
def test_the_error_of_a_mass_is_that_of_both_cdfs():
    # A cell has a small part of what is below its ends, of which the error is; here it has either sign from end to end.
    def wrong(law):
        return SimpleNamespace(
            logpdf=law.logpdf,
            cdf=lambda x: law.cdf(x) * (1.0 + 0.99e-9 * np.sign(np.sin(1e5 * x))),
            sf=lambda x: law.sf(x) * (1.0 - 0.99e-9 * np.sign(np.sin(1e5 * x))),
        )

    stated = line_densities.Stated("increasing", 1e-9, 1e-12)
    cells = line_densities.line_cells(wrong(norm(1.0)), wrong(norm(0.0)), (-3.0, 4.0), stated, 300)
    edges = cells.losses + 0.5
    for masses, error, mean in ((cells.p, cells.p_error, 1.0), (cells.q, cells.q_error, 0.0)):
        near = np.where(edges[1:] < mean, np.diff(norm.cdf(edges - mean)), -np.diff(norm.sf(edges - mean)))
        off = float(np.max(np.abs(masses / near - 1.0)))
        assert 1e-8 < off <= error * (1.0 + 1e-3) and error < 1e-6


@pytest.mark.nightly
def test_tails_of_a_falling_ratio_are_on_the_other_side():
    loss = pld.from_density(norm(0.0), norm(1.0), between=(-3.0, 5.0), ratio="decreasing", **STATED)
    tail = float(norm(0.0).cdf(-3.0))
    assert tail <= loss.one_way.delta(20.0).upper <= 1.0001 * tail
    # Far from the other tail, that of Q above 5.
    other = float(norm(1.0).sf(5.0))
    assert other <= loss.reversed.one_way.delta(20.0).upper <= 1.0001 * other < 0.1 * tail


@pytest.mark.nightly
def test_the_other_direction_has_the_other_tail():
    loss = mechanism(norm, between=(-3.0, 5.0))
    for one, tail in ((loss, norm(1.0).sf(5.0)), (loss.reversed, norm(0.0).cdf(-3.0))):
        assert tail <= one.one_way.delta(20.0).upper <= 1.0001 * tail


class Edge:
    """The uniform law on an interval of length 2, for bounded supports."""

    def __init__(self, start):
        self.start = start

    def logpdf(self, x):
        return np.where((x >= self.start) & (x <= self.start + 2.0), -np.log(2.0), -np.inf)

    def cdf(self, x):
        return np.clip((x - self.start) / 2.0, 0.0, 1.0)

    def sf(self, x):
        return np.clip((self.start + 2.0 - x) / 2.0, 0.0, 1.0)


@pytest.mark.nightly
def test_bounded_supports_overlap_between_the_ends():
    # Half of P is where Q has nothing, and the loss is 0 elsewhere: delta is 1/2 at every epsilon.
    loss = pld.from_density(Edge(1.0), Edge(0.0), between=(1.0, 2.0), ratio="increasing", **STATED)
    for epsilon in (0.0, 3.0):
        upper = loss.delta(epsilon).upper
        assert 0.5 <= upper <= 0.5 + 1e-9
    with pytest.raises(ParameterError, match="finite in logpdf"):
        pld.from_density(Edge(1.0), Edge(0.0), between=(0.5, 2.0), ratio="increasing", **STATED)


def law(one, **parts):
    """Return a law of scipy.stats with some of its functions replaced."""
    return SimpleNamespace(**{"logpdf": one.logpdf, "cdf": one.cdf, "sf": one.sf, **parts})


FALSE = [
    ((t(3, 1.0), t(3, 0.0), (-100, 101)), {}, "p/q is not increasing"),
    ((t(3, 1.0), t(3, 0.0), (-100, 101)), {"ratio": "decreasing"}, "p/q is not decreasing"),
    ((norm(1.0), norm(0.0), (-30, 31)), {"ratio": "decreasing"}, "p/q is not decreasing"),
    ((norm(0.0), norm(0.0, 2.0), (-10, 10)), {}, "p/q is not increasing"),
    ((norm(1.0), norm(0.0), (-50, 51)), {}, "between must be such that p.cdf is 0 or at least 1e-290"),
    ((law(norm(1.0), cdf=norm(1.0, 1.3).cdf, sf=norm(1.0, 1.3).sf), norm(0.0), (-30, 31)), {}, "density as its slope"),
    ((norm(1.0), law(norm(0.0), sf=norm(0.1).sf), (-30, 31)), {}, "q must be a law with cdf . sf = 1"),
    ((norm(1.0), law(norm(0.0), cdf=norm(0.1).cdf, sf=norm(0.1).sf), (-30, 31)), {}, "density as its slope"),
    ((norm(1.0), law(norm(0.0), cdf=lambda x: 2.0 * norm.cdf(x)), (-30, 31)), {}, "whose cdf is from 0 to 1"),
    ((law(norm(1.0), logpdf=lambda x: 0.0), norm(0.0), (-30, 31)), {}, "returns a number for each point"),
    ((norm(1.0), norm(0.0), (31, -30)), {}, "between must be two finite numbers"),
    ((norm(1.0), norm(0.0), (-30, 31)), {"ratio": "rising"}, "ratio must be one of increasing, decreasing"),
    ((norm(1.0), norm(0.0), (-30, 31)), {"cdf_error": 0.1}, "cdf_error must be from 0 to 0.0001"),
    ((norm(1.0), norm(0.0), (-30, 31)), {"cells": 3}, "cells must be an integer from 10"),
]


@pytest.mark.parametrize(("arguments", "changes", "message"), FALSE)
def test_what_is_visibly_false_is_refused_in_one_line(arguments, changes, message):
    p, q, between = arguments
    with pytest.raises(ParameterError, match=message) as error:
        pld.from_density(p, q, between=between, **{"ratio": "increasing", **STATED, **changes})
    assert "\n" not in str(error.value)


@pytest.mark.nightly
def test_masses_and_losses_that_contradict_each_other_are_refused():
    # A density shifted by a little passes the comparison with its slope, but not that of cells with their losses.
    shifted = law(norm(1.0), cdf=norm(1.001).cdf, sf=norm(1.001).sf)
    with pytest.raises(ParameterError, match="between the losses at its ends"):
        pld.from_density(shifted, norm(0.0), between=(-8, 9), ratio="increasing", **STATED)


@pytest.mark.nightly
def test_the_name_says_what_the_user_states():
    loss = mechanism(norm, between=(-9, 10), cells=50)
    assert loss.name == "densities (p/q increasing, cdfs to 1e-13, losses to 1e-12, as stated by the user)"


@pytest.mark.nightly
def test_examples_are_true():
    assert doctest.testmod(line_densities, optionflags=doctest.ELLIPSIS, raise_on_error=True).attempted == 4
