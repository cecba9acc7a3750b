"""A few cells of every hunt on every run; ``python -m tests.adversarial`` draws as many as one likes."""

import pytest

from . import hunt_gains
from .hunts import all_hunts, hunt_cells

CELLS = 6


@pytest.mark.parametrize("name", sorted(all_hunts()))
def test_no_answer_misses_the_truth(name):
    outcomes, _ = hunt_cells(name, 0, 0, CELLS)
    assert [outcome for outcome in outcomes if outcome.fails and outcome.kind != "slow"] == []
    # a hunt that is refused everywhere, or answers nothing, checks nothing
    assert any(outcome.kind == "hit" for outcome in outcomes) or name == "pmf: masses below the floor"


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(hunt_gains.HUNTS))
def test_sums_of_gains_hold_however_small(name):
    """Thousands of direct calls: a floor that is added in a wrong unit shows at one far tail in some hundred."""
    assert [one for one in hunt_cells(name, 1, 0, 600)[0] if one.fails and one.kind != "slow"] == []
