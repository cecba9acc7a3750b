import itertools
import math
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import shuffle_twins as twins
from flint import arb, ctx
from scipy.special import ndtr

from pldcheck import ParameterError
from pldcheck.protocols.shuffle import Shuffle


@cache
def worst(n, eps0, epsilon):
    return Shuffle(n, eps0).delta(epsilon)


def extreme_rows(draw, inputs, x):
    """Return randomized responses and their relatives: every ratio 1, x or 1/x, in fractions."""
    k = draw.choice([2, 3])
    rows = [[x if y == i % k else Fraction(1) for y in range(3)] for i in draw.sample(range(6), inputs)]
    if k == 2:
        rows = [[row[0], row[1], Fraction(0)] for row in rows]
    return [[r / sum(row) for r in row] for row in rows]


class MixedRows(twins.Adaptive):
    """Extreme and random rows in turn, all anew after every prefix; exactly eps0-DP."""

    def __init__(self, draw, inputs, outputs, eps0):
        super().__init__(draw, inputs, outputs, math.exp(eps0))
        self._eps0 = eps0

    def __call__(self, prefix):
        if prefix not in self._known:
            extreme = self._random.random() < 0.7
            inputs, outputs = self._shape
            self._known[prefix] = (
                extreme_rows(self._random, inputs, twins.around(self._eps0)[0])
                if extreme
                else twins.dyadic(twins.random_rows(self._random, inputs, outputs, self._x), self._eps0)
            )
        return self._known[prefix]


@pytest.mark.parametrize("seed", range(120))
def test_no_adaptive_mechanism_exceeds_the_upper_end(seed):
    draw = random.Random(seed)
    n, eps0, share = draw.choice([2, 2, 3, 3, 4]), draw.choice([0.3, 1.0, 3.0]), draw.choice([0.0, 0.2, 0.6])
    randomizer = MixedRows(draw, 3, 3, eps0)
    if seed % 3 == 0:  # one randomizer for all
        rows = randomizer(())
        randomizer = type("Fixed", (), {"outputs": 3, "__call__": lambda self, prefix, rows=rows: rows})()
    one, two = draw.sample(range(3), 2)
    rest = [draw.randrange(3) for _ in range(n - 1)]
    for a, b in ((one, two), (two, one)):
        truth = twins.sequence_delta(
            randomizer, [a, *rest], [b, *rest], twins.around(share * eps0)[1], twins.orders_of_shuffling
        )
        assert truth <= worst(n, eps0, share * eps0).upper


def test_two_messages_of_randomized_response_attain_the_upper_end():
    # Sheet 4, end of section 2: equality at n = 2 for binary randomized response.
    for eps0 in (0.5, 2.0):
        x = arb(eps0).exp()
        p, q = [x / (1 + x), 1 / (1 + x)], [1 / (1 + x), x / (1 + x)]
        for epsilon in (0.6 * eps0, 0.9 * eps0):
            interval, kappa = worst(2, eps0, epsilon), arb(epsilon).exp()
            low, high = zip(*(twins.ends(twins.direct_delta(p, q, [w], kappa)) for w in (p, q)), strict=True)
            assert interval.lower <= max(high) and max(low) <= interval.upper
            assert interval.upper <= max(high) * (1 + Fraction(1, 10**9))


KINDS = ["worst", "rr", "krr:3", "krr:4", "krr:7", "tv:0.05", "tv:0.3", "laplace"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_witness_attains_the_lower_end(kind, n):
    for epsilon in (0.0, 0.2, 0.6):
        interval = Shuffle(n, 1.0, kind).delta(epsilon)
        if not interval.witness or interval.witness["kind"] != "shuffle":
            continue
        p, q, w = (interval.witness[key] for key in ("record", "replacement", "others"))
        if len(p) > 20:  # Laplace noise: cells put together, from below
            cuts = [0, 1, len(p) // 2, len(p) - 1, len(p)]
            p, q, w = ([sum(row[a:b]) for a, b in itertools.pairwise(cuts)] for row in (p, q, w))
            # The file's numbers are rounded, and are not the mechanism itself.
            assert twins.direct_delta(p, q, [w] * (n - 1), math.exp(epsilon)) < interval.upper
            continue
        for row in (p, q, w):
            assert abs(sum(row) - 1) < 1e-14
        ratios = [a / b for a, b in zip(p + p + q, q + w + w, strict=True) if b > 0]
        assert max(ratios) <= math.e * (1 + 1e-12) and min(ratios) >= (1 - 1e-12) / math.e or n == 1
        truth = twins.direct_delta(p, q, [w] * (n - 1), math.exp(epsilon))
        assert truth == pytest.approx(interval.lower, rel=1e-5, abs=1e-15)  # the file's numbers are rounded


@pytest.mark.parametrize("n", [10, 100, 1000, 10**4, 10**6, 10**9])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0, 6.0])
def test_the_bracket_of_any_randomizers_is_narrow(n, eps0):
    # Sheet 4, section 3: the ratio tends to at most 1.155, at x = 2.
    for delta in (1e-3, 1e-6, 1e-100):
        interval = Shuffle(n, eps0).epsilon(delta)
        assert 0.0 <= interval.lower <= interval.upper <= eps0
        # Where delta is near delta(0) epsilon is a difference: 1.2 at n = 10^4, eps0 = 1, delta = 1e-3.
        if delta < 0.1 * Shuffle(10**4 if n < 10**4 else n, eps0).delta(0.0).lower:
            assert interval.upper <= 1.17 * interval.lower


@pytest.mark.parametrize("k", [3, 4, 10, 100])
@pytest.mark.parametrize("n", [1000, pytest.param(10**4, marks=pytest.mark.nightly), 10**6])
def test_the_bracket_of_randomized_response_is_narrow(k, n):
    for eps0, delta in ((1.0, 1e-6), (3.0, 1e-6), (1.0, 1e-10)):
        interval = Shuffle(n, eps0, f"krr:{k}").epsilon(delta)
        assert interval.upper <= 1.003 * interval.lower


# Sheet 4, 5.4 (delta = 1e-6): n, eps0, k, LB others on a third value (merged), UB blanket.
RESPONSES = [
    (10**4, 1.0, 3, "0.037998", "0.038001"),
    (10**4, 1.0, 4, "0.034256", "0.034259"),
    (10**4, 1.0, 10, "0.023252", "0.023253"),
    (10**4, 3.0, 3, "0.220425", "0.220432"),
    (10**4, 3.0, 4, "0.215160", "0.215173"),
    (10**4, 3.0, 10, "0.189751", "0.189779"),
    (10**3, 1.0, 3, "0.130566", "0.130695"),
    (10**3, 1.0, 4, "0.117686", "0.117824"),
    (10**3, 1.0, 10, "0.080095", "0.080161"),
]


@pytest.mark.parametrize(("n", "eps0", "k", "lower", "upper"), RESPONSES)
def test_the_table_of_randomized_response_is_reproduced(n, eps0, k, lower, upper):
    interval = Shuffle(n, eps0, f"krr:{k}").epsilon(1e-6)
    assert f"{interval.upper:.6f}" == upper
    # Four symbols are a little better than the sheet's merged three.
    assert float(lower) - 5.1e-7 <= interval.lower <= interval.upper
    if k == 3:
        assert f"{interval.lower:.6f}" == lower


def table_file(folder, rows):
    path = folder / "table.txt"
    path.write_text("\n".join(" ".join(repr(float(r)) for r in row) for row in rows), encoding="utf-8")
    return f"table:{path}"


@pytest.mark.parametrize("seed", range(24))
def test_a_table_is_enclosed_by_enumeration_of_all_data(tmp_path, seed):
    draw = random.Random(seed)
    eps0, n = draw.choice([0.3, 1.0, 2.0]), draw.choice([1, 2, 3, 4, 6])
    inputs, outputs = draw.choice([2, 3]), draw.choice([2, 3])
    rows = [[]] * inputs
    while all(row == rows[0] for row in rows):
        rows = twins.dyadic(twins.random_rows(draw, inputs, outputs, math.exp(eps0)), eps0)
    epsilon = eps0 * draw.choice([0.0, 0.1, 0.3])
    interval = Shuffle(n, eps0, table_file(tmp_path, rows)).delta(epsilon)
    kappas, best, alike = twins.around(epsilon), [Fraction(0)] * 2, 0.0
    for i, j in itertools.permutations(range(inputs), 2):
        for others in itertools.combinations_with_replacement(range(inputs), n - 1):
            truth = [twins.direct_delta(rows[i], rows[j], [rows[o] for o in others], kappa) for kappa in kappas]
            best = [max(pair) for pair in zip(best, truth, strict=True)]
            alike = max(alike, truth[1] if len(set(others)) <= 1 else 0.0)
    assert best[1] <= interval.upper
    assert interval.lower <= best[0]
    assert alike <= interval.lower * (1 + 1e-4) + 1e-15  # all the others alike: exact


def test_a_table_a_hair_above_the_budget_is_enclosed(tmp_path):
    # The file is taken to be eps0-DP up to 1e-9 and delta(eps0) said to be 0: it is 3.7e-10.
    p = 1 / (1 + math.exp(-1 - 5e-10))
    name = table_file(tmp_path, [[p, 1 - p], [1 - p, p]])
    try:
        interval = Shuffle(1, 1.0, name).delta(1.0)
    except ParameterError:
        return
    exact = [Fraction(value) / (Fraction(p) + Fraction(1 - p)) for value in (p, 1 - p)]
    assert interval.upper >= exact[0] - twins.around(1.0)[1] * exact[1]


def coarse(kind, size, n, edges, places, epsilon):
    """Return the divergence of merged outputs, in balls."""

    def mass_below(z):
        if kind == "gaussian":
            return (-z / arb(2).sqrt()).erfc() / 2
        return z.exp() / 2 if z < 0 else 1 - (-z).exp() / 2

    def masses(centre):
        scale = arb(size) if kind == "laplace" else 1 / arb(size)
        levels = [arb(0), *(mass_below((arb(y) - arb(centre)) * scale) for y in edges[1:-1].tolist()), arb(1)]
        return [after - before for before, after in itertools.pairwise(levels)]

    with ctx.workprec(200):
        p, q, w = map(masses, places)
        kappa = arb(epsilon).exp()
        if n == 2:
            p, q = (
                [r * b + a * s for r, a in zip(row, w, strict=True) for s, b in zip(row, w, strict=True)]
                for row in (p, q)
            )
        return sum(((a - kappa * b).max(arb(0)) for a, b in zip(p, q, strict=True)), arb(0)) / n


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("size", [1.0, 2.0])
def test_noise_is_above_all_its_coarse_cells(kind, size, n):
    """Merged outputs are post-processing: below the upper end, for all neighbours and all the others' records."""
    edges = np.linspace(0, 1, 41) if kind == "laplace" else np.linspace(-4 * size, 1 + 4 * size, 81)
    edges = np.concatenate([[-np.inf], edges, [np.inf]])

    def masses(centre):
        y = edges - centre
        if kind == "gaussian":
            return np.diff(ndtr(y / size))
        low, high = 0.5 * np.exp(size * np.minimum(y, 0)), 0.5 * np.exp(-size * np.maximum(y, 0))
        return np.diff(np.where(y < 0, low, 1 - high))

    places = (0.0, 0.1, 0.5, 0.9, 1.0)
    rows = {place: masses(place) for place in places}
    name = "laplace" if kind == "laplace" else f"gaussian:{size}"
    for epsilon in (0.0, 0.2, 0.6):
        interval, best = Shuffle(n, size, name).delta(epsilon), (0.0, ())
        for one, two, other in itertools.product(places, repeat=3):
            p, q, w = rows[one], rows[two], rows[other]
            if n == 2:
                p, q = (np.outer(row, w) + np.outer(w, row) for row in (p, q))
            best = max(best, (float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) / n, (one, two, other)))
        best, inputs = best
        assert twins.ends(coarse(kind, size, n, edges, inputs, epsilon))[0] <= interval.upper
        assert best >= interval.lower * (0.99 if n == 1 else 0.97)


@pytest.mark.parametrize("sigma", [1.0, 1.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_one_gaussian_message_agrees_with_the_closed_form(sigma, epsilon):
    with ctx.workprec(200):
        s, e = arb(sigma), arb(epsilon)
        above, below = (((e * s + way / (2 * s)) / arb(2).sqrt()).erfc() / 2 for way in (-1, 1))
        low, high = twins.ends(above - e.exp() * below)
    interval = Shuffle(1, 1.0, f"gaussian:{sigma}").delta(epsilon)
    assert interval.lower <= high and low <= interval.upper
    # No message can reveal more than it does alone; the bracket was [.38, 1] at sigma = 1.
    assert interval.relative_width <= 0.01


@pytest.mark.parametrize("eps0", [0.5, 2.0])
def test_one_laplace_message_agrees_with_the_closed_form(eps0):
    for epsilon in (0.0, 0.1, 0.4):
        with ctx.workprec(200):
            low, high = twins.ends(-((arb(epsilon) - arb(eps0)) / 2).expm1())
        interval = Shuffle(1, eps0, "laplace").delta(epsilon)
        assert interval.lower <= high and low <= interval.upper
        assert interval.relative_width <= 1e-4


def test_a_narrow_randomizer_has_its_known_delta():
    # Sheet 4, E1: eps0 = 2, a = .2/(x + 2), n = 6, epsilon = 1: exact .04113.
    x = math.exp(2)
    interval = Shuffle(6, 2.0, f"tv:{0.2 / (x + 2) * (x - 1)!r}").delta(1.0)
    assert f"{interval.lower:.5f}" == "0.04113"
    assert interval.upper >= interval.lower


@pytest.mark.parametrize("tv", [1e-6, 1e-3, 0.05])
@pytest.mark.parametrize("n", [1, 2, 10])
def test_narrow_randomizers_reveal_at_most_their_distance(tv, n):
    # One message alone is within tv; tv:1e-9 had delta(0) in [1e-9, .157].
    interval = Shuffle(n, 1.0, f"tv:{tv}").delta(0.0)
    assert interval.lower <= tv
    assert interval.upper <= tv * 1.01


def test_narrow_randomizers_of_the_largest_distance_are_answered():
    # The list of lower bounds was empty: IndexError.
    interval = Shuffle(10, 1.0, f"tv:{math.tanh(0.5)!r}").epsilon(1e-6)
    assert interval.lower <= interval.upper <= 1.0


@pytest.mark.nightly
@pytest.mark.parametrize(("kind", "count"), [("worst", (1, 2, 3, 10, 1000)), ("rr", (1, 2, 10))])
def test_more_rounds_reveal_more(kind, count):
    chain = [Shuffle(4000, 1.0, kind, rounds).epsilon(1e-6) for rounds in count]
    for before, after in itertools.pairwise(chain):
        assert before.lower <= after.upper and before.lower <= after.lower
        assert before.upper <= after.upper * (1 + 1e-3)
    both = Shuffle(4000, 1.0, kind, 2).delta(0.1)
    assert Shuffle(4000, 1.0, kind).delta(0.1).lower <= both.upper


@pytest.mark.parametrize("kind", ["laplace", "tv:0.1", "worst", "krr:4"])
@pytest.mark.parametrize("epsilon", [1.0, 1.5])
def test_rounds_are_answered_beyond_the_budget_of_one(kind, epsilon):
    # One round's delta is 0 there and had no sources: max() of nothing.
    interval = Shuffle(10, 1.0, kind, 2).delta(epsilon)
    assert 0.0 <= interval.lower <= interval.upper < 0.02


@pytest.mark.parametrize("n", [2, 3])
def test_rounds_of_few_messages_agree_with_exact_laws(n):
    for kind, k in (("rr", 2), ("krr:3", 3)):
        for epsilon in (0.0, 0.5, 1.3):
            interval = Shuffle(n, 1.0, kind, 2).delta(epsilon)
            # A response of a smaller budget is one of a larger budget, responded to again.
            high, low = (
                composed_response(n, k, *at) for at in zip(twins.around(1.0)[::-1], twins.around(epsilon), strict=True)
            )
            assert low <= interval.upper
            assert interval.lower <= high


def composed_response(n, k, x, kappa):
    """Return delta of two rounds of k-ary response at e^eps0 = x, the others' inputs the worst, in fractions."""
    rows = [[(x if i == j else 1) / (x + k - 1) for j in range(k)] for i in range(k)]
    every = itertools.combinations_with_replacement(rows, n - 1)
    return max(twins.composed_delta(rows[0], rows[1], list(others), kappa, 2) for others in every)


@pytest.mark.parametrize("eps0", [1e-12, 1e-9, 1e-4])
@pytest.mark.parametrize("n", [1, 2, 50])
def test_tiny_budgets_are_enclosed(eps0, n):
    # The logarithm of a share above 1 raised ValueError.
    for delta in (1e-3, 1e-15, 1e-100):
        interval = Shuffle(n, eps0).epsilon(delta)
        assert 0.0 <= interval.lower <= interval.upper <= eps0
    zero = Shuffle(n, eps0).delta(0.0)
    if n == 1:
        low, high = twins.ends((arb(eps0) / 2).tanh())
        assert zero.lower <= high and low <= zero.upper


def test_a_case_with_crossing_ends_in_an_earlier_version_is_consistent():
    # The stronger clones' window began where probabilities underflow: 1.9e-107 for 1.9e-93.
    interval = Shuffle(500, 0.3).delta(0.27)
    assert interval.lower <= 1.8699066892115319e-93 <= interval.upper <= 1.9e-93


@pytest.mark.parametrize(
    ("randomizer", "words"),
    [
        ("krr", "randomizer"),
        ("krr:1", "categories"),
        ("krr:x", "categories"),
        ("krr:2.5", "categories"),
        ("foo", "randomizer"),
        ("", "randomizer"),
        ("worst:3", "randomizer"),
        ("tv", "randomizer"),
        ("tv:0.9", "randomizer"),
        ("tv:0", "tv"),
        ("tv:nan", "tv"),
        ("table:/nonexistent", "randomizer"),
        ("gaussian:0.01", "randomizer"),
        ("gaussian:-1", "sigma"),
        ("gaussian:nan", "sigma"),
        ("laplace:2", "randomizer"),
    ],
)
def test_bad_randomizers_are_refused(randomizer, words):
    with pytest.raises(ParameterError) as error:
        Shuffle(5, 1.0, randomizer).delta(0.1)
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.5 0.6\n0.5 0.5", "randomizer"),
        ("nan 0.5\n0.5 0.5", "randomizer"),
        ("inf 0\n0 1", "randomizer"),
        ("-0.1 1.1\n0.5 0.5", "randomizer"),
        ("0.5 0.5", "randomizer"),
        ("0.5 0.5\n0.5 0.5", "randomizer"),
        ("0.5 0.5\n1.0", "randomizer"),
        ("", "randomizer"),
        ("# only words", "randomizer"),
        ("a b\nc d", "randomizer"),
        ("0.9 0.1\n0.1 0.9", "eps0"),
        ("1 0\n0 1", "eps0"),
    ],
)
def test_bad_tables_are_refused(tmp_path, text, words):
    path = tmp_path / "table.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as error:
        Shuffle(5, 1.0, f"table:{path}").delta(0.1)
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"clients": 0}, "clients"),
        ({"clients": 1e13}, "clients"),
        ({"clients": 2.5}, "clients"),
        ({"eps0": 0}, "eps0"),
        ({"eps0": math.nan}, "eps0"),
        ({"rounds": 0}, "rounds"),
    ],
)
def test_bad_numbers_are_refused(arguments, words):
    with pytest.raises(ParameterError) as error:
        Shuffle(**({"clients": 5, "eps0": 1.0} | arguments))
    assert words in str(error.value)


@pytest.mark.parametrize("delta", [-0.5, 1.0, -1e-9, math.nan, "x"])
@pytest.mark.nightly
def test_a_bad_delta_is_refused(delta):
    with pytest.raises(ParameterError):
        Shuffle(5, 1.0).epsilon(delta)
