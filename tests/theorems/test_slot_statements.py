"""The statements on hidden slots, shuffles and swaps: whole protocols by enumeration in fractions, with adaptive
randomizers, and what is violated where a statement says less.
"""

import random
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product
from math import comb

import pytest
from exact_curves import (
    approximate_pair,
    budgeted,
    curve,
    kinks,
    mean,
    pure_laws,
    random_law,
    slots_by_enumeration,
    worst_slot,
    worst_sum,
)

from pldcheck.theorems.statements import STATEMENTS

BUDGETS = (Fraction(3, 2), Fraction(3), Fraction(8))
KAPPAS = (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(3))
HALF = Fraction(1, 2)


def adaptive(draw, inputs, outcomes, x):
    """Return a randomizer that depends on the past outputs: (log x)-DP, drawn anew for every past."""

    @cache
    def randomizer(past):
        return pure_laws(draw, inputs, outcomes, x)

    return randomizer


def extreme(x, name):
    """Return the randomizer of a worst law on the record d, its replacement e, and all others."""
    rows = {"CF": {"d": (x, 1), "e": (1, x), "": (1, x)}, "BE": {"d": (x, 1), "e": (1, x), "": (x, 1)}}[name]

    def randomizer(past):
        return {
            key: {z: Fraction(mass) / (x + 1) for z, mass in enumerate(rows.get(key, rows[""]))}
            for key in ("d", "e", "", "f", "g")
        }

    return randomizer


# --- Check-ins and windows --------------------------------------------------------------------------------------------


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


# --- Approximate randomizers ------------------------------------------------------------------------------------------


def triples(draw, x):
    """Return laws on the record, its replacement and the reference that are not pure, and their least delta0."""
    kind = draw.randrange(3)
    if kind == 0:
        rows = {key: random_law(draw, "uvw", 0.2, 12) for key in ("d", "e", "")}
    else:
        rows = pure_laws(draw, ("d", "e", ""), "uv", x)
        if kind == 1:  # the record or its replacement is revealed now and then
            share = Fraction(1, draw.randint(4, 30))
            for key in "de":
                rows[key] = {**{z: (1 - share) * mass for z, mass in rows[key].items()}, key: share}
        else:  # some mass of each row is elsewhere
            for key, row in rows.items():
                moved = min(row["u"], Fraction(draw.randint(0, 9), 100))
                rows[key] = {**row, "u": row["u"] - moved, "v": row["v"] + moved}
    return rows, budgeted(rows.values(), x)


def approximate_randomizers(draw, x, most):
    """Return an adaptive randomizer of two slots with outputs as in ``triples``, and its delta0, which is limited."""
    tables, largest = {}, Fraction(0)

    def table():
        while True:
            rows, delta0 = triples(draw, x)
            if delta0 <= most:
                return rows, delta0

    tables[()], largest = table()
    for z in set().union(*tables[()].values()):
        tables[z,], delta0 = table()
        largest = max(largest, delta0)
    return tables.__getitem__, largest


def replaced_slot(m, weight, randomizer):
    return [slots_by_enumeration(m, weight, randomizer, record, "") for record in "de"]


def clipped(x, delta0, m, weight, kappa):
    """Return the bound of clipped-slot."""
    share = max(Fraction(1), 3 / (1 + x)) * delta0
    return worst_slot(m, x * (1 + share) / (1 - share), kappa, weight) + weight * share * (kappa + 1)


def near_pure(x, delta0, m, weight, kappa):
    """Return the bound of near-pure-slot; 1 where it says nothing."""
    rho = 2 * delta0 / x
    sigma, wider = rho - delta0, x * (1 + rho) / (1 - delta0)
    v = weight * wider / (1 + weight * (wider - 1))
    k = 1 + (kappa - 1 - (sigma + kappa * delta0) * v) / (1 + sigma)
    if k < 1:
        return Fraction(1)
    g = kappa / (1 + min(sigma, Fraction(0))) + max(wider - 1, k * (1 - 1 / wider))
    total = Fraction(0)
    for jumps in range(m + 1):
        chance = comb(m, jumps) * rho**jumps * (1 - rho) ** (m - jumps)
        total += chance * worst_sum(m, wider, k, weight, 1 - k + weight / m * g * jumps)
    return weight * delta0 + (1 + sigma) * total


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("bound", [clipped, near_pure])
def test_approximate_randomizers_in_hidden_slots(m, bound):
    spoiled = 0
    for seed in range(60 if m == 1 else 20):
        draw = random.Random(seed)
        x, weight = draw.choice((Fraction(11, 10), *BUDGETS)), Fraction(draw.randint(1, 3), 3)
        randomizer, delta0 = approximate_randomizers(draw, x, Fraction(1, 5))
        one, other = replaced_slot(m, weight, randomizer)
        for kappa in KAPPAS:
            delta = max(curve(one, other, kappa), curve(other, one, kappa))
            assert delta <= bound(x, delta0, m, weight, kappa)
            # Without what delta0 costs it would be violated.
            spoiled += delta > worst_slot(m, x, kappa, weight)
    assert spoiled > 0


def revealing(x, delta0, name):
    """Return the randomizer of a worst law that otherwise reveals the record or its replacement."""
    rows = extreme(x, name)(())
    told = {key: {z: (1 - delta0) * mass for z, mass in rows[key].items()} | {key: delta0} for key in "de"}
    return lambda past: {"": rows[""], **told}


@pytest.mark.parametrize("name", ["BE", "CF"])
def test_revealed_records_are_within_the_bounds_and_near_the_sharper_one(name):
    for x in (Fraction(11, 10), Fraction(3)):
        delta0 = Fraction(1, 1000)
        randomizer = revealing(x, delta0, name)
        assert budgeted(randomizer(()).values(), x) <= delta0
        for m, weight in ((1, Fraction(1)), (2, HALF)):
            laws = replaced_slot(m, weight, randomizer)
            for kappa in (*KAPPAS, 2 * x):
                delta = curve(*laws, kappa)
                sharper = near_pure(x, delta0, m, weight, kappa)
                assert delta <= min(sharper, clipped(x, delta0, m, weight, kappa))
                if kappa == 2 * x:  # only outputs that reveal the record count there
                    assert delta == weight * delta0


@pytest.mark.parametrize("m", [1, 2, 3])
def test_zero_out_behind_approximate_randomizers(m):
    for seed in range(12):
        draw = random.Random(seed)
        x, weight = draw.choice(BUDGETS), Fraction(draw.randint(1, 3), 3)
        if m < 3:
            randomizer, delta0 = approximate_randomizers(draw, x, Fraction(1, 3))
        else:
            delta0 = Fraction(1, draw.randint(3, 20))
            present, absent = approximate_pair(x, delta0)
            randomizer = lambda past, rows={"d": present, "": absent}: rows  # noqa: E731
        there = slots_by_enumeration(m, weight, randomizer, "d", "")
        absent = slots_by_enumeration(m, weight, randomizer, "", "")
        for kappa in (Fraction(1, 2), *KAPPAS):
            removal, addition = zero_out(m, x, delta0, weight, kappa)
            assert curve(there, absent, kappa) <= removal and curve(absent, there, kappa) <= addition
            if m == 3:
                assert curve(there, absent, kappa) == removal and curve(absent, there, kappa) == addition


def zero_out(m, x, delta0, weight, kappa):
    """Return the two bounds of zero-out-approximate-slot."""
    ratios = [(delta0, Fraction(0)), ((1 - delta0) * x / (1 + x), 1 / x), ((1 - delta0) / (1 + x), x)]
    removal = addition = Fraction(0)
    for choice in product(ratios, repeat=m):
        chance, mean_ratio = Fraction(1), sum(ratio for _, ratio in choice) / m
        for one, _ in choice:
            chance *= one
        removal += chance * max(1 - kappa + weight * (mean_ratio - 1), Fraction(0))
        addition += chance * max(1 - kappa + kappa * weight * (1 - mean_ratio), Fraction(0))
    return weight * delta0 + removal, addition


# --- Known randomizers ------------------------------------------------------------------------------------------------


def largest_law(laws):
    """Return the law whose stop-loss transform is the largest of those of some laws, pairs (mass, value)."""

    def height(t):
        return max(sum(mass * max(value - t, 0) for mass, value in law) for law in laws)

    # The maximum bends at values of the laws and where two of their transforms cross.
    values = sorted({value for law in laws for _, value in law})
    points = {values[0] - 1, *values, values[-1] + 1}
    for low, high in zip(values, values[1:], strict=False):
        lines = []
        for law in laws:
            slope = -sum(mass for mass, value in law if value >= high)
            lines.append((slope, sum(mass * max(value - low, 0) for mass, value in law)))
        for slope, start in lines:
            for other, begin in lines:
                if slope != other and 0 < (place := (begin - start) / (slope - other)) < high - low:
                    points.add(low + place)
    points = sorted(points)
    slopes = [(height(b) - height(a)) / (b - a) for a, b in zip(points, points[1:], strict=False)]
    return [(after - before, t) for t, before, after in zip(points[1:-1], slopes, slopes[1:], strict=False)]


@pytest.mark.parametrize("kappa", KAPPAS)
def test_references_that_depend_on_outputs_are_bounded_by_one_independent_law(kappa):
    largest = Fraction(0)
    for seed in range(6):
        draw = random.Random(seed)
        rows = {key: random_law(draw, "uv" if seed % 2 else "uvw") for key in "defg"}
        outcomes = [*rows["d"]]
        weight, m = Fraction(draw.randint(1, 3), 3), 2
        laws = [
            [(own[z], (rows["d"][z] / own[z] - 1) - kappa * (rows["e"][z] / own[z] - 1)) for z in outcomes]
            for own in rows.values()
        ]
        worst = largest_law(laws)
        assert sum(mass for mass, _ in worst) == 1 and sum(mass * value for mass, value in worst) == 0
        bound = sum(p * q * max(1 - kappa + weight / m * (y + z), Fraction(0)) for p, y in worst for q, z in worst)
        reached = Fraction(0)
        for first in rows:
            for later in product(rows, repeat=len(outcomes)):
                then = dict(zip(outcomes, later, strict=True))

                def randomizer(past, first=first, then=then, rows=rows):
                    return {**rows, "": rows[then[past[0]] if past else first]}

                one, other = (slots_by_enumeration(m, weight, randomizer, record, "") for record in "de")
                reached = max(reached, curve(one, other, kappa))
        assert reached <= bound
        largest = max(largest, reached / bound if bound else Fraction(0))
    # The bound is not far from what is reached.
    assert largest > Fraction(4, 5)


def mean_one(masses, values):
    """Return values divided by their mean."""
    total = sum(p * v for p, v in zip(masses, values, strict=True))
    return [v / total for v in values]


def test_opposite_ratios_are_the_worst_coupling_of_those_that_vary_more():
    spoiled = 0
    for seed in range(40):
        draw = random.Random(seed)
        # A and B rise and fall with a place z; both have the mean 1.
        masses = [*random_law(draw, range(4)).values()]
        a = mean_one(masses, sorted(Fraction(draw.randint(1, 9)) for _ in masses))
        b = mean_one(masses, sorted((Fraction(draw.randint(1, 9)) for _ in masses), reverse=True))
        # Conditional means of both, each given a part of its own, in a random coupling.
        joint = random_law(draw, list(product(range(2), repeat=2)))
        split = draw.randint(1, 3), draw.randint(1, 3)

        def means(values, cut, masses=masses):
            parts = []
            for one in (range(cut), range(cut, 4)):
                whole = sum(masses[i] for i in one)
                parts.append((whole, sum(masses[i] * values[i] for i in one) / whole))
            return parts

        (p0, a0), (_, a1) = means(a, split[0])
        (q0, b0), (_, b1) = means(b, split[1])
        # A coupling with these margins: any mass of (first, first) between the bounds.
        low, high = max(p0 + q0 - 1, Fraction(0)), min(p0, q0)
        both = low + (high - low) * joint[0, 0]
        coupling = [(both, a0, b0), (p0 - both, a0, b1), (q0 - both, a1, b0), (1 - p0 - q0 + both, a1, b1)]
        kappa = draw.choice((HALF, *KAPPAS))
        for t in (Fraction(k, 4) for k in range(-12, 13)):
            coupled = sum(mass * max(u - kappa * v - t, Fraction(0)) for mass, u, v in coupling)
            opposite = sum(mass * max(u - kappa * v - t, Fraction(0)) for mass, u, v in zip(masses, a, b, strict=True))
            alike = sum(
                mass * max(u - kappa * v - t, Fraction(0)) for mass, u, v in zip(masses, a, b[::-1], strict=True)
            )
            assert coupled <= opposite
            spoiled += coupled > alike
    assert spoiled > 0


# --- Shuffles ---------------------------------------------------------------------------------------------------------


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
    names = {"less-used-slot", "check-in-slot", "known-clients", "sliding-window-slot", "few-clients-window"}
    names |= {"clipped-slot", "near-pure-slot", "zero-out-approximate-slot", "known-slot", "gaussian-vectors"}
    assert names | {"averaged-shuffle", "shuffle-by-swaps", "swap-weights"} <= STATEMENTS.keys()
