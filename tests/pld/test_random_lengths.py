"""Mixtures of Gaussians: closed forms of one step at 60 digits, vectors in a plane, and the accountant of others."""

from random import Random

import mpmath as mp
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

from pldcheck import pld
from pldcheck.core.errors import ParameterError
from pldcheck.pld.random_lengths import gaussian_mixture, mixture_cells
from pldcheck.protocols import GaussianMixture


def tail(x):
    """Return the probability that a standard normal number is above x."""
    return mp.erfc(x / mp.sqrt(2)) / 2


def one_step(sigma, lengths, chances, epsilon):
    """Return delta of one step in both orders: the ratio rises, so that the outputs beyond one point decide."""
    means = [mp.mpf(length) / mp.mpf(sigma) for length in lengths]
    weights = [mp.mpf(chance) for chance in chances]
    rest = 1 - mp.fsum(weights)

    def ratio(x):
        return rest + mp.fsum(w * mp.exp(m * x - m * m / 2) for w, m in zip(weights, means, strict=True))

    def masses(x):
        p = rest * tail(x) + mp.fsum(w * tail(x - m) for w, m in zip(weights, means, strict=True))
        return p, tail(x)

    def root(kappa):
        low, high = mp.mpf(-2000), mp.mpf(2000)
        for _ in range(260):
            middle = (low + high) / 2
            low, high = (middle, high) if ratio(middle) < kappa else (low, middle)
        return high

    kappa = mp.exp(mp.mpf(epsilon))
    p, q = masses(root(kappa))
    removed, added = p - kappa * q, mp.mpf(0)
    if 1 / kappa > rest:
        p, q = masses(root(1 / kappa))
        added = (1 - q) - kappa * (1 - p)
    return max(removed, mp.mpf(0)), max(added, mp.mpf(0))  # far out they are differences of equal numbers


CASES = [
    (1.0, [1.0], [0.1]),
    (0.5, [1.0, 2.0], [0.18, 0.01]),
    (0.3, [0.1, 3.0, 8.0], [0.5, 1e-3, 1e-9]),
    (20.0, [1.0, 2.0, 30.0], [1e-4, 1e-8, 1e-30]),
    (2.0, [1.0, 1.5, 2.0], [0.25, 0.25, 0.5]),
]


@pytest.mark.parametrize(("sigma", "lengths", "chances"), CASES)
def test_one_step_contains_its_closed_form(sigma, lengths, chances):
    loss = gaussian_mixture(sigma, lengths, chances)
    with mp.workdps(60):
        for epsilon in (0.0, 1e-4, 0.05, 0.7, 3.0, 9.0):
            for one, exact in zip(
                (loss.one_way, loss.reversed.one_way), one_step(sigma, lengths, chances, epsilon), strict=True
            ):
                answer = one.delta(epsilon)
                assert mp.mpf(answer.lower) <= exact <= mp.mpf(answer.upper)
                if exact > mp.mpf("1e-100"):
                    assert answer.upper <= (1.02 if exact > mp.mpf("1e-9") else 1.3) * float(exact)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(40))
def test_random_mixtures_contain_their_closed_forms(seed):
    draw = Random(seed)
    sigma = 10.0 ** draw.uniform(-0.7, 1.5)
    lengths = [draw.uniform(0.0, 20.0 * sigma) * draw.random() ** 3 for _ in range(draw.randint(1, 6))]
    chances = [10.0 ** draw.uniform(-12, -0.9) for _ in lengths]
    test_one_step_contains_its_closed_form(sigma, lengths, chances)


@pytest.mark.parametrize("count", [40, 400])
@pytest.mark.parametrize(("sigma", "lengths", "chances"), CASES)
def test_few_cells_bracket_the_finest_ones(sigma, lengths, chances, count):
    means, weights = np.array([0.0, *lengths]), np.array([1.0 - sum(chances) or 1e-300, *chances])
    few, fine = (mixture_cells(sigma, means, weights, 0.0, cells).law_bounds() for cells in (count, None))
    for epsilon in (0.01, 0.5, 2.0):

        def curve(law, epsilon=epsilon):
            return float(np.sum(law.masses * np.maximum(-np.expm1(epsilon - law.losses), 0.0)))

        assert curve(few.lower) <= curve(fine.upper) * (1.0 + 1e-9)
        assert curve(fine.lower) <= curve(few.upper) * (1.0 + 1e-9)


@pytest.mark.parametrize("angle", [0.5, 1.2, np.pi])
def test_vectors_in_other_directions_are_below(angle):
    sigma, chances = 0.8, (0.3, 0.1)
    x = np.arange(-9.0, 9.0, 0.02) * sigma
    plane = np.meshgrid(x, x)

    def density(centre):
        square = sum((axis - at) ** 2 for axis, at in zip(plane, centre, strict=True))
        return np.exp(-0.5 * square / sigma**2) * (0.02**2 / (2.0 * np.pi))

    without = density((0.0, 0.0))
    second = density((2.0 * np.cos(angle), 2.0 * np.sin(angle)))
    with_record = 0.6 * without + chances[0] * density((1.0, 0.0)) + chances[1] * second
    loss = gaussian_mixture(sigma, [1.0, 2.0], chances)
    for epsilon in (0.0, 0.4, 1.5):
        gains = [
            float(np.sum(np.maximum(one - np.exp(epsilon) * other, 0.0)))
            for one, other in ((with_record, without), (without, with_record))
        ]
        for one, gain in zip((loss.one_way, loss.reversed.one_way), gains, strict=True):
            assert gain < one.delta(epsilon).upper


@pytest.mark.nightly
def test_many_steps_agree_with_another_accountant():
    for sigma, lengths, chances, steps in (
        (1.0, [0, 1, 2], [0.81, 0.18, 0.01], 100),
        (5.0, [0, 1, 10], [0.9, 0.09, 0.01], 1000),
    ):
        accountant = PLDAccountant()
        accountant.compose(dp_event.MixtureOfGaussiansDpEvent(sigma, lengths, chances), steps)
        ours = gaussian_mixture(sigma, lengths, chances).compose(steps).epsilon(1e-6)
        assert ours.lower <= accountant.get_epsilon(1e-6) <= ours.upper * 1.001
        assert ours.relative_width < 1e-4


def test_a_schedule_of_mixtures_is_narrow():
    losses = [gaussian_mixture(1.0 + 0.01 * i, [1.0, 2.0], [0.018, 1e-4]) for i in range(30)]
    assert pld.compose_all(losses).epsilon(1e-6).relative_width < 1e-3


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ("1", "LENGTH:PROBABILITY"),
        ("1:0.1:2", "LENGTH:PROBABILITY"),
        ("", "LENGTH:PROBABILITY"),
        ("1:x", "LENGTH:PROBABILITY"),
        (5, "LENGTH:PROBABILITY"),
        ("-1:0.1", "finite and at least 0"),
        ("1:0.6,2:0.5", "at most 1 together"),
        ("1:1.5", "probabilities from"),
        ("0:0.5", "one above 0"),
        ("100:0.5", "at most 40 sigma"),
    ],
)
def test_what_is_no_mixture_gets_one_line(lengths, words):
    with pytest.raises(ParameterError, match=f"^lengths must be .*{words}"):
        GaussianMixture(1.0, lengths).epsilon(1e-6)
