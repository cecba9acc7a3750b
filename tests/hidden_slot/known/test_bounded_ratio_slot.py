"""Hidden slots of finite randomizers, against enumeration and recursion in exact arithmetic; Laplace at one step."""

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import exp, nextafter
from typing import ClassVar

import naive_sums as naive
import numpy as np
import pytest
from flint import arb, ctx
from slot_oracles import table_delta

from pldcheck.core.errors import ParameterError
from pldcheck.hidden_slot.known import adaptive_references, bounded_ratio_laws, bounded_ratio_slot
from pldcheck.hidden_slot.known.least_dominating_law import join
from pldcheck.protocols import HiddenSlot
from pldcheck.randomizers import Randomizer
from pldcheck.randomizers.randomizer_text import parse

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


def candidates(steps, eps0, weight, text, adjacency, width):
    """Return what is certified of one hidden slot."""
    laws = bounded_ratio_laws.laws_of(parse(text), eps0, weight, adjacency)
    return bounded_ratio_slot.candidates(laws, steps, weight, width)


def exact_rows(rows):
    """Return rows as they are read, each line divided by its sum."""
    return [[Fraction(chance) / sum(map(Fraction, row)) for chance in map(Fraction, row)] for row in rows]


def ratio(exponent):
    """Return e^exponent to 60 digits: far beyond what a double can tell."""
    return Fraction(Context(prec=60).exp(Decimal(exponent)))


def contains(ends, truth, width):
    """Assert without any slack that ends hold the truth: the oracle is exact but for the 60th digit."""
    assert ends.lower <= truth <= ends.upper
    assert ends.upper <= ends.lower * (1 + width) + 1e-300


@pytest.mark.parametrize("weight", [1.0, 0.25])
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("name", TABLES)
def test_every_fixed_reference_is_attained(tmp_path, name, steps, weight):
    rows = TABLES[name]
    exact = exact_rows(rows)
    text = table_file(tmp_path, rows)
    candidate_laws = candidates(steps, None, weight, text, "replace", WIDTH)
    cases = [(i, j, o) for i, j, o in product(range(len(rows)), repeat=3) if i != j]
    every = [
        one for kind in bounded_ratio_laws.laws_of(parse(text), None, weight, "replace").neighbours for one in kind.each
    ]
    assert len(every) == len(cases)
    for epsilon in (0.0, 0.05, 0.4):
        kappa = ratio(epsilon)
        worst = Fraction(0)
        for (i, j, o), one in zip(cases, every, strict=True):
            below = bounded_ratio_slot.attained_curve(one, steps, weight, WIDTH)
            assert below.name == f"inputs {i} and {j}, the slot's own input {o}"
            truth = table_delta((exact[o], exact[i], exact[j]), steps, kappa, "replace", Fraction(weight))
            contains(below.delta(epsilon), truth, CLOSE)
            worst = max(worst, truth)
        assert all(above.delta(epsilon).upper >= worst for above in candidate_laws.above)
        if steps == 1:
            contains(candidate_laws.delta(epsilon, WIDTH), worst, 1e-15)


@pytest.mark.parametrize("weight", [1.0, 0.5])
@pytest.mark.parametrize(
    ("name", "steps"), [("two inputs", 4), ("three", 3), ("four outputs", 2), ("common values", 3)]
)
def test_references_chosen_as_outputs_come_do_not_exceed_the_upper_end(tmp_path, monkeypatch, name, steps, weight):
    rows = TABLES[name]
    exact = exact_rows(rows)
    arguments = steps, None, weight, table_file(tmp_path, rows), "replace", WIDTH
    candidate_laws = candidates(*arguments)
    for epsilon in (0.0, 0.1, 0.3):
        worst = max(
            naive.worst_references(exact[i], exact[j], exact, steps, ratio(epsilon), Fraction(weight))
            for i, j in product(range(len(rows)), repeat=2)
            if i != j
        )
        upper = min(above.delta(epsilon).upper for above in candidate_laws.above)
        assert upper >= worst
        contains(candidate_laws.delta(epsilon, WIDTH), worst, 1e-13)  # all counts were gone through
        monkeypatch.setattr(adaptive_references, "are_few", lambda *_: False)
        upper = min(above.delta(epsilon).upper for above in candidates(*arguments).above)
        monkeypatch.undo()
        # It bounds slots that change with every gain so far, not these rows alone: of few steps it is larger.
        assert worst <= upper <= float(worst) * 1.6


@pytest.mark.parametrize("adjacency", ["zero-out", "add-remove"])
@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize("steps", [1, 3, 6])
def test_a_record_that_is_there_or_not(tmp_path, steps, weight, adjacency):
    rows = TABLES["three"]
    exact = exact_rows(rows)
    candidate_laws = candidates(steps, None, weight, table_file(tmp_path, rows), adjacency, WIDTH)
    for epsilon in (0.02, 0.2):
        kappa = ratio(epsilon)
        one = max(
            table_delta((exact[o], exact[i], exact[i]), steps, kappa, way, Fraction(weight))
            for i, o in product(range(3), repeat=2)
            for way in ("remove", "add")
            if i != o
        )
        truth = max(
            naive.worst_of_record(exact[i], exact, steps, kappa, Fraction(weight), way)
            for i in range(3)
            for way in ("remove", "add")
        )
        contains(candidate_laws.delta(epsilon, WIDTH), truth, 1e-13)
        assert one == truth if steps == 1 else one <= truth


# Enumeration in fractions, references mixed but not adaptive, of the review that found this: each slot its own record.
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("steps", "mixture"), [(2, 0.02083), (3, 0.01021), pytest.param(4, 0.00562, marks=pytest.mark.nightly)]
)
def test_the_other_slots_may_hold_different_records(tmp_path, steps, mixture):
    rows = [[0.28, 0.13, 0.59], [0.21, 0.03, 0.76], [0.77, 0.02, 0.21]]
    slot = HiddenSlot(steps, adjacency="zero-out", randomizer=table_file(tmp_path, rows))
    exact = exact_rows(rows)
    truth = max(
        naive.worst_of_record(exact[i], exact, steps, ratio(1.3), Fraction(1), way)
        for i in range(3)
        for way in ("remove", "add")
    )
    assert truth > mixture
    contains(slot.delta(1.3), truth, 1e-13)
    twice = HiddenSlot(steps, adjacency="zero-out", randomizer=slot.randomizer, epochs=2)
    assert twice.delta(1.3).upper > truth


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("weight", [1.0, 0.4])
def test_merged_symbols_of_k_ary_response_against_all_of_them(k, weight):
    eps0, steps = 1.1, 3
    x = ratio(eps0)
    rows = [[(x if y == i else 1) / (x + k - 1) for y in range(k)] for i in range(k)]
    candidate_laws = candidates(steps, eps0, weight, f"krr:{k}", "replace", WIDTH)
    zero_out_laws = candidates(steps, eps0, weight, f"krr:{k}", "zero-out", WIDTH)
    (kind,) = bounded_ratio_laws.laws_of(parse(f"krr:{k}"), eps0, weight, "replace").neighbours
    references = {0: "the record's value", 1: "the replacement's value", 2: "a third value"}
    for epsilon in (0.03, 0.25):
        kappa = ratio(epsilon)
        for o in range(min(k, 3)):
            truth = table_delta((rows[o], rows[0], rows[1]), steps, kappa, "replace", Fraction(weight))
            (one,) = [one for one in kind.each if one.name.endswith(f"record at {references[o]}")]
            contains(bounded_ratio_slot.attained_curve(one, steps, weight, WIDTH).delta(epsilon), truth, CLOSE)
        ways = [
            table_delta((rows[1], rows[0], rows[0]), steps, kappa, way, Fraction(weight)) for way in ("remove", "add")
        ]
        contains(zero_out_laws.delta(epsilon, WIDTH), max(ways), CLOSE)
    if k <= 3:  # one of the two inputs or any other one
        kappa = ratio(0.1)
        worst = naive.worst_references(rows[0], rows[1], rows, steps, kappa, Fraction(weight))
        contains(candidate_laws.delta(0.1, WIDTH), worst, 1e-13)


def laplace_alone(eps0, weight, epsilon):
    """Return w (1 - sqrt(c' e^-eps0)), c' = 1 + (c - 1)/w: in 60 digits."""
    mixture = 1 + (ratio(epsilon) - 1) / Fraction(weight)
    context = Context(prec=60)
    share = context.divide(Decimal((mixture / ratio(eps0)).numerator), Decimal((mixture / ratio(eps0)).denominator))
    return Fraction(weight) * max(1 - Fraction(context.sqrt(share)), Fraction(0))


@pytest.mark.parametrize("eps0", [1e-9, 0.3, 1.0, 4.0, 19.0])
@pytest.mark.parametrize("weight", [1.0, 0.2, 1e-6])
def test_laplace_noise_in_one_step(eps0, weight):
    zero_out_slot = candidates(1, eps0, weight, "laplace", "zero-out", WIDTH)
    slot = candidates(1, eps0, weight, "laplace", "replace", WIDTH)
    for share in (0.0, 0.2, 0.6, 1 - 1e-9):
        epsilon = share * zero_out_slot.largest
        truth = laplace_alone(eps0, weight, epsilon)
        contains(zero_out_slot.delta(epsilon, WIDTH), truth, 1e-15)
        contains(slot.delta(epsilon, WIDTH), truth, 1e-15)
        # the truth lies between these two doubles
        more, less = (slot.epsilon(nextafter(float(truth), end), WIDTH) for end in (0.0, 1.0))
        assert less.lower <= epsilon <= more.upper


@pytest.mark.parametrize("eps0", [0.3, 1.0, 4.0])
def test_the_closed_form_of_laplace_noise_is_that_of_two_mixtures(eps0):
    """Quadrature in y between 0 and 1, the rest in closed form: densities e^{-eps0 |y|}, of the other one at 1 - y."""
    weight = 0.2
    for share in (0.0, 0.2, 0.6):
        epsilon = share * eps0
        nodes, weights = np.polynomial.legendre.leggauss(40)
        best = 0.0
        for add in (False, True):
            edges = np.linspace(0.0, 1.0, 4001)
            y = (edges[:-1, None] + 0.5 * (edges[1] - edges[0]) * (1.0 + nodes)).ravel()
            w = np.tile(0.5 * (edges[1] - edges[0]) * weights, edges.size - 1)
            record, other = (0.5 * eps0 * np.exp(-eps0 * np.abs(y - place)) for place in (0.0, 1.0))
            mixture = weight * record + (1.0 - weight) * other
            first, second = (other, mixture) if add else (mixture, other)
            divergence = float(np.maximum(first - exp(epsilon) * second, 0.0) @ w)
            for r, o in ((0.5, 0.5 * exp(-eps0)), (0.5 * exp(-eps0), 0.5)):
                m = weight * r + (1.0 - weight) * o
                a, b = (o, m) if add else (m, o)
                divergence += max(a - exp(epsilon) * b, 0.0)
            best = max(best, divergence)
        assert best == pytest.approx(float(laplace_alone(eps0, weight, epsilon)), rel=1e-6, abs=1e-12)


# --- joined laws ------------------------------------------------------------------------------------------------------


def random_laws(seed):
    """Return laws of one mean."""
    random = np.random.default_rng(seed)
    laws = []
    for _ in range(int(random.integers(1, 5))):
        size = int(random.integers(1, 7))
        masses = random.dirichlet(np.ones(size)) if size > 1 else np.ones(1)
        values = random.normal(0.0, random.choice([0.1, 1.0, 30.0]), size)
        laws.append((values - masses @ values - 0.3, masses))
    return laws


BITS = 600


def scaled_join(laws):
    """Return the join of laws given in doubles, as doubles."""
    integers = [
        tuple(np.array([int(Fraction(float(x)) * 2**BITS) for x in row], dtype=object) for row in law) for law in laws
    ]
    points, masses = join(integers, BITS)
    return (np.array([x / 2**BITS for x in row]) for row in (points, masses))


@pytest.mark.parametrize("seed", range(40))
def test_a_joined_law_has_the_largest_transform(seed):
    laws = random_laws(seed)
    points, masses = scaled_join(laws)
    assert (masses >= 0.0).all() and (np.diff(points) >= 0.0).all()
    reach = float(points[-1] - points[0]) + 1.0
    places = [*np.random.default_rng(seed).uniform(points[0] - 1.0, points[-1] + 1.0, 30), *points]
    for t in places:
        largest = max(naive.finite_stop_loss(*law, t) for law in laws)
        largest_transform = naive.finite_stop_loss(points, masses, t)
        assert abs(float(largest_transform - largest)) <= 2e-12 * reach


def test_a_joined_law_of_alike_laws_is_that_law():
    values, masses = np.array([-1.0, 0.5, 2.0]), np.array([0.5, 0.25, 0.25])
    points, join_masses = scaled_join([(values, masses), (values + 1e-16, masses), (values, masses)])
    near = np.abs(points[:, None] - values) < 1e-12
    assert near.any(axis=1).all() and join_masses @ near == pytest.approx(masses, rel=1e-12)


def test_a_small_mass_far_away_is_not_lost_in_a_join():
    # Two laws of mean 0: the second has the larger transform far out, by a mass of 1e-13.
    one = (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    far = (np.array([-1e-10, 1e3]), np.array([1.0 - 1e-13, 1e-13]))
    points, masses = scaled_join([one, far])
    for t in (1.0, 10.0, 900.0):
        truth = naive.finite_stop_loss(*far, t)
        assert float(naive.finite_stop_loss(points, masses, t)) == pytest.approx(float(truth), rel=1e-3)
        assert naive.finite_stop_loss(points, masses, t) >= truth * (1 - Fraction(1, 10**11))


# --- what the review found, against closed forms in 60 digits ---------------------------------------------------------


# delta(epsilon) of binary response is (x - kappa)/(x + 1); the review's answer was .9999999999967264 for all of these.
@pytest.mark.parametrize("delta", [1e-12, 1e-15, 1e-20])
def test_an_epsilon_next_to_the_largest_loss(delta):
    x = ratio(1.0)
    kappa = x - Fraction(delta) * (x + 1)
    truth = Fraction(Context(prec=60).ln(Context(prec=60).divide(Decimal(kappa.numerator), Decimal(kappa.denominator))))
    interval = HiddenSlot(1, 1.0, randomizer="rr").epsilon(delta)
    assert interval.lower <= truth <= interval.upper <= interval.lower * (1 + 1e-15)


# The review: [0, 0] at eps0 18 and an error at eps0 12.
def test_a_delta_next_to_the_largest_loss_of_large_budgets():
    x, kappa = ratio(18.0), ratio(17.999999982)
    contains(HiddenSlot(1, 18.0, randomizer="rr").delta(17.999999982), (x - kappa) / (x + 1), 1e-15)
    interval = HiddenSlot(1, 12.0, randomizer="rr").epsilon(1e-8)
    assert 11.9999999 < interval.lower <= interval.upper <= 12.0


# The review: any randomizer has .09254, enumeration over adaptive references .0901386, and rr was said to have .1050.
@pytest.mark.parametrize(("kinds", "steps"), [(1, 4), (2, 5), (3, 4), (5, 3)])
def test_counts_are_all_and_lead_to_those_with_one_more(kinds, steps):
    counts, following = adaptive_references._counts(kinds, steps)
    assert {tuple(one) for one in counts} == {
        one for one in product(range(steps + 1), repeat=kinds) if sum(one) == steps
    }
    for t in range(steps):
        # After t slots the last count is what is left.
        number = adaptive_references._number(kinds, t)
        now, then = ([(*one[:-1], slots - sum(one[:-1])) for one in counts] for slots in (t, t + 1))
        assert all(min(one) >= 0 for one in now[:number]) and all(min(one) < 0 for one in now[number:])
        for one, places in zip(now[:number], following, strict=False):
            assert [then[place] for place in places] == [
                tuple(count + (i == kind) for i, count in enumerate(one)) for kind in range(kinds)
            ]


def test_two_outputs_in_thousands_of_slots_are_answered_by_their_counts():
    # Lists of the outputs of every number of slots took more memory than there is.
    steps, epsilon = 2641, 0.2
    with ctx.workprec(300):
        x, kappa, share = arb(2.5).exp(), arb(epsilon).exp(), arb(0.5) / steps
        removed, added = arb(0), arb(0)
        for k in range(steps + 1):  # so many outputs that the record makes likelier
            chance = arb.bin_uiui(steps, k) * x ** (steps - k) / (1 + x) ** steps
            mixture = 1 + share * (k * (x - 1) + (steps - k) * (1 / x - 1))
            removed += chance * max(mixture - kappa, arb(0))
            added += chance * max(1 - kappa * mixture, arb(0))
        truth = max(removed, added)
        ends = [end.mid().man_exp() for end in (truth.lower(), truth.upper())]
        least, most = (Fraction(int(mantissa)) * Fraction(2) ** int(exponent) for mantissa, exponent in ends)
    delta = candidates(steps, 2.5, 0.5, "rr", "zero-out", 0.01).delta(epsilon, 0.01)
    assert Fraction(delta.lower) <= least and most <= Fraction(delta.upper)
    assert delta.upper - delta.lower <= 1e-11 * delta.lower


def test_few_slots_of_response_are_answered_by_all_adaptive_references():
    interval = HiddenSlot(6, 1.0, randomizer="rr").delta(0.3)
    x = ratio(1.0)
    rows = [[x / (1 + x), 1 / (1 + x)], [1 / (1 + x), x / (1 + x)]]
    contains(interval, naive.worst_references(*rows, rows, 6, ratio(0.3), Fraction(1)), 1e-13)
    assert f"{interval.upper:.7f}" == "0.0901386"


@pytest.mark.parametrize("randomizer", ["rr", "krr:3", "laplace"])
@pytest.mark.parametrize("steps", [6, 100])
def test_no_known_randomizer_has_more_than_the_worst(randomizer, steps):
    for adjacency in ("replace", "zero-out"):
        one = HiddenSlot(steps, 1.0, 1.0, adjacency, randomizer=randomizer)
        any_ = HiddenSlot(steps, 1.0, 1.0, adjacency)
        assert one.delta(0.3).upper <= any_.delta(0.3).upper
        assert one.epsilon(1e-3).upper <= any_.epsilon(1e-3).upper


@pytest.mark.parametrize("eps0", [1e-5, 1e-8, 1e-11, 1e-14])
def test_small_budgets(eps0):
    x, kappa = ratio(eps0), ratio(0.3 * eps0)
    contains(HiddenSlot(1, eps0, randomizer="krr:5").delta(0.3 * eps0), (x - kappa) / (x + 4), 1e-15)


@pytest.mark.nightly
def test_a_start_beyond_all_exponents_is_no_start():
    # The plan of the search pointed beyond epsilon 709, where e^epsilon overflows.
    slot = HiddenSlot(25, 0.005668574430404768, 1.0, "zero-out", randomizer="laplace")
    low, high = slot.epsilon(1.039442501234654e-14)
    assert 0.0 < low <= high <= 0.005668574430404768


@dataclass(frozen=True)
class Foreign(Randomizer):
    """A randomizer that no engine serves."""

    kind: ClassVar[str] = "foreign"
    form: ClassVar[str] = "foreign"


@pytest.mark.parametrize("epochs", [1, 2])
def test_a_randomizer_without_an_engine_is_refused(epochs):
    slot = HiddenSlot(10, 1.0, randomizer=Foreign(), epochs=epochs)
    for question in (lambda: slot.epsilon(1e-3), lambda: slot.delta(0.1), lambda: slot.renyi(2.0)):
        with pytest.raises(ParameterError, match="randomizer must be Finite, or of a class that is registered"):
            question()
