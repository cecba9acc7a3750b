import math
from fractions import Fraction

import numpy as np
import pytest
import shuffle_twins as twins
from flint import arb, ctx

from pldcheck.pld import gain_stoploss
from pldcheck.pld.gain_stoploss import excess
from pldcheck.shuffling import three_symbol_pair as pairs

UNIT = 2.0**-53

FOUR = ([Fraction(3, 2), Fraction(1, 4), Fraction(-1, 8), Fraction(-2)], [Fraction(k, 16) for k in (2, 3, 4, 7)])
TWO_VALUES = ([Fraction(5), Fraction(-1)], [Fraction(1, 8), Fraction(7, 8)])


def arrays(law):
    return np.array([float(v) for v in law[0]]), np.array([float(m) for m in law[1]])


def exact_excess(parts):
    """Return E(sum)_+ by all multisets of each part."""
    law = {Fraction(0): Fraction(1)}
    for values, masses, count in parts:
        single = {}
        for h in twins.histograms(count, len(values)):
            at = sum(c * v for c, v in zip(h, values, strict=True))
            single[at] = single.get(at, 0) + twins.multinomial(h) * twins.product(masses, h)
        after = {}
        for place, mass in law.items():
            for more, p in single.items():
                after[place + more] = after.get(place + more, 0) + mass * p
        law = after
    return sum(max(place, 0) * mass for place, mass in law.items())


@pytest.mark.parametrize("count", [1, 2, 5, 12, 25])
@pytest.mark.parametrize("other", [0, 1, 7, 20])
def test_contains_the_sum_over_all_multisets(count, other):
    parts = [(*FOUR, count)] + ([(*TWO_VALUES, other)] if other else [])
    exact = exact_excess(parts)
    interval = excess([(*arrays(law[:2]), law[2], 0.0) for law in parts])
    assert interval.lower <= exact <= interval.upper
    assert interval.upper - interval.lower <= 1e-4 * float(exact)


def test_scale_does_not_matter():
    plain = excess([(*arrays(FOUR), 9, 0.0)])
    for scale in (1e-12, 1e9):
        values, masses = arrays(FOUR)
        interval = excess([(values * scale, masses, 9, UNIT * 5.0 * scale)])
        assert interval.lower / scale <= plain.upper and plain.lower <= interval.upper / scale


@pytest.mark.parametrize("n", [3, 100, 10**4, 10**8])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("deviations", [0.0, 1.0, 5.0, 12.0])
def test_meets_the_double_sum_of_a_pair(n, eps0, deviations):
    # Two algorithms without a line in common: Fourier inversion, and tails of nested binomials.
    pair = pairs.stronger_clones(n, eps0)
    epsilon = deviations * pair.deviation
    if epsilon >= 0.8 * eps0:
        return
    x, kappa = math.exp(eps0), math.exp(epsilon)
    # Of x - kappa and 1 - x kappa in floats: three round-offs each of x kappa at most, and two of e^eps0's.
    values, masses = np.array([x - kappa, 1 - x * kappa, 0.0]), np.array([1.0, 1.0, x - 1]) / (x + 1)
    interval, other = excess([(values, masses, n, 8 * UNIT * x * kappa)]), pair.delta(epsilon)
    assert Fraction(interval.lower) <= n * Fraction(other.upper) and n * Fraction(other.lower) <= Fraction(
        interval.upper
    )
    assert interval.upper - interval.lower <= 1e-4 * interval.upper


@pytest.mark.parametrize("tv", [1e-9, 1e-6, 1e-3, 0.1])
def test_rare_gains_are_enclosed(tv):
    # (x - 1) and -(x - 1) with probability tv/(x - 1) each: E(sum)_+ by the counts of both, n = 10.
    n, x = 10, math.e
    a = tv / (x - 1)
    values, masses = np.array([x - 1, 1 - x, 0.0]), np.array([a, a, 1 - 2 * a])
    with ctx.workprec(200):
        exact = arb(0)
        weight = sum(map(arb, masses.tolist()), arb(0))  # masses are divided by their sum
        for h in twins.histograms(n, 3):
            exact += (
                max(h[0] - h[1], 0)
                * twins.multinomial(h)
                * twins.product([arb(m) / weight for m in masses.tolist()], h)
            )
        low, high = twins.ends(exact * arb(x - 1))
    interval = excess([(values, masses, n, 0.0)])
    assert interval.lower <= high and low <= interval.upper
    assert interval.upper - interval.lower <= 1e-3 * float(high)


def move_parts(parts, of_values, of_masses, way):
    """Return the parts with gains all higher and the chances of the positive ones larger, or the other way, by the
    errors.
    """
    new_parts = []
    for values, masses, count in parts:
        weights = [m * (1 + way * of_masses * (1 if v > 0 else -1)) for v, m in zip(values, masses, strict=True)]
        new_parts.append(([v + way * of_values for v in values], [w / sum(weights) for w in weights], count))
    return new_parts


@pytest.mark.parametrize("way", [-1, 1])
@pytest.mark.parametrize(("of_values", "of_masses"), [(Fraction(1, 10**9), 0), (0, Fraction(1, 10**9))])
@pytest.mark.parametrize("counts", [(1, 0), (3, 0), (12, 0), (2, 3)])
def test_laws_within_the_stated_errors_are_granted(counts, way, of_values, of_masses):
    """Laws of one gain, and of a few that are written out, are granted."""
    parts = [(*law, count) for law, count in zip((FOUR, TWO_VALUES), counts, strict=True) if count]
    # Gains of the law itself, their masses in floats as they are given.
    exact = exact_excess(move_parts(parts, of_values, of_masses, way))
    # a mass that moves by its error is that far off relatively to the true one, too
    error, mass_error = float(of_values), float(of_masses) * (1.0 + 1e-8)
    interval = excess([(*arrays(law[:2]), law[2], error) for law in parts], mass_error)
    assert interval.lower <= exact <= interval.upper
    assert interval.upper - interval.lower <= 1e-6 * float(exact)


def inverted(monkeypatch, parts, mass_error=16 * UNIT):
    """Return the ends by the inversion, where sums of few values would be written out."""
    monkeypatch.setattr(gain_stoploss, "FEW_OUTCOMES", 0)
    return excess(parts, mass_error)


@pytest.mark.parametrize("count", [40, 300])
def test_gains_have_a_payoff_without_a_bend(count, monkeypatch):
    """E(1 - e^-S)_+ is much less than E S_+ here."""
    exact = exact_excess([(*TWO_VALUES, count)])
    interval = inverted(monkeypatch, [(*arrays(TWO_VALUES), count, 0.0)])
    assert interval.lower <= exact <= interval.upper
    assert interval.upper - interval.lower <= 1e-2 * float(
        exact
    )  # 0 is a value of the sum, which the inversion smooths


@pytest.mark.parametrize("scale", [2.0**-700, 1.0, 2.0**700])
@pytest.mark.parametrize("jumps", [130, 200, 250, 285, 299])
def test_far_tails_are_narrow_at_any_scale(jumps, scale, monkeypatch):
    """Down to 1e-300 of the largest gain, whatever that is: nothing is lost after a multiplication."""
    chance, count = Fraction(1, 16), 300
    values = Fraction(1), -(Fraction(jumps) - Fraction(1, 3)) / (count - jumps + 1)
    up, down = scale, float(values[1]) * scale
    exact = sum(
        max(k * Fraction(up) + (count - k) * Fraction(down), 0) * twins.chance(count, k, chance)
        for k in range(count + 1)
    )
    part = np.array([up, down]), np.array([0.0625, 0.9375]), count, 0.0
    for interval in (excess([part]), inverted(monkeypatch, [part])):
        assert interval.lower <= exact <= interval.upper
        if exact > 1e-290 * max(scale, 1.0):
            assert interval.upper - interval.lower <= 1e-3 * exact


@pytest.mark.parametrize("count", [1, 2, 7, 63, 1500])
@pytest.mark.parametrize("mass", [5e-324, 1e-310, 1e-296])
@pytest.mark.parametrize("scale", [1.0, 1e-114])
def test_masses_that_underflow_are_granted(mass, scale, count):
    """Products with subnormal numbers are rounded up as well, and one that is 0 is not nothing."""
    values, masses = np.array([scale, -1e-4 * scale]), np.array([mass, 1.0])
    up, down, p = Fraction(values[0]), Fraction(values[1]), Fraction(mass) / (1 + Fraction(mass))
    # Two successes are 1e-300 times rarer.
    exact = count * p * (1 - p) ** (count - 1) * (up + (count - 1) * down)
    interval = excess([(values, masses, count, 0.0)])
    assert interval.lower <= exact <= interval.upper
    assert interval.upper <= exact * (1 + Fraction(1, 10**6)) + Fraction(10) ** -300 * up + Fraction(5e-324)


def test_a_start_far_below_costs_no_precision(monkeypatch):
    """A value that is certain moves no probability, however small its tilted weight is."""
    start = -40.0 * 60.0
    parts = [(np.array([start]), np.ones(1), 1, 0.0), (np.array([60.0, -1.0]), np.array([0.125, 0.875]), 90, 0.0)]
    exact = sum(twins.chance(90, k, Fraction(1, 8)) * max(60 * k - (90 - k) + Fraction(start), 0) for k in range(91))
    interval = inverted(monkeypatch, parts)
    assert interval.lower <= exact <= interval.upper
    assert interval.upper - interval.lower <= 1e-4 * float(exact)


def test_a_gain_that_others_make_up_for_is_not_cut():
    ends = excess([(np.array([2.0, 0.0]), np.array([0.5, 0.5]), 1, 0.0), (np.array([-1.5]), np.ones(1), 1, 0.0)])
    assert ends.lower <= 0.25 <= ends.upper <= ends.lower + 1e-12


def test_sums_that_cannot_be_positive_are_nothing():
    ends = excess([(np.array([2.0, -3.0]), np.array([0.5, 0.5]), 3, 0.0), (np.array([-6.0]), np.ones(1), 1, 0.0)])
    assert (ends.lower, ends.upper) == (0.0, 0.0)
    assert excess([(np.array([0.0, -3.0]), np.array([0.5, 0.5]), 3, 1e-9)]).upper > 0.0


@pytest.mark.parametrize("sizes", [(700, 500), (60, 50, 40)])
def test_sums_of_two_halves_are_written_out(sizes):
    """All terms are positive, so that far tails are as narrow as any."""
    draw = np.random.default_rng(sum(sizes))
    laws = [(np.round(draw.normal(0.0, 64.0, n)), draw.integers(1, 64, n).astype(float)) for n in sizes]
    floor = -float(sum(values.max() for values, _ in laws)) + 40.0
    parts = [(np.array([floor]), np.ones(1), 1, 0.0), *((v, m, 1, 0.0) for v, m in laws)]
    law = {0: 1}
    for values, masses in laws:
        after = {}
        for place, mass in law.items():
            for value, weight in zip(values, masses, strict=True):
                after[place + int(value)] = after.get(place + int(value), 0) + mass * int(weight)
        law = after
    exact = Fraction(sum(max(place + int(floor), 0) * mass for place, mass in law.items()), sum(law.values()))
    ends = excess(parts)
    assert ends.lower <= exact <= ends.upper
    assert ends.upper - ends.lower <= 1e-11 * float(exact)


@pytest.mark.parametrize(
    ("count", "chance", "share"),
    [(1000, 0.3, 0.7), (900, 0.2, 0.5), (1999, 0.4, 0.55), (1999, 0.45, 0.46), (1100, 0.5, 0.52)],
)
def test_enumerated_sums_of_many_copies_lose_nothing_to_underflow(count, chance, share):
    """Powers of masses underflow and numbers of arrangements overflow, where their products are neither."""
    gains, masses = np.array([-share / (1.0 - share), 1.0]), np.array([1.0 - chance, chance])
    precision, ctx.prec = ctx.prec, 4000
    try:
        mass, truth = (1 - arb(chance)) ** count, arb(0)
        for successes in range(count + 1):
            total = successes * arb(float(gains[1])) + (count - successes) * arb(float(gains[0]))
            truth += mass * total.max(arb(0))
            mass *= arb(count - successes) / (successes + 1) * arb(chance) / (1 - arb(chance))
        ends = excess([(gains, masses, count, 0.0)])
        assert truth >= ends.lower and truth <= ends.upper
        assert ends.upper <= ends.lower * (1.0 + 1e-9)
    finally:
        ctx.prec = precision


def two_binomials_excess(heavy, light, start):
    """Return E(start + heavy value K + light value M)_+ with two binomial counts, each of (value, chance, copies)."""
    (a, p, copies), (b, q, more) = heavy, light
    return sum(
        twins.chance(copies, k, p) * twins.chance(more, j, q) * max(start + a * k + b * j, 0)
        for k in range(copies + 1)
        for j in range(more + 1)
    )


@pytest.mark.parametrize("jumps", [3, 20, 30])
@pytest.mark.parametrize("weight", [40, 3000])
def test_far_tails_of_few_heavy_gains_are_narrow(weight, jumps):
    # The bound of the second moment, from one tilt for both kinds, is far above what is left of the sum there.
    heavy, light = (weight, Fraction(1, 1024), 50), (1, Fraction(1, 2), 60)
    start = -(weight * jumps + 50)
    exact = two_binomials_excess(heavy, light, start)
    parts = [(np.array([float(start)]), np.ones(1), 1, 0.0)]
    parts += [(np.array([float(a), 0.0]), np.array([float(p), float(1 - p)]), n, 0.0) for a, p, n in (heavy, light)]
    interval = excess(parts)
    assert interval.lower <= exact <= interval.upper
    assert interval.upper - interval.lower <= 1e-4 * float(exact)
