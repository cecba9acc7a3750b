"""Three points in a ball: every configuration below the join, potentials and values against plain quadrature."""

from dataclasses import replace
from math import exp, expm1, sqrt

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtr

from pldcheck.hidden_slot.replaced import ball_lattice_laws, ball_stoploss

CASES = [(0.25, 1.0), (0.25, 1.4), (0.5, 1.2), (1.0, 1.0), (1.0, 2.4), (1.0, 17.0), (2.0, 60.0)]
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)


def normal(low=-12.0, high=14.0, panels=120):
    """Return points and weights for the expectation of a function of a standard normal."""
    edges = np.linspace(low, high, panels + 1)
    middle, half = 0.5 * (edges[1:] + edges[:-1])[:, None], 0.5 * np.diff(edges)[:, None]
    z = (middle + half * POINTS).ravel()
    return z, (half * WEIGHTS).ravel() * np.exp(-0.5 * z * z) / sqrt(2.0 * np.pi)


def call(forward, strike, deviation):
    """Return E(forward E - strike)_+, E lognormal of mean 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.log(forward / np.maximum(strike, 1e-300)) / deviation
    positive = forward * ndtr(d + 0.5 * deviation) - strike * ndtr(d - 0.5 * deviation)
    return np.where(strike > 0.0, positive, forward - strike)


def transform(s, c, u, v, k):
    """Return E(A - cB - k)_+ with |u|^2, u.v, |v|^2 from plane vectors: quadrature along v, closed form across."""
    long, along = np.dot(v, v), np.dot(u, v)
    z, weights = normal()
    if long == 0.0:
        return float(call(1.0, c + k, s * sqrt(np.dot(u, u))))
    if np.dot(u, u) == 0.0:
        bound = 1.0 - k
        return max(float(bound - c + call(c, bound, s * sqrt(long))), 0.0) if bound > 0.0 else 0.0
    rate = along / sqrt(long)
    across = sqrt(max(np.dot(u, u) - rate * rate, 0.0))
    b = np.exp(s * sqrt(long) * z - 0.5 * s * s * long)
    forward = np.exp(s * rate * z - 0.5 * s * s * rate * rate)
    if across < 1e-7:
        return float(weights @ np.maximum(forward - c * b - k, 0.0))
    return float(weights @ call(forward, c * b + k, s * across))


def arc(far, length):
    """Return (u, v) with lengths (1, length) or (length, 1), at distance 1."""
    long, short = np.array([1.0, 0.0]), length * np.array([0.5 * length, sqrt(1.0 - 0.25 * length**2)])
    return (long, short) if far else (short, long)


def in_the_ball(rng):
    """Return plane vectors with lengths and distance at most 1."""
    while True:
        u, v = rng.uniform(-1.0, 1.0, (2, 2))
        if max(np.dot(u, u), np.dot(v, v), np.dot(u - v, u - v)) <= 1.0:
            return u, v


def payoff(law, lattice, k):
    """Return E(X' - k)_+ of masses on nodes."""
    return float(law @ np.maximum(lattice.nodes - k, 0.0))


@pytest.mark.parametrize("s,c", CASES)
def test_no_configuration_is_above_the_join_anywhere(s, c):
    rng = np.random.default_rng(5)
    join = ball_stoploss.Join(s, c)
    for _ in range(40):
        u, v = in_the_ball(rng)
        k = float(rng.normal() * c * s * 2.0)
        value, error = join.above(k + c - 1.0)[2:]
        assert transform(s, c, u, v, k) <= value * (1 + 1e-12) + error + 1e-14


@pytest.mark.parametrize("s,c", CASES)
def test_the_join_is_attained_at_every_threshold(s, c):
    join = ball_stoploss.Join(s, c)
    for k in c * s * np.linspace(-3.0, 3.0, 13):
        best = max(transform(s, c, *arc(far, 0.0), k) for far in (True, False))
        assert join.above(k + c - 1.0)[2] == pytest.approx(best, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("s,c", CASES)
def test_the_join_in_cells_is_a_law_of_mean_zero_with_these_transforms(s, c):
    join = ball_stoploss.Join(s, c)
    low, high = c - c * exp(8.0 * s), exp(8.0 * s)
    edges = np.unique(np.concatenate([-np.geomspace(1e-3, -low, 400), np.geomspace(1e-3, high, 400), [0.3 * c]]))
    cells = join.cells(edges)
    assert np.all(cells.masses >= 0.0) and np.sum(cells.masses) == pytest.approx(1.0, abs=1e-10)
    assert float(np.sum(cells.rises + cells.masses * edges[:-1])) == pytest.approx(0.0, abs=1e-9 * c)
    np.testing.assert_allclose(cells.rises + cells.falls, cells.masses * np.diff(edges), rtol=1e-6, atol=1e-12 * c)
    for j in range(100, 700, 37):
        mass, moment = join.below(edges[j])
        assert mass == pytest.approx(float(np.sum(cells.masses[:j])), abs=1e-12)
        right = float(np.sum(cells.rises[j:] + cells.masses[j:] * (edges[j:-1] - edges[j])))
        assert join.above(edges[j])[2] == pytest.approx(right, rel=1e-8, abs=1e-12 * c)
        assert moment == pytest.approx(-join.above(edges[j])[2] - edges[j] * (1.0 - mass), abs=1e-9 * c)


def lattice_for(s, c, fine=0.1):
    return ball_stoploss.Scheme.of(s, c, 10, 10, 0.0, 1e-5, fine).lattice


@pytest.mark.parametrize("s,c", CASES[:-1])
@pytest.mark.parametrize("far", [True, False])
@pytest.mark.parametrize("length", [0.0, 0.3, 0.8, 1.0])
def test_a_configuration_lies_between_its_two_laws(s, c, far, length):
    lattice = lattice_for(s, c)
    part = ball_stoploss.Triangle(s, c, length, far, True).on(lattice)
    above = ball_lattice_laws.glue(part, part, lattice, c)
    below = ball_stoploss.draw_together(ball_stoploss.Triangle(s, c, length, far, False), lattice)
    scale = sqrt(transform_variance(s, c, far, length))
    # X' + (something that makes it positive), so that the payoff also sees the left tail
    for k in scale * np.array([-4.0, -1.5, -0.3, 0.0, 0.2, 1.0, 2.5, 4.0]):
        exact = transform(s, c, *arc(far, length), k)
        upper = payoff(above, lattice, k) + part.excess
        assert exact <= upper * (1 + 1e-12) + 1e-14
        assert upper <= exact + 0.02 * scale
        lower = payoff(below, lattice, k)
        assert lower <= exact * (1 + 1e-12) + 1e-14
        assert exact - lower <= 0.02 * scale


def transform_variance(s, c, far, length):
    a, b = (1.0, length) if far else (length, 1.0)
    return expm1((s * a) ** 2) + c * c * expm1((s * b) ** 2) - 2.0 * c * expm1(0.5 * (s * length) ** 2)


@pytest.mark.parametrize("s,c", [(0.25, 1.4), (1.0, 2.4), (1.0, 17.0)])
def test_a_piece_of_an_arc_is_below_its_glued_law(s, c):
    lattice, rng = lattice_for(s, c), np.random.default_rng(8)
    for far in (True, False):
        ends = (0.6, 0.9)
        parts = [
            ball_stoploss.Triangle(s, c, length, far, True).on(lattice) for length in (ends if far else ends[::-1])
        ]
        law = ball_lattice_laws.glue(*parts, lattice, c)
        for _ in range(12):
            k = float(rng.normal() * c * s)
            inside = transform(s, c, *arc(far, float(rng.uniform(*ends))), k)
            assert inside <= (payoff(law, lattice, k) + parts[0].excess) * (1 + 1e-12) + 1e-14


def test_no_configuration_is_above_both_arcs_for_a_convex_payoff():
    rng, s, c = np.random.default_rng(3), 0.7, 1.5
    lengths = np.linspace(0.0, 1.0, 21)
    for _ in range(6):
        hinges, weights = rng.normal(size=4) * c * s, rng.uniform(size=4)

        def value(u, v, hinges=hinges, weights=weights):
            return sum(w * transform(s, c, u, v, k) for w, k in zip(weights, hinges, strict=True))

        best = max(value(*arc(far, length)) for far in (True, False) for length in lengths)
        for _ in range(8):
            # 21 points of an arc miss its maximum by less than this
            assert value(*in_the_ball(rng)) <= best * 1.0005


@pytest.mark.nightly
@pytest.mark.parametrize("s,epsilon", [(0.25, 0.4), (0.5, 0.8), (1.0, 2.0)])
@pytest.mark.parametrize("prob", [1.0, 0.3])
def test_one_step_is_the_record_removed(s, epsilon, prob):
    c = exp(epsilon)
    threshold = (c - 1.0) / prob
    exact = float(call(1.0, 1.0 + threshold, s))
    lower = ball_stoploss.value_below(s, c, 1, threshold, exact, fine=0.04)
    upper = ball_stoploss.value_above(s, c, 1, threshold, exact, pieces=4, fine=0.2)
    with ctx.workprec(200):
        strike, half = 1 + arb(threshold), arb(s) / 2
        place = -strike.log() / arb(s)
        truth = normal_below(place + half) - strike * normal_below(place - half)
        assert lower <= truth.upper() and upper >= truth.lower()
    assert upper / lower < 1.04


def normal_below(z):
    """Return the mass of a standard normal below a ball."""
    return (-z / arb(2).sqrt()).erfc() / 2


def two_steps(s, c, start):
    """Return V_2: the second step is the record removed or added, whichever fits; the first is searched on
    both arcs.
    """
    z, weights = normal(-9.0, 10.0, 20)

    def second(y):
        return np.where(
            y < 0.0, call(1.0, c - np.minimum(y, 0.0), s), 1.0 + y - c + call(c, np.maximum(1.0 + y, 1.0), s)
        )

    best = 0.0
    for far in (True, False):
        for length in np.linspace(0.0, 1.0, 5):
            (a, b) = arc(far, length)
            draw_a = np.exp(s * (a[0] * z[:, None] + a[1] * z[None, :]) - 0.5 * s * s * np.dot(a, a))
            draw_b = np.exp(s * (b[0] * z[:, None] + b[1] * z[None, :]) - 0.5 * s * s * np.dot(b, b))
            best = max(best, float(weights @ second(start + draw_a - c * draw_b) @ weights))
    return best


@pytest.mark.parametrize("s,epsilon,prob", [(0.25, 0.3, 1.0), (0.5, 0.8, 1.0), (1.0, 1.5, 1.0), (0.5, 0.5, 0.4)])
def test_two_steps_agree_with_quadrature(s, epsilon, prob):
    c = exp(epsilon)
    threshold = 2.0 * (c - 1.0) / prob
    start = 2.0 * (c - 1.0) - threshold
    value = two_steps(s, c, start)
    lower = ball_stoploss.value_below(s, c, 2, threshold, value, fine=0.02)
    upper = ball_stoploss.value_above(s, c, 2, threshold, value, pieces=12, fine=0.1)
    assert lower <= value * (1 + 1e-3)  # the first step is searched at 10 points
    assert value <= upper * (1 + 1e-12)
    assert upper / lower < 1.06


@pytest.mark.nightly
@pytest.mark.parametrize(
    "s,epsilon,steps", [(0.25, 0.3275, 10), (0.5, 0.213, 100), pytest.param(1.0, 2.82, 10, marks=pytest.mark.nightly)]
)
def test_finer_laws_and_other_tilts_only_narrow_the_bracket(s, epsilon, steps):
    c, about = exp(epsilon), 1e-6 * steps
    threshold = steps * (c - 1.0)
    coarse = [
        f(s, c, steps, threshold, about, fine=0.4) for f in (ball_stoploss.value_below, ball_stoploss.value_above)
    ]
    fine = [f(s, c, steps, threshold, about, fine=0.15) for f in (ball_stoploss.value_below, ball_stoploss.value_above)]
    assert coarse[0] <= fine[0] <= fine[1] <= coarse[1]
    assert fine[1] / fine[0] < 1.1
    scheme = ball_stoploss.Scheme.of(s, c, steps, steps, 0.0, about, 0.4)
    for share in (0.4, 0.8):
        other = replace(scheme, theta=share * scheme.theta)
        law, lack = ball_stoploss.above(s, c, other, 4)
        assert fine[0] <= law.at(0.0)[0] + steps * lack
        assert ball_stoploss.below(s, c, other).at(0.0)[1] <= fine[1]


@pytest.mark.nightly
@pytest.mark.parametrize("steps,count", [(12, 6), (40, 10)])
def test_blocks_lie_between_all_steps_at_once_and_the_join(steps, count, monkeypatch):
    s, c = 0.5, exp(0.5)
    threshold, about = steps * (c - 1.0), 1e-5 * steps
    at_once = ball_stoploss.value_above(s, c, steps, threshold, about, pieces=8)
    monkeypatch.setattr(ball_stoploss, "LONGEST_BLOCK", count)
    blocks = ball_stoploss.value_above(s, c, steps, threshold, about, pieces=8)
    monkeypatch.setattr(ball_stoploss, "MOST_WORK", 0)
    join = ball_stoploss.value_above(s, c, steps, threshold, about)
    assert at_once < blocks < 0.8 * join


def mixture(s, epsilon, steps, shape, samples, seed):
    """Return delta of one configuration at every step, by sampling from P, and the deviation of that."""
    u, v = shape
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(samples, steps, 2))
    slots = rng.integers(0, steps, samples)
    z[np.arange(samples), slots] += s * u
    a = np.exp(s * z @ u - 0.5 * s * s * np.dot(u, u))
    b = np.exp(s * z @ v - 0.5 * s * s * np.dot(v, v))
    # delta = E_P(1 - e^epsilon P'/P)_+
    gain = np.maximum(1.0 - exp(epsilon) * b.mean(axis=1) / a.mean(axis=1), 0.0)
    return float(gain.mean()), float(gain.std() / sqrt(samples))


@pytest.mark.parametrize("s,epsilon,steps", [(0.5, 0.3, 20), (1.0, 1.0, 5), (1.0, 0.6, 30)])
@pytest.mark.parametrize("far,length", [(True, 0.0), (True, 1.0), (True, 0.5), (False, 0.0)])
def test_no_fixed_configuration_is_above(s, epsilon, steps, far, length):
    c = exp(epsilon)
    value, deviation = mixture(s, epsilon, steps, arc(far, length), 100000, 11)
    threshold = steps * (c - 1.0)
    upper = ball_stoploss.value_above(s, c, steps, threshold, value * steps, pieces=6, fine=0.3) / steps
    assert value - 5.0 * deviation <= upper
    if far and length in (0.0, 1.0):  # among those of which the lower end is the best policy
        lower = ball_stoploss.value_below(s, c, steps, threshold, value * steps) / steps
        assert value - 5.0 * deviation <= lower * 1.02
