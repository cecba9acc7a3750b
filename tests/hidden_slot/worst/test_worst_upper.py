import math
from fractions import Fraction

import mpmath
import naive
import numpy as np
import pytest

from pldcheck.hidden_slot.worst import worst_intervals, worst_lower, worst_upper
from pldcheck.hidden_slot.worst.slot_problem import Slot, one_slot
from pldcheck.hidden_slot.worst.step_laws import Steps
from pldcheck.hidden_slot.worst.worst_upper import Plan, delta_upper, walk
from pldcheck.kernels.slot_recursion import potential
from pldcheck.pld.lattice_fourier import dominating_contour
from pldcheck.pld.lattice_law import LatticeLaw


@pytest.mark.parametrize("power", [2, 3, 7])
@pytest.mark.parametrize("start", [-0.37, -2.0, -5.25])
def test_stop_losses_of_a_few_copies_agree_with_exact_convolution(power, start):
    masses = [Fraction(k, 32) for k in (1, 2, 9, 12, 6, 2)]
    step, first = Fraction(1, 4), -3
    atoms = [step * (first + i) for i in range(6)]
    exact = naive.sum_stop_loss(atoms, masses, power, Fraction(start))
    law = LatticeLaw(0.25, first, np.array([float(p) for p in masses]), np.zeros(6))
    interval = dominating_contour(law, power, start, 1.0).at(start)
    if exact == 0:
        assert 0 <= interval.upper <= 1e-12
    else:
        assert float(exact) <= interval.upper <= float(exact) * (1 + 1e-9)
    assert 0 <= interval.rounding <= 1e-9 * interval.upper + 1e-15


@pytest.mark.parametrize("power", [10**3, 10**5, 10**7, 10**9])
@pytest.mark.parametrize("z", [0.5, 4.0, 11.0, 20.0])
def test_stop_losses_of_many_copies_agree_with_the_binomial_law(power, z):
    # Y in {-1, 0, 1} with 1/4, 1/2, 1/4: the sum is Bin(2r, 1/2) - r, and E(sum - t)_+ a series of positive terms.
    t = round(z * math.sqrt(power / 2))
    n, k = 2 * power, power + t
    with mpmath.workdps(40):
        first = mpmath.exp(
            mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1) - n * mpmath.log(2)
        )
    # Ratios of terms in plain floats: 10^5 of them lose at most 1e-11.
    term, total, j = 1.0, 0.0, k
    while term > 1e-25:
        term *= (n - j) / (j + 1)
        j += 1
        total += term * (j - k)
    exact = float(first * total)
    law = LatticeLaw(1.0, -1, np.array([0.25, 0.5, 0.25]), np.zeros(3))
    interval = dominating_contour(law, power, -float(t), z / math.sqrt(power / 2)).at(-float(t))
    assert exact * (1 - 1e-10) <= interval.upper <= exact * (1 + 1e-8 + 2e-15 * power)


@pytest.mark.parametrize(("eps0", "epsilon", "m"), [(1.0, 0.3, 40), (0.2, 0.01, 300), (4.0, 1.5, 100)])
def test_halving_the_grid_never_raises_the_bound(eps0, epsilon, m):
    """Nested grids: at common nodes the finer potential is below the coarser (interpolation of a convex function)."""
    steps = Steps(eps0, epsilon)
    half = np.full(m + 1, 1)
    coarse_step = 0.1 * steps.deviation
    reach = np.arange(m + 1) * (int(np.abs(steps.values).max() / coarse_step) + 3)
    values = {}
    for factor in (1, 2, 4):
        shifts, fractions = worst_upper.moves(steps.values, coarse_step / factor)
        lows, highs = -reach * factor - 2 * half, reach * factor + 2 * half
        none = np.zeros(0, np.int64)
        table, _, _, _ = potential(shifts, fractions, *steps.probabilities, lows, highs, none, none, 0, 1)
        nodes = np.arange(-reach[-1], reach[-1] + 1, 7) * factor
        values[factor] = table[nodes - lows[-1]] / factor
    for fine, coarse in ((2, 1), (4, 2)):
        assert np.all(values[fine] <= values[coarse] * (1 + 1e-10) + 1e-300)
    middle = values[1].size // 2
    assert values[4][middle] < values[1][middle]  # the test sees a difference at all


@pytest.mark.parametrize("m", [200, 5000, 10**7])
def test_larger_blocks_never_raise_the_bound_much(m):
    epsilon = 4.2 * Steps(1.0, 0.0).deviation / math.sqrt(m)
    values = [delta_upper(Slot(m, 1.0, 1.0), epsilon, Plan(0.03, block)).delta for block in (16, 64, 256)]
    assert values[0] > values[1] > values[2]


def test_joined_law_has_mass_one_and_hardly_any_mean():
    # Round-off that is not compensated grows with the power: 10^9 copies of an excess mass of 1e-10 are 10 %.
    a = delta_upper(Slot(10**12, 1.0, 1.0), 3.79e-6, Plan(0.05, 1000))
    b = delta_upper(Slot(10**10, 1.0, 1.0), 3.79e-5, Plan(0.05, 1000))
    assert a.delta * 10 == pytest.approx(b.delta, rel=1e-3)
    assert a.rounding < 1e-5 * a.delta and a.truncation < 1e-5 * a.delta


# Found by random search: each once gave nan, an overflow warning or an allocation that failed.
EXTREMES = [
    (80091, 0.0083, 0.55, 0.0046),
    (5917282421, 12.13, 3.8e-4, 0.666),
    (680877296, 0.64, 1.0, 0.587),
    (546200, 16.1, 5e-5, 4.63),
    (10948765, 17.1, 1e-5, 5.6),
    (5013316, 18.6, 0.0225, 1.428),
    (627381, 18.92, 1.0, 18.9187),
    (24, 8.0, 1e-6, 0.0029755193636365864),
    (117083170477, 8.6e-5, 5.4e-5, 4.6e-9),
]


@pytest.mark.parametrize(("m", "eps0", "weight", "epsilon"), EXTREMES)
def test_extremes_are_answered_by_a_bound(m, eps0, weight, epsilon):
    slot = Slot(m, eps0, weight)
    below = max(worst_lower.single_law(slot, epsilon, law).delta for law in range(3))
    for plan in (Plan(0.05, 5), Plan(0.07, 256)):
        bound = delta_upper(slot, epsilon, plan)
        assert below <= bound.delta <= 1.0 + 1e-299


@pytest.mark.parametrize("power", [3, 10**3, 10**6])
def test_one_contour_serves_many_starts(power):
    # Bin(80, 1/2) - 40, as many times: the twin is a contour of its own for every start.
    masses = np.array([math.comb(80, k) / 2.0**80 for k in range(81)])
    law, spread = LatticeLaw(1.0, -40, masses, np.zeros(81)), math.sqrt(20 * power)
    sum_contour = dominating_contour(law, power, -5.0 * spread, 5.0 / spread)
    for z in (3.0, 4.5, 4.9999, 5.0, 5.3, 7.0):
        start = -z * spread
        exact, interval = dominating_contour(law, power, start, z / spread).at(start), sum_contour.at(start)
        low = exact.upper - exact.rounding - exact.truncation
        assert low <= interval.upper <= exact.upper * (1 + 1e-6)
        assert interval.truncation + interval.rounding <= 1e-6 * interval.upper


@pytest.mark.parametrize(("eps0", "share"), [(0.3, 0.2), (1.0, 0.05), (1.0, 0.4), (4.0, 0.3)])
@pytest.mark.parametrize("weight", [1.0, 0.2])
def test_a_walk_bounds_every_smaller_epsilon(eps0, share, weight):
    slot = Slot(4, eps0, weight)
    largest = share * slot.cap
    one, several = walk(slot, largest, Plan(0.02, 4)), walk(slot, largest, Plan(0.02, 1))
    for part in (0.0, 0.9, 1.0):
        exact = naive.hidden_slot_delta(4, eps0, part * largest, weight)
        assert min(one.at(part * largest).delta, several.at(part * largest).delta) >= exact.lower()
        # One block, and the epsilon of the steps: the grid's own error, and no more.
        assert part < 1.0 or one.at(largest).delta <= 1.02 * float(exact.upper())


@pytest.mark.parametrize(("m", "eps0"), [(1000, 1.0), (10**4, 1.0), (10**4, 4.0), (10**9, 0.3)])
def test_a_walk_is_hardly_looser_just_below_its_epsilon(m, eps0):
    slot = Slot(m, eps0, 1.0)
    epsilon, _ = worst_lower.single_law_epsilon(slot, 1e-6)
    plan = Plan(0.07, min(m, 256))
    walk_above, own = walk(slot, epsilon * 1.002, plan), walk(slot, epsilon, plan)
    # The laws differ by less than e^epsilon - 1 of the step, relatively; grids by some 1e-3.
    assert walk_above.at(epsilon).delta == pytest.approx(own.at(epsilon).delta, rel=0.01 + 0.2 * epsilon)
    assert walk_above.at(epsilon).delta >= worst_lower.single_law(slot, epsilon, worst_lower.ACE).delta


@pytest.mark.parametrize("count", [2, 7, 2049, 3001, 10**5, 10**6 + 1, 10**12])
@pytest.mark.parametrize("nominal", [1, 5, 256, 1024])
def test_blocks_hold_all_steps_and_hardly_more(count, nominal):
    length, power = worst_upper.blocks(count, nominal)
    assert length * power >= count
    assert 0.8 * nominal <= length <= 1.25 * nominal + 1
    if count > 20 * nominal:
        assert length * power <= count * (1 + 0.01)


@pytest.mark.parametrize("epsilon", [0.7, 6.0, 13.0])
def test_no_recursion_where_one_slot_is_close_enough(monkeypatch, epsilon):
    slot = Slot(1000, 14.0, 1.0)

    def refuse(*_):
        raise AssertionError("a recursion")

    monkeypatch.setattr(worst_intervals, "_upper", refuse)
    best_lower = max(worst_lower.single_law(slot, epsilon, law).delta for law in range(3))
    assert best_lower <= worst_intervals.delta_above(slot, epsilon) == one_slot(slot, epsilon)[1] <= 1.01 * best_lower
    with pytest.raises(AssertionError, match="a recursion"):
        worst_intervals.delta_above(Slot(1000, 5.0, 1.0), 0.3 * epsilon)
