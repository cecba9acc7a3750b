"""Charges of shuffled pairs and their losses for windows, masses in floats and omitted cells: each must be needed."""

from fractions import Fraction

import numpy as np
import pytest
import shuffle_twins as twins
from flint import arb, ctx

from pldcheck.shuffling import shuffled_losses
from pldcheck.shuffling import three_symbol_pair as pairs

UNIT = 2.0**-53
MERGER = pairs.MergedPair("merged", p=0.375, q=0.125, others=0.25, rest=0.5, none=0.5, units=0.0)


def outcomes(n, p, q, w):
    """Yield (c, a) of n messages, of which one is from P or Q: P's and Q's chance of it, whatever the numbers are."""
    for rest, up, down in twins.histograms(n, 3):
        ways = twins.multinomial((up, down, rest)) * twins.product([w[0], w[1], w[2]], (up, down, rest))
        one, other = (
            sum((count * row[j] / w[j] for j, count in enumerate((up, down, rest))), 0 * w[0]) * ways / n
            for row in (p, q)
        )
        yield (up + down, up), one, other


def exact_rows(merger):
    p, q, others, rest, none = map(Fraction, (merger.p, merger.q, merger.others, merger.rest, merger.none))
    return [p, q, rest], [q, p, rest], [others, others, none]


@pytest.mark.parametrize("n", [2, 7, 30])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("count_outside", [1, 3])
def test_counts_outside_the_window_are_charged(n, share, count_outside, monkeypatch):
    """A window that is cut, and the chance of what it misses."""
    pair = pairs.symmetric(MERGER, n, float(np.log(3.0)))
    epsilon = share * pair.deviation
    first, last = min(count_outside, n), n
    p = Fraction(pair.some)
    missing_chance = sum(twins.chance(n, c, p) for c in range(first))
    monkeypatch.setattr(
        pairs.Pair, "window", lambda self, share: (first, last, float(missing_chance) * (1.0 + 2 * UNIT))
    )
    interval = pair.delta(epsilon)
    low, high = twins.around(epsilon)
    truths = [twins.identity_delta(*exact_rows(MERGER), n, kappa) for kappa in (high, low)]
    assert Fraction(interval.lower) <= truths[1] and truths[0] <= Fraction(interval.upper)
    if count_outside > 1 and share < 0.5:  # one alone adds nothing
        assert Fraction(interval.upper) - Fraction(interval.truncation) < truths[0]


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_losses_of_masses_that_are_off_lie_in_their_cells(n, sign):
    """Masses off by so many units, P's up and Q's down: an outcome at the edge of a cell has left it, truly."""
    units = 1e6
    rows = exact_rows(MERGER)
    factors = [1.0 + sign * units * UNIT * (1.0 - 1e-9), 1.0 - sign * units * UNIT * (1.0 - 1e-9)]
    merger = pairs.MergedPair(
        "off", p=MERGER.p * factors[0], q=MERGER.q * factors[1],
        others=MERGER.others, rest=MERGER.rest, none=MERGER.none, units=units,
    )  # fmt: skip
    pair = pairs.symmetric(merger, n, float(np.log(3.0)))
    true = {key: (one, other) for key, one, other in outcomes(n, *rows)}
    for (c, a), one, other in outcomes(n, *exact_rows(merger)):
        at = abs(np.log(float(one / other)))
        if at < 0.01:
            continue
        # A point a hair on either side of where the outcome seems to be.
        for hair in (-1e-13, 1e-13):
            points = np.array([0.5, 1.0]) * at * (1.0 + hair)
            cells = shuffled_losses._bin_outcomes(pair, points, 0, n)
            inside = np.zeros(cells.p.size)
            for p, q in true.values():
                with ctx.workprec(200):
                    truth = (twins.ball(p) / twins.ball(q)).log()
                    for i, (low, high) in enumerate(zip(cells.low.tolist(), cells.high.tolist(), strict=True)):
                        if arb(low) - cells.loss_error <= truth <= arb(high) + cells.loss_error:
                            inside[i] += float(p)
            assert np.all(inside >= cells.p * (1.0 - 1e-6)), (c, a, hair)


@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("ratio", [1e-9, 0.4, 1.0 - 1e-9, 1.0, 1.7])
def test_lines_of_symmetric_pairs_are_within_their_charge(eps0, ratio):
    """Masses are exact: a slope that cancels is off by its share of the line."""
    with ctx.workprec(300):
        others, n = 0.3, 50
        none = 1.0 - 2.0 * others
        rest = none * ratio
        p = 0.3 * float(np.exp(eps0))
        merger = pairs.MergedPair("a pair", p=p, q=0.3, others=others, rest=rest, none=none, units=0.0)
        pair = pairs.symmetric(merger, n, eps0)
        exact = arb(rest) / arb(none)
        for share in (1e-9, 0.3, 1.0 - 1e-12):
            epsilon = share * eps0
            kappa, z, gap = arb(epsilon).exp(), (arb(epsilon) / 2).tanh(), arb(p) - arb(0.3)
            scale, constant, slope = pair._line(epsilon)
            truths = (gap / arb(others) * (1 + kappa), z * n * arb(others) * exact / gap, z * (1 - exact) / gap / 2)
            assert abs(arb(scale) - truths[0]) <= 16 * UNIT * truths[0]
            assert abs(arb(constant) - truths[1]) <= 16 * UNIT * truths[1]
            # of a line fixed + slope c at all counts: 80 units are charged to it
            for c in (1, 30, n):
                assert abs(arb(slope) - truths[2]) * c <= 80 * UNIT * (truths[1] + abs(truths[2]) * c) + 2.0**-60 * z


class Tails:
    """Tails of a law at points, above and below the truth in turn by a stated error; the last is hardly known."""

    def __init__(self, above, sign):
        self.above, self.sign = above, sign
        self.largest, self.units = 2.0, 0.0

    def tail(self, epsilon, share):
        k = round(epsilon * 4) - 1
        p, q = self.above[k]
        offset = 0.4 if k == len(self.above) - 1 else 1e-5
        factor = 1.0 + self.sign * (-1) ** k * offset
        return pairs.Tail(float(p) * factor, float(q) * factor, offset / (1.0 - offset) * (1.0 + 1e-9))


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("fine", [Fraction(1, 10**7), Fraction(1, 10**4)])
@pytest.mark.parametrize("last", [Fraction(1, 10**6), Fraction(1, 10)])
def test_cells_that_are_left_out_have_no_mass_in_either_law(sign, fine, last):
    """Tails that fall by less than they are off by: nothing of such a cell is kept, all of it counts as dropped."""
    falls = [fine, Fraction(1, 10), fine, Fraction(1, 20), last * fine]
    above = [(sum(falls[k:], Fraction(0)) / 2, sum(falls[k:], Fraction(0)) / 3) for k in range(5)]
    law = Tails(above, sign)
    points = np.arange(1, 6) / 4.0
    cells, mass_left_out = shuffled_losses._from_tails(law, law, points)
    masses = [(a[0] - b[0], a[1] - b[1]) for a, b in zip(above, [*above[1:], (0, 0)], strict=True)]
    exact = {0.25 * (k + 1): pair for k, pair in enumerate(masses)}
    missing = {(side, at): pair for at, pair in exact.items() for side in (1, -1)}
    for p, q, low, high in zip(*(one.tolist() for one in (cells.p, cells.q, cells.low, cells.high)), strict=True):
        if low <= -0.25 + 1e-9 and high >= 0.25 - 1e-9:
            continue  # what the others leave
        side, at = (1, low) if low > 0.0 else (-1, -high)
        one, other = exact[at] if side > 0 else exact[at][::-1]
        if p == 0.0 == q:
            continue
        del missing[side, at]
        assert abs(Fraction(p) - one) <= Fraction(cells.mass_error) * Fraction(p)
        assert abs(Fraction(q) - other) <= Fraction(cells.mass_error) * Fraction(q)
        assert cells.mass_error < 0.5
    assert float(sum(sum(pair) for pair in missing.values())) <= mass_left_out
    assert len(missing) == (6 if fine < Fraction(1, 10**6) else 2)
