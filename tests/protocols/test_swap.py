import itertools
import math
import random
from fractions import Fraction
from functools import cache

import pytest
import shuffle_twins as twins
from flint import arb, ctx

from pldcheck import ParameterError
from pldcheck.protocols.shuffle import Shuffle
from pldcheck.protocols.swap import Averaged, Swap
from pldcheck.shuffling import subset_selection, swap_curves, three_symbol_pair


@cache
def swap_delta(n, eps0, epsilon):
    return Swap(n, eps0).delta(epsilon)


class Adversarial:
    """First a randomizer that tells the others apart by factors of up to x, then ternary responses or random ones."""

    outputs = 3

    def __init__(self, draw, eps0):
        self._draw, self._eps0, self._x, self._known = draw, eps0, twins.around(eps0)[0], {}

    def __call__(self, prefix):
        if prefix not in self._known:
            x = self._x
            if prefix and self._draw.random() < 0.7:
                rows = [[x if y == min(record, 2) else Fraction(1) for y in range(3)] for record in range(4)]
                rows = [[r / sum(row) for r in row] for row in rows]
            elif self._draw.random() < 0.5:
                sides = [self._draw.randrange(2) for _ in range(4)]
                rows = [[x / (1 + x), 1 / (1 + x), 0 * x] if s else [1 / (1 + x), x / (1 + x), 0 * x] for s in sides]
            else:
                rows = twins.dyadic(twins.random_rows(self._draw, 4, 3, float(x)), self._eps0)
            self._known[prefix] = rows
        return self._known[prefix]


@pytest.mark.parametrize("seed", range(120))
def test_no_adaptive_mechanism_exceeds_the_upper_end(seed):
    draw = random.Random(seed)
    n, eps0, share = draw.choice([2, 3, 3, 4]), draw.choice([0.3, 1.0, 3.0]), draw.choice([0.0, 0.2, 0.6])
    randomizer = Adversarial(draw, eps0)
    rest = [draw.choice([0, 1, 2, 3]) for _ in range(n - 1)]
    for a, b in ((0, 1), (1, 0)):
        truth = twins.sequence_delta(
            randomizer, [a, *rest], [b, *rest], twins.around(share * eps0)[1], twins.orders_of_swapping
        )
        assert truth <= swap_delta(n, eps0, share * eps0).upper


class Subsets:
    """The first output is a subset of the records, x times as likely if the place's record is in it; the rest is
    ternary response.

    Records 0 and 1 are the user's, 2, 3, ... the others.
    """

    def __init__(self, x, records, size):
        subsets = list(itertools.combinations(range(records), size))
        rows = [[x if record in subset else 1 for subset in subsets] for record in range(records)]
        self._first = [[r / sum(row) for r in row] for row in rows]
        rows = [[x if y == min(record, 2) else 1 for y in range(3)] for record in range(records)]
        self.outputs = max(len(subsets), 3)
        self._later = [[r / sum(row) for r in row] + [0 * x] * (self.outputs - 3) for row in rows]
        if len(subsets) < 3:
            self._first = [row + [0 * x] * (3 - len(subsets)) for row in self._first]

    def __call__(self, prefix):
        return self._later if prefix else self._first


@pytest.mark.parametrize(("n", "size"), [(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)])
@pytest.mark.parametrize("eps0", [0.4, 1.0, 2.5])
def test_subsets_agree_with_brute_force(n, size, eps0):
    with ctx.workprec(200):
        x = arb(eps0).exp()
    randomizer, rest = Subsets(x, n + 1, size), [*range(2, n + 1)]
    for share in (0.0, 0.1, 0.5):
        epsilon = share * eps0
        with ctx.workprec(200):
            kappa = arb(epsilon).exp()
            truth = twins.sequence_delta(randomizer, [0, *rest], [1, *rest], kappa, twins.orders_of_swapping)
        low, high = twins.ends(truth)
        interval = subset_selection.delta_of_size(n, eps0, epsilon, size)
        assert interval.lower <= high and low <= interval.upper
        assert interval.upper - interval.lower <= 1e-3 * float(truth) + 1e-12
        if n > 2:
            assert swap_delta(n, eps0, epsilon).lower >= subset_selection.delta_ends(n, eps0, epsilon).lower


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("n", "eps0", "epsilon"), [(40, 1.0, 0.5), (1000, 5.0, 4.0), (10**5, 5.0, 1.4), (10**6, 8.0, 4.8)]
)
def test_the_size_of_subsets_is_hardly_worse_than_any(n, eps0, epsilon):
    best = subset_selection.delta_ends(n, eps0, epsilon).lower
    sizes = {min(max(round(n * (k / 30) ** 4), 1), n - 1) for k in range(31)}
    assert best >= 0.8 * max(subset_selection.delta_of_size(n, eps0, epsilon, size).lower for size in sizes)


@pytest.mark.parametrize("n", [2, 3, 10, pytest.param(10**5, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("eps0", [0.2, 1.0, 4.0])
def test_swapping_is_no_more_private_than_shuffling_whose_others_are_alike(n, eps0):
    for delta in (1e-3, 1e-6):
        interval, other = Swap(n, eps0).epsilon(delta), Averaged(n, 7, eps0).epsilon(delta)
        assert other.lower <= interval.upper
        # The same pair, found from another start: hardly worse.
        assert interval.lower >= other.lower * (1 - 1e-9)
        assert interval.upper <= eps0


@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
def test_swapping_is_never_above_one_message_alone(n, eps0):
    # For each place the outputs differ in one answer: eps0-DP, so delta is at most that of one answer.
    for share in (0.0, 0.3, 0.9, 1 - 1e-9):
        interval, alone = Swap(n, eps0).delta(share * eps0), -math.expm1(share * eps0 - eps0) / (1 + math.exp(-eps0))
        assert interval.upper <= alone * (1 + 1e-9), (share, interval)


@pytest.mark.nightly
@pytest.mark.parametrize("n", [10**4, 10**6])
@pytest.mark.parametrize("eps0", [0.5, 1.0, 3.0])
def test_the_bracket_of_many_clients_is_narrow(n, eps0):
    interval = Swap(n, eps0).epsilon(1e-6)
    assert interval.lower > 0.0
    # sqrt((1 + x)/2 ...) of unequal weights at most, and the clones' 1.16
    assert interval.upper <= 1.7 * interval.lower


def test_extreme_budgets_give_no_warnings():
    for n, eps0 in ((3, 20.0), (2, 1e-9)):
        interval = Swap(n, eps0).epsilon(1e-6)
        assert 0.0 <= interval.lower <= interval.upper <= eps0


@pytest.mark.parametrize("n", [1, 2, 5, 200, 10**4])
@pytest.mark.parametrize("eps0", [0.3, 2.0])
def test_averaging_lies_within_shuffling(n, eps0):
    for delta in (1e-2, 1e-6):
        interval, other = Averaged(n, 3, eps0).epsilon(delta), Shuffle(n, eps0).epsilon(delta)
        assert interval.lower <= other.lower
        assert interval.upper == other.upper
    for epsilon in (0.0, 0.2):
        interval, other = Averaged(n, 3, eps0).delta(epsilon), Shuffle(n, eps0).delta(epsilon)
        assert interval.lower <= other.lower and interval.upper == other.upper


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_witness_of_averaged_attains_the_lower_end(n):
    for epsilon in (0.0, 0.3, 0.8):
        interval = Averaged(n, 4, 1.0).delta(epsilon)
        p, q, w = (interval.witness[key] for key in ("record", "replacement", "others"))
        truth = twins.direct_delta(p, q, [w] * (n - 1), math.exp(epsilon))
        assert truth == pytest.approx(interval.lower, rel=1e-10, abs=1e-15)  # the file's numbers are rounded


@pytest.mark.parametrize("make", [lambda **more: Swap(**more), lambda **more: Averaged(steps=3, **more)])
@pytest.mark.parametrize(("clients", "eps0", "words"), [(0, 1, "clients"), (1e13, 1, "clients"), (5, 0, "eps0")])
def test_bad_numbers_are_refused(make, clients, eps0, words):
    with pytest.raises(ParameterError) as error:
        make(clients=clients, eps0=eps0)
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.nightly
def test_bad_steps_are_refused():
    with pytest.raises(ParameterError, match="steps"):
        Averaged(5, 0, 1.0)


def test_the_smallest_budgets_take_few_looks(monkeypatch):
    # Their deviations are 0 in doubles: with no scale to start from, each of five crossings took sixty looks and more.
    looks, whole = [], three_symbol_pair.Pair.delta
    monkeypatch.setattr(
        three_symbol_pair.Pair, "delta", lambda self, *arguments: looks.append(arguments) or whole(self, *arguments)
    )
    interval = Swap(10**6, 4.6e-24).epsilon(4.6e-34)
    assert 0.0 < interval.lower < interval.upper < 1.001 * interval.lower and len(looks) < 60


@pytest.mark.parametrize(
    ("n", "eps0", "delta"),
    [
        (1000, 3.0, 1e-3),
        (10**6, 6.0, 1e-9),  # the search starts far from the largest weight
        *(pytest.param(*one, marks=pytest.mark.nightly) for one in ((10**5, 5.0, 1e-6), (10**5, 8.0, 1e-6))),
    ],
)
def test_at_the_upper_end_no_box_of_the_least_weight_exceeds_delta(n, eps0, delta):
    _, upper, _ = swap_curves._epsilon(n, eps0, delta)
    assert upper < 0.95 * eps0
    least, most = math.exp(-eps0), 1.0
    for _ in range(2):
        weights = [least * (most / least) ** (k / 24) for k in range(25)]
        deltas = [swap_curves._box(n, eps0, upper, weight, weight)[3].upper for weight in weights]
        place = deltas.index(max(deltas))
        least, most = weights[max(place - 1, 0)], weights[min(place + 1, 24)]
    # One weight is between the ends, and is charged as the larger one.
    assert 0.5 * delta < max(deltas) <= delta * (1 + 1e-3)
