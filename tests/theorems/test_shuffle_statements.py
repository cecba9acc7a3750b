"""Shuffles, swaps and averages by enumeration, with adaptive randomizers."""

import random
from fractions import Fraction
from itertools import permutations, product

from exact_curves import curve, mean
from exact_slots import HALF, KAPPAS, adaptive

from pldcheck.theorems.statements import STATEMENTS


def answers(order, randomizer):
    """Return the law of the answers of records in an order; ``randomizer`` maps place and past answers to laws."""
    law = {(): Fraction(1)}
    for name in order:
        law = {(*past, z): mass * more for past, mass in law.items() for z, more in randomizer(past)[name].items()}
    return law


def swapped(record, others, place):
    """Return the order in which the record has traded places with place 0, 1, ..."""
    order = [record, *others]
    order[0], order[place] = order[place], order[0]
    return order


def test_shuffling_is_a_mixture_of_swaps():
    for seed in range(3):
        randomizer = adaptive(random.Random(seed), "defg", "uv", Fraction(3))
        shuffled, bound = {}, Fraction(0)
        for record in "de":
            names = (record, "f", "g")
            shuffled[record] = mean([(Fraction(1, 6), answers(order, randomizer)) for order in permutations(names)])
        swaps = {
            (record, others): mean(
                [(Fraction(1, 3), answers(swapped(record, others, i), randomizer)) for i in range(3)]
            )
            for record in "de"
            for others in permutations("fg")
        }
        for record in "de":
            assert shuffled[record] == mean([(HALF, swaps[record, others]) for others in permutations("fg")])
        for kappa in KAPPAS:
            bound = max(curve(swaps["d", others], swaps["e", others], kappa) for others in permutations("fg"))
            assert curve(shuffled["d"], shuffled["e"], kappa) <= bound


def test_swaps_are_weighted_hidden_slots_given_the_first_answer():
    for seed in range(5):
        x = Fraction(3)
        randomizer = adaptive(random.Random(seed), "defg", "uv", x)
        laws = [
            mean([(Fraction(1, 3), answers(swapped(record, "fg", i), randomizer)) for i in range(3)]) for record in "de"
        ]
        first = randomizer(())
        reference = mean([(HALF, first["f"]), (HALF, first["g"])])
        for kappa in KAPPAS:
            total = Fraction(0)
            for z, mass in reference.items():
                weights = [first[name][z] / mass for name in "fg"]
                assert max(weights) <= x * min(weights) and first["d"][z] <= x * min(weights) * mass
                start = (first["d"][z] - kappa * first["e"][z]) / mass
                second = randomizer((z,))
                for y, more in second["f"].items():
                    third = randomizer((z, y))
                    gain = weights[0] * (second["d"][y] - kappa * second["e"][y]) / more
                    for v, last in third["g"].items():
                        other = weights[1] * (third["d"][v] - kappa * third["e"][v]) / last
                        total += mass * more * last * max(start + gain + other, Fraction(0))
            assert total / 3 == curve(*laws, kappa)


def averaged(names, m, randomizer):
    """Return the law of what is released: the sorted answers of slots, whose randomizers depend on earlier ones."""
    parts = []
    for slots in product(range(m), repeat=len(names)):
        law = {(): Fraction(1)}
        for slot in range(m):
            inside = [name for name, own in zip(names, slots, strict=True) if own == slot]
            new = {}
            for past, mass in law.items():
                rows = randomizer(past)
                for outs in product("uvr", repeat=len(inside)):
                    chance = mass
                    for name, z in zip(inside, outs, strict=True):
                        chance *= rows[name].get({"r": "rest"}.get(z, z), Fraction(0))
                    if chance:
                        key = (*past, "".join(sorted(outs)))
                        new[key] = new.get(key, 0) + chance
            law = new
        parts.append((Fraction(1, m ** len(names)), law))
    return mean(parts)


def test_averages_are_processed_shuffles():
    spoiled = 0
    for seed in range(4):
        randomizer = adaptive(random.Random(seed), "defg", "uv", Fraction(3))
        m, n = 2, 3
        laws = [averaged((record, "f", "g"), m, randomizer) for record in "de"]
        # Given the number of records in the first slot: places up to it use its randomizer, the others that of the
        # second slot, which depends on the first slot's sorted answers.
        counts = [Fraction(share, 8) for share in (1, 3, 3, 1)]
        shuffles = []
        for size in range(n + 1):

            def by_place(past, size=size, randomizer=randomizer):
                known = ("".join(sorted({"rest": "r"}.get(z, z) for z in past[:size])),)
                return randomizer(() if len(past) < size else known)

            shuffles.append(
                [
                    mean([(Fraction(1, 6), answers(order, by_place)) for order in permutations((record, "f", "g"))])
                    for record in "de"
                ]
            )
        for kappa in KAPPAS:
            whole = sum(share * curve(*pair, kappa) for share, pair in zip(counts, shuffles, strict=True))
            assert curve(*laws, kappa) <= whole <= max(curve(*pair, kappa) for pair in shuffles)
            spoiled += curve(*laws, kappa) > 0
    assert spoiled > 0


def test_what_is_here_is_registered():
    assert {"averaged-shuffle", "shuffle-by-swaps", "swap-weights"} <= STATEMENTS.keys()
