"""Check-ins, windows and slots of other weights by enumeration, with adaptive randomizers."""

import random
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product

import pytest
from exact_curves import budgeted, curve, kinks, mean
from exact_slots import BUDGETS, HALF, KAPPAS, adaptive, extreme, slots_by_enumeration, worst_slot

from pldcheck.theorems.statements import STATEMENTS


def served(slots, arrivals, randomizer, order):
    """Return the law of all outputs: in each slot the first client there, in some order, or the dummy, is used."""
    law = {(): Fraction(1)}
    for slot in slots:
        there = [name for name in order[slot] if arrivals.get(name) == slot]
        name = there[0] if there else ""
        law = {(*past, z): mass * more for past, mass in law.items() for z, more in randomizer(past)[name[:1]].items()}
    return law


def clients_by_enumeration(windows, chance, released, randomizer):
    """Return the law of all outputs; ``windows`` maps clients to their slots, all check in with the same chance.

    The server uses a client of the slot, chosen uniformly: each order of all clients has the same probability.
    """
    names = list(windows)
    parts = []
    options = [[(None, 1 - chance), *((slot, chance / len(own)) for slot in own)] for own in windows.values()]
    orders = list(permutations(names))
    for choice in product(*options):
        share = Fraction(1)
        for _, one in choice:
            share *= one
        if not share:
            continue
        arrivals = {name: slot for name, (slot, _) in zip(names, choice, strict=True)}
        crowded = [slot for slot in released if sum(place == slot for place in arrivals.values()) > 1]
        for of_slots in product(orders, repeat=len(crowded)):
            order = dict.fromkeys(released, names) | dict(zip(crowded, of_slots, strict=True))
            parts.append((share / len(orders) ** len(crowded), served(released, arrivals, randomizer, order)))
    return mean(parts)


def largest_excess(laws, bound):
    """Return the largest amount by which the curve of two laws, in either order, is above a bound, at some kappas."""
    one, other = laws
    places = {kappa for kappa in kinks(one, other) | kinks(other, one) if 1 <= kappa <= 3}
    places = sorted(places)[:: max(len(places) // 4, 1)]
    return max(max(curve(one, other, kappa), curve(other, one, kappa)) - bound(kappa) for kappa in [*KAPPAS, *places])


def check_ins(m, others, chance, randomizer):
    """Return the laws of check-ins with the record d and with e; the others are f and g."""
    names = ("f", "g")[:others]
    return [
        clients_by_enumeration({name: range(m) for name in (record, *names)}, chance, range(m), randomizer)
        for record in "de"
    ]


@pytest.mark.parametrize(("m", "others"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_check_ins_reveal_at_most_a_hidden_slot(m, others):
    for seed in range(4):
        draw = random.Random(seed)
        x, chance = draw.choice(BUDGETS), Fraction(draw.randint(1, 3), 3)
        randomizers = [adaptive(draw, ("d", "e", "f", "g", ""), "uv", x), extreme(x, "CF"), extreme(x, "BE")]
        for randomizer in randomizers:
            laws = check_ins(m, others, chance, randomizer)
            assert largest_excess(laws, partial(worst_slot, m, x, weight=chance)) <= 0


def test_check_ins_of_one_client_reveal_as_much_as_the_hidden_slot():
    x = Fraction(3)
    laws = check_ins(1, 0, HALF, extreme(x, "CF"))
    assert curve(*laws, Fraction(11, 10)) == worst_slot(1, x, Fraction(11, 10), HALF) > 0
    # With a smaller weight it would be violated.
    assert largest_excess(laws, lambda kappa: worst_slot(1, x, kappa, Fraction(49, 100))) > 0


def unequal_slot(x, kappa, weights):
    """Return the largest delta of a hidden slot in which the record is used with these probabilities."""

    def value(t, u):
        if t == len(weights):
            return max(u, Fraction(0))
        return max(sum(p * value(t + 1, u + weights[t] * s) for p, s in law) for law in one_step(x, kappa))

    return value(0, 1 - kappa)


def one_step(x, kappa):
    """Return the three worst laws of a - 1 - kappa (a' - 1), as pairs (probability, value)."""
    b, c, e = 1 - 1 - kappa * (1 / x - 1), x - 1, -kappa * (x - 1)
    a, f = (1 / x - 1) * (1 - kappa), 1 / x - 1
    return (
        [(x / (x + 1), b), (1 / (x + 1), e)],
        [(1 / (x + 1), c), (x / (x + 1), f)],
        [(x / (x + 2), a), (1 / (x + 2), c), (1 / (x + 2), e)],
    )


def used_unequally(m, chances, randomizer, record):
    """Return the law of all outputs where the record is used in slot i with the probability ``chances[i]``."""
    nowhere = slots_by_enumeration(m, Fraction(0), randomizer, record, "")
    parts = [(1 - sum(chances), nowhere)]
    for place, chance in enumerate(chances):
        law = {(): Fraction(1)}
        for slot in range(m):
            name = record if slot == place else ""
            law = {(*past, z): mass * more for past, mass in law.items() for z, more in randomizer(past)[name].items()}
        parts.append((chance, law))
    return mean(parts)


def test_slots_that_are_used_less_often_are_slots_of_other_randomizers():
    for seed in range(5):
        draw = random.Random(seed)
        x, m, weight = Fraction(3), 2, Fraction(draw.randint(1, 3), 3)
        randomizer = adaptive(draw, ("d", "e", ""), "uv", x)
        shares = [Fraction(draw.randint(0, 4), 4) for _ in range(m)]

        def less(past, randomizer=randomizer, shares=shares):
            rows, share = randomizer(past), shares[len(past)]
            return {name: {z: share * row[z] + (1 - share) * rows[""][z] for z in row} for name, row in rows.items()}

        assert budgeted(less(()).values(), x) == budgeted(less(("u",)).values(), x) == 0
        for record in "de":
            chances = [weight / m * share for share in shares]
            law = used_unequally(m, chances, randomizer, record)
            assert law == slots_by_enumeration(m, weight, less, record, "")


def test_known_clients_share_the_weight_of_each_slot():
    spoiled = 0
    for m, others in ((1, 1), (1, 2), (2, 1), (2, 2)):
        for chance in (HALF, Fraction(1)):
            x = Fraction(3)

            @cache
            def bound(kappa, m=m, others=others, chance=chance, x=x):
                total = Fraction(0)
                for slots in product((None, *range(m)), repeat=others):
                    share = Fraction(1)
                    for slot in slots:
                        share *= 1 - chance if slot is None else chance / m
                    weights = [chance / (slots.count(slot) + 1) / m for slot in range(m)]
                    total += share * unequal_slot(x, kappa, weights)
                return total

            for seed in range(2):
                draw = random.Random(seed)
                for randomizer in (adaptive(draw, ("d", "e", "f", "g", ""), "uv", x), extreme(x, "CF")):
                    laws = check_ins(m, others, chance, randomizer)
                    assert largest_excess(laws, bound) <= 0
            kappa = Fraction(11, 10)
            assert bound(kappa) <= worst_slot(m, x, kappa, chance)
            spoiled += bound(kappa) < worst_slot(m, x, kappa, chance)
    assert spoiled > 0


def windows(m, n, record, present, randomizer):
    """Return the law of all released outputs; client j has the slots j to j + m - 1, and some clients are absent."""
    place, names = record[1], {}
    for j in range(1, n + 1):
        if j == place:
            names[record[0]] = range(j, j + m)
        elif j in present:
            names["f" if "f" not in names else f"g{j}"] = range(j, j + m)
    return clients_by_enumeration(names, Fraction(1), range(m, n + 1), randomizer)


SLOW_WINDOWS = [pytest.param(m, n, marks=pytest.mark.nightly) for m, n in ((2, 4), (3, 4))]


@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 3), (3, 3), *SLOW_WINDOWS])
def test_windows_of_few_clients_reveal_at_most_the_released_slots(m, n):
    visible, x = min(m, n - m + 1), Fraction(3)
    bound = cache(lambda kappa: worst_slot(visible, x, kappa, Fraction(visible, m)))
    whole = cache(lambda kappa: worst_slot(m, x, kappa, Fraction(1)))
    attained = False
    for place in range(1, n + 1):
        for present in ((), tuple(range(1, n + 1))):
            if len(present) > 3 and m == 3:
                present = present[:3]
            for randomizer in (
                adaptive(random.Random(place), ("d", "e", "f", "g", ""), "uv", x),
                extreme(x, "CF"),
                extreme(x, "BE"),
            ):
                laws = [windows(m, n, (record, place), present, randomizer) for record in "de"]
                assert largest_excess(laws, bound) <= 0 and largest_excess(laws, whole) <= 0
                if visible == 1:
                    less = Fraction(visible, m) * Fraction(9, 10)
                    attained |= largest_excess(laws, lambda kappa, w=less: worst_slot(1, x, kappa, w)) > 0
    assert attained or visible > 1


def test_what_is_here_is_registered():
    names = {"less-used-slot", "check-in-slot", "known-clients", "sliding-window-slot", "few-clients-window"}
    assert names <= STATEMENTS.keys()
