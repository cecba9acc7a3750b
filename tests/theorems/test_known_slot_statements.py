"""Hidden slots of known randomizers by all choices of references, and the worst coupling of two ratios."""

import random
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
from exact_curves import curve, random_law
from exact_slots import HALF, KAPPAS, slots_by_enumeration

from pldcheck.theorems.statements import STATEMENTS


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


def best_choice(laws, steps, share, total):
    """Return the mean of the positive part of a total and ``share`` times one gain a step, of the best law each."""
    if steps == 0:
        return max(total, Fraction(0))
    return max(sum(p * best_choice(laws, steps - 1, share, total + share * x) for p, x in law) for law in laws)


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
        chosen = best_choice(laws, m, weight / m, 1 - kappa)
        reached = Fraction(0)
        for first in rows:
            for later in product(rows, repeat=len(outcomes)):
                then = dict(zip(outcomes, later, strict=True))

                def randomizer(past, first=first, then=then, rows=rows):
                    return {**rows, "": rows[then[past[0]] if past else first]}

                one, other = (slots_by_enumeration(m, weight, randomizer, record, "") for record in "de")
                reached = max(reached, curve(one, other, kappa))
        # All choices of references are tried, and the best one is chosen-slots.
        assert reached == chosen <= bound
        largest = max(largest, reached / bound if bound else Fraction(0))
    # The bound is not far from what is reached.
    assert largest > Fraction(4, 5)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [1, 4, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (0, 2, 3, 5))])
def test_steps_of_records_whose_pairs_are_dominated_have_at_most_the_pairs_curves(seed):
    draw = random.Random(seed)
    rows = [random_law(draw, "uvw" if seed % 2 else "uv") for _ in range(3)]
    if seed == 4:  # records of which any two have the same curve
        rows = [{z: HALF if z == own else HALF / 2 for z in "uvw"} for own in "uvw"]
    ratios = [[(q[z], p[z] / q[z]) for z in q] for p, q in permutations(rows, 2)]
    pair = largest_law(ratios)  # A under Q, by the largest curve of two records; the exchanged pair has it too
    assert sum(mass for mass, _ in pair) == sum(mass * a for mass, a in pair) == 1

    def above(law, t):
        return sum(mass * max(value - t, 0) for mass, value in law)

    assert all(above(pair, k) == 1 - k + k * above(pair, 1 / k) for k in (HALF, Fraction(2), Fraction(5, 4)))
    strict, near = 0, Fraction(0)
    for kappa in (HALF, *KAPPAS):
        removed, added = [(p, a - 1) for p, a in pair], [(p, kappa * (1 - a)) for p, a in pair]
        for record, other, own in product(rows, repeat=3):
            ways = (
                (1, 0, lambda t, removed=removed: above(removed, t)),
                (0, 1, lambda t, added=added: above(added, t)),
                (1, 1, lambda t, laws=(removed, added): max(above(law, t) for law in laws)),
            )
            for up, down, bound in ways:
                gains = [(own[z], up * (record[z] / own[z] - 1) - down * kappa * (other[z] / own[z] - 1)) for z in own]
                for t in (Fraction(n, 4) for n in range(-11, 12)):
                    reached = above(gains, t)
                    assert reached <= bound(t), (kappa, t)
                    strict += reached < bound(t)
                    near = max(near, reached / bound(t) if bound(t) > max(-t, 0) else 0)
    assert strict > 100 and near == 1


@pytest.mark.nightly
def test_noise_on_two_numbers_has_the_choices_of_a_removed_and_an_added_record():
    # Symmetric noise on -3 to 4, about 0 and about 1.
    laws = [{n: Fraction(1, 1 + (n - at) ** 2) for n in range(-3, 5)} for at in (0, 1)]
    laws = [{n: mass / sum(law.values()) for n, mass in law.items()} for law in laws]
    for kappa in KAPPAS:
        ratios = [(laws[0][n], laws[1][n] / laws[0][n]) for n in laws[0]]
        choices = [[(p, a - 1) for p, a in ratios], [(p, kappa * (1 - a)) for p, a in ratios]]
        for record, other, own in product((0, 1), repeat=3):
            gains = [
                (laws[own][n], laws[record][n] / laws[own][n] - 1 - kappa * (laws[other][n] / laws[own][n] - 1))
                for n in laws[own]
            ]
            places = [Fraction(n, 7) for n in range(-60, 60)]
            assert any(all(stop_loss(gains, t) <= stop_loss(choice, t) for t in places) for choice in choices)


def stop_loss(law, t):
    """Return E (X - t)_+ of pairs (mass, value)."""
    return sum(mass * max(value - t, 0) for mass, value in law)


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


def product_curve(sizes, rows, kappa, change):
    """The curve of independent runs of one slot among each of some sizes; rows are triples (mass, A, B)."""
    total = Fraction(0)
    for outcome in product(rows, repeat=sum(sizes)):
        mass, up, down, at = Fraction(1), Fraction(1), Fraction(1), 0
        for size in sizes:
            part = outcome[at : at + size]
            at += size
            up *= sum(a for _, a, _ in part) / size
            down *= sum(b for _, _, b in part) / size
        for chance, _, _ in outcome:
            mass *= chance
        one, other = {"removed": (up, 1), "added": (1, up), "replaced": (up, down)}[change]
        total += mass * max(one - kappa * other, Fraction(0))
    return total


def selected_curve(m, k, step, kappa, change):
    """The curve where the record is in a uniform set of k slots; ``step`` maps the past to triples (mass, a, b)."""
    sets = list(combinations(range(m), k))
    total = Fraction(0)

    def walk(past, mass, ups, downs):
        nonlocal total
        slot = len(past)
        if slot == m:
            up, down = sum(ups) / len(sets), sum(downs) / len(sets)
            one, other = {"removed": (up, 1), "added": (1, up), "replaced": (up, down)}[change]
            total += mass * max(one - kappa * other, Fraction(0))
            return
        for outcome, (chance, a, b) in enumerate(step(past)):
            walk(
                (*past, outcome),
                mass * chance,
                [value * a if slot in chosen else value for value, chosen in zip(ups, sets, strict=True)],
                [value * b if slot in chosen else value for value, chosen in zip(downs, sets, strict=True)],
            )

    walk((), Fraction(1), [Fraction(1)] * len(sets), [Fraction(1)] * len(sets))
    return total


@pytest.mark.parametrize("change", ["removed", "added", "replaced"])
def test_several_selected_slots_are_bounded_by_runs_of_one_slot_among_parts(change):
    # B is A at the opposite place; a shorter vector's density is a conditional mean of A, of either sign.
    worst = [(Fraction(1, 4), Fraction(1, 4), Fraction(9, 4)), (Fraction(1, 2), Fraction(3, 4), Fraction(3, 4))]
    worst.append((Fraction(1, 4), Fraction(9, 4), Fraction(1, 4)))
    assert sum(p * a for p, a, _ in worst) == sum(p * b for p, _, b in worst) == 1
    half = [(Fraction(1, 4), Fraction(1, 4), Fraction(5, 4)), (Fraction(3, 4), Fraction(5, 4), Fraction(11, 12))]
    alike = [(p, a, a) for p, a, _ in worst]
    near, strict = Fraction(0), 0
    for m, k, sizes in ((2, 2, (1, 1)), (3, 2, (1, 2)), (4, 2, (2, 2)), (4, 3, (1, 1, 2))):
        for kappa in (HALF, *KAPPAS):
            bound = product_curve(sizes, worst, kappa, change)
            draw = random.Random(m + k)
            choices = {}

            def adaptive(past, choices=choices, draw=draw):
                return choices.setdefault(past, draw.choice((worst, half, alike)))

            for step in (adaptive, lambda _: worst, lambda _: half):
                reached = selected_curve(m, k, step, kappa, change)
                assert reached <= bound
                near, strict = max(near, reached / bound if bound else near), strict + (reached < bound)
    assert near == 1 and strict > 10
    # The number of slots in a part matters: parts of one slot only would be more than all that the record is in.
    assert product_curve((1, 2), worst, Fraction(3, 2), change) < product_curve((1, 1), worst, Fraction(3, 2), change)
    # Parts that hold more slots than there are would be no bound.
    assert product_curve((3, 3), worst, Fraction(3, 2), change) < selected_curve(
        3, 2, lambda _: worst, Fraction(3, 2), change
    )


def same_slot_curve(m, passes, weight, step, kappa, change):
    """The curve where the record is in one slot, the same in all passes; ``step`` maps the past to (mass, a, b)."""
    total = Fraction(0)

    def walk(past, mass, ups, downs):
        nonlocal total
        if len(past) == m * passes:
            up, down = (1 - weight + weight * sum(values) / m for values in (ups, downs))
            one, other = {"removed": (up, 1), "added": (1, up), "replaced": (up, down)}[change]
            total += mass * max(one - kappa * other, Fraction(0))
            return
        slot = len(past) % m
        for outcome, (chance, a, b) in enumerate(step(past)):
            more = [[value * (ratio if i == slot else 1) for i, value in enumerate(values)] for ratio, values in
                    ((a, ups), (b, downs))]  # fmt: skip
            walk((*past, outcome), mass * chance, *more)

    walk((), Fraction(1), [Fraction(1)] * m, [Fraction(1)] * m)
    return total


@pytest.mark.parametrize("change", ["removed", "added", "replaced"])
def test_the_same_slot_in_all_passes_is_worst_with_the_longest_vectors(change):
    worst = [(Fraction(1, 4), Fraction(1, 4), Fraction(9, 4)), (Fraction(1, 2), Fraction(3, 4), Fraction(3, 4))]
    worst.append((Fraction(1, 4), Fraction(9, 4), Fraction(1, 4)))
    half = [(Fraction(1, 4), Fraction(1, 4), Fraction(5, 4)), (Fraction(3, 4), Fraction(5, 4), Fraction(11, 12))]
    alike = [(p, a, a) for p, a, _ in worst]
    near, strict = Fraction(0), 0
    # One slot with a weight below 1 is a Poisson sample that serves several releases.
    for m, passes, weight in ((1, 3, Fraction(1, 3)), (2, 2, Fraction(1)), (2, 3, Fraction(1)), (3, 2, Fraction(1, 2))):
        for kappa in (HALF, *KAPPAS):
            bound = same_slot_curve(m, passes, weight, lambda _: worst, kappa, change)
            draw, choices = random.Random(7 * m + passes), {}

            def adaptive(past, choices=choices, draw=draw):
                return choices.setdefault(past, draw.choice((worst, half, alike)))

            for step in (adaptive, lambda _: half):
                reached = same_slot_curve(m, passes, weight, step, kappa, change)
                assert reached <= bound
                near, strict = max(near, reached / bound if bound else near), strict + (reached < bound)
    assert near > Fraction(4, 5) and strict > 10
    # A slot drawn anew in each pass reveals less: its curve would be no bound.
    fresh, same = (
        [one(kappa) for kappa in (HALF, *KAPPAS)]
        for one in (
            lambda kappa: product_curve((3, 3), worst, kappa, change),
            lambda kappa: same_slot_curve(3, 2, Fraction(1), lambda _: worst, kappa, change),
        )
    )
    assert fresh != same and all(less <= more for less, more in zip(fresh, same, strict=True))


def test_a_replaced_record_of_a_sample_has_the_pair_of_two_mixtures():
    worst = [(Fraction(1, 4), Fraction(1, 4), Fraction(9, 4)), (Fraction(1, 2), Fraction(3, 4), Fraction(3, 4))]
    worst.append((Fraction(1, 4), Fraction(9, 4), Fraction(1, 4)))
    rate = Fraction(1, 3)
    for kappa in (HALF, *KAPPAS):
        mixtures = [(p, 1 - rate + rate * a, 1 - rate + rate * b) for p, a, b in worst]
        pair = sum(p * max(one - kappa * other, Fraction(0)) for p, one, other in mixtures)
        assert same_slot_curve(1, 1, rate, lambda _: worst, kappa, "replaced") == pair


def test_what_is_here_is_registered():
    names = {"known-slot", "chosen-slots", "gaussian-vectors", "selected-slots", "slot-pair"}
    assert names | {"same-slot", "poisson-replacement"} <= STATEMENTS.keys()
