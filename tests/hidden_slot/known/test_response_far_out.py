"""Randomized response in many slots at deltas far below 1e-100, against binomial sums in balls."""

import math

import pytest
from flint import arb, ctx

from pldcheck import CheckIn, HiddenSlot

STEPS = 10_000


@pytest.fixture(autouse=True)
def _digits():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def mean_above(up, down, chance, steps):
    """Return E(sum)_+ / steps of ``steps`` gains: ``up`` with this chance, else ``down``."""
    total, mass, odds = arb(0), chance**steps, (1 - chance) / chance
    for ups in range(steps, 0, -1):
        here = ups * up + (steps - ups) * down
        if not here > 0:
            break
        total += mass * here
        mass *= odds * ups / (steps - ups + 1)
    return total / steps


def zero_out(eps0, epsilon, steps=STEPS):
    """Return delta(epsilon) where a record is there or not, whatever the slots' own records are."""
    x, c = arb(eps0).exp(), arb(epsilon).exp()
    rare = 1 / (1 + x)
    removal = mean_above(x - c, 1 / x - c, rare, steps)
    addition = mean_above(1 - c / x, 1 - c * x, x * rare, steps)
    return max(removal, addition, key=lambda ball: float(ball.mid()))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 2.5, 2.65, 2.7, 2.75])
def test_delta_is_narrow_however_small(epsilon):
    exact = zero_out(2.8, epsilon)
    ends = HiddenSlot(STEPS, 2.8, randomizer="rr", adjacency="zero-out").delta(epsilon)
    assert exact >= ends.lower and exact <= ends.upper
    assert ends.upper <= ends.lower * (1.0 + 1e-8)


@pytest.mark.parametrize("delta", [1e-100, 1e-200, 1e-250, 1e-290])
def test_epsilon_has_the_delta_in_question_between_those_of_its_ends(delta):
    eps0 = 2.8154312460701014
    ends = HiddenSlot(STEPS, eps0, randomizer="rr", adjacency="zero-out").epsilon(delta)
    assert zero_out(eps0, ends.lower) >= delta and zero_out(eps0, ends.upper) <= delta
    assert ends.upper - ends.lower < 1e-6


@pytest.mark.nightly
@pytest.mark.parametrize("epsilon", [2.5, 2.7, 2.75])
@pytest.mark.parametrize("protocol", [HiddenSlot, CheckIn])
def test_a_replaced_record_has_no_less_than_one_that_is_removed(protocol, epsilon):
    """Slots may hold the replacement: then it is removal."""
    ends = protocol(STEPS, 2.8, randomizer="rr").delta(epsilon)
    assert zero_out(2.8, epsilon) <= ends.upper
    assert ends.upper <= 10.0 * ends.lower


@pytest.mark.nightly
def test_a_table_of_these_rows_has_no_less(tmp_path):
    p, file = math.exp(2.8) / (1 + math.exp(2.8)), tmp_path / "rows.txt"
    file.write_text(f"{p!r} {1 - p!r}\n{1 - p!r} {p!r}\n")
    # The sum of its rows is exactly 1, so that its likelihood ratio is that of these doubles.
    eps0 = float((arb(p) / (1 - arb(p))).log().mid())
    ends = HiddenSlot(STEPS, randomizer=f"table:{file}").delta(2.7)
    assert zero_out(eps0 * (1 - 1e-15), 2.7) <= ends.upper <= 10.0 * ends.lower
