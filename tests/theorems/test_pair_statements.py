"""The statements on pairs, by enumeration in fractions: adaptive mechanisms of few outcomes, and what is violated where
a condition is dropped.
"""

import random
from fractions import Fraction
from itertools import combinations

import pytest
from exact_curves import (
    approximate_pair,
    budgeted,
    curve,
    dominates,
    followed,
    kinks,
    mean,
    mixture,
    pair_of,
    processed,
    random_kernel,
    random_law,
    times,
)
from mpmath import exp, inf, mpf, ncdf, quad

from pldcheck.theorems.statements import STATEMENTS

SEEDS = range(30)
BUDGETS = (Fraction(1), Fraction(3, 2), Fraction(3), Fraction(10))


def random_pair(draw, zeros=0.2):
    return random_law(draw, "abc", zeros), random_law(draw, "abc", zeros)


def adaptive_runs(draw, pair, runs=2):
    """Return the two laws of all outputs of runs, each a kernel of a pair that depends on the earlier outputs."""
    laws = [{(): Fraction(1)}] * 2
    for _ in range(runs):
        kernels = {y: random_kernel(draw, "abc", "uvw") for y in {**laws[0], **laws[1]}}
        laws = [
            followed(law, {y: processed(side, kernels[y]) for y in law}) for law, side in zip(laws, pair, strict=True)
        ]
    return laws


def test_curves_of_exchanged_processed_and_mixed_pairs():
    for seed in SEEDS:
        draw = random.Random(seed)
        (p, q), (r, s) = random_pair(draw), random_pair(draw)
        for kappa in kinks(p, q) | kinks(q, p) | {Fraction(1, 3), Fraction(2)}:
            assert curve(q, p, kappa) == 1 - kappa + kappa * curve(p, q, 1 / kappa)
            share = Fraction(draw.randint(0, 4), 4)
            mixed = curve(mixture(share, p, r), mixture(share, q, s), kappa)
            assert mixed <= share * curve(p, q, kappa) + (1 - share) * curve(r, s, kappa)
        kernel = random_kernel(draw, "abc", "uvw")
        assert dominates((p, q), (processed(p, kernel), processed(q, kernel)))


def test_every_function_that_looks_like_a_curve_is_one():
    for seed in SEEDS:
        draw = random.Random(seed)
        pairs = [random_pair(draw) for _ in range(3)]
        places = set().union(*(kinks(*pair) for pair in pairs))
        # The largest of several curves is convex; its chords between all kinks are a polygon that is nowhere below it.
        points = [(Fraction(0), Fraction(1)), *((k, max(curve(*pair, k) for pair in pairs)) for k in places)]
        p, q = pair_of(points)
        assert sum(p.values()) == sum(q.values()) == 1 and min(*p.values(), *q.values()) >= 0
        assert all(curve(p, q, kappa) == height for kappa, height in points[1:])
        assert all(dominates((p, q), pair) for pair in pairs)


def test_adaptive_runs_are_dominated_by_the_product():
    for seed in SEEDS:
        draw = random.Random(seed)
        pair = random_pair(draw)
        laws = adaptive_runs(draw, pair)
        assert dominates((times(pair[0], pair[0]), times(pair[1], pair[1])), laws)


def test_pairs_that_dominate_from_one_on_alone_are_not_enough():
    violated = 0
    for seed in range(200):
        draw = random.Random(seed)
        (p, q), (r, s) = random_pair(draw, 0.0), random_pair(draw, 0.0)
        above = [kappa for kappa in kinks(p, q) | kinks(r, s) | {Fraction(1)} if kappa >= 1]
        if all(curve(p, q, kappa) >= curve(r, s, kappa) for kappa in above) and not dominates((p, q), (r, s)):
            one, other = (times(p, p), times(q, q)), (times(r, r), times(s, s))
            violated += any(
                curve(*one, kappa) < curve(*other, kappa) for kappa in kinks(*one) | kinks(*other) if kappa >= 1
            )
    assert violated > 0


def test_epochs_need_both_orders_from_one_on():
    for seed in SEEDS:
        draw = random.Random(seed)
        # One run: a pair in either order, whichever the outputs before say.
        p, q = random_pair(draw)
        places = {1 / k for k in kinks(p, q) | kinks(q, p)} | kinks(p, q) | kinks(q, p)
        points = [(Fraction(0), Fraction(1)), *((k, max(curve(p, q, k), curve(q, p, k))) for k in places)]
        worst = pair_of(points)
        sides = {y: draw.random() < 0.5 for y in "abc"}
        laws = followed(p, {y: (p if sides[y] else q) for y in p}), followed(q, {y: (q if sides[y] else p) for y in q})
        product = times(worst[0], worst[0]), times(worst[1], worst[1])
        assert dominates(product, laws) and dominates(product, laws[::-1])


def test_randomized_response_dominates_its_budget():
    spoiled = 0
    for seed in SEEDS:
        draw = random.Random(seed)
        p, q = random_pair(draw)
        for x in BUDGETS:
            delta0 = budgeted((p, q), x)
            response = approximate_pair(x, delta0)
            assert dominates(response, (p, q)) and dominates(response, (q, p))
            assert curve(*response, x) == curve(*response[::-1], x) == delta0
            spoiled += not dominates(approximate_pair(x, min(curve(p, q, x), curve(q, p, x))), (p, q))
    assert spoiled > 0


# --- Samples ----------------------------------------------------------------------------------------------------------


def poisson_run(rate, others, laws, there):
    """Return the law of a run on a Poisson sample of some other records, and of d if it is there.

    ``laws`` maps samples of the others to the laws of the output without d and with it.
    """
    parts = []
    for sample, (without, with_d) in laws.items():
        share = rate ** len(sample) * (1 - rate) ** (others - len(sample))
        parts.append((share, mixture(rate, with_d, without) if there else without))
    return mean(parts)


def poisson_laws(draw, pair, others):
    """Return laws for all samples of the others; given the sample, they are a kernel of the pair."""
    samples = [sample for size in range(others + 1) for sample in combinations(range(others), size)]
    kernels = {sample: random_kernel(draw, "abc", "uv", 0.3) for sample in samples}
    return {sample: (processed(pair[1], kernels[sample]), processed(pair[0], kernels[sample])) for sample in samples}


def test_poisson_samples_in_two_adaptive_runs():
    spoiled = 0
    for seed in range(20):
        draw = random.Random(seed)
        pair, rate = random_pair(draw), Fraction(draw.randint(1, 4), 5)
        first = poisson_laws(draw, pair, 2)
        second = {y: poisson_laws(draw, pair, 2) for y in "uv"}
        without, with_d = (
            followed(poisson_run(rate, 2, first, there), {y: poisson_run(rate, 2, second[y], there) for y in "uv"})
            for there in (False, True)
        )
        sampled = mixture(rate, *pair)
        removal = times(sampled, sampled), times(pair[1], pair[1])
        assert dominates(removal, (with_d, without)) and dominates(removal[::-1], (without, with_d))
        spoiled += not dominates(removal, (without, with_d))
    # The two orders are not one.
    assert spoiled > 0


def test_poisson_samples_of_the_pair_itself_attain_the_curve():
    for seed in SEEDS:
        draw = random.Random(seed)
        (p, q), rate = random_pair(draw), Fraction(draw.randint(1, 4), 5)
        run = poisson_run(rate, 0, {(): (q, p)}, True)
        for kappa in kinks(run, q) | {Fraction(1, 20), Fraction(7, 2)}:
            stated = rate * curve(p, q, 1 + (kappa - 1) / rate) if kappa > 1 - rate else 1 - kappa
            assert curve(run, q, kappa) == stated
        assert run == mixture(rate, p, q)


def glued(pair, rate):
    """Return the pair of the statement on fixed-size samples, by its losses."""
    first = mixture(rate, *pair), pair[1]
    p = {("first", z): first[0][z] for z in first[0] if first[0][z] > first[1].get(z, 0)}
    q = {("first", z): first[1].get(z, Fraction(0)) for z in first[0] if first[0][z] > first[1].get(z, 0)}
    p |= {("second", z): first[1].get(z, Fraction(0)) for z in first[0] if first[1].get(z, 0) < first[0][z]}
    q |= {("second", z): first[0][z] for z in first[0] if first[1].get(z, 0) < first[0][z]}
    return {**p, "rest": 1 - sum(p.values())}, {**q, "rest": 1 - sum(q.values())}


def fixed_size_run(data, size, laws):
    """Return the law of a run on a sample of so many records; ``laws`` maps sorted samples to laws."""
    samples = list(combinations(data, size))
    return mean([(Fraction(1, len(samples)), laws[tuple(sorted(sample))]) for sample in samples])


@pytest.mark.parametrize(("count", "size"), [(2, 1), (3, 1), (3, 2), (4, 2)])
def test_fixed_size_samples_in_two_adaptive_runs(count, size):
    spoiled = {"rate": 0, "one side": 0}
    domain = ["d", "e", *(f"other{place}" for place in range(count - 1))]
    for seed in range(12):
        draw = random.Random(seed)
        samples = [tuple(sorted(sample)) for sample in combinations(domain, size)]
        runs = [{sample: random_law(draw, "uv", 0.1) for sample in samples} for _ in range(3)]
        neighbours = [(one, other) for one in samples for other in samples if len({*one} - {*other}) == 1]
        x = draw.choice(BUDGETS)
        delta0 = max(curve(run[one], run[other], x) for run in runs for one, other in neighbours)
        pair, rate = approximate_pair(x, delta0), Fraction(size, count)
        one, other = (
            followed(
                fixed_size_run(data, size, runs[0]),
                {y: fixed_size_run(data, size, run) for y, run in zip("uv", runs[1:], strict=True)},
            )
            for data in (["d", *domain[2:]], ["e", *domain[2:]])
        )
        worst = glued(pair, rate)
        assert (
            sum(worst[0].values()) == sum(worst[1].values()) == 1 and min(*worst[0].values(), *worst[1].values()) >= 0
        )
        first = mixture(rate, *pair), pair[1]
        for kappa in kinks(*first) | kinks(*first[::-1]):
            assert curve(*worst, kappa) == (curve(*first, kappa) if kappa >= 1 else curve(*first[::-1], kappa))
        product = times(worst[0], worst[0]), times(worst[1], worst[1])
        assert dominates(product, (one, other)) and dominates(product, (other, one))
        # What a run attains, where the record decides all: with a smaller rate, or one side alone, it is violated.
        laws = dict.fromkeys(samples, pair[1]) | {sample: pair[0] for sample in samples if "d" in sample}
        run = [fixed_size_run(data, size, laws) for data in (["d", *domain[2:]], ["e", *domain[2:]])]
        assert dominates(worst, run) and dominates(worst, run[::-1])
        spoiled["rate"] += not dominates(glued(pair, rate * 9 / 10), run)
        spoiled["one side"] += not (dominates(first, run) and dominates(first, run[::-1]))
    assert min(spoiled.values()) > 0


# --- Noise ------------------------------------------------------------------------------------------------------------


def test_gaussian_curves_rise_with_the_distance():
    def at(distance, kappa):
        from mpmath import log

        return ncdf(distance / 2 - log(kappa) / distance) - kappa * ncdf(-distance / 2 - log(kappa) / distance)

    for kappa in (mpf("0.3"), mpf(1), mpf("1.7"), mpf(20)):
        heights = [at(mpf(distance) / 10, kappa) for distance in range(1, 31)]
        assert all(a <= b for a, b in zip(heights, heights[1:], strict=False))


@pytest.mark.nightly
def test_laplace_curves_by_integration():
    for distance in (mpf("0.3"), mpf(1), mpf("2.5")):
        for epsilon in (mpf(-2), mpf("-0.2"), mpf(0), mpf("0.1"), mpf("0.9"), mpf(3)):

            def gain(z, distance=distance, epsilon=epsilon):
                return max(exp(-abs(z - distance)) / 2 - exp(epsilon) * exp(-abs(z)) / 2, mpf(0))

            place = (distance + epsilon) / 2
            cuts = sorted({-inf, mpf(0), min(max(place, mpf(0)), distance), distance, inf})
            stated = 1 - exp((epsilon - distance) / 2) if abs(epsilon) <= distance else max(1 - exp(epsilon), mpf(0))
            assert abs(quad(gain, cuts) - stated) < mpf("1e-12")


@pytest.mark.parametrize("shape", [abs, lambda k: k * k])
def test_discrete_noise_has_the_stated_losses(shape):
    # With e^(-1/s) = 1/2 or e^(-1/(2 sigma^2)) = 1/2; what is cut off is less than 2^-60.
    weight = {k: Fraction(1, 2 ** shape(k)) for k in range(-65, 66)}
    for k in range(-60, 61):
        # At the output z = 1 - k: P has the noise z - 1 = -k, Q has z.
        ratio = weight[-k] / weight[1 - k]
        if shape is abs:
            assert ratio == (2 if 1 - k >= 1 else Fraction(1, 2))
        else:
            assert ratio == Fraction(2) ** (1 - 2 * k)
    if shape is abs:
        above = sum(weight[k] for k in range(61)) / sum(weight.values())
        assert abs(above - Fraction(2, 3)) < Fraction(1, 2**59)


def test_what_is_here_is_registered():
    names = {"curves", "composed-pairs", "approximate-pair", "epochs", "poisson-sampling", "fixed-size-sampling"}
    assert names | {"gaussian-noise", "laplace-noise", "discrete-noise"} <= STATEMENTS.keys()
