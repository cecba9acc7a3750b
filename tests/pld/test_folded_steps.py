"""Few steps without inversion: sums of two losses, steps folded into cells, against sums written out at 50 digits."""

import random

import numpy as np
import pytest
from mpmath import erfc, exp, expm1, inf, log, mp, mpf, quad, sqrt

from pldcheck.pld import folded_steps, from_pmf, subsampled_gaussian, subsampled_laplace
from pldcheck.pld.enumerated_sums import EnumeratedSum, enumerated_sum
from pldcheck.pld.folded_steps import fold, two_halves
from pldcheck.pld.law_bounds import LawBounds
from pldcheck.pld.loss_total import Total
from pldcheck.pld.paired_sum import Curve, PairedSum, paired_sum
from pldcheck.pld.step_losses import Atoms

# Scales of the losses of random laws.
SCALES = (1e-7, 1e-2, 1.0, 40.0)


@pytest.fixture(autouse=True)
def digits():
    mp.dps = 50


def random_law(draw: random.Random, scale: float, size: int) -> Atoms:
    """Return a law of exact losses and masses, in no order, some of them very rare."""
    losses = [scale * draw.choice([draw.gauss(0, 1), draw.random(), 0.0, draw.gauss(0, 1e-3)]) for _ in range(size)]
    masses = np.array([draw.random() * 10.0 ** -draw.choice([0, 1, 5, 30]) for _ in range(size)])
    return Atoms(np.array(losses), masses / masses.sum(), mass_error=0.0, loss_error=0.0)


def exact_delta(one: Atoms, other: Atoms, epsilon: float) -> mpf:
    """Return delta of the sum of two laws, summed over all pairs; masses are divided by their sums."""
    total = mpf(0)
    for a, p in zip(one.losses, one.masses, strict=True):
        for b, q in zip(other.losses, other.masses, strict=True):
            excess = mpf(float(a)) + mpf(float(b)) - mpf(epsilon)
            if excess > 0:
                total -= mpf(float(p)) * mpf(float(q)) * expm1(-excess)
    return total


def thresholds(draw: random.Random, one: Atoms, other: Atoms) -> list[float]:
    """Return epsilons from 0 on, at sums of losses, beside them, and anywhere."""
    sums = [float(draw.choice(one.losses) + draw.choice(other.losses)) for _ in range(4)]
    near = [value * (1.0 + draw.choice([-1, 1]) * 1e-14) for value in sums]
    top = float(np.max(one.losses) + np.max(other.losses))
    return [max(value, 0.0) for value in (*sums, *near, 0.0, draw.random() * max(top, 0.0), 0.999 * top)]


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.nightly] if seed else []) for seed in range(25)]
)
def test_the_sum_of_two_losses_is_enclosed(seed):
    draw = random.Random(seed)
    one, other = (random_law(draw, draw.choice(SCALES), draw.randint(1, 40)) for _ in range(2))
    total = PairedSum(one, other, (0.0, 0.0))
    for epsilon in thresholds(draw, one, other):
        truth, ends = exact_delta(one, other, epsilon), total.ends(epsilon)
        assert ends.lower <= truth <= ends.upper
        # What the last sum above epsilon loses by the rounding of sums of losses, beside 1e-11 of all.
        assert ends.upper - ends.lower <= 1e-11 * float(truth) + 1e-13


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.nightly] if seed else []) for seed in range(25)]
)
def test_steps_in_cells_are_above_and_below_their_sum(seed, monkeypatch):
    draw = random.Random(1000 + seed)
    monkeypatch.setattr(folded_steps, "CELLS_OF_SUM", draw.choice([4, 10, 40]))
    scales = [draw.choice(SCALES) for _ in range(2)]
    one, other = (random_law(draw, scale, draw.randint(15, 30)) for scale in scales)
    bounds = fold(LawBounds.exact(one), LawBounds.exact(other))
    above, below, wide = EnumeratedSum(bounds.upper), EnumeratedSum(bounds.lower), 0
    top = max(float(np.max(one.losses) + np.max(other.losses)), 0.0)
    for epsilon in [*thresholds(draw, one, other), *(draw.random() * top for _ in range(20))]:
        truth = exact_delta(one, other, epsilon)
        assert below.ends(epsilon).lower <= truth <= above.ends(epsilon).upper
        wide += above.ends(epsilon).lower > truth > below.ends(epsilon).upper
    # The cells cost something, so that a side taken for the other one is noticed.
    assert wide or min(scales) == min(SCALES)


@pytest.mark.nightly
def test_errors_of_the_laws_widen_the_ends_of_a_sum_by_as_much():
    law = random_law(random.Random(5), 1.0, 20)
    off = Atoms(law.losses, law.masses, mass_error=1e-6, loss_error=1e-5)
    plain, wide = (PairedSum(one, one, (0.0, 0.0)).ends(0.3) for one in (law, off))
    truth = float(exact_delta(law, law, 0.3))
    # Masses of two laws are off by 1e-6 each, and losses by 2e-5 in all, where the sum is above 0.3.
    mass = float(sum(p * q for a, p in zip(law.losses, law.masses, strict=True)
                     for b, q in zip(law.losses, law.masses, strict=True) if a + b > 0.3))  # fmt: skip
    assert wide.upper - plain.upper == pytest.approx(2e-6 * truth + 2e-5 * mass, rel=1e-3)
    assert plain.lower - wide.lower == pytest.approx(2e-6 * truth + 2e-5 * mass, rel=1e-3)
    folded = fold(LawBounds.exact(off), LawBounds.exact(off))
    assert all(one.mass_error >= 2e-6 and one.loss_error >= 2e-5 for one in (folded.upper, folded.lower))


@pytest.mark.nightly
def test_the_ends_of_a_sum_contain_the_roundings_of_its_curve():
    law = Atoms(np.linspace(0.5, 1.0, 3000), np.full(3000, 1 / 3000), mass_error=0.0, loss_error=0.0)
    ends = PairedSum(law, law, (0.0, 0.0)).ends(0.0)
    # Each value of the curve adds at least three roundings to those before it.
    assert ends.upper - ends.lower >= 2 * 3 * 3000 * 2.0**-53 * ends.lower


@pytest.mark.nightly
def test_a_probability_of_an_infinite_loss_is_added():
    law = random_law(random.Random(7), 1.0, 400)
    some = Atoms(law.losses, law.masses, infinity=1e-3, mass_error=0.0, loss_error=0.0)
    total = Total.of([(some, 2)])
    assert enumerated_sum(total) is None
    whole = paired_sum(total)
    assert whole is not None
    finite, ends = PairedSum(law, law, (0.0, 0.0)).ends(0.1), whole.ends(0.1)
    beyond = 1 - (1 - mpf(1e-3)) ** 2
    assert ends.lower <= beyond + (1 - beyond) * mpf(finite.upper)
    assert ends.upper >= beyond + (1 - beyond) * mpf(finite.lower)
    assert ends.upper - ends.lower < 1e-11


def test_a_law_that_does_not_occur_is_no_part_of_the_sum():
    draw = random.Random(13)
    laws = [random_law(draw, 1.0, 400) for _ in range(3)]
    for counts, pair in (((2, 0, 0), (0, 0)), ((0, 2, 0), (1, 1)), ((0, 1, 1), (1, 2)), ((1, 0, 1), (0, 2))):
        total = paired_sum(Total.of(zip(laws, counts, strict=True)))
        expected = PairedSum(laws[pair[0]], laws[pair[1]], (0.0, 0.0)).ends(0.2)
        assert total.ends(0.2).lower == pytest.approx(expected.lower, rel=1e-12)


@pytest.mark.nightly
def test_a_curve_is_that_of_the_law_at_all_real_points():
    law = random_law(random.Random(11), 1.0, 30)
    points = np.array([*law.losses[:5], -30.0, 0.0, 0.5, float(np.max(law.losses)), 50.0])
    values, nothing = Curve.of(law).delta(points), Atoms(np.zeros(1), np.ones(1), mass_error=0.0, loss_error=0.0)
    for point, value in zip(points, values, strict=True):
        assert float(value) == pytest.approx(float(exact_delta(law, nothing, float(point))), rel=1e-13, abs=0.0)
    tails = [float(law.masses[law.losses > point].sum()) for point in points]
    np.testing.assert_allclose(Curve.of(law).tail(points), tails, rtol=1e-13)


def one_step(sigma: mpf, rate: mpf, epsilon: mpf) -> mpf:
    """Return delta of one step against the record removed, at any real epsilon: a Gaussian closed form."""
    share = exp(epsilon) - 1 + rate
    if share <= 0:
        return -expm1(epsilon)
    # The loss exceeds epsilon from x on, where (1 - q) + q exp((2 x - 1)/(2 sigma^2)) = e^epsilon.
    x = sigma**2 * log(share / rate) + mpf(1) / 2
    above, null = erfc((x - 1) / (sigma * sqrt(2))) / 2, erfc(x / (sigma * sqrt(2))) / 2
    return rate * above - share * null


def two_steps(sigma: float, rate: float, epsilon: float) -> mpf:
    """Return delta of two steps against the record removed: an integral over the first step's outcome."""
    s, q, e = mpf(sigma), mpf(rate), mpf(epsilon)

    def term(x):
        ratio = 1 - q + q * exp((2 * x - 1) / (2 * s * s))
        return exp(-x * x / (2 * s * s)) / (s * sqrt(2 * mp.pi)) * ratio * one_step(s, q, e - log(ratio))

    kink = s * s * log((exp(e) - (1 - q) ** 2) / ((1 - q) * q)) + mpf(1) / 2  # the rest is below its least loss
    ends = sorted([-inf, -4 * s, 0, mpf(1) / 2, 1, 1 + 4 * s, kink, inf])
    return quad(term, ends)


@pytest.mark.parametrize(
    ("sigma", "rate", "epsilon"),
    [
        (0.7, 0.001, 0.05),
        *[
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in [(0.7, 0.001, 0.0013), (0.3, 0.1, 3.0), (10.0, 0.001, 1e-4), (2.0, 0.1, 0.4), (0.7, 0.5, 8.0),
                         (1.0, 0.01, 3.0), (4.0, 0.5, 0.1)]
        ],
    ],
)  # fmt: skip
def test_two_sampled_steps_are_enclosed_by_their_integral(sigma, rate, epsilon):
    mp.dps = 30
    truth = two_steps(sigma, rate, epsilon)
    answer = subsampled_gaussian(sigma, rate).one_way.compose(2).delta(epsilon)
    assert answer.lower <= truth <= answer.upper
    assert answer.upper <= answer.lower * (1.0 + 5e-5)


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    [
        (0.7, 0.1, 3),
        *[
            pytest.param(sigma, rate, steps, marks=pytest.mark.nightly)
            for sigma, rate in [(0.3, 0.1), (0.7, 0.001), (2.0, 0.1), (10.0, 0.5)]
            for steps in (2, 3, 4, 5, 7, 8)
        ],
    ],
)
def test_folded_steps_meet_what_inversion_says(sigma, rate, steps, monkeypatch):
    loss = subsampled_gaussian(sigma, rate).compose(steps)
    answer, profile = loss.epsilon(1e-5), loss.delta([0.0, 0.01, 0.3])
    monkeypatch.setattr(folded_steps, "MOST_STEPS", 1)
    other, other_profile = loss.epsilon(1e-5), loss.delta([0.0, 0.01, 0.3])
    assert max(answer.lower, other.lower) <= min(answer.upper, other.upper)
    assert answer.upper <= answer.lower * (1.0 + 1e-4)
    lower, upper = (np.maximum(profile.lower, other_profile.lower), np.minimum(profile.upper, other_profile.upper))
    assert np.all(lower <= upper)


@pytest.mark.nightly
def test_different_steps_are_folded(monkeypatch):
    parts = [subsampled_gaussian(0.8, 0.05), subsampled_gaussian(2.0, 0.2), subsampled_laplace(1.5, 0.1)]
    loss = parts[0].compose(parts[1]).compose(parts[2])
    answer = loss.epsilon(1e-6)
    monkeypatch.setattr(folded_steps, "MOST_STEPS", 1)
    other = loss.epsilon(1e-6)
    assert max(answer.lower, other.lower) <= min(answer.upper, other.upper)
    assert answer.upper <= answer.lower * (1.0 + 1e-4)


@pytest.mark.nightly
def test_products_below_the_least_normal_number_do_not_raise_the_lower_end():
    # A counterexample of a reader: masses of 1.1e-156, the products of which have five digits.
    p = np.full(300, 1.1e-156)
    q = p / (100 * (1 + np.arange(300) / 300))
    p, q = np.append(p, 1 - p.sum()), np.append(q, 1 - q.sum())
    answer = from_pmf(p, q).one_way.compose(2).delta(7.0)
    p, q = ([mpf(float(x)) for x in masses] for masses in (p, q))
    truth = sum(
        max(a * c - exp(mpf(7)) * b * d, mpf(0)) for a, b in zip(p, q, strict=True) for c, d in zip(p, q, strict=True)
    )
    assert answer.lower <= truth <= answer.upper


@pytest.mark.nightly
@pytest.mark.parametrize("rate", [1e-12, 1e-16, 1e-60])
def test_steps_of_tiny_losses_are_not_folded(rate):
    assert two_halves(subsampled_gaussian(1.0, rate).compose(3).forward, False) is None
    assert two_halves(subsampled_gaussian(1.0, rate).compose(2).forward, False) is not None
    answer = subsampled_gaussian(1.0, 1e-60).compose(3).delta(0.0)
    assert answer.upper < 1e-40


def test_many_steps_exact_ones_and_those_without_few_values_are_not_folded():
    sampled = subsampled_gaussian(1.0, 0.1)
    assert two_halves(sampled.compose(folded_steps.MOST_STEPS).forward, False) is not None
    assert two_halves(sampled.compose(folded_steps.MOST_STEPS + 1).forward, False) is None
    assert two_halves(sampled.compose(3).forward, True) is None  # few cells do not reach a tiny delta
    exact = LawBounds.exact(random_law(random.Random(3), 1.0, 50))
    assert two_halves(((exact, 3),), False) is None
    far = LawBounds(random_law(random.Random(3), 400.0, 50), random_law(random.Random(3), 400.0, 50))
    assert two_halves(((far, 2),), False) is None
