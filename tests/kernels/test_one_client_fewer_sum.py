"""The kernel's two pointers against all places, one set after another."""

import numpy as np
import pytest

from pldcheck.kernels.one_client_fewer_sum import positive_parts


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("zeta", [0.0, 1e-3, 0.2, 3.0])
def test_the_best_places_are_found(seed, zeta):
    draw = np.random.default_rng(seed)
    masses, ratios = draw.random(9), np.sort(draw.uniform(0.3, 3.0, 9))
    q = draw.random(12)
    rho = np.sort(draw.uniform(-1.0, 0.7, 12))[::-1].copy()
    x, zero = rho * q, np.zeros(1)
    sums = [np.append(zero, np.cumsum(one)) for one in (x, q)]
    rests = [np.append(np.cumsum(one[::-1])[::-1], zero) for one in (x, q)]
    for kappa, kept in ((0.9, 0.0), (1.4, 0.0), (1.4, 0.1), (0.9, 0.6)):
        exact = 0.0
        for mass, ratio in zip(masses, ratios - kappa, strict=True):
            exact += mass * np.maximum(ratio * ((1 - kept) * x + kept * q) - zeta * q, 0.0).sum()
        parts = positive_parts(masses, ratios, kappa, 0.0, zeta, kept, rho, *sums, *rests, 0.0)
        assert parts == pytest.approx(exact, rel=1e-12, abs=1e-15)
        assert positive_parts(masses, ratios, kappa, 1e-9, zeta, kept, rho, *sums, *rests, 1e-9) >= exact
