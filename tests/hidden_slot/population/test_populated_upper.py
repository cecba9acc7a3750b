"""The upper end against exact recursions over patterns, and all of it against enumerated check-ins."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, inf, log, nextafter
from random import Random

import pytest
from test_slot_occupancy import enumerate_slots

from pldcheck.hidden_slot.population import occupied_pattern, populated_intervals, populated_upper
from pldcheck.hidden_slot.population.empty_slot_blocks import potentials
from pldcheck.hidden_slot.population.populated_upper import Population, Setting, delta_upper
from pldcheck.hidden_slot.population.slot_occupancy import Occupancy
from pldcheck.hidden_slot.worst.slot_problem import Slot
from pldcheck.hidden_slot.worst.step_laws import Steps
from pldcheck.protocols import CheckIn

LAWS = {"BE": (1, 0), "CF": (0, 1), "ACE": (1, 0, 0)}
VERTICES = {"A": (-1, -1), "B": (0, -1), "C": (1, 0), "E": (0, 1), "F": (-1, 0)}


def above_log(x):
    """Return a float just above log x: what is eps0-DP with x is so with it."""
    return nextafter(nextafter(log(x), inf), inf)


def below_log(kappa):
    """Return a float just below log kappa, or 0 of 1: delta there is no smaller."""
    return max(nextafter(nextafter(log(kappa), -inf), -inf), 0.0)


def block_value(x, kappa, v, length, empty, start):
    """Return V(start) of a block of ``length`` slots, ``empty`` of them of weight 1, the others of weight v: the
    recursion.
    """
    laws = []
    for name, powers in LAWS.items():
        total = sum(x**power for power in powers)
        steps = [(x**i - 1) - kappa * (x**j - 1) for i, j in (VERTICES[vertex] for vertex in name)]
        laws.append([(x**power / total, s) for power, s in zip(powers, steps, strict=True)])

    @cache
    def value(t, e, u):
        if t == 0:
            return max(u, 0)
        total = 0
        for share, weight, slots_left in ((Fraction(e, t), 1, e - 1), (1 - Fraction(e, t), v, e)):
            if share:
                total += share * max(sum(p * value(t - 1, slots_left, u + weight * s) for p, s in law) for law in laws)
        return total

    return value(length, empty, start)


@pytest.mark.parametrize("v", [Fraction(1, 2), Fraction(1, 5)])
@pytest.mark.parametrize("x", [Fraction(2), Fraction(9)])
def test_potentials_lie_above_the_recursion_in_fractions(x, v):
    kappa = Fraction(6, 5)
    steps = Steps(log(x), log(kappa))
    grid = 0.02 * steps.deviation
    table = potentials(steps, float(v), grid, 4, 3)
    for e, node in product(range(4), (-100, -31, 0, 17)):
        start = Fraction(node) * Fraction(grid)
        exact = block_value(x, kappa, v, 4, e, start) - max(start, 0)
        potential = grid * table.values[e][node - table.first]
        # V moves by no more than its four steps do: e^eps0 and kappa are floats' there, and differ by 4 units.
        round_off = 4 * 4 * Fraction(1, 2**53) * (x + kappa * x + 1)
        assert exact - round_off <= potential <= exact * Fraction(101, 100) + Fraction(1, 10**12)


def pattern_divergence(m, n, p0, x, kappa):
    """Return E h(S): all about the others' slots told but their counts."""
    total = Fraction(0)
    for k, (chance, weight) in enumerate_slots(m, n - 1, p0).items():
        start = (1 - kappa) * m / p0
        total += chance * block_value(x, kappa, weight or Fraction(1, 2), m, m - k, start)
    return p0 / m * total


@pytest.mark.parametrize(("m", "n", "p0"), [(3, 4, Fraction(1)), (4, 5, Fraction(1, 2)), (5, 3, Fraction(1))])
@pytest.mark.parametrize("kappa", [Fraction(11, 10), Fraction(3, 2)])
def test_no_step_of_the_proof_goes_below_the_value_it_is_about(m, n, p0, kappa):
    x = Fraction(3)
    exact = pattern_divergence(m, n, p0, x, kappa)
    population, epsilon = Population(m, above_log(x), float(p0), n), below_log(kappa)
    setting = Setting.of(population, 1e-6)
    bounds = [delta_upper(population, epsilon, replace(setting, choices=(one,)), 1e-6) for one in setting.choices]
    assert all(exact <= bound.delta for bound in bounds)
    bound = delta_upper(population, epsilon, setting, 1e-6)
    assert exact <= bound.delta and bound.delta <= 2.2 * exact


@pytest.mark.parametrize(("m", "n", "eps0"), [(36, 2, 0.7), (300, 200, 1.0), (10_000, 3_000, 0.3)])
def test_the_patterns_that_are_tried_have_the_least_bounds(m, n, eps0):
    population, epsilon = Population(m, eps0, 1.0, n), 4.0 * eps0 / m**0.5
    setting = Setting.of(population, 1e-6)
    bounds = [delta_upper(population, epsilon, replace(setting, choices=(one,)), 1e-6) for one in setting.choices]
    best = min(bound.delta for bound in bounds)
    assert len(bounds) > populated_upper.TRIED
    assert best < 1.0 and delta_upper(population, epsilon, setting, 1e-6).delta == best


@pytest.mark.parametrize("block", [1, 2, 3])
def test_blocks_only_raise_the_bound(block, monkeypatch):
    m, n, kappa, x = 6, 4, Fraction(6, 5), Fraction(3)
    exact = pattern_divergence(m, n, Fraction(1), x, kappa)
    monkeypatch.setattr(populated_upper, "LONGEST_BLOCK", block)
    population = Population(m, above_log(x), 1.0, n)
    bound = delta_upper(population, below_log(kappa), Setting.of(population, 1e-6), 1e-6)
    assert exact <= bound.delta <= 2.5 * exact


def subsets(rng, outputs, count, x):
    """Return a row of a randomizer: x times as likely on ``count`` outputs; any two rows are within a factor x."""
    high = rng.sample(range(outputs), count)
    return [Fraction(x if o in high else 1) / (count * x + outputs - count) for o in range(outputs)]


def algorithm_1(n, m, p0, rows, first):
    """Return the law of the m outputs of A_fix; ``rows(i, history)[j]`` is what client j answers in slot i, -1 the
    dummy.
    """
    outputs, law = len(first), {}
    picks = {}
    for slots in product(range(m + 1), repeat=n):
        chance = Fraction(1)
        for slot in slots:
            chance *= 1 - p0 if slot == m else p0 / m
        if not chance:
            continue
        candidates = [[j for j in range(n) if slots[j] == i] or [-1] for i in range(m)]
        for counts in product(*candidates):
            share = chance
            for c in candidates:
                share /= len(c)
            picks[counts] = picks.get(counts, 0) + share
    for history in product(range(outputs), repeat=m):
        total = Fraction(0)
        for counts, share in picks.items():
            for i, j in enumerate(counts):
                share *= rows(i, history[:i])[j][history[i]]
            total += share
        law[history] = total
    return law


@pytest.mark.parametrize(("n", "m", "p0"), [(2, 2, 1), (3, 2, 1), (2, 3, 1), (3, 2, Fraction(1, 2)), (4, 1, 1)])
@pytest.mark.parametrize("outputs", [2, 3])
def test_random_adaptive_randomizers_never_exceed_the_upper_end(n, m, p0, outputs):
    rng, x = Random(f"{n} {m} {p0} {outputs}"), Fraction(4)
    p0 = Fraction(p0)
    ceiling = {
        # Randomizers of x, a little less than e^eps0, at kappa, a little more than e^epsilon.
        kappa: populated_intervals.delta(Population(m, above_log(x), float(p0), n), below_log(kappa), 0.005).upper
        for kappa in (Fraction(1), Fraction(5, 4), Fraction(2))
    }
    closest = 0.0
    for _ in range(60):
        count = rng.randrange(1, outputs)
        tables = {}

        def rows(i, history, other, count=count, tables=tables):
            # Client 0 is the one whose record is changed; all share what the others and the dummy answer.
            key = (i, history)
            if key not in tables:
                tables_of_clients = [subsets(rng, outputs, count, x) for _ in range(n + 2)]
                alike = rng.random() < 0.5
                tables[key] = [
                    tables_of_clients[-1] if alike and j >= 1 else tables_of_clients[j] for j in range(n)
                ] + [tables_of_clients[-1], tables_of_clients[n]]
            *clients, dummy, replacement = tables[key]
            return [replacement if other else clients[0], *clients[1:], dummy]

        first = range(outputs)
        one = algorithm_1(n, m, p0, lambda i, history: rows(i, history, False), first)
        two = algorithm_1(n, m, p0, lambda i, history: rows(i, history, True), first)
        for kappa, most in ceiling.items():
            divergence_reached = sum(max(one[o] - kappa * two[o], 0) for o in one)
            assert divergence_reached <= most
            closest = max(closest, float(divergence_reached) / most)
    assert closest > 0.5  # the randomizers are not all harmless


@pytest.mark.parametrize(("steps", "others"), [(12, 15), (7, 9), (10, 10), (15, 13), (20, 30), (9, 25), (25, 20)])
def test_prices_compare_all_tails(steps, others):
    occupancy = Occupancy(steps, others, 1.0)
    occupancy_bound = occupied_pattern.likely_range(occupancy, 1e-9)
    for choice in occupied_pattern.patterns(occupancy, occupancy_bound):
        for count in range(occupancy_bound.most + 1):
            price = Fraction(choice.price) * Fraction(occupied_pattern.at_least(steps, choice.empty, count))
            assert occupancy.at_least(count) <= price
        assert choice.price < 1.6


@pytest.mark.parametrize("count", range(9))
def test_binomial_tails_agree_with_sums_by_hand(count):
    from math import comb

    p = Fraction(3, 8)
    exact = sum(comb(8, k) * p**k * (1 - p) ** (8 - k) for k in range(count, 9))
    tail = occupied_pattern.at_least(8, 0.375, count)
    assert exact * (1 - Fraction(1, 10**12)) <= tail <= exact


# Theory sheet 3, "Population-aware A_fix", delta = 1e-6, eps0 = 1: its prototype's interval for m = n = 1000 is
# [0.0799, 0.1007]; for m = 1000, n = 10^6 its upper end is about 6e-5.
def test_published_numbers_are_reproduced():
    interval = populated_intervals.epsilon(Population(1000, 1.0, 1.0, 1000), 1e-6, 0.005)
    assert interval.lower == pytest.approx(0.0799, abs=5e-5) and interval.upper < 0.0902
    crowd = populated_intervals.epsilon(Population(1000, 1.0, 1.0, 10**6), 1e-6, 0.005)
    assert 5e-5 < crowd.lower <= crowd.upper < 1.02 * crowd.lower
    assert interval.sources == (populated_intervals.ALL_DUMMIES, populated_intervals.REVELATION)


@pytest.mark.nightly
@pytest.mark.parametrize("clients", [100, 1000, 3000, 10_000, 100_000])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
def test_epsilon_and_delta_agree_and_are_narrow(clients, eps0):
    population = Population(1000, eps0, 1.0, clients)
    interval = populated_intervals.epsilon(population, 1e-6, 0.005)
    assert 0.0 < interval.lower and interval.relative_width < 0.2
    at_lower, at_upper = (populated_intervals.delta(population, end, 0.005) for end in interval)
    assert at_upper.lower <= 1e-6 * (1 + 1e-9) and at_lower.upper >= 1e-6
    assert at_upper.upper == pytest.approx(1e-6, rel=0.15)
    assert interval.budget.discretisation + interval.budget.truncation + interval.budget.rounding > 0.0


@pytest.mark.nightly
def test_more_clients_mean_less_epsilon():
    ends = [populated_intervals.epsilon(Population(200, 1.0, 1.0, n), 1e-5, 0.005) for n in (1, 20, 200, 1000, 20_000)]
    for fewer, more in zip(ends, ends[1:], strict=False):
        assert more.lower < fewer.lower and more.upper < fewer.upper


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("m", "p0", "n"),
    [
        (1, 1.0, 10**15),
        (10**12, 1.0, 10**15),
        pytest.param(10**12, 1.0, 10**12, marks=pytest.mark.nightly),
        (10**6, 1e-3, 2),
        (2, 1.0, 2),
        (1, 1e-6, 3),
    ],
)
@pytest.mark.parametrize("eps0", [0.01, 20.0])
def test_extremes_are_answered(m, p0, n, eps0):
    interval = populated_intervals.epsilon(Population(m, eps0, p0, n), 1e-12, 0.01)
    assert 0.0 <= interval.lower <= interval.upper <= Slot(m, eps0, p0).cap and exp(interval.upper) > 0


@pytest.mark.nightly
def test_a_few_heavy_slots_are_taken_together_on_a_coarser_grid():
    # Single slots joined said nothing, after half a minute and with gigabytes.
    interval = CheckIn(3, 18.1, 1 - 2.0**-53, clients=30).delta(0.218)
    assert 0.0999 < interval.lower <= interval.upper < 0.16


@pytest.mark.parametrize("eps0", [2.0, 9.0])
def test_a_block_without_empty_slots_is_the_same_alone(eps0):
    # Their moves, by far the longest, are then neither made nor given room.
    steps = Steps(eps0, 0.3 * eps0)
    step, v = 0.05 * steps.deviation, 0.05
    alone, among = potentials(steps, v, step, 3, 0), potentials(steps, v, step, 3, 1)
    offset = alone.first - among.first
    assert alone.values.shape[0] == 1 and offset > 0
    assert (alone.values[0] == among.values[0][offset : offset + alone.values.shape[1]]).all()


@pytest.mark.parametrize(("m", "n", "p0"), [(2, 2, Fraction(1)), (3, 2, Fraction(1, 2)), (2, 3, Fraction(1))])
def test_binary_response_among_known_clients_on_all_data(m, n, p0):
    x = Fraction(3)
    law = {bit: [x / (x + 1) if o == bit else 1 / (x + 1) for o in (0, 1)] for bit in (0, 1)}
    protocol = CheckIn(m, above_log(x), float(p0), clients=n, randomizer="rr")
    for kappa in (Fraction(11, 10), Fraction(3, 2), Fraction(2)):
        answer = protocol.delta(below_log(kappa))
        reached = {}
        for others in product((0, 1), repeat=n):  # the last one is the dummy record
            rows = {bit: [law[bit], *(law[other] for other in others)] for bit in (0, 1)}
            with_one, with_other = (
                algorithm_1(n, m, p0, lambda i, history, row=rows[bit]: row, law[0]) for bit in (1, 0)
            )
            reached[others] = sum(max(with_one[o] - kappa * with_other[o], 0) for o in with_one)
        assert max(reached.values()) <= answer.upper
        dummies = max(reached[(bit,) * n] for bit in (0, 1))
        assert 0.7 * float(dummies) <= answer.lower
    assert answer.lower <= answer.upper and answer.sources[0] == populated_intervals.ALL_DUMMIES
