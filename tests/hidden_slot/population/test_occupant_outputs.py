"""The fourteen laws of a slot that others may occupy unseen, against all extreme laws in fractions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest
from adaptive_check_ins import solution

from pldcheck.hidden_slot.population.occupant_outputs import (
    EMPTY_OUTPUTS,
    LAWS,
    OUTPUTS,
    likelihoods,
    multisets,
    place_of_gain,
    successors,
)

LETTERS = "GCEO"


def row(output, x):
    return [x if letter in output else Fraction(1) for letter in LETTERS]


def extreme_laws(x):
    """Return all extreme laws, as mappings from outputs to masses."""
    outputs = ["".join(letters) for size in (1, 2, 3) for letters in combinations(LETTERS, size)]
    laws = []
    for size in (1, 2, 3, 4):
        for some in combinations(outputs, size):
            try:
                masses = solution([row(output, x) for output in some])
            except (AssertionError, StopIteration):  # they do not sum to ones, or are dependent
                continue
            if all(mass > 0 for mass in masses):
                laws.append(dict(zip(some, masses, strict=True)))
    return laws


def same(output):
    """Return the letters in one order."""
    return "".join(letter for letter in LETTERS if letter in output)


@pytest.mark.parametrize("x", [Fraction(11, 10), Fraction(3), Fraction(100)])
def test_the_laws_are_the_extreme_ones_without_outputs_of_both_records(x):
    laws = extreme_laws(x)
    assert len(laws) == 41  # the minimal balanced collections of four players
    ours = []
    for law in LAWS:
        counts = Counter(law)
        total = sum(count * row(output, x)[0] for output, count in counts.items())
        assert all(sum(c * row(output, x)[i] for output, c in counts.items()) == total for i in range(4))
        ours.append({same(output): Fraction(count) / total for output, count in counts.items()})
    without = [law for law in laws if not any("CE" in output for output in law)]
    assert len(ours) == len(without) and all(law in without for law in ours)


def test_every_other_extreme_law_is_in_one_of_the_three_cases_of_the_proof():
    x = Fraction(5)
    w = 1 / (3 * x + 2)
    three = [
        {"CE": 1 / (2 * x + 1), "GEO": 1 / (2 * x + 1), "GCO": 1 / (2 * x + 1)},
        {"CE": w, "EO": w, "GE": w, "GCO": 2 * w},
        {"CE": w, "CO": w, "GC": w, "GEO": 2 * w},
    ]
    cases = Counter()
    for law in extreme_laws(x):
        both = sum(mass for output, mass in law.items() if "CE" in output)
        neither = sum(mass for output, mass in law.items() if "C" not in output and "E" not in output)
        if not both:
            continue
        if both <= neither:
            cases[1] += 1
        elif not any(set(output) <= {"C", "E"} for output in law):  # g = b = 1 nowhere
            cases[2] += 1
        else:
            assert law in three
            cases[3] += 1
    assert sum(cases.values()) == 27 and cases[3] == 3


@pytest.mark.nightly
@pytest.mark.parametrize("x", [Fraction(11, 10), Fraction(3), Fraction(50)])
def test_no_extreme_law_is_better_for_random_convex_functions(x):
    rng = Random(str(x))
    laws, ours = extreme_laws(x), {tuple(sorted(map(same, law))) for law in LAWS}
    ours = [law for law in laws if not any("CE" in output for output in law)]
    for share in (0, Fraction(1, 20), Fraction(1, 2), 1):
        kappa = 1 + share * (x - 1)
        for _ in range(40):
            planes = [
                (rng.randrange(-9, 10), rng.randrange(-9, 10), rng.randrange(10)) for _ in range(rng.randrange(1, 5))
            ]

            def value(output, planes=planes, kappa=kappa):
                g, a, b_prime, b = row(output, x)
                return max(0, *(p * g + q * b + r * (a - kappa * b_prime) for p, q, r in planes))

            best = max(sum(mass * value(output) for output, mass in law.items()) for law in ours)
            assert all(sum(mass * value(output) for output, mass in law.items()) <= best for law in laws)


def test_likelihoods_and_gains_of_outputs_follow_their_letters():
    assert list(likelihoods(OUTPUTS, "G", 3.0)) == [3.0 if "G" in output else 1.0 for output in OUTPUTS]
    assert [place_of_gain(output) for output in EMPTY_OUTPUTS] == [0, 1, 1, 2, 2]


def test_successors_are_a_numbering_of_multisets():
    for kinds in (5, 11):
        ranks = {(): 0}
        for count in range(4):
            assert len(ranks) == multisets(kinds, count) and sorted(ranks.values()) == list(range(len(ranks)))
            table, after = successors(kinds, count), {}
            for outputs, kind in product(ranks, range(kinds)):
                one = tuple(sorted((*outputs, kind)))
                assert after.setdefault(one, table[ranks[outputs], kind]) == table[ranks[outputs], kind]
            ranks = after
