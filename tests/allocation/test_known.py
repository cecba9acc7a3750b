"""Hidden slots of finite randomizers, against enumeration and recursion in exact arithmetic; Laplace at one step."""

from fractions import Fraction
from itertools import product
from math import exp, expm1

import naive_sums as naive
import numpy as np
import pytest
from oracles import table_delta

from pldcheck.allocation.known import candidates, join

WIDTH = 1e-6
# Of what does not depend on the adversary's choices the two ends are this close.
CLOSE = 1e-5

TABLES = {
    "two inputs": [[0.7, 0.3], [0.25, 0.75]],
    "three": [[0.5, 0.3, 0.2], [0.25, 0.25, 0.5], [0.2, 0.6, 0.2]],
    "four outputs": [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25], [0.2, 0.1, 0.5, 0.2]],
    "common values": [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]],
}


def table_file(folder, rows):
    path = folder / "rows.csv"
    path.write_text("\n".join(",".join(map(repr, row)) for row in rows))
    return f"table:{path}"


def exact_rows(rows):
    """As they are read: each divided by its sum, in floats."""
    read = np.array(rows) / np.array(rows).sum(axis=1, keepdims=True)
    return [[Fraction(chance) / sum(map(Fraction, row)) for chance in map(Fraction, row)] for row in read.tolist()]


def contains(ends, truth, width):
    """A relative error of 1e-14 is that of the rows' sums."""
    truth = float(truth)
    assert ends.lower <= truth * (1 + 1e-14) and truth * (1 - 1e-14) <= ends.upper
    assert ends.upper <= ends.lower * (1 + width) + 1e-13


@pytest.mark.parametrize("weight", [1.0, 0.25])
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("name", TABLES)
def test_every_fixed_reference_is_attained(tmp_path, name, steps, weight):
    rows = TABLES[name]
    exact = exact_rows(rows)
    found = candidates(steps, None, weight, table_file(tmp_path, rows), "replace", WIDTH)
    cases = [(i, j, o) for i, j, o in product(range(len(rows)), repeat=3) if i != j]
    assert len(found.below) == len(cases)
    for epsilon in (0.0, 0.05, 0.4):
        kappa = Fraction(exp(epsilon))
        worst = Fraction(0)
        for (i, j, o), below in zip(cases, found.below, strict=True):
            assert below.name == f"inputs {i} and {j}, the slot's own input {o}"
            truth = table_delta((exact[o], exact[i], exact[j]), steps, kappa, "replace", Fraction(weight))
            # kappa is rounded.
            if abs(float(truth)) > 1e-9:
                contains(below.delta(epsilon), truth, CLOSE)
            worst = max(worst, truth)
        assert all(above.delta(epsilon).upper >= float(worst) * (1 - 1e-13) for above in found.above)


@pytest.mark.parametrize("weight", [1.0, 0.5])
@pytest.mark.parametrize(
    ("name", "steps"), [("two inputs", 4), ("three", 3), ("four outputs", 2), ("common values", 3)]
)
def test_references_chosen_as_outputs_come_do_not_exceed_the_upper_end(tmp_path, name, steps, weight):
    rows = TABLES[name]
    exact = exact_rows(rows)
    found = candidates(steps, None, weight, table_file(tmp_path, rows), "replace", WIDTH)
    for epsilon in (0.0, 0.1, 0.3):
        worst = max(
            naive.worst_references(exact[i], exact[j], exact, steps, Fraction(exp(epsilon)), Fraction(weight))
            for i, j in product(range(len(rows)), repeat=2)
            if i != j
        )
        upper = min(above.delta(epsilon).upper for above in found.above)
        assert upper >= float(worst) * (1 - 1e-13)
        # It bounds slots that change with every gain so far, not these rows alone: of few steps it is larger.
        assert upper <= float(worst) * 1.6 + 1e-12


@pytest.mark.parametrize("adjacency", ["zero-out", "both"])
@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize("steps", [1, 3, 6])
def test_a_record_that_is_there_or_not(tmp_path, steps, weight, adjacency):
    rows = TABLES["three"]
    exact = exact_rows(rows)
    found = candidates(steps, None, weight, table_file(tmp_path, rows), adjacency, WIDTH)
    for epsilon in (0.02, 0.2):
        kappa = Fraction(exp(epsilon))
        truth = max(
            table_delta((exact[o], exact[i], exact[i]), steps, kappa, way, Fraction(weight))
            for i, o in product(range(3), repeat=2)
            for way in ("remove", "add")
            if i != o
        )
        ends = found.delta(epsilon, WIDTH)
        if truth > 1e-9:
            contains(ends, truth, CLOSE)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("weight", [1.0, 0.4])
def test_merged_symbols_of_k_ary_response_against_all_of_them(k, weight):
    eps0, steps = 1.1, 3
    x = Fraction(exp(eps0))
    rows = [[(x if y == i else 1) / (x + k - 1) for y in range(k)] for i in range(k)]
    found = candidates(steps, eps0, weight, f"krr:{k}", "replace", WIDTH)
    there = candidates(steps, eps0, weight, f"krr:{k}", "zero-out", WIDTH)
    references = {0: "the record's value", 1: "the replacement's", 2: "a third value"}
    for epsilon in (0.03, 0.25):
        kappa = Fraction(exp(epsilon))
        for o in range(min(k, 3)):
            truth = table_delta((rows[o], rows[0], rows[1]), steps, kappa, "replace", Fraction(weight))
            (below,) = [one for one in found.below if one.name.endswith(f"own {references[o]}")]
            if truth > 1e-9:
                contains(below.delta(epsilon), truth, CLOSE)
        ways = [
            table_delta((rows[1], rows[0], rows[0]), steps, kappa, way, Fraction(weight)) for way in ("remove", "add")
        ]
        if max(ways) > 1e-9:
            contains(there.delta(epsilon, WIDTH), max(ways), CLOSE)
    if k <= 3:  # one of the two inputs or any other one
        kappa = Fraction(exp(0.1))
        worst = naive.worst_references(rows[0], rows[1], rows, steps, kappa, Fraction(weight))
        assert found.above[0].delta(0.1).upper >= float(worst) * (1 - 1e-13)


@pytest.mark.parametrize("eps0", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("weight", [1.0, 0.2])
def test_laplace_noise_in_one_step(eps0, weight):
    """One step: the hockey-stick divergence of two mixtures, by quadrature and in closed form."""
    there = candidates(1, eps0, weight, "laplace", "zero-out", WIDTH)
    swapped = candidates(1, eps0, weight, "laplace", "replace", WIDTH)
    for share in (0.0, 0.2, 0.6):
        epsilon = share * eps0
        # Records at 0 and 1; loss eps0 (1 - 2y) between them: delta = 1 - exp((epsilon - eps0)/2), weight 1.
        plain = -expm1(0.5 * (epsilon - eps0))
        if weight == 1.0:
            contains(there.delta(epsilon, WIDTH), plain, 2e-3)
            assert swapped.delta(epsilon, WIDTH).upper >= plain * (1 - 1e-13)
            assert any(below.delta(epsilon).lower >= plain * (1 - 2e-3) for below in swapped.below)
            continue
        # Quadrature in y between 0 and 1, the rest in closed form: densities e^{-eps0 |y|}, of the other one at 1 - y.
        nodes, weights = np.polynomial.legendre.leggauss(40)
        best = 0.0
        for add in (False, True):
            edges = np.linspace(0.0, 1.0, 4001)
            y = (edges[:-1, None] + 0.5 * (edges[1] - edges[0]) * (1.0 + nodes)).ravel()
            w = np.tile(0.5 * (edges[1] - edges[0]) * weights, edges.size - 1)
            record, other = (0.5 * eps0 * np.exp(-eps0 * np.abs(y - place)) for place in (0.0, 1.0))
            mixed = weight * record + (1.0 - weight) * other
            first, second = (other, mixed) if add else (mixed, other)
            found = float(np.maximum(first - exp(epsilon) * second, 0.0) @ w)
            for r, o in ((0.5, 0.5 * exp(-eps0)), (0.5 * exp(-eps0), 0.5)):
                m = weight * r + (1.0 - weight) * o
                a, b = (o, m) if add else (m, o)
                found += max(a - exp(epsilon) * b, 0.0)
            best = max(best, found)
        ends = there.delta(epsilon, WIDTH)
        assert ends.lower <= best * (1 + 1e-6) + 1e-12 and best * (1 - 1e-6) - 1e-12 <= ends.upper
        assert ends.upper <= ends.lower * (1 + 5e-3) + 1e-9


# --- joined laws ------------------------------------------------------------------------------------------------------


def random_laws(seed):
    """Laws of one mean."""
    random = np.random.default_rng(seed)
    laws = []
    for _ in range(int(random.integers(1, 5))):
        size = int(random.integers(1, 7))
        masses = random.dirichlet(np.ones(size)) if size > 1 else np.ones(1)
        values = random.normal(0.0, random.choice([0.1, 1.0, 30.0]), size)
        laws.append((values - masses @ values - 0.3, masses))
    return laws


@pytest.mark.parametrize("seed", range(40))
def test_a_joined_law_has_the_largest_transform(seed):
    laws = random_laws(seed)
    points, masses = join(laws)
    assert (masses >= 0.0).all() and (np.diff(points) > 0.0).all()
    reach = float(points[-1] - points[0]) + 1.0
    places = [*np.random.default_rng(seed).uniform(points[0] - 1.0, points[-1] + 1.0, 30), *points]
    for t in places:
        largest = max(naive.finite_stop_loss(*law, t) for law in laws)
        found = naive.finite_stop_loss(points, masses, t)
        assert abs(float(found - largest)) <= 2e-12 * reach


def test_a_joined_law_of_alike_laws_is_that_law():
    values, masses = np.array([-1.0, 0.5, 2.0]), np.array([0.5, 0.25, 0.25])
    points, found = join([(values, masses), (values + 1e-16, masses), (values, masses)])
    assert points == pytest.approx(values, rel=1e-12) and found == pytest.approx(masses, rel=1e-12)


def test_a_small_mass_far_away_is_not_lost_in_a_join():
    # Two laws of mean 0: the second has the larger transform far out, by a mass of 1e-13.
    one = (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    far = (np.array([-1e-10, 1e3]), np.array([1.0 - 1e-13, 1e-13]))
    points, masses = join([one, far])
    for t in (1.0, 10.0, 900.0):
        truth = naive.finite_stop_loss(*far, t)
        assert float(naive.finite_stop_loss(points, masses, t)) == pytest.approx(float(truth), rel=1e-3)
        assert naive.finite_stop_loss(points, masses, t) >= truth * (1 - Fraction(1, 10**11))
