"""Slow twins of the shuffle model: laws enumerated, double sums in balls; they share no code with pldcheck.

Rows are lists of probabilities: Fractions, python-flint ``arb`` or floats, whatever the test can afford.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, factorial

from flint import arb, ctx, fmpz

BITS = 400


def ball(value) -> arb:
    """Return a float or Fraction as a ball."""
    if isinstance(value, Fraction):
        return arb(fmpz(value.numerator)) / arb(fmpz(value.denominator))
    return arb(value)


def around(epsilon: float) -> tuple[Fraction, Fraction]:
    """Return an enclosure of e^epsilon."""
    with ctx.workprec(BITS):
        return ends(arb(epsilon).exp())


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """Return the exact ends of a ball, a few digits wider."""
    return tuple(
        Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (end.man_exp() for end in (value.lower(), value.upper()))
    )


def positive(value):
    """Return max(value, 0) for Fractions and floats, ``arb``'s own for balls."""
    return value.max(arb(0)) if isinstance(value, arb) else max(value, 0)


# --- three symbols ----------------------------------------------------------------------------------------------------


def clones_rows(x, mass_of_symbols):
    """Return P, Q and W of a pair of clones: W(up) + W(down) = some."""
    return (
        [x / (x + 1), 1 / (x + 1), 0 * x],
        [1 / (x + 1), x / (x + 1), 0 * x],
        [mass_of_symbols / 2, mass_of_symbols / 2, 1 - mass_of_symbols],
    )


def response_rows(x, k, others):
    """Return rows 0 and 1 of k-ary randomized response and row ``others``; outputs from 2 on merged (3 on, if others =
    2).
    """
    s = 1 / (x + k - 1)
    rows = [[x * s if i == j else s for j in range(k)] for i in (0, 1, others)]
    return [[row[0], row[1], sum(row[2:], 0 * x)] for row in rows]


def pair_rows(kind, x):
    """Return rows (P, Q, W) by the names that the tests use."""
    name, _, k = kind.partition(":")
    if name == "clones":
        return clones_rows(x, 1 / x)
    if name == "stronger":
        return clones_rows(x, 2 / (1 + x))
    return response_rows(x, int(k), {"third": 2, "sameQ": 1, "sameP": 0}[name])


def histograms(count, symbols):
    """Yield all multisets of so many symbols, as counts."""
    if symbols == 1:
        yield (count,)
        return
    for first in range(count + 1):
        for rest in histograms(count - first, symbols - 1):
            yield (first, *rest)


def multinomial(counts):
    """Return the number of arrangements of a multiset."""
    ways = factorial(sum(counts))
    for c in counts:
        ways //= factorial(c)
    return ways


def product(row, counts):
    """Return the product of masses to the power of counts."""
    out = 1
    for mass, c in zip(row, counts, strict=True):
        if c:
            out = out * mass**c
    return out


def identity_delta(p, q, w, n, kappa):
    """Return (1/n) E(sum_j h_j g_j)_+ over all multisets h: the identity (I) of the sheet."""
    support = [j for j in range(len(w)) if not (w[j] == 0)]
    gains = [(p[j] - kappa * q[j]) / w[j] for j in support]
    total = 0 * kappa
    for h in histograms(n, len(support)):
        mass = multinomial(h) * product([w[j] for j in support], h)
        total += mass * positive(sum((c * g for c, g in zip(h, gains, strict=True)), 0 * kappa))
    return total / n


def counts_law(rows):
    """Return the law of the multiset of one output from each row: {counts: probability}."""
    law = {(0,) * len(rows[0]): 1}
    for row in rows:
        after = {}
        for counts, mass in law.items():
            for j, r in enumerate(row):
                key = (*counts[:j], counts[j] + 1, *counts[j + 1 :])
                after[key] = after.get(key, 0) + mass * r
        law = after
    return law


def direct_delta(p, q, others, kappa):
    """Return the hockey-stick divergence of the multisets of P and the others' outputs from that of Q and theirs."""
    one, two = counts_law([p, *others]), counts_law([q, *others])
    return sum((positive(one[key] - kappa * two[key]) for key in one), 0 * kappa)


def composed_delta(p, q, others, kappa, rounds):
    """Return the same of so many independent rounds: exact laws multiplied, outcomes with one ratio put together."""
    one, two = counts_law([p, *others]), counts_law([q, *others])
    single = {}
    for key in one:
        if one[key] or two[key]:
            ratio = (one[key], two[key])
            total = one[key] + two[key]
            at = (ratio[0] / total, ratio[1] / total)
            single[at] = single.get(at, 0) + total
    law = {(1 * kappa / kappa, 1 * kappa / kappa): 1 * kappa / kappa}
    for _ in range(rounds):
        after = {}
        for (a, b), mass in law.items():
            for (c, d), more in single.items():
                u, v = a * c, b * d
                key = (u / (u + v), v / (u + v))
                after[key] = after.get(key, 0) + mass * more * (u + v)
        law = {key: mass for key, mass in after.items()}
    return sum((mass * positive(a - kappa * b) for (a, b), mass in law.items()), 0 * kappa)


def renyi_moment(p, q, others, order):
    """Return E_Q (P/Q)^order, in balls."""
    one, two = counts_law([p, *others]), counts_law([q, *others])
    return sum(((one[key] / two[key]) ** order * two[key] for key in one), arb(0))


# --- thinned binomials ------------------------------------------------------------------------------------------------


def binomial_pmf(n: int, k: int, p: arb) -> arb:
    """Return P(Bin(n, p) = k)."""
    if not 0 <= k <= n:
        return arb(0)
    if p == 1:
        return arb(int(k == n))
    return (arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()).exp() * p**k * (1 - p) ** (n - k)


def _fresh(c: int, k: int, v: arb) -> tuple[arb, arb]:
    """Return (P(Bin(c, v) = k), P(Bin(c, v) >= k)), summed until nothing of 2^-BITS is left."""
    f = binomial_pmf(c, k, v)
    term, total, j = f, f, k
    while j < c:
        term = term * (c - j) / (j + 1) * v / (1 - v)
        total += term
        j += 1
        if j > c * v and term < total * arb(2) ** (-BITS + 60):
            total += arb(0, (term * (j + 1)).upper())  # the rest falls at least geometrically by then: generous
            break
    return f, total


def thin(n: int, p: arb, v: arb, constant: arb, slope: arb, first: int, last: int) -> tuple[arb, arb, arb]:
    """Sums over c in [first, last] of P(c) times k (1 - v) P(a = k), P(a >= k) and c P(a >= k), k = ceil(v c + shift).

    Recurrences from c to c + 1 in balls of many digits: what cancels shows in the radius.
    """
    with ctx.workprec(BITS):
        edges = tails = counts = arb(0)
        w = binomial_pmf(n, first, p)
        f = s = arb(0)
        k = -1
        for c in range(first, last + 1):
            if c > first:
                w = w * (n - c + 1) / c * p / (1 - p) if p != 1 else arb(int(c == n))
            target = _ceil(v * c + constant + slope * c)
            if target > c:
                k = -1
                continue
            if k < 0 or target < k:
                f, s = _fresh(c, target, v)
                k = target
            else:  # from c - 1, k to c, k
                s = s + v * (f * k / (c - k) * (1 - v) / v) if c > k else s
                f = f * (1 - v) * c / (c - k)
                while k < target:
                    s -= f
                    f = f * (c - k) / (k + 1) * v / (1 - v)
                    k += 1
            edges += w * k * (1 - v) * f
            tails += w * s
            counts += w * c * s
        return edges, tails, counts


def _ceil(value: arb) -> int:
    integer = value.ceil().unique_fmpz()
    if integer is None:  # on an integer, as far as can be told: either side gives the same (a - tau)_+
        assert value.rad() < arb(2) ** (-BITS // 2)
        return round(float(value.mid()))
    return int(integer)


def pair_delta(n: int, rows, kappa: arb, first: int = 0, last: int | None = None) -> arb:
    """Return delta of a pair with three symbols, its middle ones (up, down) by nested binomials; c in [first, last]."""
    with ctx.workprec(BITS):
        p, q, w = rows
        share = w[0] + w[1]
        v = w[0] / share
        g = [(a - kappa * b) / m if not m == 0 else arb(0) for a, b, m in zip(p, q, w, strict=True)]
        # sum positive: a (g0 - g1) > -(g1 c + g2 (n - c))
        constant = -g[2] * n / (g[0] - g[1])
        slope = -(g[1] - g[2]) / (g[0] - g[1]) - v
        if w[2] == 0:
            constant, slope, first = -g[1] * n / (g[0] - g[1]) - v * n, arb(0), n
            share = arb(1)
        edge, tail, count = thin(n, share, v, constant, slope, first, n if last is None else last)
        # E(a - tau; a >= k) = edge + v c S - tau S
        return (g[0] - g[1]) * (edge - constant * tail - slope * count) / n


def window(n: int, p: float, deviations: float) -> tuple[int, int]:
    """Counts within so many deviations of the mean of Bin(n, p)."""
    reach = deviations * (n * p * (1 - p)) ** 0.5 + deviations
    return max(int(n * p - reach), 0), min(int(n * p + reach) + 1, n)


# --- random randomizers -----------------------------------------------------------------------------------------------


def random_rows(random, inputs: int, outputs: int, x: float) -> list[list[float]]:
    """Return probabilities with all ratios within x: mixtures of extreme ones, or of fewer, so that corners are
    visited.
    """
    while True:
        base = [random.random() ** 2 + 1e-3 for _ in range(outputs)]
        powers = [
            [random.choice([1.0, x, x**0.5, x ** random.random()]) for _ in range(outputs)] for _ in range(inputs)
        ]
        rows = [[b * f for b, f in zip(base, row, strict=True)] for row in powers]
        rows = [[r / sum(row) for r in row] for row in rows]
        worst = max(a[j] / b[j] for a in rows for b in rows for j in range(outputs))
        if worst <= x * (1 + 1e-15):
            return rows
        # Normalising has widened the ratios: mix with the mean until it fits.
        mean = [sum(row[j] for row in rows) / inputs for j in range(outputs)]
        low, high = 0.0, 1.0
        for _ in range(60):
            t = (low + high) / 2
            mixture = [[t * r + (1 - t) * m for r, m in zip(row, mean, strict=True)] for row in rows]
            good = max(a[j] / b[j] for a in mixture for b in mixture for j in range(outputs)) <= x
            low, high = (t, high) if good else (low, t)
        return [[low * r + (1 - low) * m for r, m in zip(row, mean, strict=True)] for row in rows]


# Bits of a dyadic probability.
GRAIN = 40


def dyadic(rows: list[list[float]], eps0: float, most: float = float("inf")) -> list[list[Fraction]]:
    """Return rows nearby in multiples of 2^-GRAIN, which floats hold, that are eps0-DP and add up to 1 exactly.

    No ratio is above ``most`` either.
    """
    x, mean = min(around(eps0)[0], most), [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    for share in (0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0):
        mixture = [[(1 - share) * r + share * m for r, m in zip(row, mean, strict=True)] for row in rows]
        fractions = [[Fraction(round(r * 2**GRAIN), 2**GRAIN) for r in row] for row in mixture]
        for row in fractions:
            row[row.index(max(row))] += 1 - sum(row)
        if all(max(column) <= x * min(column) for column in zip(*fractions, strict=True)):
            return fractions
    raise AssertionError("rows that are far from eps0-DP")


class Adaptive:
    """A randomizer for every prefix of outputs: rows[input][output], made when first asked for."""

    def __init__(self, random, inputs: int, outputs: int, x: float) -> None:
        self._random, self._shape, self._x, self._known = random, (inputs, outputs), x, {}
        self.outputs = outputs

    def __call__(self, prefix: tuple[int, ...]) -> list[list[float]]:
        if prefix not in self._known:
            self._known[prefix] = random_rows(self._random, *self._shape, self._x)
        return self._known[prefix]


def sequence_probability(randomizer, data, outputs):
    """Return the probability of these outputs, in order, for data in this order."""
    out = 1
    for t, (record, y) in enumerate(zip(data, outputs, strict=True)):
        out *= randomizer(outputs[:t])[record][y]
    return out


def orders_of_shuffling(data):
    """Return all permutations."""
    return list(itertools.permutations(data))


def orders_of_swapping(data):
    """Return the orders in which the first record trades places with each (Algorithm 6 of Balle et al. 2020)."""
    orders = []
    for i in range(len(data)):
        order = list(data)
        order[0], order[i] = order[i], order[0]
        orders.append(tuple(order))
    return orders


def sequence_delta(randomizer, one, two, kappa, orders):
    """Return the hockey-stick divergence of the output sequences, data in a random one of the orders."""
    total = 0 * kappa
    first, second = orders(one), orders(two)
    for outputs in itertools.product(range(randomizer.outputs), repeat=len(one)):
        a = sum(sequence_probability(randomizer, order, outputs) for order in first) / len(first)
        b = sum(sequence_probability(randomizer, order, outputs) for order in second) / len(second)
        total += positive(a - kappa * b)
    return total


def chance(n: int, k: int, p: Fraction) -> Fraction:
    """Return P(Bin(n, p) = k)."""
    return comb(n, k) * p**k * (1 - p) ** (n - k)
