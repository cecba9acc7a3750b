"""Groups of records: exact where the noise is known, and the bound along a chain, typed again at 60 digits."""

import mpmath as mp
import pytest

from pldcheck import Gaussian, GaussianMean, HiddenSlot, Laplace, ParameterError, RandomizedResponse
from pldcheck.core.errors import Unsupported
from pldcheck.protocols import FixedBatches, TruncatedPoisson
from pldcheck.protocols.group_privacy import GroupPrivacy

mp.mp.dps = 60


class OfUnknownNoise(Gaussian):
    """Gaussian noise whose groups are answered by the general bound."""

    def with_group(self, records):
        return None


def gaussian_delta(mu, epsilon):
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.nightly
def test_gaussian_noise_has_a_share_of_its_size():
    for sigma, records in ((1.0, 3), (0.7, 7)):
        answer = Gaussian(sigma, 4).for_group(records)
        exact = gaussian_delta(2 * records / mp.mpf(sigma), mp.mpf("1.5"))
        one = answer.delta(1.5)
        assert one.lower <= exact <= one.upper and one.relative_width < 1e-12
        mu = 2 * records / mp.mpf(sigma)
        assert answer.gdp().dominating.lower <= mu <= answer.gdp().dominated.upper
    assert answer.epsilon([1e-6, 1e-3]).intervals == (answer.epsilon(1e-6), answer.epsilon(1e-3))


@pytest.mark.nightly
def test_laplace_noise_has_a_share_of_its_size():
    one = Laplace(0.7).for_group(3).delta(0.5)
    exact = 1 - mp.exp(-(3 / mp.mpf(0.7) - mp.mpf("0.5")) / 2)
    assert one.lower <= exact <= one.upper and one.relative_width < 1e-12


def test_the_bound_along_a_chain():
    single, group = OfUnknownNoise(2.0), OfUnknownNoise(2.0).for_group(3)
    epsilon = 2.0
    one = group.delta(epsilon)
    share = mp.mpf(epsilon) / 3
    bound = gaussian_delta(mp.mpf("0.5"), share) * (mp.exp(mp.mpf(epsilon)) - 1) / (mp.exp(share) - 1)
    assert bound <= one.upper <= bound * (1 + mp.mpf("1e-12")) and one.lower == single.delta(epsilon).lower
    assert one.lower <= gaussian_delta(mp.mpf("1.5"), mp.mpf(epsilon)) <= one.upper
    # Negative epsilons by the exchanged pair, and 0, where the bound is three times a single delta.
    assert group.delta(0.0).upper >= 3 * gaussian_delta(mp.mpf("0.5"), mp.mpf(0))
    assert group.delta(-1.0).lower <= gaussian_delta(mp.mpf("1.5"), mp.mpf(-1)) <= group.delta(-1.0).upper


@pytest.mark.nightly
def test_epsilon_of_a_group_meets_its_delta():
    group = OfUnknownNoise(2.0).for_group(2)
    one = group.epsilon(1e-5)
    assert one.lower == OfUnknownNoise(2.0).epsilon(1e-5).lower
    assert group.delta(one.upper).upper <= 1e-5 < group.delta(one.upper * 0.998).upper
    assert one.lower <= Gaussian(1.0).epsilon(1e-5).upper <= one.upper


@pytest.mark.nightly
def test_a_bounded_loss_is_a_multiple():
    answer = RandomizedResponse(steps=1, eps0=0.5).for_group(3)
    assert answer.delta(1.5).upper == 0.0 and answer.delta(1.4999).upper > 0.0
    assert 0.5 * (1 - 1e-12) <= answer.epsilon(1e-300).lower and answer.epsilon(1e-300).upper == 1.5


@pytest.mark.nightly
def test_batches_of_a_fixed_size_have_their_own_group():
    answer = FixedBatches(1.0, 20, 2, 1).for_group(2)
    assert tuple(answer.delta(1.0)) == tuple(FixedBatches(1.0, 19, 2, 1, group=2).delta(1.0))


def test_what_has_no_groups_is_refused():
    for records in (0, 101, 1.5):
        with pytest.raises(ParameterError, match="group must be an integer from 1 to 100"):
            Gaussian(1.0).for_group(records)
    with pytest.raises(Unsupported, match="gaussian-mean"):
        GaussianMean(10, 1).for_group(2)
    protocol = TruncatedPoisson(sigma=1.0, rate=0.1, records=100, largest_batch=20)
    with pytest.raises(Unsupported, match="another number of records"):
        protocol.for_group(2)
    assert isinstance(HiddenSlot(10, 1.0).for_group(2), GroupPrivacy)


@pytest.mark.nightly
def test_a_group_has_a_trade_off_function():
    answer = OfUnknownNoise(2.0).for_group(2).tradeoff(points=9)
    for alpha in (0.01, 0.1, 0.5):
        exact = mp.ncdf(mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(alpha)) - 1)
        assert answer.fnr(alpha).lower <= exact <= answer.fnr(alpha).upper
