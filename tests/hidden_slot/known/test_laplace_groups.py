"""Laws in two groups that dominate all triples of records of Laplace noise, against noise in cells, without slack."""

import random
from fractions import Fraction

import pytest

from pldcheck.hidden_slot.known import laplace_groups, laplace_outer_records
from pldcheck.hidden_slot.known.laplace_outer_records import LaplaceOuterRecords
from pldcheck.hidden_slot.known.laplace_record_ranges import LaplaceRecords
from pldcheck.hidden_slot.known.output_probabilities import CELLS, LaplaceNoise, Question


def law_of_three(noise, own, record, replacement, question):
    """Return gains, rounded down, and masses of any three records on a grid, outputs merged to cells.

    Merging draws gains together.
    """
    rows = [noise.cells(Fraction(place)) for place in (record, replacement, own)]
    kappa = question.kappa(noise.bits)
    return [((int(p) << noise.bits) - kappa * int(q)) // int(w) for p, q, w in zip(*rows, strict=True)], rows[2]


def transform(law, t):
    return sum(int(mass) * max(int(value) - t, 0) for value, mass in zip(*law, strict=True))


def spots(draw, law, count=12):
    """Return places at which transforms are compared: the values of a law, and between its outermost ones."""
    low, high = int(min(law[0])), int(max(law[0]))
    return [*map(int, law[0]), *(low + (high - low) * draw.randrange(1000) // 1000 for _ in range(count))]


def dominates(law, other, places, bits):
    """Return whether the transform of a law is nowhere below that of another, but for its integers."""
    tiny = 1 << bits + bits // 2
    return all(transform(other, t) <= transform(law, t) + tiny for t in places)


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0, 6.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("farther", [False, True])
def test_the_law_of_a_range_dominates_every_distance_in_it(eps0, share, farther):
    noise, question, draw = LaplaceNoise(eps0, 1.0), Question(share * eps0, 1.0), random.Random(int(10 * eps0))
    bits, one = noise.bits, 1 << noise.bits
    for first, last in ((0, 12), (0, 200), (60, 60), (60, 90), (150, 200), (200, 200)):
        law = LaplaceOuterRecords(noise, Fraction(first, CELLS), Fraction(last, CELLS), farther)
        law = law.gains(question)
        assert law[1].min() >= 0 and law[1].sum() == one
        assert abs(int(law[0] @ law[1]) - one * (one - question.kappa(bits))) <= 1 << bits + bits // 2
        for x in {first, last, draw.randint(first, last)}:
            others = (1, Fraction(x, CELLS)) if farther else (Fraction(x, CELLS), 1)
            other = law_of_three(noise, 0, *others, question)
            assert dominates(law, other, spots(draw, law), bits)
        if first == last:
            # About where gains change their sign; in the far tails cells are wider.
            assert transform(law, 0) <= transform(other, 0) * 102 // 100 + one


@pytest.mark.parametrize("eps0", [0.05, 0.3, 1.0, 3.0, 6.0])
def test_the_ranges_of_two_groups_cover_all_records(eps0):
    left, right = laplace_groups.groups(eps0)
    between = [[one for one in group if isinstance(one, LaplaceRecords)] for group in (left, right)]
    assert left[0].first == left[0].last == 0 and right[0].first == right[0].last == 1
    edges = [(one.first, one.last) for one in between[0][1:]]
    assert edges[0][0] == 0 and edges[-1][1] >= Fraction(1, 2)
    assert all(here[1] == after[0] for here, after in zip(edges, edges[1:], strict=False))
    assert [(1 - one.last, 1 - one.first) for one in between[1]] == [(one.first, one.last) for one in between[0]]
    assert len(edges) <= 40
    for group, farther in ((left, False), (right, True)):
        outer = [one for one in group if isinstance(one, LaplaceOuterRecords)]
        assert outer[0].first == 0 and outer[-1].last == 1 and all(one.farther == farther for one in outer)
        assert all(here.last == after.first for here, after in zip(outer, outer[1:], strict=False))
        assert len(outer) <= 12


def dominating(groups, own, record, replacement):
    """Return the laws of the groups one of which dominates three records with record < replacement."""
    left, right = groups
    if own < record:
        return [one for one in left if isinstance(one, LaplaceOuterRecords) and one.first <= record - own <= one.last]
    if own > replacement:
        far = own - replacement
        return [
            left[0],
            *(one for one in right if isinstance(one, LaplaceOuterRecords) and one.first <= far <= one.last),
        ]
    return [one for one in (*left, *right) if isinstance(one, LaplaceRecords) and one.first <= own <= one.last]


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0, 6.0])
def test_some_law_of_the_groups_dominates_any_three_records(eps0):
    draw, noise, groups = random.Random(int(10 * eps0)), LaplaceNoise(eps0, 1.0), laplace_groups.groups(eps0)
    sides = set()
    for _ in range(24):
        question = Question(draw.choice([0.0, 0.05, 0.3, 0.8]) * eps0, 1.0)
        record, replacement = sorted(draw.sample(range(CELLS + 1), 2))
        own = draw.choice(
            [draw.randint(0, record), draw.randint(record, replacement), draw.randint(replacement, CELLS)]
        )
        places = [Fraction(place, CELLS) for place in (own, record, replacement)]
        mirrored = [1 - place for place in places]
        laws = [law.gains(question) for law in dominating(groups, *places)]
        sides.add((own > record) + (own > replacement))
        for three in (places, mirrored):
            other = law_of_three(noise, *three, question)
            assert any(dominates(law, other, spots(draw, law, 4), noise.bits) for law in laws)
    assert sides == {0, 1, 2}


def test_own_records_between_two_at_the_ends_do_not_dominate_all():
    # Otherwise the laws of outer records would not be needed.
    noise, question = LaplaceNoise(3.0, 1.0), Question(0.1, 1.0)
    other = law_of_three(noise, 0, Fraction(1, 5), 1, question)
    between = [law for group in laplace_groups.groups(3.0) for law in group if isinstance(law, LaplaceRecords)]
    for place in (*range(0, CELLS + 1, 10), *between):
        if isinstance(place, int):
            place = LaplaceRecords(noise, Fraction(place, CELLS), Fraction(place, CELLS))
        law = place.gains(question)
        places = [*spots(random.Random(1), law), *spots(random.Random(1), other)]
        assert not dominates(law, other, places, noise.bits)


def test_a_range_of_distances_costs_little():
    noise, question = LaplaceNoise(3.0, 1.0), Question(0.0, 1.0)
    moments = []
    for law in (LaplaceRecords(noise, Fraction(0), Fraction(0)), *laplace_outer_records.records(3.0, farther=False)):
        values, masses = law.gains(question)
        moments.append(Fraction(int(values**2 @ masses), 1 << 3 * noise.bits))
    assert max(moments[1:]) <= moments[0] * Fraction(1005, 1000)
