"""Sums of lattice laws by tilted inversion, and both sides of E(sum - threshold)_+, against ball arithmetic."""

from math import exp, inf, log

import naive_sums as naive
import numpy as np
import pytest
import slot_oracles as oracles
from flint import arb, ctx
from mpmath import mp

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.known import increment_stoploss
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, REPLACEMENT, Pair
from pldcheck.hidden_slot.known.noise_ratios import GaussianNoise
from pldcheck.hidden_slot.known.pair_curve import Curve
from pldcheck.hidden_slot.known.pair_epsilon import epsilon as epsilon_of
from pldcheck.hidden_slot.known.slot_increments import GaussianIncrement
from pldcheck.hidden_slot.known.sum_plan import Rough, plan
from pldcheck.kernels.half_period_inversion import invert_into, raise_into
from pldcheck.pld.lattice_fourier import contour
from pldcheck.pld.lattice_law import LatticeLaw
from tests.oracles.stored_values import the_one


def tilted_sum(parts, scheme):
    return contour(parts, scheme.theta, scheme.steeper, scheme.period)


def lattice(step, first, masses):
    masses = np.array(masses)
    return LatticeLaw(step, first, masses, np.zeros(masses.size))


def heavy(random, size=60):
    """Return a law of mean about 0 whose masses fall like a power, with gaps."""
    first = -int(random.integers(1, 6))
    masses = (1.0 + np.arange(size)) ** -random.uniform(2.0, 5.0) * (random.random(size) < 0.8)
    masses[: 1 - first] += random.uniform(0.5, 2.0, 1 - first)
    return lattice(random.uniform(0.01, 2.0), first, masses / masses.sum())


# For its other fields, which no sum looks at.
SOME_PLAN = plan(Rough.of(GaussianIncrement(1.0, 1.0, 0.0, -1.0), 3), 1.0, 0.1)


def scheme_of(parts, start, value):
    """Return a tilt at the saddle point, and a period beyond which both aliases are below e^-25 of the value."""
    total = [(law.mass[law.mass > 0.0], law.atoms[law.mass > 0.0], count) for law, count in parts]
    spread = float(np.sqrt(sum(count * mass @ atoms**2 for mass, atoms, count in total)))
    thetas = np.geomspace(1e-3, 1e4, 1500) / spread

    def height(theta):
        tops = [theta * atoms.max() for _, atoms, _ in total]
        logs = [
            top + log(mass @ np.exp(theta * atoms - top)) for (mass, atoms, _), top in zip(total, tops, strict=True)
        ]
        return sum(count * one for one, (_, _, count) in zip(logs, total, strict=True)) + theta * start - 1 - log(theta)

    heights = np.array([height(theta) for theta in thetas])
    at = int(np.argmin(heights - np.log(thetas)))
    theta, least_height = thetas[at], log(value) - 25.0
    right = (heights[at + 20 :] - least_height) / (thetas[at + 20 :] - theta)
    steeper = thetas[at + 20 + int(np.argmin(right))]
    left_period = (max(heights[:at].max(initial=0.0), 0.0) - least_height) / (theta - thetas[0])
    period = max(float(right.min()), left_period, 3.0 / theta)
    return SOME_PLAN._replace(theta=float(theta), steeper=float(steeper), period=period, slope=float(theta))


def starts(law, count, random):
    """Return negative starts, from one deviation below the mean to where one step alone gets there."""
    mean = float(law.mass @ law.atoms)
    deviation = float(np.sqrt(count * law.mass @ (law.atoms - mean) ** 2))
    reach = min(3.0 * float(law.atoms[-1]), 0.9 * count * float(law.atoms[-1]))
    thresholds = [-max(count * mean, 0.0) - x for x in (0.3 * deviation, deviation, 4.0 * deviation, reach)]
    return [start * random.uniform(0.9, 1.1) for start in thresholds if start < 0.0]


def contains(ends, truth, width=None):
    assert ends.lower <= truth <= ends.upper
    if width is not None:
        assert truth * (1 + width) >= ends.upper and ends.lower >= truth * (1 - width)
    # What truncation and round-off were granted is all that there is between them.
    assert ends.upper - ends.lower <= (ends.truncation + ends.rounding) * 1.001 + 1e-15 * ends.upper


@pytest.mark.parametrize("count", [1, 2, 3, 7, 30])
@pytest.mark.parametrize("seed", range(6))
def test_powers_of_heavy_laws(count, seed):
    random = np.random.default_rng(100 * count + seed)
    law = heavy(random)
    for start in starts(law, count, random):
        truth = naive.lattice_sum([(law.first, law.mass, count)], law.step, start)
        if not truth > 1e-200:
            continue
        bounds = tilted_sum([(law, count)], scheme_of([(law, count)], start, float(truth)))
        contains(bounds.at(start), truth, 1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_one_inversion_serves_thresholds_around_its_own(seed):
    random = np.random.default_rng(seed)
    law, count = heavy(random), 9
    start = starts(law, count, random)[1]
    value = float(naive.lattice_sum([(law.first, law.mass, count)], law.step, start))
    scheme = scheme_of([(law, count)], start, value)
    bounds = tilted_sum([(law, count)], scheme)
    for shift in (-4.0, -1.0, -0.03, 0.0, 0.4, 1.0):
        near = start + shift / scheme.slope
        if near < 0.0:
            contains(bounds.at(near), naive.lattice_sum([(law.first, law.mass, count)], law.step, near), 1e-3)


def test_thresholds_on_lattice_points_and_between_them_are_enclosed():
    law, count = lattice(0.5, -1, [0.5, 0.25, 0.125, 0.125]), 5
    scheme = scheme_of([(law, count)], -2.0, 1e-2)
    bounds = tilted_sum([(law, count)], scheme)
    for start in (-2.0, -2.0 - 1e-9, -2.0 + 1e-9, -2.25, -1.5, -2.4999999):
        contains(bounds.at(start), naive.lattice_sum([(-1, law.mass, count)], 0.5, start), 1e-6)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.05, 0.01])
@pytest.mark.parametrize("seed", range(6))
def test_periods_that_are_too_short_give_wide_bounds_that_hold(share, seed):
    # Aliases are then as large as the value, or larger; the ends must know, down to less than 1/theta.
    random = np.random.default_rng(seed)
    law, count = heavy(random), int(random.integers(2, 12))
    for start in starts(law, count, random):
        truth = naive.lattice_sum([(law.first, law.mass, count)], law.step, start)
        if not truth > 1e-200:
            continue
        scheme = scheme_of([(law, count)], start, float(truth))
        short = scheme._replace(period=share * scheme.period)
        contains(tilted_sum([(law, count)], short).at(start), truth)


@pytest.mark.parametrize("tilt", [0.003, 0.03, 0.3, 3.0])
def test_any_tilt_is_sound(tilt):
    law, count, start = lattice(0.25, -2, [0.3, 0.3, 0.2, 0.1, 0.05, 0.05]), 8, -2.1
    truth = naive.lattice_sum([(-2, law.mass, count)], 0.25, start)
    scheme = scheme_of([(law, count)], start, float(truth))
    theta = tilt * scheme.theta
    interval = tilted_sum([(law, count)], scheme._replace(theta=theta, steeper=2.0 * theta)).at(start)
    assert interval.lower <= truth <= interval.upper


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_several_laws_are_enclosed(seed):
    random = np.random.default_rng(seed)
    step = random.uniform(0.1, 1.0)
    parts = [
        (lattice(step, -int(random.integers(0, 5)), random.dirichlet(np.ones(12)) * random.uniform(0.2, 1.0)), n)
        for n in (int(random.integers(1, 9)), 1, 2)
    ]
    mean = sum(count * float(law.mass @ law.atoms) for law, count in parts)
    for more in (2.0, 8.0, 15.0):
        start = -max(mean, 0.0) - more * step
        truth = naive.lattice_sum([(law.first, law.mass, count) for law, count in parts], step, start)
        if not truth > 1e-200:
            continue
        scheme = scheme_of(parts, start, float(truth))
        contains(tilted_sum(parts, scheme).at(start), truth, 1e-2)


@pytest.mark.parametrize("total", [1e-5, 1e-14, 1e-25])
def test_a_rare_law_among_others_is_not_lost(total):
    # Its tilt changes nothing (theta times its atoms is below 1): M is tiny all the same.
    bulk, rare = lattice(1.0, -1, [0.5, 0.0, 0.5]), lattice(1.0, 3, [0.75 * total, 0.25 * total])
    parts, start = [(bulk, 20), (rare, 1)], -5.0
    truth = naive.lattice_sum([(law.first, law.mass, count) for law, count in parts], 1.0, start)
    scheme = scheme_of(parts, start, float(truth))
    for theta in (0.1, 0.3):
        bounds = tilted_sum(parts, scheme._replace(theta=theta, steeper=3.0 * theta, period=400.0)).at(start)
        contains(bounds, truth, 1e-4)


@pytest.mark.parametrize(("count", "chance"), [(2000, 0.3), (2000, 1e-2), (20000, 0.25)])
def test_large_counts_agree_with_binomial_sums(count, chance):
    law = lattice(1.0, 0, [1.0 - chance, chance])
    spread = np.sqrt(count * chance * (1.0 - chance))
    for deviations in (1.0, 6.0, 15.0):
        k = float(np.floor(count * chance + deviations * spread))
        start = -k - 0.4
        # Both masses as they are: their sum need not be 1.
        total = arb(float(law.mass[0])) + arb(float(law.mass[1]))
        truth = naive.binomial_sum(1, 0, float(law.mass[1]) / total, count, start) * total**count
        theta = log(k * (1.0 - chance) / ((count - k) * chance))  # the saddle point
        bounds = tilted_sum(
            [(law, count)],
            scheme_of([(law, count)], start, float(truth))._replace(
                theta=theta,
                steeper=theta + 2.0 / spread,
                period=30.0 * spread + 60.0 / theta,
            ),
        )
        contains(bounds.at(start), truth, 1e-5)


def test_a_bound_beyond_all_numbers_says_nothing():
    # M(theta)^r e^(theta u) overflows: no inf - inf, no zero.
    law, count = lattice(1.0, 0, [0.5, 0.5]), 50
    scheme = scheme_of([(law, count)], -30.0, 1e-2)._replace(theta=40.0, steeper=41.0, period=200.0)
    bounds = tilted_sum([(law, count)], scheme)
    for start in (-30.0, -25.5):
        ends = bounds.at(start)
        assert ends.lower == 0.0 and ends.upper == inf


@pytest.mark.parametrize("power", [1, 2, 7, 1000, 10**6])
@pytest.mark.parametrize("error", [0.0, 1e-15, 1e-9])
def test_powers_of_a_transform_are_as_near_as_they_say(power, error):
    random = np.random.default_rng(power)
    sizes = np.concatenate([1.0 - random.exponential(3.0 / power, 60).clip(0.0, 1.0), [1.0, 1e-8, 1e-200, 0.0]])
    angles = random.uniform(-np.pi, np.pi, sizes.size)
    truth = [mp.mpc(mp.cos(a), mp.sin(a)) * size for size, a in zip(sizes.tolist(), angles.tolist(), strict=True)]
    phi = np.array([complex(one) for one in truth])
    # The truth is anywhere within the error; rounded to double it is off by its own.
    truth = [mp.mpc(one.real, one.imag) + error * mp.expj(7 * a) for one, a in zip(phi.tolist(), angles, strict=True)]
    powers, doubts = np.full(phi.size, 0.5 + 0.5j), np.full(phi.size, 1e-12)
    raise_into(phi, power, error, powers, doubts)
    for one, power_value, doubt in zip(truth, powers.tolist(), doubts.tolist(), strict=True):
        exact = one**power * (mp.mpc(0.5, 0.5) + 1e-12 * mp.expj(1))
        assert abs(exact - mp.mpc(power_value.real, power_value.imag)) <= doubt * (1 + 1e-9) + 4e-16 * abs(exact)
        # Not by much more than that.
        assert doubt <= 1e-12 + 8.0 * power * (error + 3e-15) + 2e-26


@pytest.mark.parametrize(("theta", "period"), [(1e-3, 64), (0.3, 81), (5.0, 1000), (60.0, 30)])
def test_terms_of_the_inversion_are_within_their_doubts(theta, period):
    powers = np.full(period // 2 + 1, 0.25 - 0.5j)
    powers[3] = 0.0
    doubts = np.full(powers.size, 1e-9)
    total, exact = invert_into(theta, 0.5, period, 1e-10, terms := powers.copy(), doubts), mp.mpf(0)
    for n, power in enumerate(powers.tolist()):
        z = mp.mpc(theta, 2 * mp.pi * n / (period * 0.5))
        weight = mp.mpf(0.5) / (4 * mp.sinh(z * 0.25) ** 2)
        assert abs(weight * mp.mpc(power.real, power.imag) - complex(terms[n])) <= 2e-14 * abs(weight)
        twice = 1 if n == 0 or 2 * n == period else 2
        exact += twice * abs(weight) * (1e-9 + abs(power) * 1e-10)
    # Where nothing is left of a power its weight is taken to be the largest.
    assert exact <= total * (1 + 1e-12)
    assert total <= exact * (1 + 1e-6) + 2e-9 * float(abs(0.5 / (4 * mp.sinh(theta * 0.25) ** 2)))


@pytest.mark.nightly
def test_fewer_frequencies_than_nodes_are_used_and_right():
    # A wide bulk law: its transform vanishes early, so that few nodes of a long period are evaluated.
    atoms = np.arange(-20, 21)
    masses = np.exp(-0.5 * (atoms / 6.0) ** 2)
    law, count = lattice(0.01, -20, masses / masses.sum()), 300
    spread = float(np.sqrt(count * law.mass @ law.atoms**2))
    start = -5.0 * spread
    truth = naive.lattice_sum([(-20, law.mass, count)], 0.01, start)
    scheme = scheme_of([(law, count)], start, float(truth))._replace(
        theta=5.0 / spread, steeper=8.0 / spread, period=60.0 * spread
    )
    bounds = tilted_sum([(law, count)], scheme)
    assert bounds.nodes is None
    contains(bounds.at(start), truth, 1e-6)
    near = start - 3.0 / scheme.slope
    contains(bounds.at(near), naive.lattice_sum([(-20, law.mass, count)], 0.01, near), 1e-6)


# --- sides ------------------------------------------------------------------------------------------------------------

KINDS = {"remove": (1.0, 0.0, -1.0), "add": (0.0, 1.0, 1.0), "replace": (1.0, exp(1.0), exp(1.0) - 1.0)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", [0.1, 0.7, 3.0])
def test_both_sides_of_one_step_hold_its_delta(kind, s):
    increment = GaussianIncrement(s, *KINDS[kind])
    spread = float(np.sqrt(increment.variance))
    for deviations in (0.05, 1.0, 3.0):
        threshold = min(deviations * spread, 0.8 * increment.high)
        value = float(naive.gaussian_stop_loss(s, *KINDS[kind], threshold))
        if value < 1e-280:
            continue
        scheme = plan(Rough.of(increment, 1), threshold, value)
        step = increment_stoploss.clamp(0.1 * increment_stoploss.first_step(1, scheme, 1e-2), scheme)
        upper = increment_stoploss.upper_side(increment, 1, scheme, step)
        lower = increment_stoploss.lower_side(increment, 1, scheme, step)
        for shift in (-3.0, -0.5, 0.0, 0.5, 0.9, 2.0, 4.0):  # as far as Curve uses a side
            near = threshold + shift / scheme.slope
            truth = naive.gaussian_stop_loss(s, *KINDS[kind], near)
            if not 0.0 < near < increment.high or not truth > 1e-280:
                continue
            high = upper.value(near)
            assert truth <= high
            assert lower is None or lower.value(near) <= truth
            if abs(shift) <= 0.5 and s < 1.0:  # steps of little noise ask for finer lattices than this
                assert lower is not None and high <= lower.value(near) * 1.01


def delta_of_two(kind, sigma, epsilon, p0=1.0):
    """Return delta of two steps, for the sensitivity that a pair has: 1/sigma, rounded."""
    return the_one("two_steps", direction=kind, sigma=sigma, scale="rounded", prob=p0, epsilon=epsilon)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("sigma", "epsilon"), [(0.5, 3.0), (1.0, 0.5), (1.0, 3.0), (3.0, 0.2)])
@pytest.mark.parametrize("p0", [1.0, 0.3])
def test_curves_of_two_steps_agree_with_quadrature(kind, sigma, epsilon, p0):
    name = {"remove": REMOVAL, "add": ADDITION, "replace": REPLACEMENT}[kind]
    pair = Pair(name, GaussianNoise(1.0 / sigma), 2, p0)
    truth = delta_of_two(kind, sigma, epsilon, p0)
    if truth.lower < 1e-100:
        return
    curve = Curve(pair, 0.2, float(truth.lower))
    curve_ends = curve.value(epsilon, Side.LOWER), curve.value(epsilon, Side.UPPER)
    assert curve_ends[0] <= truth.upper and truth.lower <= curve_ends[1]
    assert curve_ends[1] <= curve_ends[0] * 1.02 or (kind == "replace" and sigma < 1.0)
    for share in (0.97, 1.002, 1.03, 1.1):  # some of them are answered by the sides that there are
        near = delta_of_two(kind, sigma, share * epsilon, p0)
        assert curve.value(share * epsilon, Side.LOWER) <= near.upper
        assert curve.value(share * epsilon, Side.UPPER) >= near.lower


def stop_loss_of_two(kind, sigma, epsilon):
    """Ends of E(sum - K)_+ of two steps, for the sensitivity that a pair has: 1/sigma, rounded."""
    with ctx.workprec(oracles.BITS):
        factor = arb(epsilon).exp() / 2 if kind == "add" else arb(1) / 2
        return oracles.enclose(kind, 2, 1.0 / sigma, epsilon, 1.0, factor)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["remove", "add"])
@pytest.mark.parametrize(("sigma", "epsilon"), [(0.3, 0.3), (1.0, 1.5), (1.0, 4.0), (4.0, 0.3)])
def test_both_sides_of_two_steps_hold_their_delta(kind, sigma, epsilon):
    # A step's excess over the cap counts in full only where the other step cannot take it back.
    pair = Pair({"remove": REMOVAL, "add": ADDITION}[kind], GaussianNoise(1.0 / sigma), 2, 1.0)
    increment, threshold = pair.increment(epsilon), pair.threshold(epsilon)
    value = float(oracles.exact(kind, 2, sigma, epsilon)) / pair.factor(epsilon)
    if value < 1e-100:
        return
    scheme = plan(Rough.of(increment, 2), threshold, value)
    step = increment_stoploss.clamp(0.2 * increment_stoploss.first_step(2, scheme, 1e-2), scheme)
    upper = increment_stoploss.upper_side(increment, 2, scheme, step)
    lower = increment_stoploss.lower_side(increment, 2, scheme, step)
    assert lower is not None
    for shift in (-4.0, -1.0, 0.0, 1.0, 2.5, 4.0):
        if threshold + shift / scheme.slope <= 0.0:
            continue
        at = pair.epsilon(threshold + shift / scheme.slope)
        if at == inf:
            continue
        near = pair.threshold(at)
        low, high = stop_loss_of_two(kind, sigma, at)
        assert lower.value(near) <= high and low <= upper.value(near)
        assert shift != 0.0 or upper.value(near) <= lower.value(near) * 1.01


def test_one_step_at_little_noise_is_enclosed():
    for s in (10.0, 20.0):
        pair = Pair(REMOVAL, GaussianNoise(s), 1, 1.0)
        for epsilon in (1.0, 40.0, 0.5 * s * s):
            truth = float(oracles.gaussian_delta(s, epsilon))
            curve = Curve(pair, 0.1, truth)
            low, high = oracles.enclose("remove", 1, s, epsilon)
            assert curve.value(epsilon, Side.LOWER) <= high
            assert low <= curve.value(epsilon, Side.UPPER) <= 1.1 * truth


@pytest.mark.parametrize("kind", ["remove", "add"])
@pytest.mark.parametrize(("sigma", "epsilon"), [(0.5, 3.0), (1.0, 0.5), (1.0, 3.0), (3.0, 0.2)])
def test_quick_bounds_of_two_steps_are_above_their_delta(kind, sigma, epsilon):
    pair = Pair({"remove": REMOVAL, "add": ADDITION}[kind], GaussianNoise(1.0 / sigma), 2, 1.0)
    exact = delta_of_two(kind, sigma, epsilon)
    truth = float(exact.lower) / pair.factor(epsilon)
    if truth < 1e-100:
        return
    increment, threshold = pair.increment(epsilon), pair.threshold(epsilon)
    for about in (0.01 * truth, truth, 100.0 * truth):
        scheme = plan(Rough.of(increment, 2), threshold, about)
        bound = increment_stoploss.chernoff(increment, 2, scheme, threshold)
        with ctx.workprec(oracles.BITS):  # delta is half of it, and for a record that is added e^epsilon times that
            delta_bound = arb(bound) * (arb(epsilon).exp() if kind == "add" else 1) / 2
            assert not delta_bound < exact.lower.numerator / arb(exact.lower.denominator)
        if about == truth and sigma >= 1.0:
            assert bound <= 100.0 * truth


@pytest.mark.parametrize("delta", [1e-6, 1e-20])
def test_a_quick_bound_is_sure_only_of_what_is_so(delta):
    for m, sigma in ((100, 1.0), (1000, 1.0), (10**4, 2.0)):
        pair = Pair(ADDITION, GaussianNoise(1.0 / sigma), m, 1.0)
        at = epsilon_of(pair, delta, 1e-3)
        assert not Curve(pair, 1.0, delta).surely_below(0.999 * at.lower)
        assert Curve(pair, 1.0, delta).surely_below(2.0 * at.upper)


@pytest.mark.parametrize("epsilon", [1e-12, 3e-9, 1e-5, 0.7, 3.0, 40.0])
def test_a_replaced_increment_is_evaluated_at_a_number_surely_on_its_side(epsilon):
    # c is a float that is not e^epsilon: from above it is at most that, from below at least, and K is c's own.
    for steps, prob in ((1, 1.0), (7, 0.3)):
        pair = Pair(REPLACEMENT, GaussianNoise(1.0), steps, prob)
        with ctx.workprec(200):
            for side in Side:
                at = pair.safe_epsilon(epsilon, side)
                c = arb(exp(at))
                assert c <= arb(epsilon).exp() if side is Side.UPPER else c >= arb(epsilon).exp()
                assert abs(at - epsilon) <= 2e-15 * (1.0 + epsilon)
                exact = arb(steps) / arb(prob) * (c - 1)
                assert abs(arb(pair.threshold(at)) - exact) <= 4 * 2.0**-53 * exact
