"""Laws for ranges of records of Laplace noise, against noise in cells, and two groups of slots against all splits."""

import random
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from test_bounded_ratio_slot import exact_rows, table_file

from pldcheck.hidden_slot.known import (
    bounded_ratio_laws,
    laplace_groups,
    laplace_record_ranges,
    reference_blocks,
    two_group_blocks,
)
from pldcheck.hidden_slot.known.laplace_record_ranges import LaplaceRecords
from pldcheck.hidden_slot.known.output_probabilities import LaplaceNoise, Question
from pldcheck.randomizers.randomizer_text import parse


def law_in_cells(noise, place, question):
    """Return gains and masses of slots with one own record, outputs merged to 202 cells, which draws them together."""
    zero, own, one = (noise.cells(Fraction(record)) for record in (0, place, 1))
    kappa = Fraction(question.kappa(noise.bits), 1 << noise.bits)
    return [(Fraction(int(p)) - kappa * int(q)) / int(w) for p, q, w in zip(zero, one, own, strict=True)], own


def transform(values, masses, t, one):
    return sum(Fraction(int(mass), one) * max(value - t, 0) for value, mass in zip(values, masses, strict=True))


@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.6])
def test_the_law_of_a_range_dominates_every_record_in_it(eps0, share):
    noise, question, draw = LaplaceNoise(eps0, 1.0), Question(share * eps0, 1.0), random.Random(int(10 * eps0))
    one = 1 << noise.bits
    tiny = Fraction(1, 1 << noise.bits // 2)  # of the integers
    for first, last in ((0, 0), (1, 1), (0, Fraction(1, 10)), (Fraction(3, 10), Fraction(1, 2)), (Fraction(4, 5), 1)):
        law = LaplaceRecords(noise, Fraction(first), Fraction(last))
        values, masses = law.gains(question)
        gains = [Fraction(int(value), one) for value in values]
        assert masses.min() >= 0 and masses.sum() == one
        inside = [draw.choice(gains) * Fraction(draw.randrange(99), 99) for _ in range(20)]
        spots = [gains[0], min(gains), max(gains), *inside]
        for place in {Fraction(first), Fraction(last), first + (last - first) * Fraction(draw.randrange(1, 100), 100)}:
            own, chances = law_in_cells(noise, place, question)
            for t in spots:
                assert transform(own, chances, t, one) <= transform(gains, masses, t, one) + tiny
        if first == last:
            # About where gains change their sign; far tails are wider.
            mean = transform(own, chances, Fraction(0), one)
            assert transform(gains, masses, Fraction(0), one) <= mean * Fraction(102, 100)


@pytest.mark.parametrize("eps0", [0.3, 3.0])
def test_the_second_moment_is_that_of_the_law(eps0):
    for first, last in ((0, 0), (0, 0.25), (0.25, 0.5), (0.5, 0.5)):
        law = LaplaceRecords(LaplaceNoise(eps0, 1.0), Fraction(first), Fraction(last))
        rows = law.gains(Question(0.0, 1.0))
        values, masses = ([float(Fraction(int(one), 1 << law.bits)) for one in row] for row in rows)
        exact = float(np.dot(np.square(values), masses))
        assert laplace_record_ranges.second_moment(eps0, first, last) == pytest.approx(exact, rel=0.01)


def every_split(rows, slots, kappa):
    """Return delta of inputs 0 and 1 where the own records are input 0 in f slots and 1 in the rest, the worst f."""

    def sums(own, count):
        """Return the law of a sum of gains: two outputs, so it is that of a binomial number."""
        first, second = ((rows[0][y] - kappa * rows[1][y]) / own[y] for y in (0, 1))
        return [
            (k * first + (count - k) * second, comb(count, k) * own[0] ** k * own[1] ** (count - k))
            for k in range(count + 1)
        ]

    return max(
        sum(p * q * max(x + y, 0) for x, p in sums(rows[0], f) for y, q in sums(rows[1], slots - f)) / slots
        for f in range(slots + 1)
    )


@pytest.mark.parametrize("lengths", [4, 8, 3])
@pytest.mark.parametrize("slots", [8, 17, 30])
def test_two_groups_contain_every_split(tmp_path, monkeypatch, slots, lengths):
    monkeypatch.setattr(two_group_blocks, "LENGTHS", ((0, lengths),))
    monkeypatch.setattr(two_group_blocks, "SHORT", 2)
    table = [[0.75, 0.25], [0.375, 0.625]]
    laws = bounded_ratio_laws.laws_of(parse(table_file(tmp_path, table)), None, 1.0, "replace")
    kind, question = laws.neighbours[0], Question(0.1, 1.0)
    kappa = Fraction(question.kappa(400), 1 << 400)
    groups = tuple((one,) for one in kind.dominating)
    truth = every_split(exact_rows(table), slots, kappa)
    assert truth <= two_group_blocks.delta_upper(groups, slots, question, 1e-4) <= 1.5 * float(truth)


@pytest.mark.nightly
def test_two_groups_are_nearer_than_free_choices():
    left, right = laplace_groups.groups(3.0)
    question, slots = Question(0.0382, 1.0), 99_999
    bound = two_group_blocks.delta_upper((left, right), slots, question, 1e-4)
    either = list({id(one): one for one in (*left, *right)}.values())

    def blocks_of_64(records):
        laws = [one.gains(question) for one in records]
        return reference_blocks.delta_upper(laws, records[0].bits, slots, 1.0, 1e-4, ((64, 0.07),)).upper

    alike = blocks_of_64(left[:1])
    assert alike <= bound * 1.001
    assert bound <= 1.15 * alike < 1.6 * alike < blocks_of_64(either)
