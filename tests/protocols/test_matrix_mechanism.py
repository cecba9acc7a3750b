"""The matrix mechanism: products of an encoder's columns in fractions, curves of two batches by quadrature in balls."""

from fractions import Fraction
from math import comb, exp, inf

import mpmath
import numpy as np
import pytest

from pldcheck import BallsInBins, Composition, Gaussian, MatrixMechanism, RandomAllocation, SubsampledGaussian
from pldcheck.core.directed import Side
from pldcheck.core.errors import ParameterError
from pldcheck.hidden_slot.known.correlated_slots import OneFactor, models_above, models_below
from pldcheck.hidden_slot.known.encoder_gram import gram
from pldcheck.protocols.matrix_samplings.random_bins import source_of

SMALL = "toeplitz:1:0.125"
BINS = "balls-in-bins"
SEPARATED = "b-min-sep"


def exact_products(rows, bins, epochs):
    """Return the inner products of all bins, in fractions, from the rows of an encoder."""
    sums = [[sum(row[j + e * bins] for e in range(epochs)) for row in rows] for j in range(bins)]
    return [[sum(a * b for a, b in zip(one, other, strict=True)) for other in sums] for one in sums]


def toeplitz_rows(numbers, steps):
    return [[numbers[t - s] if 0 <= t - s < len(numbers) else Fraction(0) for s in range(steps)] for t in range(steps)]


@pytest.mark.parametrize(("bins", "epochs"), [(1, 1), (1, 4), (3, 1), (4, 3), (7, 2)])
@pytest.mark.parametrize("kind", ["identity", "toeplitz", "many bands", "square-root", "two bands", "file"])
def test_products_at_each_distance_are_enclosed(bins, epochs, kind, tmp_path):
    steps, draw = bins * epochs, np.random.default_rng(bins + epochs)
    root = [Fraction(comb(2 * k, k), 4**k) for k in range(steps)]
    texts = ["1", "0.3", "0", "2e-3", *(f"{x:.3f}" for x in draw.uniform(0.0, 1.0, 30))]
    encoder, rows = {
        "identity": ("identity", toeplitz_rows([Fraction(1)], steps)),
        "toeplitz": ("toeplitz:" + ":".join(texts[:4]), toeplitz_rows([Fraction(x) for x in texts[:4]], steps)),
        "many bands": ("toeplitz:" + ":".join(texts), toeplitz_rows([Fraction(x) for x in texts], steps)),
        "square-root": ("square-root", toeplitz_rows(root, steps)),
        "two bands": ("square-root:2", toeplitz_rows(root[:2], steps)),
        "file": (f"file:{tmp_path / 'encoder.csv'}", None),
    }[kind]
    if rows is None:
        words = [[f"{x:.3f}" for x in row] for row in np.tril(draw.uniform(0.0, 1.0, (steps, steps)))]
        (tmp_path / "encoder.csv").write_text("\n".join(["# an encoder", *(", ".join(row) for row in words)]))
        rows = [[Fraction(word) for word in row] for row in words]
    products, ends = exact_products(rows, bins, epochs), gram(encoder, bins, epochs)
    assert ends.bins == bins and max(products[i][i] for i in range(bins)) >= Fraction(ends.longest)
    for d in range(bins):
        ones = [products[i][i + d] for i in range(bins - d)]
        assert Fraction(float(ends.low[d])) <= min(ones) and max(ones) <= Fraction(float(ends.high[d]))
        assert float(ends.low[d]) >= float(min(ones)) * (1 - 1e-12)
        assert float(ends.high[d]) <= float(max(ones)) * (1 + 1e-12)


@pytest.mark.parametrize("adjacency", ["remove", "add", "add-remove"])
@pytest.mark.parametrize(("epochs", "sigma"), [(1, 1.5), (9, 6.0)])
def test_without_correlation_it_is_balls_in_bins(adjacency, epochs, sigma):
    ours = MatrixMechanism(50, sigma, "identity", epochs, BINS, adjacency)
    bins = BallsInBins(50, sigma, epochs, adjacency)
    for one, other in ((ours.epsilon(1e-5), bins.epsilon(1e-5)), (ours.delta(0.3), bins.delta(0.3))):
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)
        assert one.relative_width < 1e-3


def two_batches(products, sigma, epsilon, removed):
    """Return delta of two batches with these products: the second ratio in closed form, the first by quadrature."""
    g11, g12, g22 = (mpmath.mpf(x.numerator) / x.denominator / mpmath.mpf(sigma) ** 2 for x in products)
    kappa, s1 = mpmath.exp(epsilon), mpmath.sqrt(g11)
    slope = g12 / s1 if g11 else mpmath.mpf(0)
    rest = mpmath.sqrt(g22 - slope**2)

    def inner(z):
        """Return E(+-(first/2 + second/2 - kappa))_+ given the first variable."""
        first = mpmath.exp(s1 * z - g11 / 2) / 2
        mean = mpmath.exp(slope * z - slope**2 / 2) / 2
        strike = kappa - first if removed else 1 / kappa - first
        if strike <= 0:
            return mean - strike if removed else mpmath.mpf(0)
        d = mpmath.log(mean / strike) / rest
        above = mean * mpmath.ncdf(d + rest / 2) - strike * mpmath.ncdf(d - rest / 2)
        return above if removed else kappa * (above - mean + strike)

    bend = (mpmath.log(2 * (kappa if removed else 1 / kappa)) + g11 / 2) / s1
    return mpmath.quad(lambda z: inner(z) * mpmath.npdf(z), sorted({-14, -4, 0, 4, 14, bend}))


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", ["remove", "add"])
@pytest.mark.parametrize("encoder", ["identity", SMALL, "toeplitz:1:1", "toeplitz:1:0.5:0.5", "square-root"])
@pytest.mark.parametrize("epochs", [1, 3])
def test_two_batches_lie_between_the_ends(encoder, adjacency, epochs):
    sigma, steps = 1.5 * epochs, 2 * epochs
    numbers = {
        "identity": ["1"],
        "square-root": [Fraction(comb(2 * k, k), 4**k) for k in range(steps)],
    }.get(encoder, encoder.split(":")[1:])
    products = exact_products(toeplitz_rows([Fraction(x) for x in numbers], steps), 2, epochs)
    for epsilon in (0.0, 0.5) if epochs == 1 else (2.0,):
        with mpmath.workdps(20):
            truth = two_batches((products[0][0], products[0][1], products[1][1]), sigma, epsilon, adjacency == "remove")
            interval = MatrixMechanism(2, sigma, encoder, epochs, BINS, adjacency).delta(epsilon)
            assert interval.lower <= truth <= interval.upper < inf
            if encoder in ("identity", SMALL) and epochs == 1 and epsilon < 1.0:
                assert interval.upper <= truth * 1.25 and interval.lower >= truth / 1.1
    interval = MatrixMechanism(2, sigma, encoder, epochs, BINS, adjacency).epsilon(1e-3)
    with mpmath.workdps(20):
        lower, upper = (
            two_batches((products[0][0], products[0][1], products[1][1]), sigma, end, adjacency == "remove")
            for end in (interval.lower, interval.upper)
        )
    assert upper <= 1e-3 <= lower


@pytest.mark.parametrize("encoder", ["square-root:3", "toeplitz:1:0.9", "square-root"])
def test_six_batches_by_importance_sampling_lie_between_the_ends(encoder):
    sigma, epsilon, draws = 1.5, 0.6, 400_000
    numbers = {"square-root:3": [1, 0.5, 0.375], "toeplitz:1:0.9": [1, 0.9]}.get(encoder)
    numbers = [Fraction(x) for x in numbers] if numbers else [Fraction(comb(2 * k, k), 4**k) for k in range(6)]
    columns = np.array(toeplitz_rows(numbers, 6), dtype=float).T / sigma
    draw = np.random.default_rng(17)
    noise = draw.standard_normal((draws, 6)) + columns[draw.integers(0, 6, draws)]
    ratio = np.exp(noise @ columns.T - 0.5 * (columns**2).sum(axis=1)).mean(axis=1)
    values = np.maximum(1.0 - exp(epsilon) / ratio, 0.0)
    mean, error = values.mean(), values.std() / draws**0.5
    interval = MatrixMechanism(6, sigma, encoder, 1, BINS, "remove").delta(epsilon)
    assert interval.lower <= mean + 5 * error and mean - 5 * error <= interval.upper
    # As many batches without correlation, of the same length, would reveal less than is estimated here.
    alone = RandomAllocation(6, float(sigma / np.sqrt(gram(encoder, 6, 1).high[0])), adjacency="remove")
    assert alone.delta(epsilon).upper < mean - 5 * error


def test_models_lie_around_the_products():
    for encoder in ("identity", SMALL, "square-root:3", "square-root", "toeplitz:1:1:1:1"):
        for bins, epochs in ((1, 2), (6, 1), (12, 3)):
            ends = gram(encoder, bins, epochs)
            for one in models_above(ends):
                assert one.common + one.own >= ends.high[0]
                gaps = [g for g in range(1, bins + 1) if max(bins // g, 1) == one.bins]
                assert any(one.common >= ends.high[g::g].max(initial=0.0) for g in gaps), one
            first, *blocks = models_below(ends)
            assert first.bins == bins and first.common + first.own <= ends.low[0]
            assert bins == 1 or first.common <= ends.low[1:].min()
            for one in blocks:
                assert one.common == 0.0 and bins % one.bins == 0 and one.own <= ends.low[: bins // one.bins].min()
    assert models_above(gram("identity", 9, 1))[0].bins == 9 and len(models_above(gram("identity", 9, 1))) == 1
    assert type(models_below(gram("identity", 9, 1))[0]) is OneFactor


def test_a_known_order_is_gaussian_noise_on_the_longest_sum():
    # The columns of the encoder have the sums of squares 1 + 1/4 + 1/4 = 3/2, and at the end less.
    answer = MatrixMechanism(4, 2.0, "toeplitz:1:0.5:0.5", sampling="known-order").delta(0.4)
    with mpmath.workdps(30):
        root = mpmath.sqrt(mpmath.mpf(3) / 2) / 2
        truth = mpmath.ncdf(root / 2 - 0.4 / root) - mpmath.exp(0.4) * mpmath.ncdf(-root / 2 - 0.4 / root)
        assert answer.lower <= truth <= answer.upper
    assert answer.relative_width < 1e-9


def test_cyclic_samples_are_runs_with_the_noise_over_the_longest_column(tmp_path):
    # 1 + (3/4)^2 = (5/4)^2, and sigma 2.5 over 5/4 is 2.
    ours = MatrixMechanism(20, 2.5, "toeplitz:1:0.75", 10, "cyclic-poisson", rate=0.05)
    runs = SubsampledGaussian(2.0, 0.05, 10)
    for one, other in ((ours.epsilon(1e-5), runs.epsilon(1e-5)), (ours.delta(0.3), runs.delta(0.3))):
        assert max(one.lower, other.lower) <= min(one.upper, other.upper) and one.relative_width < 1e-3
    # Columns of different lengths: the batches are used with 3/4, 5/4 and 1, then with 1, 3/4 and 3/4.
    path = tmp_path / "rows.csv"
    rows = np.diag([0.75, 1.25, 1.0, 1.0, 0.75, 0.75])
    np.savetxt(path, rows)
    uneven = MatrixMechanism(3, 2.0, f"file:{path}", 2, "cyclic-poisson", rate=0.3).delta(0.5)
    truth = Composition(("subsampled-gaussian:1.6:0.3", f"subsampled-gaussian:{2 / 0.75!r}:0.3")).delta(0.5)
    assert uneven.lower <= truth.lower and truth.upper <= uneven.upper
    # A run of many steps costs no more than one of few.
    long = MatrixMechanism(10**6, 2.5, "toeplitz:1:0.75", 10**3, rate=1e-5).epsilon(1e-6)
    other = SubsampledGaussian(2.0, 1e-5, 10**3).epsilon(1e-6)
    assert long.lower <= other.upper and other.lower <= long.upper
    rows[3, 0] = 0.5  # the first batch's row in the second epoch
    np.savetxt(path, rows)
    with pytest.raises(ParameterError, match="two columns of one batch share"):
        MatrixMechanism(3, 2.0, f"file:{path}", 2, "cyclic-poisson", rate=0.3)


RULE = np.polynomial.hermite_e.hermegauss(40)
# The nodes of a rule for standard normal variables, and their masses.
NODES = RULE[0]
MASSES = RULE[1] / RULE[1].sum()


def test_vectors_that_depend_on_outputs_reveal_no_more():
    # Two steps, a batch each, and the encoder 1, 1/2: the first row adds u to batch 1, the second one u/2 and v.
    # A smooth convex function takes the place of a curve, so that the quadrature is exact to ten digits.
    def convex(s):
        return np.logaddexp(0.0, 4.0 * (s - 1.3)) / 4.0

    def value(lengths_of, u):
        total = 0.0
        for first, mass in zip(NODES, MASSES, strict=True):
            one = exp(u * first - u * u / 2.0)
            values = []
            for v in lengths_of(first):
                ratio = one * np.exp(u / 2.0 * NODES - u * u / 8.0) + np.exp(v * NODES - v * v / 2.0)
                values.append(float(convex(0.5 * ratio) @ MASSES))
            total += mass * max(values)
        return total

    worst = value(lambda _: [1.0], 1.0)
    assert value(lambda first: [-1.0] if first > 0.5 else [1.0], 1.0) < worst - 1e-6
    assert value(lambda _: [-1.0, -0.5, 0.0, 0.5], 1.0) < worst
    assert value(lambda _: [-1.0, -0.5, 0.0, 0.5, 1.0], 1.0) <= worst * (1 + 1e-9)
    assert value(lambda _: [1.0], 0.7) < worst


@pytest.mark.parametrize(
    ("values", "name", "words"),
    [
        ({"encoder": "toeplitz:1:-0.5"}, "encoder", "0 or from"),
        ({"encoder": "toeplitz:0"}, "encoder", "not all 0"),
        ({"encoder": "toeplitz:1:nan"}, "encoder", "plain digits"),
        ({"encoder": "toeplitz:"}, "encoder", "plain digits"),
        ({"encoder": "square-root:0"}, "encoder", "whole number of bands"),
        ({"encoder": "prefix"}, "encoder", "one of identity"),
        ({"encoder": 3}, "encoder", "in a text"),
        ({"encoder": "file:/nowhere.csv"}, "encoder", "no such file"),
        ({"steps": 10**6, "epochs": 2, "sampling": BINS}, "steps", "at most 1e"),
        ({"steps": 10**5, "sampling": BINS}, "steps", "at most 1e"),
        ({"sigma": 0.01}, "sigma", "above"),
        ({"adjacency": "replace", "sampling": BINS}, "adjacency", "one of remove, add, add-remove"),
        ({"sampling": "poisson"}, "sampling", "one of cyclic-poisson, b-min-sep, balls-in-bins, known-order"),
        ({"rate": 0.5, "sampling": BINS}, "rate", "1 unless sampling is cyclic-poisson"),
        ({"sampling": "cyclic-poisson", "adjacency": "add"}, "adjacency", "add-remove where"),
        ({"sampling": "cyclic-poisson", "epochs": 2, "encoder": "square-root:11"}, "encoder", "at most 10 bands"),
        ({"sampling": SEPARATED, "epochs": 2, "encoder": "square-root:11"}, "encoder", "at most 10 bands"),
        ({"sampling": SEPARATED, "adjacency": "remove"}, "adjacency", "add-remove where"),
    ],
)
def test_what_it_does_not_serve_is_refused_in_one_line(values, name, words):
    with pytest.raises(ParameterError) as caught:
        MatrixMechanism(**{"steps": 10, "sigma": 2.0, **values})
    assert caught.value.name == name and words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "truth"),
    [
        # The first step adds to the second row only, the second to none: with probability 1/2 the record is there.
        ((2, 1.0, "toeplitz:0:1", 1, BINS), SubsampledGaussian(1.0, 0.5)),
        ((2, 1.0, "toeplitz:1:1e-100", 1, BINS), RandomAllocation(2, 1.0)),
        ((2, 1.0, "toeplitz:1e-100", 1, BINS), RandomAllocation(2, 1e9)),
        ((3, 1e9, "identity", 1, BINS), RandomAllocation(3, 1e9)),
        ((3, 1e9, "identity", 2, "known-order"), Gaussian(1e9, 2)),
        ((3, 1e9, "identity", 2, "cyclic-poisson"), Gaussian(1e9, 2)),
    ],
)
def test_batches_that_add_little_or_nothing_have_an_answer(parameters, truth):
    mechanism = MatrixMechanism(*parameters)
    for ours, true in ((mechanism.delta(0.5), truth.delta(0.5)), (mechanism.epsilon(1e-6), truth.epsilon(1e-6))):
        assert ours.lower <= true.upper and true.lower <= ours.upper < inf


@pytest.mark.nightly
def test_correlations_that_fall_fast_are_hardly_any():
    decay = "toeplitz:" + ":".join(f"{0.1**k:.20f}" for k in range(20))
    answer, alone = MatrixMechanism(20, 2.0, decay, 1, BINS).epsilon(1e-6), RandomAllocation(20, 2.0).epsilon(1e-6)
    assert alone.upper < answer.upper < 2.0 * alone.lower


def test_a_batch_that_is_revealed_is_named_as_such():
    assert source_of(OneFactor(1, 0.0, 1.25), 2, Side.UPPER).endswith("the batch revealed")
    assert source_of(OneFactor(1, 0.0, 0.5), 2, Side.LOWER).endswith("what all batches have in common")
    with pytest.raises(ParameterError, match="not 0 in the steps"):
        MatrixMechanism(1, 1.0, "toeplitz:0:1")


def test_files_that_are_no_lower_triangle_are_refused(tmp_path):
    path = tmp_path / "rows.csv"
    for content, words in (
        ("1 0\n1 1\n", "3 lines"),
        ("1 0 0\n1 1 0\n1 1\n", "3 lines"),
        ("1 0 0\n1 1 2\n1 1 1\n", "lower-triangular"),
        ("1 0 0\n1 1 0\n1 x 1\n", "not numbers"),
        ("1 0 0\n1 1 0\n1 -1 1\n", "0 or from"),
    ):
        path.write_text(content)
        with pytest.raises(ParameterError, match=words):
            MatrixMechanism(3, 2.0, f"file:{path}")


@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.0])
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.25), (0.6, 0.75), (3.0, 0.5)])
def test_two_steps_of_which_one_is_used_lie_between_the_ends(sigma, rate, epsilon):
    # The ratio is (1 - q)^2 + q A + q (1 - q) B: a constant and two Gaussian ratios, one by quadrature.
    interval = MatrixMechanism(2, sigma, "identity", 1, SEPARATED, rate=rate).delta(epsilon)
    with mpmath.workdps(20):
        kappa, q, s = mpmath.exp(epsilon), mpmath.mpf(rate), 1 / mpmath.mpf(sigma)

        def call(strike, factor):
            """Return E(factor B - strike)_+."""
            if strike <= 0:
                return factor - strike
            d = mpmath.log(factor / strike) / s
            return factor * mpmath.ncdf(d + s / 2) - strike * mpmath.ncdf(d - s / 2)

        def removed(z):
            return call(kappa - (1 - q) ** 2 - q * mpmath.exp(s * z - s * s / 2), q * (1 - q)) * mpmath.npdf(z)

        def added(z):
            strike = 1 / kappa - (1 - q) ** 2 - q * mpmath.exp(s * z - s * s / 2)
            return kappa * (call(strike, q * (1 - q)) - q * (1 - q) + strike) * mpmath.npdf(z)

        bends = [
            (mpmath.log((bound - (1 - q) ** 2) / q) + s * s / 2) / s
            for bound in (kappa, 1 / kappa)
            if bound > (1 - q) ** 2
        ]
        places = sorted({-14, -4, 0, 4, 14, *bends})
        truth = max(mpmath.quad(removed, places), mpmath.quad(added, places))
        assert interval.lower <= truth <= interval.upper


# In the last case hardly any two columns differ, and Poisson samples in steps that are independent would reveal less.
@pytest.mark.parametrize(
    ("encoder", "gap", "steps", "sigma", "rate"),
    [
        ("identity", 3, 9, 2.0, 0.2),
        ("identity", 3, 9, 2.0, 0.7),
        ("square-root:3", 3, 9, 2.0, 0.2),
        ("toeplitz:1:0.9", 3, 9, 2.0, 0.7),
        ("toeplitz:" + ":".join(["1"] * 64), 64, 64, 8.0, 0.02),
    ],
    ids=["independent", "often", "square-root", "toeplitz", "alike"],
)
def test_uses_that_are_far_apart_by_importance_sampling_lie_between_the_ends(encoder, gap, steps, sigma, rate):
    epsilon, draws = 0.5, 100_000
    numbers = {"identity": [1], "square-root:3": [1, 0.5, 0.375]}.get(encoder, encoder.split(":")[1:])
    columns = np.array(toeplitz_rows([Fraction(x) for x in numbers], steps), dtype=float).T / sigma
    chances, means = patterns(steps, gap, rate, columns)
    draw = np.random.default_rng(5)
    squares = 0.5 * (means**2).sum(axis=1)
    # Removed: outputs with the record; added: outputs without it.
    noise = draw.standard_normal((draws, steps))
    present = noise + means[draw.choice(chances.size, draws, p=chances)]
    ratios = [np.exp(outputs @ means.T - squares) @ chances for outputs in (present, noise)]
    values = np.maximum(1.0 - exp(epsilon) / ratios[0], 0.0), np.maximum(1.0 - exp(epsilon) * ratios[1], 0.0)
    interval = MatrixMechanism(gap, sigma, encoder, steps // gap, SEPARATED, rate=rate).delta(epsilon)
    for one in values:
        assert one.mean() - 5 * one.std() / draws**0.5 <= interval.upper
    assert interval.lower <= max(one.mean() + 5 * one.std() / draws**0.5 for one in values)


def patterns(steps, gap, rate, columns):
    """Return the probability of every set of steps that are used, and the sums of their columns."""
    sets = [((), 1.0, 0)]
    for step in range(steps):
        later = []
        for used, chance, wait in sets:
            if wait > 0:
                later.append((used, chance, wait - 1))
                continue
            later += [(used, chance * (1.0 - rate), 0), ((*used, step), chance * rate, gap - 1)]
        sets = later
    chances = np.array([chance for _, chance, _ in sets])
    means = np.array([columns[list(used)].sum(axis=0) for used, _, _ in sets])
    return chances / chances.sum(), means


@pytest.mark.nightly
def test_a_step_without_a_row_of_its_own_reveals_nothing():
    # The first step adds to the second row only, the second to none.
    ours, true = MatrixMechanism(2, 1.0, "toeplitz:0:1", 1, SEPARATED, rate=0.5), SubsampledGaussian(1.0, 0.5)
    assert ours.epsilon(1e-6).lower <= true.epsilon(1e-6).upper and true.delta(0.5).lower <= ours.delta(0.5).upper


@pytest.mark.nightly
def test_uses_in_every_possible_step_are_gaussian_noise():
    ours, true = MatrixMechanism(10, 4.0, epochs=10, sampling=SEPARATED).epsilon(1e-6), Gaussian(4.0, 10).epsilon(1e-6)
    assert ours.lower <= true.upper and true.lower <= ours.upper and ours.relative_width < 1e-3


@pytest.mark.nightly
def test_uses_of_a_file_are_refused_if_two_share_a_row(tmp_path):
    path = tmp_path / "rows.csv"
    rows = np.diag([1.0, 1.25, 1.0, 1.0, 0.75, 0.75])
    rows[2, 0] = 0.5
    np.savetxt(path, rows)
    answer = MatrixMechanism(3, 3.0, f"file:{path}", 2, SEPARATED, rate=0.1).epsilon(1e-5)
    assert 0.0 < answer.lower <= answer.upper
    # The longest column has 1 + 1/4 or 25/16.
    alone = MatrixMechanism(3, 3.0 / 1.25, "identity", 2, SEPARATED, rate=0.1).epsilon(1e-5)
    assert (
        answer.upper >= alone.lower and answer.sources[1] == "columns in one direction, used a random number of times"
    )
    rows[4, 1] = 0.5
    np.savetxt(path, rows)
    with pytest.raises(ParameterError, match="two columns at a distance of 3 share"):
        MatrixMechanism(3, 3.0, f"file:{path}", 2, SEPARATED, rate=0.1)


@pytest.mark.nightly
def test_a_column_of_zeros_has_a_lower_end_of_nothing(tmp_path):
    (tmp_path / "empty.txt").write_text("0 0\n0 1\n")
    protocol = MatrixMechanism(2, 1.0, f"file:{tmp_path / 'empty.txt'}", 1, "b-min-sep", rate=0.1)
    answer = protocol.delta(0.1)
    assert answer.lower == 0.0 < answer.upper < 0.1
