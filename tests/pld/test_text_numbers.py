"""Numbers written as text mean what they say, in every constructor."""

import pytest

from pldcheck import pld
from pldcheck.core.errors import ParameterError

CONSTRUCTORS = {
    pld.randomized_response: [(1.0,), (1.0, 1e-9)],
    pld.gaussian: [(2.0,)],
    pld.laplace: [(2.0,)],
    pld.discrete_laplace: [(3.0,)],
    pld.discrete_gaussian: [(2.0,)],
    pld.subsampled_gaussian: [(2.0, 0.5), (2.0, 1.0)],
    pld.replaced_subsampled_gaussian: [(2.0, 0.5), (2.0, 1.0)],
    pld.truncated_gaussian: [(2.0, 0.5, 10, 8)],
    pld.fixed_size_gaussian: [(2.0, 0.5), (2.0, 1.0)],
    pld.subsampled_laplace: [(2.0, 0.5), (2.0, 1.0)],
    pld.subsampled_randomized_response: [(1.0, 0.5), (1.0, 0.5, 1e-9), (1.0, 1.0, 0.0)],
}
CASES = [(make, values) for make, all_values in CONSTRUCTORS.items() for values in all_values]


@pytest.mark.parametrize(("make", "values"), CASES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_text_is_the_number_that_it_says(make, values):
    # subsampled_randomized_response(1, .5, '1e-9') was a TypeError, subsampled_gaussian('2', .5) an unknown format.
    reference = make(*values)
    for text_values in (tuple(map(repr, values)), *_one_as_text(values)):
        mechanism = make(*text_values)
        assert mechanism.name == reference.name
        assert mechanism.delta("0.1", "1e-6") == reference.delta(0.1, 1e-6)
        assert mechanism.epsilon("1e-3", "1e-6") == reference.epsilon(1e-3, 1e-6)
    assert mechanism.renyi("2") == reference.renyi(2)


def _one_as_text(values):
    for at, value in enumerate(values):
        yield (*values[:at], repr(value), *values[at + 1 :])


def test_every_constructor_with_numbers_is_listed():
    others = {
        "compose_all",
        "from_curve",
        "from_density",
        "from_pmf",
        "gaussian_mixture",
        "randomized_responses",
        "subsampled_pmf",
    }
    public = {name for name in pld.__all__ if name[0].islower()}
    assert public == others | {make.__name__ for make in CONSTRUCTORS}


def test_rates_units_and_delta0_beside_arrays():
    pair = [0.5, 0.5], [0.4, 0.6]
    assert pld.subsampled_pmf(*pair, "0.5").delta(0.1) == pld.subsampled_pmf(*pair, 0.5).delta(0.1)
    several = pld.randomized_responses([0.1, 0.2], delta0=1e-3)
    assert pld.randomized_responses([0.1, 0.2], delta0="1e-3").delta(0.1) == several.delta(0.1)
    for units in ("1", True, None, 9.0, float("nan")):
        with pytest.raises(ParameterError, match="^units "):
            pld.randomized_responses([0.1], units)
