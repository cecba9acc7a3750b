"""One training run under seven samplings."""

import pytest

from pldcheck import Gaussian, SubsampledGaussian
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import BallsInBins, RandomAllocation, ShuffledBatches
from pldcheck.study.comparisons import samplings


@pytest.fixture(scope="module")
def comparison():
    return samplings(sigma=[1.0, 4.0], epochs=[1, 3], steps=50, delta=1e-5)


@pytest.mark.nightly
def test_rows_are_in_the_order_of_the_grids_and_what_their_heads_say(comparison):
    assert [(row.epochs, row.sigma) for row in comparison.rows] == [(1, 1.0), (1, 4.0), (3, 1.0), (3, 4.0)]
    row = comparison.rows[2]
    answers = {
        "poisson": SubsampledGaussian(1.0, 0.02, 150),
        "poisson_replaced": SubsampledGaussian(1.0, 0.02, 150, "poisson-replaced"),
        "fixed_size": SubsampledGaussian(0.5, 0.02, 150, "fixed-size"),
        "unamplified": Gaussian(1.0, 3),
        "bins": BallsInBins(50, 1.0, 3),
    }
    for name, protocol in answers.items():
        interval = protocol.epsilon(1e-5)
        assert getattr(row, f"{name}_lower") <= interval.upper and interval.lower <= getattr(row, f"{name}_upper")
    assert (row.lower, row.upper) == tuple(ShuffledBatches(50, 1.0, 3).epsilon(1e-5, 0.01))
    assert (row.allocation_lower, row.allocation_upper) == tuple(
        RandomAllocation(50, 1.0, epochs=3).epsilon(1e-5, 0.01)
    )


@pytest.mark.nightly
def test_samplings_are_in_order(comparison):
    for row in comparison.rows:
        assert row.poisson_upper < row.poisson_replaced_lower < row.fixed_size_lower
        assert row.allocation_upper < row.poisson_lower
        assert row.allocation_upper <= row.bins_upper < row.unamplified_lower
        assert row.allocation_lower <= row.lower <= row.upper == row.unamplified_upper
    # With little noise shuffled batches reveal far more than what is reported for them.
    assert comparison.rows[0].lower > 3.0 * comparison.rows[0].poisson_upper


@pytest.mark.nightly
def test_the_figure_draws_every_sampling_and_both_ends_of_shuffled_batches(comparison):
    from pldcheck.study.comparisons import comparison_figures

    one, three = comparison_figures.FIGURES["samplings"](comparison).axes
    assert [one.get_title(), three.get_title()] == ["1 epoch", "3 epochs"]
    rows = comparison.rows[2:]
    lines = [list(line.get_ydata()) for line in three.lines]
    for field in ("poisson", "poisson_replaced", "fixed_size", "allocation", "bins", "unamplified"):
        assert [getattr(row, f"{field}_upper") for row in rows] in lines
    assert [row.lower for row in rows] in lines and [row.upper for row in rows] in lines
    assert len([text for text in three.texts if text.get_text()]) == 7


@pytest.mark.parametrize("arguments", [{"sigma": [0.0]}, {"epochs": [0]}, {"steps": 0}, {"delta": 1.0}])
@pytest.mark.nightly
def test_values_out_of_range_are_refused(arguments):
    with pytest.raises(ParameterError, match=f"{next(iter(arguments))} must be"):
        samplings(**{"sigma": [1.0], "epochs": [1], "steps": 10, **arguments})
