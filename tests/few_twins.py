"""Shuffles of few binary responses in fractions, by all samples, answers and data; no code of pldcheck is used."""

from fractions import Fraction
from itertools import combinations, product


def joined(laws):
    """Return the law of the number of ones among independent bits, each given by its probability of a one."""
    masses = [Fraction(1)]
    for one in laws:
        masses = [a * (1 - one) + b * one for a, b in zip([*masses, 0], [0, *masses], strict=True)]
    return masses


def excess(p, q, kappa):
    """Return H(kappa; P, Q) of two lists of masses."""
    return sum(max(a - kappa * b, Fraction(0)) for a, b in zip(p, q, strict=True))


def true_or_not(bit, x):
    """Return the probability that a response to a bit is a one."""
    return (x if bit else 1) / (x + 1)


def sampled_law(data, batch, x):
    """Return the law of the number of ones among the answers of a sample of some bits."""
    samples = [*combinations(data, batch)]
    laws = [joined([true_or_not(bit, x) for bit in sample]) for sample in samples]
    return [sum(column) / len(samples) for column in zip(*laws, strict=True)]


def sampled_delta(clients, batch, x, kappa):
    """Return the largest curve over all data of so many clients, in either order."""
    best = Fraction(0)
    for others in product((0, 1), repeat=clients - 1):
        p, q = (sampled_law((bit, *others), batch, x) for bit in (1, 0))
        best = max(best, excess(p, q, kappa), excess(q, p, kappa))
    return best


def personal_law(data, xs, told):
    """Return the law of the numbers of ones and zeros that are told, and of ones among the answers of the others."""
    law = {(0, 0, 0): Fraction(1)}
    for bit, x in zip(data, xs, strict=True):
        likely, more = true_or_not(bit, x), {}
        for (ones, zeros, answers), mass in law.items():
            parts = [
                ((ones + bit, zeros + 1 - bit, answers), told),
                ((ones, zeros, answers + 1), (1 - told) * likely),
                ((ones, zeros, answers), (1 - told) * (1 - likely)),
            ]
            for place, chance in parts:
                more[place] = more.get(place, 0) + mass * chance
        law = more
    return law


def personal_delta(xs, told, kappa):
    """Return the largest curve over all data and all clients, in either order."""
    best = Fraction(0)
    for data in product((0, 1), repeat=len(xs)):
        for i in range(len(xs)):
            p, q = (personal_law([*data[:i], bit, *data[i + 1 :]], xs, told) for bit in (data[i], 1 - data[i]))
            best = max(best, sum(max(p.get(z, 0) - kappa * q.get(z, 0), Fraction(0)) for z in p))
    return best


def among_coins(c, x, kappa):
    """Return the curve of a response among c coins, by both laws of the number of ones."""
    p, q = (joined([true_or_not(bit, x), *[Fraction(1, 2)] * c]) for bit in (1, 0))
    return excess(p, q, kappa)


def coins_bound(xs, told, kappa):
    """Return the largest bound over the clients: all sets of others who answer by a coin."""
    best = told
    for i, x in enumerate(xs):
        coins = joined([2 * (1 - told) / (y + 1) for j, y in enumerate(xs) if j != i])
        whole = sum(mass * among_coins(c, x, kappa) for c, mass in enumerate(coins))
        best = max(best, told + (1 - told) * whole)
    return best
