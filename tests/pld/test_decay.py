import numpy as np
import pytest

from pldcheck import pld
from pldcheck.pld import decay as module
from pldcheck.pld.decay import decay
from pldcheck.pld.total import Total, tilt


def totals():
    rng = np.random.default_rng(5)
    response = [(pld.randomized_response(e), k) for e, k in ((0.3, 50), (1.0, 7), (2.5, 3))]
    pairs = [(pld.from_pmf(p / p.sum(), q / q.sum()), 5) for p, q in rng.random((3, 2, 4)) ** 3]
    laplace = [(pld.laplace(b), k) for b, k in ((0.4, 3), (2.0, 40), (30.0, 900))]
    many = [(pld.subsampled_gaussian(1.0, 0.1), 4), (pld.subsampled_gaussian(0.4, 0.5), 2)]
    kinds = {
        "responses": response,
        "one response": [(pld.randomized_response(1e-3), 10**6)],
        "pairs": pairs,
        "laplace": laplace,
        "many atoms": many,
        "all": response + pairs + laplace + many,
    }
    return {name: Total.of([(loss.forward[0][0].upper, k) for loss, k in losses]) for name, losses in kinds.items()}


TOTALS = totals()


@pytest.mark.parametrize("name", TOTALS)
@pytest.mark.parametrize("theta", [0.01, 1.0, 7.0])
@pytest.mark.parametrize("direct", [True, False])
def test_bound_is_below_the_decay(name, theta, direct, monkeypatch):
    """-log|phi| from the exact sums, one node after the other; both ways of summing the pairs."""
    monkeypatch.setattr(module, "DIRECT", 4e6 if direct else 0.0)
    state = tilt(TOTALS[name], theta)
    period = 40.0 * state.variance**0.5
    nodes = 2.0 * np.pi / period * np.arange(2049)
    bound = decay(state, period, nodes)
    exact = -state.log_characteristic(nodes)[0].real
    assert np.all(bound <= exact * (1 + 1e-9) + 1e-9)
    assert np.all(bound >= 0.0)
    # It says something near the origin, where the exponent is half of s^2 times the variance.
    near = slice(1, 30)
    assert np.max(bound[near] / exact[near]) > (0.2 if name != "laplace" else 0.02)
