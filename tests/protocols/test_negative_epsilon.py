"""delta at a negative epsilon, beside closed forms at 60 digits."""

import random

import mpmath as mp
import pytest

from pldcheck import Interval, RandomAllocation, RandomizedResponse
from pldcheck.protocols.negative_epsilon import delta_below_zero

mp.mp.dps = 60


def test_both_ends_enclose_the_identity():
    draw = random.Random(5)
    for _ in range(300):
        epsilon = -draw.random() * 10.0 ** draw.choice([-320, -300, -17, -8, 0, 2, 3])
        lower = draw.random() * 10.0 ** -draw.choice([0, 3, 30])
        upper = min(lower * (1.0 + draw.choice([0.0, 1e-12, 0.5])), 1.0)
        answer = delta_below_zero(Interval(lower, upper, "delta"), epsilon)
        share = mp.exp(mp.mpf(epsilon))
        least, most = (1 - share + share * mp.mpf(end) for end in (lower, upper))
        assert answer.lower <= least and most <= answer.upper
        assert answer.lower >= least * (1 - mp.mpf("1e-14")) - mp.mpf("1e-299")
        assert answer.upper <= most * (1 + mp.mpf("1e-14")) + mp.mpf("1e-299")


@pytest.mark.nightly
def test_randomized_response_rejects_one_answer():
    answer = RandomizedResponse(steps=1, eps0=1.0).delta(-0.25)
    truth = 1 / (1 + mp.exp(-1))
    exact = truth - mp.exp(mp.mpf("-0.25")) * (1 - truth)
    assert answer.lower <= exact <= answer.upper and answer.relative_width < 1e-9


@pytest.mark.parametrize("adjacency", ["remove", "add"])
def test_one_direction_asks_for_the_other(adjacency):
    # One slot that is used with probability 1/4: the laws are a mixture of N(1, 1) and N(0, 1), and N(0, 1).
    weight, epsilon = mp.mpf("0.25"), mp.mpf("-0.125")
    kappa = mp.exp(epsilon)
    if adjacency == "remove":  # the ratio 1 - w + w e^(x - 1/2) is above kappa
        start = mp.mpf("0.5") + mp.log((kappa - 1 + weight) / weight)
        mixture = (1 - weight) * mp.ncdf(-start) + weight * mp.ncdf(1 - start)
        exact = mixture - kappa * mp.ncdf(-start)
    else:  # its inverse is
        end = mp.mpf("0.5") + mp.log((1 / kappa - 1 + weight) / weight)
        exact = mp.ncdf(end) - kappa * ((1 - weight) * mp.ncdf(end) + weight * mp.ncdf(end - 1))
    answer = RandomAllocation(1, 1.0, check_in_prob=0.25, adjacency=adjacency).delta(-0.125)
    assert answer.lower <= exact <= answer.upper and answer.relative_width < 1e-4
