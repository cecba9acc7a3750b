from math import inf, nan

import numpy as np
import pytest

from pldcheck import pld
from pldcheck.core.errors import ParameterError

RESPONSE = pld.randomized_response(1.0)
BAD_NUMBERS = [nan, inf, -inf, 0.0, -1.0, True, "much", None]


@pytest.mark.parametrize("bad", BAD_NUMBERS)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("eps0", pld.randomized_response),
        ("sigma", pld.gaussian),
        ("scale", pld.laplace),
        ("scale", pld.discrete_laplace),
        ("sigma", lambda bad: pld.subsampled_gaussian(bad, 0.1)),
        ("rate", lambda bad: pld.subsampled_gaussian(1.0, bad)),
        ("rate", lambda bad: pld.fixed_size_gaussian(1.0, bad)),
        ("rate", lambda bad: pld.subsampled_pmf([0.5, 0.5], [0.4, 0.6], bad)),
        ("rate", lambda bad: pld.subsampled_randomized_response(1.0, bad)),
        ("eps0", lambda bad: pld.subsampled_randomized_response(bad, 0.1)),
        ("delta", RESPONSE.epsilon),
        ("width", lambda bad: RESPONSE.epsilon(0.1, bad)),
        ("order", RESPONSE.renyi),
    ],
)
def test_bad_number_is_named(name, call, bad):
    with pytest.raises(ParameterError, match=f"^{name} "):
        call(bad)


@pytest.mark.parametrize("bad", [nan, inf, -1.0, True, "much", None, [0.1, nan], [-1.0]])
def test_bad_epsilon_is_named(bad):
    with pytest.raises(ParameterError, match="^epsilon "):
        RESPONSE.delta(bad)


@pytest.mark.parametrize(
    ("p", "q", "name"),
    [
        ([0.5, 0.499], [0.5, 0.5], "p"),
        ([0.5, 0.5], [0.5, 0.501], "q"),
        ([0.5, nan], [0.5, 0.5], "p"),
        ([1.5, -0.5], [0.5, 0.5], "p"),
        ([inf, 0.5], [0.5, 0.5], "p"),
        ([], [], "p"),
        ([[0.5, 0.5]], [0.5, 0.5], "p"),
        ([0.5, 0.5], [0.2, 0.3, 0.5], "q"),
        ("ab", [0.5, 0.5], "p"),
        (1.0, 1.0, "p"),
        ([0.5, 0.5], None, "q"),
    ],
)
def test_bad_pmf_is_named(p, q, name):
    with pytest.raises(ParameterError, match=f"^{name} "):
        pld.from_pmf(p, q)


@pytest.mark.parametrize("copies", [0, -3, 2.5, True, "3", None, 10**16, nan])
def test_bad_copies_are_named(copies):
    with pytest.raises(ParameterError, match="^copies "):
        RESPONSE.compose(copies)


@pytest.mark.parametrize("bad", [1.0, 1.5, -0.1, nan, "much", None])
def test_bad_delta_and_delta0_are_named(bad):
    with pytest.raises(ParameterError, match="^delta0 "):
        pld.randomized_response(1.0, bad)
    with pytest.raises(ParameterError, match="^delta "):
        RESPONSE.epsilon(bad)


@pytest.mark.parametrize(
    ("epsilons", "deltas", "name"),
    [
        ([], [], "epsilons"),
        ([[0.0]], [[0.1]], "epsilons"),
        ([0.0, 1.0], [0.1], "deltas"),
        ([nan], [0.1], "epsilons"),
        ([800.0], [0.1], "epsilons"),
        ([0.0], [1.1], "deltas"),
        ([0.0], [nan], "deltas"),
        ([-1.0], [0.1], "deltas"),
        (["x"], [0.1], "epsilons"),
        ([0.0], ["x"], "deltas"),
    ],
)
def test_bad_curve_is_named(epsilons, deltas, name):
    with pytest.raises(ParameterError, match=f"^{name} "):
        pld.from_curve(epsilons, deltas)


def test_compose_all_wants_mechanisms():
    for bad in ([], [RESPONSE, 3], [None]):
        with pytest.raises(ParameterError, match="^losses "):
            pld.compose_all(bad)


@pytest.mark.parametrize("copies", [1, 2, 1000])
@pytest.mark.parametrize("pair", [([1.0, 0.0], [0.0, 1.0]), ([1.0, 1e-18], [0.0, 1.0])])
def test_disjoint_pairs_are_not_private(copies, pair):
    mechanism = pld.from_pmf(*pair).compose(copies)
    assert mechanism.epsilon(0.5).lower == inf
    assert mechanism.delta(3.0).lower >= 1.0 - 1e-12 and mechanism.delta(3.0).upper == 1.0


@pytest.mark.parametrize("copies", [1, 2, 100])
@pytest.mark.parametrize("masses", [[1.0], [0.5, 0.5], [0.3, 0.0, 0.7]])
def test_equal_pmfs_are_perfectly_private(copies, masses):
    mechanism = pld.from_pmf(masses, masses).compose(copies)
    assert tuple(mechanism.epsilon(1e-9)) == (0.0, 0.0)
    assert mechanism.delta(0.0).upper <= copies * 1e-14  # round-off of equal masses is not excluded


def test_very_narrow_width_is_accepted():
    interval = pld.randomized_response(0.1).compose(1024).epsilon(1e-12, width=1e-9)
    assert 0.0 < interval.relative_width < 1e-11


def test_numpy_numbers_are_numbers():
    interval = pld.gaussian(np.float64(2.0)).compose(np.int64(3)).delta(np.float64(0.5))
    assert type(interval.lower) is float and interval == pld.gaussian(2.0).compose(3).delta(0.5)
