"""The corollary for one known randomizer, on all data of small shuffles in fractions, and the bound it gives."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import shuffle_twins as twins
from test_one_client_fewer import OMEGA, double_sum

from pldcheck.hidden_slot.known import bounded_ratio_laws, laplace_groups
from pldcheck.hidden_slot.known.output_probabilities import LaplaceNoise
from pldcheck.protocols import Shuffle
from pldcheck.randomizers.randomizer_text import parse
from pldcheck.shuffling import known_client_fewer, known_slot_bounds
from pldcheck.shuffling.known_client_fewer import KnownBound, part_of_rows

# --- twins: everything by enumeration, in fractions -------------------------------------------------------------------


def slot_delta(record, replacement, own_rows, kappa):
    """Return delta of a record hidden in slots that hold these laws, from the law of the sum of gains."""
    law = {Fraction(0): Fraction(1)}
    for own in own_rows:
        following = {}
        for total, mass in law.items():
            for p, q, w in zip(record, replacement, own, strict=True):
                place = total + (p - kappa * q) / w
                following[place] = following.get(place, 0) + mass * w
        law = following
    return sum(mass * max(total, 0) for total, mass in law.items()) / len(own_rows)


def tau(n, x, kappa, zeta, part, share):
    """Return tau with this weight of the blanket and this factor of X."""
    first, second, total = OMEGA * part, (1 - OMEGA) * part, Fraction(0)
    for c1 in range(n - 2):
        for c2 in range(n - 2 - c1):
            ways = math.comb(n - 3, c1) * math.comb(n - 3 - c1, c2)
            mass = ways * first**c1 * second**c2 * (1 - first - second) ** (n - 3 - c1 - c2)
            total += mass * double_sum(c1, c2, x, kappa, zeta, share)
    return total


def ratio(rows):
    """Return the largest ratio of two probabilities of one output."""
    return max(max(column) / min(column) for column in zip(*rows, strict=True))


def exact_part(rows):
    """Return the largest weight of step 4, by trying all records and all corners of omega."""
    pairs = [(u, v) for u, v in itertools.permutations(rows, 2) if u != v]
    return min(
        2 * t[y] / (omega * (u[y] + v[y]) + (1 - omega) * (a[y] + b[y]))
        for t, (u, v), (a, b) in itertools.product(rows, pairs, pairs)
        for omega in (0, 1)
        for y in range(len(t))
    )


def tables(draw):
    """Yield random tables and corners: responses, nearly equal rows, a rare output, equal rows among others."""
    for inputs, outputs in ((2, 2), (2, 3), (3, 2), (3, 3)):
        rows = [[Fraction(draw.randrange(1, 40)) for _ in range(outputs)] for _ in range(inputs)]
        yield [[value / sum(row) for value in row] for row in rows]
    yield [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    yield [[Fraction(1 + 4 * (i == j), 7) for j in range(3)] for i in range(3)]
    yield [[Fraction(1, 2), Fraction(1, 2)], [Fraction(501, 1000), Fraction(499, 1000)]]
    yield [[Fraction(1, 100), Fraction(99, 100)], [Fraction(1, 10), Fraction(9, 10)]]
    row = [Fraction(1, 5), Fraction(4, 5)]
    yield [row, [Fraction(2, 5), Fraction(3, 5)], row]


# --- the corollary ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_corollary_holds_on_all_data(n, seed):
    draw = random.Random(100 * n + seed)
    for rows in tables(draw):
        x, laws = ratio(rows), len({tuple(row) for row in rows})
        # As in the theorem, and with what the table allows.
        generic = 1 / x, 1 - Fraction(1, n - 1)
        own = exact_part(rows), min(generic[1], 1 - Fraction(1, laws))
        kappa = 1 + (x - 1) * Fraction(draw.choice([0, 1, 3, 6]), 10)
        zeta = (x - 1) * Fraction(draw.choice([0, 1, 10, 30]), 200)
        corrections = [tau(n, x, kappa, zeta, *one) for one in (generic, own)]
        assert corrections[1] <= corrections[0]
        for i, j in itertools.permutations(range(len(rows)), 2):
            for others in itertools.combinations_with_replacement(range(len(rows)), n - 1):
                others_rows = [rows[o] for o in others]
                truth = twins.direct_delta(rows[i], rows[j], others_rows, kappa + zeta)
                assert truth <= slot_delta(rows[i], rows[j], others_rows, kappa) + corrections[1]


def test_without_its_correction_the_corollary_is_false():
    # Otherwise the test above would not notice a correction that is too small.
    worst = Fraction(0)
    for rows in tables(random.Random(1)):
        for others in itertools.combinations_with_replacement(rows, 3):
            truth = twins.direct_delta(rows[0], rows[1], others, Fraction(11, 10))
            worst = max(worst, truth - slot_delta(rows[0], rows[1], others, Fraction(11, 10)))
    assert worst > 0


@pytest.mark.parametrize("seed", range(20))
def test_the_weight_of_the_blanket_of_a_table_is_one(seed):
    for rows in tables(random.Random(seed)):
        exact = exact_part(rows)
        assert exact * (1 - Fraction(1, 10**12)) <= Fraction(part_of_rows(rows)) * (1 + Fraction(4, 2**53)) <= exact
        assert part_of_rows(rows) >= (1 - 1e-12) / float(ratio(rows))


# --- its bound --------------------------------------------------------------------------------------------------------


def table_file(folder, rows):
    path = folder / "table.txt"
    path.write_text("\n".join(" ".join(repr(float(r)) for r in row) for row in rows), encoding="utf-8")
    return f"table:{path}"


def bound_of(folder, rows, n, starts=(0.1, 10.0)):
    """Return the bound for a table of dyadic rows."""
    kinds = [
        kind.dominating
        for kind in bounded_ratio_laws.laws_of(parse(table_file(folder, rows)), None, 1.0, "replace").neighbours
    ]
    correction = known_client_fewer.correction_of_rows(n, rows)
    slots = known_slot_bounds.upper(kinds, n - 1)
    return KnownBound(correction, slots, slots, lambda _: starts)


@pytest.mark.parametrize("seed", range(24))
def test_upper_ends_are_above_all_data(tmp_path, seed):
    draw = random.Random(seed)
    eps0, n = draw.choice([0.3, 1.0, 2.0]), draw.choice([3, 4, 5])
    inputs, outputs = draw.choice([2, 3]), draw.choice([2, 3])
    rows = [[]] * inputs
    while all(row == rows[0] for row in rows) or min(map(min, rows)) == 0:
        rows = twins.dyadic(twins.random_rows(draw, inputs, outputs, math.exp(eps0)), eps0)
    bound = bound_of(tmp_path, rows, n)
    for share in (0.0, 0.1, 0.4):
        epsilon = bound.eps0 * share
        _, kappa = twins.around(epsilon)
        truth = max(
            twins.direct_delta(rows[i], rows[j], [rows[o] for o in others], kappa)
            for i, j in itertools.permutations(range(inputs), 2)
            for others in itertools.combinations_with_replacement(range(inputs), n - 1)
        )
        upper = bound.delta(epsilon).upper
        assert truth <= upper
        if truth > 0:
            reached = bound.epsilon(float(truth) * (1 - 2.0**-50))[1]
            assert reached >= epsilon


def split_delta(rows, n, ones, kappa):
    """Return delta of inputs 0 and 1 with two outputs, where so many of the others hold 1, in fractions."""
    (a, b), (c, d) = ([int(value * 64) for value in row] for row in rows)
    counts = [1]  # in units of 64^-m after m clients
    for p, q in [(a, b)] * (n - 1 - ones) + [(c, d)] * ones:
        counts = [here * p + before * q for here, before in zip([*counts, 0], [0, *counts], strict=True)]
    up, down = kappa.numerator, kappa.denominator
    gains = (down * a - up * c), (down * b - up * d)
    terms = zip([*counts, 0], [0, *counts], strict=True)
    return Fraction(sum(max(here * gains[0] + before * gains[1], 0) for here, before in terms), down * 64**n)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "rows",
    [
        [[Fraction(3, 4), Fraction(1, 4)], [Fraction(3, 8), Fraction(5, 8)]],
        [[Fraction(1, 2), Fraction(1, 2)], [Fraction(13, 32), Fraction(19, 32)]],
        [[Fraction(1, 64), Fraction(63, 64)], [Fraction(3, 64), Fraction(61, 64)]],
    ],
    ids=["uneven", "near", "rare"],
)
@pytest.mark.parametrize("n", [40, *(pytest.param(n, marks=pytest.mark.nightly) for n in (64, 100))])
def test_every_split_of_many_clients_is_below_the_answer(tmp_path, rows, n):
    for delta in (1e-3, 1e-6):
        interval = Shuffle(n, 10.0, table_file(tmp_path, rows)).epsilon(delta)
        _, kappa = twins.around(interval.upper)
        for one in (rows, rows[::-1]):
            assert all(split_delta(one, n, ones, kappa) <= delta for ones in range(0, n, 3))
        bound = bound_of(tmp_path, rows, n, (interval.upper, 20.0))
        reached = bound.epsilon(delta)[1]
        assert interval.lower <= reached
        _, kappa = twins.around(reached)
        for one in (rows, rows[::-1]):
            assert all(split_delta(one, n, ones, kappa) <= delta for ones in range(0, n, 3))


@pytest.mark.parametrize(("n", "delta", "width"), [(1000, 1e-6, 0.02), (10**4, 1e-12, 0.01), (10**9, 1e-6, 0.02)])
def test_tables_of_many_clients_are_narrow(tmp_path, n, delta, width):
    path = tmp_path / "rows.txt"
    path.write_text("0.7 0.2 0.1\n0.3 0.5 0.2\n")
    interval = Shuffle(n, 1.0, f"table:{path}").epsilon(delta)
    assert interval.lower < interval.upper <= interval.lower * (1 + width)
    assert interval.sources[1] == known_client_fewer.NAME


@pytest.mark.nightly
def test_an_output_that_no_record_has_changes_nothing(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("0.7 0.3 0\n0.3 0.7 0\n")
    interval = Shuffle(100, 1.0, f"table:{path}").epsilon(1e-6)
    path.write_text("0.7 0.3\n0.3 0.7\n")
    without = Shuffle(100, 1.0, f"table:{path}").epsilon(1e-6)
    assert (interval.lower, interval.upper) == (without.lower, without.upper) and 0.0 < interval.lower


def test_a_curve_is_above_all_splits(tmp_path):
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(3, 8), Fraction(5, 8)]]
    bound, epsilons = bound_of(tmp_path, rows, 80, (0.2, 20.0)), np.array([0.0, 0.1, 0.2, 0.3, 0.5])
    curve = bound.curve(epsilons)
    for epsilon, upper in zip(epsilons.tolist(), curve, strict=True):
        _, kappa = twins.around(epsilon)
        assert all(split_delta(one, 80, ones, kappa) <= upper for one in (rows, rows[::-1]) for ones in range(0, 80, 5))
    assert curve[1] <= 3 * max(split_delta(rows, 80, ones, twins.around(0.1)[0]) for ones in (0, 79))
    assert bound.curve(np.array([0.0, 2.0]))[1] == 0.0


# --- Laplace noise ----------------------------------------------------------------------------------------------------

PLACES = [Fraction(k, 4) for k in range(5)]


def noise_rows(eps0, cuts=(100,)):
    """Return the laws of Laplace noise about some places, with outputs merged to a few: they have all its ratios."""
    noise = LaplaceNoise(eps0, 1.0)
    edges = [0, 1, *(1 + cut for cut in cuts), 201, 202]
    rows = []
    for place in PLACES:
        cells = [int(mass) for mass in noise.cells(place)]
        rows.append([Fraction(sum(cells[a:b]), sum(cells)) for a, b in itertools.pairwise(edges)])
    return rows


@pytest.mark.parametrize("eps0", [0.3, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.nightly)])
def test_the_corollary_holds_for_laplace_noise(n, eps0):
    rows, draw = noise_rows(eps0), random.Random(n)
    correction = known_client_fewer.correction_of_laplace(n, eps0)
    pairs = list(itertools.permutations(rows, 2))
    data = list(itertools.combinations_with_replacement(range(len(rows)), n - 1))
    for others in draw.sample(data, min(len(data), 6)):
        for kappa, zeta in ((1.0, 0.0), (1.0 + 0.1 * eps0, 0.01 * eps0), (1.0, 0.05 * eps0)):
            tau, others_rows = Fraction(correction.tau(kappa, zeta)), [rows[o] for o in others]
            for one, two in ((rows[0], rows[-1]), (rows[-1], rows[0]), *draw.sample(pairs, 2)):
                truth = twins.direct_delta(one, two, others_rows, Fraction(kappa) + Fraction(zeta))
                slots = slot_delta(one, two, others_rows, Fraction(kappa))
                assert truth <= slots + tau


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0, 6.0])
def test_the_weights_of_pairs_of_laplace_noise_are_right(eps0):
    draw, rest = random.Random(2), known_client_fewer.REST
    kinds = known_client_fewer.correction_of_laplace(100, eps0).pairs
    ranges = list(itertools.pairwise(known_client_fewer.DISTANCES))
    record_ranges = list(itertools.pairwise(known_client_fewer.RECORD_DISTANCES))
    omega, x = known_client_fewer.LAPLACE_OMEGA, math.exp(eps0)
    outputs = np.concatenate([np.linspace(-0.5, 1.5, 101), [0.0, 1.0]])
    for _ in range(600):
        i, j, a, b, t = (draw.choice([0.0, 1.0, draw.random()]) for _ in range(5))
        places = [
            next(k for k, (near, far) in enumerate(all_ranges) if near <= distance <= far)
            for all_ranges, distance in ((record_ranges, abs(i - j)), (ranges, abs(a - b)))
        ]
        kind = kinds[2 * (len(ranges) * places[0] + places[1])]
        u, v, first, second, own = (np.exp(-eps0 * np.abs(outputs - place)) for place in (i, j, a, b, t))
        mean = omega * (u + v) / 2 + (1 - omega) * (first + second) / 2
        assert (own >= kind.part * mean * (1 - 1e-12)).all()
        assert eps0 * abs(i - j) <= kind.record_contrast * (1 + 1e-12)
        distance = abs(a - b)
        factor = (math.tanh(eps0 * distance / 2) / math.tanh(eps0 / 2)) ** 2 / (rest + 2 * (1 - rest) * distance)
        assert factor <= kind.share * (1 + 1e-12)
    assert kinds[0].part >= 1 / x * (1 - 1e-12)
    # The mean of r over all pairs.
    for size in (2, 3, 10, 11):
        for _ in range(50):
            places = [draw.choice([0.0, 1.0, draw.random()]) for _ in range(size)]
            mean = np.mean([rest + 2 * (1 - rest) * abs(a - b) for a, b in itertools.combinations(places, 2)])
            assert (1 - 1 / size) * mean <= 1 + 1e-12


def test_the_sum_of_positive_parts_is_convex_in_both_factors():
    # Step 4 for Laplace noise needs it to rise with the factor of x_2, and to be largest at an end in that of q_2.
    for seed in range(20):
        draw = np.random.default_rng(seed)
        x_1, q_1, difference = draw.normal(size=7), draw.random(7), draw.normal(size=6)
        total = np.abs(difference) + draw.random(6)

        def value(factor, contrast, x_1=x_1, q_1=q_1, difference=difference, total=total):
            q_2 = 0.5 * total + 0.5 * contrast * difference
            return np.maximum(np.multiply.outer(x_1, factor * difference) - np.multiply.outer(q_1, q_2), 0.0).sum()

        assert value(0.0, 0.5) == 0.0 and value(0.3, 0.5) <= value(0.6, 0.5)
        assert value(0.5, 0.4) <= max(value(0.5, 0.1), value(0.5, 0.9)) + 1e-12


@pytest.mark.nightly
@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("n", [3, 4, 5])
def test_upper_ends_are_above_laplace_noise_in_cells(n, eps0):
    rows = noise_rows(eps0)
    slots = known_slot_bounds.upper_of_groups(laplace_groups.groups(eps0), n - 1)
    bound = KnownBound(known_client_fewer.correction_of_laplace(n, eps0), slots, slots, lambda _: (0.1, 10.0))
    for share in (0.0, 0.2, 0.6):
        _, kappa = twins.around(share * eps0)
        data = list(itertools.combinations_with_replacement(rows[::2], n - 1))
        cases = [(rows[0], rows[-1], others) for others in data]
        for one, two in ((0, 1), (1, 4), (3, 1)):
            cases += [(rows[one], rows[two], others) for others in data[:: n - 1]]
        truth = max(twins.direct_delta(*case, kappa) for case in cases)
        assert truth <= bound.delta(share * eps0).upper


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("n", "eps0", "delta", "width"),
    [(1000, 0.3, 1e-6, 0.02), (10**4, 1.0, 1e-6, 0.02), (10**5, 3.0, 1e-6, 0.03), (10**9, 1.0, 1e-12, 0.01)],
)
def test_laplace_noise_of_many_clients_is_narrow(n, eps0, delta, width):
    interval = Shuffle(n, eps0, "laplace").epsilon(delta)
    assert interval.lower < interval.upper <= interval.lower * (1 + width)
    assert interval.sources[1] == known_client_fewer.NAME


# --- rounds -----------------------------------------------------------------------------------------------------------


def test_rounds_of_tables_contain_all_data(tmp_path):
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(3, 8), Fraction(5, 8)]]
    for n, rounds in ((3, 2), (5, 3)):
        interval = Shuffle(n, 10.0, table_file(tmp_path, rows), rounds).delta(0.3)
        kappas, best = twins.around(0.3), [Fraction(0)] * 2
        for one, two in (rows, rows[::-1]):
            for others in itertools.combinations_with_replacement(rows, n - 1):
                truth = [twins.composed_delta(one, two, others, kappa, rounds) for kappa in kappas]
                best = [max(pair) for pair in zip(best, truth, strict=True)]
        assert interval.lower <= best[0] and best[1] <= interval.upper


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["laplace", "table"])
def test_rounds_of_known_randomizers_are_narrow(tmp_path, name):
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(3, 8), Fraction(5, 8)]]
    randomizer = name if name == "laplace" else table_file(tmp_path, rows)
    interval = Shuffle(10**4, 1.0, randomizer, 10).epsilon(1e-6)
    assert interval.lower < interval.upper <= 1.03 * interval.lower
    assert "all other records at" in interval.sources[0]
