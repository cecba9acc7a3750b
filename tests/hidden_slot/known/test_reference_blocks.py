"""Blocks of slots with the best choice of their own records, against the recursion in fractions over all outputs."""

from fractions import Fraction
from functools import cache
from math import inf

import numpy as np
import pytest
from test_bounded_ratio_slot import TABLES, exact_rows, ratio, table_file

from pldcheck.hidden_slot.known import bounded_ratio_laws, bounded_ratio_slot, reference_blocks
from pldcheck.hidden_slot.known.output_probabilities import Question
from pldcheck.protocols import HiddenSlot
from pldcheck.randomizers.randomizer_text import parse


def best_choice(rows, i, j, steps, kappa, weight):
    """Return delta of inputs i and j where each slot's own input is chosen after all earlier outputs, in fractions."""
    laws = [
        [((a - kappa * b) / own - (1 - weight) / weight * (kappa - 1), own) for a, b, own in zip(*one, strict=True)]
        for one in ((rows[i], rows[j], reference) for reference in rows)
    ]

    return weight / steps * largest_of_choices(laws, steps)


def largest_of_choices(laws, steps):
    """Return the largest mean of the positive part of a sum of gains, whose laws may depend on those before."""

    @cache
    def largest(left, total):
        if not left:
            return max(total, Fraction(0))
        return max(sum(mass * largest(left - 1, total + gain) for gain, mass in law) for law in laws)

    return largest(steps, Fraction(0))


def kinds_of(folder, name, weight):
    return bounded_ratio_laws.laws_of(parse(table_file(folder, TABLES[name])), None, weight, "replace").neighbours


def upper_of(kind, steps, epsilon, weight, most_work=reference_blocks.MOST_WORK):
    question = Question(epsilon, weight)
    laws = [one.gains(question) for one in kind.dominating]
    shapes = reference_blocks.SHAPES  # which some tests replace
    return reference_blocks.delta_upper(laws, kind.dominating[0].bits, steps, weight, 0.005, shapes, most_work).upper


@pytest.mark.parametrize("weight", [1.0, 0.25])
@pytest.mark.parametrize("steps", [1, 2, 4])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.nightly) if name == "four outputs" else name for name in TABLES]
)
@pytest.mark.parametrize("block", [256, 1], ids=["one block", "blocks of a step or two"])
def test_upper_ends_contain_the_best_choice_and_are_near_it(tmp_path, monkeypatch, name, steps, weight, block):
    monkeypatch.setattr(reference_blocks, "SHAPES", ((block, 0.07),))
    rows = exact_rows(TABLES[name])
    for kind in kinds_of(tmp_path, name, weight):
        i, j = (int(word) for word in kind.name.split(",")[0].split() if word.isdigit())
        for epsilon in (0.0, 0.05, 0.4):
            truth = best_choice(rows, i, j, steps, ratio(epsilon), Fraction(weight))
            upper = upper_of(kind, steps, epsilon, weight)
            assert truth <= upper <= truth * (Fraction(11, 10) if block > 1 else 2) + Fraction(1, 500)


def test_far_tails_are_near_slots_that_all_hold_one_record(tmp_path, monkeypatch):
    # Windows that ended at the largest sums, not at the nodes beyond them, left V at a floor: delta was 10 times this.
    monkeypatch.setitem(TABLES, "two rows", [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2]])
    kind, _ = kinds_of(tmp_path, "two rows", 1.0)
    attained = [bounded_ratio_slot.attained_curve(one, 9999, 1.0, 1e-4).delta(0.05438) for one in kind.each]
    least = max(ends.lower for ends in attained)
    assert 9e-13 < least <= upper_of(kind, 9999, 0.05438, 1.0) <= 1.3 * least


def test_the_number_of_slots_need_not_be_that_of_the_blocks(tmp_path, monkeypatch):
    (kind, *_) = kinds_of(tmp_path, "two inputs", 1.0)
    whole = upper_of(kind, 100, 0.3, 1.0)
    monkeypatch.setattr(reference_blocks, "SHAPES", ((30, 0.07),))
    assert reference_blocks._blocks(100, 30) == reference_blocks._blocks(97, 30) == (25, 4)
    assert whole <= upper_of(kind, 100, 0.3, 1.0) <= 1.5 * whole
    monkeypatch.setattr(reference_blocks, "SHAPES", ((7, 0.07),))
    assert reference_blocks._blocks(100, 7) == (7, 15)
    assert whole <= upper_of(kind, 100, 0.3, 1.0) <= 2.5 * whole


def test_every_pair_of_inputs_counts(tmp_path):
    laws = bounded_ratio_laws.laws_of(parse(table_file(tmp_path, TABLES["three"])), None, 1.0, "replace")
    above = bounded_ratio_slot.adaptive_curve(laws, laws.neighbours, 40, 1.0, 0.005)
    # The pair whose joined laws are largest need not be the one that is worst in the end.
    for order in (laws.neighbours, laws.neighbours[::-1]):
        ends = [upper_of(kind, 40, 0.1, 1.0) for kind in order]
        assert above.delta(0.1).upper == max(ends)


def test_the_law_of_a_block_is_nowhere_below_its_values():
    left = 40
    nodes = np.arange(-left, 61.0)
    # A convex function that rises with a slope from 0 to 1, and round-off.
    values = 0.5 * (nodes + np.sqrt(nodes**2 + 9.0)) * (1 + np.random.default_rng(3).uniform(0, 1e-14, nodes.size))
    places, masses = reference_blocks._law(values, left, 3, Fraction(100), 90.0)
    for node, value in zip(nodes[::3], values[::3], strict=True):
        transform = sum(Fraction(m) * max(x + Fraction(node), 0) for x, m in zip(places, masses, strict=True))
        assert transform >= Fraction(value) * (1 - Fraction(1, 10**30)) and transform <= value * (1 + 1e-9)
    assert min(masses) > 0


def test_what_would_take_too_long_has_no_bound(tmp_path):
    (kind, *_) = kinds_of(tmp_path, "three", 1.0)
    assert upper_of(kind, 300, 0.1, 1.0, most_work=1e4) == inf


@pytest.mark.parametrize(("steps", "blocks"), [(1, 1), (1250, 1), (1251, 8), (9_999, 8), (10_001, 9), (10**6, 800)])
def test_points_of_curves_have_one_block_or_several(steps, blocks):
    length, _ = reference_blocks.shapes_of_curves(steps)[0]
    block, power = reference_blocks._blocks(steps, length)
    assert power == blocks and block * power >= steps


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(40))
def test_random_tables_have_upper_ends_above_the_best_choice(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(reference_blocks, "SHAPES", ((int(rng.choice([256, 1, 2])), 0.07),))
    size, outputs, steps = rng.integers(2, 4), rng.integers(2, 4), int(rng.integers(2, 5))
    power, weight = rng.choice([0.1, 1.0, 3.0]), float(rng.choice([1.0, 0.3, 0.01]))
    rows = np.exp(power * rng.standard_normal((size, outputs)))
    if rng.random() < 0.3:
        rows[-1] = rows[0] * (1 + 1e-6 * rng.random(outputs))  # nearly equal rows
    rows = (rows / rows.sum(axis=1, keepdims=True)).tolist()
    monkeypatch.setitem(TABLES, "random", rows)
    for kind in kinds_of(tmp_path, "random", weight):
        i, j = (int(word) for word in kind.name.split(",")[0].split() if word.isdigit())
        for epsilon in (0.0, 1e-9, float(rng.uniform(0, power))):
            truth = best_choice(exact_rows(rows), i, j, steps, ratio(epsilon), Fraction(weight))
            upper = upper_of(kind, steps, epsilon, weight)
            assert truth <= upper


@pytest.mark.parametrize("rare", [1e-12, 1e-270])
def test_outputs_that_are_too_rare_for_a_grid_leave_the_bound_to_others(tmp_path, monkeypatch, rare):
    monkeypatch.setitem(TABLES, "rare", [[rare, 1 - rare], [0.5, 0.5], [0.25, 0.75]])
    assert max(upper_of(kind, 100, 0.1, 1.0) for kind in kinds_of(tmp_path, "rare", 1.0)) == inf
    interval = HiddenSlot(100, randomizer=table_file(tmp_path, TABLES["rare"])).delta(0.1)
    assert 0.0 <= interval.lower <= interval.upper <= 1.0


# Measured before: 28 % wide, as the laws of all own records were joined slot by slot.
@pytest.mark.parametrize(("name", "steps", "width"), [("two inputs", 300, 2e-3), ("four outputs", 3000, 0.025)])
def test_tables_are_narrow(tmp_path, name, steps, width):
    slot = HiddenSlot(steps, randomizer=table_file(tmp_path, TABLES[name]))
    interval = slot.epsilon(1e-6)
    assert interval.relative_width < width and "best adaptive choice" in interval.sources[1]
    delta = slot.delta(interval.upper)
    assert delta.lower <= delta.upper <= 1e-6


# Measured before: ten recursions, five epsilons for two kinds of neighbours each.
def test_an_epsilon_takes_few_recursions_and_those_of_equal_laws_once(tmp_path, monkeypatch):
    asked, delta_upper = [], reference_blocks.delta_upper

    def counted(laws, *others):
        asked.append(laws)
        return delta_upper(laws, *others)

    monkeypatch.setattr(reference_blocks, "delta_upper", counted)
    rows = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25]]
    # Outputs in the other order are those of the record and its replacement exchanged.
    interval = HiddenSlot(300, randomizer=table_file(tmp_path, rows)).epsilon(1e-6)
    assert len(asked) <= 3 and interval.relative_width < 0.01


@pytest.mark.parametrize(("length", "power"), [(9, 2), (25, 3), (4, 5)])
def test_sums_on_the_lattice_are_above_sums_of_their_places(tmp_path, monkeypatch, length, power):
    # A coarse law, so that all its places can be added up exactly; two of them are outside the lattice.
    monkeypatch.setattr(reference_blocks, "SPACING", 1.6)
    (kind, *_) = kinds_of(tmp_path, "two inputs", 1.0)
    laws = [one.gains(Question(0.3, 1.0)) for one in kind.dominating]
    recursion = reference_blocks._Moments.of(laws, kind.dominating[0].bits).recursion(100, length, 0.2)
    places, masses = recursion._places_and_masses()
    assert len({place % recursion.every for place in places}) > 1
    sums = {Fraction(0): Fraction(1)}
    for _ in range(power):
        after = {}
        for total, chance in sums.items():
            for place, mass in zip(places, masses, strict=True):
                after[total + place] = after.get(total + place, 0) + chance * Fraction(mass)
        sums = after
    step = Fraction(recursion.step)
    ends = min(sums), max(sums)
    for share in (Fraction(1, 99), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(101, 100)):
        start = -(ends[0] + share * (ends[1] - ends[0])) * step
        truth = sum(chance * max(start + total * step, 0) for total, chance in sums.items())
        upper = recursion.sum_on_lattice(power, start)
        assert truth <= upper <= truth * Fraction(101, 100) + step / 100  # two places are split far apart here


def test_long_sums_are_left_to_the_characteristic_function(tmp_path, monkeypatch):
    (kind, *_) = kinds_of(tmp_path, "two inputs", 1.0)
    laws = [one.gains(Question(0.3, 1.0)) for one in kind.dominating]
    recursion = reference_blocks._Moments.of(laws, kind.dominating[0].bits).recursion(10**6, 30, 0.2)
    assert recursion.sum_on_lattice(4, Fraction(-1)) < inf == recursion.sum_on_lattice(30_000, Fraction(-1))
    near = [upper_of(kind, 120, 0.3, 1.0)]
    monkeypatch.setattr(reference_blocks, "SHAPES", ((30, 0.07),))
    for most in (reference_blocks.MOST_CONVOLVED, 0.0):
        monkeypatch.setattr(reference_blocks, "MOST_CONVOLVED", most)
        near.append(upper_of(kind, 120, 0.3, 1.0))
    assert near[0] <= near[1] <= near[2] * (1 + 1e-9) <= near[1] * 1.01
