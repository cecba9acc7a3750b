"""Integers, rounding and single slots of known randomizers against balls of more digits, without any slack."""

import random
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from pldcheck.core.directed import float_above, float_below
from pldcheck.hidden_slot.known import adaptive_references, bounded_ratio_slot, single_slot
from pldcheck.hidden_slot.known.allocation_closed_form import Bounds
from pldcheck.hidden_slot.known.binary_digits import doubles, exponential, logarithm, of_fractions
from pldcheck.hidden_slot.known.least_dominating_law import join
from pldcheck.hidden_slot.known.output_probabilities import LaplaceJoin, LaplaceNoise, Outputs, Question

DRAW = random.Random(20261122)


@pytest.fixture(autouse=True)
def bits():
    before, ctx.prec = ctx.prec, 4000
    yield
    ctx.prec = before


def ball(number):
    """Return a fraction as a ball."""
    number = Fraction(number)
    return arb(fmpq(number.numerator, number.denominator))


def middle(number):
    """Return the middle of a ball, exactly."""
    mantissa, exponent = number.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def fractions(count):
    """Yield positive numbers of all sizes that doubles have, some next to a double."""
    for _ in range(count):
        size = Fraction(2) ** DRAW.randrange(-1070, 1020)
        near = Fraction(DRAW.randrange(1, 2**54), 2**53) + Fraction(DRAW.choice([-1, 0, 1]), 2**300)
        yield DRAW.choice([1, -1]) * size * near


def test_doubles_on_either_side_are_the_nearest():
    for number in fractions(3000):
        low, high = float_below(number), float_above(number)
        assert Fraction(low) <= number <= Fraction(high)
        assert Fraction(low) == number or nextafter(low, inf) > number
        assert Fraction(high) == number or nextafter(high, -inf) < number
    huge = Fraction(10) ** 400
    assert (
        float_above(huge) == inf
        and float_below(-huge) == -inf
        and float_below(huge) < inf
        and float_above(-huge) > -inf
    )


@pytest.mark.parametrize("places", [60, 500, 1500])
def test_exponentials_are_within_one_unit(places):
    for _ in range(60):
        exponent = Fraction(DRAW.uniform(-1.0, 1.0) * 10.0 ** DRAW.uniform(-12, 2))
        exact = ball(exponent).exp() * arb(2) ** places
        assert abs(ball(exponential(exponent, places)) - exact) <= 1


def test_logarithms_next_to_one_keep_their_places():
    for _ in range(300):
        ratio = 1 + Fraction(DRAW.choice([-1, 1]), 2 ** DRAW.randrange(2, 900))
        ratio *= DRAW.choice([1, 1, Fraction(DRAW.randrange(1, 2**60), 2**30)])
        exact = ball(ratio).log()
        assert ratio == 1 or abs(ball(logarithm(ratio)) - exact) <= abs(exact) * arb(2) ** -100


def test_shares_and_masses_are_within_what_is_granted():
    """A division that is rounded once, of integers that are short of half a unit of a double, relatively."""
    worst = 0.0
    for _ in range(2000):
        place = 700
        exact = Fraction(DRAW.randrange(1, 2**200), 2 ** DRAW.randrange(200, 400))
        value = doubles(of_fractions([exact], place), place)[0]
        worst = max(worst, float(abs(Fraction(value) - exact) / exact))
    assert worst <= bounded_ratio_slot.ROUNDING and worst > bounded_ratio_slot.ROUNDING / 10


@pytest.mark.parametrize("eps0", [1e-6, 0.3, 5.0])
def test_masses_of_cells_of_laplace_noise(eps0):
    noise = LaplaceNoise(eps0, 1.0)
    unit = ball(Fraction(1, 1 << noise.bits))
    for place in (Fraction(0), Fraction(1, 2), Fraction(1)):
        masses = noise.cells(place)
        edges = [Fraction(k, masses.size - 2) for k in range(masses.size - 1)]

        def until(edge, place=place):
            tail = (-ball(Fraction(eps0)) * ball(abs(edge - place))).exp() / 2
            return tail if edge <= place else 1 - tail

        sums = [until(edge) for edge in edges]
        exact = [b - a for a, b in zip([arb(0), *sums], [*sums, arb(1)], strict=True)]
        assert int(masses.sum()) == 1 << noise.bits
        for mass, truth in zip(masses.tolist(), exact, strict=True):
            assert abs(arb(mass) * unit - truth) <= 4 * unit


@pytest.mark.parametrize("eps0", [1e-6, 0.3, 5.0])
@pytest.mark.parametrize("share", [0.0, 0.4, 0.99])
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_the_join_of_laplace_noise_is_above_every_divergence(eps0, share, weight):
    """At t >= 0 that is 1 - e^((log(c + t) - eps0)/2); at t < 0 the same backward, less the mean."""
    noise = LaplaceNoise(eps0, weight)
    epsilon = share * eps0
    question = Question(epsilon, weight)
    values, masses = LaplaceJoin(noise).gains(question)
    one = 1 << noise.bits
    assert sum(masses.tolist()) == one and min(masses.tolist()) >= 0
    c, e0, w = arb(epsilon).exp(), arb(eps0), arb(weight)
    shift = (1 - w) / w * (c - 1)
    unit = arb(2) ** -(noise.bits // 2)

    def transform(t):
        at = int(t * one)
        total = sum(
            (value - at) * mass for value, mass in zip(values.tolist(), masses.tolist(), strict=True) if value > at
        )
        return ball(Fraction(total, one * one))

    for k in range(1, 24):
        # c + t between c and e^eps0, and 1 - t/... between 1 - c e^eps0 and 0
        t = arb(k) / 24 * (e0.exp() - c)
        truth = 1 - (((c + t).log() - e0) / 2).exp()
        assert transform(middle(t - shift)) >= truth - unit
        s = arb(k) / 24 * (c * e0.exp() - 1)  # of R_o - c' R_j: t = -s
        back = c * (1 - (((1 + s) / c).log() - e0).exp().sqrt()) if (1 + s) / c > (-e0).exp() else arb(0)
        # E(g + s)_+ = E g + s + E(-g - s)_+, and R_j of E(c R_j - (1 + s) R_o)_+
        exact = (1 - c) + s + back.max(arb(0))
        assert transform(middle(-s - shift)) >= exact - unit


def transform(law, t):
    return sum(max(v - t, 0) * m for v, m in zip(law[0].tolist(), law[1].tolist(), strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_a_joined_law_is_nowhere_below_in_integers(seed):
    draw = random.Random(seed)
    places = 300
    one, laws = 1 << places, []
    for _ in range(draw.randrange(2, 5)):
        cuts = sorted(draw.randrange(one) for _ in range(draw.randrange(1, 5)))
        masses = [b - a for a, b in zip([0, *cuts], [*cuts, one], strict=True)]
        values = [draw.randrange(-one, one) for _ in masses]
        mean = sum(v * m for v, m in zip(values, masses, strict=True)) // one
        laws.append(tuple(np.array(row, dtype=object) for row in ([v - mean for v in values], masses)))
    join_law = join(laws, places)
    doubt = one * 2**30  # slopes and means are rounded by units
    for t in {v for law in [*laws, join_law] for v in law[0].tolist()}:
        for law in laws:
            assert transform(join_law, t) >= transform(law, t) - doubt


PAIRS = [
    ([Fraction(7, 10), Fraction(3, 10)], [Fraction(1, 4), Fraction(3, 4)]),
    ([Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]),
    ([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], [Fraction(1, 5), Fraction(1, 5), Fraction(3, 5)]),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("weight", [1.0, 0.3, 1e-9])
def test_single_slots_of_finite_laws_in_both_questions(pair, weight):
    places = 900
    p, q = (of_fractions(row, places) for row in pair)
    alone = single_slot.Finite(((p, q),), places, weight)
    w = ball(Fraction(weight))
    cap = (1 + w * (max(ball(a / b) for a, b in zip(*pair, strict=True)) - 1)).log()
    assert ball(Fraction(single_slot.cap(max(a / b for a, b in zip(*pair, strict=True)), weight))) >= cap
    for k in range(40):
        epsilon = float((cap * k / 40).mid())
        ratio = 1 + (arb(epsilon).exp() - 1) / w
        truth = w * sum(((ball(a) - ratio * ball(b)).max(arb(0)) for a, b in zip(*pair, strict=True)), arb(0))
        interval = alone.delta(epsilon)
        assert (
            arb(interval.lower) <= truth <= arb(interval.upper)
            and interval.upper <= interval.lower * (1 + 1e-15) + 1e-300
        )
        delta = interval.lower
        low, high, _ = alone.epsilon(delta)
        # the epsilon of that delta: delta falls, and is above it just before
        for at, above in ((low, True), (high, False)):
            ratio = 1 + (arb(at).exp() - 1) / w
            delta_of_loss = w * sum(
                ((ball(a) - ratio * ball(b)).max(arb(0)) for a, b in zip(*pair, strict=True)), arb(0)
            )
            assert delta_of_loss >= arb(delta) if above else delta_of_loss <= arb(delta)
        assert high <= low * (1 + 1e-15) + 1e-300


@pytest.mark.parametrize("sigma", [0.4, 3.0])
@pytest.mark.parametrize("weight", [0.5, 1e-3, 1e-9])
def test_single_slots_of_gaussian_noise_are_diluted_outward(sigma, weight):
    alone, w = single_slot.Gaussian(sigma, weight), arb(weight)
    for epsilon in (1e-12, 1e-6, 0.01, 0.7, 3.0):
        far, near = alone._mechanism_epsilon(epsilon)
        exact = (1 + (arb(epsilon).exp() - 1) / w).log()
        assert arb(near) <= exact <= arb(far) and far <= near * (1 + 1e-15)
        low, high = alone._slot_epsilon(epsilon)
        back = (1 + w * (arb(epsilon).exp() - 1)).log()
        assert arb(low) <= back <= arb(high) and high <= low * (1 + 1e-15)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_recursion_over_counts_is_enclosed(steps):
    """Two references of two outputs each: what is worst by all choices, in fractions."""
    places, weight, epsilon = 700, 0.75, 0.1
    (i, j), one = PAIRS[0], Fraction(1, 1 << 700)
    rows = [of_fractions(row, places) for row in (i, j)]
    references = [Outputs("", rows[0], rows[1], own, places) for own in rows]
    kappa = exponential(Fraction(epsilon), places) * one
    shift = (1 - Fraction(weight)) / Fraction(weight) * (kappa - 1)

    def worst(to_go, total):
        if not to_go:
            return max(total, Fraction(0))
        return max(
            sum(o * worst(to_go - 1, total + (a - kappa * b) / o - shift) for a, b, o in zip(i, j, own, strict=True))
            for own in (i, j)
        )

    truth = Fraction(weight) / steps * worst(steps, Fraction(0))
    interval = adaptive_references.delta(references, steps, weight, epsilon)
    assert Fraction(interval.lower) <= truth <= Fraction(interval.upper)
    assert interval.upper - interval.lower <= 1e-13 * interval.upper


@pytest.mark.parametrize("prob", [1e-3, 0.2])
@pytest.mark.parametrize("epochs", [2, 3])
def test_the_bound_with_revealed_slots_in_several_epochs_is_above_a_simple_event(prob, epochs):
    """Some epoch's one step of the record, an outcome beyond half of it: at epsilon = 0, and mu = 8 in closed form."""
    sigma = 0.125
    a = (arb(4) / arb(2).sqrt()).erfc() / 2
    mass_with_record = a + arb(prob) * (1 - 2 * a)
    event = (1 - a) ** epochs - (1 - mass_with_record) ** epochs
    delta = Bounds(1, sigma, 1, epochs, prob, "remove").above(0.0)
    assert arb(delta) >= event
