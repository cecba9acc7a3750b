"""Who is used in which slot, against all assignments of a few clients, in fractions."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

from pldcheck.hidden_slot.population.occupant_weights import OccupantWeights


@pytest.mark.parametrize(
    ("m", "others", "p0"), [(1, 1, 1.0), (1, 3, 0.5), (2, 2, 1.0), (3, 2, 0.5), (3, 4, 1.0), (4, 3, 0.75)]
)
def test_weights_are_those_of_all_assignments(m, others, p0):
    share = Fraction(p0)
    nowhere, used = defaultdict(Fraction), defaultdict(Fraction)
    for own, *slots in product(range(m + 1), repeat=others + 1):
        chance = Fraction(1)
        for slot in (own, *slots):
            chance *= 1 - share if slot == m else share / m
        filled = frozenset(slots) - {m}
        if own < m:
            use = chance / (slots.count(own) + 1)
            used[filled, own] += use
            chance -= use
        nowhere[filled] += chance
    weights = OccupantWeights(m, others, p0)
    for (filled, own), chance in used.items():
        expected = weights.used_among_others(len(filled) - 1) if own in filled else weights.used_alone(len(filled))
        assert chance == expected
    for filled, chance in nowhere.items():
        assert chance == weights.not_used(len(filled))
        assert sum((used[filled, own] for own in range(m)), chance) == weights.filled(len(filled))
    assert sum(nowhere.values()) + sum(used.values()) == 1
