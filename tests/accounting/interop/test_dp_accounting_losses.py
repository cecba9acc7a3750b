"""dp_accounting's distributions as claims, ours as theirs: on the right side of exact curves, on all the line."""

from math import comb, exp, expm1, log

import numpy as np
import pytest
from dp_accounting.pld import common, pld_pmf
from dp_accounting.pld import privacy_loss_distribution as dpa
from mpmath import mp, mpf
from scipy.stats import norm

from pldcheck import pld
from pldcheck.accounting.interop import dp_accounting_export, from_dp_accounting, to_dp_accounting
from pldcheck.core.errors import ParameterError

GRID = np.arange(-400, 401) / 100.0 + 0.003


def exact_response(eps0, count, epsilons, delta0=0.0):
    """Return delta of composed randomized response, by its binomial sum in 40 digits."""
    mp.dps = 40
    e = mpf(eps0)
    p = 1 / (1 + mp.exp(-e))
    finite = (1 - mpf(delta0)) ** count
    terms = [((2 * k - count) * e, comb(count, k) * p**k * (1 - p) ** (count - k)) for k in range(count + 1)]
    return [
        1 - finite + finite * mp.fsum(m * (1 - mp.exp(mpf(x) - loss)) for loss, m in terms if loss > x)
        for x in epsilons
    ]


def exact_gaussian(mu, epsilons):
    return norm.sf(epsilons / mu - mu / 2) - np.exp(epsilons) * norm.sf(epsilons / mu + mu / 2)


def exact_sampled(sigma, rate, epsilons, remove):
    """Return delta of (1 - rate) N(0) + rate N(1) against N(0), or the other way round: one threshold on the output."""
    values = []
    for e in np.asarray(epsilons):
        level = (expm1(e if remove else -e) + rate) / rate  # e^((x - 1/2)/sigma^2) at the threshold
        if level <= 0.0:
            values.append(-expm1(e) if remove else 0.0)
            continue
        x = sigma * sigma * log(level) + 0.5
        tail = norm.sf if remove else norm.cdf
        q, p = tail(x / sigma), (1 - rate) * tail(x / sigma) + rate * tail((x - 1) / sigma)
        values.append(p - exp(e) * q if remove else q - exp(e) * p)
    return np.array(values)


def curve(pmf, epsilons):
    """Return the curve of one of their pmfs, in 40 digits."""
    mp.dps = 40
    dense = pmf.to_dense_pmf()
    atoms = [
        (mpf(float((i + dense._lower_loss) * dense._discretization)), mpf(float(mass)))
        for i, mass in enumerate(dense._probs)
        if mass
    ]
    infinity = mpf(float(dense._infinity_mass))
    return [infinity + mp.fsum(m * (1 - mp.exp(mpf(x) - loss)) for loss, m in atoms if loss > x) for x in epsilons]


# What is used of dp_accounting's private names


def test_private_names_are_those_of_version_0_6():
    theirs = dpa.from_laplace_mechanism(1.0, value_discretization_interval=0.1)
    assert isinstance(theirs._pmf_remove, pld_pmf.SparsePLDPmf) and theirs._symmetric is True
    assert isinstance(theirs._pmf_remove._loss_probs, dict)
    dense = pld_pmf.DensePLDPmf(0.5, -2, np.array([0.25, 0.5]), 0.25, True).to_dense_pmf()
    names = ("_discretization", "_lower_loss", "_infinity_mass", "_pessimistic_estimate")
    assert [getattr(dense, name) for name in names] == [0.5, -2, 0.25, True]
    assert dense._probs.tolist() == [0.25, 0.5]
    both = dpa.PrivacyLossDistribution(dense, dense)
    assert both._pmf_add is dense and both._symmetric is False


# Ours as theirs


@pytest.mark.parametrize(
    ("eps0", "count", "delta0", "step"), [(1.0, 1, 0.0, 0.01), (0.3, 8, 0.0, 0.05), (0.25, 4, 1e-3, 0.02)]
)
def test_exported_response_bounds_the_exact_curve_on_all_the_line(eps0, count, delta0, step):
    ours = pld.randomized_response(eps0, delta0).compose(count)
    above, below = to_dp_accounting(ours, step)._pmf_remove, to_dp_accounting(ours, step, False)._pmf_remove
    epsilons = GRID[::8]
    exact = exact_response(eps0, count, epsilons, delta0)
    # dp_accounting's 1 is what the masses sum to in double precision.
    assert all(high >= truth * (1 - mpf(2) ** -50) for high, truth in zip(curve(above, epsilons), exact, strict=True))
    assert all(low <= truth * (1 + mpf(2) ** -50) for low, truth in zip(curve(below, epsilons), exact, strict=True))


def test_exported_response_is_tight_on_the_grid():
    ours, grid = pld.randomized_response(0.3).compose(8), np.arange(0, 46) * 0.05
    exact = np.array([float(one) for one in exact_response(0.3, 8, grid)])
    above, below = to_dp_accounting(ours, 0.05), to_dp_accounting(ours, 0.05, pessimistic=False)
    high, low = above.get_delta_for_epsilon(list(grid)), below.get_delta_for_epsilon(list(grid))
    np.testing.assert_allclose(high, exact, rtol=1e-6)
    assert np.all(low <= exact)
    # Losses are rounded down by at most one step.
    later = np.array([float(one) for one in exact_response(0.3, 8, grid + 0.05)])
    assert np.all(low >= later * (1 - 1e-6))


@pytest.mark.parametrize("count", [1, 16])
def test_exported_gaussian_brackets_the_closed_form(count):
    ours, mu = pld.gaussian(2.0).compose(count), count**0.5 / 2.0
    above, below = (to_dp_accounting(ours, 0.01, side, width=2e-7) for side in (True, False))
    grid = [float(e) for e in np.arange(0, 300) * 0.01]
    exact = exact_gaussian(mu, np.array(grid))
    interval = ours.delta(grid)
    high, low = above.get_delta_for_epsilon(grid), below.get_delta_for_epsilon(grid)
    assert np.all(high >= interval.upper * (1 - 1e-9)) and np.all(low <= interval.lower)
    np.testing.assert_allclose(high, exact, rtol=1e-6)
    between = GRID[GRID >= 0.0][:250]
    assert np.all(above.get_delta_for_epsilon(list(between)) >= exact_gaussian(mu, between) * (1 - 1e-9))
    assert np.all(below.get_delta_for_epsilon(list(between)) <= exact_gaussian(mu, between) * (1 + 1e-9))


@pytest.mark.nightly
@pytest.mark.parametrize(
    "ours",
    [
        pld.gaussian(1.0),
        pld.gaussian(0.5),
        pld.subsampled_gaussian(1.0, 0.01).compose(1000),
        pld.randomized_response(0.1).compose(1024),
        pld.laplace(1.0).compose(10),
    ],
    ids=str,
)
def test_an_export_asks_for_few_values_and_is_close(ours, monkeypatch):
    asked, ends = [], dp_accounting_export._Curve.ends
    monkeypatch.setattr(
        dp_accounting_export._Curve, "ends", lambda self, values: asked.append(values.size) or ends(self, values)
    )
    above, below = to_dp_accounting(ours), to_dp_accounting(ours, pessimistic=False)
    # Two exports, of one or two directions each.
    assert sum(asked) <= 2 * (4000 if ours.backward is None else 8000)
    # Next to the largest loss delta falls to 0 between two dots.
    grid = np.linspace(0.0, 0.98 * ours.epsilon(1e-9).upper, 50)
    interval, high, low = ours.delta(grid), above.get_delta_for_epsilon(grid), below.get_delta_for_epsilon(grid)
    assert np.all(high >= interval.lower) and np.all(low <= interval.upper)
    assert np.all(high <= interval.upper * (1 + 1e-3)) and np.all(low >= interval.lower * (1 - 2e-3))


@pytest.mark.nightly
@pytest.mark.parametrize("step", [0.5, 0.01, 1e-3])
def test_lower_exports_are_below_the_curve_beyond_their_last_dot(step):
    """Nothing of the mass is put at infinity where the loss is finite."""
    for ours, infinity in (
        (pld.gaussian(1.0), 0.0),
        (pld.randomized_response(1.0, 1e-3).compose(2), 1 - (1 - 1e-3) ** 2),
    ):
        pmf = to_dp_accounting(ours, step, pessimistic=False)._pmf_remove
        assert pmf._infinity_mass <= infinity
        values = curve(pmf, [8.0, 12.0, 20.0])
        assert all(value <= ours.delta(e).upper for value, e in zip(values, (8.0, 12.0, 20.0), strict=True))


@pytest.mark.nightly
@pytest.mark.parametrize("remove", [True, False])
def test_exported_subsampled_gaussian_brackets_the_closed_form_of_its_direction(remove):
    ours = pld.subsampled_gaussian(1.0, 0.1)
    name, epsilons = "_pmf_remove" if remove else "_pmf_add", GRID[::16]
    exact = exact_sampled(1.0, 0.1, epsilons, remove)
    high, low = (
        np.array([float(one) for one in curve(getattr(to_dp_accounting(ours, 0.01, side), name), epsilons)])
        for side in (True, False)
    )
    # 1e-13: the closed form is a difference of two numbers near 1.
    assert np.all(high >= exact - 1e-13) and np.all(low <= exact + 1e-13)
    assert np.all(high - low < 0.02)


@pytest.mark.nightly
def test_upper_side_is_at_most_the_width_below_the_certified_upper_ends():
    # The hull of the upper ends: all of it is above the truth, but it smooths the noise of the single ends.
    ours = pld.subsampled_gaussian(1.0, 0.05).compose(50)
    theirs, grid = to_dp_accounting(ours, 0.05, width=1e-6), np.arange(0, 24) * 0.05
    high, interval = theirs.get_delta_for_epsilon(list(grid)), ours.delta(grid)
    assert np.all(high >= interval.lower)
    np.testing.assert_allclose(high, interval.upper, rtol=1e-4)


@pytest.mark.nightly
def test_their_composition_of_an_export_is_near():
    theirs = to_dp_accounting(pld.gaussian(4.0).compose(4), 1e-3, width=1e-6).self_compose(4)
    assert theirs.get_epsilon_for_delta(1e-6) == pytest.approx(pld.gaussian(1.0).epsilon(1e-6).upper, rel=1e-5)


@pytest.mark.parametrize("ours", [pld.gaussian(1.0), pld.subsampled_gaussian(1.0, 0.1)], ids=str)
def test_round_trip_contains_the_certified_interval(ours):
    exports = [to_dp_accounting(ours, 0.01, side, width=1e-6) for side in (True, False)]
    back = from_dp_accounting(*exports)
    assert back.name == "claimed by dp_accounting, pessimistic and optimistic"
    assert (back.backward is None) == (ours.backward is None)
    grid = np.arange(0, 200, 7) * 0.01
    interval, again = ours.delta(grid), back.delta(grid)
    assert np.all(again.lower <= interval.lower) and np.all(again.upper >= interval.lower)
    np.testing.assert_allclose(again.upper, interval.upper, rtol=1e-4)
    high = [float(one) for one in exports[0].get_delta_for_epsilon(list(grid))]
    np.testing.assert_allclose(again.upper, high, rtol=1e-9)


@pytest.mark.parametrize(
    ("field", "keywords"),
    [
        ("discretization", {"discretization": 0.0}),
        ("discretization", {"discretization": float("nan")}),
        ("discretization", {"discretization": 1e-9}),
        ("tail", {"tail": 1.0}),
        ("width", {"width": 0.0}),
    ],
)
def test_export_names_what_it_refuses(field, keywords):
    with pytest.raises(ParameterError, match=f"^{field} must be"):
        to_dp_accounting(pld.gaussian(1.0), **keywords)


def test_export_needs_a_bound_from_that_side():
    lower_only = from_dp_accounting(dpa.identity(pessimistic_estimate=False))
    with pytest.raises(ParameterError, match="^ours must be of finite loss"):
        to_dp_accounting(lower_only)
    upper_only = pld.from_curve([0.0, 1.0], [0.5, 1e-3], symmetric=True)
    assert to_dp_accounting(upper_only, 0.01, pessimistic=False).get_delta_for_epsilon(0.0) == 0.0
    with pytest.raises(ParameterError, match="^ours must be"):
        to_dp_accounting("gaussian")


# Theirs as claims


@pytest.mark.parametrize(
    ("ours", "factory"),
    [
        (pld.laplace(1.0), lambda **k: dpa.from_laplace_mechanism(1.0, use_connect_dots=False, **k)),
        (pld.gaussian(1.0), lambda **k: dpa.from_gaussian_mechanism(1.0, use_connect_dots=False, **k)),
        (
            pld.subsampled_gaussian(1.0, 0.1),
            lambda **k: dpa.from_gaussian_mechanism(1.0, sampling_prob=0.1, use_connect_dots=False, **k),
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_single_steps_of_theirs_bracket_ours(ours, factory):
    sides = [factory(pessimistic_estimate=side, value_discretization_interval=1e-2) for side in (True, False)]
    both = from_dp_accounting(*sides)
    grid = np.arange(0, 60) * 0.05
    claim_curve, interval = both.delta(grid), ours.delta(grid)
    assert np.all(claim_curve.lower <= interval.upper) and np.all(claim_curve.upper >= interval.lower)
    # Composed here, their claims have no FFT in them.
    composition, truth = both.compose(10).epsilon(1e-6), ours.compose(10).epsilon(1e-6)
    assert composition.lower <= truth.upper and truth.lower <= composition.upper
    assert composition.width < 0.25


def test_either_side_alone_claims_one_side():
    above = from_dp_accounting(dpa.from_laplace_mechanism(1.0))
    assert above.name.startswith("claimed by dp_accounting, pessimistic")
    assert above.compose(3).epsilon(1e-3).lower == 0.0
    below = from_dp_accounting(
        dpa.from_laplace_mechanism(
            1.0, pessimistic_estimate=False, value_discretization_interval=0.01, use_connect_dots=False
        )
    )
    assert below.name.startswith("claimed by dp_accounting, optimistic")
    for copies in (1, 3, 10**4):
        many = below.compose(copies)
        assert many.epsilon(1e-3).upper == np.inf
        assert 0.9 * copies**0.5 < many.epsilon(1e-3).lower < np.inf
        assert many.delta(0.5).upper == many.delta([0.5, 1e3]).upper[1] == 1.0
    mixture = below.compose(pld.gaussian(1.0))
    assert mixture.epsilon(1e-3).upper == np.inf and mixture.delta(0.5).upper == 1.0


def test_losses_that_are_symmetric_on_one_side_only_keep_both_directions():
    above = dpa.from_gaussian_mechanism(1.0, value_discretization_interval=0.1)
    low = pld_pmf.create_pmf({0: 1.0}, 0.1, 0.0, False)
    both = from_dp_accounting(above, dpa.PrivacyLossDistribution(low, low))
    assert both.backward is not None and both.backward[0][0].upper is both.forward[0][0].upper


def claim(probs, infinity, pessimistic, first=-1, step=0.5):
    return dpa.PrivacyLossDistribution(pld_pmf.DensePLDPmf(step, first, np.array(probs), infinity, pessimistic))


SKEW_CASES = [
    ([0.1, 0.4, 0.5 - 4e-7], 0.0),  # missing
    ([0.1, 0.4, 0.5 - 4e-7], 1e-7),
    ([0.1, 0.4, 0.5 + 4e-7], 0.0),  # too much
    ([3e-7, 0.5, 0.5 + 4e-7], 0.0),
    ([0.5, -1e-7, 0.5 + 1e-7], 0.0),  # negative
    ([0.5, 0.5, -1e-7], 1e-7),
    ([-1e-7, 0.2, -2e-7, 0.3, 0.5], 4e-7),
    ([0.5, 0.5, -1e-7], 0.0),
]


@pytest.mark.parametrize(("probs", "infinity"), SKEW_CASES)
def test_masses_that_are_no_distribution_go_to_the_safe_side(probs, infinity):
    claim_curve = [float(one) for one in curve(claim(probs, infinity, True)._pmf_remove, GRID)]
    true_least = -np.expm1(np.minimum(GRID, 0.0))  # every privacy curve is at least that, and at most 1
    above = from_dp_accounting(claim(probs, infinity, True))
    below = from_dp_accounting(claim(probs, infinity, False))
    assert "of mass moved" in above.name and "of mass moved" in below.name

    def curve_of_law(law):
        gain = -np.expm1(np.minimum(GRID[:, None] - law.losses, 0.0))
        return law.infinity + (1.0 - law.infinity) * gain @ law.masses

    high, low = curve_of_law(above.forward[0][0].upper), curve_of_law(below.forward[0][0].lower)
    assert np.all(high <= 1.0 + 1e-15) and np.all(low <= np.maximum(claim_curve, true_least) * (1 + 1e-14))
    # Above the claim; where that is more than 1 at kappa = 0, above its convex hull with (0, 1).  Kinks are at losses.
    kinks = 0.5 * np.arange(-1, len(probs))
    at_kinks = np.array([float(one) for one in curve(claim(probs, infinity, True)._pmf_remove, kinks)])
    hull = [
        min(value, 1.0, *(1.0 + (at_kinks - 1.0) * np.exp(e - kinks))[kinks > e])
        for e, value in zip(GRID, claim_curve, strict=True)
    ]
    assert np.all(high >= np.array(hull) * (1 - 1e-14))


@pytest.mark.parametrize(
    ("field", "probs", "infinity"),
    [
        ("probs", [0.5, float("nan"), 0.5], 0.0),
        ("probs", [0.5, float("inf")], 0.0),
        ("probs", [0.5, 0.4], 0.0),
        ("probs", [0.5, 0.6], 0.0),
        ("probs", [0.5, -2e-6, 0.5], 0.0),
        ("probs", [], 1.0),
        ("infinity_mass", [0.5, 0.6], -0.1),
        ("infinity_mass", [0.5, 0.5], -1e-18),
        ("infinity_mass", [0.0], 1.0),
        ("infinity_mass", [0.5, 0.5], float("nan")),
    ],
)
@pytest.mark.parametrize("pessimistic", [True, False])
def test_bad_masses_are_named(field, probs, infinity, pessimistic):
    with pytest.raises(ParameterError, match=f"^pmf_remove.{field} must be"):
        from_dp_accounting(claim(probs, infinity, pessimistic))


def test_the_direction_and_the_kind_are_named():
    good, bad = claim([0.5, 0.5], 0.0, True)._pmf_remove, claim([0.5, 0.4], 0.0, True)._pmf_remove
    with pytest.raises(ParameterError, match="^pmf_add.probs must be"):
        from_dp_accounting(dpa.PrivacyLossDistribution(good, bad))
    with pytest.raises(ParameterError, match="^pmf_add must be of the same kind"):
        from_dp_accounting(dpa.PrivacyLossDistribution(good, claim([1.0], 0.0, False)._pmf_remove))
    with pytest.raises(ParameterError, match="^optimistic must be optimistic, got 'pessimistic'"):
        from_dp_accounting(claim([1.0], 0.0, True), claim([1.0], 0.0, True))
    with pytest.raises(ParameterError, match="^theirs must be pessimistic"):
        from_dp_accounting(claim([1.0], 0.0, False), claim([1.0], 0.0, False))
    with pytest.raises(ParameterError, match="^theirs must be a PrivacyLossDistribution of dp_accounting"):
        from_dp_accounting(pld.gaussian(1.0))


def test_sparse_masses_far_apart_stay_sparse():
    sparse = dpa.PrivacyLossDistribution(pld_pmf.SparsePLDPmf({10**12: 0.5, -(10**12): 0.5}, 1e-11, 0.0, True))
    assert from_dp_accounting(sparse).forward[0][0].upper.losses.tolist() == [-10.0, 10.0]


def test_round_off_of_their_composition_is_not_in_their_step_composed_here():
    # dp_accounting 0.6.0, FFT round-off: epsilon is 0.0167 too small with scipy 1.17, 0.004 too large with scipy 1.18.
    step = dpa.from_privacy_parameters(common.DifferentialPrivacyParameters(0.1, 0.0))
    truth = pld.randomized_response(0.1).compose(1024).epsilon(1e-12)
    assert abs(step.self_compose(1024).get_epsilon_for_delta(1e-12) - truth.lower) > 2e-3
    certificate = from_dp_accounting(step).compose(1024).epsilon(1e-12)
    assert truth.lower <= certificate.upper < truth.upper + 1e-3
