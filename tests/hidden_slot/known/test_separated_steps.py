"""Uses that are far apart: their number by recursion in fractions, and Poisson samples above them by enumeration."""

import itertools
from fractions import Fraction

import pytest

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.known.separated_steps import Separation

RUNS = [(10, 3, 0.25), (12, 1, 0.5), (7, 7, 0.1), (20, 4, 1.0), (9, 2, 1e-6), (60, 5, 0.3), (40, 1, 0.999)]


def law_of_number(steps, gap, rate):
    """Return the probabilities of 0, 1, ... uses, step by step."""
    states = {(0, 0): Fraction(1)}  # the steps to wait, and the uses so far
    for _ in range(steps):
        later = {}
        for (wait, uses), chance in states.items():
            moves = [((wait - 1, uses), chance)]
            if wait == 0:
                moves = [((0, uses), chance * (1 - rate)), ((gap - 1, uses + 1), chance * rate)]
            for state, mass in moves:
                later[state] = later.get(state, 0) + mass
        states = later
    return [sum(mass for (_, uses), mass in states.items() if uses == k) for k in range(steps + 1)]


@pytest.mark.parametrize(("steps", "gap", "rate"), RUNS)
def test_numbers_of_uses_have_the_probabilities_of_the_recursion(steps, gap, rate):
    law, run = law_of_number(steps, gap, Fraction(rate)), Separation(steps, gap, rate)
    for count in range(run.most + 2):
        exact, (low, high) = sum(law[count:]), run.at_least(count)
        assert Fraction(low) <= exact <= Fraction(high)
        assert high <= float(exact) * (1 + 1e-12) and low >= float(exact) * (1 - 1e-12)
    assert Fraction(run.weight()) <= 1 - (1 - Fraction(rate)) ** min(gap, steps)
    assert run.weight() >= float(1 - (1 - Fraction(rate)) ** min(gap, steps)) * (1 - 1e-12)


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize(("steps", "gap", "rate"), RUNS)
def test_the_law_of_a_side_has_at_least_or_at_most_so_many_uses(steps, gap, rate, side):
    law, run = law_of_number(steps, gap, Fraction(rate)), Separation(steps, gap, rate)
    counts, chances = run.law(side)
    whole = max(sum(map(Fraction, chances)), 1)
    for count in range(1, run.most + 1):
        exact = sum(law[count:])
        ours = sum(Fraction(chance) for k, chance in zip(counts, chances, strict=True) if k >= count) / whole
        assert ours >= exact if side is Side.UPPER else ours <= exact
        assert abs(float(ours) - float(exact)) <= 1e-10 * float(exact) + 1e-190


@pytest.mark.nightly
def test_many_numbers_are_told_apart_coarsely():
    run = Separation(10**6, 10, 0.05)
    law = {side: run.law(side) for side in Side}
    assert all(len(counts) <= 203 and len(set(counts)) == len(counts) for counts, _ in law.values())
    means = {side: sum(k * p for k, p in zip(*law[side], strict=True)) for side in Side}
    assert means[Side.LOWER] < 10**6 * 0.05 / 1.45 < means[Side.UPPER] < 1.01 * means[Side.LOWER]


@pytest.mark.parametrize(("steps", "gap"), [(2, 2), (3, 2), (4, 2), (4, 3), (5, 3)])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_poisson_samples_are_above_in_convex_order(steps, gap, rate):
    # The ratio of a step is 1/2 or 3, with mean 1.
    ratios = ((Fraction(1, 2), Fraction(4, 5)), (Fraction(3), Fraction(1, 5)))
    outcomes = []
    for drawn in itertools.product(ratios, repeat=steps):
        mass, separated, poisson = Fraction(1), Fraction(0), Fraction(1)
        for ratio, chance in drawn:
            mass *= chance
            poisson *= 1 - rate + rate * ratio
        states = {0: Fraction(1)}  # the steps to wait, with the sum of probabilities times ratios
        for ratio, _ in drawn:
            later = {}
            for wait, value in states.items():
                moves = [(wait - 1, value)] if wait else [(0, value * (1 - rate)), (gap - 1, value * rate * ratio)]
                for state, part in moves:
                    later[state] = later.get(state, 0) + part
            states = later
        separated = sum(states.values())
        outcomes.append((mass, separated, poisson))
    assert sum(mass * one for mass, one, _ in outcomes) == sum(mass * other for mass, _, other in outcomes) == 1
    for kappa in sorted({value for _, *values in outcomes for value in values}):
        ours, theirs = (sum(one[0] * max(one[i] - kappa, 0) for one in outcomes) for i in (1, 2))
        assert ours <= theirs
