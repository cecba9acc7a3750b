r"""Few shuffled binary responses: of clients with different budgets, and of a sample of clients.

All sums are taken over the number of ones, in decimals of :data:`DIGITS` digits.  x is :math:`e^{\epsilon_0}`,
:math:`\kappa` is :math:`e^\epsilon`.

**Different budgets.**  Client i tells its bit outright, with a mark, with probability :math:`\delta_0`, and otherwise
answers by randomized response.  Let its record be 1 or 0.

*From below* all other records are 0, and marks of zeros are forgotten.  A marked one is seen with probability
:math:`\delta_0` under the first law and never under the second; otherwise there are the ones of the others, of
probabilities :math:`(1-\delta_0)/(x_j+1)`, and that of client i.

*From above* another client j answers by a fair coin with probability :math:`c_j = 2 (1-\delta_0)/(x_j+1)`, whatever its
record is, and otherwise with what is left of its law.  An adversary who learns which of the others do so and removes
their answers sees C coins and the answer of client i in random order.  The curve is at most :math:`\delta_0 +
(1-\delta_0) E\,D(C)`, where D(c) is that of an answer among c coins.

**A sample.**  Of n clients k are drawn without replacement, each with budget :math:`\epsilon_0`; with the share
:math:`\gamma = k/n` client 1 is among them.  Let h of the n - 1 other records be ones.  What is seen depends on
the data only through h and client 1's bit.  Of the k - 1 other clients of the sample, or of k where client 1 is not
drawn, the number of ones is hypergeometric; given it the number of answers that are ones is a sum of two binomials.
So the largest value over h and both directions is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal, localcontext
from functools import cache, lru_cache
from math import comb

from ..core.directed import Ends, enlarge, shrink
from ..core.interval import UNDERFLOW

# Digits of the decimals: sums of at most 1e4 products of at most 1e3 factors keep 70 of them.
DIGITS = 80
# What a sum may be wrong by: terms are at most e^40, and a logarithm is divided by an order less 1 of at least 1e-16.
ERROR = Decimal("1e-50")
# More roundings of a float than its conversion from a decimal has.
FLOAT_UNITS = 4

ONE = Decimal(1)
Masses = list[Decimal]


def exact_context() -> Context:
    """Return the context of all sums."""
    return Context(prec=DIGITS, Emin=-(10**9), Emax=10**9)


def ends_of(lower: Decimal, upper: Decimal) -> tuple[float, float]:
    """Return floats below and above two decimals of a quantity that is not negative, their errors included."""
    low, high = max(Decimal(0), lower - ERROR), upper + ERROR
    return shrink(float(low), FLOAT_UNITS), enlarge(float(high), FLOAT_UNITS) + UNDERFLOW


def ones(chances: Iterable[Decimal]) -> Masses:
    """Return the law of the number of ones, each with a probability of its own."""
    masses = [ONE]
    for chance in chances:
        rest = ONE - chance
        masses = [
            one * rest + other * chance for one, other in zip([*masses, Decimal(0)], [Decimal(0), *masses], strict=True)
        ]
    return masses


def with_answer(masses: Masses, one: Decimal, zero: Decimal) -> Masses:
    """Return the masses with one answer more, which is a one with the mass ``one`` and a zero with ``zero``."""
    pairs = zip([Decimal(0), *masses], [*masses, Decimal(0)], strict=True)
    return [one * before + zero * same for before, same in pairs]


def excess(p: Masses, q: Masses, kappa: Decimal) -> Decimal:
    r"""Return the sum of :math:`(p - \kappa q)_+`."""
    return sum((max(Decimal(0), a - kappa * b) for a, b in zip(p, q, strict=True)), Decimal(0))


@cache
def _tails(coins: int) -> tuple[list[int], list[int]]:
    r"""Return :math:`\sum_{j \ge k} \binom mj` and :math:`\sum_{j \ge k} j \binom mj` for all k; m is ``coins``."""
    counts, sums = [0], [0]
    for k in range(coins, -1, -1):
        ways = comb(coins, k)
        counts.append(counts[-1] + ways)
        sums.append(sums[-1] + k * ways)
    return counts[::-1], sums[::-1]


def among_coins(weights: Masses, x: Decimal, kappa: Decimal) -> Decimal:
    r"""Return the mean of D(C) where C has the law ``weights``.

    With m = c + 1 answers, k of them ones, D(c) is the mean of :math:`\frac2{(x+1) m} ((x - \kappa) k - (\kappa x - 1)
    (m - k))_+` over fair coins: the terms from a least k on.
    """
    total, slope = Decimal(0), (x - 1) * (kappa + 1)
    for c, weight in enumerate(weights):
        m = c + 1
        base = (kappa * x - 1) * m
        least = int(base / slope) + 1
        if least <= m:
            counts, sums = _tails(m)
            total += weight * (slope * sums[least] - base * counts[least]) * 2 / ((x + 1) * m * 2**m)
    return total


def personal_delta(budgets: Sequence[Decimal], delta0: float, epsilon: float) -> Ends:
    """Return the ends of delta for clients with these budgets, any one of whose records is replaced."""
    with localcontext(exact_context()):
        if Decimal(epsilon) >= max(budgets):  # e^epsilon may be beyond all decimals
            return Ends(delta0, delta0, 0.0, 0.0)
        told, kappa, xs = Decimal(delta0), Decimal(epsilon).exp(), [budget.exp() for budget in budgets]
        kept = ONE - told
        below, above = told, told
        for i in _different(xs):
            others, x = [*xs[:i], *xs[i + 1 :]], xs[i]
            if kappa >= x:
                continue
            above = max(above, told + kept * among_coins(_coins(tuple(others), kept), x, kappa))
            if i in (0, len(xs) - 1):
                zeros = ones(kept / (y + 1) for y in others)
                one, few = kept * x / (x + 1), kept / (x + 1)
                first, second = with_answer(zeros, one, few), with_answer(zeros, few, ONE - few)
                # The other direction has no marked one, and all of the first law is seen.
                back = excess(second, with_answer(zeros, one + told, few), kappa)
                below = max(below, told + excess(first, second, kappa), back)
        lower, upper = ends_of(below, above)
        return Ends(lower, min(1.0, upper), 0.0, upper - lower)


# So many laws as a few data sets of the most clients have.
@lru_cache(maxsize=500)
def _coins(xs: tuple[Decimal, ...], kept: Decimal) -> Masses:
    """Return the law of the number of these clients who answer by a fair coin."""
    return ones(2 * kept / (x + 1) for x in xs)


def _different(xs: Sequence[Decimal]) -> Sequence[int]:
    """Return the clients that may differ: all of them, or one where all budgets are equal."""
    return range(len(xs)) if xs[0] != xs[-1] else (0,)


@cache
def _answers(batch: int, eps0: float) -> tuple[Masses, ...]:
    """Return the law of the number of ones among the answers of a sample with 0, 1, and so on up to all ones."""
    x = Decimal(eps0).exp()
    true, false = x / (x + 1), 1 / (x + 1)
    heads, tails = [ones([true] * t) for t in range(batch + 1)], [ones([false] * t) for t in range(batch + 1)]
    return tuple(_sum_law(heads[t], tails[batch - t]) for t in range(batch + 1))


def _sum_law(first: Masses, second: Masses) -> Masses:
    """Return the law of the sum of two independent numbers."""
    masses = [Decimal(0)] * (len(first) + len(second) - 1)
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            masses[i + j] += one * other
    return masses


def _mixture(laws: Sequence[Masses], weights: dict[int, Decimal]) -> Masses:
    """Return the mean of the laws with these weights."""
    chosen = [(weight, laws[t]) for t, weight in weights.items()]
    return [sum((weight * law[i] for weight, law in chosen), Decimal(0)) for i in range(len(laws[0]))]


def _drawn_ones(population: int, among: int, drawn: int, moved: int = 0) -> dict[int, Decimal]:
    """Return the probabilities that t of the drawn are ones, by a population with so many, at t + ``moved``."""
    total = comb(population, drawn)
    return {
        t + moved: Decimal(comb(among, t) * comb(population - among, drawn - t)) / total
        for t in range(max(0, drawn + among - population), min(among, drawn) + 1)
    }


@lru_cache(maxsize=4)
def _sampled_laws(clients: int, batch: int, eps0: float) -> tuple[tuple[Masses, Masses], ...]:
    """Return both laws for every number of ones among the other records, up to half of them.

    With zeros and ones exchanged the laws of more ones are those of fewer, the other way round.
    """
    laws, rate, others = _answers(batch, eps0), Decimal(batch) / Decimal(clients), clients - 1
    pairs = []
    for h in range(others // 2 + 1):
        absent = _drawn_ones(others, h, batch) if batch < clients else {}
        sides = []
        for bit in (1, 0):
            weights = {t: rate * mass for t, mass in _drawn_ones(others, h, batch - 1, bit).items()}
            for t, mass in absent.items():
                weights[t] = weights.get(t, Decimal(0)) + (1 - rate) * mass
            sides.append(_mixture(laws, weights))
        pairs.append((sides[0], sides[1]))
    return tuple(pairs)


def _largest(clients: int, batch: int, eps0: float, measure: Callable[[Masses, Masses], Decimal]) -> Decimal:
    """Return the largest measure over all data, in either direction."""
    return max(max(measure(p, q), measure(q, p)) for p, q in _sampled_laws(clients, batch, eps0))


def sampled_delta(clients: int, batch: int, eps0: float, epsilon: float) -> tuple[float, float]:
    """Return the ends of delta for a sample of ``batch`` of the clients."""
    with localcontext(exact_context()):
        if epsilon >= eps0:
            return 0.0, 0.0
        kappa = Decimal(epsilon).exp()
        largest = _largest(clients, batch, eps0, lambda p, q: excess(p, q, kappa))
        lower, upper = ends_of(largest, largest)
        return lower, min(1.0, upper)


def sampled_renyi(clients: int, batch: int, eps0: float, order: float) -> tuple[float, float]:
    """Return the ends of the divergence of an order for a sample of ``batch`` of the clients."""
    with localcontext(exact_context()):
        power = Decimal(order)

        def divergence(p: Masses, q: Masses) -> Decimal:
            moment = sum((b * (a / b) ** power for a, b in zip(p, q, strict=True)), Decimal(0))
            return moment.ln() / (power - 1)

        largest = _largest(clients, batch, eps0, divergence)
        return ends_of(largest, largest)
