"""Where the privacy profiles of random allocation and of Poisson sampling cross."""

import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.protocols import RandomAllocation, SubsampledGaussian
from pldcheck.study.comparisons import allocation_crossing, crossing
from pldcheck.theorems import REGISTRY


@pytest.fixture(scope="module")
def comparison():
    return crossing(steps=[10, 100], sigma=[0.5, 4.0], epsilon=[0.05, 2.0])


@pytest.mark.nightly
def test_rows_are_in_the_order_of_the_grids_and_what_their_heads_say(comparison):
    assert [(row.steps, row.sigma, row.epsilon) for row in comparison.rows][:3] == [
        (10, 0.5, 0.05),
        (10, 0.5, 2.0),
        (10, 4.0, 0.05),
    ]
    first = comparison.rows[0]
    assert (first.poisson_lower, first.poisson_upper) == tuple(SubsampledGaussian(0.5, 0.1, 10).delta(0.05))
    assert (first.lower, first.upper) == tuple(RandomAllocation(10, 0.5).delta(0.05, 1e-3))


def test_the_order_is_that_of_the_intervals(comparison):
    orders = [row.order for row in comparison.rows]
    assert {allocation_crossing.WORSE, allocation_crossing.BETTER, None} <= set(orders)
    for row in comparison.rows:
        if row.order is None:
            assert row.poisson_upper < 1e-12 and row.lower is row.upper is None
        else:
            signs = (row.lower > row.poisson_upper, row.upper < row.poisson_lower)
            assert signs == (row.order == "worse", row.order == "better")


@pytest.mark.nightly
def test_two_steps_cross_where_the_statement_of_the_suite_does():
    for row in crossing(steps=[2], sigma=[0.5, 1.2], epsilon=[0.05, 0.5, 4.0]).rows:
        claim = REGISTRY["poisson-allocation"](sigma=row.sigma, epsilon=row.epsilon).value
        assert row.poisson_lower * (1 - 1e-9) <= claim <= row.poisson_upper * (1 + 1e-9)


@pytest.mark.nightly
def test_the_figure_has_a_tile_for_every_row(comparison):
    from pldcheck.study.comparisons import comparison_figures

    ten, hundred = comparison_figures.crossing(comparison).axes
    assert [ten.get_title(), hundred.get_title()] == ["m = 10", "m = 10²"]
    assert len(ten.patches) == len(hundred.patches) == 4


@pytest.mark.nightly
def test_values_out_of_range_are_refused():
    for arguments in ({"sigma": [0.0]}, {"steps": [0]}, {"epsilon": [float("nan")]}):
        with pytest.raises(ParameterError, match=f"{next(iter(arguments))} must be"):
            crossing(**{"steps": [10], "sigma": [1.0], "epsilon": [1.0], **arguments})
