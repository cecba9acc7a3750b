"""A few cells of every hunt on every run; ``python -m tests.adversarial`` draws as many as one likes."""

import pytest

from .hunts import all_hunts, hunt_cells

CELLS = 6


@pytest.mark.parametrize("name", sorted(all_hunts()))
def test_no_answer_misses_the_truth(name):
    outcomes, _ = hunt_cells(name, 0, 0, CELLS)
    assert [outcome for outcome in outcomes if outcome.fails and outcome.kind != "slow"] == []
    # a hunt that is refused everywhere, or answers nothing, checks nothing
    assert any(outcome.kind == "hit" for outcome in outcomes) or name == "pmf: masses below the floor"
