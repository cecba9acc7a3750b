"""Hidden slots of known randomizers by all choices of references, and the worst coupling of two ratios."""

import random
from fractions import Fraction
from itertools import product

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


def test_what_is_here_is_registered():
    assert {"known-slot", "gaussian-vectors", "laplace-records"} <= STATEMENTS.keys()
