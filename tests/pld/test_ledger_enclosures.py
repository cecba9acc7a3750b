"""Each term of an enclosure at a place where it alone decides: without it the truth is outside."""

import math
from dataclasses import replace
from fractions import Fraction
from math import expm1, log, log1p

import naive
import numpy as np
import pytest
from certificates import contains
from flint import arb, ctx

from pldcheck import pld
from pldcheck.core.directed import Ends
from pldcheck.pld import curve_inversion
from pldcheck.pld import loss_inversion as inversion
from pldcheck.pld.closed_form_curves import GaussianCurve, LaplaceCurve, floats_around
from pldcheck.pld.discrete_gaussian_moments import discrete_gaussian_moment
from pldcheck.pld.discrete_pairs import from_masses
from pldcheck.pld.gaussian_balls import outward_floats
from pldcheck.pld.largest_loss import top_mass
from pldcheck.pld.loss_total import Total
from pldcheck.pld.response_sums import response_pairs
from pldcheck.pld.sampled_mechanisms import glue
from pldcheck.pld.step_losses import Atoms
from pldcheck.pld.tilted_total import tilt
from pldcheck.protocols import Composition, Laplace

RANDOM = np.random.default_rng(17)


def test_floats_lie_around_balls_and_fractions():
    for top, bottom in RANDOM.integers(1, 10**9, (60, 2)).tolist():
        value = Fraction(top, bottom)
        with ctx.workprec(300):
            low, high = outward_floats(arb(top) / bottom)
        for down, up in ((low, high), floats_around(value)):
            assert Fraction(down) <= value <= Fraction(up) and up <= math.nextafter(down, math.inf)


def test_one_laplace_step_is_enclosed():
    with ctx.workprec(300):
        for eps0, share in RANDOM.random((200, 2)).tolist():
            curve, epsilon = LaplaceCurve(Fraction(eps0)), eps0 * share
            down, up = curve.delta(epsilon)
            truth = 1 - ((arb(epsilon) - arb(eps0)) / 2).exp()
            assert arb(down) <= truth <= arb(up)
            # Next to epsilon = 0 the logarithm's own error is all that is left.
            loss = -2.0 * log1p(-share)
            near = LaplaceCurve(Fraction(loss) + Fraction(1, 2**56))
            down, up = near.epsilon(share)
            truth = arb(loss) + arb(2) ** -56 + 2 * (1 - arb(share)).log()
            assert arb(down) <= truth.max(arb(0)) <= arb(up)


def test_gaussian_deltas_below_every_float_are_not_zero():
    assert 0.0 == GaussianCurve(1.0).delta(100.0)[0] < GaussianCurve(1.0).delta(100.0)[1]


LOSSES = np.array([-1.0, 0.25, 1.0])
MASSES = np.array([0.25, 0.25, 0.5])


def change_law(at, shift):
    """Return the law with this one's masses, of which one pair is moved, its total kept; or with a loss moved."""
    masses = MASSES.copy()
    masses[2] *= 1.0 + shift
    masses[0] -= masses[2] - MASSES[2]
    return {"mass": (LOSSES, masses), "loss": (LOSSES + shift, MASSES)}[at]


@pytest.mark.parametrize("at", ["mass", "loss"])
@pytest.mark.parametrize("copies", [1, 2, 3, 20])
def test_every_law_within_the_stated_errors_is_granted(at, copies):
    """Written out (1 to 3 times), and by inversion."""
    errors = {"mass": {"mass_error": 2e-3}, "loss": {"mass_error": 0.0, "loss_error": 1e-3}}[at]
    law_with_errors = Total.of([(Atoms(LOSSES, MASSES, **errors), copies)])
    for shift in (-1e-3, 1e-3):
        exact_law = Total.of([(Atoms(*change_law(at, shift), mass_error=0.0), copies)])
        for epsilon in (0.3, 0.8 * copies):
            (wide,), (true,) = (
                curve_inversion.delta(one, np.array([epsilon]), 1e-6) for one in (law_with_errors, exact_law)
            )
            assert wide.lower <= true.upper and true.lower <= wide.upper


def test_infinite_losses_are_enclosed():
    for infinity in (0.1, 0.3):
        law_with_errors = Total.of([(Atoms(LOSSES, MASSES, infinity, infinity_error=1e-3), 1)])
        for shift in (-1e-3, 1e-3):
            true = infinity * (1 + shift) + (1 - infinity * (1 + shift)) * 0.5 * -expm1(-0.5)
            (interval,) = curve_inversion.delta(law_with_errors, np.array([0.5]), 1e-6)
            assert interval.lower <= true <= interval.upper
        assert curve_inversion._trivial(law_with_errors, 1.0 - 1e-9) >= infinity * (1 + 1e-3)
    for delta0, copies in ((1e-9, 7), (1e-3, 100), (0.1, 20), (1e-17, 10**6), (0.3, 3)):
        down, up = Total.of([(Atoms(LOSSES, MASSES, delta0, infinity_error=0.0), copies)]).infinity_ends
        with ctx.workprec(300):
            truth = 1 - (1 - arb(delta0)) ** copies
            assert arb(down) < truth < arb(up)


def test_far_below_the_mean_the_remaining_mass_is_charged():
    total = Total.of([(Atoms(np.array([1000.0, 0.0]), np.array([1 - 1e-6, 1e-6])), 1)])
    assert 0.9 < curve_inversion._with_certain_end(total, 1.0, Ends(0.0, 1.0, 0.0, 0.0)).lower <= 1 - 1e-6


def test_the_mass_of_the_largest_sum_is_enclosed():
    laplace = Total.of([(pld.laplace(0.5).forward[0][0].upper, 30)])
    assert 2.0**-30 * (1 - 1e-12) < top_mass(laplace) <= 2.0**-30
    for count in (1, 9):
        atoms = Total.of([(Atoms(LOSSES, MASSES, mass_error=1e-3), count)])
        assert (0.5 * (1 - 3e-3)) ** count < top_mass(atoms) <= (0.5 * (1 - 1e-3)) ** count
        assert top_mass(replace(atoms, log_mass_share=log(0.5))) <= 0.5 * top_mass(atoms) * (1 + 1e-12)


def mixture(epsilon):
    """Return delta of a Gaussian step and three responses: a mixture of closed forms."""
    p, truth = [1 / (1 + (-arb(0.7)).exp()), 1 / (1 + arb(0.7).exp())], arb(0)
    for ones, ways in enumerate((1, 3, 3, 1)):
        loss = (3 - 2 * ones) * arb(0.7)
        truth += ways * p[0] ** (3 - ones) * p[1] ** ones * naive.gaussian_delta(arb(1), arb(epsilon) - loss)
    return truth


def gaussian_and_responses():
    loss = pld.gaussian(1.0).compose(pld.randomized_response(0.7).compose(3))
    return Total.of((side.upper, count) for side, count in loss.forward)


def test_the_inversion_holds_without_smoothing():
    total = gaussian_and_responses()
    with ctx.workprec(300):
        for epsilon in np.linspace(0.0, 8.0, 81).tolist():
            (interval,) = curve_inversion.delta(total, np.array([epsilon]), 1e-6)
            assert contains(interval, mixture(epsilon)) and interval.upper <= interval.lower * (1 + 1e-11), epsilon


def test_values_within_their_doubt_are_granted():
    one = inversion.contour(gaussian_and_responses(), 1.0, 1.0, 2.0, 1e-6)
    doubtful = replace(one, doubt=1e-3 * np.abs(one.values))
    for shift in (-1e-3, 1e-3):
        exact_one = replace(one, values=one.values * (1.0 + shift))
        for epsilon in (1.0, 1.7):
            assert doubtful.ends(epsilon).lower <= exact_one.ends(epsilon).upper
            assert exact_one.ends(epsilon).lower <= doubtful.ends(epsilon).upper


def test_aliases_are_taken_from_the_lower_end(monkeypatch):
    period = inversion._period
    monkeypatch.setattr(inversion, "_period", lambda *arguments: (lambda p, b: (0.25 * p, b))(*period(*arguments)))
    total = gaussian_and_responses()
    for epsilon in (0.5, 1.5, 3.0):
        interval = inversion.contour(total, 0.3, epsilon, epsilon, 1e-6).ends(epsilon)
        assert contains(interval, mixture(epsilon))


def test_nodes_that_are_left_out_are_charged():
    total = Total.of([(pld.randomized_responses(np.linspace(0.1, 1.0, 300)).forward[0][0].upper, 1)])
    one = inversion._contour(total, 0.5, 10.0, 11.0, 1e-3, 1e-6, 1e-2)
    spacing = 2.0 * np.pi / one.period
    places = np.rint(one.nodes / spacing).astype(int)
    assert np.all(np.diff(places) > 0)
    omitted_places = spacing * np.setdiff1d(np.arange(places.max() + 2000), places)
    assert omitted_places.size
    change = one.tilted_total.log_characteristic(omitted_places)[0]
    sizes = 2.0 * np.exp(change.real - 0.5 * (one.smoothing * omitted_places) ** 2)
    z = one.tilted_total.theta + 1j * omitted_places
    assert 0.0 < np.sum(sizes / np.abs(z * (z + 1.0))) <= one.left_out[0]
    assert np.sum(sizes) <= one.left_out[1]


def test_losses_of_pairs_are_within_their_error():
    with ctx.workprec(300):
        for _ in range(20):
            q = RANDOM.random(4) + 0.1
            q /= q.sum()
            p = q * (1 + 1e-9 * RANDOM.random(4))
            law = pld.from_pmf(p, q).forward[0][0].upper
            first, second = naive.weights(p.tolist()), naive.weights(q.tolist())
            ratios = [x / y for x, y in zip(first, second, strict=True)]
            exact = [(arb(a.numerator) / a.denominator).log() for a in ratios]
            for loss, truth in zip(law.losses.tolist(), exact, strict=True):
                assert abs(arb(loss) - truth) <= law.loss_error
            top = max(exact, key=float)
            down, up = Total.of([(law, 7)]).cap
            assert down <= (7 * top).max(arb(0)) <= up


def test_masses_that_underflow_are_still_infinite_losses():
    assert from_masses([1e-290, 1.0], [0.0, 1.0]).on_sample(1e-90).p_only > 0.0


def test_curves_that_cannot_be_glued_are_an_error():
    with pytest.raises(ArithmeticError, match="convex"):
        glue(Atoms(np.array([1.0, -1.0]), np.array([0.9, 0.1])), Atoms(np.array([-1.0, 1.0]), np.array([0.9, 0.1])))
    # By round-off they may seem so: nothing is left for the loss 0 then.
    right, left = (Atoms(np.array([s, -s]), np.array([0.5 * (1 + 4e-16), 0.5])) for s in (1.0, -1.0))
    assert np.array_equal(glue(right, left).losses, [-1.0, 1.0])


def test_the_glued_law_has_the_right_mass():
    forward, backward = pld.subsampled_gaussian(1.0, 0.1)._ways
    law = pld.fixed_size_gaussian(1.0, 0.1).forward[0][0].upper
    for one, sign in ((forward[0][0].upper, 1.0), (backward[0][0].upper, -1.0)):
        positive, positive_of_glued = one.losses * sign > 0.0, law.losses * sign > 0.0
        assert np.array_equal(one.losses[positive], law.losses[positive_of_glued])
        assert np.all(
            np.abs(one.masses[positive] - law.masses[positive_of_glued])
            <= law.mass_error * law.masses[positive_of_glued]
        )


def test_omitted_harmonics_are_charged():
    eps0, theta = 1.0, -0.5 * log(0.59) - 0.5
    lags, weights, missing = response_pairs(np.array([eps0]), np.ones(1), theta)
    with ctx.workprec(200):
        t = ((arb(theta) + arb(1) / 2) * arb(eps0)).tanh()
        for s in np.linspace(0.0, 3.2, 300).tolist():
            terms = (arb(w) * (1 - (arb(lag) * arb(s)).cos()) for lag, w in zip(lags, weights, strict=True))
            bound = sum(terms, arb(0))
            cosine, sine = (arb(s) * arb(eps0)).cos(), (arb(s) * arb(eps0)).sin()
            assert bound - missing <= -(cosine**2 + (t * sine) ** 2).log() / 2 + arb(2) ** -50, s


def test_tails_that_are_dropped_lower_the_delta():
    masses = 0.9 ** np.arange(100.0)
    masses /= masses.sum()
    total = Total.of([(Atoms(np.linspace(-1.0, 9.0, 100), masses), 3)])
    for drop in (True, False):
        trim = total.trim(1e-3, drop=drop)
        mass_cut = math.fsum(masses[trim.losses.size :])
        assert 0.0 < mass_cut < 1e-3
        share = trim.log_mass_share if drop else trim.log_finite
        assert math.exp(share) <= (1 - mass_cut) ** 3


@pytest.mark.parametrize("sigma", [0.1, 0.3, 0.5, 0.51, 2.0])
@pytest.mark.parametrize("theta", [0.3, 1.7, 10.5])
def test_moments_of_discrete_gaussians_are_within_their_errors(sigma, theta):
    with ctx.workprec(1000):
        s, t = 2 * arb(sigma) ** 2, arb(theta)
        k = [arb(j) for j in range(-200, 201)]
        whole = sum(((-j * j / s).exp() for j in k), arb(0))
        moment = sum(((t * (1 - 2 * j) / s - j * j / s).exp() for j in k), arb(0))
        truth = (moment / whole).log()
        down, up = discrete_gaussian_moment(sigma, theta)
        assert arb(down) <= truth <= arb(up)


def test_errors_of_a_tilt_hold_laws_within_the_stated_ones():
    for at, errors in (("mass", {"mass_error": 2e-3}), ("loss", {"mass_error": 0.0, "loss_error": 1e-3})):
        for theta in (0.1, 1.0, 5.0):
            tilt_with_errors = tilt(Total.of([(Atoms(LOSSES, MASSES, **errors), 10)]), theta)
            for shift in (-1e-3, 1e-3):
                exact_tilt = tilt(Total.of([(Atoms(*change_law(at, shift), mass_error=0.0), 10)]), theta)
                assert abs(tilt_with_errors.cumulant - exact_tilt.cumulant) <= tilt_with_errors.error


def test_protocols_compose_as_often_as_their_parameter_says():
    assert Laplace(2.0, 3).delta(0.1) == pld.laplace(2.0).compose(3).delta(0.1)
    assert Composition(("rr:1", "rr:2*2"), 2).delta(3.0) == pld.compose_all(
        [pld.randomized_response(1.0), pld.randomized_response(2.0).compose(2)]
    ).compose(2).delta(3.0)


def test_an_upper_end_below_what_is_certain_is_refused():
    # One is certain by the largest sum, the other as epsilon is far below the mean of the sum.
    for total, epsilon in (
        (_total(pld.randomized_response(1.0), 3), 2.9),
        (_total(pld.randomized_response(1.0), 10**4), 1.0),
    ):
        truth = curve_inversion.delta(total, np.array([epsilon]), 1e-6)[0]
        honest = curve_inversion._with_certain_end(total, epsilon, Ends(0.0, 1.0, 0.0, 0.0)).lower
        assert 0.0 < honest <= truth.upper
        with pytest.raises(ArithmeticError, match="at least"):
            curve_inversion._with_certain_end(total, epsilon, Ends(0.0, 0.99 * honest, 0.0, 0.0))
        # It is not only a wide answer that is held against it.
        if epsilon == 1.0:
            with pytest.raises(ArithmeticError, match="at least"):
                curve_inversion._with_certain_end(total, epsilon, Ends(0.98 * honest, 0.985 * honest, 0.0, 0.0))


def _total(loss, copies):
    return Total.of([(loss.forward[0][0].upper, copies)])
