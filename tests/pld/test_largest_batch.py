"""The largest of all batches' outputs: intervals of it against balls, as few as they are."""

import naive
import pytest
from flint import arb, ctx

from pldcheck.pld.largest_batch import MASS_ERROR, intervals, largest_batch


def below(c, batches, lift, sigma):
    """Return P(max <= c), c in deviations, one output being larger by ``lift``."""
    return naive._normal_cdf(c) ** (batches - 1) * naive._normal_cdf(c - lift / arb(sigma))


@pytest.mark.parametrize("batches", [1, 2, 30, 1000, 10**9, 10**12])
@pytest.mark.parametrize("sigma", [0.1, 1.0, 1e3])
def test_probabilities_are_within_their_error(batches, sigma):
    ends, *laws = intervals(batches, sigma)
    with ctx.workprec(900):
        for lift, masses in zip((2, 1), laws, strict=True):
            values = [arb(0), *(below(arb(c), batches, lift, sigma) for c in ends.tolist()), arb(1)]
            for before, after, mass in zip(values, values[1:], masses.tolist(), strict=False):
                assert abs(after - before - mass) <= MASS_ERROR * arb(mass)
    assert ends.size >= 40


@pytest.mark.parametrize("batches", [1, 2, 30, 1000, 10**6])
@pytest.mark.parametrize("sigma", [0.1, 0.5, 1.0, 4.0])
def test_the_lower_end_is_that_of_the_best_threshold(batches, sigma):
    ends, *_ = intervals(batches, sigma)
    largest = largest_batch(batches, sigma)
    with ctx.workprec(700):
        under_p, under_q = ([below(arb(c), batches, lift, sigma) for c in ends.tolist()] for lift in (2, 1))
        for epsilon in (0.0, 0.1, 1.0, 4.0):
            factor = arb(epsilon).exp()
            forward = max(((1 - p) - factor * (1 - q) for p, q in zip(under_p, under_q, strict=True)), key=float)
            backward = max((q - factor * p for p, q in zip(under_p, under_q, strict=True)), key=float)
            for one, best in ((largest.one_way, forward), (largest.reversed.one_way, backward)):
                # The likelihood ratio rises with the largest output, so that no threshold does better.
                lower = one.delta(epsilon).lower
                assert lower <= best.max(arb(0)), epsilon
                assert lower >= (1 - 1e-5) * best - 3 * MASS_ERROR, epsilon


def test_a_single_batch_is_gaussian_noise():
    from pldcheck import pld

    one, noise = largest_batch(1, 2.0).epsilon(1e-5), pld.gaussian(2.0).epsilon(1e-5)
    assert 0.99 * noise.lower < one.lower <= noise.upper
